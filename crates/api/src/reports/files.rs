//! What is in a file: games, books, learned tables, codes.

use rukh_code::FormatCounts;
use rukh_core::{Move, Notation, Position, Rules};
use rukh_json::{Out, object};
use rukh_pgn::Totals;
use rukh_store::book::BookMove;
use rukh_store::learn::LearnStats;

/// Games of files, and how many problems they have.
pub fn pgn(t: &Totals, problems: u64) -> String {
    object(|out| {
        out.num("games", t.games);
        out.num("plies", t.plies);
        out.num("longest", t.longest);
        out.num("white", t.white);
        out.num("draws", t.draws);
        out.num("black", t.black);
        out.num("unknown", t.unknown);
        out.num("noResultToken", t.unfinished);
        out.num("rated", t.rated);
        out.opt_num("meanRating", t.mean_rating());
        match t.years {
            Some((first, last)) => out.list("years", |out| [first, last].iter().for_each(|year| out.item_num(year))),
            None => out.null("years"),
        }
        out.num("problems", problems);
    })
}

/// A book's moves in a position, and the one it would play.
pub fn book<R: Rules>(pos: &Position<R>, moves: &[BookMove], choice: Option<Move>) -> String {
    let uci = |mv| pos.uci(mv, Notation::Standard);
    object(|out| {
        out.str("fen", &pos.fen());
        out.opt("choice", choice.map(uci));
        out.list("moves", |out| {
            for m in moves {
                out.item_obj(|out| {
                    out.show("uci", uci(m.mv));
                    out.show("san", pos.san(m.mv));
                    out.num("weight", m.weight);
                });
            }
        });
    })
}

/// A table of learned positions and the bytes of its file.
pub fn learned(s: &LearnStats, bytes: u64) -> String {
    object(|out| {
        out.num("positions", s.positions);
        out.num("numbers", s.numbers);
        out.num("scored", s.scored);
        out.num("deepest", s.deepest);
        out.num("meanDepth", format_args!("{:.2}", s.mean_depth()));
        out.num("visits", s.visits);
        out.num("bytes", bytes);
    })
}

fn counts(out: &mut Out<'_>, counts: &FormatCounts) {
    out.num("positions", counts.positions);
    out.num("format1", counts.format1);
    out.num("format2", counts.format2);
    out.num("aux", counts.aux);
}

/// The formats of all positions, by ply and by men (rows without positions are left out), and of lines and trees of searches.
pub fn codes(
    all: &FormatCounts,
    by_ply: &[FormatCounts],
    by_men: &[FormatCounts],
    [lines, tree]: [&FormatCounts; 2],
) -> String {
    let rows = |out: &mut Out<'_>, name: &str, rows: &[FormatCounts]| {
        for (n, row) in rows.iter().enumerate().filter(|(_, row)| row.positions > 0) {
            out.item_obj(|out| {
                out.num(name, n);
                counts(out, row);
            });
        }
    };
    object(|out| {
        counts(out, all);
        out.list("byPly", |out| rows(out, "ply", by_ply));
        out.list("byMen", |out| rows(out, "men", by_men));
        out.obj("lines", |out| counts(out, lines));
        out.obj("tree", |out| counts(out, tree));
    })
}

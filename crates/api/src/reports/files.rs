//! What is in a file: games, books, learned tables, codes.

use rukh_code::{Coded, FormatCounts};
use rukh_core::{AnyPosition, Move, Notation, Position, Rules};
use rukh_json::{Out, object};
use rukh_pgn::{PgnError, Totals};
use rukh_store::book::{Book, BookMove};
use rukh_store::learn::{LearnStats, Learned, best_move};
use rukh_store::source::Entry;

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

/// How many games are good, what is wrong with the others (no more than were asked for), and how many problems there are in all.
pub fn checked(games: u64, problems: u64, shown: &[PgnError]) -> String {
    object(|out| {
        out.num("games", games);
        out.num("problems", problems);
        out.list("shown", |out| {
            for problem in shown {
                out.item_obj(|out| {
                    out.str("file", &problem.file);
                    out.num("line", problem.line);
                    out.show("reason", &problem.reason);
                });
            }
        });
    })
}

/// A book's moves in a position, and the one it would play.
pub fn book<R: Rules>(pos: &Position<R>, notation: Notation, moves: &[BookMove], choice: Option<Move>) -> String {
    let uci = |mv| pos.uci(mv, notation);
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

/// A book's lines from a position on, as a tree of so many half-moves; moves below `least` per mille are left out.
pub fn book_tree<R: Rules>(book: &Book, pos: &Position<R>, notation: Notation, depth: usize, least: u64) -> String {
    object(|out| {
        out.str("fen", &pos.fen());
        out.str("format", book.format());
        out.num("entries", book.len());
        branches(out, book, pos, notation, depth, least);
    })
}

fn branches<R: Rules>(out: &mut Out<'_>, book: &Book, pos: &Position<R>, notation: Notation, depth: usize, least: u64) {
    out.list("moves", |out| {
        if depth == 0 {
            return;
        }
        for (mv, weight, _) in book.main_moves(pos, least) {
            out.item_obj(|out| {
                out.show("uci", pos.uci(mv, notation));
                out.show("san", pos.san(mv));
                out.num("weight", weight);
                branches(out, book, &pos.after(mv), notation, depth - 1, least);
            });
        }
    });
}

/// What a source knows of a position: no moves if nothing.
pub fn source(name: &str, position: &AnyPosition, found: Option<&Entry>) -> String {
    object(|out| {
        out.str("source", name);
        out.str("fen", &position.fen());
        out.opt("name", found.and_then(|entry| entry.name.as_ref()));
        out.list("moves", |out| {
            for m in found.map_or(&[][..], |entry| &entry.moves) {
                out.item_obj(|out| {
                    out.str("uci", &position.uci(m.mv));
                    out.str("san", &position.san(m.mv));
                    out.num("weight", m.weight);
                    out.num("games", m.games);
                    out.num("white", m.white);
                    out.num("draws", m.draws);
                    out.num("black", m.black);
                    out.opt_num("meanRating", m.rating);
                    out.opt_num("score", m.score);
                });
            }
        });
    })
}

/// What was learned of a position, `null` if nothing.
pub fn learned_position<R: Coded>(pos: &Position<R>, found: Option<&Learned>) -> String {
    object(|out| {
        out.str("fen", &pos.fen());
        let Some(learned) = found else { return out.null("learned") };
        out.obj("learned", |out| {
            out.num("depth", learned.depth);
            out.num("score", learned.score);
            out.str("bound", learned.bound.name());
            out.opt("bestMove", Some(best_move(pos, learned.best)).filter(|text| text != "-"));
            out.num("visits", learned.visits);
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

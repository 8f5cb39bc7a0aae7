//! A game database's answers.

use rukh_core::{Notation, Position, Variant};
use rukh_json::{Out, object};
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::db::{Database, DbError, Exploration, Figures, GameRef, Missing, Stored, Totals, Verification};

/// What was found about a position.
pub fn explored<R: Stored>(
    db: &Database<R>,
    pos: &Position<R>,
    found: &Exploration,
    notation: Notation,
) -> Result<String, DbError> {
    let variant = if notation == Notation::Chess960 { Variant::Chess960 } else { db.variant() };
    let examples: Vec<_> =
        found.examples.iter().map(|&game| Ok((game, db.headline(game)?))).collect::<Result<_, DbError>>()?;
    Ok(object(|out| {
        out.str("fen", &pos.fen());
        out.opt("code", R::codec(variant).encode_text(pos).ok());
        figures(out, &found.figures);
        missing(out, &found.missing);
        if let Some(opening) = R::opening(pos) {
            out.show("eco", opening.eco());
            out.str("opening", opening.name);
        }
        out.list("moves", |out| {
            for m in &found.moves {
                out.item_obj(|out| {
                    out.show("uci", pos.uci(m.mv, notation));
                    out.show("san", pos.san(m.mv));
                    figures(out, &m.figures);
                    if let Some(opening) = R::opening(&pos.after(m.mv)) {
                        out.str("opening", opening.name);
                    }
                    out.str("bestGame", &db.game_name(m.best));
                    out.str("latestGame", &db.game_name(m.latest));
                });
            }
        });
        out.list("examples", |out| {
            for (game, line) in &examples {
                out.item_obj(|out| {
                    out.str("id", &db.game_name(*game));
                    out.str("white", &line.white);
                    out.str("black", &line.black);
                    out.show("result", line.result);
                    out.num("rating", line.rating);
                    out.num("year", line.year);
                });
            }
        });
    }))
}

fn figures(out: &mut Out<'_>, f: &Figures) {
    out.num("games", f.games);
    out.num("white", f.white);
    out.num("draws", f.draws);
    out.num("black", f.black);
    out.opt_num("meanRating", f.mean_rating());
    out.opt_num("firstYear", (f.first_year > 0).then_some(f.first_year));
    out.opt_num("lastYear", (f.last_year > 0).then_some(f.last_year));
}

/// What an answer lacks; `null` if nothing.
fn missing(out: &mut Out<'_>, missing: &Missing) {
    if missing.is_empty() {
        return out.null("missing");
    }
    out.obj("missing", |out| {
        out.num("segments", missing.segments);
        out.num("games", missing.games);
    });
}

/// Whole games, and what the answer lacks.
pub fn games<R: Stored>(db: &Database<R>, games: &[(GameRef, PgnGame)], lacks: &Missing) -> String {
    object(|out| {
        out.list("games", |out| {
            for (name, game) in games {
                out.item_obj(|out| {
                    out.str("id", &db.game_name(*name));
                    out.str("pgn", &text(game));
                });
            }
        });
        missing(out, lacks);
    })
}

fn text(game: &PgnGame) -> String {
    let mut writer = PgnWriter::new(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_game(game);
    writer.finish().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The size of a database.
pub fn totals(totals: &Totals) -> String {
    object(|out| {
        out.str("variant", totals.variant);
        out.num("segments", totals.segments);
        out.num("games", totals.games);
        out.num("positions", totals.positions);
        out.num("repeated", totals.repeated);
        out.num("bytes", totals.bytes);
        out.num("codeBytes", totals.code_bytes);
        out.num("statsBytes", totals.stats_bytes);
        out.num("damagedSegments", totals.missing.segments);
        missing(out, &totals.missing);
    })
}

/// What a check of a database found.
pub fn verification(v: &Verification) -> String {
    object(|out| {
        out.num("games", v.games);
        out.num("positions", v.positions);
        out.strings("problems", &v.problems);
    })
}

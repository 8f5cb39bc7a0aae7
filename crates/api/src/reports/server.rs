//! The server's own answers: what it is, what went wrong, and what needs no database.

use rukh_core::{Chess, Position, Variant};
use rukh_json::object;
use rukh_store::openings::{Opening, move_bits};

/// What a server has.
pub struct Status {
    /// Threads that an engine may have.
    pub threads: usize,
    /// Variants with a database.
    pub databases: Vec<Variant>,
    /// Other engines that it was told of, by name.
    pub engines: Vec<String>,
    /// Whether the page is there.
    pub page: bool,
    /// Whether it fetches the games of users of Lichess and chess.com.
    pub users: bool,
}

/// `/api/status`.
pub fn status(status: &Status) -> String {
    object(|out| {
        out.str("name", "rukh");
        out.str("version", env!("CARGO_PKG_VERSION"));
        out.num("threads", status.threads);
        out.flag("database", !status.databases.is_empty());
        out.strings("databases", &status.databases);
        out.strings("engines", &status.engines);
        out.flag("page", status.page);
        out.flag("users", status.users);
    })
}

/// `/api/user`: how many games of a user have come, and whether these are all.
pub fn fetched(games: u64, done: bool) -> String {
    object(|out| {
        out.num("games", games);
        out.flag("done", done);
    })
}

/// Whether the server takes questions.
pub fn health(ending: bool) -> String {
    object(|out| out.str("status", if ending { "ending" } else { "ok" }))
}

/// What is wrong, in a sentence.
pub fn problem(why: &str) -> String {
    object(|out| out.str("error", why))
}

/// The opening of a position, or nulls.
pub fn opening(found: Option<&Opening<'_>>) -> String {
    object(|out| {
        out.opt("eco", found.map(Opening::eco));
        out.opt("name", found.map(|opening| opening.name));
    })
}

/// Openings with their moves, as the table has them.
pub fn openings<'a>(list: impl Iterator<Item = (Opening<'a>, impl IntoIterator<Item = u16>)>) -> String {
    object(|out| {
        out.list("openings", |out| {
            for (opening, line) in list {
                let (mut pos, mut moves) = (Position::<Chess>::startpos(), Vec::new());
                for bits in line {
                    let Some(mv) = pos.legal_moves().iter().copied().find(|&mv| move_bits(mv) == bits) else { break };
                    moves.push(pos.san(mv).to_string());
                    pos = pos.after(mv);
                }
                out.item_obj(|out| {
                    out.show("eco", opening.eco());
                    out.str("name", opening.name);
                    out.str("moves", &moves.join(" "));
                    out.str("fen", &pos.fen());
                });
            }
        });
    })
}

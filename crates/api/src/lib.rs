//! Every message in JSON: what a page or a script asks about positions, games and the engine, and what commands print with
//! `--json`.
//!
//! One dialect: compact, names in `camelCase`, `null` for what is not known, squares and moves as text. [`answer`] takes any question about a position. [`Host`] takes the requests of one connection to an engine, the same for a
//! worker in a browser and for a socket of `rukh serve`. `web/engine/src/types.ts` has the types, `docs/formats/engine-socket.md`
//! the messages, and a test compares the two. [`reports`] has what the databases, files and matches
//! of a computer are told about: `rukh serve` sends it under `/api/`, commands print it.
//!
//! ```
//! let answer = rukh_api::answer(r#"{"ask":"move","text":"Nf3"}"#).unwrap();
//! assert!(answer.contains(r#""uci":"g1f3""#));
//! assert!(rukh_api::answer(r#"{"ask":"move","text":"Nf4"}"#).is_err());
//! ```
#![forbid(unsafe_code)]

mod chances;
mod check;
#[cfg(feature = "reports")]
pub mod guest;
mod host;
mod learn;
pub mod message;
mod opening;
mod pgn;
#[cfg(feature = "reports")]
pub mod reports;
mod spec;
mod state;

pub use host::{Host, Reporter, limits, named_variant};
pub use rukh_json::{Json, JsonError, Out, object};

/// Answers a question in JSON; an error is a sentence for a person.
pub fn answer(question: &str) -> Result<String, String> {
    answer_json(&Json::parse(question).map_err(|e| e.to_string())?)
}

/// Answers a question that is already read.
pub fn answer_json(question: &Json) -> Result<String, String> {
    match question.str("ask").ok_or("the question has no `ask`")? {
        "state" => state::state(question),
        "move" => state::typed(question),
        "line" => state::line(question),
        "manners" => state::manners(question),
        "checkFen" => check::fen(question),
        "checkSetup" => check::setup(question),
        "chess960" => check::chess960(question),
        "opening" => opening::opening(question),
        "parsePgn" => pgn::parse(question),
        "indexPgn" => pgn::index(question),
        "writePgn" => pgn::write(question),
        "chances" => chances::chances(question),
        "review" => chances::review(question),
        "levels" => Ok(chances::levels()),
        other => learn::answer(other, question),
    }
}

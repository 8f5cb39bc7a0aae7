#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chances;
mod check;
#[cfg(feature = "coach")]
pub mod coach;
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
#[cfg(any(feature = "learn", feature = "reports"))]
mod terms;
mod told;

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

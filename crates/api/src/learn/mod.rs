//! Questions of the Learn chapters: how the engine sees a position.

mod boards;
#[cfg(feature = "learn")]
mod coach;
#[cfg(feature = "learn")]
mod code;
#[cfg(feature = "learn")]
mod collisions;
#[cfg(feature = "learn")]
mod evaluation;
mod keys;
#[cfg(feature = "learn")]
mod mailbox;
#[cfg(feature = "learn")]
mod perft;
mod table;
#[cfg(feature = "learn")]
mod trace;
#[cfg(feature = "learn")]
mod x88;

use rukh_json::Json;

pub(crate) use table::{hash_map, hash_probe};

pub(crate) fn answer(ask: &str, question: &Json) -> Result<String, String> {
    match ask {
        "bitboards" => boards::bitboards(question),
        "pieceMoves" => boards::piece_moves(question),
        "slider" => boards::slider(question),
        "zobrist" => keys::zobrist(question),
        #[cfg(feature = "learn")]
        "evaluation" => evaluation::evaluation(question),
        #[cfg(feature = "learn")]
        "placements" => evaluation::placements(question),
        #[cfg(feature = "learn")]
        "trace" => trace::trace(question),
        #[cfg(feature = "learn")]
        "ordering" => trace::ordering(question),
        #[cfg(feature = "learn")]
        "perft" => perft::perft(question),
        #[cfg(feature = "learn")]
        "mailbox" => mailbox::walk(question),
        "tables" => table::makruk(question),
        "hashProbe" | "hashMap" => Err("only an engine has a transposition table".into()),
        #[cfg(feature = "learn")]
        "collisions" => collisions::collisions(question),
        #[cfg(feature = "learn")]
        "encode" => code::encode(question),
        #[cfg(feature = "learn")]
        "decode" => code::decode(question),
        #[cfg(feature = "learn")]
        "codePrice" => code::price(question),
        #[cfg(feature = "learn")]
        "explain" => coach::explain(question),
        #[cfg(feature = "learn")]
        "coachStep" => coach::coach_step(question),
        #[cfg(feature = "learn")]
        "insights" => coach::insights(question),
        #[cfg(feature = "learn")]
        "repertoire" => coach::repertoire(question),
        #[cfg(not(feature = "learn"))]
        "explain" | "coachStep" | "insights" | "repertoire" | "evaluation" | "placements" | "perft" | "mailbox"
        | "collisions" | "encode" | "decode" | "codePrice" | "trace" | "ordering" => {
            Err(format!("this build cannot answer `{ask}`: load the module `learn`"))
        }
        other => Err(format!("there is no question `{}`", other.chars().take(40).collect::<String>())),
    }
}

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
mod table;
#[cfg(feature = "learn")]
mod trace;

#[cfg(feature = "learn")]
use crate::spec::any_game;
#[cfg(feature = "learn")]
use rukh_core::dispatch;
use rukh_json::Json;
#[cfg(feature = "learn")]
use rukh_json::object;

pub(crate) use table::{hash_map, hash_probe};

#[cfg(feature = "learn")]
/// Perft deeper than this would keep a page waiting for hours.
const MAX_PERFT: u64 = 9;

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
        "perft" => perft(question),
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
        "explain" | "coachStep" | "insights" | "repertoire" | "evaluation" | "placements" | "perft" | "collisions"
        | "encode" | "decode" | "codePrice" | "trace" | "ordering" => {
            Err(format!("this build cannot answer `{ask}`: load the module `learn`"))
        }
        other => Err(format!("there is no question `{}`", other.chars().take(40).collect::<String>())),
    }
}

#[cfg(feature = "learn")]
fn perft(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let depth = question.uint("depth").ok_or("the question has no `depth`")?;
    if depth > MAX_PERFT {
        return Err(format!("depth {depth} is too deep: at most {MAX_PERFT}"));
    }
    let depth = depth as u32;
    dispatch!(&any, game => {
        let pos = game.position();
        if question.flag("divide") != Some(true) || depth == 0 {
            return Ok(object(|out| out.num("nodes", rukh_core::perft(pos, depth))));
        }
        let moves = rukh_core::divide(pos, depth);
        Ok(object(|out| {
            out.num("nodes", moves.iter().map(|(_, nodes)| nodes).sum::<u64>());
            out.list("moves", |out| {
                for &(mv, nodes) in &moves {
                    out.item_obj(|out| {
                        out.show("uci", pos.uci(mv, any.variant().notation()));
                        out.show("san", pos.san(mv));
                        out.num("nodes", nodes);
                    });
                }
            });
        }))
    })
}

//! Perft: leaves counted, by bitboards or, for the race, by the 0x88 board.

use super::x88;
use crate::spec::any_game;
use rukh_core::{Variant, dispatch};
use rukh_json::{Json, object};

/// Perft deeper than this would keep a page waiting for hours.
const MAX_PERFT: u64 = 9;

/// `perft`
pub(super) fn perft(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let depth = question.uint("depth").ok_or("the question has no `depth`")?;
    if depth > MAX_PERFT {
        return Err(format!("depth {depth} is too deep: at most {MAX_PERFT}"));
    }
    let depth = depth as u32;
    match question.str("board") {
        None | Some("bitboard") => {}
        Some("0x88") => {
            let (variant, fen) = (any.variant(), dispatch!(&any, game => game.position().fen()));
            let board = (variant != Variant::Chess960).then(|| x88::Board::from_fen(variant == Variant::Makruk, &fen));
            let mut board =
                board.flatten().ok_or("the 0x88 board plays chess and Makruk only, at most 16 men a side")?;
            return Ok(object(|out| out.num("nodes", board.perft(depth))));
        }
        Some(_) => return Err("`board` must be bitboard or 0x88".into()),
    }
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

//! The words beyond UCI: `go perft`, `flip`.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_core::{AnyGame, FenError, Position, Rules, dispatch, perft};

/// Leaf counts below each legal move, until `stop` is set.
pub(super) fn divide(game: &AnyGame, depth: u32, stop: &AtomicBool, mut each_move: impl FnMut(&str, u64)) -> u64 {
    let mut total = 0;
    for &mv in game.legal_moves().iter() {
        let nodes = dispatch!(game, game => leaves(&game.position().after_unchecked(mv), depth - 1, stop));
        total += nodes;
        if stop.load(Relaxed) {
            break;
        }
        each_move(&game.uci(mv), nodes);
    }
    total
}

/// Leaves below a position; fewer once `stop` is set.
fn leaves<R: Rules>(pos: &Position<R>, depth: u32, stop: &AtomicBool) -> u64 {
    // So many plies take a fraction of a second.
    const AT_ONCE: u32 = 4;
    match depth {
        0 => 1,
        1..=AT_ONCE => perft(pos, depth),
        _ => {
            let moves = pos.legal_moves();
            let go_on = moves.iter().take_while(|_| !stop.load(Relaxed));
            go_on.map(|&mv| leaves(&pos.after_unchecked(mv), depth - 1, stop)).sum()
        }
    }
}

/// The same position with colours and ranks exchanged.
pub(super) fn flipped(game: &AnyGame) -> Result<AnyGame, FenError> {
    AnyGame::from_fen(game.variant(), &flip_fen(&game.fen()))
}

/// Exchanges colours in a FEN: ranks in reverse, cases swapped, the en-passant square mirrored.
fn flip_fen(fen: &str) -> String {
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect()
    };
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    for (at, field) in fields.iter_mut().enumerate() {
        *field = match at {
            0 => swap(&field.split('/').rev().collect::<Vec<_>>().join("/")),
            1 => {
                if field == "w" {
                    "b".into()
                } else {
                    "w".into()
                }
            }
            2 => {
                // White's rights stand first.
                let (black, white): (String, String) = swap(field).chars().partition(char::is_ascii_lowercase);
                white + &black
            }
            3 => field.replace('3', "x").replace('6', "3").replace('x', "6"),
            _ => continue,
        };
    }
    fields.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Variant;

    #[test]
    fn flipping_twice_is_nothing() {
        for (variant, fen) in [
            (Variant::Chess, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
            (Variant::Chess, "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQq e3 0 3"),
            (Variant::Makruk, "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"),
        ] {
            let game = AnyGame::from_fen(variant, fen).unwrap();
            let turned = flipped(&game).unwrap();
            assert_ne!(turned.fen(), game.fen());
            assert_eq!(turned.legal_moves().len(), game.legal_moves().len(), "{fen}");
            assert_eq!(flipped(&turned).unwrap().fen(), game.fen());
        }
    }
}

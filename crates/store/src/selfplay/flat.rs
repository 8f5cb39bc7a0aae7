//! Flat 36-byte records for the trainer: sixty-four nibbles, score, result, flags; everything from the side to move's view.

use super::model::{is_calm, nibble, view};
use super::{SelfPlay, score};
use rukh_core::{Color, Kind, Position, Rules};

/// Which positions of a game to learn from. Positions in check, before a capture or promotion, or with a proven result
/// are never taken; nor are those of the random opening.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// Largest score in centipawns.
    pub max_score: i32,
    /// Also leave out this many plies after the random opening.
    pub skip: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Filter { max_score: 6_000, skip: 0 }
    }
}

/// A position as the trainer reads it: 36 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatRecord(pub [u8; 36]);

/// Flag: the game belongs to the held-out part.
pub const HELD_OUT: u8 = 1;
/// Flag: a Makruk count was running.
pub const COUNTED: u8 = 2;

impl FlatRecord {
    /// Bytes 0–31 two squares each (a1 in the low nibble of byte 0), 32–33 score (little endian, side to move's view),
    /// 34 result (0 lost, 1 drawn, 2 won for the side to move), 35 flags.
    pub fn new<R: Rules>(pos: &Position<R>, score: i32, points: u8, held_out: bool) -> FlatRecord {
        let mut bytes = [0u8; 36];
        let us = pos.side_to_move();
        for color in Color::ALL {
            for kind in Kind::ALL {
                for square in pos.colored(color, kind) {
                    let at = square.relative(us).index();
                    bytes[at / 2] |= nibble(kind, color == us) << (4 * (at & 1));
                }
            }
        }
        bytes[32..34].copy_from_slice(&(score.clamp(-32_000, 32_000) as i16).to_le_bytes());
        bytes[34] = points;
        bytes[35] = u8::from(held_out) * HELD_OUT + u8::from(pos.count().is_some()) * COUNTED;
        FlatRecord(bytes)
    }
}

impl Filter {
    /// Calls `take` with every position of `game` that passes, and its score from the side to move's view.
    pub fn positions<R: Rules>(&self, game: &SelfPlay, mut take: impl FnMut(&Position<R>, i32)) {
        let mut pos = game.start::<R>();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if ply >= game.opening + self.skip && is_calm(&pos, mv) {
                let scored = score::centipawns(game.scores[ply - game.opening]);
                if let Some(cp) = scored.filter(|cp| cp.abs() <= self.max_score) {
                    take(&pos, cp * view(pos.side_to_move()));
                }
            }
            pos = pos.after_unchecked(mv);
        }
    }
}

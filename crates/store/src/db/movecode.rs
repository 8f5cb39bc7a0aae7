//! The moves of a game as numbers among the legal ones, packed as mixed-radix integers.
//!
//! A move's number is its rank among the legal moves ordered by [`move_bits`]. Moves are gathered into groups whose
//! product of counts fits 64 bits; a group is one integer, from which dividing by the counts gives the numbers back in
//! playing order. About five bits a half-move.

use rukh_core::{Move, Position, Rules};

use crate::openings;

/// Stands in place of a promotion for castling that looks like a step of the king.
pub const CASTLE: u16 = 5;

/// A move as the database stores it: origin, target × 64, promotion × 4096. Castling is the king's step; where the king goes one
/// square or none (Chess960), a mark tells it from a plain step.
#[inline]
pub fn move_bits(mv: Move) -> u16 {
    let bits = openings::move_bits(mv);
    if mv.is_castle() && mv.from().file().index().abs_diff(mv.to().file().index()) <= 1 {
        return bits | CASTLE << 12;
    }
    bits
}

/// Packs moves as they come.
#[derive(Default)]
pub struct MoveEncoder {
    /// (number, legal moves) of the group at hand.
    group: Vec<(u8, u8)>,
    product: u64,
}

impl MoveEncoder {
    /// Adds the move of a position; `legal` are its legal moves.
    #[inline]
    pub fn push(&mut self, legal: &[Move], mv: Move, out: &mut Vec<u8>) {
        let bits = move_bits(mv);
        let number = legal.iter().filter(|&&other| move_bits(other) < bits).count() as u8;
        let count = legal.len() as u8;
        // A forced move says nothing and takes no room.
        if count <= 1 {
            return;
        }
        match self.product.checked_mul(u64::from(count)) {
            Some(product) if !self.group.is_empty() => self.product = product,
            _ => {
                self.flush(out, 8);
                self.product = u64::from(count);
            }
        }
        self.group.push((number, count));
    }

    /// Ends the game: the last group takes only the bytes that its product needs.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let bytes = (64 - self.product.saturating_sub(1).leading_zeros()).div_ceil(8) as usize;
        self.flush(out, bytes);
        self.product = 0;
    }

    fn flush(&mut self, out: &mut Vec<u8>, bytes: usize) {
        if self.group.is_empty() {
            return;
        }
        // The first move is the last factor, so that it comes off first.
        let value = self.group.iter().rev().fold(0u64, |v, &(number, count)| v * u64::from(count) + u64::from(number));
        out.extend_from_slice(&value.to_le_bytes()[..bytes]);
        self.group.clear();
    }
}

/// Plays packed moves from `start`, calling `f` with each position, its number and the move from it (none behind the
/// last). Stops early when `f` says so. `None` if the bytes do not fit the game.
pub fn replay<R: Rules>(
    start: &Position<R>,
    plies: usize,
    bytes: &[u8],
    mut f: impl FnMut(usize, &Position<R>, Option<Move>) -> bool,
) -> Option<()> {
    let mut pos = *start;
    let mut ply = 0;
    let mut rest = bytes;
    // Decoding mirrors grouping: the counts are only known while playing, so a group ends where its product would
    // overflow, as it did for the encoder.
    let (mut value, mut product) = (0u64, 0u64);
    while ply < plies {
        let legal = pos.legal_moves();
        let count = legal.len() as u64;
        let mv = match count {
            0 => return None,
            1 => legal[0],
            _ => {
                match product.checked_mul(count).filter(|_| product > 0) {
                    Some(p) => product = p,
                    None => {
                        let take = rest.len().min(8);
                        let mut word = [0; 8];
                        word[..take].copy_from_slice(&rest[..take]);
                        rest = &rest[take..];
                        value = u64::from_le_bytes(word);
                        product = count;
                    }
                }
                let number = (value % count) as usize;
                value /= count;
                let mut ordered: [u16; 256] = [u16::MAX; 256];
                let bits = &mut ordered[..legal.len()];
                legal.iter().zip(bits.iter_mut()).for_each(|(&mv, b)| *b = move_bits(mv));
                let wanted = *bits.select_nth_unstable(number).1;
                legal.iter().copied().find(|&mv| move_bits(mv) == wanted)?
            }
        };
        if !f(ply, &pos, Some(mv)) {
            return Some(());
        }
        pos = pos.after_unchecked(mv);
        ply += 1;
    }
    f(ply, &pos, None);
    Some(())
}

#[cfg(test)]
mod tests {
    use rukh_core::{Chess, Makruk};

    use super::*;

    #[test]
    fn random_games_come_back() {
        // King and rook so near that castling and a step have the same squares.
        let near = "rk1r4/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w GBda - 0 1";
        for fen in [Chess::START_FEN, near, "4k3/8/8/8/8/8/8/5K1R w H - 0 1"] {
            come_back(&Position::<Chess>::from_fen(fen).unwrap());
        }
        come_back(&Position::<Makruk>::startpos());
    }

    fn come_back<R: Rules>(start: &Position<R>) {
        let mut rng = rukh_core::rng::Rng::plain(1);
        let mut bits = 0;
        let mut plies = 0;
        for _ in 0..50 {
            let mut pos = *start;
            let mut moves = Vec::new();
            let mut encoder = MoveEncoder::default();
            let mut bytes = Vec::new();
            for _ in 0..250 {
                let legal = pos.legal_moves();
                if legal.is_empty() {
                    break;
                }
                let mv = legal[rng.below(legal.len())];
                encoder.push(&legal, mv, &mut bytes);
                moves.push(mv);
                pos = pos.after_unchecked(mv);
            }
            encoder.finish(&mut bytes);
            let mut back = Vec::new();
            replay(start, moves.len(), &bytes, |_, _, mv| {
                back.extend(mv);
                true
            })
            .unwrap();
            assert_eq!(back, moves);
            bits += bytes.len() * 8;
            plies += moves.len();
        }
        assert!(bits < plies * 11 / 2, "{bits} bits for {plies} plies");
    }

    #[test]
    fn rubbish_never_panics() {
        let start = Position::<Chess>::startpos();
        for seed in 0..200u8 {
            let bytes: Vec<u8> = (0..50u8).map(|i| i.wrapping_mul(37).wrapping_add(seed)).collect();
            let _ = replay(&start, 400, &bytes, |_, _, _| true);
        }
        assert!(replay(&start, 0, &[], |_, _, _| true).is_some());
    }
}

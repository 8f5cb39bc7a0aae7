//! Positions as the trainer reads them.

use rukh_core::{Position, Variant};

use crate::plain::{Coded, Plain};

/// Bytes of a row.
pub const TRAINING_ROW: usize = 40;

/// A position as a row of a RUKHPS01 file (training/code/positions.py): 32 bytes with two squares each, a1 first and the
/// low half first, then feature bits, header symbol, ply and men as 16-bit numbers.
pub fn training_row<R: Coded>(variant: Variant, pos: &Position<R>, ply: u16) -> [u8; TRAINING_ROW] {
    let plain: Plain = R::take_apart(pos).0;
    let mut row = [0; TRAINING_ROW];
    for (side, own) in plain.men.iter().enumerate() {
        for (kind, &set) in own[..R::KINDS].iter().enumerate() {
            for square in (0..64).filter(|square| set >> square & 1 != 0) {
                row[square / 2] |= ((1 + R::KINDS * side + kind) << (square % 2 * 4)) as u8;
            }
        }
    }
    let (header, features) = crate::coder::header(variant, &plain, R::KINDS);
    let numbers = [features as u16, header as u16, ply, plain.occupied().count_ones() as u16];
    for (bytes, number) in row[32..].chunks_exact_mut(2).zip(numbers) {
        bytes.copy_from_slice(&number.to_le_bytes());
    }
    row
}

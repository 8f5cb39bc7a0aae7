//! Games as the trainer reads them (training/code/positions.py has both layouts).

use rukh_code::{Coded, TRAINING_ROW, training_row};
use rukh_core::{Kind, Move, Position, Variant};

/// What was taken from games. Standard chess: moves of whole games (RUKHGM01). Other variants: single positions (RUKHPS01).
#[derive(Debug)]
pub struct Extract {
    variant: Variant,
    lengths: Vec<u16>,
    moves: Vec<u16>,
    rows: Vec<[u8; TRAINING_ROW]>,
}

impl Extract {
    /// Nothing yet.
    pub fn new(variant: Variant) -> Self {
        Self { variant, lengths: Vec::new(), moves: Vec::new(), rows: Vec::new() }
    }

    /// Adds a game.
    pub fn take<R: Coded>(&mut self, start: &Position<R>, moves: &[Move]) {
        if self.variant != Variant::Chess {
            let mut pos = *start;
            for (ply, &mv) in (1..).zip(moves) {
                pos = pos.after(mv);
                self.rows.push(training_row(self.variant, &pos, ply));
            }
        } else if *start == Position::startpos() && (1..=usize::from(u16::MAX)).contains(&moves.len()) {
            self.lengths.push(moves.len() as u16);
            self.moves.extend(moves.iter().map(|&mv| packed(mv)));
        }
    }

    /// How many games, moves and positions there are; either the former two or the latter.
    pub fn counts(&self) -> [usize; 3] {
        [self.lengths.len(), self.moves.len(), self.rows.len()]
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.variant == Variant::Chess {
            bytes.extend(b"RUKHGM01");
            bytes.extend((self.lengths.len() as u32).to_le_bytes());
            bytes.extend((self.moves.len() as u32).to_le_bytes());
            self.lengths.iter().for_each(|length| bytes.extend(length.to_le_bytes()));
            // Low bytes and high bytes apart: they compress better.
            bytes.extend(self.moves.iter().map(|mv| *mv as u8));
            bytes.extend(self.moves.iter().map(|mv| (mv >> 8) as u8));
        } else {
            bytes.extend(b"RUKHPS01");
            bytes.extend((self.rows.len() as u32).to_le_bytes());
            self.rows.iter().for_each(|row| bytes.extend(row));
        }
        bytes
    }
}

/// from | to << 6 | promotion << 12 (1 N, 2 B, 3 R, 4 Q); castling is the king's own step.
fn packed(mv: Move) -> u16 {
    let promotion = mv.promotion().map_or(0, Kind::index) as u16;
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

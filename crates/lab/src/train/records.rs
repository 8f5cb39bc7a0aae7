//! The records of `rukh datagen expand`, read whole, and the inputs that a network sees in them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use rukh_core::rng::Rng;
use rukh_store::selfplay::HELD_OUT;

use super::{Event, Watch};
use crate::LabError;

pub const RECORD: usize = 36;
pub type Record = [u8; RECORD];
const MEN: usize = 32;
const KING: u8 = 6;
/// Which of the twelve planes a nibble is (own pawn … own king, then the other side's); others are no piece.
const PLANES: [u8; 16] = [255, 0, 1, 2, 3, 4, 5, 255, 255, 6, 7, 8, 9, 10, 11, 255];

/// Positions to learn from, and those of other games to judge by.
#[derive(Default)]
pub struct Records {
    pub learn: Vec<Record>,
    pub held_out: Vec<Record>,
}

impl Records {
    pub fn read(files: &[PathBuf], watch: &mut Watch<'_>) -> Result<Records, LabError> {
        let mut records = Records::default();
        let total = files.iter().filter_map(|path| path.metadata().ok()).map(|meta| meta.len() / RECORD as u64).sum();
        for path in files {
            records.file(path, total, watch)?;
        }
        Ok(records)
    }

    fn file(&mut self, path: &Path, total: u64, watch: &mut Watch<'_>) -> Result<(), LabError> {
        let at = |what: String| LabError::at(path, what);
        let file = File::open(path).map_err(|error| at(error.to_string()))?;
        let bytes = file.metadata().map_err(|error| at(error.to_string()))?.len();
        if bytes % RECORD as u64 != 0 {
            return Err(at(format!("{bytes} bytes are not a whole number of records of {RECORD} bytes")));
        }
        let mut file = BufReader::with_capacity(1 << 20, file);
        self.learn.reserve((bytes / RECORD as u64) as usize);
        for number in 0..bytes / RECORD as u64 {
            let mut record = [0; RECORD];
            file.read_exact(&mut record).map_err(|error| at(error.to_string()))?;
            if Inputs::of(&record).is_none() {
                return Err(at(format!("record {number} is not a position; did 'rukh datagen expand' write it?")));
            }
            let list = if record[35] & HELD_OUT != 0 { &mut self.held_out } else { &mut self.learn };
            list.push(record);
            if number % 65_536 == 0 {
                watch(Event::Reading { done: (self.learn.len() + self.held_out.len()) as u64, total });
            }
        }
        Ok(())
    }
}

/// Score in centipawns for the side to move.
pub fn score(record: &Record) -> f32 {
    f32::from(i16::from_le_bytes([record[32], record[33]]))
}

/// 0, ½ or 1 for the side to move.
pub fn result(record: &Record) -> f32 {
    f32::from(record[34]) / 2.0
}

pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// What the first layer sees, with each side's eyes.
#[derive(Clone, Copy)]
pub struct Inputs {
    lists: [[u16; MEN]; 2],
    men: u8,
}

impl Inputs {
    /// `None` if the bytes are no position.
    pub fn of(record: &Record) -> Option<Inputs> {
        let mut men = [(0u8, 0u8); MEN];
        let mut count = 0;
        let mut kings = [None; 2];
        for (i, &pair) in record[..32].iter().enumerate() {
            if pair == 0 {
                continue;
            }
            for (code, square) in [(pair & 15, 2 * i as u8), (pair >> 4, 2 * i as u8 + 1)] {
                if code == 0 {
                    continue;
                }
                let plane = PLANES[usize::from(code)];
                if plane == 255 || count == MEN {
                    return None;
                }
                if code & 7 == KING && kings[usize::from(code >> 3)].replace(square).is_some() {
                    return None;
                }
                men[count] = (plane, square);
                count += 1;
            }
        }
        let (own, other) = (kings[0]?, kings[1]?);
        if record[34] > 2 {
            return None;
        }
        // The board is mirrored when the viewer's king stands on the files e to h.
        let mirror = [if own & 7 > 3 { 7 } else { 0 }, if other & 7 > 3 { 7 } else { 0 }];
        let mut lists = [[0; MEN]; 2];
        for (n, &(plane, square)) in men[..count].iter().enumerate() {
            let theirs = if plane < 6 { plane + 6 } else { plane - 6 };
            lists[0][n] = u16::from(plane) * 64 + u16::from(square ^ mirror[0]);
            lists[1][n] = u16::from(theirs) * 64 + u16::from(square ^ 56 ^ mirror[1]);
        }
        Some(Inputs { lists, men: count as u8 })
    }

    pub fn men(&self) -> usize {
        usize::from(self.men)
    }

    /// The inputs that are on, for the side to move (0) or the other (1).
    pub fn list(&self, view: usize) -> &[u16] {
        &self.lists[view][..self.men()]
    }
}

/// Every record once in an order that differs from pass to pass, without a list of it: steps of a fixed length that
/// has no divisor in common with the number of records.
pub struct Order {
    at: usize,
    step: usize,
    left: usize,
    count: usize,
    rng: Rng,
}

impl Order {
    pub fn new(count: usize, seed: u64) -> Order {
        Order { at: 0, step: 1, left: 0, count, rng: Rng::new(seed, 0x6f72_6465) }
    }

    pub fn next(&mut self) -> usize {
        if self.left == 0 {
            self.left = self.count;
            self.at = self.rng.below(self.count);
            self.step = loop {
                // Neither near nor far in file order: neighbours come from the same games.
                let step = self.count / 7 + self.rng.below(self.count / 2 + 1);
                if step > 0 && gcd(step, self.count) == 1 {
                    break step;
                }
                if self.count < 4 {
                    break 1;
                }
            };
        }
        self.left -= 1;
        self.at = (self.at + self.step) % self.count;
        self.at
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Centipawns per unit of log-odds: where sigmoid(score / scale) predicts the results best.
pub fn fit_scale(records: &[Record]) -> u32 {
    let step = records.len().div_ceil(200_000).max(1);
    let sample: Vec<(f32, f32)> = records.iter().step_by(step).map(|r| (score(r), result(r))).collect();
    let loss = |scale: u32| -> f64 {
        sample.iter().map(|(score, result)| f64::from((sigmoid(score / scale as f32) - result).powi(2))).sum()
    };
    (6..=90).map(|k| k * 10).min_by(|&a, &b| loss(a).total_cmp(&loss(b))).unwrap_or(400)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Color, Kind, Piece, Position};
    use rukh_eval::nnue::Zones;
    use rukh_store::selfplay::FlatRecord;

    #[test]
    fn inputs_are_the_engines() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 1",
            "3k4/8/8/8/8/8/4P3/6K1 b - - 0 1",
        ] {
            let pos = Position::<Chess>::from_fen(fen).expect(fen);
            let inputs = Inputs::of(&FlatRecord::new(&pos, 12, 2, false).0).expect(fen);
            for (view, side) in [pos.side_to_move(), !pos.side_to_move()].into_iter().enumerate() {
                let eyes = Zones::default().view(side, pos.king(side));
                let mut expected = Vec::new();
                for color in Color::ALL {
                    for kind in Kind::ALL {
                        expected.extend(
                            pos.colored(color, kind).into_iter().map(|s| eyes.index(Piece::new(color, kind), s)),
                        );
                    }
                }
                let mut found = inputs.list(view).to_vec();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{fen}, view {view}");
            }
        }
    }

    #[test]
    fn no_position_no_inputs() {
        let pos = Position::<Chess>::startpos();
        let good = FlatRecord::new(&pos, -300, 0, true).0;
        assert!(Inputs::of(&good).is_some());
        assert_eq!((score(&good), result(&good)), (-300.0, 0.0));
        for (at, byte) in [(0, 0x77), (0, 0x66), (34, 3), (16, 0x11)] {
            let mut bad = good;
            bad[at] = byte;
            assert!(Inputs::of(&bad).is_none(), "byte {at} = {byte}");
        }
    }

    #[test]
    fn an_order_visits_everything_once() {
        for count in [1, 2, 3, 7, 30, 997, 1024] {
            let mut order = Order::new(count, 5);
            for _ in 0..3 {
                let mut seen: Vec<usize> = (0..count).map(|_| order.next()).collect();
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..count), "{count}");
            }
        }
    }
}

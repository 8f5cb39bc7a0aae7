//! `rukh code extract`: games as the trainer reads them (training/code/positions.py has both layouts).

use std::path::PathBuf;

use rukh_code::training_row;
use rukh_core::{Chess, Kind, Makruk, Move, Position, Variant};

use super::Game;
use super::source::{LeftOut, each_game};
use crate::cli::{Args, CliError, Progress, not_an_input};

/// Standard chess: moves of whole games (RUKHGM01). Other variants: single positions (RUKHPS01).
pub fn run(variant: Variant, args: &Args) -> Result<(), CliError> {
    let (out, files) = (args.path("-o").unwrap_or_default(), args.paths("file"));
    not_an_input(&out, &files)?;
    let mut taken = Taken::default();
    match variant {
        Variant::Makruk => taken.read::<Makruk>(variant, &files)?,
        Variant::Chess | Variant::Chess960 => taken.read::<Chess>(variant, &files)?,
    }
    let Taken { lengths, moves, rows } = taken;
    let mut bytes = Vec::new();
    if variant == Variant::Chess {
        bytes.extend(b"RUKHGM01");
        bytes.extend((lengths.len() as u32).to_le_bytes());
        bytes.extend((moves.len() as u32).to_le_bytes());
        lengths.iter().for_each(|length| bytes.extend(length.to_le_bytes()));
        // Low bytes and high bytes apart: they compress better.
        bytes.extend(moves.iter().map(|mv| *mv as u8));
        bytes.extend(moves.iter().map(|mv| (mv >> 8) as u8));
    } else {
        bytes.extend(b"RUKHPS01");
        bytes.extend((rows.len() as u32).to_le_bytes());
        rows.iter().for_each(|row| bytes.extend(row));
    }
    rukh_files::replace(&out, &bytes)?;
    eprintln!("{}: {} games, {} moves, {} positions", out.display(), lengths.len(), moves.len(), rows.len());
    Ok(())
}

/// from | to << 6 | promotion << 12 (1 N, 2 B, 3 R, 4 Q); castling is the king's own step.
fn packed(mv: Move) -> u16 {
    let promotion = mv.promotion().map_or(0, Kind::index) as u16;
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

/// What was taken from the files: moves of chess games, positions of the others.
#[derive(Default)]
struct Taken {
    lengths: Vec<u16>,
    moves: Vec<u16>,
    rows: Vec<[u8; rukh_code::TRAINING_ROW]>,
}

impl Taken {
    /// Game files and files of `rukh datagen`; a broken game is left out.
    fn read<R: Game>(&mut self, variant: Variant, files: &[PathBuf]) -> Result<(), CliError> {
        let mut progress = Progress::new("code extract", None);
        for file in files {
            each_game::<R>(file, variant, &mut LeftOut::default(), |_, start, moves| {
                if variant != Variant::Chess {
                    let mut pos = *start;
                    for (ply, &mv) in (1..).zip(moves) {
                        pos = pos.after(mv);
                        self.rows.push(training_row(variant, &pos, ply));
                    }
                } else if *start == Position::startpos() && (1..=usize::from(u16::MAX)).contains(&moves.len()) {
                    self.lengths.push(moves.len() as u16);
                    self.moves.extend(moves.iter().map(|&mv| packed(mv)));
                }
                progress.set((self.lengths.len() + self.rows.len()) as u64, "");
                true
            })?;
        }
        progress.finish();
        Ok(())
    }
}

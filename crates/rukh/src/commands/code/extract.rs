//! `rukh code extract`: games as the trainer reads them (training/code/positions.py has both layouts).

use std::path::PathBuf;

use rukh_code::training_row;
use rukh_core::{Chess, Kind, Move, Position, Rules, Variant};
use rukh_pgn::{AnyPosition, PgnGame, PgnReader};

use crate::cli::{Args, CliError, Progress, not_an_input};

/// Standard chess: moves of whole games (RUKHGM01). Other variants: single positions (RUKHPS01).
pub fn run(variant: Variant, mut args: Args) -> Result<(), CliError> {
    let Some(out) = args.option("-o")? else { return Err(CliError::usage("-o <file> is missing")) };
    let mut files = Vec::new();
    while let Some(file) = args.positional()? {
        files.push(PathBuf::from(file));
    }
    args.finish()?;
    not_an_input(out.as_ref(), &files)?;
    let mut progress = Progress::new("code extract", None);
    let (mut lengths, mut moves, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for file in &files {
        // A broken game is left out.
        for game in PgnReader::open(file).map_err(CliError::new)?.flatten() {
            if game.start.variant() != variant || game.moves.is_empty() || game.moves.len() > usize::from(u16::MAX) {
                continue;
            }
            match &game.start {
                AnyPosition::Chess(start) if *start == Position::<Chess>::startpos() => {
                    lengths.push(game.moves.len() as u16);
                    moves.extend(game.moves.iter().map(|&mv| packed(mv)));
                }
                AnyPosition::Chess(_) => {}
                AnyPosition::Chess960(start) => positions(variant, start, &game, &mut rows),
                AnyPosition::Makruk(start) => positions(variant, start, &game, &mut rows),
            }
            progress.set((lengths.len() + rows.len()) as u64, "");
        }
    }
    progress.finish();
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
    eprintln!("{out}: {} games, {} moves, {} positions", lengths.len(), moves.len(), rows.len());
    Ok(())
}

/// from | to << 6 | promotion << 12 (1 N, 2 B, 3 R, 4 Q); castling is the king's own step.
fn packed(mv: Move) -> u16 {
    let promotion = mv.promotion().map_or(0, Kind::index) as u16;
    mv.from().index() as u16 | (mv.to().index() as u16) << 6 | promotion << 12
}

fn positions<R: Rules + rukh_code::Coded>(
    variant: Variant,
    start: &Position<R>,
    game: &PgnGame,
    rows: &mut Vec<[u8; rukh_code::TRAINING_ROW]>,
) {
    let mut pos = *start;
    for (ply, &mv) in game.moves.iter().enumerate() {
        pos = pos.after(mv);
        rows.push(training_row(variant, &pos, ply as u16 + 1));
    }
}

//! Games for `rukh code stats`: game files as people write them, and the engine's own.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use rukh_core::{Move, Position};
use rukh_pgn::PgnReader;
use rukh_store::selfplay::{GamesReader, decode_block};

use super::Game;
use crate::cli::CliError;

/// What was not counted.
#[derive(Default)]
pub struct LeftOut {
    /// Games that could not be read.
    pub broken: usize,
    /// Games of another variant.
    pub other: usize,
}

/// How a file of own games begins.
const OWN: &[u8] = b"RUKHGAME";

/// Calls `visit` with the start and the moves of each game of `variant`, until it says that it is enough. Its first
/// argument is the number of bytes of the file that have been read so far.
pub fn each_game<R: Game>(
    path: &Path,
    variant: rukh_core::Variant,
    left_out: &mut LeftOut,
    mut visit: impl FnMut(u64, &Position<R>, &[Move]) -> bool,
) -> Result<bool, CliError> {
    let name = path.to_string_lossy();
    if is_own(path).unwrap_or(false) {
        let failed = |error| CliError::new(format!("{name}: {error}"));
        let mut reader = GamesReader::open(path).and_then(|reader| reader.only(variant)).map_err(failed)?;
        let mut bytes = 0;
        while let Some((head, payload)) = reader.read_on().map_err(failed)? {
            bytes += payload.len() as u64;
            for game in decode_block::<R>(&head, &payload).map_err(failed)? {
                if !visit(bytes, &game.start(), &game.moves) {
                    return Ok(false);
                }
            }
        }
        if let Some(said) = reader.complaint() {
            eprintln!("{name}: {said}");
        }
        return Ok(true);
    }
    let (games, read) = PgnReader::open_counted(path).map_err(CliError::new)?;
    for game in games {
        let Ok(game) = game else {
            left_out.broken += 1;
            continue;
        };
        match R::start_of(&game).filter(|_| game.start.variant() == variant) {
            Some(start) => {
                if !visit(read.load(Ordering::Relaxed), start, &game.moves) {
                    return Ok(false);
                }
            }
            None => left_out.other += 1,
        }
    }
    Ok(true)
}

fn is_own(path: &Path) -> io::Result<bool> {
    let mut head = [0; OWN.len()];
    File::open(path)?.read_exact(&mut head)?;
    Ok(head == OWN)
}

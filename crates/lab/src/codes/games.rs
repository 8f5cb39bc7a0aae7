//! Games as people write them, and the engine's own.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use rukh_core::{Move, Position, Rules, Variant};
use rukh_pgn::PgnReader;
use rukh_store::selfplay::{GamesReader, decode_block};

use crate::LabError;

/// What was not counted.
#[derive(Debug, Default)]
pub struct LeftOut {
    /// Games that could not be read.
    pub broken: usize,
    /// Games of another variant.
    pub other: usize,
    /// What damaged files of own games lack, in words.
    pub damage: Vec<String>,
}

/// How a file of own games begins.
const OWN: &[u8] = b"RUKHGAME";

/// Calls `visit` with the start and the moves of each game of `variant`, until it says that it is enough; whether it did not
/// is what comes back. Its first argument is the number of bytes of the file that have been read so far.
pub fn each_game<R: Rules>(
    path: &Path,
    variant: Variant,
    left_out: &mut LeftOut,
    mut visit: impl FnMut(u64, &Position<R>, &[Move]) -> bool,
) -> Result<bool, LabError> {
    if is_own(path).unwrap_or(false) {
        let failed = |error| LabError::at(path, error);
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
        left_out.damage.extend(reader.complaint().map(|said| format!("{}: {said}", path.display())));
        return Ok(true);
    }
    let (games, read) = PgnReader::open_counted(path).map_err(LabError::new)?;
    for game in games {
        let Ok(game) = game else {
            left_out.broken += 1;
            continue;
        };
        match game.start.of().filter(|_| game.start.variant() == variant) {
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

/// A pipe can be read only once, so it is not looked into: it holds games as people write them.
fn is_own(path: &Path) -> io::Result<bool> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut head = [0; OWN.len()];
    File::open(path)?.read_exact(&mut head)?;
    Ok(head == OWN)
}

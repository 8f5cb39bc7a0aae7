//! What is good in a damaged file of games, as a new file.

use std::path::{Path, PathBuf};

use rukh_store::selfplay::{GamesError, GamesReader, GamesWriter};

use crate::LabError;

/// What was kept.
#[derive(Debug, Clone)]
pub struct Repaired {
    /// Good blocks.
    pub blocks: u64,
    /// Their games.
    pub games: u64,
    /// What was wrong with the file, if anything was.
    pub complaint: Option<String>,
}

/// Copies all good blocks of `path`, a file of any game, to the new file `out`.
pub fn repair(path: &Path, out: &Path) -> Result<Repaired, LabError> {
    let mut reader = GamesReader::open(path).map_err(|error| LabError::at(path, error))?;
    // Neither the damaged file nor another one is ever overwritten.
    if out.exists() {
        return Err(LabError::new(format!("{} exists already; choose another name", out.display())));
    }
    // A name of its own: what a killed run has left stands in nobody's way.
    let mut half = out.as_os_str().to_owned();
    half.push(format!(".{}.half", std::process::id()));
    let half = PathBuf::from(half);
    let writer = GamesWriter::create(&half, reader.variant(), reader.recipe());
    let copied = copy(&mut reader, path, writer.map_err(|error| LabError::at(&half, error))?, &half)
        .and_then(|copied| Ok(std::fs::rename(&half, out).map(|()| copied)?));
    if copied.is_err() {
        // Half a file is of no use: the damaged one has all of it.
        let _ = std::fs::remove_file(&half);
    }
    let (blocks, games) = copied?;
    Ok(Repaired { blocks, games, complaint: reader.complaint() })
}

/// Blocks and games that were copied.
fn copy(reader: &mut GamesReader, path: &Path, mut writer: GamesWriter, half: &Path) -> Result<(u64, u64), LabError> {
    let at = |error: GamesError| LabError::at(half, error);
    let (mut blocks, mut games) = (0u64, 0u64);
    while let Some((head, payload)) = reader.read_on().map_err(|error| LabError::at(path, error))? {
        writer.append(&head, &payload).map_err(at)?;
        blocks += 1;
        games += u64::from(head.games);
    }
    writer.sync().map_err(at)?;
    Ok((blocks, games))
}

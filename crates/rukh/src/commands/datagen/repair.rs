//! `rukh datagen repair`: what is good in a damaged file, as a new file.

use crate::cli::{Args, CliError};
use crate::outln;
use rukh_core::{Chess, Makruk, Rules};
use rukh_store::selfplay::{GamesError, GamesReader, GamesWriter};
use std::path::{Path, PathBuf};

pub fn run(mut args: Args) -> Result<(), CliError> {
    let out = args.option("--out")?.map(PathBuf::from).ok_or_else(|| CliError::usage("--out NEW is missing"))?;
    let path: PathBuf = args.required("FILE")?;
    args.finish()?;
    let failed = |error| CliError::new(format!("{}: {error}", path.display()));
    // The file knows its game.
    match GamesReader::open::<Chess>(&path) {
        Ok(reader) => copy::<Chess>(&path, reader, &out),
        Err(GamesError::Variant { .. }) => {
            copy::<Makruk>(&path, GamesReader::open::<Makruk>(&path).map_err(failed)?, &out)
        }
        Err(error) => Err(failed(error)),
    }
}

fn copy<R: Rules>(path: &Path, mut reader: GamesReader, out: &Path) -> Result<(), CliError> {
    // Neither the damaged file nor another one is ever overwritten.
    if out.exists() {
        return Err(CliError::new(format!("{} exists already; choose another name", out.display())));
    }
    let mut half = out.as_os_str().to_owned();
    half.push(".half");
    let half = PathBuf::from(half);
    let at = |error: GamesError| CliError::new(format!("{}: {error}", half.display()));
    let mut writer = GamesWriter::create::<R>(&half, reader.recipe()).map_err(at)?;
    let (mut blocks, mut games) = (0u64, 0u64);
    while let Some((head, payload)) = reader.read_on().map_err(|e| CliError::new(format!("{}: {e}", path.display())))? {
        writer.append(&head, &payload).map_err(at)?;
        blocks += 1;
        games += u64::from(head.games);
    }
    writer.sync().map_err(at)?;
    std::fs::rename(&half, out)?;
    outln!("{games} games in {blocks} good blocks written to {}", out.display());
    outln!("{}", reader.complaint().unwrap_or_else(|| "the file was not damaged".into()));
    Ok(())
}

//! `rukh code extract`: games as the trainer reads them.

use rukh_core::{Variant, dispatch};
use rukh_lab::codes::{Extract, LeftOut, each_game};

use crate::cli::{Args, Progress, Result, counted, not_an_input};

pub fn run(variant: Variant, args: &Args) -> Result {
    let (out, files) = (args.path("--out").unwrap_or_default(), args.inputs("file")?);
    not_an_input(&out, &files)?;
    let (mut taken, mut left_out) = (Extract::new(variant), LeftOut::default());
    let mut progress = Progress::new("code extract", None);
    for file in &files {
        dispatch!(type R of variant => each_game::<R>(file, variant, &mut left_out, |_, start, moves| {
            taken.take(start, moves);
            let [games, _, rows] = taken.counts();
            progress.set((games + rows) as u64, "");
            true
        }))?;
    }
    progress.finish();
    left_out.damage.iter().for_each(|said| errln!("{said}"));
    rukh_files::replace(&out, &taken.to_bytes())?;
    let [games, moves, rows] = taken.counts();
    let [games, moves, rows] =
        [(games, "game"), (moves, "move"), (rows, "position")].map(|(n, what)| counted(n as u64, what));
    errln!("{}: {games}, {moves}, {rows}", out.display());
    Ok(())
}

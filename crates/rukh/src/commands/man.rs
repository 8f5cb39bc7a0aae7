//! `rukh man`: the manual pages.

use std::path::{Path, PathBuf};

use clap::Command;

use crate::cli::{Args, CliError, Result, counted, define};

pub fn command() -> Command {
    define::command("man", "write the man pages: rukh.1 and one for each command")
        .arg(define::file("out DIR", "output folder, such as ~/.local/share/man/man1").required(true))
}

pub fn run(args: Args) -> Result {
    let folder = args.path("--out").unwrap_or_else(|| PathBuf::from("."));
    std::fs::create_dir_all(&folder).map_err(|error| CliError::new(format!("{}: {error}", folder.display())))?;
    let mut root = super::described();
    root.build();
    let written = write(&root, &folder)?;
    outln!("{} written to {}", counted(written, "page"), folder.display());
    Ok(())
}

/// The page of a command and those of its actions.
fn write(command: &Command, folder: &Path) -> Result<u64> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    rukh_files::replace(folder.join(format!("{name}.1")), &page)?;
    let mut written = 1;
    for action in command.get_subcommands().filter(|action| !action.is_hide_set() && action.get_name() != "help") {
        written += write(action, folder)?;
    }
    Ok(written)
}

//! `rukh completions`: what a shell needs to complete commands and options.

use clap::Command;
use clap_complete::Shell;

use crate::cli::{Args, CliError, Result, define};

pub fn command() -> Command {
    define::command("completions", "generate shell completions for bash, zsh, fish, powershell or elvish")
        .arg(define::word("shell", "bash, zsh, fish, powershell or elvish"))
        .after_help(
            "bash:  rukh completions bash > ~/.local/share/bash-completion/completions/rukh\n\
             zsh:   rukh completions zsh > ~/.zfunc/_rukh   (with ~/.zfunc in $fpath)\n\
             fish:  rukh completions fish > ~/.config/fish/completions/rukh.fish",
        )
}

pub fn run(args: Args) -> Result {
    let name: String = args.required("shell")?;
    let unknown = |_| CliError::input("there are completions for bash, zsh, fish, powershell and elvish", &name);
    let shell: Shell = name.parse().map_err(unknown)?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut super::described(), "rukh", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script)?;
    Ok(())
}

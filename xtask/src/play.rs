//! `cargo xtask play`: from a fresh clone to a game.

use crate::shell::{self, Result, cargo, command, target_dir};
use crate::web;

/// Builds engine and page and serves them, the arguments going to `rukh serve`; with `--terminal`, or where the page cannot be
/// built, a game on the terminal, the arguments going to `rukh play`.
pub fn run(words: &[String]) -> Result {
    let (terminal, words): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| *word == "--terminal");
    let mut task = if terminal.is_empty() { "serve" } else { "play" };
    if task == "serve"
        && let Err(why) = web::missing().map_or_else(web::build, Err)
    {
        eprintln!(
            "\nno page: {why}.\nA game on the terminal instead (`cargo xtask play --terminal` does that at once).\n"
        );
        task = "play";
    }
    shell::run(cargo().args(["build", "--release", "--package", "rukh"]))?;
    shell::run(command(target_dir().join("release/rukh")).arg(task).args(words))
}

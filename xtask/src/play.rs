//! `cargo xtask play`: from a fresh clone to a game.

use crate::shell::{self, Result, cargo, command, target_dir};

/// Builds the engine and starts a game on the terminal; further arguments go to `rukh play`.
pub fn run(words: &[String]) -> Result {
    shell::run(cargo().args(["build", "--release", "--package", "rukh"]))?;
    shell::run(command(target_dir().join("release/rukh")).arg("play").args(words))
}

//! `cargo xtask referee`: games of the engine under the eyes of somebody else's rules (`xtask/referee/referee.py`).

use std::path::{Path, PathBuf};

use crate::shell::{self, Result, cargo, command, root, target_dir, which};

/// What the referee is made of. They only watch: nothing of them is built into anything.
const PACKAGES: [&str; 2] = ["chess", "pyffish"];

/// `[--engine PATH] [--games N] [--variant V,…] [--load N] …`: without an engine, the release build plays.
pub fn run(words: &[String]) -> Result {
    let python = python()?;
    let mut referee = command(python);
    referee.arg(root().join("xtask/referee/referee.py"));
    let given = words.iter().any(|word| word == "--engine" || word.starts_with("--engine=") || word == "--help");
    if !given {
        shell::run(cargo().args(["build", "--release", "--package", "rukh"]))?;
        referee.arg("--engine").arg(target_dir().join("release/rukh"));
    }
    shell::run(referee.args(words))
}

/// A Python that has the packages: one of its own in the target folder, made when it is needed.
fn python() -> Result<PathBuf> {
    let home = target_dir().join("referee");
    let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if has_packages(&python) {
        return Ok(python);
    }
    let system = which("python3").ok_or("referee: needs python3")?;
    let made = shell::run(command(system).args(["-m", "venv"]).arg(&home))
        .and_then(|()| shell::run(command(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES)));
    made.map_err(|why| {
        let (packages, python) = (PACKAGES.join(" and "), python.display());
        format!("{why}\nreferee: needs the Python packages {packages} in {python}")
    })?;
    Ok(python)
}

fn has_packages(python: &Path) -> bool {
    python.exists() && shell::capture(command(python).args(["-c", &format!("import {}", PACKAGES.join(", "))])).is_ok()
}

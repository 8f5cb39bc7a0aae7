//! The Spark jobs on a small cluster, where there is Java (`--long`).

use crate::python;
use crate::report::Outcome;
use crate::shell::{Result, capture, cargo, command, root, run, which};

/// Runs `scale/spark/test.py` with the wheel that was built last: a master and two workers on the loopback address, compared with the
/// embedded import.
pub fn check() -> Result<Outcome> {
    run(cargo().args(["test", "--package", "rukh-scale", "--features", "parquet"]))?;
    if which("java").is_none() {
        return Ok(Outcome::Skipped("no Java (Debian: default-jre-headless)".into()));
    }
    let python = match python::installed("spark", "spark", &[]) {
        Ok(python) => python,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let mut test = command(&python);
    test.arg("scale/spark/test.py").current_dir(root());
    let games = root().join("../shared/data/games/lichess_1000.pgn.zst");
    if games.is_file() {
        test.arg(&games);
    }
    let (said, _) = capture(&mut test)?;
    Ok(Outcome::Ok(said.lines().last().unwrap_or_default().to_owned()))
}

//! Tables for clusters (`--long`): joins of our own Parquet in DuckDB, and the Spark jobs where there is Java.

use crate::python;
use crate::report::Outcome;
use crate::shell::{Result, capture, cargo, command, root, run, target_dir, which};

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

/// Runs `scale/duckdb/join.py`: the worked example of docs/formats/parquet.md over tables that `rukh` has just written.
pub fn joins() -> Result<Outcome> {
    let games = root().join("../shared/data/games");
    if !games.is_dir() {
        return Ok(Outcome::Skipped("no games to join".into()));
    }
    let python = match python::installed("duckdb", "duckdb", &[]) {
        Ok(python) => python,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    run(cargo().args(["build", "--package", "rukh", "--features", "parquet"]))?;
    let mut test = command(&python);
    test.arg("scale/duckdb/join.py").arg(target_dir().join("debug/rukh")).current_dir(root());
    test.args(["master.pgn.zst", "lichess_1000.pgn.zst"].map(|name| games.join(name)));
    let (said, _) = capture(&mut test)?;
    Ok(Outcome::Ok(said.lines().last().unwrap_or_default().to_owned()))
}

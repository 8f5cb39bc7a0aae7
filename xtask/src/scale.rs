//! The Spark job on a small cluster, where Spark is at hand (`--long`).

use std::path::PathBuf;

use crate::report::Outcome;
use crate::shell::{self, Result, capture, cargo, command, root, target_dir, which};

/// Runs `scale/spark/test.py`: a master and two workers on the loopback address, compared with the embedded import.
pub fn check() -> Result<Outcome> {
    let python = std::env::var_os("RUKH_SPARK_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    if capture(command(&python).args(["-c", "import pyspark, pyarrow"])).is_err() {
        let why = "no pyspark and pyarrow for python3 (RUKH_SPARK_PYTHON names another Python)";
        return Ok(Outcome::Skipped(why.into()));
    }
    if which("java").is_none() {
        return Ok(Outcome::Skipped("no Java".into()));
    }
    let games = root().join("../shared/data/games/lichess_1000.pgn.zst");
    if !games.is_file() {
        return Ok(Outcome::Skipped("no games to map".into()));
    }
    shell::run(cargo().args(["test", "--package", "rukh-scale", "--features", "parquet"]))?;
    shell::run(cargo().args(["build", "--package", "rukh", "--features", "parquet"]))?;
    let rukh = target_dir().join("debug/rukh");
    let (text, _) = capture(command(&rukh).args(["source", "games"]).arg(&games))?;
    let plain = target_dir().join("spark-games.pgn");
    std::fs::write(&plain, text).map_err(|error| format!("{}: {error}", plain.display()))?;
    let (said, _) = capture(command(&python).arg("scale/spark/test.py").arg(&rukh).arg(&plain))?;
    Ok(Outcome::Ok(said.lines().last().unwrap_or_default().to_owned()))
}

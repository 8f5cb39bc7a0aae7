//! A bounded run of every fuzz target.

use std::fs;

use crate::report::Outcome;
use crate::shell::{self, Result, cargo, root, which};

/// Seconds per target.
const SECONDS: u32 = 60;

/// Runs each target of `fuzz/` for a while, from its seeds and what earlier runs found here.
pub fn run() -> Result<Outcome> {
    if which("cargo-fuzz").is_none()
        && shell::run(cargo().args(["install", "--locked", "--quiet", "cargo-fuzz"])).is_err()
    {
        return Ok(Outcome::Skipped("cargo-fuzz could not be installed".into()));
    }
    let folder = root().join("fuzz");
    let mut targets: Vec<String> = fs::read_dir(folder.join("fuzz_targets"))
        .map_err(|error| format!("fuzz_targets: {error}"))?
        .filter_map(|entry| entry.ok()?.path().file_stem()?.to_str().map(str::to_owned))
        .collect();
    targets.sort();
    for target in &targets {
        let corpus = folder.join("corpus").join(target);
        fs::create_dir_all(&corpus).map_err(|error| format!("{}: {error}", corpus.display()))?;
        // Coverage needs unstable compiler flags, which a stable compiler accepts under this variable. The code under
        // test is safe Rust with assertions on, so a sanitizer would find little and halve the speed.
        shell::run(
            cargo()
                .current_dir(&folder)
                .env("RUSTC_BOOTSTRAP", "1")
                .args(["fuzz", "run", "--sanitizer", "none", target])
                .arg(&corpus)
                .arg(folder.join("seeds").join(target))
                .args(["--", &format!("-max_total_time={SECONDS}"), "-max_len=2000", "-verbosity=0"]),
        )?;
    }
    Ok(Outcome::Ok(format!("{} for {SECONDS} s each: nothing found", targets.join(", "))))
}

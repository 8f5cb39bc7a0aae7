//! A bounded run of every fuzz target (`crates/*/fuzz`).

use std::fs;
use std::path::{Path, PathBuf};

use crate::report::Outcome;
use crate::shell::{self, Result, cargo, root, target_dir, which};

/// Seconds per target.
const SECONDS: u32 = 60;

/// Rooms whose targets reach neither C nor `unsafe`.
const SAFE: [&str; 1] = ["core"];

/// Runs each target for a while, from its committed corpus and what earlier runs found here.
pub fn run() -> Result<Outcome> {
    if which("cargo-fuzz").is_none()
        && shell::run(cargo().args(["install", "--locked", "--quiet", "cargo-fuzz"])).is_err()
    {
        return Ok(Outcome::Skipped(
            "no cargo-fuzz, and it could not be installed (cargo install --locked cargo-fuzz)".into(),
        ));
    }
    let mut names = Vec::new();
    for room in list(&root().join("crates"))? {
        let folder = room.join("fuzz");
        if folder.is_dir() {
            for file in list(&folder.join("fuzz_targets"))? {
                let target = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                run_target(&folder, &target)?;
                names.push(target);
            }
        }
    }
    Ok(Outcome::Ok(format!("{} for {SECONDS} s each: nothing found", names.join(", "))))
}

fn run_target(folder: &Path, target: &str) -> Result {
    // libFuzzer writes what it finds into the first corpus folder: keep that out of the sources.
    let found = target_dir().join("fuzz-corpus").join(target);
    fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    // Coverage needs unstable compiler flags, which a stable compiler accepts under this variable. Safe Rust with assertions on is run
    // without a sanitizer, which would find little and halve the speed; where there is C or `unsafe` below, it looks for bad addresses.
    let sanitizer = if SAFE.iter().any(|room| folder.parent().is_some_and(|parent| parent.ends_with(room))) {
        "none"
    } else {
        "address"
    };
    shell::run(
        cargo()
            .current_dir(folder)
            .env("RUSTC_BOOTSTRAP", "1")
            // cargo-fuzz looks for `fuzz/` above the current folder unless it is told.
            .args(["fuzz", "run", "--fuzz-dir", ".", "--sanitizer", sanitizer, target])
            .arg(&found)
            .arg(folder.join("corpus").join(target))
            .args(["--", &format!("-max_total_time={SECONDS}"), "-max_len=2000", "-verbosity=0"]),
    )
}

/// The entries of a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    Ok(entries)
}

//! `cargo xtask mutants`: do the tests notice a changed program? A sample of the changes that `cargo mutants` can make in a room.

use crate::report::Outcome;
use crate::shell::{self, Result, capture, cargo, command, target_dir, which};

/// Rooms that are asked by default: what everything else stands on.
const ROOMS: [&str; 5] = ["rukh-core", "rukh-code", "rukh-pgn", "rukh-store", "rukh-engine"];
/// One change in so many is tried, unless `--every` says otherwise.
const EVERY: u32 = 60;

/// `[ROOM …] [--every N] [--file PATTERN]`
pub fn run(words: &[String]) -> Result {
    let (mut rooms, mut every, mut files) = (Vec::new(), EVERY, Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--every" => {
                let number = words.next().and_then(|text| text.parse().ok()).filter(|&n| n > 0);
                every = number.ok_or("mutants: --every takes a number from 1")?;
            }
            "--file" => files.push(words.next().ok_or("mutants: --file takes a path or pattern")?.clone()),
            room if !room.starts_with('-') => rooms.push(room.to_owned()),
            other => return Err(format!("mutants: unknown argument '{other}'")),
        }
    }
    if rooms.is_empty() {
        rooms = ROOMS.map(str::to_owned).to_vec();
    }
    if !installed() {
        return Err("cargo-mutants could not be installed (cargo install --locked cargo-mutants)".into());
    }
    for room in &rooms {
        println!("{room}: {}", sample(room, every, &files)?);
    }
    Ok(())
}

fn installed() -> bool {
    which("cargo-mutants").is_some()
        || shell::run(cargo().args(["install", "--locked", "--quiet", "cargo-mutants"])).is_ok()
}

/// Tries one change in `every` of a room; what was noticed and, by name, what was not.
fn sample(room: &str, every: u32, files: &[String]) -> Result<String> {
    let out = target_dir().join("mutants").join(room);
    std::fs::create_dir_all(&out).map_err(|error| format!("cannot make {}: {error}", out.display()))?;
    let mut mutants = command("cargo");
    mutants
        .args(["mutants", "--package", room, "--test-package", room, "--no-shuffle", "--colors", "never", "--output"]);
    mutants.arg(&out).args([
        // Every so manieth change of all files, and not the first ones of the first file.
        "--sharding",
        "round-robin",
        "--shard",
        &format!("0/{every}"),
        "--timeout-multiplier",
        "3",
        "--minimum-test-timeout",
        "60",
    ]);
    for file in files {
        mutants.args(["--file", file]);
    }
    // Its status tells survivors from failures; the lists in its folder tell which.
    let status = mutants.status().map_err(|error| format!("cargo mutants: {error}"))?;
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        return Err(format!("cargo mutants ended with {status}"));
    }
    let list = |name: &str| std::fs::read_to_string(out.join("mutants.out").join(name)).unwrap_or_default();
    let (caught, late, missed) = (list("caught.txt"), list("timeout.txt"), list("missed.txt"));
    let (caught, late, survivors) = (caught.lines().count(), late.lines().count(), missed.lines().count());
    let tried = caught + late + survivors;
    Ok(format!("{caught} of {tried} changes noticed, {late} by running too long\n{missed}"))
}

/// Licences, sources and known faults of all dependencies, as far as this machine's network lets them be looked up.
pub fn dependencies() -> Result<Outcome> {
    if which("cargo-deny").is_none()
        && shell::run(cargo().args(["install", "--locked", "--quiet", "cargo-deny"])).is_err()
    {
        return Ok(Outcome::Skipped(
            "no cargo-deny, and it could not be installed (cargo install --locked cargo-deny)".into(),
        ));
    }
    shell::run(cargo().args(["deny", "--all-features", "check", "licenses", "bans", "sources"]))?;
    let mut known = vec!["licences, bans and sources"];
    // The list of known faults is fetched from elsewhere: without it, that is said and not counted as a fault of ours.
    match capture(cargo().args(["deny", "--all-features", "check", "advisories"])) {
        Ok(_) => known.push("advisories"),
        Err(why) if why.contains("failed to fetch") || why.contains("failed to clone") => {
            known.push("no advisories: the list cannot be fetched")
        }
        Err(why) => return Err(why),
    }
    if which("npm").is_some() {
        match capture(command("npm").args(["audit", "--omit=dev"]).current_dir(shell::root().join("web"))) {
            Ok(_) => known.push("npm audit"),
            Err(why)
                if why.contains("ENOTFOUND")
                    || why.contains("audit endpoint")
                    || why.contains("E4")
                    || why.contains("ENOLOCK") =>
            {
                known.push("no npm audit: the registry does not answer");
            }
            Err(why) => return Err(why),
        }
    }
    Ok(Outcome::Ok(known.join(", ")))
}

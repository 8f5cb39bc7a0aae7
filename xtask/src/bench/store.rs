//! PGN replay against pgn-extract and python-chess, and the figures of the database.

use std::path::{Path, PathBuf};

use super::median;
use crate::prepare;
use crate::shell::{self, Result, capture, cargo, command, root, target_dir, which};

const PYTHON: &str = "
import sys, time, chess.pgn
start, plies = time.process_time(), 0
with open(sys.argv[1], encoding='utf-8', errors='replace') as file:
    while (game := chess.pgn.read_game(file)) is not None:
        plies += sum(1 for _ in game.mainline_moves())
print(plies, time.process_time() - start)
";

/// All sides read the same plain file; CPU time is counted.
pub fn games_and_positions(quick: bool) -> Result<std::result::Result<String, String>> {
    let source = root().join("../shared/data/games/master.pgn.zst");
    if !source.exists() {
        return Ok(Err("there is no file of games at ../shared/data/games/master.pgn.zst".into()));
    }
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "rukh-bench", "--bin", "store"]))?;
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "rukh", "--features", "parquet"]))?;
    let dir = target_dir().join("bench-store");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let (many, few) = if quick { (20_000, 500) } else { (100_000, 2_000) };
    let (large, small) = (dir.join("large.pgn"), dir.join("small.pgn"));
    for (count, file) in [(many, &large), (few, &small)] {
        shell::run(ours().arg("extract").arg(&source).arg(count.to_string()).arg(file))?;
    }
    let mut text = replay_table(&large, &small)? + &database_table(&large, &dir.join("db"))?;
    text += &program_rows(&large, &dir, quick)?;
    let _ = std::fs::remove_dir_all(&dir);
    Ok(Ok(text))
}

fn ours() -> std::process::Command {
    command(target_dir().join("release/store"))
}

fn rukh() -> PathBuf {
    target_dir().join("release/rukh")
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn replay_table(large: &Path, small: &Path) -> Result<String> {
    let mut text = String::from(
        "## PGN: replay with full resolution of moves\n\n\
         Over-the-board games, one core, million half-moves per CPU second. Goals: 2 M/s, 3 times pgn-extract, 50 times python-chess.\n\n\
         | program | M plies/s | times |\n| --- | ---: | ---: |\n",
    );
    let speed = |file: &Path| -> Result<f64> {
        let mut speeds = Vec::new();
        for _ in 0..3 {
            let line = numbers(&capture(ours().arg("replay").arg(file))?.0);
            let [plies, seconds] = line[..] else { return Err("store replay printed no figures".into()) };
            speeds.push(plies / seconds.max(1e-6) / 1e6);
        }
        Ok(median(speeds))
    };
    let mine = speed(large)?;
    text += &format!("| `rukh` | {mine:.2} | |\n");
    let plies = numbers(&capture(ours().arg("replay").arg(large))?.0)[0];
    if prepare::program("pgn-extract", "pgn-extract") {
        let program = which("pgn-extract").unwrap_or_else(|| PathBuf::from("/usr/games/pgn-extract"));
        let script = format!("'{}' -s -r '{}' >/dev/null 2>&1; times", program.display(), large.display());
        let (out, _) = capture(command("bash").args(["-c", &script]))?;
        let seconds = cpu_of_children(&out).ok_or_else(|| format!("bash printed {out:?}"))?;
        let theirs = plies / seconds / 1e6;
        text += &format!("| `pgn-extract -s -r` (Debian) | {theirs:.2} | **{:.1}** |\n", mine / theirs);
    }
    let few = numbers(&capture(ours().arg("replay").arg(small))?.0)[0];
    if let Ok((out, _)) = capture(command("python3").args(["-c", PYTHON]).arg(small))
        && let [plies, seconds] = numbers(&out)[..]
    {
        if plies != few {
            return Err(format!("python-chess counted {plies} half-moves, rukh {few}"));
        }
        let theirs = plies / seconds / 1e6;
        text += &format!("| `python-chess` `read_game` | {theirs:.3} | **{:.0}** |\n", mine / theirs);
    }
    Ok(text)
}

/// The second line of bash's `times`: user and system time of the children, as `0m9.335s 0m0.074s`.
fn cpu_of_children(text: &str) -> Option<f64> {
    text.lines().last()?.split_whitespace().try_fold(0.0, |sum, time| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m')?;
        Some(sum + minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    })
}

fn database_table(games: &Path, dir: &Path) -> Result<String> {
    let (out, _) = capture(ours().arg("database").arg(games).arg(dir))?;
    let [positions, cpu, wall, unique, bytes, code, lookups, lookup_cpu] = numbers(&out)[..] else {
        return Err(format!("store database printed {out:?}"));
    };
    Ok(format!(
        "\n## Database: import and look-up\n\n\
         The same games, {positions} positions, {unique} unique.\n\n\
         | figure | measured | goal |\n| --- | ---: | ---: |\n\
         | import, positions per CPU second | {:.0} | 300,000 (600,000 on two cores) |\n\
         | import, positions per second of wall time on this (shared) machine | {:.0} | |\n\
         | bytes on disk per unique position, all figures and games | {:.2} | 24 |\n\
         | of them for codes in both directions | {:.2} | 6 |\n\
         | random look-ups of games per position, per CPU second (half of them unknown) | {:.0} | 1,000,000 |\n",
        positions / cpu,
        positions / wall,
        bytes / unique,
        code / unique,
        lookups / lookup_cpu
    ))
}

/// What is measured with the program itself: more rows of the same table.
fn program_rows(games: &Path, dir: &Path, quick: bool) -> Result<String> {
    let (out, _) = capture(ours().arg("http").arg(rukh()).arg(dir.join("db")))?;
    let [requests, median, most, worst] = numbers(&out)[..] else { return Err(format!("store http printed {out:?}")) };
    let mut text = format!(
        "| explorer over HTTP, {requests} positions one by one, each for the first time: median | {median:.2} ms | |\n\
         | 99 % | {most:.2} ms | 50 ms |\n| worst (the machine is shared) | {worst:.1} ms | |\n"
    );
    let size = std::fs::metadata(games).map_or(1, |meta| meta.len()).max(1);
    let megabytes = 48;
    let times = (if quick { 4 } else { 20 } * megabytes * 1_000_000 / size + 1).to_string();
    let (memory, many) = (dir.join("memory"), megabytes.to_string());
    let (out, _) = capture(ours().arg("memory").arg(rukh()).arg(games).arg(&memory).args([&many, &times]))?;
    let [sent, peak] = numbers(&out)[..] else { return Err(format!("store memory printed {out:?}")) };
    text += &format!(
        "| memory of `db import --memory {megabytes}` on {sent} MB of text, MiB at most | {peak:.1} | {megabytes} |\n"
    );
    let script = format!(
        "'{}' db map --positions '{}' '{}' >/dev/null 2>&1; times",
        rukh().display(),
        dir.join("map.parquet").display(),
        games.display()
    );
    let before = numbers(&capture(ours().arg("replay").arg(games))?.0)[0];
    let (out, _) = capture(command("bash").args(["-c", &script]))?;
    let seconds = cpu_of_children(&out).ok_or_else(|| format!("bash printed {out:?}"))?;
    text += &format!("| `db map --positions` (Parquet), half-moves per CPU second | {:.0} | |\n", before / seconds);
    Ok(text)
}

//! Makruk perft against Fairy-Stockfish.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::Instant;

use super::median;
use crate::prepare;
use crate::shell::{self, Result, capture, cargo, command, target_dir, which};

/// Both count leaves without making them; Fairy-Stockfish is Debian's package, its usual `x86-64` build.
pub fn against_fairy_stockfish(quick: bool) -> Result<std::result::Result<String, String>> {
    if !prepare::program("fairy-stockfish", "fairy-stockfish") {
        return Ok(Err("fairy-stockfish is not installed".into()));
    }
    let package = ["--package", "rukh-bench", "--no-default-features"];
    shell::run(cargo().args(["build", "--release", "--quiet"]).args(package).args(["--bin", "makruk"]))?;
    let (depth, rounds) = if quick { (5, 3) } else { (6, 5) };
    let (mut our_speeds, mut their_speeds, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (leaves, ours) = ours(depth)?;
        let (their_leaves, theirs) = theirs(depth)?;
        if leaves != their_leaves {
            return Err(format!("perft {depth}: {leaves} against Fairy-Stockfish's {their_leaves}"));
        }
        our_speeds.push(leaves as f64 / ours / 1e6);
        their_speeds.push(leaves as f64 / theirs / 1e6);
        ratios.push(theirs / ours);
    }
    Ok(Ok(format!(
        "## Makruk against Fairy-Stockfish 11.1\n\n\
         Perft {depth} from the start position, one thread, leaves counted, million leaves per second; median of {rounds} rounds.\n\n\
         | rukh | fairy-stockfish | times (goal 10) |\n| ---: | ---: | ---: |\n| {:.0} | {:.1} | **{:.1}** |\n",
        median(our_speeds),
        median(their_speeds),
        median(ratios)
    )))
}

/// (leaves, CPU seconds) of our own.
fn ours(depth: u32) -> Result<(u64, f64)> {
    let (out, _) = capture(command(target_dir().join("release/makruk")).arg(depth.to_string()))?;
    let (leaves, seconds) = out.trim().split_once('\t').unwrap_or_default();
    match (leaves.parse(), seconds.parse()) {
        (Ok(leaves), Ok(seconds)) => Ok((leaves, seconds)),
        _ => Err(format!("makruk printed '{out}'")),
    }
}

/// (leaves, CPU seconds) of Fairy-Stockfish, counted from `go` to the answer.
fn theirs(depth: u32) -> Result<(u64, f64)> {
    let program = which("fairy-stockfish").ok_or("fairy-stockfish is not installed")?;
    let mut child = command(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start fairy-stockfish: {error}"))?;
    let answer = ask(&mut child, depth);
    // It has nothing to save: whether it leaves by itself or not does not matter.
    let _ = child.kill();
    let _ = child.wait();
    answer
}

fn ask(child: &mut Child, depth: u32) -> Result<(u64, f64)> {
    let io = |error: std::io::Error| format!("fairy-stockfish: {error}");
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no stdout")?).lines();
    let mut wait_for = |mark: &str| -> Result<String> {
        for line in lines.by_ref() {
            let line = line.map_err(io)?;
            if line.starts_with(mark) {
                return Ok(line);
            }
        }
        Err("fairy-stockfish left early".into())
    };
    writeln!(stdin, "setoption name UCI_Variant value makruk\nisready").map_err(io)?;
    wait_for("readyok")?;
    let (start, cpu) = (Instant::now(), cpu_seconds(child.id()));
    writeln!(stdin, "position startpos\ngo perft {depth}").map_err(io)?;
    let total = wait_for("Nodes searched:")?;
    let seconds = match (cpu, cpu_seconds(child.id())) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    };
    let leaves = total.trim_start_matches("Nodes searched:").trim();
    leaves.parse().map(|leaves| (leaves, seconds)).map_err(|_| format!("fairy-stockfish printed '{total}'"))
}

/// CPU time of all threads of a process.
fn cpu_seconds(id: u32) -> Option<f64> {
    let mut sum = 0.0;
    for task in fs::read_dir(format!("/proc/{id}/task")).ok()? {
        let stat = fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += stat.split_whitespace().next()?.parse::<f64>().ok()? / 1e9;
    }
    Some(sum)
}

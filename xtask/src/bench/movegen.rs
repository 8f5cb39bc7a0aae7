//! Move generation against cozy-chess and against the mailbox.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::shell::{self, Result, cargo, cargo_for_cpu, command, target_dir, target_dir_for_cpu};

/// One line of a benchmark program: group, name, work per second of both sides, ratio.
struct Row {
    group: String,
    name: String,
    ours: f64,
    theirs: f64,
    ratio: f64,
}

/// The groups of the `movegen` program, what they mean, and the goal for the native build.
const MODES: [(&str, &str, f64); 3] = [
    ("bulk", "Leaves counted (bulk)", 2.5),
    ("full", "Every leaf made, key and clocks kept", 2.3),
    ("list", "Generated into a list, then made", 2.0),
];
/// The goal of the portable build, bulk.
const PORTABLE_GOAL: f64 = 1.7;

/// Perft against cozy-chess with this machine's CPU features and again for any x86-64-v2 machine, without PEXT.
pub fn native_and_portable(quick: bool) -> Result<std::result::Result<String, String>> {
    let mut text = String::from(
        "## Move generation against cozy-chess 0.3.4\n\n\
         Perft on one thread without hash, million leaves per second. Both sides run in the same process and build.\n",
    );
    let native = rows(&mut cargo(), &target_dir(), "movegen", quick)?;
    text += "\n### This machine's CPU (`target-cpu=native`)\n";
    for (mode, title, goal) in MODES {
        text += &table(title, mode, &native, Some(goal));
    }
    if cfg!(target_arch = "x86_64") {
        let cpu = "x86-64-v2";
        let portable = rows(&mut cargo_for_cpu(cpu), &target_dir_for_cpu(cpu), "movegen", quick)?;
        text += "\n### Portable build (`target-cpu=x86-64-v2`, no PEXT)\n";
        for (mode, title, _) in MODES {
            text += &table(title, mode, &portable, (mode == "bulk").then_some(PORTABLE_GOAL));
        }
    }
    Ok(Ok(text))
}

/// Bitboards against the independent mailbox generator.
pub fn why_bitboards(quick: bool) -> Result<std::result::Result<String, String>> {
    let rows = rows(&mut cargo(), &target_dir(), "why", quick)?;
    let mut text = String::from(
        "## Why bitboards\n\n\
         `rukh-core` against `rukh-mailbox`, a plain 15×12 mailbox with piece lists, over 200 positions from random games.\n\
         The mailbox is written for clarity, not speed: read the table as an order of magnitude. The rows with 0x88 are a fair race:\n\
         a 0x88 board with piece lists that tries out only moves that could uncover its king (`crates/api/src/learn/x88.rs`); both count the\n\
         last ply without making it.\n\n\
         | game | operation | bitboard, M/s | other board, M/s | times |\n| --- | --- | ---: | ---: | ---: |\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.2} | {:.1} |",
            row.group,
            row.name,
            row.ours / 1e6,
            row.theirs / 1e6,
            row.ratio
        );
    }
    Ok(Ok(text))
}

fn table(title: &str, mode: &str, rows: &[Row], goal: Option<f64>) -> String {
    let mut text = format!("\n**{title}**\n\n| position | rukh | cozy-chess | times |\n| --- | ---: | ---: | ---: |\n");
    let mut product = Vec::new();
    for row in rows.iter().filter(|row| row.group == mode) {
        let _ = writeln!(text, "| {} | {:.0} | {:.0} | {:.2} |", row.name, row.ours / 1e6, row.theirs / 1e6, row.ratio);
        product.push(row.ratio.ln());
    }
    let mean = (product.iter().sum::<f64>() / product.len() as f64).exp();
    let goal = goal.map(|goal| format!(" (goal {goal})")).unwrap_or_default();
    let _ = writeln!(text, "| **geometric mean**{goal} | | | **{mean:.2}** |");
    text
}

/// Builds a program of `rukh-bench` with the given cargo, runs it and reads its lines.
fn rows(cargo: &mut Command, target: &Path, program: &str, quick: bool) -> Result<Vec<Row>> {
    let package = ["--package", "rukh-bench", "--no-default-features"];
    shell::run(cargo.args(["build", "--release", "--quiet"]).args(package).args(["--bin", program]))?;
    let mut run = command(target.join("release").join(program));
    if quick {
        run.arg("--quick");
    }
    let mut rows = Vec::new();
    let mut bad = None;
    shell::run_lines(&mut run, |line| match row(line) {
        Some(row) => rows.push(row),
        None => bad = Some(line.to_owned()),
    })?;
    match bad {
        None => Ok(rows),
        Some(line) => Err(format!("{program} printed '{line}'")),
    }
}

fn row(line: &str) -> Option<Row> {
    let mut fields = line.split('\t');
    let (group, name) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let mut number = || fields.next()?.parse().ok();
    Some(Row { group, name, ours: number()?, theirs: number()?, ratio: number()? })
}

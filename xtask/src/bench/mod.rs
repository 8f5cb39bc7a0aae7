//! `cargo xtask bench`: measures, and writes `docs/lab/benchmarks.md`.
//!
//! The page is a row of sections between `<!-- begin name -->` and `<!-- end name -->`. Each run replaces the sections
//! it measured and leaves the others, so that other tools may keep sections of their own there.

mod makruk;
mod movegen;
pub mod search;
mod store;

use std::fs;
use std::path::PathBuf;

use crate::gate;
use crate::shell::{Result, capture, command, root};

/// A section of the page: its name and what measures it. `Ok(Err(why))` means that it cannot be measured here.
type Measure = fn(quick: bool) -> Result<std::result::Result<String, String>>;

const SECTIONS: &[(&str, Measure)] = &[
    ("movegen", movegen::native_and_portable),
    ("instructions", instructions),
    ("why-bitboards", movegen::why_bitboards),
    ("makruk", makruk::against_fairy_stockfish),
    ("search", search::against_stockfish),
    ("store", store::games_and_positions),
];

const HEAD: &str = "\
# Benchmarks

Written by `cargo xtask bench`; do not edit the sections by hand. Figures are **ratios measured side by side in one run**:
the machine is shared and noisy, so the two sides take turns in short rounds, CPU time is counted, and the median of the
ratios within a round is reported. Absolute speeds are for orientation only. Where even ratios are too noisy, instructions
are counted.
";

/// Runs the named sections, or all.
pub fn run(words: &[String]) -> Result {
    let mut quick = false;
    let mut wanted = Vec::new();
    for word in words {
        match word.as_str() {
            "--quick" => quick = true,
            "--list" => {
                SECTIONS.iter().for_each(|(name, _)| println!("{name}"));
                return Ok(());
            }
            name if SECTIONS.iter().any(|(section, _)| *section == name) => wanted.push(name),
            other => return Err(format!("bench: there is no section '{other}' (--list names them)")),
        }
    }
    for (name, measure) in SECTIONS {
        if !wanted.is_empty() && !wanted.contains(name) {
            continue;
        }
        eprintln!("\n=== {name}");
        match measure(quick)? {
            // A rough run is for looking at, not for the record.
            Ok(text) if quick => println!("{text}"),
            Ok(text) => {
                println!("{text}");
                write_section(name, &format!("{}\n\n{}\n", text.trim_end(), conditions()))?;
            }
            Err(why) => eprintln!("skipped: {why}"),
        }
    }
    Ok(())
}

fn page() -> PathBuf {
    root().join("docs/lab/benchmarks.md")
}

/// Puts a section into the page, in place of the one of that name or at the end.
fn write_section(name: &str, text: &str) -> Result {
    let file = page();
    let old = fs::read_to_string(&file).unwrap_or_else(|_| HEAD.to_owned());
    fs::write(&file, replace_section(&old, name, text)).map_err(|error| format!("{}: {error}", file.display()))
}

fn replace_section(page: &str, name: &str, text: &str) -> String {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->\n"));
    let section = format!("{begin}{text}{end}");
    match (page.find(&begin), page.find(&end)) {
        (Some(from), Some(to)) if from < to => format!("{}{section}{}", &page[..from], &page[to + end.len()..]),
        _ => format!("{}\n\n{section}", page.trim_end()),
    }
}

/// What a reader must know to repeat the figures.
fn conditions() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cpu = cpu.trim_start_matches(['\t', ' ', ':']);
    let said = |program: &str, words: &[&str]| {
        capture(command(program).args(words)).map(|(out, _)| out.trim().to_owned()).unwrap_or_default()
    };
    let rustc = said("rustc", &["--version"]);
    let rustc = rustc.split(" (").next().unwrap_or_default();
    let commit = said("git", &["rev-parse", "--short", "HEAD"]);
    let date = said("date", &["-u", "+%Y-%m-%d"]);
    format!("*{date}, commit {commit}, {rustc}, {cpu}.*")
}

fn instructions(_quick: bool) -> Result<std::result::Result<String, String>> {
    Ok(gate::measure()?.map(|counts| {
        let mut text = format!(
            "## Instructions per leaf\n\n\
             Kiwipete depth 4 less depth 3 under callgrind, `target-cpu={}`. `cargo xtask test` fails above the gate.\n\n\
             | mode | instructions per leaf | gate | aim |\n| --- | ---: | ---: | ---: |\n",
            gate::CPU
        );
        for (mode, count) in gate::MODES.iter().zip(counts) {
            text += &format!("| {} ({}) | {count:.2} | {} | {} |\n", mode.name, mode.what, mode.limit, mode.aim);
        }
        text
    }))
}

/// The middle value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_replaced_or_appended() {
        let page = replace_section("# Head\n", "a", "one\n");
        assert_eq!(page, "# Head\n\n<!-- begin a -->\none\n<!-- end a -->\n");
        let page = replace_section(&page, "b", "two\n");
        let page = replace_section(&page, "a", "three\n");
        assert_eq!(
            page,
            "# Head\n\n<!-- begin a -->\nthree\n<!-- end a -->\n\n<!-- begin b -->\ntwo\n<!-- end b -->\n"
        );
    }
}

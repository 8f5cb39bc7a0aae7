//! Instructions per leaf under callgrind: a speed test without noise.
//!
//! Kiwipete is walked to depth 4 and to depth 3; the difference, divided by the leaves of depth 4, leaves start-up and
//! table set-up out.

use std::path::Path;
use std::process::Command;

use crate::prepare;
use crate::report::Outcome;
use crate::shell::{self, Result, capture, cargo_for_cpu, command, target_dir_for_cpu, which};

/// Valgrind 3.19 knows AVX2 and BMI2 but no AVX-512, whatever this machine has. Tuned for Zen 3, as the figures of other
/// generators were: the generic tuning clears registers before bit counts for the sake of old CPUs.
pub const CPU: &str = "znver3";
/// Kiwipete at depth 4, and below it the leaves of the depth 3 run.
const LEAVES: u64 = 4_085_603;

/// A way to walk the tree and the most instructions a leaf may cost.
pub struct Mode {
    /// The argument of the `leaves` program.
    pub name: &'static str,
    /// What it does, for people.
    pub what: &'static str,
    /// Above this the gate is shut.
    pub limit: f64,
    /// Where it should be.
    pub aim: f64,
}

/// The gates.
pub const MODES: [Mode; 3] = [
    Mode { name: "bulk", what: "leaves counted", limit: 10.0, aim: 10.0 },
    Mode { name: "full", what: "every leaf made, key and clocks kept", limit: 90.0, aim: 90.0 },
    // A form with 131 instructions was slower by a third: it read planes back right after storing them.
    Mode { name: "list", what: "generated into a list, then made", limit: 170.0, aim: 110.0 },
];

/// Fails when a leaf costs more than its gate.
pub fn check() -> Result<Outcome> {
    let counts = match measure()? {
        Ok(counts) => counts,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let mut over = Vec::new();
    let mut shown = Vec::new();
    for (mode, count) in MODES.iter().zip(counts) {
        let text = format!("{} {count:.2} (at most {})", mode.name, mode.limit);
        if count > mode.limit {
            over.push(text.clone())
        }
        shown.push(text);
    }
    if over.is_empty() { Ok(Outcome::Ok(shown.join(", "))) } else { Err(shown.join(", ")) }
}

/// Builds the program that is measured, where it can run.
pub fn build() -> Option<Command> {
    let mut cargo = cargo_for_cpu(CPU);
    cargo
        .args(["build", "--release", "--quiet", "--package", "rukh-bench", "--no-default-features", "--bin", "leaves"]);
    (cfg!(all(target_arch = "x86_64", target_os = "linux")) && cpu_has_v3()).then_some(cargo)
}

/// Instructions per leaf in the order of [`MODES`]; the inner error says why it cannot be measured here.
pub fn measure() -> Result<std::result::Result<Vec<f64>, String>> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Ok(Err("measured on x86-64 Linux only".into()));
    }
    if !prepare::program("valgrind", "valgrind") {
        return Ok(Err("valgrind is not installed".into()));
    }
    if !cpu_has_v3() {
        return Ok(Err(format!("this CPU is below {CPU}")));
    }
    if let Some(mut cargo) = build() {
        shell::run(&mut cargo)?;
    }
    let program = target_dir_for_cpu(CPU).join("release/leaves");
    let mut counts = Vec::new();
    for mode in &MODES {
        let deep = instructions(&program, mode.name, 4)?;
        let shallow = instructions(&program, mode.name, 3)?;
        counts.push(deep.saturating_sub(shallow) as f64 / LEAVES as f64);
    }
    Ok(Ok(counts))
}

fn instructions(program: &Path, mode: &str, depth: u32) -> Result<u64> {
    let valgrind = which("valgrind").ok_or("valgrind is not installed")?;
    let (out, err) = capture(
        command(valgrind)
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(program)
            .args([mode, &depth.to_string()]),
    )?;
    let expected = if depth == 4 { LEAVES } else { 97_862 };
    if out.trim() != expected.to_string() {
        return Err(format!("leaves {mode} {depth} counted {}, not {expected}", out.trim()));
    }
    // "==123== Collected : 123456"
    err.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .ok_or_else(|| format!("callgrind did not say what it collected: {err}"))
}

/// Whether this machine runs x86-64-v3 code (AVX2, BMI2 and friends).
pub fn cpu_has_v3() -> bool {
    cpu_has(&["avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"])
}

/// Whether it runs x86-64-v4 code (AVX-512).
pub fn cpu_has_v4() -> bool {
    cpu_has_v3() && cpu_has(&["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])
}

fn cpu_has(wanted: &[&str]) -> bool {
    std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| {
        let flags = text.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
        wanted.iter().all(|flag| flags.split_whitespace().any(|word| word == *flag))
    })
}

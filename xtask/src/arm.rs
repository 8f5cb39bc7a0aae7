//! The same integers on another processor: networks and position codes on 64-bit ARM, under an emulator if need be.

use std::process::Command;

use crate::prepare;
use crate::report::Outcome;
use crate::shell::{Result, capture, cargo, command, run, target_dir};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const RUNNER: &str = "qemu-aarch64";
const NETWORKS: [&str; 7] = ["test", "--quiet", "--package", "rukh-eval", "--lib", "--test", "nnue"];
const CODES: [&str; 6] = ["test", "--quiet", "--package", "rukh-code", "--test", "all"];

/// The proofs that compare with recorded integers; `long` adds the node count of `rukh bench`.
pub fn check(long: bool) -> Result<Outcome> {
    if cfg!(target_arch = "aarch64") {
        return Ok(Outcome::Ok("this is one: the ordinary tests are the proof".into()));
    }
    if !prepare::rustup_target(TARGET) || !tools() {
        return Ok(Outcome::Skipped(format!("no {TARGET} target, linker or emulator")));
    }
    run(for_arm().args(NETWORKS))?;
    run(for_arm().args(CODES).arg("vectors::"))?;
    if !long {
        return Ok(Outcome::Ok("networks (NEON) and position codes".into()));
    }
    run(for_arm().args(["build", "--release", "--quiet", "--package", "rukh"]))?;
    let program = target_dir().join(TARGET).join("release/rukh");
    let (out, _) = capture(command(RUNNER).args(["-L", "/usr/aarch64-linux-gnu"]).arg(program).arg("bench"))?;
    let there = crate::bench::search::nodes_and_nps(&out).map(|(nodes, _)| nodes);
    let (out, _) = capture(cargo().args(["run", "--release", "--quiet", "--package", "rukh", "--", "bench"]))?;
    let here = crate::bench::search::nodes_and_nps(&out).map(|(nodes, _)| nodes);
    if here.is_some() && here == there {
        Ok(Outcome::Ok(format!("networks (NEON), position codes, bench {} nodes", here.unwrap_or_default())))
    } else {
        Err(format!("bench: {here:?} nodes here, {there:?} on ARM"))
    }
}

/// Builds the first of the proofs, where they can run.
pub fn build() -> Option<Command> {
    let mut cargo = for_arm();
    cargo.args(NETWORKS).arg("--no-run");
    (!cfg!(target_arch = "aarch64") && prepare::rustup_target(TARGET) && tools()).then_some(cargo)
}

/// Makes sure of linker and emulator.
pub fn tools() -> bool {
    let packages = ["qemu-user", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"];
    prepare::found_or_installed(&packages, || {
        [LINKER, RUNNER].iter().all(|program| crate::shell::which(program).is_some()).then_some(())
    })
    .is_some()
}

/// A cargo that builds for ARM and runs what it built.
fn for_arm() -> Command {
    let mut cargo = cargo();
    let (prefix, runner) = ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU", format!("{RUNNER} -L /usr/aarch64-linux-gnu"));
    cargo
        .env("CARGO_BUILD_TARGET", TARGET)
        .env(format!("{prefix}_LINKER"), LINKER)
        .env(format!("{prefix}_RUNNER"), runner)
        // Flags for this machine's processor would be wrong for that one.
        .env("RUSTFLAGS", "");
    cargo
}

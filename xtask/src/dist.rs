//! `cargo xtask dist`: portable binaries with checksums.

use std::fs;
use std::path::PathBuf;

use crate::shell::{self, Result, capture, cargo_for_cpu, command, root, target_dir, target_dir_for_cpu};
use crate::{gate, pgo, sha256};

/// Builds `rukh` for x86-64-v2 (any PC since about 2009) and v3 (since about 2013) into `target/dist`; on another
/// architecture, for its baseline.
pub fn run(words: &[String]) -> Result {
    if let Some(word) = words.first() {
        return Err(format!("dist: unknown argument '{word}'"));
    }
    let dist = target_dir().join("dist");
    fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    let version = version()?;
    let os = std::env::consts::OS;
    let mut sums = String::new();
    let levels: &[&str] = if cfg!(target_arch = "x86_64") { &["x86-64-v2", "x86-64-v3"] } else { &["generic"] };
    for cpu in levels {
        let built = build(cpu)?;
        let arch = if *cpu == "generic" { std::env::consts::ARCH } else { cpu };
        let name = format!("rukh-{version}-{os}-{arch}{}", std::env::consts::EXE_SUFFIX);
        let file = dist.join(&name);
        fs::copy(&built, &file).map_err(|error| format!("{}: {error}", file.display()))?;
        if *cpu != "x86-64-v3" || gate::cpu_has_v3() {
            try_out(&file)?;
        }
        let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{name}  {} kB", bytes.len() / 1000);
        sums += &format!("{}  {name}\n", sha256::hex(&bytes));
    }
    fs::write(dist.join("SHA256SUMS"), &sums).map_err(|error| format!("SHA256SUMS: {error}"))?;
    print!("{sums}");
    Ok(())
}

/// Guided by a profile where this machine can make one: it must run what it builds.
fn build(cpu: &str) -> Result<PathBuf> {
    let why_not =
        if cpu == "x86-64-v3" && !gate::cpu_has_v3() { Some("this processor is older") } else { pgo::missing() };
    let Some(why) = why_not else { return pgo::build(cpu) };
    eprintln!("{cpu}: without a profile ({why})");
    let mut build = cargo_for_cpu(cpu);
    build.args(["build", "--release", "--package", "rukh"]).env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    shell::run(&mut build)?;
    Ok(target_dir_for_cpu(cpu).join("release").join(format!("rukh{}", std::env::consts::EXE_SUFFIX)))
}

/// A binary that cannot count does not leave the house.
fn try_out(file: &std::path::Path) -> Result {
    let (out, _) = capture(command(file).args(["perft", "5"]))?;
    match out.lines().last() {
        Some("4865609") => Ok(()),
        other => Err(format!("{}: perft 5 says {other:?}", file.display())),
    }
}

/// The version of the workspace, from the one place where it stands.
fn version() -> Result<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned))
        .ok_or_else(|| "no version in Cargo.toml".into())
}

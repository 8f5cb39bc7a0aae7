//! Profile-guided builds: the compiler sees what the program does most before it decides what to inline and where to put it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::prepare;
use crate::shell::{self, Result, capture, cargo, command, run_quietly, target_dir};

/// `cargo xtask build [--pgo]`: the release program for this machine.
pub fn run(words: &[String]) -> Result {
    let built = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            shell::run(cargo().args(["build", "--release", "--package", "rukh"]))?;
            target_dir().join("release").join(PROGRAM)
        }
        ["--pgo"] => build("native", &[])?,
        _ => return Err(format!("build: unknown arguments '{}' (there is --pgo)", words.join(" "))),
    };
    println!("{}", built.display());
    Ok(())
}

const PROGRAM: &str = if cfg!(windows) { "rukh.exe" } else { "rukh" };

/// Why there can be no profile here, if so. The tool must be of the compiler's own version, so Debian's does not serve.
pub fn missing() -> Option<&'static str> {
    if !prepare::rustup_component("llvm-tools") {
        return Some("rustup's component llvm-tools is not to be had");
    }
    profdata().is_none().then_some("llvm-profdata is not where rustup puts it")
}

/// Builds `rukh` twice for a processor that this one can stand in for, with a day's work in between, and returns its path.
pub fn build(cpu: &str, features: &[&str]) -> Result<PathBuf> {
    if let Some(why) = missing() {
        return Err(format!("no profile-guided build: {why}"));
    }
    let profdata = profdata().ok_or("no llvm-profdata")?;
    let folder = target_dir().join("pgo").join(cpu);
    let (raw, merged) = (folder.join("raw"), folder.join("merged.profdata"));
    // Counts of an older program would be believed.
    let _ = fs::remove_dir_all(&raw);
    fs::create_dir_all(&raw).map_err(|error| format!("{}: {error}", raw.display()))?;
    let watched = compile(cpu, features, &folder.join("watched"), &format!("-Cprofile-generate={}", raw.display()))?;
    day_of_work(&watched, &folder.join("work"))?;
    let mut merge = command(profdata);
    run_quietly(merge.arg("merge").arg("-o").arg(&merged).arg(&raw))?;
    compile(cpu, features, &folder.join("guided"), &format!("-Cprofile-use={}", merged.display()))
}

fn compile(cpu: &str, features: &[&str], folder: &Path, flag: &str) -> Result<PathBuf> {
    let mut build = cargo();
    build.args(["build", "--release", "--package", "rukh"]).args(features);
    build.env("RUSTFLAGS", format!("-Ctarget-cpu={cpu} {flag}")).env("CARGO_TARGET_DIR", folder);
    build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    shell::run(&mut build)?;
    Ok(folder.join("release").join(PROGRAM))
}

/// What people do with the program, in the proportions of what should be fast: what is never seen here is taken for cold.
fn day_of_work(rukh: &Path, folder: &Path) -> Result {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let work = |words: &[&str]| {
        let mut rukh = command(rukh);
        run_quietly(rukh.args(words).current_dir(folder))
    };
    work(&["bench"])?;
    work(&["bench", "10", "--classical"])?;
    work(&["perft", "5"])?;
    work(&["perft", "4", "--variant", "makruk"])?;
    // Games to read: its own, forty times over.
    let engine = format!("cmd={}", rukh.display());
    let (a, b) = (format!("{engine} name=a"), format!("{engine} name=b"));
    let few = ["--each", "option.Hash=1", "--nodes", "300", "--games", "40", "--pgn", "few.pgn"];
    work(&[&["match", "--engine", &a, "--engine", &b][..], &few].concat())?;
    let few = fs::read(folder.join("few.pgn")).map_err(|error| format!("few.pgn: {error}"))?;
    fs::write(folder.join("many.pgn"), few.repeat(40)).map_err(|error| format!("many.pgn: {error}"))?;
    work(&["pgn", "clean", "many.pgn", "--out", "clean.pgn"])?;
    work(&["code", "stats", "few.pgn"])?;
    work(&["db", "import", "--db", "db", "many.pgn"])
}

/// The compiler's own `llvm-profdata`.
fn profdata() -> Option<PathBuf> {
    let (root, _) = capture(command("rustc").args(["--print", "sysroot"])).ok()?;
    let (host, _) = capture(command("rustc").args(["-vV"])).ok()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "))?;
    let bin = Path::new(root.trim()).join("lib/rustlib").join(host).join("bin");
    let tool = bin.join(if cfg!(windows) { "llvm-profdata.exe" } else { "llvm-profdata" });
    tool.is_file().then_some(tool)
}

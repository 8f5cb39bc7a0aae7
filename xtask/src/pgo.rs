//! Profile-guided builds: the compiler sees what the program does most before it decides what to inline and where to put it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Result, capture, cargo, command, run_quietly, target_dir};
use crate::{gate, prepare};

/// `cargo xtask build [--pgo]`: the release program for this machine.
pub fn run(words: &[String]) -> Result {
    let built = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            shell::run(cargo().args(["build", "--release", "--package", "rukh"]))?;
            target_dir().join("release").join(PROGRAM)
        }
        ["--pgo"] => {
            let (mut build, built) = native(&Profile::make("native", native)?.flag());
            shell::run(&mut build)?;
            built
        }
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

/// What compiles the program for this machine, and where it will be.
fn native(flags: &str) -> (Command, PathBuf) {
    let folder = target_dir().join("pgo/build");
    let mut build = cargo();
    build.args(["build", "--release", "--package", "rukh"]);
    build.env("RUSTFLAGS", format!("-Ctarget-cpu=native {flags}")).env("CARGO_TARGET_DIR", &folder);
    build.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    (build, folder.join("release").join(PROGRAM))
}

/// A program that counts need not be optimised as a whole: counting comes before. (Cargo's own settings would give its functions other names, under which
/// the compiler would not find them again.) `watched` lets it use the vector instructions that it is told.
const WATCHED: &str = "-Clto=off -Clinker-plugin-lto=no --cfg watched";

/// Where a program's time goes, for the compiler.
pub struct Profile(PathBuf);

impl Profile {
    /// Builds `rukh` so that it counts, and has it do a day's work with every kind of vector instructions that this machine has.
    /// `builder` gives the command that compiles the program with more flags, and where it will be.
    pub fn make(name: &str, builder: impl Fn(&str) -> (Command, PathBuf)) -> Result<Profile> {
        if let Some(why) = missing() {
            return Err(format!("no profile-guided build: {why}"));
        }
        let profdata = profdata().ok_or("no llvm-profdata")?;
        let folder = target_dir().join("pgo").join(name);
        let (raw, merged) = (folder.join("raw"), folder.join("merged.profdata"));
        // Counts of an older program would be believed.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&raw).map_err(|error| format!("{}: {error}", raw.display()))?;
        let (mut build, watched) = builder(&format!("-Cprofile-generate={} {WATCHED}", raw.display()));
        shell::run(&mut build)?;
        day_of_work(&watched, &folder.join("work"))?;
        let mut merge = command(profdata);
        run_quietly(merge.arg("merge").arg("-o").arg(&merged).arg(&raw))?;
        Ok(Profile(merged))
    }

    /// The compiler's flag.
    pub fn flag(&self) -> String {
        format!("-Cprofile-use={}", self.0.display())
    }
}

/// What people do with the program, in the proportions of what should be fast: what is never seen here is taken for cold.
fn day_of_work(rukh: &Path, folder: &Path) -> Result {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let with_kernel = |number: usize, words: &[&str]| {
        let mut rukh = command(rukh);
        run_quietly(rukh.args(words).env("RUKH_KERNEL", number.to_string()).current_dir(folder))
    };
    let work = |words: &[&str]| with_kernel(0, words);
    // Vector instructions are chosen when the program starts. Those that this machine would not choose are what others will: unseen, they would be
    // taken for cold and compiled for size.
    let kernels = match (gate::cpu_has_v4(), gate::cpu_has_v3()) {
        (true, _) => 3,
        (false, true) => 2,
        _ => 1,
    };
    (0..kernels).try_for_each(|number| with_kernel(number, &["bench"]))?;
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
    // Position codes have one more, for the matrix unit, where there is one.
    (0..=kernels).try_for_each(|number| with_kernel(number, &["code", "stats", "few.pgn"]))?;
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

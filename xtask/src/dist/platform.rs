//! The kinds of machines that the program is built for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Result, capture, cargo, command, target_dir};
use crate::{gate, pgo, prepare};

/// One kind of machine.
pub struct Platform {
    /// As in the names of the archives.
    pub name: &'static str,
    /// The compiler's name for it, `None` for the machine that builds.
    target: Option<&'static str>,
    /// The least processor.
    cpu: &'static str,
    /// The linker of another system, with its C compiler, and Debian's package for it.
    tools: Option<(&'static str, &'static str)>,
    /// What runs its programs here.
    runner: &'static [&'static str],
}

/// How much work a build may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// As for handing out: all optimisation, guided by a profile where this machine can make one.
    Full,
    /// To try out the packing.
    Quick,
}

/// All of them. (Those for Linux run on glibc 2.36 or later, the static one everywhere.)
pub const PLATFORMS: &[Platform] = &[
    Platform { name: "linux-x86-64-v2", target: None, cpu: "x86-64-v2", tools: None, runner: &[] },
    Platform { name: "linux-x86-64-v3", target: None, cpu: "x86-64-v3", tools: None, runner: &[] },
    Platform { name: "linux-x86-64-v4", target: None, cpu: "x86-64-v4", tools: None, runner: &[] },
    Platform {
        name: "linux-x86-64-static",
        target: Some("x86_64-unknown-linux-musl"),
        cpu: "x86-64-v2",
        tools: Some(("musl-gcc", "musl-tools")),
        runner: &[],
    },
    Platform {
        name: "linux-arm64",
        target: Some("aarch64-unknown-linux-gnu"),
        cpu: "generic",
        tools: Some(("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")),
        runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
    },
    Platform {
        name: "windows-x86-64-v2",
        target: Some("x86_64-pc-windows-gnu"),
        cpu: "x86-64-v2",
        tools: Some(("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")),
        runner: &["wine"],
    },
];

impl Platform {
    /// Whether its programs end in `.exe`.
    pub fn is_windows(&self) -> bool {
        self.name.starts_with("windows")
    }

    /// The compiler's name for it, if it is not that of this machine.
    pub fn target(&self) -> Option<&'static str> {
        self.target
    }

    /// Why it cannot be built here, if so; what can be had is installed first.
    pub fn missing(&self) -> Option<String> {
        if self.target.is_none() && !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Some("is built on Linux on such a processor".into());
        }
        if let Some(target) = self.target
            && !prepare::rustup_target(target)
        {
            return Some(format!("no {target} by rustup"));
        }
        let (program, package) = self.tools?;
        (!prepare::program(program, package)).then(|| format!("no {program} (Debian: {package})"))
    }

    /// Builds the program and makes sure that it can count.
    pub fn build(&self, effort: Effort) -> Result<PathBuf> {
        let program = if effort == Effort::Full && self.is_at_home() && pgo::missing().is_none() {
            pgo::build(self.cpu, &FEATURES)?
        } else {
            self.compile(effort)?
        };
        match self.start(&program, &["perft", "5"]) {
            None => eprintln!("{}: cannot be tried out on this machine", self.name),
            Some(said) if said.as_ref().is_ok_and(|said| said.lines().last().map(str::trim) == Some("4865609")) => {}
            Some(said) => return Err(format!("{}: perft 5 says {said:?}", self.name)),
        }
        Ok(program)
    }

    /// What the program says to `words`, or nothing if this machine cannot run it.
    pub fn start(&self, program: &Path, words: &[&str]) -> Option<Result<String>> {
        let mut start = match self.runner {
            [] if !self.is_at_home() && self.cpu != "x86-64-v2" => return None,
            [] => command(program),
            [runner, rest @ ..] => {
                shell::which(runner)?;
                if self.is_windows()
                    && let Err(why) = random_for_wine(program)
                {
                    return Some(Err(why));
                }
                let mut start = command(runner);
                start.args(rest).arg(program);
                start
            }
        };
        Some(capture(start.args(words)).map(|(said, _)| said))
    }

    /// Whether this machine is of the kind, so that a profile can be made.
    fn is_at_home(&self) -> bool {
        self.target.is_none()
            && match self.cpu {
                "x86-64-v3" => gate::cpu_has_v3(),
                "x86-64-v4" => gate::cpu_has_v4(),
                _ => true,
            }
    }

    fn compile(&self, effort: Effort) -> Result<PathBuf> {
        let profile = if effort == Effort::Full { "release" } else { "quick" };
        let folder = target_dir().join("platforms").join(self.name);
        let mut build = cargo();
        build.args(["build", "--profile", profile, "--package", "rukh"]).args(FEATURES);
        let mut flags = format!("-Ctarget-cpu={}", self.cpu);
        if self.target.is_some_and(|target| target.ends_with("-musl")) {
            // Debian's musl-gcc makes a program of a position-independent one that asks for a loader and crashes at once.
            flags += " -Crelocation-model=static";
        }
        build.env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", flags);
        build.env(format!("CARGO_PROFILE_{}_STRIP", profile.to_uppercase()), "symbols");
        let mut place = folder;
        if let (Some(target), Some((linker, _))) = (self.target, self.tools) {
            tools_for(&mut build, target, linker);
            place = place.join(target);
        }
        shell::run(&mut build)?;
        Ok(place.join(profile).join(if self.is_windows() { "rukh.exe" } else { "rukh" }))
    }
}

/// What a program on somebody's disk has, beside the usual.
const FEATURES: [&str; 2] = ["--features", "parquet"];

/// Debian's Wine (8.0) lacks the library that every Rust program takes its random numbers from. This one stands in for it beside
/// the program while it is tried out; archives do not get it.
const RANDOM_FOR_WINE: &str = "#include <stddef.h>
unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int ProcessPrng(unsigned char *to, size_t n) { return SystemFunction036(to, (unsigned long)n); }
";

fn random_for_wine(program: &Path) -> Result {
    let (source, library) =
        (program.with_file_name("bcryptprimitives.c"), program.with_file_name("bcryptprimitives.dll"));
    if library.is_file() {
        return Ok(());
    }
    fs::write(&source, RANDOM_FOR_WINE).map_err(|error| format!("{}: {error}", source.display()))?;
    let mut gcc = command("x86_64-w64-mingw32-gcc");
    shell::run_quietly(gcc.args(["-shared", "-O2", "-o"]).arg(library).arg(source).arg("-ladvapi32"))
}

/// Linker and C compiler for another system.
fn tools_for(build: &mut Command, target: &str, linker: &str) {
    let name = target.replace('-', "_");
    build.args(["--target", target]);
    build.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), linker).env(format!("CC_{name}"), linker);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program for Windows that needs no more than any of Rust's, where there are tools and Wine.
    #[test]
    #[ignore = "long: starts Wine"]
    fn programs_for_windows_start_under_wine() {
        let windows = PLATFORMS.iter().find(|platform| platform.is_windows()).unwrap();
        if windows.runner.iter().chain(["x86_64-w64-mingw32-gcc"].iter()).any(|tool| shell::which(tool).is_none()) {
            eprintln!("skipped: no Wine or no mingw");
            return;
        }
        let folder = std::env::temp_dir().join(format!("rukh-xtask-wine-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (source, program) = (folder.join("a.rs"), folder.join("a.exe"));
        fs::write(&source, "fn main() { println!(\"{}\", std::collections::HashMap::from([(1, 2)])[&1]); }").unwrap();
        let mut rustc = command("rustc");
        rustc.args(["--target", "x86_64-pc-windows-gnu", "-Clinker=x86_64-w64-mingw32-gcc", "-o"]).arg(&program);
        if capture(rustc.arg(&source)).is_ok() {
            assert_eq!(windows.start(&program, &[]).unwrap().map(|said| said.trim().to_owned()), Ok("2".to_owned()));
        }
        let _ = fs::remove_dir_all(folder);
    }
}

//! The kinds of machines that the program is built for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::pgo::Profile;
use crate::shell::{self, Result, capture, cargo, command, target_dir};
use crate::{gate, prepare};

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

    /// What its program is called.
    pub fn program(&self) -> &'static str {
        if self.is_windows() { "rukh.exe" } else { "rukh" }
    }

    /// What its archive is called.
    pub fn archive(&self, version: &str) -> String {
        format!("rukh-{version}-{}.{}", self.name, if self.is_windows() { "zip" } else { "tar.gz" })
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

    /// The one whose profile guides it: itself where this machine can run it, otherwise the best below it. Another level's profile is second best, because
    /// the compiler throws away the counts of every function that the two compile differently: v4 by v3's loses the update of the network's first layer.
    pub fn model(&self) -> Option<&'static Platform> {
        let own = PLATFORMS.iter().position(|platform| platform.name == self.name && platform.target.is_none())?;
        PLATFORMS[..=own].iter().rev().find(|platform| platform.is_at_home())
    }

    /// Its profile, made by a program that counts.
    pub fn profile(&self) -> Result<Profile> {
        Profile::make(self.name, |flags| self.compiler("release", flags))
    }

    /// Builds the program, guided by a profile if there is one, and makes sure that it can count.
    pub fn build(&self, effort: Effort, profile: Option<&Profile>) -> Result<PathBuf> {
        let guide = profile.map(Profile::flag).unwrap_or_default();
        let (mut build, built) = self.compiler(if effort == Effort::Full { "release" } else { "quick" }, &guide);
        shell::run(&mut build)?;
        // The next one is built in the same place.
        let folder = target_dir().join("platforms/built").join(self.name);
        let program = folder.join(self.program());
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        fs::copy(&built, &program).map_err(|error| format!("{}: {error}", built.display()))?;
        match self.start(&program, &["perft", "5"]) {
            None => eprintln!("{}: cannot be tried out on this machine", self.name),
            Some(said) if said.as_ref().is_ok_and(|said| said.lines().last().map(str::trim) == Some("4865609")) => {}
            Some(said) => return Err(format!("{}: perft 5 says {said:?}", self.name)),
        }
        Ok(program)
    }

    /// What the program says to `words`, or nothing if this machine cannot run it.
    pub fn start(&self, program: &Path, words: &[&str]) -> Option<Result<String>> {
        let starter = self.starter(program)?;
        Some(starter.and_then(|mut start| capture(start.args(words)).map(|(said, _)| said)))
    }

    /// How the program is started here, or nothing if this machine cannot run it.
    pub fn starter(&self, program: &Path) -> Option<Result<Command>> {
        let [runner, rest @ ..] = self.runner else {
            return (self.is_at_home() || self.cpu == "x86-64-v2").then(|| Ok(command(program)));
        };
        let mut start = command(shell::which(runner)?);
        start.args(rest).arg(program);
        Some(if self.is_windows() { random_for_wine(program).map(|()| start) } else { Ok(start) })
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

    /// What compiles the program, and where it will be.
    fn compiler(&self, profile: &str, more: &str) -> (Command, PathBuf) {
        // One folder for all: what cargo itself has to run (build scripts, macros) is built once.
        let folder = target_dir().join("platforms");
        // Always by name: that is then for this machine, which need not have the instructions of the other one.
        let target = self.target.unwrap_or(HERE);
        let mut build = cargo();
        build.args(["build", "--profile", profile, "--package", "rukh", "--target", target]).args(FEATURES);
        let mut flags = format!("{} {more}", shell::flags_for_cpu(self.cpu));
        if target.ends_with("-musl") {
            // Debian's musl-gcc makes a program of a position-independent one that asks for a loader and crashes at once.
            flags += " -Crelocation-model=static";
        }
        build.env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", flags);
        build.env(format!("CARGO_PROFILE_{}_STRIP", profile.to_uppercase()), "symbols");
        if let Some((linker, _)) = self.tools {
            tools_for(&mut build, target, linker);
        }
        (build, folder.join(target).join(profile).join(self.program()))
    }
}

/// The compiler's name for the machines of which no other is told.
const HERE: &str = "x86_64-unknown-linux-gnu";

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
    build.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), linker).env(format!("CC_{name}"), linker);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a target, flags for AVX-512 went into build scripts too, and those crashed where there is none.
    #[test]
    fn build_scripts_are_for_this_machine() {
        for platform in PLATFORMS {
            let (build, program) = platform.compiler("release", "");
            let words: Vec<_> = build.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
            let at = words.iter().position(|word| word == "--target").unwrap_or_else(|| panic!("{}", platform.name));
            assert!(
                program.ends_with(Path::new(&words[at + 1]).join("release").join(platform.program())),
                "{program:?}"
            );
        }
    }

    #[test]
    fn a_level_has_its_own_profile_or_the_best_below() {
        let model = |name: &str| {
            let platform = PLATFORMS.iter().find(|platform| platform.name == name).unwrap();
            platform.model().map(|model| model.name)
        };
        let v2 = "linux-x86-64-v2";
        let v3 = if gate::cpu_has_v3() { "linux-x86-64-v3" } else { v2 };
        let v4 = if gate::cpu_has_v4() { "linux-x86-64-v4" } else { v3 };
        assert_eq!([v2, "linux-x86-64-v3", "linux-x86-64-v4"].map(model), [Some(v2), Some(v3), Some(v4)]);
        assert_eq!(
            (model("linux-x86-64-static"), model("linux-arm64"), model("windows-x86-64-v2")),
            (None, None, None)
        );
    }

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

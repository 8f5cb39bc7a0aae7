//! Running other programs.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What a task returns: nothing, or a message for the user.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The workspace root, wherever `cargo xtask` was called.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// A command that runs in the workspace root.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs us, so that a toolchain chosen by the user stays chosen.
pub fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // Variables of the outer `cargo run` would confuse build scripts of the inner one.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME", "CARGO_PKG_VERSION", "OUT_DIR"] {
        cargo.env_remove(name);
    }
    if FRESH.load(Relaxed) {
        cargo.env("CARGO_INCREMENTAL", "0").env("CARGO_PROFILE_DEV_CODEGEN_UNITS", "1");
    }
    cargo
}

/// All tests but those in the documentation. Examples are left to clippy: to build them takes minutes and proves nothing more.
/// (`--lib` and `--bins` would also build what says `test = false`: the program, the Python module and the benchmarks once more.)
pub const TESTS: [&str; 3] = ["test", "--workspace", "--tests"];

/// Whether there is nothing to build upon.
static FRESH: AtomicBool = AtomicBool::new(false);

/// Where nobody has built our crates yet, has [`cargo`] leave out what only the next build of a changed crate could use, an
/// eighth of the work, and compile each crate in one piece, which saves a fifth. Where somebody has, his builds are shared.
pub fn look_for_earlier_builds() {
    let earlier = std::fs::read_dir(target_dir().join("debug/incremental"))
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("rukh")));
    FRESH.store(!earlier && std::env::var_os("CARGO_INCREMENTAL").is_none(), Relaxed);
}

/// Builds the assertion-checked program, the very one that the tests use, and returns its path. With `--package rukh` instead
/// of the workspace cargo would choose other features, and compile every crate of ours once more.
pub fn checked_rukh() -> Result<PathBuf> {
    run(&mut checked_build())?;
    Ok(target_dir().join("debug/rukh"))
}

/// What builds it.
pub fn checked_build() -> Command {
    let mut cargo = cargo();
    cargo.args(["build", "--workspace", "--bin", "rukh", "--quiet"]);
    cargo
}

/// The compiler's flags for a processor. For `x86-64-v2` it would tune for a machine of 2011, on which it pays to halve every load and store of 32 bytes:
/// also in the functions for AVX2, which are chosen at run time on newer machines and take longer for it. So the same instructions by name, tuned for
/// any machine.
pub fn flags_for_cpu(cpu: &str) -> String {
    match cpu {
        "x86-64-v2" => "-Ctarget-cpu=x86-64 -Ctarget-feature=+cmpxchg16b,+popcnt,+sse3,+ssse3,+sse4.1,+sse4.2".into(),
        _ => format!("-Ctarget-cpu={cpu}"),
    }
}

/// A cargo that builds for another x86-64 level than this machine's, in a target folder of its own.
pub fn cargo_for_cpu(cpu: &str) -> Command {
    let mut cargo = cargo();
    cargo.env("RUSTFLAGS", flags_for_cpu(cpu)).env("CARGO_TARGET_DIR", target_dir_for_cpu(cpu));
    cargo
}

/// Where [`cargo_for_cpu`] puts its output.
pub fn target_dir_for_cpu(cpu: &str) -> PathBuf {
    target_dir().join(cpu)
}

/// The workspace's target folder.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Runs a command with its output shown; an error names it.
pub fn run(command: &mut Command) -> Result {
    let shown = show(command);
    eprintln!("$ {shown}");
    let status = command.status().map_err(|error| format!("cannot start '{shown}': {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("'{shown}' failed ({status})")) }
}

/// Runs a command and hands each line of its standard output to `line` as well as showing it.
pub fn run_lines(command: &mut Command, mut line: impl FnMut(&str)) -> Result {
    let shown = show(command);
    eprintln!("$ {shown}");
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| format!("cannot start '{shown}': {error}"))?;
    let stdout = child.stdout.take().expect("stdout is piped");
    for text in BufReader::new(stdout).split(b'\n') {
        let text = text.map_err(|error| format!("cannot read the output of '{shown}': {error}"))?;
        let text = String::from_utf8_lossy(&text);
        println!("{text}");
        line(&text);
    }
    let status = child.wait().map_err(|error| format!("'{shown}': {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("'{shown}' failed ({status})")) }
}

/// Runs a command silently and returns (stdout, stderr).
pub fn capture(command: &mut Command) -> Result<(String, String)> {
    let shown = show(command);
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start '{shown}': {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() {
        Ok((stdout, stderr))
    } else {
        Err(format!("'{shown}' failed ({}): {}", output.status, stderr.trim()))
    }
}

/// Runs a command that says more than anyone wants to read; an error comes with what it said.
pub fn run_quietly(command: &mut Command) -> Result {
    eprintln!("$ {}", show(command));
    capture(command).map(drop)
}

/// The path of a program, also in Debian's games folder, which is not always in `PATH`.
pub fn which(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/games")])
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// A command line as one would type it, with paths relative to the workspace.
fn show(command: &Command) -> String {
    let root = root();
    let mut words: Vec<String> = ["RUSTFLAGS", "RUSTDOCFLAGS"]
        .iter()
        .filter_map(|name| {
            let value = command.get_envs().find(|(key, _)| key == name)?.1?;
            Some(format!("{name}='{}'", value.to_string_lossy()))
        })
        .collect();
    let program = Path::new(command.get_program());
    let program = match program.strip_prefix(&root) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    words.push(program);
    words.extend(command.get_args().map(|word| {
        let word = word.to_string_lossy();
        let word = word.strip_prefix(&format!("{}/", root.display())).unwrap_or(&word).to_owned();
        if word.contains(' ') { format!("'{word}'") } else { word }
    }));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The features that are named are those of the level, as the compiler knows them (but for one that it does not let us name).
    #[test]
    fn flags_are_those_of_the_level() {
        let features = |flags: &str| {
            let mut rustc = command("rustc");
            rustc.args(["--print=cfg", "--target=x86_64-unknown-linux-gnu"]).args(flags.split(' '));
            let (said, _) = capture(&mut rustc).unwrap();
            said.lines().filter(|line| line.starts_with("target_feature")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(features(&flags_for_cpu("x86-64-v2")), features("-Ctarget-cpu=x86-64-v2"));
        assert_eq!(flags_for_cpu("x86-64-v3"), "-Ctarget-cpu=x86-64-v3");
    }
}

//! The Python package: `cargo xtask python`, and its short form in `cargo xtask test`.

use std::path::{Path, PathBuf};

use crate::dist;
use crate::report::Outcome;
use crate::shell::{
    Result, capture, cargo, command, flags_for_cpu, root, run, run_quietly, target_dir, target_dir_for_cpu, which,
};

/// Every x86-64 processor of the last fifteen years; wheels are not made for one machine.
const CPU: &str = "x86-64-v2";
/// What the tests use beside numpy, which the wheel itself asks for.
const EXTRAS: [&str; 6] = ["pyarrow", "polars", "pandas", "duckdb", "chess", "mypy"];

/// Builds the wheel, installs it in a fresh virtual environment and tests it there.
pub fn run_task(words: &[String]) -> Result {
    let release = words.iter().any(|word| word == "--release");
    let bench = words.iter().any(|word| word == "--bench");
    if let Some(other) = words.iter().find(|word| !["--release", "--bench"].contains(&word.as_str())) {
        return Err(format!("python: unknown argument '{other}' (--release, --bench)"));
    }
    let wheel = wheel(release)?;
    let fresh = venv(&python3()?, &target_dir().join("python/fresh"), true)?;
    pip(&fresh, &[&wheel.to_string_lossy()]).map_err(|why| format!("python: the wheel cannot be installed: {why}"))?;
    // One by one: what is not to be had is not tested, and the tests say so.
    for extra in EXTRAS {
        if let Err(why) = pip(&fresh, &[extra]) {
            eprintln!("without {extra}: {}", why.lines().last().unwrap_or_default());
        }
    }
    test(&fresh, None)?;
    if bench {
        run(command(&fresh).arg("crates/python/bench.py").current_dir(root()))?;
    }
    println!("{} is built, installed and tested", wheel.display());
    Ok(())
}

/// The wheel in its fresh environment, as `cargo xtask python` tests it.
pub fn whole() -> Result<Outcome> {
    if python3().is_err() {
        return Ok(Outcome::Skipped("no python3".into()));
    }
    run_task(&[])?;
    Ok(Outcome::Ok("built, installed and tested".into()))
}

/// The notebook of docs/notebook, executed with the wheel that was built last.
pub fn notebook() -> Result<Outcome> {
    match installed("notebook", "polars,duckdb", &["matplotlib", "nbclient", "ipykernel"]) {
        Ok(python) => {
            let (said, _) = capture(command(&python).args(["docs/notebook/make.py", "--check"]).current_dir(root()))?;
            Ok(Outcome::Ok(said.trim().to_owned()))
        }
        Err(why) => Ok(Outcome::Skipped(why)),
    }
}

/// The Python of an environment with the wheel that was built last, its extras and other packages.
pub fn installed(name: &str, extras: &str, packages: &[&str]) -> Result<PathBuf> {
    let wheel = wheel_in(&target_dir().join("python/wheels"))?;
    let python = venv(&python3()?, &target_dir().join("python").join(name), false)?;
    let with_extras = format!("{}[{extras}]", wheel.display());
    pip(&python, &[&[with_extras.as_str()], packages].concat())?;
    // The same version may be another build.
    pip(&python, &["--force-reinstall", "--no-deps", &wheel.to_string_lossy()])?;
    Ok(python)
}

fn python3() -> Result<PathBuf> {
    which("python3").ok_or_else(|| "python: no python3 here (3.9 or later, with venv)".into())
}

/// Builds the wheel and returns its path.
pub fn wheel(release: bool) -> Result<PathBuf> {
    let base = python3()?;
    let folder = target_dir().join("python");
    let tools = venv(&base, &folder.join("tools"), false)?;
    if !beside(&tools, "maturin").is_file() {
        pip(&tools, &["maturin>=1.7,<2"]).map_err(|why| format!("python: maturin cannot be installed: {why}"))?;
    }
    let wheels = folder.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    // By this name maturin takes it along.
    let licences = root().join("crates/python/LICENSE-THIRD-PARTY.txt");
    dist::parts::write_licences("rukh-python", "parquet", None, &licences)?;
    let mut maturin = command(beside(&tools, "maturin"));
    maturin
        .args(["build", "--manifest-path", "crates/python/Cargo.toml", "--out"])
        .arg(&wheels)
        .args(["--profile", if release { "release" } else { "quick" }]);
    if cfg!(target_arch = "x86_64") {
        maturin.env("RUSTFLAGS", flags_for_cpu(CPU)).env("CARGO_TARGET_DIR", target_dir_for_cpu(CPU));
    }
    run(&mut maturin)?;
    wheel_in(&wheels)
}

/// The package as the workspace builds it, without wheel and environment: what `cargo xtask test` can afford.
pub fn check() -> Result<Outcome> {
    let pythons = [which("python3"), Some(PathBuf::from("/usr/bin/python3"))];
    let fit = |python: &PathBuf| {
        capture(command(python).args(["-c", "import sys, numpy; sys.exit(sys.version_info < (3, 9))"])).is_ok()
    };
    let Some(python) = pythons.into_iter().flatten().find(fit) else {
        return Ok(Outcome::Skipped("no Python 3.9 or later with numpy".into()));
    };
    // With the whole workspace: for this package alone cargo would choose other features and compile every crate once more.
    run(cargo().args(["build", "--workspace", "--test", "wheel", "--quiet"]))?;
    let folder = target_dir().join("python/checked");
    let package = folder.join("rukh");
    let _ = std::fs::remove_dir_all(&folder);
    let failed = |error: std::io::Error| format!("{}: {error}", package.display());
    std::fs::create_dir_all(&package).map_err(failed)?;
    for entry in std::fs::read_dir(root().join("crates/python/python/rukh")).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            std::fs::copy(entry.path(), package.join(entry.file_name())).map_err(failed)?;
        }
    }
    let built = if cfg!(target_os = "macos") { "lib_rukh.dylib" } else { "lib_rukh.so" };
    std::fs::copy(target_dir().join("debug/deps").join(built), package.join("_rukh.abi3.so")).map_err(failed)?;
    let said = test(&python, Some(&folder))?;
    Ok(Outcome::Ok(format!("{said}; the wheel itself: cargo xtask python")))
}

/// Runs `crates/python/tests`, and says what the runner says last.
fn test(python: &Path, package: Option<&Path>) -> Result<String> {
    let mut tests = command(python);
    tests.args(["-W", "error::ResourceWarning", "-m", "unittest", "discover", "-s", "crates/python/tests"]);
    // What others have set would hide the package under test.
    tests.env_remove("PYTHONPATH").env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(folder) = package {
        tests.env("PYTHONPATH", folder);
    }
    let (_, said) = capture(&mut tests)?;
    eprint!("{said}");
    let ran = said.lines().find(|line| line.starts_with("Ran ")).unwrap_or("no test was run").to_owned();
    if ran.starts_with("Ran 0") || ran.starts_with("no ") {
        return Err(ran);
    }
    let skipped = said.lines().last().and_then(|line| line.strip_prefix("OK ")).unwrap_or_default();
    Ok(format!("{ran} {skipped}").trim_end().to_owned())
}

/// Makes a virtual environment and returns its Python.
fn venv(base: &Path, folder: &Path, anew: bool) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    if anew || !python.is_file() {
        let mut make = command(base);
        run_quietly(make.args(["-m", "venv", "--clear"]).arg(folder))
            .map_err(|why| format!("python: no virtual environment (Debian: python3-venv): {why}"))?;
    }
    Ok(python)
}

fn pip(python: &Path, what: &[&str]) -> Result {
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run_quietly(command(python).args(install).args(what))
}

fn beside(python: &Path, program: &str) -> PathBuf {
    python.with_file_name(program)
}

fn wheel_in(folder: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files = entries.flatten().map(|entry| entry.path());
    files.find(|path| path.extension().is_some_and(|end| end == "whl")).ok_or_else(|| "maturin made no wheel".into())
}

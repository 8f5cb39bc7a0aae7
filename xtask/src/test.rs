//! `cargo xtask test`: every check, in the order in which they fail fastest.

use std::process::Command;

use crate::report::{Outcome, Report};
use crate::shell::{self, Result, capture, cargo, cargo_for_cpu, command, run_lines, target_dir, target_dir_for_cpu};
use crate::{ahead, arm, dist, fuzz, gate, mutants, prepare, publish, python, rooms, scale, trainers, wasm, web};

/// Runs the checks; `--long` adds the slow proofs, `--only NAME` runs one step (again and again: several), slow or not.
pub fn run(words: &[String]) -> Result {
    let (mut long, mut only) = (false, Vec::new());
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--long" => long = true,
            "--only" => only.push(words.next().ok_or("test: --only wants the name of a step")?),
            other => return Err(format!("test: unknown argument '{other}' (--long, --only NAME)")),
        }
    }
    // Named steps are run as the long test runs them.
    let report = Report::of(&only);
    shell::look_for_earlier_builds();
    if only.is_empty() {
        std::thread::scope(|scope| {
            scope.spawn(ahead::fetch);
            scope.spawn(ahead::build);
            steps(&report, long);
        });
    } else {
        steps(&report, true);
    }
    report.finish()
}

fn steps(report: &Report<'_>, long: bool) {
    report.step("rooms", rooms::check);
    report.step("format", format);
    report.step("clippy", clippy);
    report.step("no_std", no_std);
    report.step("docs", docs);
    report.step("wasm32", wasm_check);
    report.step("engine for JavaScript", || engine_package(long));
    report.step("page", || web::test(long));
    // What is left is compiled and keeps one processor busy at a time.
    let counts = || {
        report.step("instructions per leaf", gate::check);
        report.step("bench signature", || signature(long));
        report.step("trainers", trainers::check);
        report.step("arm", || arm::check(long));
    };
    report.beside(counts, || {
        report.step("tests", || tests(long));
        report.step("python", python::check);
    });
    if long {
        report.step("wasm by both routes", wasm::routes_agree);
        report.step("crates", publish::test);
        report.step("archives on a bare machine", dist::install::test);
        report.step("container", dist::container::test);
        report.step("serde", serde);
        report.step("fuzz", fuzz::run);
        report.step("dependencies", mutants::dependencies);
        report.step("wheel", python::whole);
        report.step("joins", scale::joins);
        report.step("spark", scale::check);
        report.step("notebook", python::notebook);
    }
}

fn done(remark: impl Into<String>) -> Result<Outcome> {
    Ok(Outcome::Ok(remark.into()))
}

fn format() -> Result<Outcome> {
    if !prepare::component("rustfmt", "fmt") {
        return Ok(Outcome::Skipped("rustfmt is not installed".into()));
    }
    shell::run(cargo().args(["fmt", "--all", "--check"]))?;
    done("")
}

/// The features that no test is built with: what needs `tune` or `parquet` is looked at by clippy and rustdoc, what must be without it is compiled for
/// the tests.
const FEATURES: &str = "rukh/tune,rukh/parquet,rukh-python/parquet,rukh-core/serde,rukh-code/serde";

fn clippy() -> Result<Outcome> {
    if !prepare::component("clippy", "clippy") {
        return Ok(Outcome::Skipped("clippy is not installed".into()));
    }
    let words = ["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--quiet", "--", "-D", "warnings"];
    shell::run(cargo().args(words))?;
    done("no warnings")
}

/// A target without an operating system proves that `std` is not pulled in by the back door.
fn no_std() -> Result<Outcome> {
    const BARE: &str = "x86_64-unknown-none";
    let core = ["check", "--quiet", "--package", "rukh-core", "--no-default-features"];
    shell::run(cargo().args(core))?;
    if prepare::rustup_target(BARE) {
        shell::run(cargo().args(core).args(["--target", BARE]).env("RUSTFLAGS", ""))?;
        done(format!("rukh-core builds for {BARE}"))
    } else {
        done(format!("on this host only: no {BARE} target"))
    }
}

/// What the feature adds; the other tests are built without it.
fn serde() -> Result<Outcome> {
    for (room, filter) in [("rukh-core", "with_serde"), ("rukh-code", "with_serde")] {
        shell::run(cargo().args(["test", "--quiet", "--package", room, "--features", "serde", "--lib", filter]))?;
    }
    done("rukh-core, rukh-code")
}

fn wasm_check() -> Result<Outcome> {
    match wasm::toolchain("check") {
        Ok(mut cargo) => {
            shell::run(cargo.args(["--quiet", "--package", "rukh-core", "--no-default-features"]))?;
            done("rukh-core builds")
        }
        Err(why) => Ok(Outcome::Skipped(why)),
    }
}

/// The npm package, built by the first route that works (or the one in `RUKH_WASM_ROUTE`) and tested under Node.
fn engine_package(long: bool) -> Result<Outcome> {
    if let Some(why) = web::missing() {
        return Ok(Outcome::Skipped(why));
    }
    std::thread::scope(|scope| {
        scope.spawn(ahead::program);
        wasm::test_package(long)
    })?;
    done("built and tested")
}

fn docs() -> Result<Outcome> {
    let mut cargo = cargo();
    cargo
        .args(["doc", "--workspace", "--no-deps", "--features", FEATURES, "--quiet"])
        .env("RUSTDOCFLAGS", "-D warnings");
    // With clippy's compiler and clippy's arguments, the crates need not be checked once more.
    let sysroot = capture(command("rustc").args(["--print", "sysroot"])).map(|(path, _)| path).unwrap_or_default();
    let clippy = std::path::Path::new(sysroot.trim()).join("bin/clippy-driver");
    if clippy.is_file() {
        cargo.env("RUSTC_WORKSPACE_WRAPPER", clippy);
        cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    }
    shell::run(&mut cargo)?;
    done("no warnings")
}

/// Unit, integration and documentation tests. The dev profile is optimised but keeps every assertion.
fn tests(long: bool) -> Result<Outcome> {
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    let mut why = Ok(());
    for part in [&shell::TESTS[..], &["test", "--workspace", "--doc"]] {
        let mut cargo = cargo();
        cargo.args(part).arg("--no-fail-fast");
        if long {
            cargo.args(["--", "--include-ignored"]);
        }
        let outcome = run_lines(&mut cargo, |line| {
            // "test result: ok. 8 passed; 0 failed; 0 ignored; …"
            let Some(counts) = line.strip_prefix("test result: ") else { return };
            let count = |what: &str| {
                let before = counts.split(what).next().unwrap_or_default().trim_end();
                before.rsplit(' ').next().and_then(|number| number.parse::<u32>().ok()).unwrap_or(0)
            };
            passed += count("passed");
            failed += count("failed");
            ignored += count("ignored");
        });
        why = why.and(outcome);
    }
    let sum = format!("{passed} passed, {failed} failed, {ignored} ignored");
    why.map_err(|why| format!("{sum}; {why}"))?;
    done(sum)
}

/// `rukh bench` searches fixed positions to a fixed depth; its node count is the checksum of the engine. It must be the
/// same twice, in the assertion-checked build, and without PEXT; with the page's networks it must be that of the module.
/// Optimised builds are of the engine alone: servers and stores count no nodes, and take most of the time to compile.
fn signature(long: bool) -> Result<Outcome> {
    if let Some(mut cargo) = native_bench() {
        shell::run(&mut cargo)?;
    }
    let native = target_dir().join("release/examples/bench");
    let mut also = String::new();
    let mut runs = vec![("native", nodes_of(&mut command(&native))?), ("again", nodes_of(&mut command(&native))?)];
    runs.push(("checked", nodes_of(command(shell::checked_rukh()?).arg("bench"))?));
    if long {
        shell::run(cargo().args(["build", "--release", "--quiet", "--package", "rukh"]))?;
        runs.push(("whole program", nodes_of(command(target_dir().join("release/rukh")).arg("bench"))?));
    }
    if let Some(mut cargo) = portable_bench() {
        shell::run(&mut cargo)?;
        let program = target_dir_for_cpu(PORTABLE).join("release/examples/bench");
        runs.push(("portable", nodes_of(&mut command(program))?));
    }
    let script = wasm::package_dir().join("test/bench.mjs");
    if wasm::package_dir().join("dist/rukh.wasm").is_file() && shell::which("node").is_some() {
        // "-" is the usual depth.
        let (page, module) = (nodes_of(command(&native).args(["-", "page"]))?, nodes_of(command("node").arg(script))?);
        if page != module {
            return Err(format!("with the page's networks this program counts {page} nodes, the module {module}"));
        }
        also = format!("; {page} with the page's networks (native, WebAssembly)");
    }
    let nodes = runs[0].1;
    let names: Vec<&str> = runs.iter().map(|(name, _)| *name).collect();
    if runs.iter().all(|(_, other)| *other == nodes) {
        done(format!("{nodes} nodes ({}){also}", names.join(", ")))
    } else {
        Err(format!("the node counts differ: {runs:?}"))
    }
}

/// The oldest processors that archives are made for.
const PORTABLE: &str = "x86-64-v2";
const BENCH: [&str; 6] = ["build", "--release", "--quiet", "--package", "rukh-engine", "--example=bench"];

/// Builds the optimised bench for this machine.
pub fn native_bench() -> Option<Command> {
    let mut cargo = cargo();
    cargo.args(BENCH);
    Some(cargo)
}

/// Builds it for old processors.
pub fn portable_bench() -> Option<Command> {
    let mut cargo = cargo_for_cpu(PORTABLE);
    cargo.args(BENCH);
    cfg!(target_arch = "x86_64").then_some(cargo)
}

/// The node count that a bench ends with.
fn nodes_of(bench: &mut Command) -> Result<u64> {
    let (out, _) = capture(bench)?;
    crate::bench::search::nodes_and_nps(&out).map(|(nodes, _)| nodes).ok_or_else(|| {
        format!("the bench does not end with '<n> nodes <m> nps': {}", out.lines().last().unwrap_or_default())
    })
}

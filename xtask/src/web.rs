//! The page: built from `web/`, tested in Chromium.

use std::path::PathBuf;

use crate::report::Outcome;
use crate::shell::{self, Result, cargo, command, root, run_lines, target_dir, which};
use crate::{prepare, wasm};

fn folder() -> PathBuf {
    root().join("web")
}

/// The page's own program, from `node_modules`.
fn tool(name: &str) -> PathBuf {
    folder().join("node_modules/.bin").join(name)
}

/// Builds `web/dist`, with everything it needs: the packages, the engine's modules and their JavaScript.
pub fn build() -> Result {
    wasm::package()?;
    bundle()
}

/// Builds `web/dist` from a built engine package.
fn bundle() -> Result {
    shell::run(command(tool("tsc")).arg("--noEmit").current_dir(folder()))?;
    shell::run(command(tool("vite")).args(["build", "--logLevel", "warn"]).current_dir(folder()))
}

/// Why the page cannot be built here, if it cannot.
pub fn missing() -> Option<&'static str> {
    if which("node").is_none() || which("npm").is_none() { Some("node and npm are not installed") } else { None }
}

/// The browser tests. The engine's package must have been built.
pub fn test(long: bool) -> Result<Outcome> {
    if let Some(why) = missing() {
        return Ok(Outcome::Skipped(why.into()));
    }
    if !folder().join("engine/dist/rukh.wasm").is_file() {
        return Ok(Outcome::Skipped("the engine's package is not built".into()));
    }
    bundle()?;
    if !prepare::program("chromium", "chromium") {
        return Ok(Outcome::Skipped("Chromium is not installed".into()));
    }
    // The same build as the one the unit tests use; it packs the page that was just built.
    shell::run(cargo().args(["build", "--quiet", "--package", "rukh"]))?;
    let mut node = command("node");
    node.env("RUKH_BINARY", target_dir().join("debug/rukh"));
    node.args(["--test", "--test-reporter=tap", "--test-concurrency=1"])
        .args(wasm::test_files(&folder().join("test"))?);
    node.current_dir(folder());
    if long {
        node.env("RUKH_LONG", "1");
    }
    let (mut passed, mut skipped) = (0, 0);
    run_lines(&mut node, |line| {
        let count = |name: &str| line.strip_prefix(name).and_then(|number| number.trim().parse::<u32>().ok());
        passed = count("# pass").unwrap_or(passed);
        skipped = count("# skipped").unwrap_or(skipped);
    })?;
    Ok(Outcome::Ok(format!("{passed} passed, {skipped} skipped")))
}

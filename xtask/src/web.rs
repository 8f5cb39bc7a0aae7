//! The page: built from `web/`, tested in Chromium.

use std::path::PathBuf;
use std::process::Stdio;

use crate::report::Outcome;
use crate::shell::{self, Result, capture, command, root, run_lines};
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

/// The oldest Node that the page's tools and tests run on.
const NODE: (u32, u32) = (20, 19);

/// Why the page cannot be built here, if it cannot; what Debian has is installed first.
pub fn missing() -> Option<String> {
    let (major, minor) = NODE;
    let wanted = format!("Node {major}.{minor} or later with npm is needed (nodejs.org, or your system's packages)");
    if !prepare::program("node", "nodejs") || !prepare::program("npm", "npm") {
        return Some(format!("node or npm is not installed: {wanted}"));
    }
    let found = capture(command("node").arg("--version")).map(|(version, _)| version.trim().to_owned());
    match found {
        Ok(version) if node_version(&version).is_some_and(|found| found >= NODE) => None,
        Ok(version) => Some(format!("this is Node {version}: {wanted}")),
        Err(why) => Some(why),
    }
}

/// `v20.19.2` as major and minor.
fn node_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix('v')?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The browser tests. The engine's package must have been built.
pub fn test(long: bool) -> Result<Outcome> {
    if let Some(why) = missing() {
        return Ok(Outcome::Skipped(why));
    }
    if !folder().join("engine/dist/rukh.wasm").is_file() {
        return Ok(Outcome::Skipped("the engine's package is not built".into()));
    }
    shell::run(command(tool("prettier")).args(["--check", "--log-level", "warn", "."]).current_dir(folder()))?;
    let units = wasm::test_files(&folder().join("test/unit"))?;
    shell::run(
        command("node").args(["--import", "./test/unit/typescript.mjs", "--test"]).args(units).current_dir(folder()),
    )?;
    bundle()?;
    if !prepare::program("chromium", "chromium") {
        return Ok(Outcome::Skipped("Chromium is not installed".into()));
    }
    // It packs the page that was just built.
    let rukh = shell::checked_rukh()?;
    // A browser mostly waits: two at a time, and meanwhile the compiler goes on to the tests of the workspace. What it says
    // is said there.
    let ahead = shell::cargo().args(shell::TESTS).args(["--no-run", "--quiet"]).stderr(Stdio::null()).spawn();
    let mut node = command("node");
    node.env("RUKH_BINARY", rukh);
    node.args(["--test", "--test-reporter=tap", "--test-concurrency=2"])
        .args(wasm::test_files(&folder().join("test"))?);
    node.current_dir(folder());
    if long {
        node.env("RUKH_LONG", "1");
    }
    let (mut passed, mut skipped) = (0, 0);
    let tested = run_lines(&mut node, |line| {
        let count = |name: &str| line.strip_prefix(name).and_then(|number| number.trim().parse::<u32>().ok());
        passed = count("# pass").unwrap_or(passed);
        skipped = count("# skipped").unwrap_or(skipped);
    });
    let _ = ahead.and_then(|mut compiler| compiler.wait());
    tested?;
    Ok(Outcome::Ok(format!("{passed} passed, {skipped} skipped")))
}

#[cfg(test)]
mod tests {
    use super::{NODE, node_version};

    #[test]
    fn versions_of_node_are_compared_as_numbers() {
        assert_eq!(node_version("v20.19.2"), Some((20, 19)));
        assert!(node_version("v22.1.0") > Some(NODE) && node_version("v18.20.4") < Some(NODE));
        assert!(node_version("v20.9.0") < Some(NODE));
        assert_eq!(node_version("unknown"), None);
    }
}

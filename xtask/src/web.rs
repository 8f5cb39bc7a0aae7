//! The page: built from `web/`, tested in Chromium.

use std::path::{Path, PathBuf};
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
    let first = browse(&rukh, long, "2", &[]);
    let _ = ahead.and_then(|mut compiler| compiler.wait());
    let Browsed { passed, skipped, failed, result } = first;
    let sum = format!("{passed} passed, {skipped} skipped");
    // A browser on a busy machine is the one thing here that time can upset. A few tests that failed are asked once more, alone; what fails
    // twice has failed, and what does not is named in the summary: it waits for something in the wrong way.
    if result.is_ok() || failed.is_empty() || failed.len() > 3 {
        return result.map(|()| Outcome::Ok(sum));
    }
    let names = failed.join("; ");
    eprintln!("--- once more: {names}");
    let second = browse(&rukh, long, "1", &failed);
    second.result?;
    if second.passed as usize != failed.len() {
        return Err(format!("failed, and could not be run alone: {names}"));
    }
    Ok(Outcome::Ok(format!("{sum}; only at the second try: {names}")))
}

/// What the browser tests came to.
struct Browsed {
    passed: u32,
    skipped: u32,
    /// The tests that failed, by their names.
    failed: Vec<String>,
    result: Result,
}

/// Runs the browser tests, so many files at a time; those of some names only, if any are given.
fn browse(rukh: &Path, long: bool, files: &str, names: &[String]) -> Browsed {
    let mut browsed = Browsed { passed: 0, skipped: 0, failed: Vec::new(), result: Ok(()) };
    let tests = match wasm::test_files(&folder().join("test")) {
        Ok(tests) => tests,
        Err(why) => return Browsed { result: Err(why), ..browsed },
    };
    let mut node = command("node");
    node.env("RUKH_BINARY", rukh).args(["--test", "--test-reporter=tap"]).arg(format!("--test-concurrency={files}"));
    node.args(names.iter().map(|name| format!("--test-name-pattern=^{}$", literally(name)))).args(tests);
    node.current_dir(folder());
    if long {
        node.env("RUKH_LONG", "1");
    }
    browsed.result = run_lines(&mut node, |line| {
        let count = |name: &str| line.strip_prefix(name).and_then(|number| number.trim().parse::<u32>().ok());
        browsed.passed = count("# pass").unwrap_or(browsed.passed);
        browsed.skipped = count("# skipped").unwrap_or(browsed.skipped);
        browsed.failed.extend(failed_test(line));
    });
    browsed
}

/// The name of a test that a line of TAP calls failed.
fn failed_test(line: &str) -> Option<String> {
    let (number, name) = line.strip_prefix("not ok ")?.split_once(" - ")?;
    number.parse::<u32>().ok()?;
    // TAP writes a backslash before `#` and before itself.
    Some(name.replace("\\#", "#").replace("\\\\", "\\"))
}

/// A pattern that fits this text and nothing else.
fn literally(text: &str) -> String {
    text.chars().flat_map(|c| (c.is_ascii_punctuation()).then_some('\\').into_iter().chain([c])).collect()
}

#[cfg(test)]
mod tests {
    use super::{NODE, failed_test, literally, node_version};

    #[test]
    fn versions_of_node_are_compared_as_numbers() {
        assert_eq!(node_version("v20.19.2"), Some((20, 19)));
        assert!(node_version("v22.1.0") > Some(NODE) && node_version("v18.20.4") < Some(NODE));
        assert!(node_version("v20.9.0") < Some(NODE));
        assert_eq!(node_version("unknown"), None);
    }

    #[test]
    fn a_failed_test_is_asked_for_by_its_name() {
        let line = "not ok 74 - a broken PGN (1. e4) keeps the good \\# games";
        assert_eq!(failed_test(line).as_deref(), Some("a broken PGN (1. e4) keeps the good # games"));
        assert_eq!(failed_test("ok 74 - a broken PGN"), None);
        assert_eq!(failed_test("    not ok 1 - a part of a test"), None);
        assert_eq!(literally("a+b (c)"), "a\\+b \\(c\\)");
    }
}

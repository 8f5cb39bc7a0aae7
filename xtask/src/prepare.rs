//! Getting what is missing on a fresh machine. Every function returns whether the thing is there afterwards.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::shell::{capture, command, run, run_quietly, which};

/// Debian's tools lock each other out: one at a time.
static DEBIAN: Mutex<()> = Mutex::new(());
/// Half an installation looks like a whole one: whoever asks for a thing waits for those who are getting it.
static TURNS: Mutex<BTreeMap<String, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());

fn turn(thing: &str) -> Arc<Mutex<()>> {
    lock(&TURNS).entry(thing.to_owned()).or_default().clone()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes sure of rustup components such as `clippy`; without rustup they come with the toolchain or not at all.
pub fn component(name: &str, probe: &str) -> bool {
    if capture(command("cargo").args([probe, "--version"])).is_ok() {
        return true;
    }
    which("rustup").is_some() && run(command("rustup").args(["component", "add", name])).is_ok()
}

/// Makes sure of a rustup component that has no command, such as `rust-src`.
pub fn rustup_component(name: &str) -> bool {
    rustup("component", name)
}

/// Makes sure of a rustup target such as `wasm32-unknown-unknown`.
pub fn rustup_target(name: &str) -> bool {
    rustup("target", name)
}

/// Asks what is installed first: adding would ask the network every time.
fn rustup(kind: &str, name: &str) -> bool {
    if which("rustup").is_none() {
        return false;
    }
    let turn = turn("rustup");
    let _turn = lock(&turn);
    let installed = capture(command("rustup").args([kind, "list", "--installed"]));
    // Components are listed with the machine that they are for: `llvm-tools-x86_64-unknown-linux-gnu`.
    let is_it = |line: &str| {
        line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || kind == "component" && rest.starts_with('-'))
    };
    if installed.is_ok_and(|(list, _)| list.lines().any(|line| is_it(line.trim()))) {
        return true;
    }
    run(command("rustup").args([kind, "add", name])).is_ok()
}

/// Makes sure of the page's tools (`npm install` in `web`) and returns the TypeScript compiler.
pub fn typescript() -> Option<std::path::PathBuf> {
    let web = crate::shell::root().join("web");
    let tsc = web.join("node_modules/.bin/tsc");
    let turn = turn("the page's tools");
    let _turn = lock(&turn);
    // What was installed last is looked for too: an older folder has the compiler but not the rest.
    let installed = tsc.exists()
        && ["prettier", "rukh-engine", "ts-fsrs"].iter().all(|name| web.join("node_modules").join(name).exists());
    if !installed && which("npm").is_some() {
        // `install` keeps to the lock file too. `ci` would also insist on the packages of foreign systems, which a mirror
        // need not have.
        let install = ["install", "--no-save", "--no-audit", "--no-fund"];
        run_quietly(command("npm").args(install).current_dir(&web)).inspect_err(|why| eprintln!("{why}")).ok()?;
    }
    tsc.exists().then_some(tsc)
}

/// Makes sure of a program that Debian and its children ship in `package`.
pub fn program(name: &str, package: &str) -> bool {
    found_or_installed(&[package], || which(name)).is_some()
}

/// What `find` finds, with these Debian packages installed if it finds nothing.
pub fn found_or_installed<T>(packages: &[&str], find: impl Fn() -> Option<T>) -> Option<T> {
    let turn = turn(packages.first().copied().unwrap_or_default());
    let _turn = lock(&turn);
    find().or_else(|| install(packages).then(find).flatten())
}

/// Installs Debian packages, if this is such a system and we may.
fn install(names: &[&str]) -> bool {
    if which("apt-get").is_none() {
        return false;
    }
    let is_root = capture(command("id").arg("-u")).is_ok_and(|(id, _)| id.trim() == "0");
    let apt = |words: &[&str]| {
        let mut apt = if is_root {
            command("apt-get")
        } else {
            // Never ask for a password in the middle of a test run.
            let mut sudo = command("sudo");
            sudo.args(["-n", "apt-get"]);
            sudo
        };
        apt.env("DEBIAN_FRONTEND", "noninteractive").args(words);
        apt
    };
    let mut words = vec!["install", "--yes", "--quiet", "--no-install-recommends"];
    words.extend(names);
    let _debian = lock(&DEBIAN);
    // Quietly: it goes on while other steps are shown.
    let run = |words: &[&str]| run_quietly(&mut apt(words)).inspect_err(|why| eprintln!("{why}")).is_ok();
    run(&words) || (run(&["update", "--quiet"]) && run(&words))
}

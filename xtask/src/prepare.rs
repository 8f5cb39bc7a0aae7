//! Getting what is missing on a fresh machine. Every function returns whether the thing is there afterwards.

use crate::shell::{capture, command, run, which};

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
    let installed = capture(command("rustup").args([kind, "list", "--installed"]));
    if installed.is_ok_and(|(list, _)| list.lines().any(|line| line.trim() == name)) {
        return true;
    }
    run(command("rustup").args([kind, "add", name])).is_ok()
}

/// Makes sure of the page's tools (`npm install` in `web`) and returns the TypeScript compiler.
pub fn typescript() -> Option<std::path::PathBuf> {
    let web = crate::shell::root().join("web");
    let tsc = web.join("node_modules/.bin/tsc");
    if !tsc.exists() && which("npm").is_some() {
        // `install` keeps to the lock file too. `ci` would also insist on the packages of foreign systems, which a mirror
        // need not have.
        run(command("npm").args(["install", "--no-save", "--no-audit", "--no-fund"]).current_dir(&web)).ok()?;
    }
    tsc.exists().then_some(tsc)
}

/// Makes sure of a program that Debian and its children ship in `package`.
pub fn program(name: &str, package: &str) -> bool {
    which(name).is_some() || (packages(&[package]) && which(name).is_some())
}

/// Installs Debian packages, if this is such a system and we may.
pub fn packages(names: &[&str]) -> bool {
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
    run(&mut apt(&words)).is_ok() || (run(&mut apt(&["update", "--quiet"])).is_ok() && run(&mut apt(&words)).is_ok())
}

//! What later steps of a test run ask for, fetched and compiled while the earlier ones are at work.
//!
//! Downloads need no processor, and the crates of the workspace stand in a chain: a cold build of them leaves one processor of
//! two idle for minutes. Builds with a target folder of their own fill that gap, at a low priority. What fails here is tried
//! again, and reported, by the step that needs it.

use crate::shell::{self, capture, command, run_quietly};
use crate::{arm, gate, prepare, test, trainers, wasm};

/// Programs and packages.
pub fn fetch() {
    prepare::program("node", "nodejs");
    prepare::program("npm", "npm");
    prepare::typescript();
    prepare::program("chromium", "chromium");
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        prepare::program("valgrind", "valgrind");
    }
    if !cfg!(target_arch = "aarch64") {
        arm::tools();
    }
    trainers::python_with_torch();
}

/// Builds, in the order in which they are wanted.
pub fn build() {
    stand_back("10");
    let _ = wasm::modules();
    for build in [gate::build, arm::build, test::native_bench, test::portable_bench] {
        if let Some(mut cargo) = build() {
            let _ = run_quietly(&mut cargo);
        }
    }
}

/// The program that the browser tests start, while the engine is tested under Node, where one processor of two has nothing to do.
pub fn program() {
    stand_back("5");
    let _ = run_quietly(&mut shell::checked_build());
}

/// Lowers the priority of this thread and of all programs that it starts: on Linux each thread has its own.
fn stand_back(priority: &str) {
    if let Some(thread) = std::fs::read_link("/proc/thread-self").ok().as_deref().and_then(std::path::Path::file_name) {
        let _ = capture(command("renice").args(["-n", priority, "-p"]).arg(thread));
    }
}

//! What later steps of a test run ask for, fetched and compiled while the earlier ones are at work.
//!
//! Downloads need no processor, and the crates of the workspace stand in a chain: a cold build of them leaves one processor of
//! two idle for minutes. Builds with a target folder of their own fill that gap, at a low priority. What fails here is tried
//! again, and reported, by the step that needs it.

use crate::shell::{capture, command, run_quietly};
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
    stand_back();
    let _ = wasm::modules();
    for build in [gate::build, arm::build, test::native_bench, test::portable_bench] {
        if let Some(mut cargo) = build() {
            let _ = run_quietly(&mut cargo);
        }
    }
}

/// Lowers the priority of this thread and of all programs that it starts: on Linux each thread has its own.
fn stand_back() {
    if let Some(thread) = std::fs::read_link("/proc/thread-self").ok().as_deref().and_then(std::path::Path::file_name) {
        let _ = capture(command("renice").args(["-n", "10", "-p"]).arg(thread));
    }
}

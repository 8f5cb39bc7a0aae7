//! What the linker has to know: the size of the stack and, for the build with threads, the memory that they share.

/// A deep search needs more stack than the linker's default of one mebibyte.
const STACK: &str = "-zstack-size=8388608";

/// JavaScript puts a function into the module's table (`web/engine/src/relaxed.ts`).
const TABLE: [&str; 2] = ["--export-table", "--growable-table"];

/// Memory comes from JavaScript, so that workers can share it; `web/engine/src/threads.ts` knows the two sizes too. A new thread
/// gets its stack and its thread-local values through the exports.
const SHARED: [&str; 8] = [
    "--shared-memory", "--import-memory", "--initial-memory=33554432", "--max-memory=1073741824",
    "--export=__stack_pointer", "--export=__wasm_init_tls", "--export=__tls_size", "--export=__tls_align",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_FAMILY") != "wasm" {
        return;
    }
    for word in [STACK].iter().chain(&TABLE) {
        println!("cargo:rustc-cdylib-link-arg={word}");
    }
    if variable("CARGO_CFG_TARGET_FEATURE").split(',').any(|feature| feature == "atomics") {
        for word in SHARED {
            println!("cargo:rustc-cdylib-link-arg={word}");
        }
    }
}

//! The WebAssembly toolchain, by either of two routes: rustup's target, or Debian's packages with a standard library
//! built from source.

use std::process::Command;

use crate::prepare;
use crate::shell::{cargo, command, which};

/// The target of the browser build.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A cargo that can build for WebAssembly with the arguments it needs, or why there is none.
///
/// `RUKH_WASM_ROUTE=rustup` or `=debian` forces a route; otherwise the first that works is taken.
pub fn toolchain(task: &str) -> Result<Command, String> {
    let route = std::env::var("RUKH_WASM_ROUTE").unwrap_or_default();
    if matches!(route.as_str(), "" | "rustup") && prepare::rustup_target(TARGET) {
        let mut cargo = cargo();
        cargo.args([task, "--target", TARGET]);
        return Ok(cargo);
    }
    if matches!(route.as_str(), "" | "debian") && debian() {
        let mut cargo = command("/usr/bin/cargo");
        cargo
            .args([task, "--target", TARGET, "-Zbuild-std=std,panic_abort"])
            .env("RUSTC", "/usr/bin/rustc")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
            // Another compiler than the one of the main build: keep its output apart.
            .env("CARGO_TARGET_DIR", crate::shell::target_dir().join("debian"));
        for inherited in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC_WRAPPER"] {
            cargo.env_remove(inherited);
        }
        return Ok(cargo);
    }
    Err(format!("no toolchain for {TARGET}: neither rustup nor Debian's rustc-web could provide it"))
}

fn debian() -> bool {
    let present = || which("wasm-ld-19").is_some() && std::path::Path::new("/usr/bin/cargo").is_file();
    present() || (prepare::packages(&["rustc-web", "cargo-web", "rust-web-src", "lld-19"]) && present())
}

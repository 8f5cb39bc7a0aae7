//! A deep search needs more stack than the linker's default of one mebibyte.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo:rustc-cdylib-link-arg=-zstack-size=8388608");
    }
}

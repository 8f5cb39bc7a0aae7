//! Packs the networks for programs that are downloaded.

#[path = "src/nnue/pack.rs"]
mod pack;

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/nnue/pack.rs");
    let wasm = std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for name in ["chess-page", "makruk-page"] {
        let file = format!("src/nnue/{name}.nnue");
        println!("cargo:rerun-if-changed={file}");
        if wasm {
            let bytes = std::fs::read(&file).expect("the network can be read");
            let packed = pack::pack(&bytes).expect("the network has a first layer");
            std::fs::write(Path::new(&out).join(format!("{name}.packed")), packed)
                .expect("the build folder can be written");
        }
    }
}

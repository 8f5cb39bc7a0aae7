//! Data that may lie beside the checkout; tests that want it skip without it. The store's tests use this file, too.

use std::path::PathBuf;

pub fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {path:?} is not there");
    None
}

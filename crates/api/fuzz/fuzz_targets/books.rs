//! Any bytes as a book of any kind: moves that are legal where they are proposed, or an error.
#![no_main]

use rukh_core::{Chess, Position};
use rukh_fuzz::fuzz_target;
use rukh_store::book;

fuzz_target!(|bytes: &[u8]| {
    let start = Position::<Chess>::startpos();
    match book::from_bytes(bytes) {
        Ok(book) => {
            for found in book.probe(&start) {
                assert!(start.is_legal(found.mv), "{found:?}");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

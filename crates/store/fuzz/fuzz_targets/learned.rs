//! The learned table: any bytes, and a good table with a few bytes changed, give right rows or an error. The store under older
//! ones may panic on damage; that must end within the table.
#![no_main]

use std::sync::{Once, OnceLock};
use std::time::Duration;

use rukh_code::AnyCode;
use rukh_core::{Chess, Position};
use rukh_fuzz::fuzz_target;
use rukh_store::learn::{LearnStore, Learned};

/// A table of version 1, which has no checksums of its own: the hardest case.
const OLD: &[u8] = include_bytes!("../../tests/data/learned-v1.redb");

type Rows = Vec<(AnyCode, Learned)>;

fn rows(bytes: Vec<u8>) -> Option<Rows> {
    let store = LearnStore::<Chess>::from_bytes(bytes, 1 << 20).ok()?;
    let mut rows = Rows::new();
    store.each(|_, code, learned| rows.push((code, *learned))).ok()?;
    store.near(&Position::startpos(), 20, Duration::from_millis(5)).ok()?;
    Some(rows)
}

fuzz_target!(|bytes: &[u8]| {
    // libFuzzer takes every panic for a find, caught or not: here only those that come through count.
    static QUIET: Once = Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let whole = std::panic::catch_unwind(|| {
        static RIGHT: OnceLock<Rows> = OnceLock::new();
        rows(bytes.to_vec());
        // Three bytes: where, and what.
        let mut table = OLD.to_vec();
        for change in bytes.chunks_exact(3) {
            table[usize::from(u16::from_le_bytes([change[0], change[1]])) % OLD.len()] ^= change[2];
        }
        if let Some(found) = rows(table) {
            assert_eq!(&found, RIGHT.get_or_init(|| rows(OLD.to_vec()).unwrap_or_default()));
        }
    });
    if whole.is_err() {
        std::process::abort();
    }
});

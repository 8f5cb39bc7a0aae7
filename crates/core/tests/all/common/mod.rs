//! What several of the core's tests share.

pub mod suite;

use std::path::PathBuf;

/// A file of the data folder that may lie beside the checkout; tests that want it skip without it.
pub fn shared(path: &str) -> Option<String> {
    let full = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(path);
    let text = std::fs::read_to_string(full).ok();
    if text.is_none() {
        eprintln!("skipped: {path} is not beside the checkout");
    }
    text
}

/// The back rank of Chess960 start position `number` (0..960, 518 is chess), in Scharnagl's numbering.
pub fn back_rank(number: usize) -> [u8; 8] {
    assert!(number < 960);
    let mut rank = [b'.'; 8];
    let (number, light) = (number / 4, number % 4);
    rank[2 * light + 1] = b'B';
    let (number, dark) = (number / 4, number % 4);
    rank[2 * dark] = b'B';
    let (knights, queen) = (number / 6, number % 6);
    put_nth_free(&mut rank, queen, b'Q');
    // The two knights' places among the five free squares, in the order of the numbering.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let (first, second) = KNIGHTS[knights];
    put_nth_free(&mut rank, second, b'N');
    put_nth_free(&mut rank, first, b'N');
    for man in [b'R', b'K', b'R'] {
        put_nth_free(&mut rank, 0, man);
    }
    rank
}

fn put_nth_free(rank: &mut [u8; 8], nth: usize, man: u8) {
    let at = (0..8).filter(|&i| rank[i] == b'.').nth(nth).expect("a free square");
    rank[at] = man;
}

/// The FEN of Chess960 start position `number`.
pub fn chess960_start(number: usize) -> String {
    let white = String::from_utf8(back_rank(number).to_vec()).expect("letters");
    format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1", white.to_ascii_lowercase())
}

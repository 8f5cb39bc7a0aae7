//! The chess key is Polyglot's, bit for bit: the positions and keys published with the book format.

use rukh_core::{Chess, Color, Position};

const KEYS: [(&str, u64); 9] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
    ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_b944_61c5_0fb0),
    ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
    ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
    ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
    ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
];

#[test]
fn published_keys() {
    for (fen, key) in KEYS {
        assert_eq!(Position::<Chess>::from_fen(fen).expect("a legal position").key(), key, "{fen}");
    }
}

/// The same keys along the two games they come from, kept move by move.
#[test]
fn published_keys_by_moves() {
    let games: [(&[&str], &[usize]); 2] = [
        (&["e2e4", "d7d5", "e4e5", "f7f5", "e1e2", "e8f7"], &[1, 2, 3, 4, 5, 6]),
        (&["a2a4", "b7b5", "h2h4", "b5b4", "c2c4", "b4c3", "a1a3"], &[9, 9, 9, 9, 7, 9, 8]),
    ];
    for (moves, rows) in games {
        let mut position = Position::<Chess>::startpos();
        assert_eq!(position.key(), KEYS[0].1);
        for (name, &row) in moves.iter().zip(rows) {
            let m = position.parse_uci(name).expect("a legal move");
            position.make(m);
            if let Some((_, key)) = KEYS.get(row) {
                assert_eq!(position.key(), *key, "after {name}");
            }
        }
    }
}

/// Each of the smaller keys goes with its own pieces, and with no others.
#[test]
fn keys_of_some_pieces() {
    let keys = |fen: &str| {
        let pos = Position::<Chess>::from_fen(fen).unwrap();
        [pos.pawn_key(), pos.non_pawn_key(Color::White), pos.non_pawn_key(Color::Black), pos.minor_key()]
    };
    let before = keys("4k3/2n2r2/8/4p3/8/3P4/2N2R2/4K3 w - - 0 1");
    // Another place for one piece, and whether that changes the pawns, White's pieces, Black's pieces, the minor pieces and kings.
    for (what, fen, changed) in [
        ("white pawn", "4k3/2n2r2/8/4p3/3P4/8/2N2R2/4K3 w - - 0 1", [true, false, false, false]),
        ("black pawn", "4k3/2n2r2/4p3/8/8/3P4/2N2R2/4K3 w - - 0 1", [true, false, false, false]),
        ("white knight", "4k3/2n2r2/8/4p3/1N6/3P4/5R2/4K3 w - - 0 1", [false, true, false, true]),
        ("black knight", "4k3/5r2/8/1n2p3/8/3P4/2N2R2/4K3 w - - 0 1", [false, false, true, true]),
        ("white rook", "4k3/2n2r2/8/4p3/8/3P4/2N3R1/4K3 w - - 0 1", [false, true, false, false]),
        ("black rook", "4k3/2n3r1/8/4p3/8/3P4/2N2R2/4K3 w - - 0 1", [false, false, true, false]),
        ("white king", "4k3/2n2r2/8/4p3/8/3P4/2N2R2/3K4 w - - 0 1", [false, true, false, true]),
        ("black king", "3k4/2n2r2/8/4p3/8/3P4/2N2R2/4K3 w - - 0 1", [false, false, true, true]),
        ("nothing but the clock", "4k3/2n2r2/8/4p3/8/3P4/2N2R2/4K3 w - - 9 30", [false; 4]),
    ] {
        let after = keys(fen);
        assert_eq!([0, 1, 2, 3].map(|key| before[key] != after[key]), changed, "{what}");
    }
}

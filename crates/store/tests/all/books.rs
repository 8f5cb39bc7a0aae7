//! Books: writing, reading back, and files that are none.

use rukh_core::{Chess, Color, Makruk, Position, Rules, Variant};
use rukh_pgn::read_game;
use rukh_store::book::{self, Book, BookError, BookMaker, Entry, MakeOptions, decode_move, encode_move, write_entries};
use rukh_testing::NewFile;

fn made(options: MakeOptions) -> Vec<Entry> {
    let mut maker = BookMaker::new(options);
    for (text, times) in [
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 1-0", 3),
        ("1. e4 c5 2. Nf3 d6 1/2-1/2", 4),
        ("1. d4 d5 0-1", 5),
        ("1. c4 *", 9),
    ] {
        for _ in 0..times {
            maker.add(&read_game(text.as_bytes()).unwrap());
        }
    }
    maker.finish()
}

fn written(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_entries(entries, &mut bytes).unwrap();
    bytes
}

#[test]
fn weights_count_wins_twice_and_draws_once() {
    let book = book::from_bytes(&written(&made(MakeOptions::default()))).unwrap();
    let start = Position::<Chess>::startpos();
    let moves = book.probe(&start);
    // 1. e4: three wins and four draws; 1. d4 lost every game and 1. c4 has no result.
    assert_eq!(moves.iter().map(|m| (start.san(m.mv), m.weight)).collect::<Vec<_>>(), [("e4".into(), 10)]);
    let after = start.after(start.parse_san("d4").unwrap());
    assert_eq!(book.probe(&after)[0].weight, 10);
    let uniform = book::from_bytes(&written(&made(MakeOptions { uniform: true, ..MakeOptions::default() }))).unwrap();
    assert_eq!(uniform.probe(&start).iter().map(|m| m.weight).collect::<Vec<_>>(), [9, 7, 5]);
    let black = made(MakeOptions { color: Some(Color::Black), ..MakeOptions::default() });
    assert!(black.iter().all(|e| e.key != start.key()));
    let short = made(MakeOptions { plies: 1, ..MakeOptions::default() });
    assert_eq!(short.len(), 1);
}

#[test]
fn castling_is_written_as_king_takes_rook() {
    let pos = Position::<Chess>::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let short = pos.parse_san("O-O").unwrap();
    let long = pos.parse_san("O-O-O").unwrap();
    assert_eq!(encode_move(&pos, short), 7 | 4 << 6);
    assert_eq!(encode_move(&pos, long), 4 << 6);
    for mv in pos.legal_moves().iter() {
        assert_eq!(decode_move(&pos, encode_move(&pos, *mv)), Some(*mv));
    }
    // The other way of writing it is read too.
    assert_eq!(decode_move(&pos, 6 | 4 << 6), Some(short));
    assert_eq!(decode_move(&pos, 0xffff), None);
    let promotion = Position::<Chess>::from_fen("8/P6k/8/8/8/8/8/K7 w - - 0 1").unwrap();
    for mv in promotion.legal_moves().iter() {
        assert_eq!(decode_move(&promotion, encode_move(&promotion, *mv)), Some(*mv));
    }
}

#[test]
fn files_are_sorted_and_merged() {
    let e = |key, mv, weight| Entry { key, mv, weight, learn: 0 };
    let bytes = written(&[e(9, 1, 5), e(3, 1, 1), e(9, 2, 17), e(9, 1, 4), e(3, 1, u16::MAX)]);
    let book = Book::from_bytes(&bytes).unwrap();
    // By key; of a position the heaviest first.
    assert_eq!(book.entries().unwrap(), [e(3, 1, u16::MAX), e(9, 2, 17), e(9, 1, 9)]);
}

#[test]
fn choice_by_weight() {
    let start = Position::<Chess>::startpos();
    let e = |san: &str, weight| Entry {
        key: start.key(),
        mv: encode_move(&start, start.parse_san(san).unwrap()),
        weight,
        learn: 0,
    };
    let book = book::from_bytes(&written(&[e("e4", 3), e("d4", 1), e("a3", 0)])).unwrap();
    let mut counts = [0; 2];
    for i in 0..4000u64 {
        let random = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        match start.san(book.choose(&start, false, random).unwrap()).as_str() {
            "e4" => counts[0] += 1,
            "d4" => counts[1] += 1,
            other => panic!("{other}"),
        }
    }
    assert!((2950..3050).contains(&counts[0]), "{counts:?}");
    assert_eq!(start.san(book.choose(&start, true, 0).unwrap()), "e4");
    // Only weightless moves: none is chosen.
    assert_eq!(book::from_bytes(&written(&[e("a3", 0)])).unwrap().choose(&start, true, 0), None);
}

#[test]
fn a_book_on_disk_answers_as_one_in_memory() {
    let path = NewFile::new("book.bin");
    let bytes = written(&made(MakeOptions::default()));
    std::fs::write(&path, &bytes).unwrap();
    let disk = Book::on_disk(std::fs::File::open(&path).unwrap()).unwrap();
    let memory = Book::from_bytes(&bytes).unwrap();
    let mut pos = Position::<Chess>::startpos();
    while let Some(mv) = memory.choose(&pos, true, 0) {
        assert_eq!(disk.probe(&pos), memory.probe(&pos));
        pos = pos.after(mv);
    }
    assert!(disk.probe(&pos).is_empty());
}

#[test]
fn files_that_are_no_books() {
    let error = |bytes: &[u8]| book::from_bytes(bytes).err().unwrap();
    assert!(matches!(error(b""), BookError::UnknownFormat));
    assert!(matches!(error(b"e2e4"), BookError::UnknownFormat));
    assert!(matches!(error(b"\x03ABK"), BookError::Arena(_)));
    assert!(matches!(error(&[&[9u8; 16][..], &[1u8; 16][..]].concat()), BookError::Unsorted(1)));
    assert!(matches!(error(b"e2e4e7e5\ne2e5\n"), BookError::Line { line: 2, .. }));
    assert!(matches!(error(b"e2e4e7e5g1\n"), BookError::Line { line: 1, .. }));
    assert!(book::open("no such file".as_ref()).is_err());
    // Arena trees with links in a circle, outside the file, and with illegal moves.
    let mut arena = vec![0u8; 28 * 902];
    arena[..4].copy_from_slice(b"\x03ABK");
    let mut set = |index: usize, from: u8, to: u8, reply: i32, next: i32| {
        let r = &mut arena[index * 28..][..28];
        (r[0], r[1], r[3]) = (from, to, 5);
        r[20..24].copy_from_slice(&reply.to_le_bytes());
        r[24..].copy_from_slice(&next.to_le_bytes());
        arena.clone()
    };
    assert_eq!(book::from_bytes(&set(900, 12, 28, -1, -1)).unwrap().len(), 1);
    assert!(matches!(error(&set(900, 12, 28, -1, 900)), BookError::Arena(_)));
    assert!(matches!(error(&set(900, 12, 28, 5000, -1)), BookError::Arena(_)));
    assert!(matches!(error(&set(900, 12, 12, -1, -1)), BookError::Arena(_)));
}

#[test]
fn the_own_books_are_worth_having() {
    fn look<R: Rules>(variant: Variant) {
        let own = book::own(variant);
        let records = own.entries().unwrap();
        let positions = records.chunk_by(|a, b| a.key == b.key).count();
        assert!(positions > 2_000 && records.len() < 20_000, "{variant}: {positions}, {}", records.len());
        // Both sides by the book, many times: it must not end at once, and whoever follows it makes legal moves.
        let mut plies = 0;
        for number in 0..100u64 {
            let mut pos = Position::<R>::startpos();
            while let Some(mv) = own.choose(&pos, false, number.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
                assert!(pos.is_legal(mv));
                pos = pos.after(mv);
                plies += 1;
            }
        }
        assert!(plies >= 300, "{variant}: {plies} half-moves in 100 games");
    }
    look::<Chess>(Variant::Chess);
    look::<Makruk>(Variant::Makruk);
}

#[test]
fn a_book_of_makruk() {
    let mut maker = BookMaker::new(MakeOptions { min_games: 1, ..MakeOptions::default() });
    maker.add(&read_game(b"[Variant \"Makruk\"]\n\n1. d4 d5 1-0").unwrap());
    assert_eq!(maker.games(), 1);
    let book = book::from_bytes(&written(&maker.finish())).unwrap();
    let start = Position::<Makruk>::startpos();
    let known: Vec<_> = book.probe(&start).into_iter().map(|m| (start.san(m.mv), m.weight)).collect();
    assert_eq!(known, [("d4".to_owned(), 2)]);
    // The keys of the two games differ.
    assert!(book.probe(&Position::<Chess>::startpos()).is_empty());
    // A Bia that becomes a Met needs no letter.
    let near = Position::<Makruk>::from_fen("8/8/4k3/P7/8/8/4K3/8 w - - 0 1").unwrap();
    for mv in near.legal_moves().iter() {
        assert_eq!(decode_move(&near, encode_move(&near, *mv)), Some(*mv));
    }
}

#[test]
fn a_book_sifted_by_score_leaves_out_what_was_only_played_often() {
    let mut maker = BookMaker::new(MakeOptions { min_games: 2, within: Some(50), ..MakeOptions::default() });
    for (text, times) in [("1. a3 e5 0-1", 300), ("1. e4 e5 1-0", 200), ("1. d4 d5 1/2-1/2", 9)] {
        for _ in 0..times {
            maker.add(&read_game(text.as_bytes()).unwrap());
        }
    }
    let start = Position::<Chess>::startpos();
    let key = start.key();
    let kept: Vec<_> = maker.finish().iter().filter(|e| e.key == key).map(|e| decode_move(&start, e.mv)).collect();
    assert_eq!(kept, [start.parse_uci("e2e4").ok()]);
}

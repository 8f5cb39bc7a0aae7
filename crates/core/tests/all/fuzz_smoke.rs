//! Hostile input without a fuzzer: seeded mutations of good texts, and random boards. No reader may panic, and whatever
//! it accepts must be a position that both generators understand alike.
//!
//! The `fuzz` folder beside this one has the same checks as `cargo fuzz` targets.

use crate::common::{chess960_start, suite::STANDARD};
use rukh_core::rng::Rng;
use rukh_core::{Alphabet, Chess, Color, Epd, Makruk, Notation, Position, Rules};
use rukh_mailbox as mailbox;

const MAKRUK: [&str; 12] = [
    "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
    "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19",
    "3m4/2k5/R2s4/3M~1M~p1/6Pp/2m~1m~PSP/K7/1N2M1R1 b - - 0 61",
    "M~1sm2n1/1R2k2r/4sp1p/2n3p1/2P1m~1PP/m~2m~P3/3K1M2/2SN1SR1 b - - 2 26",
    "8/6ks/3M~2r1/2K1M3/8/3R4/8/8 w - 128 18 50",
    "8/2K3k1/5m2/4S1S1/8/8/8/8 w - 128 97 1",
    "7M/8/1K6/8/8/8/6Sk/8 w - 88 8 60",
    "4k3/8/8/8/8/8/R7/4K3 b - 0 0 1",
    // The dialect with other letters: three fields, and eight with a count.
    "rmtektmr/8/bbbbbbbb/8/8/BBBBBBBB/8/RMTKETMR w 1",
    "8/3k4/6F1/2K1T3/8/8/8/8 b 1 - - - - -",
    "8/3k4/6F1/2K1T3/8/8/8/8 b 1 b p 4 4 44",
    "8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1",
];

const EPD: [&str; 5] = [
    r#"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";"#,
    r#"8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1 bm Rxb2; c0 "a; b"; acd 12;"#,
    r#"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - hmvc 3; fmvn 7; pv e4 e5 Nf3;"#,
    r#"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1 id "count"; bm Kd6;"#,
    "4k3/8/8/8/8/8/8/4K3 w - - ; ;; a; b c d;",
];

const MOVES: [&str; 24] = [
    "e2e4", "e7e8q", "e1g1", "e1h1", "g5g6m", "a1a8", "Nf3", "Ng1f3", "Nbd2", "R1a3", "Qh4e1", "exd5", "exd8=Q+",
    "e8Q", "e8(Q)", "O-O-O#", "0-0", "Nf3!?", "Sf7", "g6=M", "จ๔", "คจ-ง๔", "ม็xข๕", "ฉxจ๖=ง",
];

/// What mutations insert: the letters of all formats, digits at the bounds, and a few bytes of another kind.
const BITS: [&str; 46] = [
    "/", " ", "  ", "-", "8", "1", "9", "0", "~", "w", "b", "K", "k", "Q", "q", "P", "p", "R", "r", "N", "M", "m", "S",
    "B", "E", "F", "T", "H", "a", "h", "e3", "d6", ";", "\"", "=", "+", "#", "x", "\t", "é", "ง", "\u{0}", "KQkq",
    "65536", "4294967296", "99999999999999999999",
];

/// A text a few careless edits away from a good one.
fn mutate(random: &mut Rng, text: &str, other: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(8) {
            0 | 1 => drop(chars.splice(at..at, random.pick(&BITS).chars())),
            2 | 3 if at < chars.len() => drop(chars.splice(at..=at, random.pick(&BITS).chars())),
            4 if at < chars.len() => drop(chars.remove(at)),
            5 if at < chars.len() => {
                let with = random.below(chars.len());
                chars.swap(at, with);
            }
            6 => {
                let tail: Vec<char> = other.chars().collect();
                let from = random.below(tail.len() + 1);
                chars.truncate(at);
                chars.extend(&tail[from..]);
            }
            7 if random.below(50) == 0 => chars.extend(text.chars().cycle().take(5_000)),
            _ => chars.truncate(at.max(1)),
        }
        if chars.is_empty() {
            break;
        }
    }
    chars.into_iter().collect()
}

/// A position that was accepted must survive everything one can do to it.
fn exercise<R: Rules>(game: mailbox::Game, position: &Position<R>, from: &str) {
    let fen = position.fen();
    let again = Position::<R>::from_fen(&fen).unwrap_or_else(|e| panic!("{from:?} was read as {fen}: {e}"));
    assert_eq!(again.fen(), fen, "{from:?}");
    assert_eq!(again.key(), position.key(), "{from:?}");
    let theirs = mailbox::Position::from_fen(game, &fen).unwrap_or_else(|e| panic!("{from:?} was read as {fen}: {e}"));
    assert_eq!(theirs.fen(), fen, "{from:?}");
    let legal = position.legal_moves();
    let mut ours: Vec<String> = legal.iter().map(|&m| position.uci(m, Notation::Chess960)).collect();
    let mut names = theirs.legal_moves(true);
    ours.sort();
    names.sort();
    assert_eq!(ours, names, "{fen}");
    assert_eq!(position.in_check(), theirs.in_check(), "{fen}");
    for &m in legal.iter() {
        let san = position.san(m);
        assert_eq!(position.parse_san(&san), Ok(m), "{fen} {san}");
        let after = position.after(m);
        assert_eq!(position.gives_check(m), after.in_check(), "{fen} {san}");
        assert_eq!(after.repetition_key(), after.key_from_scratch(), "{fen} {san}");
        position.see(m);
    }
}

fn read_fen(text: &str) -> usize {
    let chess = Position::<Chess>::from_fen(text);
    if let Ok(position) = &chess {
        exercise(mailbox::Game::Chess, position, text);
    }
    let makruk = Position::<Makruk>::from_fen(text);
    if let Ok(position) = &makruk {
        exercise(mailbox::Game::Makruk, position, text);
    }
    for error in [chess.as_ref().err(), makruk.as_ref().err()].into_iter().flatten() {
        assert!(error.start <= error.end && error.end <= text.len(), "{text:?}: {error:?}");
        assert!(text.get(error.start..error.end).is_some(), "{text:?}: {error:?} splits a character");
        assert!(!error.to_string().is_empty());
    }
    usize::from(chess.is_ok()) + usize::from(makruk.is_ok())
}

fn read_epd<R: Rules>(text: &str) -> usize {
    let Ok(epd) = Epd::<R>::parse(text) else { return 0 };
    let written = epd.to_string();
    let again = Epd::<R>::parse(&written).unwrap_or_else(|e| panic!("{text:?} was written as {written:?}: {e}"));
    assert_eq!(again.to_string(), written, "{text:?}");
    assert_eq!(again.position.fen(), epd.position.fen(), "{text:?} was written as {written:?}");
    1
}

fn read_move<R: Rules>(position: &Position<R>, text: &str) -> usize {
    let mut read = 0;
    for m in [position.parse_uci(text), position.parse_san(text)].into_iter().flatten() {
        assert!(position.legal_moves().contains(&m), "{} {text:?}", position.fen());
        read += 1;
    }
    read
}

fn any_fen(random: &mut Rng) -> String {
    match random.below(4) {
        0 => chess960_start(random.below(960)),
        1 => random.pick(&STANDARD).0.to_owned(),
        _ => (*random.pick(&MAKRUK)).to_owned(),
    }
}

fn fens(seed: u64, rounds: usize) {
    let mut random = Rng::plain(seed);
    let mut read = 0;
    for _ in 0..rounds {
        let (text, other) = (any_fen(&mut random), any_fen(&mut random));
        read += read_fen(&mutate(&mut random, &text, &other));
    }
    assert!(read > rounds / 100, "only {read} of {rounds} were read: the mutations are too wild");
}

fn epds(seed: u64, rounds: usize) {
    let mut random = Rng::plain(seed);
    for _ in 0..rounds {
        let (text, other) = (*random.pick(&EPD), *random.pick(&EPD));
        let text = mutate(&mut random, text, other);
        read_epd::<Chess>(&text);
        read_epd::<Makruk>(&text);
    }
}

fn moves(seed: u64, rounds: usize) {
    let mut random = Rng::plain(seed);
    let mut read = 0;
    for round in 0..rounds {
        let chess = Position::<Chess>::from_fen(random.pick(&STANDARD).0).expect("a legal position");
        let makruk = Position::<Makruk>::from_fen(MAKRUK[random.below(MAKRUK.len())]).expect("a legal position");
        let written = |random: &mut Rng, position: &Position<Chess>| {
            let legal = position.legal_moves();
            if legal.is_empty() {
                return String::from("e2e4");
            }
            let m = *random.pick(&legal);
            if random.below(2) == 0 { position.san(m) } else { position.uci(m, Notation::Chess960) }
        };
        let text = match round % 3 {
            0 => (*random.pick(&MOVES)).to_owned(),
            1 => written(&mut random, &chess),
            _ => {
                let legal = makruk.legal_moves();
                makruk.san_in(*random.pick(&legal), Alphabet::Thai)
            }
        };
        let text = mutate(&mut random, &text, random_move(round));
        read += read_move(&chess, &text) + read_move(&makruk, &text);
    }
    assert!(read > rounds / 100, "only {read} of {rounds} were read: the mutations are too wild");
}

fn random_move(round: usize) -> &'static str {
    MOVES[round % MOVES.len()]
}

/// A board with men thrown on it, castling rights and en passant claimed at random: nothing a game would give.
fn random_board(random: &mut Rng, makruk: bool) -> String {
    let mut cells = [None; 64];
    let letters: &[u8] = if makruk { b"pppnnssrrmmmm" } else { b"ppppppnnbbrrqq" };
    let men = 2 + random.below(28);
    for man in 0..men {
        let square = random.below(64);
        let letter = if man < 2 { b'k' } else { *random.pick(letters) };
        if cells[square].is_some() || (letter == b'p' && !(8..56).contains(&square)) {
            continue;
        }
        let white = if man < 2 { man == 0 } else { random.below(2) == 0 };
        cells[square] = Some(if white { letter.to_ascii_uppercase() } else { letter });
    }
    // Kings and rooks at home now and then, so that there is something to castle with.
    if !makruk && random.below(2) == 0 {
        for (rank, king, rook) in [(0, b'K', b'R'), (56, b'k', b'r')] {
            for cell in cells.iter_mut().filter(|cell| **cell == Some(king)) {
                *cell = None;
            }
            let (a, b) = (random.below(8), random.below(8));
            cells[rank + a] = Some(rook);
            cells[rank + b] = Some(king);
        }
    }
    let mut board = String::new();
    for rank in (0..8).rev() {
        for file in 0..8 {
            match cells[8 * rank + file] {
                Some(letter) => {
                    board.push(letter as char);
                    if matches!(letter, b'm' | b'M') && random.below(2) == 0 {
                        board.push('~');
                    }
                }
                None => board.push('1'),
            }
        }
        board.push_str(if rank > 0 { "/" } else { "" });
    }
    let white = random.below(2) == 0;
    let turn = if white { 'w' } else { 'b' };
    if makruk {
        return format!("{board} {turn} - {} {} 9", random.pick(&["-", "-", "16", "88", "128"]), random.below(20));
    }
    let castling = random.pick(&["-", "-", "K", "Q", "k", "q", "KQ", "KQkq", "Kq", "Hh", "Bg"]);
    let ep = match random.below(3) {
        0 => format!("{}{}", (b'a' + random.below(8) as u8) as char, if white { 6 } else { 3 }),
        _ => "-".to_owned(),
    };
    format!("{board} {turn} {castling} {ep} 0 9")
}

fn boards(seed: u64, rounds: usize) {
    let mut random = Rng::plain(seed);
    let mut read = 0;
    for round in 0..rounds {
        read += read_fen(&random_board(&mut random, round % 2 == 0));
    }
    assert!(read > rounds / 50, "only {read} of {rounds} were legal");
}

#[test]
fn mutated_fens() {
    fens(41, 100_000);
}

#[test]
fn mutated_epds() {
    epds(42, 30_000);
}

#[test]
fn mutated_moves() {
    moves(43, 60_000);
}

#[test]
fn random_boards() {
    boards(44, 60_000);
}

#[test]
fn empty_and_extreme_texts() {
    let long = "k".repeat(1 << 20);
    let deep = "/".repeat(1 << 20);
    for text in ["", " ", "\u{0}", "\n\n", "////////", "8/8/8/8/8/8/8/8", "é", &long, &deep] {
        assert_eq!(read_fen(text), 0);
        assert_eq!(read_epd::<Chess>(text) + read_epd::<Makruk>(text), 0);
        assert_eq!(read_move(&Position::<Chess>::startpos(), text), 0);
        assert_eq!(read_move(&Position::<Makruk>::startpos(), text), 0);
    }
    assert_eq!(Position::<Chess>::startpos().side_to_move(), Color::White);
}

#[test]
#[ignore = "long: five million texts and boards"]
fn five_million() {
    fens(51, 2_000_000);
    epds(52, 500_000);
    moves(53, 1_000_000);
    boards(54, 1_500_000);
}

//! Cleaning twice is cleaning once: what the writer writes, the reader reads as it was.

use std::io::Cursor;

use rukh_core::rng::Rng;
use rukh_core::{Alphabet, Writing};
use rukh_pgn::{MAX_TAG_BYTES, PgnReader, PgnWriter, TreeReader};

/// How games are written.
#[derive(Debug, Clone, Copy)]
struct Way {
    main_line: bool,
    /// Games that break off are kept up to there.
    cuts: bool,
    writing: Writing,
}

const SAN: Writing = Writing { alphabet: Alphabet::English, long: false };
const TREES: Way = Way { main_line: false, cuts: false, writing: SAN };

/// What `rukh pgn clean` does: the good games anew, and the problems (notes on games that were read apart).
fn clean(text: &[u8], way: Way) -> (Vec<u8>, Vec<String>, usize) {
    let mut writer = PgnWriter::new(Vec::new()).with_writing(way.writing);
    let (mut problems, mut notes) = (Vec::new(), 0);
    let source = Cursor::new(text.to_vec());
    if way.main_line {
        let mut reader = PgnReader::new("x", source).unwrap();
        while let Some(game) = reader.next_game() {
            match game {
                Ok(game) => writer.write_game(game).unwrap(),
                Err(error) => problems.push(error.to_string()),
            }
            notes += reader.take_notes().len();
        }
    } else {
        let reader = TreeReader::new("x", source).unwrap();
        let mut reader = if way.cuts { reader.with_cut_games() } else { reader };
        while let Some(tree) = reader.next() {
            match tree {
                Ok(tree) => writer.write_tree(&tree).unwrap(),
                Err(error) => problems.push(error.to_string()),
            }
            notes += reader.take_notes().len();
        }
    }
    (writer.finish().unwrap(), problems, notes)
}

/// Cleans twice; the second time nothing may change and nothing be wrong.
fn check(text: &[u8], way: Way) -> Vec<u8> {
    let (once, _, notes) = clean(text, way);
    let (twice, problems, again) = clean(&once, way);
    if once != twice || !problems.is_empty() || again > notes {
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        panic!(
            "{way:?}, {problems:?}, {notes} and {again} notes\n--- input {:?}\n{}\n--- once\n{}\n--- twice\n{}",
            show(text),
            show(text),
            show(&once),
            show(&twice)
        );
    }
    once
}

/// Pieces that mean something somewhere.
const PIECES: &[&[u8]] = &[
    b"{", b"}", b"(", b")", b"[", b"]", b"\"", b"\\", b";", b"%", b"$", b"!", b"?", b"*", b".", b"<", b"-", b"--",
    b"\n", b"\r", b"\r\n", b"\n\n", b"\t", b"\x0b", b"\x0c", b"\0", b"\x1a", b"\xef\xbb\xbf", b"\x93", b"\xe4",
    b"\xa0", b"\xc2\xa0", b"\xe2\x80\xa8", b"1-0", b" 1-0 ", b"1/2-1/2\n\n", b"0-0", b"$300", b"$", b"!?",
    b"[Event \"", b"\n[Event \"x\"]\n", b" [Event \"x\"] ", b"[Black-Elo \"2000\"]\n", b"[White Elo \"1\"]\n",
    b"[Sch\xe4rz \"x\"]\n", b"[%clk 0:01]", b"[FEN \"\"]\n", b"[Result \"1-0\"]\n", b"[Variant \"Chess960\"]\n",
    b"; a } b { c\n", b"{[Event \"y\"] z}", b"({only words})", b"(1. d4", b"{}", b"{ }", b"\n%escape\n", b"e.p.",
    b"1.", b"1...", b" Z0 ", b"\xe2\x99\x98f3", b"+-", b" N ", b"\\\"]", b"\" ]",
];

fn mutate(text: &mut Vec<u8>, random: &mut Rng) {
    let most = if random.below(8) == 0 { 40 } else { 4 };
    for _ in 0..1 + random.below(most) {
        let at = random.below(text.len() + 1);
        let end = (at + 1 + random.below(30)).min(text.len());
        match random.below(7) {
            0 if at < text.len() => text[at] ^= 1 << random.below(8),
            1 if at < text.len() => text[at] = random.next_u64() as u8,
            2 => drop(text.drain(at..end)),
            3 => {
                let copy = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, copy).for_each(drop);
            }
            4 => {
                // A line elsewhere.
                let from = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
                let to = text[at..].iter().position(|&b| b == b'\n').map_or(text.len(), |i| at + i + 1);
                let line: Vec<u8> = text.drain(from..to).collect();
                let place = random.below(text.len() + 1);
                text.splice(place..place, line).for_each(drop);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.iter().copied()).for_each(drop);
            }
        }
    }
}

const CHESS: &str = r#"[Event "Casual { game"]
[Site "?"]
[White "J. \"Joe\" Doe"]
[Black "M\\N"]
[BlackElo "2000"]
[Result "1-0"]

{Before the game [Event "no"] there were words, so many of them that they do not fit on one line [Event "x"] at all}
1. e4! {best by test} (1. d4 {the other} d5 (1... Nf6 2. c4 e6) 2. c4) (1. c4 $1 $14) e5 {[%clk 0:09:58] [%eval 0.31]}
2. Nf3 Nc6 3. Bb5 a6 ({A novelty?} 3... Nd4 4. Nxd4 exd4) 4. Ba4 Nf6 5. O-O Nxe4 (5... Be7 6. -- b5) 6. d4 b5 ; so far } {
7. Bb3 d5 8. dxe5 Be6 1-0

[Event "Second"]
[FEN "r3k2r/1P6/8/3pP3/8/8/6p1/R3K2R w KQkq d6 0 20"]
[SetUp "1"]
[Result "*"]

20. exd6 gxh1=Q+ 21. Kd2 O-O 22. b8=N 1/2-1/2

1. d4 d5 2. c4 *
"#;

const FISCHER: &str = r#"[Event "960"]
[Variant "Chess960"]
[FEN "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1"]
[SetUp "1"]
[White "a"]
[Result "0-1"]

1. e4 e5 {words} 2. Ng3 Ng6 3. Nce2 (3. O-O $5 {castled} O-O) Nce7 4. d3 d6 0-1

[White "b"]
[Variant "fischerandom"]

1. Nf3 (1. g4) Nf6 2. g3 g6 3. Bg2 Bg7 4. O-O O-O 1/2-1/2
"#;

const MAKRUK: &str = r#"[Event "Makruk"]
[Variant "Makruk"]
[Date "2024.01.01"]
[Result "1/2-1/2"]

1. e4 e5 2. d4 exd4 3. cxd4 Nd7 {a knight} (3... Ne7 4. Nd2 (4. Ne2 d5)) 4. Ne2 Ne7 5. Sc2 d5 1/2-1/2

[Variant "makruk"]
[White "b"]

1. f4 f5 2. g4 fxg4 3. hxg4 *
"#;

fn ways(makruk: bool) -> Vec<Way> {
    let mut list = vec![
        TREES,
        Way { main_line: true, ..TREES },
        Way { cuts: true, ..TREES },
        Way { writing: Writing { long: true, ..SAN }, ..TREES },
    ];
    if makruk {
        for long in [false, true] {
            list.push(Way { writing: Writing { alphabet: Alphabet::Thai, long }, ..TREES });
        }
    }
    list
}

fn many(text: &str, makruk: bool, seed: u64, rounds: usize) {
    let ways = ways(makruk);
    for way in &ways {
        let (once, problems, _) = clean(text.as_bytes(), *way);
        assert!(problems.is_empty() && !once.is_empty(), "{way:?}: {problems:?}");
        check(text.as_bytes(), *way);
    }
    let mut random = Rng::plain(seed);
    for round in 0..rounds {
        let mut bytes = text.as_bytes().to_vec();
        mutate(&mut bytes, &mut random);
        check(&bytes, ways[round % ways.len()]);
    }
}

#[test]
fn mutated_chess() {
    many(CHESS, false, 0x9e37_79b9_7f4a_7c15, 6000);
}

#[test]
fn mutated_chess960() {
    many(FISCHER, false, 0xd1b5_4a32_d192_ed03, 4000);
}

#[test]
fn mutated_makruk() {
    many(MAKRUK, true, 0x8cb9_2ba7_2f3d_8dd7, 5000);
}

#[test]
#[ignore = "long: a million mutated files"]
fn a_million_mutations() {
    many(CHESS, false, 11, 400_000);
    many(FISCHER, false, 12, 300_000);
    many(MAKRUK, true, 13, 300_000);
}

#[test]
fn odd_tag_names_are_kept_and_told() {
    let text = "[Event \"a\"]\n[Black-Elo \"2000\"]\n[White Elo \"1900\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n";
    let mut reader = TreeReader::new("x", Cursor::new(text)).unwrap();
    let game = reader.next().unwrap().unwrap();
    let told: Vec<String> = reader.take_notes().iter().map(ToString::to_string).collect();
    assert!(reader.next().is_none());
    assert_eq!((game.tags.len(), game.len()), (4, 2));
    assert_eq!(game.tags.get("White Elo").unwrap(), "1900");
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("x:2: tag name \"Black-Elo\""), "{told:?}");
    assert!(told[1].starts_with("x:3: tag name \"White Elo\""), "{told:?}");
    check(text.as_bytes(), TREES);
}

#[test]
fn a_broken_tag_refuses_its_game_and_does_not_cut_it() {
    let text = "[Event \"a\"]\n[Round 3]\n[White \"x\"]\n\n1. e4 *\n\n[White \"y\"]\n\n1. d4 *\n";
    let (once, problems, _) = clean(text.as_bytes(), TREES);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("malformed tag \"[Round 3]\""), "{problems:?}");
    assert_eq!(String::from_utf8(once).unwrap(), "[White \"y\"]\n[Result \"*\"]\n\n1. d4 *\n");
}

#[test]
fn a_game_is_not_silently_split() {
    let notes = |text: &'static str| {
        let mut reader = TreeReader::new("x", Cursor::new(text)).unwrap();
        let mut notes = Vec::new();
        let mut games = 0;
        while let Some(tree) = reader.next() {
            games += usize::from(tree.is_ok());
            notes.extend(reader.take_notes().iter().map(ToString::to_string));
        }
        (games, notes)
    };
    // A result in the middle.
    for text in ["[White \"a\"]\n\n1. e4 e5 1-0 2. Nf3 Nc6 1-0\n", "1. e4 e5 *\n\n2. Nf3 Nc6 *\n"] {
        let (games, notes) = notes(text);
        assert_eq!((games, notes.len()), (2, 1), "{notes:?}");
        assert!(notes[0].contains("begins at move 2"), "{notes:?}");
    }
    assert_eq!(notes("1. e4 e5 1-0\n\n1. d4 d5 *\n"), (2, Vec::new()));
    // A comment behind the result that swallows what follows.
    let (games, notes) = notes("[White \"a\"]\n\n1. e4 e5 1-0 {oh\n1. d4 *\n");
    assert_eq!(games, 1);
    assert_eq!(notes, ["x:3: comment is never closed"]);
}

#[test]
fn limits_hold_for_what_is_written() {
    // Bytes that grow when they are written: read once, refused the second time.
    for value in ["\"x".repeat(MAX_TAG_BYTES / 2 - 8).into_bytes(), vec![0x93; MAX_TAG_BYTES - 100]] {
        let text = [b"[White \"", &value[..], b"\"]\n\n1. e4 *\n\n[White \"b\"]\n\n1. d4 *\n"].concat();
        let once = check(&text, TREES);
        assert!(once.len() < 100, "the long one is refused at once");
    }
    let name = [&[b'['][..], &[0x93; 250], b" \"x\"]\n\n1. e4 *\n"].concat();
    check(&name, TREES);
    // As many tags as can be read; the writer adds some.
    let tags: String = (0..256).map(|i| format!("[T{i} \"x\"]\n")).collect();
    let once = check(format!("{tags}\n1. e4 *\n").as_bytes(), TREES);
    assert!(String::from_utf8(once).unwrap().contains("[Result \"*\"]"));
}

#[test]
fn braces_in_tags_swallow_no_game() {
    let text = "[White \"a {\"]\n\n1. e4 Ke2 *\n\n[White \"b\"]\n\n1. d4 *\n";
    let (once, problems, _) = clean(text.as_bytes(), TREES);
    assert_eq!(problems.len(), 1);
    assert!(String::from_utf8(once).unwrap().contains("1. d4 *"));
}

#[test]
fn words_of_an_empty_variation_are_kept() {
    let once = check(b"1. e4 ({why not d4?}) e5 *\n", TREES);
    assert!(String::from_utf8(once).unwrap().ends_with("1. e4 {why not d4?} 1... e5 *\n"));
}

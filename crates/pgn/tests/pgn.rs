//! Reading and writing whole games, good and bad.

use std::io::Cursor;

use rukh_core::rng::Rng;
use rukh_core::{Kind, Variant};
use rukh_pgn::{
    Eval, GameResult, MAX_DEPTH, NodeId, PgnError, PgnGame, PgnReader, PgnWriter, Reason, SanProblem, TreeReader,
    read_game, read_tree,
};

fn read(text: &[u8]) -> Vec<Result<PgnGame, PgnError>> {
    PgnReader::new("test.pgn", Cursor::new(text.to_vec())).unwrap().collect()
}

fn errors(text: &[u8]) -> Vec<String> {
    read(text).into_iter().filter_map(Result::err).map(|e| e.to_string()).collect()
}

fn good(text: &[u8]) -> usize {
    read(text).iter().filter(|g| g.is_ok()).count()
}

const IMMORTAL: &str = "\
[Event \"London\"]
[Site \"London ENG\"]
[Date \"1851.06.21\"]
[White \"Anderssen, Adolf\"]
[Black \"Kieseritzky, Lionel\"]
[Result \"1-0\"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5?! 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5
9. Nf5 c6 10. g4 Nf6 11. Rg1! cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6
16. Nc3 Bc5 17. Nd5 Qxb2 {the rooks are left to their fate} 18. Bd6 Bxg1 (18... Qxa1+ 19. Ke2 Qb2) 19. e5 $3
Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0
";

#[test]
fn a_classic_game() {
    let game = read_game(IMMORTAL.as_bytes()).unwrap();
    assert_eq!(game.moves.len(), 45);
    assert_eq!(game.result, GameResult::White);
    assert!(game.terminated);
    assert_eq!(game.tags.white(), "Anderssen, Adolf");
    assert_eq!(game.tags.date(), Some((1851, 6, 21)));
    let mut last = *game.start.chess().unwrap();
    game.for_each_chess(|pos, mv| last = pos.after(mv));
    assert!(last.is_checkmate());
}

#[test]
fn odd_but_readable() {
    // Each line is one game of which every move must be understood.
    let lines: &[(&str, usize)] = &[
        ("1.e4 e5 2.Nf3 Nc6 *", 4),
        ("e4 e5 Nf3 Nc6 1-0", 4),
        ("1. e4, e5", 0),
        ("1. e2e4 e7e5 2. g1f3 *", 3),
        ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 *", 4),
        ("1. ♙e4 e5 2. ♘f3 ♞c6 *", 4),
        ("1. e4 d5 2. exd5 c5 3. dxc6 e.p. Nxc6 *", 6),
        ("1. e4 d5 2. exd5 c5 3. dxc6 ep *", 5),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 1/2-1/2", 8),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 1/2", 8),
        ("1. e4 +/- e5 += 2. Nf3 N Nc6 ± 3. Bb5 ∞ *", 5),
        ("1. e4± e5+/- 2. Nf3N Nc6□ 3. Bb5+− a6⩲ 4. Bxc6=∞ *", 7),
        ("1. e4 d5 2. exd5 c5 3. dxc6e.p. Nxc6 4. Nf3 Nf6 5. Be2 e5 6. O-O+/- *", 11),
        ("1. e4 d5 2. exd5 c5 3. dxc6ep *", 5),
        ("1. a4 b5 2. axb5 a6 3. bxa6 c6 4. a7 c5 5. axb8(Q) *", 9),
        ("1. e4± e5+/-x *", 0),
        ("1. e5± *", 0),
        ("1. e4!? e5?? 2. Nf3!! $1 $255 $999 Nc6 *", 4),
        ("1. e4 e5 ; rest of the line } { (\n2. Nf3 *", 3),
        ("% escape\n1. e4 e5\n% 2. Qxx9 garbage (\n2. Nf3 *", 3),
        ("1. e4 e5 2. Ke2 Ke7 3. Kd3 Kd6 4. Kc3 Kc6 {x} *{after} ; and more", 8),
        ("1. e4 e5 (1... c5 (1... c6 2. d4) 2. Nf3) ( 1... e6 ) 2. Nf3 *", 3),
        ("1. a4 b5 2. axb5 a6 3. bxa6 c6 4. a7 c5 5. axb8=Q *", 9),
        ("1. a4 b5 2. axb5 a6 3. bxa6 c6 4. a7 c5 5. axb8N *", 9),
        ("1. <e4> e5 *", 2),
        ("1... e4", 1),
        ("1. Nb1c3 Nb8-c6 2. Ng1xf3 *", 3),
    ];
    for &(line, plies) in lines {
        match read_game(line.as_bytes()) {
            Ok(game) => assert_eq!(game.moves.len(), plies, "{line}"),
            Err(e) => assert_eq!(plies, 0, "{line}: {e}"),
        }
    }
}

#[test]
fn disambiguation_pins_and_refusals() {
    let game = |fen: &str, moves: &str| read_game(format!("[FEN \"{fen}\"]\n\n{moves} *").as_bytes());
    let problem = |fen: &str, moves: &str| match game(fen, moves) {
        Err(Reason::BadMove { problem, .. }) => Some(problem),
        Err(e) => panic!("{e}"),
        Ok(_) => None,
    };
    // Two knights reach d2, one is pinned: no hint needed.
    assert_eq!(problem("4k3/8/8/8/1b6/5N2/8/1N2K3 w - - 0 1", "1. Nbd2"), None);
    assert_eq!(problem("4k3/8/8/8/1b6/2N5/4P3/4K1N1 w - - 0 1", "1. Nf3"), None);
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. Nd2"), Some(SanProblem::Ambiguous));
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. Nfd2"), None);
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. N3d2"), None);
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. Nf3d2"), None);
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. Nf3xd2"), None);
    assert_eq!(problem("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "1. Ngd2"), Some(SanProblem::Illegal));
    // Castling out of, through and into check.
    assert_eq!(problem("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "1. O-O"), None);
    assert_eq!(problem("4kr2/8/8/8/8/8/8/4K2R w K - 0 1", "1. O-O"), Some(SanProblem::Illegal));
    assert_eq!(problem("4k3/8/8/8/8/8/8/4K2R w - - 0 1", "1. O-O"), Some(SanProblem::Illegal));
    // Moves that leave the king in check, blocked pushes, pawns on the wrong file.
    assert_eq!(problem("4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "1. Nc3"), Some(SanProblem::Illegal));
    assert_eq!(problem("4k3/8/8/8/4p3/4P3/8/4K3 w - - 0 1", "1. e4"), Some(SanProblem::Illegal));
    assert_eq!(problem("4k3/8/8/8/8/4p3/4P3/4K3 w - - 0 1", "1. e4"), Some(SanProblem::Illegal));
    assert_eq!(problem("4k3/8/8/3p4/8/8/4P3/4K3 w - - 0 1", "1. exd5"), Some(SanProblem::Illegal));
    assert_eq!(problem("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", "1. hxa3"), Some(SanProblem::Illegal));
    // A promotion needs its piece.
    assert!(problem("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8").is_some());
    assert_eq!(problem("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8=R+"), None);
    assert!(problem("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "1. a8=K").is_some());
    let end = game("8/P6k/8/8/8/8/8/4K3 w - - 0 1", "1. a8=N").unwrap();
    assert_eq!(end.moves[0].promotion(), Some(Kind::Knight));
}

#[test]
fn variants_and_set_positions() {
    let text = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n9. Nf3 *";
    let game = read_game(text.as_bytes()).unwrap();
    assert_eq!(game.start.variant(), Variant::Chess960);
    assert_eq!(game.moves.len(), 1);
    let makruk = read_game(b"[Variant \"Makruk\"]\n\n1. d4 d5 *").unwrap();
    assert_eq!(makruk.start.variant(), Variant::Makruk);
    assert_eq!(makruk.moves.len(), 2);
    assert!(matches!(read_game(b"[Variant \"Atomic\"]\n\n1. d4 *"), Err(Reason::UnknownVariant(_))));
    let bad = read_game(b"[FEN \"rubbish\"]\n\n1. d4 *").unwrap_err();
    assert!(matches!(bad, Reason::BadFen(_)) && bad.to_string() == "FEN tag: it has 1 field, expected 2 to 6", "{bad}");
    // The standard asks for SetUp beside FEN, real files forget it; an empty FEN is none.
    assert_eq!(read_game(b"[FEN \"\"]\n\n1. d4 *").unwrap().moves.len(), 1);
    assert_eq!(
        read_game(b"[Variant \"From Position\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *")
            .unwrap()
            .moves
            .len(),
        1
    );
}

#[test]
fn results() {
    let result = |text: &str| read_game(text.as_bytes()).map(|g| (g.result, g.terminated)).unwrap();
    assert_eq!(result("[Result \"1-0\"]\n\n1. e4"), (GameResult::White, false));
    assert_eq!(result("[Result \"1-0\"]\n\n1. e4 *"), (GameResult::White, true));
    assert_eq!(result("[Result \"1-0\"]\n\n1. e4 0-1"), (GameResult::Black, true));
    assert_eq!(result("[Result \"½-½\"]\n\n1. e4 ½-½"), (GameResult::Draw, false));
    assert_eq!(result("1. e4"), (GameResult::Unknown, false));
}

#[test]
fn broken_games_are_reported_with_their_line_and_the_rest_goes_on() {
    let text =
        b"[Event \"a\"]\n\n1. e4 e5 *\n\n[Event \"b\"]\n\n1. e4 e5\n2. Nf3 Ke3 3. d4 *\n\n[Event \"c\"]\n\n1. d4 *\n";
    assert_eq!(good(text), 2);
    assert_eq!(errors(text), ["test.pgn:8: move 2... Ke3: illegal move"]);
    let after = |bad: &str| {
        let text = format!("[Event \"x\"]\n{bad}\n\n[Event \"good\"]\n\n1. e4 *\n");
        assert_eq!(good(text.as_bytes()), 1, "{bad}");
        let errors = errors(text.as_bytes());
        assert_eq!(errors.len(), 1, "{bad}: {errors:?}");
        errors[0].clone()
    };
    assert_eq!(after("\n1. e4 {never closed"), "test.pgn:3: comment is never closed");
    assert_eq!(after("\n1. e4 (1. d4"), "test.pgn:3: variation is never closed");
    assert_eq!(after("\n1. e4 e5) *"), "test.pgn:3: ')' without '('");
    assert_eq!(after("\n(1. e4) e5 *"), "test.pgn:3: variation before any move");
    assert_eq!(after("\n1. e4 quatsch *"), "test.pgn:3: \"quatsch\" is not chess notation");
    assert_eq!(after("\n1. e4 -- *"), "test.pgn:3: move 1... --: not a move");
    assert_eq!(after("[Bad tag]\n\n1. e4 *"), "test.pgn:2: malformed tag \"[Bad tag]\", expected [Name \"value\"]");
    assert_eq!(after("[White \"x\n\n1. e4 *"), "test.pgn:2: malformed tag \"[White \\\"x\", expected [Name \"value\"]");
    assert!(after("\n1. e4 \0\x01\x02 *").contains("binary"));
}

#[test]
fn absurd_sizes_are_refused_with_bounded_memory() {
    let with = |bad: String| {
        let text = format!("[Event \"x\"]\n{bad}\n\n[Event \"good\"]\n\n1. e4 *\n");
        assert!(good(text.as_bytes()) >= 1);
        errors(text.as_bytes()).join("; ")
    };
    assert!(with(format!("\n1. e4 {{{}}} *", "x".repeat(10 << 20))).contains("larger than"));
    assert!(with(format!("[Annotator \"{}\"]\n\n1. e4 *", "x".repeat(100_000))).contains("Annotator longer than"));
    assert!(with("[A \"b\"]\n".repeat(1000) + "\n1. e4 *").contains("more than 256 tags"));
    assert!(with(format!("\n1. e4 {}", "(1. d4 ".repeat(5000))).contains("nested deeper"));
    assert!(with("\n".to_string() + &"Nf3 Nf6 Ng1 Ng8 ".repeat(4000) + "*").contains("half-moves"));
    // A long comment within the limit is no problem.
    assert_eq!(with(format!("\n1. e4 {{{}}} *", "x".repeat(1 << 20))), "");
}

#[test]
fn encodings() {
    let game = read_game(b"\xef\xbb\xbf[White \"M\xc3\xbcller\"]\r\n\r\n1. e4 {\xff\xfe} e5 *\r\n").unwrap();
    assert_eq!(game.tags.white(), "Müller");
    assert_eq!(game.moves.len(), 2);
    assert_eq!(read_game(b"[White \"M\xfcller\"]\n\n1. e4 *").unwrap().tags.white(), "Müller");
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend("[White \"Łuk\"]\n\n1. e4 *\n".encode_utf16().flat_map(u16::to_le_bytes));
    let games = read(&utf16);
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].as_ref().unwrap().tags.white(), "Łuk");
}

#[test]
fn many_games_without_tags() {
    let games = read(b"1. e4 e5 1-0\n\n1. d4 d5 0-1 1. c4 c5 2. Nc3 *\n\n1. Nf3\n");
    let plies: Vec<usize> = games.iter().map(|g| g.as_ref().unwrap().moves.len()).collect();
    assert_eq!(plies, [2, 2, 3, 1]);
}

#[test]
fn filters_skip_moves() {
    let text = format!("{IMMORTAL}\n[Event \"x\"]\n[WhiteElo \"2700\"]\n\n1. Qxx this is never looked at\n");
    let reader = PgnReader::new("t", Cursor::new(text.clone().into_bytes())).unwrap();
    let games: Vec<_> = reader.with_filter(Box::new(|tags| tags.white_elo().is_none())).collect();
    assert_eq!(games.len(), 1);
    assert!(games[0].is_ok());
}

#[test]
fn trees_keep_everything_and_survive_a_round_trip() {
    let text = "[Event \"x \\\"y\\\"\"]\n[Result \"1-0\"]\n\n{before} 1. e4 $1 {[%clk 0:01:30.5] [%eval 0.25]} \
                (1. d4 {d} d5 (1... Nf6 {n} 2. c4) 2. c4) (1. c4) 1... e5 ({why not} 1... c5 $5 $14 2. -- d6) 2. Nf3 ; line\n 1-0 {end}\n";
    let (tree, taken) = read_tree(text.as_bytes()).unwrap();
    assert!(text[taken..].trim().is_empty());
    assert_eq!(tree.len(), 12);
    assert_eq!(tree.main_line().count(), 3);
    let first = tree.main_line().next().unwrap();
    assert_eq!(tree.node(first).clock_ms(), Some(90_500));
    assert_eq!(tree.node(first).eval(), Some(Eval::Centipawns(25)));
    assert_eq!(tree.node(NodeId::ROOT).children().len(), 3);
    assert_eq!(tree.node(NodeId::ROOT).comments, ["before"]);

    let mut writer = PgnWriter::new(Vec::new());
    writer.write_tree(&tree).unwrap();
    let once = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(once.lines().all(|l| l.chars().count() <= 80), "{once}");
    let (again, _) = read_tree(once.as_bytes()).unwrap();
    let mut writer = PgnWriter::new(Vec::new());
    writer.write_tree(&again).unwrap();
    assert_eq!(once, String::from_utf8(writer.finish().unwrap()).unwrap());
    assert_eq!(again.len(), tree.len());
    assert_eq!(again.tags.get("Event").as_deref(), Some("x \"y\""));
    assert!(once.contains("({why not} 1... c5 $5"), "{once}");
}

/// A line that begins with `%` is left out; elsewhere the sign hides nothing.
#[test]
fn a_percent_sign_within_a_line_hides_no_move() {
    let game = |text: &str| read_game(text.as_bytes()).map(|game| game.moves.len());
    assert_eq!(game("[Event \"a\"]\n% 1. c4 c5\n1. d4 *").unwrap(), 1);
    assert!(game("[Event \"a\"] % 1. c4 c5\n1. d4 *").ok() != Some(1));
}

/// Signs behind the result are passed over, and a comment behind them is read.
#[test]
fn signs_behind_the_result_end_nothing() {
    let (tree, taken) = read_tree(b"1. e4 1-0 !) {resigned}").unwrap();
    let last = tree.main_line().last().unwrap();
    assert_eq!((tree.node(last).comments.join("|").as_str(), taken), ("resigned", 23));
}

/// Whoever empties a comment gets an empty one, in its place.
#[test]
fn a_comment_without_words_is_written_whole() {
    let (mut tree, _) = read_tree(b"1. e4 {a} e5 *").unwrap();
    let first = tree.main_line().next().unwrap();
    tree.node_mut(first).comments = vec![" ".into()];
    let mut writer = PgnWriter::new(Vec::new());
    writer.write_tree(&tree).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    assert!(text.contains("1. e4 {}"), "{text}");
    assert_eq!(read_tree(text.as_bytes()).unwrap().0.len(), 2);
}

#[test]
fn deep_nesting_up_to_the_limit_is_kept() {
    let nested = |depth: usize| {
        let mut text = "1. e4 ".to_string();
        text += &"(1. d4 ".repeat(depth);
        text += &")".repeat(depth);
        text + " *"
    };
    let (tree, _) = read_tree(nested(MAX_DEPTH).as_bytes()).unwrap();
    assert_eq!(tree.len(), MAX_DEPTH + 1);
    let mut writer = PgnWriter::new(Vec::new());
    writer.write_tree(&tree).unwrap();
    assert!(matches!(read_tree(nested(MAX_DEPTH + 1).as_bytes()).unwrap_err().reason, Reason::TooDeep { .. }));
    assert!(matches!(read_tree(nested(100_000).as_bytes()).unwrap_err().reason, Reason::TooDeep { .. }));
}

#[test]
fn random_games_survive_a_round_trip() {
    let mut random = Rng::plain(0x5eed);
    for round in 0..60 {
        let mut game = PgnGame::default();
        game.tags.set("Event", &format!("round {round}"));
        let mut pos = game.start.clone();
        for _ in 0..random.below(300) {
            let moves = pos.chess().unwrap().legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            game.moves.push(mv);
            pos.play(mv);
        }
        let mut writer = PgnWriter::new(Vec::new());
        writer.write_game(&game).unwrap();
        let text = writer.finish().unwrap();
        let back = read_game(&text).unwrap();
        assert_eq!(back.moves, game.moves, "{}", String::from_utf8_lossy(&text));
    }
}

#[test]
fn damaged_text_never_panics_and_later_games_are_still_read() {
    let mut random = Rng::plain(42);
    let tail = "\n\n[Event \"good\"]\n\n1. e4 *\n";
    for _ in 0..3000 {
        let mut bytes = IMMORTAL.as_bytes().to_vec();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len().max(1));
            match random.below(4) {
                0 => bytes[at] = random.next_u64() as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}()[]\";%$*\n\\ 10-/"[random.below(18)]),
                _ => bytes.truncate(at.max(100)),
            }
        }
        bytes.extend_from_slice(tail.as_bytes());
        let games = read(&bytes);
        assert!(
            matches!(games.last(), Some(Ok(g)) if g.moves.len() == 1 || g.tags.get("Event").as_deref() == Some("good"))
        );
        // The tree reader takes the same road.
        let trees = TreeReader::new("t", Cursor::new(bytes)).unwrap();
        assert!(trees.last().unwrap().is_ok());
    }
}

#[test]
fn garbage_and_every_truncation() {
    let mut random = Rng::plain(7);
    for size in [1, 10, 1000, 100_000, 6 << 20] {
        let bytes: Vec<u8> = (0..size).map(|_| random.next_u64() as u8).collect();
        let games = read(&bytes);
        assert!(games.iter().all(Result::is_err));
    }
    for end in 0..IMMORTAL.len() {
        read(&IMMORTAL.as_bytes()[..end]);
        let _ = read_tree(&IMMORTAL.as_bytes()[..end]);
    }
}

#[cfg(feature = "compression")]
#[test]
fn damaged_archives_give_the_games_before_the_damage() {
    let text = IMMORTAL.repeat(2000);
    let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert_eq!(good(&packed), 2000);
    // Cut off: an error at the end, and what came before it.
    let cut = read(&packed[..packed.len() - 10]);
    assert!(cut.last().unwrap().as_ref().unwrap_err().to_string().contains("zstd"));
    assert!(cut.iter().rev().skip(1).all(Result::is_ok));
    // Damaged in the middle.
    let mut bent = packed.clone();
    let middle = bent.len() / 2;
    bent[middle] ^= 0x55;
    let games = read(&bent);
    assert!(games.len() <= 2001);
    // A zstd header and then rubbish; a gzip header and then nothing.
    assert_eq!(errors(b"\x28\xb5\x2f\xfdrubbish rubbish rubbish").len(), 1);
    assert_eq!(errors(b"\x1f\x8b").len(), 1);
    assert_eq!(errors(b"BZh9rubbish").len(), 1);
}

#[test]
fn hostile_text_takes_no_longer_than_it_is_long() {
    // A second or two in all; each of these took many minutes where work was repeated for every line or game.
    let start = std::time::Instant::now();
    let blank_lines = "[Event \"x\"]\n\n1. e4 {".to_string() + &"1-0\n\n".repeat(700_000) + "} *\n";
    assert_eq!(good(blank_lines.as_bytes()), 1);
    let tags = "[Event \"x\"]\n\n1. e4 {".to_string() + &"\n[A \"b\"]".repeat(400_000) + "} *\n";
    assert_eq!(good(tags.as_bytes()), 1);
    let one_line = "1. e4 1-0 ".repeat(300_000);
    assert_eq!(good(one_line.as_bytes()), 300_000);
    let brackets = "1. e4 ".to_string() + &"() ".repeat(1_000_000);
    good(brackets.as_bytes());
    let opens = "{".repeat(4_000_000);
    good(opens.as_bytes());
    let quotes = "[White \"".to_string() + &"\"x".repeat(1_000_000) + "\n";
    good(quotes.as_bytes());
    // So it is where games that break off are kept.
    let cut = |text: &str| {
        let reader = TreeReader::new("x", std::io::Cursor::new(text.as_bytes().to_vec())).unwrap().with_cut_games();
        reader.filter(Result::is_ok).count()
    };
    for (rest, count) in [("{", 4_000_000), ("(", 1_000_000), ("() ", 1_000_000), (")", 1_000_000), ("x ", 1_000_000)] {
        assert_eq!(cut(&format!("1. e4 Ke5 {}", rest.repeat(count))), 1, "{rest}");
    }
    assert_eq!(cut(&"1. e4 Ke5 1-0 ".repeat(30_000)), 30_000);
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

mod selecting {
    use rukh_core::{AnyPosition, Variant};
    use rukh_pgn::select::{EcoRange, Facts, Filter, Material, Pattern, Selection, Selector, SplitBy, SplitNames};
    use rukh_pgn::{GameResult, GameTree, PgnWriter, TreeReader};

    const GAMES: &str = r#"
[White "Carlsen, Magnus"]
[Black "Anand, V."]
[Date "2013.11.22"]
[WhiteElo "2870"]
[BlackElo "2775"]
[ECO "E21"]
[Round "10"]

1. d4 Nf6 2. c4 {a comment} {another} e6 1/2-1/2

[White "Anand V"]
[Black "Carlsen Magnus"]
[Date "2014.??.??"]
[Round "9"]

1. e4 c5 2. Nf3 (2. c3) 2... d6 0-1

[White "carlsen magnus"]
[Black "Anand, V"]
[Date "2013.11.22"]
[Round "2"]

1. d4 Nf6 2. c4 e6 1/2-1/2

[White "Lucena"]
[Black "?"]
[FEN "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"]

1. Rd1+ Ke7 2. Rd4 1-0

[White "Makruk"]
[Variant "Makruk"]

*
"#;

    fn games() -> Vec<GameTree> {
        TreeReader::new("test", GAMES.as_bytes()).unwrap().map(Result::unwrap).collect()
    }

    /// The numbers of the games that pass.
    fn chosen(filter: Filter) -> Vec<usize> {
        let eco = || Some("B50".to_owned());
        (1..).zip(games()).filter(|(_, tree)| filter.game_passes(&Facts::from(tree), eco)).map(|(at, _)| at).collect()
    }

    #[test]
    fn filters_take_what_they_say() {
        let text = |text: &str| Some(text.to_owned());
        let all = Filter::default;
        assert_eq!(chosen(all()), [1, 2, 3, 4, 5]);
        assert_eq!(chosen(Filter { player: text("CARLSEN"), ..all() }), [1, 2, 3]);
        assert_eq!(chosen(Filter { white: text("carlsen"), ..all() }), [1, 3]);
        assert_eq!(chosen(Filter { black: text("carlsen"), ..all() }), [2]);
        assert_eq!(chosen(Filter { tags: vec![("Round".into(), "10".into())], ..all() }), [1]);
        assert_eq!(chosen(Filter { min_elo: Some(2800), ..all() }), [1]);
        assert_eq!(chosen(Filter { max_elo: Some(2800), ..all() }), Vec::<usize>::new(), "unrated is not weak");
        assert_eq!(chosen(Filter { result: Some(GameResult::Black), ..all() }), [2]);
        assert_eq!(chosen(Filter { since: Some((2014, 0, 0)), ..all() }), [2]);
        assert_eq!(chosen(Filter { until: Some((2013, 255, 255)), ..all() }), [1, 3]);
        assert_eq!(chosen(Filter { eco: Some("E20-E29".parse().unwrap()), ..all() }), [1]);
        assert_eq!(chosen(Filter { eco: Some("B".parse().unwrap()), ..all() }), [2, 3, 4, 5], "asked for");
        assert_eq!(chosen(Filter { variant: Some(Variant::Makruk), ..all() }), [5]);
        assert_eq!(chosen(Filter { min_plies: Some(4), ..all() }), [1, 2, 3]);
        assert_eq!(chosen(Filter { max_plies: Some(3), ..all() }), [4, 5]);
    }

    #[test]
    fn boards_are_looked_at() {
        let all = Filter::default;
        for men in ["KRPKR", "KRKRP", "krp-kr", "KRPvKR"] {
            assert_eq!(chosen(Filter { material: Some(men.parse().unwrap()), ..all() }), [4], "{men}");
        }
        assert_eq!(chosen(Filter { material: Some("KRKR".parse().unwrap()), ..all() }), Vec::<usize>::new());
        let board = |fen: &str| Some(AnyPosition::from_fen(Variant::Chess, fen).unwrap());
        let sicilian = "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 9";
        assert_eq!(chosen(Filter { position: board(sicilian), ..all() }), [2], "clocks do not matter");
        // A pawn of White on c4 and an empty square before it; a knight anywhere on f6.
        let pattern: Pattern = "*/*/?????n*/*/??P*".parse().unwrap();
        assert_eq!(chosen(Filter { pattern: Some(pattern), ..all() }), [1, 3]);
        assert_eq!(
            chosen(Filter { pattern: Some("rnbqkbnr/pppppppp/8/8/8/8/AAAAAAAA/!!!!!!!!".parse().unwrap()), ..all() }),
            [1, 2, 3]
        );
        assert_eq!(chosen(Filter { pattern: Some("*/*/*/*/*/*/r1111111".parse().unwrap()), ..all() }), [4]);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "K", "KRP", "RKPK", "KXK", "KKK", "Kö"] {
            assert!(text.parse::<Material>().is_err(), "{text}");
        }
        for text in ["9", "pppppppppp", "x", "8/8/8/8/8/8/8/8/8", "88"] {
            assert!(text.parse::<Pattern>().is_err(), "{text}");
        }
        for text in ["", "F00", "B2000", "B30-B20", "é"] {
            assert!(text.parse::<EcoRange>().is_err(), "{text}");
        }
    }

    fn selected(selection: Selection) -> Vec<usize> {
        let mut selector = Selector::new(selection);
        let games = games();
        let now: Vec<usize> =
            (1..).zip(&games).filter_map(|(at, tree)| selector.take(&Facts::from(tree), || at)).collect();
        now.into_iter().chain(selector.rest()).collect()
    }

    #[test]
    fn duplicates_samples_and_order() {
        let plain = Selection::default;
        assert_eq!(selected(plain()), [1, 2, 3, 4, 5]);
        assert_eq!(selected(Selection { dedupe: "game".parse().ok(), ..plain() }), [1, 2, 4, 5]);
        assert_eq!(selected(Selection { reverse: true, ..plain() }), [5, 4, 3, 2, 1]);
        let sort =
            |keys: &str| Selection { sort: keys.split(',').map(|key| key.parse().unwrap()).collect(), ..plain() };
        assert_eq!(selected(sort("date")), [4, 5, 1, 3, 2]);
        assert_eq!(selected(sort("round")), [4, 5, 3, 2, 1], "9 comes before 10");
        assert_eq!(selected(sort("white")), [2, 3, 1, 4, 5]);
        assert_eq!(selected(sort("date,round")), [4, 5, 3, 1, 2]);
        assert_eq!(selected(Selection { reverse: true, ..sort("plies") }), [3, 2, 1, 4, 5]);
        let drawn = |seed| selected(Selection { sample: Some((2, seed)), ..plain() });
        let mut counts = [0; 6];
        for seed in 0..3000 {
            let two = drawn(seed);
            assert!(two.len() == 2 && two[0] < two[1] && two == drawn(seed), "{two:?}");
            two.iter().for_each(|&at| counts[at] += 1);
        }
        // Two of five: 1200 each; the bounds are eight standard deviations wide.
        assert!(counts[1..].iter().all(|n| (985..=1415).contains(n)), "{counts:?}");
        assert_eq!(selected(Selection { sample: Some((9, 1)), ..plain() }), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn the_position_of_a_node() {
        // 1. e4 c5 2. Nf3 (2. c3) 2... d6
        let tree = games().remove(1);
        let line: Vec<_> = tree.main_line().collect();
        let fen = |id| tree.position(id).fen();
        assert_eq!(fen(line[1]), "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        let other = tree.node(line[1]).children()[1];
        assert_eq!(fen(other), "rnbqkbnr/pp1ppppp/8/2p5/4P3/2P5/PP1P1PPP/RNBQKBNR b KQkq - 0 2");
    }

    #[test]
    fn files_are_named_after_games() {
        let names = |by: &str| -> Vec<String> {
            let by: SplitBy = by.parse().unwrap();
            (0..).zip(games()).map(|(at, tree)| by.name(at, &Facts::from(&tree))).collect()
        };
        assert_eq!(names("2"), ["0001", "0001", "0002", "0002", "0003"]);
        assert_eq!(names("year"), ["2013", "2014", "2013", "unknown", "unknown"]);
        assert_eq!(names("black"), ["Anand__V_", "Carlsen_Magnus", "Anand__V", "unknown", "unknown"]);
        assert_eq!(names("result"), ["1_2-1_2", "0-1", "1_2-1_2", "1-0", "unknown"]);
        for text in ["0", "plies", "-1", ""] {
            assert!(text.parse::<SplitBy>().is_err(), "{text}");
        }
        let mut tree = games().remove(0);
        tree.tags.set("Event", "../../etc/passwd\0:*?");
        assert_eq!("event".parse::<SplitBy>().unwrap().name(0, &Facts::from(&tree)), "______etc_passwd____");
        // Names that no file may have on Windows.
        for (event, wanted) in
            [("con", "con_"), ("COM1", "COM1_"), ("Lpt²", "Lpt²_"), ("Conrad", "Conrad"), ("com10", "com10")]
        {
            tree.tags.set("Event", event);
            assert_eq!("event".parse::<SplitBy>().unwrap().name(0, &Facts::from(&tree)), wanted);
        }
    }

    /// On file systems that do not tell `Anna.pgn` from `ANNA.pgn`, the second took the place of the first.
    #[test]
    fn names_that_differ_in_the_size_of_letters_are_one_file() {
        let mut names = SplitNames::new("white".parse().unwrap());
        let mut tree = games().remove(0);
        let given = ["Anna", "ANNA", "Bert", "anna", "Élise", "ÉLISE"].map(|white| {
            tree.tags.set("White", white);
            names.name(0, &Facts::from(&tree))
        });
        assert_eq!(given, ["Anna", "Anna", "Bert", "Anna", "Élise", "Élise"]);
    }

    #[test]
    fn the_standard_form() {
        let mut writer = PgnWriter::standard(Vec::new());
        games().iter().for_each(|tree| writer.write_tree(tree).unwrap());
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let seven = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];
        for game in text.split("\n\n[").map(|game| game.trim_start_matches('[')) {
            let names: Vec<&str> = game.lines().map(|line| line.trim_start_matches('[')).take(7).collect();
            assert!(names.iter().zip(seven).all(|(line, name)| line.starts_with(&format!("{name} \""))), "{game}");
        }
        assert!(text.contains("[SetUp \"1\"]\n[FEN \"1K1k4/"), "{text}");
        assert!(text.contains("2. c4 {a comment another} 2... e6 1/2-1/2\n"), "{text}");
        assert_eq!(text.matches("[Date \"????.??.??\"]").count(), 2);
        let again: Vec<GameTree> =
            TreeReader::new("again", std::io::Cursor::new(text.clone())).unwrap().map(Result::unwrap).collect();
        let mut writer = PgnWriter::standard(Vec::new());
        for tree in &again {
            let mut one = PgnWriter::standard(Vec::new());
            one.write_tree(tree).unwrap();
            writer.write_text(&one.finish().unwrap()).unwrap();
        }
        assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), text);
    }
}

#[test]
fn signs_behind_moves_are_glyphs() {
    let (tree, _) = read_tree(b"1. e4! e5? 2. Nf3!! Nc6?? 3. Bb5!? a6?! 4. Ba4!!! Nf6 $14 *").unwrap();
    let glyphs: Vec<_> = tree.main_line().map(|id| tree.node(id).nags.clone()).collect();
    assert_eq!(glyphs, [vec![1], vec![2], vec![3], vec![4], vec![5], vec![6], vec![3], vec![14]]);
    // Assessments, alone or glued to the move; "+=" is one, not a check and a "=".
    let (tree, _) = read_tree("1. e4 = e5± 2. Nf3+= N Nc6!+/- 3. Bb5 □ a6=/∞ 4. Bxc6+- *".as_bytes()).unwrap();
    let glyphs: Vec<_> = tree.main_line().map(|id| tree.node(id).nags.clone()).collect();
    assert_eq!(glyphs, [vec![10], vec![16], vec![14, 146], vec![1, 16], vec![7], vec![44], vec![18]]);
}

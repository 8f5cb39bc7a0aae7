//! Random games in which the bitboard core is compared, position by position, with the mailbox generator and with
//! itself: whatever the core keeps, stages or writes must equal what it finds from scratch.

use crate::common::{back_rank, suite::STANDARD};
use rukh_core::rng::Rng;
use rukh_core::{Alphabet, Chess, Color, Makruk, Move, MoveList, Notation, Observer, Piece, Position, Rules, Square};
use rukh_mailbox as mailbox;

/// A variant as the walks need it.
struct Walk {
    game: mailbox::Game,
    notation: Notation,
    start: fn(&mut Rng) -> String,
}

const CHESS: Walk = Walk { game: mailbox::Game::Chess, notation: Notation::Standard, start: chess_start };
const CHESS960: Walk = Walk { game: mailbox::Game::Chess, notation: Notation::Chess960, start: chess960_start };
const MAKRUK: Walk = Walk { game: mailbox::Game::Makruk, notation: Notation::Standard, start: makruk_start };

/// The start position half of the time, else one of the suite: castling, promotions and pins come up more often there.
fn chess_start(random: &mut Rng) -> String {
    if random.below(2) == 0 {
        return "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    }
    random.pick(&STANDARD).0.to_owned()
}

/// Each side its own back rank, so that rights on different files meet.
fn chess960_start(random: &mut Rng) -> String {
    let [white, black] = [(); 2].map(|()| String::from_utf8(back_rank(random.below(960)).to_vec()).expect("letters"));
    format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1", black.to_ascii_lowercase())
}

/// The start position, middle games, and endings in which the counts run.
fn makruk_start(random: &mut Rng) -> String {
    const STARTS: [&str; 10] = [
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1",
        "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19",
        "3k4/4n1s1/M~s1m1ppr/1p2p3/pP1p2P1/2P1PP1P/4R2K/1N2S1NR b - - 0 26",
        "1r6/m1s1s3/5k2/3p4/8/1m~1m~1N2/3n1K2/1m~1SM1r1 b - - 7 61",
        "1m6/1k5M~/2R1nn2/1M~4s1/4S1m~1/5m~2/S1K2M2/1N5R b - 128 11 61",
        "8/6ks/3M~2r1/2K1M3/8/3R4/8/8 w - 128 18 50",
        "8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1",
        "8/8/4k3/5P2/8/2RMK3/8/8 b - - 0 50",
        "4k3/8/8/pPpPpPpP/PpPpPpPp/8/8/4K3 w - - 0 1",
    ];
    (*random.pick(&STARTS)).to_owned()
}

/// Walks until `positions` positions have been compared.
fn walk<R: Rules>(variant: &Walk, seed: u64, positions: usize) {
    let mut random = Rng::plain(seed);
    let mut strangers = Vec::new();
    let mut seen = 0;
    while seen < positions {
        let fen = (variant.start)(&mut random);
        let mut ours = Position::<R>::from_fen(&fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        let mut theirs = mailbox::Position::from_fen(variant.game, &fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
        for _ in 0..200 {
            compare(variant, &ours, &theirs);
            staged(&ours, &mut random, &strangers);
            seen += 1;
            let legal = ours.legal_moves();
            for &m in legal.iter() {
                play(&ours, m);
                names(&ours, m, &legal, variant.game == mailbox::Game::Makruk);
            }
            // The game is over when the count has run out, and what would follow has no FEN.
            if legal.is_empty() || ours.is_count_draw() || seen >= positions {
                break;
            }
            let m = *random.pick(&legal);
            // Moves of other positions stand in for what a transposition table may hand out by mistake.
            if strangers.len() < 64 {
                strangers.push(m);
            } else {
                let at = random.below(64);
                strangers[at] = m;
            }
            theirs.play_uci(&ours.uci(m, Notation::Chess960)).expect("both agree on the legal moves");
            ours.make(m);
        }
    }
}

/// The two generators against each other.
fn compare<R: Rules>(variant: &Walk, ours: &Position<R>, theirs: &mailbox::Position) {
    let fen = ours.fen();
    assert_eq!(fen, theirs.fen());
    let legal = ours.legal_moves();
    let mut our_moves: Vec<String> = legal.iter().map(|&m| ours.uci(m, variant.notation)).collect();
    let mut their_moves = theirs.legal_moves(matches!(variant.notation, Notation::Chess960));
    our_moves.sort();
    their_moves.sort();
    assert_eq!(our_moves, their_moves, "{fen}");
    assert_eq!(ours.in_check(), theirs.in_check(), "{fen}");
    let stuck = their_moves.is_empty();
    assert_eq!(ours.is_checkmate(), stuck && theirs.in_check(), "{fen}");
    assert_eq!(ours.is_stalemate(), stuck && !theirs.in_check(), "{fen}");
    assert_eq!(ours.has_legal_move(), !stuck, "{fen}");
    assert_eq!(ours.count_legal(), legal.len(), "{fen}");
    assert_eq!(ours.is_count_draw() && !ours.is_checkmate(), theirs.is_count_draw(), "{fen}");
    for (color, side) in [(Color::White, mailbox::Side::White), (Color::Black, mailbox::Side::Black)] {
        let attacked = ours.attacked_by(color);
        for (square, spot) in Square::all().zip(mailbox::Spot::all()) {
            let expected = theirs.is_attacked(spot, side);
            assert_eq!(ours.is_attacked(square, color), expected, "{fen} {square}");
            assert_eq!(attacked.has(square), expected, "{fen} {square}");
            let attackers = ours.attackers_to(square, ours.occupied()) & ours.colors(color);
            assert_eq!(attackers.any(), expected, "{fen} {square}");
        }
    }

    // What is kept from move to move equals what the reader computes.
    let read = Position::<R>::from_fen(&fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    assert_eq!(read.fen(), fen);
    assert_eq!(ours.key(), read.key(), "{fen}");
    assert_eq!(ours.repetition_key(), read.repetition_key(), "{fen}");
    assert_eq!(ours.pawn_key(), read.pawn_key(), "{fen}");
    assert_eq!(ours.minor_key(), read.minor_key(), "{fen}");
    assert_eq!(ours.checkers(), read.checkers(), "{fen}");
    for color in Color::ALL {
        assert_eq!(ours.non_pawn_key(color), read.non_pawn_key(color), "{fen}");
        pins(ours, color);
    }
    if !ours.in_check() && !ours.is_count_draw() {
        let null = ours.after_null();
        assert_ne!(null.side_to_move(), ours.side_to_move());
        let read = Position::<R>::from_fen(&null.fen()).unwrap_or_else(|e| panic!("{}: {e}", null.fen()));
        assert_eq!(null.key(), read.key(), "{fen} after a null move");
    }
}

/// A man is pinned if the king would be attacked by one more slider without it.
fn pins<R: Rules>(position: &Position<R>, color: Color) {
    let king = position.king(color);
    let foes = position.colors(!color);
    let now = position.attackers_to(king, position.occupied()) & foes;
    let pinned = position.pinned(color);
    for square in position.colors(color) {
        let without = position.attackers_to(king, position.occupied() ^ square.bb()) & foes;
        let expected = square != king && (without - now).any();
        assert_eq!(pinned.has(square), expected, "{} {square}", position.fen());
    }
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.into_iter().collect();
    moves.sort_by_key(|m| m.raw());
    moves
}

fn generated<R: Rules>(position: &Position<R>, generate: impl Fn(&Position<R>, &mut MoveList)) -> Vec<Move> {
    let mut list = MoveList::new();
    generate(position, &mut list);
    let moves = sorted(list.iter().copied());
    assert!(moves.windows(2).all(|pair| pair[0] != pair[1]), "{}: a move twice", position.fen());
    moves
}

/// The staged generators, and the tests for moves that come from elsewhere.
fn staged<R: Rules>(position: &Position<R>, random: &mut Rng, strangers: &[Move]) {
    let fen = position.fen();
    let legal = sorted(position.legal_moves().iter().copied());
    let captures = generated(position, Position::generate_captures);
    let quiets = generated(position, Position::generate_quiets);
    let only_legal = |moves: &[Move]| sorted(moves.iter().copied().filter(|&m| position.is_legal(m)));

    assert!(captures.iter().all(|m| m.is_capture() || m.is_promotion()), "{fen}");
    assert!(quiets.iter().all(|m| m.is_quiet()), "{fen}");
    let both = sorted(captures.iter().chain(&quiets).copied());
    assert_eq!(only_legal(&both), legal, "{fen}: captures and quiets");
    let mut pseudo = both;
    if position.in_check() {
        let evasions = generated(position, Position::generate_evasions);
        assert_eq!(only_legal(&evasions), legal, "{fen}: evasions");
        pseudo = sorted(pseudo.into_iter().chain(evasions));
        pseudo.dedup();
    }
    for &m in &pseudo {
        let safe = position.leaves_king_safe(m);
        assert_eq!(position.keeps_king_safe(m, position.in_check()), safe, "{fen}: {m:?}");
    }

    for &m in &legal {
        assert!(position.is_pseudo_legal(m), "{fen}: {m:?}");
        assert!(position.is_legal(m), "{fen}: {m:?}");
        assert_eq!(position.move_from_u16(m.to_u16()), Some(m), "{fen}");
        let by_parts = position.move_from_parts(m.from(), m.to(), m.promotion());
        assert!(by_parts == Some(m) || m.is_castle() && by_parts.is_some(), "{fen}: {m:?}");
    }
    assert!(!position.is_pseudo_legal(Move::NONE) && !position.is_legal(Move::NONE), "{fen}");
    assert_eq!(position.move_from_u16(0), None, "{fen}");
    for &m in strangers {
        let accepted = position.is_pseudo_legal(m);
        assert!(!accepted || pseudo.contains(&m), "{fen}: {m:?} accepted");
        assert_eq!(position.is_legal(m), legal.contains(&m), "{fen}: {m:?}");
        assert_eq!(position.move_from_raw(m.raw()).is_some(), legal.contains(&m), "{fen}: {m:?}");
        let mut played = *position;
        match played.try_play(m) {
            Ok(()) => assert_eq!(played, position.after(m), "{fen}: {m:?}"),
            Err(_) => assert!(played == *position && !legal.contains(&m), "{fen}: {m:?}"),
        }
    }
    for _ in 0..8 {
        // Any bits, and a legal move with one bit changed: neither may pass for a move that it is not.
        let near = legal.get(random.below(legal.len().max(1))).map_or(0, |m| m.raw()) ^ 1 << random.below(32);
        for raw in [random.next_u64() as u32, near] {
            assert_eq!(position.move_from_raw(raw), legal.iter().copied().find(|m| m.raw() == raw), "{fen}: {raw:#x}");
        }
    }
    // Now and then every one of the 65,536 short moves, else a handful.
    let all = random.below(256) == 0;
    let mut expanded = Vec::new();
    for i in 0..if all { 1 << 16 } else { 64 } {
        let short = if all { i as u16 } else { random.next_u64() as u16 };
        assert_eq!(position.legal_from_u16(short), legal.iter().copied().find(|m| m.to_u16() == short), "{fen}");
        if let Some(m) = position.move_from_u16(short) {
            assert_eq!(m.to_u16(), short, "{fen}");
            assert!(position.is_pseudo_legal(m), "{fen}: {m:?}");
            assert!(pseudo.contains(&m), "{fen}: {m:?} made from {short:#06x}");
            expanded.push(m);
        }
    }
    if all {
        assert_eq!(only_legal(&expanded), legal, "{fen}: moves from 16 bits");
    }
}

/// A board kept only by what the position tells its observer.
struct Watcher([Option<Piece>; 64]);

impl Observer for Watcher {
    fn add(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.0[square.index()].replace(piece), None, "{square} was taken");
    }

    fn remove(&mut self, piece: Piece, square: Square) {
        assert_eq!(self.0[square.index()].take(), Some(piece), "{square}");
    }

    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.remove(piece, from);
        self.add(piece, to);
    }
}

fn board<R: Rules>(position: &Position<R>) -> [Option<Piece>; 64] {
    let mut cells = [None; 64];
    for square in Square::all() {
        cells[square.index()] = position.piece_at(square);
    }
    cells
}

/// The ways to play a move agree, and taking it back restores every bit.
fn play<R: Rules>(position: &Position<R>, m: Move) {
    let after = position.after(m);
    let mut copy = *position;
    let undo = copy.make(m);
    assert!(copy == after, "{} {m:?}: make and after differ", position.fen());
    copy.unmake(undo);
    assert!(copy == *position, "{} {m:?}: unmake", position.fen());
    assert_eq!(position.gives_check(m), after.in_check(), "{} {m:?}", position.fen());

    let mut watcher = Watcher(board(position));
    copy.make_observed(m, &mut watcher);
    assert!(copy == after, "{} {m:?}: make_observed", position.fen());
    assert!(watcher.0 == board(&after), "{} {m:?}: observer", position.fen());
}

/// Names are read back as the move they were written for, and no two moves share one.
fn names<R: Rules>(position: &Position<R>, m: Move, legal: &MoveList, thai: bool) {
    let fen = position.fen();
    for notation in [Notation::Standard, Notation::Chess960] {
        // In Chess960 the standard castling name may also be a king's step, or not move the king at all.
        let name = position.uci(m, notation);
        let twins = legal.iter().filter(|&&n| position.uci(n, notation) == name).count();
        let names_itself = twins == 1 && name[..2] != name[2..4];
        if names_itself {
            assert_eq!(position.parse_uci(&name), Ok(m), "{fen} {name}");
        } else {
            assert!(matches!(notation, Notation::Standard), "{fen} {name}");
        }
    }
    let san = position.san(m);
    assert_eq!(position.parse_san(&san), Ok(m), "{fen} {san}");
    let after = position.after(m);
    assert_eq!(san.ends_with('#'), after.is_checkmate(), "{fen} {san}");
    assert_eq!(san.ends_with(['+', '#']), after.in_check(), "{fen} {san}");
    let bare = san.trim_end_matches(['+', '#']);
    assert_eq!(position.parse_san(bare), Ok(m), "{fen} {bare}");
    let long = position.lan_in(m, Alphabet::English);
    assert_eq!(position.parse_san(&long), Ok(m), "{fen} {long}");
    if thai {
        for text in [position.san_in(m, Alphabet::Thai), position.lan_in(m, Alphabet::Thai)] {
            assert_eq!(position.parse_san(&text), Ok(m), "{fen} {text}");
        }
    }
}

#[test]
fn chess() {
    walk::<Chess>(&CHESS, 1, 20_000);
}

#[test]
fn chess960() {
    walk::<Chess>(&CHESS960, 2, 20_000);
}

#[test]
fn makruk() {
    walk::<Makruk>(&MAKRUK, 3, 20_000);
}

#[test]
#[ignore = "long: a million positions"]
fn chess_million() {
    walk::<Chess>(&CHESS, 11, 1_000_000);
}

#[test]
#[ignore = "long: a million positions"]
fn chess960_million() {
    walk::<Chess>(&CHESS960, 12, 1_000_000);
}

#[test]
#[ignore = "long: a million positions"]
fn makruk_million() {
    walk::<Makruk>(&MAKRUK, 13, 1_000_000);
}

/// However long a game goes on, what is written can be read.
#[test]
fn clocks_without_end_are_written_as_far_as_they_are_read() {
    let mut position = Position::<Chess>::from_fen("k7/8/8/8/8/8/8/K6R w - - 9990 99990").expect("a legal position");
    for mv in ["h1h2", "a8b8", "h2h1", "b8a8"].iter().cycle().take(60) {
        position = position.after(position.parse_uci(mv).expect("a legal move"));
        assert!(Position::<Chess>::from_fen(&position.fen()).is_ok(), "{}", position.fen());
    }
    assert!(position.fen().ends_with(" 9999 99999"), "{}", position.fen());
}

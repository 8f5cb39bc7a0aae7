//! Known examples of every motif and of every kind of fact, and positions that only look like one.

use rukh_coach::reasons::{Line, Proven};
use rukh_coach::{Choice, Fact, Theme, explain, tactics};
use rukh_core::{AnyGame, AnyPosition, Color, DrawReason, Move, Outcome, Variant, dispatch};
use rukh_engine::Score;
use rukh_eval::layout;
use rukh_tables::{Distance, Tables};

/// The moves of a line in SAN.
fn moves(pos: &AnyPosition, text: &str) -> Vec<Move> {
    let mut at = pos.clone();
    let mut list = Vec::new();
    for word in text.split_whitespace() {
        let mv = at.parse_move(word).unwrap_or_else(|error| panic!("{word} in {}: {error}", at.fen()));
        at.play(mv);
        list.push(mv);
    }
    list
}

/// The motifs of the side that makes the first move.
fn themes_of(variant: Variant, fen: &str, line: &str) -> Vec<(Theme, String)> {
    let pos = AnyPosition::from_fen(variant, fen).unwrap();
    let list = moves(&pos, line);
    dispatch!(&pos, start => {
        let found = tactics(&Line::new(start, &list), start.side_to_move());
        found.iter().map(|tactic| (tactic.theme, tactic.sentence())).collect()
    })
}

#[track_caller]
fn first(fen: &str, line: &str, theme: Theme, sentence: &str) {
    let found = themes_of(Variant::Chess, fen, line);
    assert_eq!(found.first(), Some(&(theme, sentence.to_owned())), "{found:?}");
}

#[track_caller]
fn lacks(fen: &str, line: &str, theme: Theme) {
    let found = themes_of(Variant::Chess, fen, line);
    assert!(found.iter().all(|(found, _)| *found != theme), "{found:?}");
}

#[test]
fn forks() {
    let knight = "1. Nc7+ forks the king and the rook on a8.";
    first("r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7+ Kd7 Nxa8", Theme::Fork, knight);
    let pawn = "1. c5 forks the knight on b6 and the knight on d6.";
    first("4k3/8/1n1n4/8/2P5/8/8/4K3 w - - 0 1", "c5 Nd7 cxd6", Theme::Fork, pawn);
    // The rook is protected: nothing is forked, though the line wins a rook later.
    lacks("r2qk3/8/8/8/8/8/2Q5/4K2R w - - 0 1", "Qc6+ Kf8 Rh8+ Kf7 Rxd8 Rxd8", Theme::Fork);
}

#[test]
fn pins() {
    let attacked = "1. d5 exploits a pin: the knight on e6 is pinned to the king by the rook on e2.";
    first("4k3/5p2/4n3/8/3P4/8/4R3/4K3 w - - 0 1", "d5 Kd7 dxe6+ fxe6", Theme::Pin, attacked);
    let idle = "1. Qxg6+ exploits a pin: the pawn on f7 is pinned to the king by the bishop on c4.";
    first("6k1/5p2/6p1/8/2B5/6Q1/8/6K1 w - - 0 1", "Qxg6+ Kf8 Qf6", Theme::Pin, idle);
    // Pinned along the file on which it takes back.
    lacks("4r1k1/8/8/8/4r3/4Q3/8/4K3 b - - 0 1", "Rxe3+ Kd2", Theme::Pin);
}

#[test]
fn skewers() {
    let text = "1. Bg2+ is a skewer: when the king moves, the queen on a8 behind it falls.";
    first("q7/8/8/3k4/8/8/8/4KB2 w - - 0 1", "Bg2+ Kd4 Bxa8", Theme::Skewer, text);
    // The less valuable stands in front: it was pinned, not skewered.
    lacks("q7/8/8/3n4/8/8/8/2k1KB2 w - - 0 1", "Bg2 Nf4 Bxa8", Theme::Skewer);
}

#[test]
fn discoveries() {
    let attack = "1. Nf6+ is a discovered attack: the rook on d1 now attacks the queen on d8.";
    first("3qk3/8/8/3N4/8/8/8/3RK3 w - - 0 1", "Nf6+ Ke7 Rxd8", Theme::DiscoveredAttack, attack);
    let check = "1. Bd3+ is a discovered check from the rook on e1.";
    first("4k3/8/8/1q6/4B3/8/8/4RK2 w - - 0 1", "Bd3+ Kf7 Bxb5", Theme::DiscoveredCheck, check);
}

#[test]
fn trapped_pieces() {
    let text = "1... b5 traps the knight on a4: it has no safe square.";
    first("6k1/pp4b1/3p4/8/N7/8/5PPP/6K1 b - - 0 1", "b5 Nc5 dxc5", Theme::TrappedPiece, text);
    // It could go to b6: not trapped, only badly played.
    lacks("6k1/1p4b1/3p4/8/N7/8/5PPP/6K1 b - - 0 1", "b5 Nc5 dxc5", Theme::TrappedPiece);
}

#[test]
fn guards() {
    let led_away = "1. Bxf7+ draws the king away from the defence of the queen on d8.";
    first("3qk3/5p2/8/8/2B5/8/8/3QK3 w - - 0 1", "Bxf7+ Kxf7 Qxd8", Theme::Deflection, led_away);
    let taken = "1. Bxc6 removes the knight on c6, which defends the bishop on d4.";
    first("6k1/1p6/2n5/1B6/3b4/5N2/8/4K3 w - - 0 1", "Bxc6 bxc6 Nxd4", Theme::RemovedGuard, taken);
    // Another guard stays: the bishop costs a knight.
    lacks("6k1/1p6/2n5/1B2p3/3b4/5N2/8/4K3 w - - 0 1", "Bxc6 bxc6 Nxd4 exd4", Theme::RemovedGuard);
}

/// Names that a look at 67 mined puzzles has shown to be wrong.
#[test]
fn names_that_were_wrong() {
    // The rook takes a bishop; that it pins a rook which may take it back is not the point.
    let line = "Rxd1 Qa3 Rxf1+ Rxf1";
    lacks("2rr2k1/p1q2ppp/1pN1pn2/1P5b/P7/2n2N1P/2P2PP1/R1QB1RK1 b - - 9 21", line, Theme::Pin);
    // A loose bishop is taken: the knight that falls later needs no trap.
    let loose = "20... Qxd6 takes the bishop on d6, which is undefended.";
    let fen = "r3r2k/1p1bNp1p/3Bp1p1/p7/3Pp1Q1/P6P/1PP2P1q/2KR2R1 b - - 1 20";
    first(fen, "Qxd6 Nxg6+ fxg6 Qxe4", Theme::HangingPiece, loose);
    // The bishop falls at once; that a king is led away from a pawn two moves later is not the point.
    let fen = "2r3k1/3N2p1/pr3p1p/b6P/2nP2R1/2P1PP2/PBK5/2R5 b - - 10 38";
    lacks(fen, "Rxb2+ Kd3 Rd2+ Ke4 f5+ Kxf5 Nxe3+ Ke4", Theme::Deflection);
    // A rook is won; the pawn that loses its guard later is nothing.
    let fen = "r1b1k1nr/1pp1bpp1/p1n5/2Pq2Pp/1PNpP2P/3p4/PB1N1P2/R2QKB1R b KQkq e3 0 13";
    lacks(fen, "dxe3 Nxe3 Qxh1 Qa4 Qxh4 Bxd3 Bxg5 Bc2", Theme::RemovedGuard);
    // The pawn is the least of what is won.
    let fen = "2kr2nr/p1p3pp/2p5/4B3/1b6/2N5/PPP2P1P/R3K2R w KQ - 1 16";
    lacks(fen, "Bxg7 Ne7 Bxh8 Rxh8", Theme::HangingPiece);
}

#[test]
fn loose_pieces_and_exchanges() {
    let loose = "1. Rxd5 takes the knight on d5, which is undefended.";
    first("4k3/8/8/3n4/8/8/8/3RK3 w - - 0 1", "Rxd5 Ke7", Theme::HangingPiece, loose);
    let exchange = "1. exd6 takes the knight on d6, which is not defended well enough.";
    first("4k3/4p3/3n4/4P3/8/8/8/4K3 w - - 0 1", "exd6 exd6", Theme::LosingExchange, exchange);
    assert_eq!(themes_of(Variant::Chess, "4k3/4p3/3n4/8/8/8/8/3RK3 w - - 0 1", "Rxd6 exd6"), []);
}

#[test]
fn mates() {
    let text = "1. Ra8# is a back-rank mate: the king is shut in by its own men.";
    first("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "Ra8#", Theme::BackRankMate, text);
    first("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "Ra8#", Theme::Mate, "1. Ra8# is mate.");
}

#[test]
fn promotions() {
    let certain = "The king cannot catch the pawn on a6: it promotes with 2. a8=Q+.";
    first("8/8/P7/8/8/6k1/8/4K3 w - - 0 1", "a7 Kf3 a8=Q+ Kg4", Theme::Promotion, certain);
    let found = themes_of(Variant::Chess, "8/8/P4r2/8/8/6k1/8/4K3 w - - 0 1", "a7 Kg4 a8=Q");
    assert_eq!(found, [(Theme::Promotion, "The pawn on a6 promotes with 2. a8=Q.".to_owned())]);
    lacks("1r6/P7/8/8/8/6k1/8/4K3 w - - 0 1", "a8=Q Rxa8", Theme::Promotion);
}

#[test]
fn makruk_and_chess960() {
    // A Ma forks the Khun and a Rua.
    let found = themes_of(Variant::Makruk, "r3k3/8/8/1N6/8/P7/8/4K3 w - - 0 1", "Nc7 Kd7 Nxa8");
    assert_eq!(found.first().map(|(theme, _)| *theme), Some(Theme::Fork), "{found:?}");
    assert_eq!(found[0].1, "1. Nc7+ forks the Khun and the Rua on a8.");
    let found = themes_of(Variant::Chess960, "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7+ Kd7 Nxa8");
    assert_eq!(found.first().map(|(theme, _)| *theme), Some(Theme::Fork));
}

fn sentences(pos: &AnyPosition, played: (Score, &str), best: (Score, &str)) -> Vec<String> {
    let choice = |(score, line): (Score, &str)| Choice { score, line: moves(pos, line) };
    explain(pos, &choice(played), &choice(best)).iter().map(Fact::sentence).collect()
}

#[test]
fn proven_results() {
    let pos =
        AnyPosition::from_fen(Variant::Chess, "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2").unwrap();
    let said = sentences(&pos, (Score::mated_in(2), "g4 Qh4#"), (Score(-40), "e4 Nc6"));
    assert_eq!(said[0], "It allows mate in 1 move.");
    assert!(said.contains(&"2... Qh4# is mate.".to_owned()), "{said:?}");
    assert!(said.contains(&"It is answered by 2... Qh4#.".to_owned()), "{said:?}");
    assert!(
        said.last().is_some_and(|text| text.starts_with("Better was 2. e4 Nc6, with an expected score")),
        "{said:?}"
    );

    let pos = AnyPosition::from_fen(Variant::Chess, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").unwrap();
    let said = sentences(&pos, (Score(300), "Kf2 h6"), (Score::mate_in(1), "Ra8#"));
    assert_eq!(said[0], "There was a mate in 1 move.");
    assert!(said[1].starts_with("Missed: 1. Ra8# is a back-rank mate"), "{said:?}");

    let pos = AnyPosition::from_fen(Variant::Chess, "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1").unwrap();
    let choice = |score, line| Choice { score: Score(score), line: moves(&pos, line) };
    let facts = explain(&pos, &choice(0, "e4 Kxe4"), &choice(31_700, "Kf2 Ke4"));
    assert_eq!(facts[0], Fact::Table { before: Proven::Win, after: Proven::Draw });
    assert_eq!(explain(&pos, &choice(0, "e4 Kxe4"), &choice(0, "e4 Kxe4")), [], "the same move needs no reason");
}

/// What is said of a term: the sentence, or nothing.
fn term_of(variant: Variant, fen: &str, played: &str, best: &str) -> Option<String> {
    let pos = AnyPosition::from_fen(variant, fen).unwrap();
    let choice = |score, line| Choice { score: Score(score), line: moves(&pos, line) };
    let facts = explain(&pos, &choice(-60, played), &choice(60, best));
    facts.iter().find(|fact| matches!(fact, Fact::Term { .. })).map(Fact::sentence)
}

/// Differences that anybody can see, and whose they are.
#[test]
fn quiet_positions_name_a_term() {
    for (fen, played, best, said) in [
        // The knight goes to b5, and back to the edge.
        (
            "rnb1kb1r/ppp2ppp/3qpn2/8/2B5/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 6",
            "Nb5 Qd8 a4 a6 Na3 c5 O-O Be7 Re1",
            "d4 Be7 O-O O-O Re1 Qd8 Bg5 a6",
            "White's mobility: 0.6 pawns worse.",
        ),
        // The way to the king is open, and it must step out.
        (
            "r1bqk1nr/ppp3bp/2np2p1/4pp2/3P4/1PPBP3/P2N1PPP/R1BQK1NR w KQkq - 1 7",
            "f3 Nf6 Ne2 Nd5 Nb1 Qh4+ g3 Qh3 Kf2",
            "Ne2 Nf6 O-O O-O b4 b6 a4 Bb7",
            "White's king safety: 1.0 pawns worse.",
        ),
        // It castles; after 15... Qh4+ it would have stayed in the middle.
        (
            "r1bq1rk1/pp1np1bp/5pp1/3pP3/3P4/1QP5/PP1NB1PP/R1B1K2R b KQ - 1 12",
            "Nb6 exf6 exf6 O-O Re8 Bb5 Re7 Nf3 Qc7",
            "fxe5 Qxd5+ e6 Qd6 exd4 cxd4 Qh4+ g3",
            "White's king safety: 1.1 pawns better.",
        ),
    ] {
        let found = term_of(Variant::Chess, fen, played, best);
        assert_eq!(found, Some(format!("The main difference from the better move is {said}")), "{fen}");
    }
}

/// Sentences that were said and that nobody would sign, each for another reason.
#[test]
fn doubtful_terms_are_not_said() {
    for (fen, played, best) in [
        // A gambit against a quiet line: nothing is alike at their ends.
        (
            "rnbqk1nr/ppp2ppp/3b4/4N3/3Pp3/8/PPP2PPP/RNBQKB1R w KQkq - 0 5",
            "Nc4 Be7 Be2 Nf6 O-O Nc6 Be3 O-O Nc3",
            "Bc4 Bxe5 Qh5 Qxd4 Qxf7+ Kd8 Qf8+ Kd7",
        ),
        // A check that lets a pawn through: hardly a matter of mobility.
        (
            "6k1/1N3pp1/7p/3p4/3PbBP1/3p4/2r3PP/R5K1 b - - 2 27",
            "Rxg2+ Kf1 Bf3 Nc5 d2 Nd3 g5 Bg3 d1=Q+",
            "g5 Be3 Re2 Bf2 d2 Nd6 Bc2 Nf5",
        ),
        // A few hundredths of bishop activity.
        (
            "r1qn1r2/pp2kn1b/2pbp1p1/3p4/P3PpN1/2P2P2/1PBP1BPP/R1QK1R2 w - - 2 14",
            "h3 g5 Re1 dxe4 Bxe4 Bxe4 Rxe4 Re8 Kc2",
            "d4 dxe4 Bxe4 Qc7 Qc2 Rg8 Re1 Rg7",
        ),
        // The same moves in another order.
        (
            "2r2rk1/5ppp/5n2/pp1Pp3/2p1P3/q1P2B1P/3QN1P1/3R1RK1 b - - 1 25",
            "Qc5+ Kh1 h6 Ng3 b4 Nf5 Kh7 g4 Ng8",
            "h6 Ng3 Qc5+ Kh1 b4 Bg4 Nxg4 hxg4",
        ),
    ] {
        assert_eq!(term_of(Variant::Chess, fen, played, best), None, "{fen}");
    }
}

/// Terms that tell a player nothing: the shelter of kings without queens, and what is threatened where a line happens to end.
#[test]
fn terms_that_nobody_would_name() {
    let fen = "8/1pp2p2/p4bp1/5k2/2Bp4/1P1P1PP1/P1P2K2/8 w - - 1 30";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let (played, best) = ("g4+ Kf4 Bxf7 g5 Be6 a5 Bc8 b6 Bd7", "Bd5 c6 Bxf7 g5 Bh5 Ke5");
    let said = sentences(&pos, (Score(40), played), (Score(130), best));
    assert!(said.iter().all(|text| !text.contains("king safety")), "{said:?}");
    let fen = "r1b1k1nr/pppp1pp1/2n2q1p/2b5/2BNP3/4B3/PPP2PPP/RN1QK2R w KQkq - 3 7";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let played = "Nxc6 Bxe3 fxe3 Qh4+ g3 Qxe4 O-O Qxe3+ Kg2 Qe4+ Rf3 Qxc6";
    let best = "c3 Nge7 O-O Ne5 Bb3 O-O f4 N5g6";
    let said = sentences(&pos, (Score(-20), played), (Score(80), best));
    assert!(said.iter().all(|text| !text.contains("threats")), "{said:?}");
}

/// What is said of things that can be seen and win nothing.
fn seen_of(variant: Variant, fen: &str, played: &str, best: &str) -> Vec<String> {
    let pos = AnyPosition::from_fen(variant, fen).unwrap();
    let choice = |score, line| Choice { score: Score(score), line: moves(&pos, line) };
    let facts = explain(&pos, &choice(-60, played), &choice(60, best));
    facts.iter().filter(|fact| matches!(fact, Fact::Allows(_) | Fact::Misses(_))).map(Fact::sentence).collect()
}

/// Quiet mistakes of real games.
#[test]
fn what_can_be_seen_is_said() {
    for (fen, played, best, said) in [
        // The bishop only comes to be chased.
        (
            "rnbqkb1r/pp2pppp/2p2n2/1B1p4/3P4/4P3/PPP2PPP/RNBQK1NR w KQkq - 0 4",
            "Ba4 b5 Bb3 e6 c3 Bd6 Nf3 Nbd7 a4",
            "Be2 g6 Nf3 Bg7 c4 Be6 Nbd2 O-O",
            "4... b5 gains a tempo: it attacks the bishop on a4.",
        ),
        (
            "r1bqkbnr/ppp2ppp/2n5/4p3/3PP3/2P5/PP3PPP/R1BQKBNR w KQkq - 0 6",
            "dxe5 Qxd1+ Kxd1 Nxe5 Ke1 Bc5 Bf4 f6 Nf3",
            "d5 Nb8 f4 exf4 Bxf4 Nf6 Nf3 Be7",
            "Missed: 6. d5 gains a tempo: it attacks the knight on c6.",
        ),
        (
            "r1bqkb1r/ppp2pp1/2np4/5N1p/2B1P1n1/2P5/PP3PPP/RNBQ1RK1 w kq - 1 9",
            "Ng3 Qh4 h3 Nge5 Be2 Bxh3 gxh3 Qxh3 Nd2",
            "Bd5 g6 Nd4 Nxd4 cxd4 Bg7 h3 Nf6",
            "9... Qh4 threatens Qxh2#.",
        ),
        (
            "k6r/p3bp1p/P3q1p1/B2np3/3p4/4P3/1PQ1NPPP/5RK1 w - - 0 26",
            "exd4 Qxa6 Bc3 exd4 Bxd4 Rd8 Rc1 Bd6 g3",
            "Qe4 f5 Nxd4 Qd6 Nxf5 gxf5 Qxf5 Nf6",
            "Missed: 26. Qe4 pins the knight on d5 to the king.",
        ),
        (
            "r1bqk2r/p1p2pb1/1p1p1n1p/3Pp3/4Pp1N/2NB3P/PPPQ1PP1/2R1R1K1 b kq - 1 16",
            "Nh5 Bb5+ Kf8 Nf3 a6 Bc6 Rb8 b4 Bf6",
            "O-O Nf5 Kh8 g4 Rg8 Kg2 a6 Rg1",
            "After 17... Kf8 Black can no longer castle.",
        ),
        (
            "r2qk2r/ppp2ppp/2np1n2/4p3/1bP3b1/1P1P1N2/PB1NPPPP/R2QKB1R w KQkq - 2 7",
            "g3 Bxf3 exf3 d5 a3 Bc5 Bg2 Bd4 Qc2",
            "a3 Bxd2+ Nxd2 O-O h3 Bd7 e3 Ne7",
            "7... Bxf3 doubles White's pawns on the f-file.",
        ),
        (
            "rnbq1rk1/1p2ppbp/p2p1np1/6B1/4P3/2N2N2/PPP1BPPP/R2Q1RK1 b - - 5 9",
            "Bg4 h3 Bxf3 Bxf3 Nbd7 Nd5 Nxd5 Qxd5 Nc5",
            "Nbd7 Nd4 Nc5 Bf3 Bd7 a4 Rc8 Qd2",
            "11. Bxf3 costs Black the bishop pair.",
        ),
        // 8... h6 is played either way, and there is no bishop on g5 after the better move.
        (
            "rn1qk2r/ppp2ppp/3bpn2/5b2/2BP4/2N2N2/PPP3PP/R1BQ1RK1 w kq - 2 8",
            "Bg5 h6 Bh4 g5 Bf2 Ng4 Qe2 O-O Ne5",
            "h3 h6 Ne5 O-O g4 Bh7 g5 hxg5",
            "8... h6 gains a tempo: it attacks the bishop on g5.",
        ),
        // The knight goes back, after a check.
        (
            "r2q1rk1/p2bbppp/4pn2/3p4/5P2/2NB4/PPP3PP/R1B1QRK1 b - - 9 14",
            "Ng4 h3 Bc5+ Kh1 Nf6 Be3 Qb6 Bxc5 Qxc5",
            "Bc6 Kh1 Qb6 f5 d4 Nd1 Bb5 Bxb5",
            "15. h3 gains a tempo: it attacks the knight on g4.",
        ),
    ] {
        assert_eq!(seen_of(Variant::Chess, fen, played, best), [said], "{fen}");
    }
    let fen = "r1s2r2/2mkn3/ppn4p/4P3/5S1P/PPP1S3/2KN4/R5R1 b - - 2 20";
    let played = "Sb7 Rg7 Rg8 Rag1 a5 h5 Rxg7 Rxg7 Rf8";
    let said = seen_of(Variant::Makruk, fen, played, "Nd5 Raf1 Nxe3+ Sxe3 Rxf1 Nxf1 Nxe5 Rg7+");
    assert_eq!(said, ["21. Rg7 pins the Ma on e7 to the Khun."]);
}

/// Sentences that were true of a line and no reason.
#[test]
fn what_is_seen_and_no_reason() {
    for (fen, played, best) in [
        // A queen that offers an exchange attacks nothing.
        ("6k1/5p2/3q2p1/7p/p1p5/2P2P1P/P4QP1/5K2 w - - 0 38", "Qa7 Qd3+ Kg1 Kg7", "Qd4 Qc6 Qd8+ Kg7 Qd4+ Kh7 a3 Qc7"),
        // Two knights and a bishop go, not a bishop for a knight.
        (
            "r3kb1r/ppp2pp1/3pbq2/4nN1p/4P1n1/2P4P/PP2BPP1/RNBQ1RK1 w kq - 5 13",
            "hxg4 hxg4 f4 gxf3 Bxf3 O-O-O Be3 g6 Nd4",
            "f4 Bxf5 hxg4 Nxg4 exf5 Qxf5 Qd4 a6",
        ),
        // 7... h6 is answered by a move of the bishop, 6... h6 by taking: it is played in both lines.
        (
            "rnbqk2r/pp3ppp/2p1pn2/3p2B1/1bPP4/2N2N2/PP2PPPP/R2QKB1R w KQkq - 4 6",
            "Ne5 Nbd7 Qc2 h6 Bf4 Nxe5 Bxe5 O-O a3",
            "e3 h6 Bxf6 Bxc3+ bxc3 Qxf6 Be2 O-O",
        ),
        // The bishop is chased either way.
        (
            "rnbqkb1r/pp2pppp/2p2n2/1B1p4/3P4/4P3/PPP2PPP/RNBQK1NR w KQkq - 0 4",
            "Ba4 b5 Bb3 e6 c3 Bd6",
            "Bd3 e5 Nf3 e4 Be2 Bd6",
        ),
    ] {
        assert_eq!(seen_of(Variant::Chess, fen, played, best), [] as [&str; 0], "{fen}");
    }
}

/// Makruk's pieces have their own names, also in what the evaluation says.
#[test]
fn makruk_speaks_of_its_own_pieces() {
    let term =
        Fact::Term { variant: Variant::Makruk, line: layout::Line::King, whose: Color::Black, own: false, change: 60 };
    assert_eq!(term.sentence(), "The main difference from the better move is Black's Khun safety: 0.6 Bia better.");
    let pos = AnyPosition::from_fen(Variant::Makruk, "4k3/8/3m4/4S3/8/8/8/R3K3 w - - 0 1").unwrap();
    let said = sentences(&pos, (Score(-300), "Ra7 Mxe5"), (Score(100), "Sxd6 Kf8"));
    assert!(said.iter().any(|text| text.contains("the Khon on e5")), "{said:?}");
}

#[test]
fn material_is_counted_without_even_trades() {
    // Knights are exchanged, then a rook is lost for a pawn.
    let pos = AnyPosition::from_fen(Variant::Chess, "r3k3/1p6/2n5/8/3N4/8/8/R3K2B b - - 0 1").unwrap();
    let said = sentences(&pos, (Score(-500), "Nxd4 Rxa8+ Kd7"), (Score(0), "Rxa1+ Kd2 Nxd4"));
    assert!(said.iter().any(|text| text.starts_with("It loses a rook")), "{said:?}");
}

/// Of all counts, one leaves just enough moves for the best move and too few for another: then the count is the reason.
#[test]
fn the_count_of_makruk() {
    let mut found = 0;
    for plies in 6..32 {
        let fen = format!("8/8/8/3k4/8/8/8/R3K3 w - 32 {plies} 1");
        let pos = AnyPosition::from_fen(Variant::Makruk, &fen).unwrap();
        let list = pos.legal_moves();
        for (&played, &best) in list.iter().flat_map(|played| list.iter().map(move |best| (played, best))) {
            let choice = |mv| Choice { score: Score::DRAW, line: vec![mv] };
            for fact in explain(&pos, &choice(played), &choice(best)) {
                match fact {
                    Fact::CountTooShort { won: true, capture: false, needed, left } => {
                        assert!(needed > left, "{fen}: {needed} {left}");
                        let said =
                            format!("This loses the win: mate takes {needed} moves, and the count leaves {left}.");
                        assert_eq!(fact.sentence(), said);
                        found += 1;
                    }
                    Fact::CountLongEnough { needed, left } => {
                        assert!(needed <= left, "{fen}: {needed} {left}");
                        let said = fact.sentence();
                        assert!(said.starts_with("After the better move mate takes "), "{said}");
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(found > 0, "a Rua can be too slow");
}

/// The moves that the other side makes before the rules end the game by count, whatever they are.
fn moves_until_the_count_ends(bare_to_move: &AnyPosition) -> u32 {
    let mut game = AnyGame::from(bare_to_move);
    let mut made = 0;
    while game.finished() != Some(Outcome::Draw(DrawReason::Count)) {
        let pos = game.position();
        let bare = pos.side_to_move() == bare_to_move.side_to_move();
        let goes_on = |mv: &&Move| {
            let mut next = pos.clone();
            next.play(**mv);
            !mv.is_capture()
                && !next.legal_moves().is_empty()
                && (bare || next.legal_moves().iter().all(|mv| !mv.is_capture()))
        };
        let list = pos.legal_moves();
        let mv = *list.iter().find(goes_on).unwrap_or_else(|| panic!("{}", pos.fen()));
        made += u32::from(!bare);
        game.play(mv);
    }
    made
}

/// A capture that bares the Khun begins a count, of which as many as there are men are spoken already: against one Rua 13 moves
/// are left. With the Met still there nothing is counted and no table knows the position: the engine's own word is enough for
/// "the win".
#[test]
fn a_capture_that_loses_the_win() {
    let mut numbers = Vec::new();
    for (rank, file) in (1..6).flat_map(|rank| (1..7).map(move |file| (rank, file))) {
        let mut rows = ["8"; 8].map(str::to_owned);
        (rows[6], rows[7]) = ("m6R".to_owned(), "K7".to_owned());
        rows[rank] = format!("{file}k{}", 7 - file);
        let fen = format!("{} w - - 0 1", rows.join("/"));
        let pos = AnyPosition::from_fen(Variant::Makruk, &fen).unwrap();
        let said = |best: Score| {
            let said = sentences(&pos, (Score::DRAW, "Rxa2"), (best, "Rh3"));
            said.into_iter().next().filter(|text| text.contains("the count leaves"))
        };
        let mut after = pos.clone();
        after.play(moves(&pos, "Rxa2")[0]);
        let Some(Distance::Mate(needed)) = Tables::four_men().distance(after.makruk().unwrap()) else { continue };
        let left = moves_until_the_count_ends(&after);
        let (capture, draws) = match u32::from(needed) > left {
            true => {
                let told = format!("mate takes {needed} moves, and the count leaves {left}.");
                (Some(format!("This capture loses the win: {told}")), Some(format!("This only draws: {told}")))
            }
            false => (None, None),
        };
        assert_eq!((said(Score::mate_in(35)), said(Score(60))), (capture, draws), "{fen}: {needed} {left}");
        numbers.push((needed, left));
    }
    assert!(numbers.contains(&(14, 13)) && numbers.contains(&(13, 13)), "{numbers:?}");
}

/// Knights are exchanged, and the bishop is lost: 13. Nxe4 dxe4 14. Bxe4 fxe3.
#[test]
fn like_goes_for_like_before_alike() {
    let fen = "r1bq1rk1/pp4pp/2nb4/3p4/2pPnp2/2P1BB2/PP1NNPPP/R2QK2R w KQ - 0 13";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let played = "Nxe4 dxe4 Bxe4 fxe3 f3 Kh8 Qa4 Na5 O-O";
    let said = sentences(&pos, (Score(-400), played), (Score(-200), "Bxf4 Bxf4 Nxe4 dxe4 Bxe4 Bd6 Ng3 Bxg3"));
    assert_eq!(said[0], "It loses a bishop for a pawn.", "{said:?}");
    // Two Ma for two Khon are no loss.
    let fen = "1r3r2/8/4k1p1/p1mnnpSp/7P/PS2P1P1/K2M1N2/3R1R2 b - - 4 30";
    let pos = AnyPosition::from_fen(Variant::Makruk, fen).unwrap();
    let played = "Rf7 Sf4 Nxf4 exf4 Rfb7 fxe5 Rxb3 Rb1 Rxb1";
    let said = sentences(&pos, (Score(-120), played), (Score(-70), "Md6 e4 fxe4 Nxe4 Rbc8 Rfe1 Me7 Sf4"));
    assert!(said.iter().all(|text| !text.starts_with("It loses")), "{said:?}");
}

/// A pawn is won at once or two moves later, and a knight taken back with the wrong piece: nothing was forgone.
#[test]
fn what_is_won_anyhow_is_not_forgone() {
    let pos =
        AnyPosition::from_fen(Variant::Chess, "2kr3r/ppp5/q2b2p1/1Q3b1p/1P6/P1N2N1P/2P2PP1/R4RK1 b - - 2 20").unwrap();
    let played = "Bxc2 Rfe1 Qxb5 Nxb5 Ba4 Nxd6+ Rxd6 Re7 Rhd8";
    let said = sentences(&pos, (Score(-40), played), (Score(10), "Rhe8 Qxa6 bxa6 Rad1 Bxc2 Rd4 Bf8 Rc1"));
    assert!(said.iter().all(|text| !text.starts_with("The better line wins")), "{said:?}");
    let pos =
        AnyPosition::from_fen(Variant::Chess, "3r1r2/2q2pkp/2bp2p1/4p3/1PB1P2P/Q4P2/3Rn1P1/3R2K1 w - - 0 32").unwrap();
    let played = "Rxe2 Bxe4 Rxe4 f5 Re3 Qxc4 b5 Qxb5 Rxd6";
    let said = sentences(&pos, (Score(0), played), (Score(90), "Bxe2 Kg8"));
    assert!(said.iter().all(|text| !text.starts_with("The better line wins")), "{said:?}");
}

/// What both moves take at once is counted in neither line: the bishop on f5 goes with 13. Rxf5.
#[test]
fn what_both_moves_take_is_not_counted() {
    let pos =
        AnyPosition::from_fen(Variant::Chess, "r2q1rk1/pppNbppp/4pn2/5bB1/2BP4/2N5/PPP1Q1PP/R4RK1 b - - 0 11").unwrap();
    let played = "Nxd7 Bxe7 Qxe7 Rxf5 c6 Rf3 b5 Bd3 b4";
    let best = "Qxd7 Bxf6 Bxf6 Rad1 Bxd4+ Kh1 c5 Nb5 Qc6 Nxd4 cxd4";
    let said = sentences(&pos, (Score(-300), played), (Score(300), best));
    assert_eq!(said[..2], ["It loses a bishop.", "The better line wins a pawn."], "{said:?}");
    // The bishop is paid for, and 17... e4 comes at queen and knight.
    let pos =
        AnyPosition::from_fen(Variant::Chess, "2r2rk1/1pq2ppp/pbnp1n2/3bp3/1PP1P3/P2Q1N2/3BBPPP/R4RK1 w - - 0 17")
            .unwrap();
    let (played, best) = ("exd5 e4 Qc3 exf3 Bxf3 Ne5 c5 dxc5 Bf4", "cxd5 Nd4 Nxd4 Bxd4 Rac1 Qd7 Bg5 Rxc1");
    let said = sentences(&pos, (Score(-60), played), (Score(60), best));
    let fork = "17... e4 forks the queen on d3 and the knight on f3.";
    assert_eq!(said[..2], [fork, "It loses a knight."], "{said:?}");
    // To take costs something either way: then what is taken belongs to it.
    let pos = AnyPosition::from_fen(Variant::Chess, "4k3/2p1p3/3n4/8/1B6/8/8/3RK3 w - - 0 1").unwrap();
    let said = sentences(&pos, (Score(-300), "Rxd6 exd6 Bxd6 cxd6"), (Score(0), "Bxd6 exd6 Rxd6 cxd6"));
    assert!(said.iter().all(|text| text != "It loses a rook."), "{said:?}");
}

/// A mate that can be seen to its end is not said to win a rook.
#[test]
fn a_mate_wins_no_material() {
    let pos = AnyPosition::from_fen(Variant::Chess, "3r2k1/1b4bp/4p1p1/2p5/2P5/2P1B3/P4PPP/3R2K1 b - - 1 21").unwrap();
    let played = "Bxc3 Rxd8+ Kf7 Rd7+ Ke8 Rxb7 h5 Bxc5 Kd8";
    let said = sentences(&pos, (Score(-500), played), (Score::mate_in(1), "Rxd1#"));
    assert_eq!(said[0], "There was a mate in 1 move.", "{said:?}");
    assert!(said.iter().all(|text| !text.starts_with("The better line wins")), "{said:?}");
}

/// What a queen costs that takes a knight and comes back by a fork is nothing: 16. Qxf6+ Bxf6 17. Ne6+ and 18. Nxc7.
#[test]
fn what_is_won_back_is_not_lost() {
    let fen = "r4k1r/pbq3bp/1p1pQnp1/3n2N1/3P1p1P/1P1B4/PBPN1PP1/2KR3R w - - 3 16";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let played = "Qxf6+ Bxf6 Ne6+ Kf7 Nxc7 Nxc7 Ne4 Bxe4 Bxe4";
    let said = sentences(&pos, (Score(300), played), (Score(700), "Ba3 Rd8 Nc4 Bc8 Bxd6+ Rxd6 Qxd6+ Qxd6 Nxd6"));
    assert!(said.iter().all(|text| !text.contains("queen")), "{said:?}");
    // The bishop is taken, then a rook is given for a bishop and a knight.
    let pos =
        AnyPosition::from_fen(Variant::Chess, "r4rk1/1p1b1pp1/p2R3p/8/2B3n1/2N5/PPP2PPP/5RK1 b - - 0 16").unwrap();
    let played = "Be6 Rxe6 b5 Be2 fxe6 Bxg4 Rfe8 Re1 Rad8";
    let said = sentences(&pos, (Score(-400), played), (Score(-150), "Bc6 Bd5 Bxd5 Nxd5 Rfd8 Rxd8+ Rxd8 Rd1"));
    assert_eq!(said[0], "It loses a bishop and a knight for a rook.", "{said:?}");
}

/// What a sentence says of material is what is left of it when nothing hangs any more, where the score speaks of less, and
/// what the other line loses or wins, too, is said.
#[test]
fn material_agrees_with_the_score() {
    for (fen, scores, played, best, wanted) in [
        // A piece is taken for a rook, then another pawn and one more: 29... Qxh6 ends it, and the score has hardly moved.
        (
            "r4rk1/2qbbpn1/2p3pQ/p3Pp2/Pp1P4/1P1B4/N5PP/R1B2RK1 b - - 0 23",
            (3, 47),
            "c5 Rf3 Be6 Rh3 Nh5 g4 Qd8 gxh5 Qxd4+ Kf1 Bh4 Rxh4 Qxh4 hxg6 Qxh6 Bxh6 Rfd8 Nc1 fxg6 Bg5 Rd4 Bb5 f4 Ne2",
            "Be6 Rf3 Qd8 Be3 f4 Qxf4 c5 Raf1 cxd4 Bd2 Bxb3 Qh6 Be6 Nc1 b3 Ne2 b2 Nf4",
            "",
        ),
        // Two knights are gone for a while; one comes back with the last exchange.
        (
            "rn3rk1/pbq2pbp/1p2p1p1/3n2B1/3P4/2NB1N2/PP1Q1PPP/R3R1K1 w - - 0 13",
            (-42, 131),
            "Bh6 Nxc3 Bf4 e5 dxe5 Bxf3 e6 Qc5 exf7+ Rxf7 Re8+ Rf8 Rxf8+ Kxf8 bxc3 Bxc3 Bh6+ Kg8",
            "Nb5 Qc8 h4 Nc6 h5 Qd7 h6 Bh8 Ne5 Nxe5 dxe5 Bxe5 Rxe5 f6 Re4 fxg5 Bc4 Rf5 Rd1 Raf8",
            "It loses a knight.",
        ),
        // The pawn on e4 for the one on f4.
        (
            "rnbqk1nr/1pp2ppp/p7/8/3pPp2/P7/P1PP2PP/R1BQKBNR w KQkq - 0 7",
            (-162, -81),
            "Rb1 Qh4+ Ke2 Qe7 Ke1 Qxe4+ Qe2 Nf6 Qxe4+ Nxe4 Ne2 O-O Nxf4 Re8 Be2 Nf6 Kd1 Nc6",
            "Nf3 Ne7 Bc4 Ng6 O-O Nc6 Rb1 O-O d3 Bg4 Rxb7 Nce5 Bb3 Bxf3 Rxf3",
            "",
        ),
        // A sacrifice for an attack is one, whatever the score says of it.
        (
            "r4rk1/p1q2pbp/1pn1p1pB/8/3P4/2PB1P2/P2Q1P1P/R3R1K1 w - - 1 16",
            (-69, -30),
            "Bxg7 Kxg7 Re4 Rfd8 Rae1 h5 Bc4 Ne7 Bxe6 fxe6 Rxe6 Nf5",
            "Bg5 Ne7 Be4 Rac8 h4 Rfd8 h5 gxh5 Rac1 Ng6 Bxd8 Rxd8",
            "It loses a bishop for two pawns.",
        ),
        // Both moves lose something.
        (
            "4k3/ppp5/3p3r/4p3/4P1nq/2PP3R/PP1B2P1/5RK1 b - - 6 28",
            (-133, 298),
            "Qe7 Bxh6 Kd7 Bd2 Kc6 Rf5 b5 Rg5 Nf6 Rh6 Kb7 Rgg6 Nd7 Bg5",
            "Qxh3 gxh3 Rxh3 d4 Rg3+ Kh1 Rd3 Bg5 exd4 cxd4 Rxd4 Rf4 Ne5 Rh4 Kd7 Rh7+ Kc6 Bd8 Nd7 Re7 Rd1+ Kg2 Rd2+ Kg3 Rxb2",
            "It loses a rook; the better move loses only a queen for a rook and two pawns.",
        ),
        // The same for what is won.
        (
            "r4rk1/pbp1q1p1/1pnbp2p/5p2/3PN3/3BBQ2/PPP2PPP/R4RK1 b - - 1 16",
            (218, 359),
            "fxe4 Qxe4 Rf5 Rae1 Re8 f3 Qf7 Bd2 a5 Qg4 Ne7 Bxh6 Bxh2+ Kxh2 Rh5+ Kg1 Rxh6",
            "Nd8 Qh3 fxe4 Bc4 Rf6 a4 a5 Rfe1 Qf7 Re2 Bd5",
            "The better line wins a knight; the move played wins only a knight for a pawn.",
        ),
    ] {
        let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
        let said = sentences(&pos, (Score(scores.0), played), (Score(scores.1), best));
        let material =
            said.iter().find(|text| text.starts_with("It loses") || text.starts_with("The better line wins"));
        assert_eq!(material.map_or("", String::as_str), wanted, "{fen}: {said:?}");
    }
}

/// Four checks, then the fork: late, but forced. A motif of the fifth move is no reason where the moves before it are free.
#[test]
fn what_is_forced_counts_however_late() {
    let fen = "6k1/p4ppp/8/1Bpr3q/5pn1/5Q2/PPP1K3/R1B5 w - - 0 27";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let played = "Bc4 Qh2+ Ke1 Qh4+ Ke2 Re5+ Kd3 Re3+ Bxe3 Ne5+ Ke2 Nxf3 Bxc5 Ne5 Bd5";
    let said = sentences(&pos, (Score(-606), played), (Score(300), "Bxf4 Qf5 Bd3 Qe6+ Kf1 g5 Re1 Ne5"));
    assert_eq!(said[0], "31... Ne5+ forks the king and the queen on f3.", "{said:?}");
    assert_eq!(said[1], "It loses a queen for a rook and a pawn.", "{said:?}");
}

/// Checks without end: the pawn that promotes next is no use. Who could have given them himself has missed them.
#[test]
fn perpetual_check() {
    let pos = AnyPosition::from_fen(Variant::Chess, "8/Q7/5p1k/7p/2p5/p4PKP/1q6/8 b - - 3 48").unwrap();
    let (played, best) = ("a2 Qe3+ Kg6 Qe8+ Kg7 Qe7+ Kg8 Qe8+ Kh7", "h4+ Kxh4 Qe5 Qg1 Qg5+ Qxg5+ fxg5+ Kg4");
    let said = sentences(&pos, (Score(0), played), (Score(900), best));
    assert_eq!(said[0], "It allows perpetual check: a draw.", "{said:?}");
    assert!(said.iter().all(|text| !text.starts_with("The main difference")), "{said:?}");
    // The engine sees more than checks in it.
    let said = sentences(&pos, (Score(300), played), (Score(900), best));
    assert!(said.iter().all(|text| !text.contains("perpetual")), "{said:?}");
    let pos = AnyPosition::from_fen(Variant::Chess, "8/Q7/5p1k/7p/2p5/5PKP/pq6/8 w - - 0 49").unwrap();
    let said = sentences(&pos, (Score(-900), "h4 a1=Q"), (Score(0), "Qe3+ Kg6 Qe8+ Kg7 Qe7+ Kg8 Qe8+ Kh7"));
    assert_eq!(said[0], "There was perpetual check: a draw.", "{said:?}");
    // Two checks, and the position is there again: the engine looks no further.
    let pos = AnyPosition::from_fen(Variant::Chess, "1k6/2b5/3N2p1/2Q1P3/5p1p/1P3P2/P7/4K2q w - - 4 48").unwrap();
    let best = "Ke2 Qg2+ Qf2 Qg5 Ne4 Qxe5 Qxh4 Qb5+";
    let said = sentences(&pos, (Score(0), "Kd2 Qg2+ Ke1 Qh1+ Kd2"), (Score(60), best));
    assert_eq!(said[0], "It allows perpetual check: a draw.", "{said:?}");
}

/// A pawn becomes a queen while the old one is lost: that is no trade of a queen.
#[test]
fn a_promotion_is_no_trade() {
    let fen = "r1bk3r/pppp1Bp1/4P2p/8/2N1n3/2q1P3/P1P3PP/R2Q1RK1 b - - 0 15";
    let pos = AnyPosition::from_fen(Variant::Chess, fen).unwrap();
    let played = "d5 Qxd5+ Nd6 Nxd6 c6 e7+ Kc7 e8=Q cxd5";
    let said = sentences(&pos, (Score(-900), played), (Score(-300), "d6 Qh5 Ng5 Rad1 Ke7 Qg6"));
    assert_eq!(said[0], "It loses a knight and a pawn.", "20. Bxd5 follows: {said:?}");
}

/// The pawn falls after either move: 60. Ra3 Rxc5 or 60. a6 Rxc5.
#[test]
fn what_happens_anyhow_is_no_reason() {
    let pos = AnyPosition::from_fen(Variant::Chess, "8/8/2k5/P1P5/2r5/3R4/1K6/8 w - - 2 60").unwrap();
    let (played, best) = ("Ra3 Rxc5 a6 Rb5+ Kc1 Rc5+ Kd1", "a6 Rxc5 Ra3 Rb5+ Kc2 Rc5+ Kd2 Rd5+");
    let said = sentences(&pos, (Score(40), played), (Score(150), best));
    assert!(said.iter().all(|text| !text.contains("takes") && !text.starts_with("It loses")), "{said:?}");
    let said = sentences(&pos, (Score(40), played), (Score(150), "Rc3 Rxc3 Kxc3 Kxc5"));
    assert!(said.iter().all(|text| !text.starts_with("It loses")), "{said:?}");
    let said = sentences(&pos, (Score(40), played), (Score(150), "Rc3 Rd4 a6"));
    assert!(said.iter().any(|text| text == "It loses a pawn."), "{said:?}");
}

/// What is said of a line can be seen in it: the pawn is taken at the tenth half-move.
#[test]
fn a_line_shows_what_was_said_of_it() {
    let pos = AnyPosition::from_fen(Variant::Chess, "6k1/8/8/8/r7/8/7P/6K1 w - - 0 1").unwrap();
    let (played, best) = ("Kf1 Kf7 Ke1 Kf6 Kd1 Kf5 Kc1 Ra2 Kb1 Rxh2 Kc1", "h4 Kf7");
    let said = sentences(&pos, (Score(-400), played), (Score(-300), best));
    assert!(said.contains(&"It loses a pawn.".to_owned()), "{said:?}");
    assert!(said.iter().any(|text| text.starts_with("It is answered by") && text.contains("5. Kb1 Rxh2")), "{said:?}");
}

/// To take back with the wrong piece is not to miss that something can be taken.
#[test]
fn taking_back_is_not_missed() {
    let pos = AnyPosition::from_fen(Variant::Chess, "4k3/8/8/3n4/8/8/Q7/3RK3 w - - 0 1").unwrap();
    let said = sentences(&pos, (Score(100), "Qxd5 Ke7"), (Score(900), "Rxd5 Ke7"));
    assert!(said.iter().all(|text| !text.starts_with("Missed: ")), "{said:?}");
    let said = sentences(&pos, (Score(100), "Ke2 Nf4+"), (Score(900), "Rxd5 Ke7"));
    assert!(said.iter().any(|text| text.starts_with("Missed: 1. Rxd5")), "{said:?}");
}

/// 77.46 is 77.5 in a message, and that is 78 on the page: a reason says the same.
#[test]
fn a_reason_rounds_as_the_mark_above_it() {
    let keeps = Fact::Keeps { text: "18. Re1".into(), points: (77.46, 45.96) };
    assert_eq!(keeps.sentence(), "Better was 18. Re1, with an expected score of 78 % instead of 46 %.");
}

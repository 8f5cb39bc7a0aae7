//! What a search must get right whatever its numbers are: mates, draws, limits, determinism.

use rukh_core::{Chess, Game, Makruk, Position, Rules};
use rukh_eval::{Classical, Terms};
use rukh_search::{Limits, RankedMove, RootPosition, Score, SearchResult, Searcher, Shared, TableResult, Tablebases};
use std::sync::Arc;

fn searcher<R: Rules + Terms>() -> Searcher<R, Classical<R>> {
    Searcher::new(0, Arc::new(Shared::new(8, 1).unwrap()), Classical::default())
}

fn search<R: Rules + Terms>(fen: &str, limits: &Limits) -> (SearchResult, Position<R>) {
    let position = Position::<R>::from_fen(fen).unwrap_or_else(|e| panic!("{fen}: {e}"));
    let root = RootPosition { position: &position, keys: &[] };
    (searcher::<R>().search(root, limits, &mut |_| {}), position)
}

#[test]
fn tracing_changes_nothing() {
    use rukh_search::trace::Recorder;
    let position =
        Position::<Chess>::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    let root = RootPosition { position: &position, keys: &[] };
    let shared = || Arc::new(Shared::new(1, 1).unwrap());
    let plain = Searcher::new(0, shared(), Classical::<Chess>::new()).search(root, &Limits::depth(8), &mut |_| {});
    let mut searcher = Searcher::new(0, shared(), Classical::<Chess>::new());
    let recorder = Recorder::new(1_000_000, &[]);
    let (traced, recorder) = searcher.search_traced(root, &Limits::depth(8), recorder, &mut |_| {});
    assert_eq!(traced, plain);
    assert!(!recorder.is_truncated());
    assert_eq!(recorder.nodes()[0].value, plain.score.value());
}

#[test]
fn finds_mates_with_their_distance() {
    for (fen, mate) in [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", 2),
        ("8/6K1/1p1B1RB1/8/2Q5/2n1kP1N/3b4/4n3 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("8/8/8/8/1Q6/5K2/7k/8 w - - 0 1", 2),
        ("8/8/8/8/8/5K2/7k/1Q6 b - - 0 1", -1),
        ("8/8/8/8/4k3/8/8/2BQKB2 w - - 0 1", 5),
        // Zugzwang: with null moves this one is hidden.
        ("8/5R2/2K1P3/4k3/8/b1PPpp1B/5p2/8 w - - 0 1", 2),
        ("5N2/6R1/8/7k/8/8/1p4P1/bK6 b - - 0 1", -4),
        ("2n5/8/2P2K2/pP1N4/2PkNp2/3B4/4P2b/8 w - - 0 1", 4),
    ] {
        let limits = Limits { mate: Some(i32::unsigned_abs(mate)), nodes: Some(3_000_000), ..Limits::default() };
        let (result, _) = search::<Chess>(fen, &limits);
        let found = result.score.mate();
        // For this one only a bound is known to the author.
        let bounded = fen.starts_with("8/8/8/8/4k3");
        assert!(found.is_some_and(|m| m == mate || bounded && (1..=mate).contains(&m)), "{fen}: {found:?}");
    }
}

#[test]
fn a_mate_that_is_not_there_is_not_announced() {
    // Mate in four, asked for in three; and a position without any.
    for (fen, mate) in [("2n5/8/2P2K2/pP1N4/2PkNp2/3B4/4P2b/8 w - - 0 1", 3), ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 4)] {
        let limits = Limits { mate: Some(mate), nodes: Some(100_000), ..Limits::default() };
        let (result, _) = search::<Chess>(fen, &limits);
        assert!(result.best.is_some() && result.score.mate().is_none_or(|m| m > mate as i32), "{fen}: {result:?}");
    }
    // The fifty-move rule is faster than the mate.
    let limits = Limits { mate: Some(2), nodes: Some(50_000), ..Limits::default() };
    let (result, _) = search::<Chess>("8/8/8/8/1Q6/5K2/7k/8 w - - 98 90", &limits);
    assert_eq!(result.score.mate(), None, "{result:?}");
}

#[test]
fn makruk_mates_are_proven_within_the_count() {
    let limits = Limits { mate: Some(3), nodes: Some(50_000), ..Limits::default() };
    for (fen, mate) in [
        ("7k/8/6K1/8/8/8/8/R7 w - 32 31 90", Some(1)),
        ("7k/8/5K2/8/8/8/8/R7 w - 32 10 90", Some(2)),
        // The same board with the count at its end.
        ("7k/8/5K2/8/8/8/8/R7 w - 32 31 90", None),
    ] {
        let (result, _) = search::<Makruk>(fen, &limits);
        assert_eq!(result.score.mate(), mate, "{fen}: {result:?}");
    }
}

#[test]
fn finished_games_have_no_move() {
    let (mated, _) = search::<Chess>("R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", &Limits::depth(5));
    assert_eq!(mated.best, None);
    let (stalemated, _) = search::<Chess>("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", &Limits::depth(5));
    assert_eq!((stalemated.best, stalemated.score), (None, Score::DRAW));
}

#[test]
fn a_lost_side_takes_the_perpetual() {
    // A rook down, but the queen checks on e8 and h5 without end.
    let (result, _) = search::<Chess>("6k1/6p1/8/7Q/8/8/rq6/7K w - - 0 1", &Limits::depth(12));
    assert!(result.score.value().abs() <= 1, "{:?}", result.score);
}

#[test]
fn sees_that_a_position_was_there_before() {
    // White is a rook up; going back to a position that has occurred twice would throw the win away.
    let start = Position::<Chess>::from_fen("6k1/8/8/8/8/8/R7/6K1 w - - 0 1").unwrap();
    let mut game = Game::new(start);
    for uci in ["a2b2", "g8f8", "b2a2", "f8g8", "a2b2", "g8f8", "b2a2", "f8g8"] {
        game.play(game.position().parse_uci(uci).unwrap());
    }
    let mut s = searcher::<Chess>();
    let root = RootPosition { position: game.position(), keys: game.keys() };
    let result = s.search(root, &Limits::depth(8), &mut |_| {});
    assert_ne!(result.best.unwrap().to_string(), "a2b2");
    assert!(result.score.value() > 300);
}

#[test]
fn fifty_moves_are_a_draw_but_mate_comes_first() {
    let (result, _) = search::<Chess>("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 99 80", &Limits::depth(6));
    assert_eq!(result.score, Score::mate_in(1));
    let (result, _) = search::<Chess>("7k/8/8/8/8/1R6/8/K7 w - - 98 80", &Limits::depth(8));
    assert!(result.score.value().abs() <= 1, "{:?}", result.score);
}

#[test]
fn makruk_tells_the_count_apart() {
    // Rua against a bare Khun: mate on the last move of the count wins, one move later it is drawn.
    let (won, _) = search::<Makruk>("7k/8/6K1/8/8/8/8/R7 w - 32 31 90", &Limits::depth(6));
    assert_eq!(won.score, Score::mate_in(1));
    let (drawn, _) = search::<Makruk>("7k/8/5K2/8/8/8/8/R7 w - 32 31 90", &Limits::depth(8));
    assert!(drawn.score.value().abs() <= 1, "{:?}", drawn.score);
}

#[test]
fn the_same_search_gives_the_same_nodes() {
    let run = || {
        let mut s = searcher::<Chess>();
        let mut nodes = Vec::new();
        let mut position = Position::<Chess>::startpos();
        for limits in [Limits::depth(9), Limits::nodes(30_000), Limits::nodes(12_345)] {
            let result = s.search(RootPosition { position: &position, keys: &[] }, &limits, &mut |_| {});
            nodes.push((result.nodes, result.best));
            position = position.after(result.best.unwrap());
        }
        nodes
    };
    assert_eq!(run(), run());
}

#[test]
fn node_limits_are_kept() {
    for n in [1, 100, 777, 20_000] {
        let (result, _) = search::<Chess>(Chess::START_FEN, &Limits::nodes(n));
        assert!(result.best.is_some());
        assert!(result.nodes <= n.max(100) + 30, "{} of {n}", result.nodes);
    }
    let soft = Limits { soft_nodes: Some(5_000), nodes: Some(50_000), ..Limits::default() };
    let (result, _) = search::<Makruk>(Makruk::START_FEN, &soft);
    assert!((5_000..=50_000).contains(&result.nodes));
}

#[test]
fn multipv_reports_distinct_lines_in_order() {
    let position = Position::<Chess>::startpos();
    let mut lines = Vec::new();
    let limits = Limits { multipv: 4, ..Limits::depth(8) };
    searcher::<Chess>().search(RootPosition { position: &position, keys: &[] }, &limits, &mut |info| {
        if info.depth == 8 {
            lines.push((info.multipv, info.pv[0], info.score));
        }
    });
    assert_eq!(lines.iter().map(|l| l.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(lines.windows(2).all(|w| w[0].2 >= w[1].2 && w[0].1 != w[1].1), "{lines:?}");
}

#[test]
fn searchmoves_limit_the_root() {
    let start = Position::<Chess>::startpos();
    let searchmoves = ["a2a3", "h2h4"].map(|text| start.parse_uci(text).unwrap()).to_vec();
    let limits = Limits { searchmoves, ..Limits::depth(6) };
    let (result, _) = search::<Chess>(Chess::START_FEN, &limits);
    assert!(["a2a3", "h2h4"].contains(&result.best.unwrap().to_string().as_str()));
}

#[test]
fn every_reported_line_is_legal() {
    let fens =
        ["r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "8/8/8/8/8/8/3k4/K6R w - - 90 100"];
    for fen in fens {
        let position = Position::<Chess>::from_fen(fen).unwrap();
        searcher::<Chess>().search(RootPosition { position: &position, keys: &[] }, &Limits::depth(11), &mut |info| {
            let mut pos = position;
            for &mv in info.pv {
                assert!(pos.legal_moves().contains(&mv), "{fen}: {:?}", info.pv);
                pos = pos.after(mv);
            }
        });
    }
}

/// Tables that know one thing: a bare king is lost.
struct BareKing;

impl Tablebases<Chess> for BareKing {
    fn max_pieces(&self) -> u32 {
        3
    }
    fn probe(&self, pos: &Position<Chess>) -> Option<TableResult> {
        let bare = !pos.colors(pos.side_to_move()).more_than_one();
        Some(if bare { TableResult::Loss } else { TableResult::Win })
    }
    fn rank_root(&self, _: &Position<Chess>, _: &[rukh_core::Move], _: &mut Vec<RankedMove>) -> bool {
        false
    }
}

#[test]
fn tables_are_believed() {
    use rukh_search::{Control, Pool};
    let mut pool = Pool::new(1, Arc::new(Control::default()), Classical::<Chess>::default).unwrap();
    pool.set_tables(Some(Arc::new(BareKing))).unwrap();
    let position = Position::<Chess>::from_fen("8/8/8/3k4/8/2n5/8/K1R5 w - - 0 1").unwrap();
    let result = pool.search(RootPosition { position: &position, keys: &[] }, &Limits::depth(6), &mut |_| {});
    // Taking the knight leads into the "table".
    assert!(result.score.is_decisive() && result.score > Score::DRAW, "{:?}", result.score);
    assert!(pool.shared().tbhits() > 0);
}

/// Tables that like moves towards the h-file: a win there, a draw elsewhere.
struct ToTheRight;

impl Tablebases<Chess> for ToTheRight {
    fn max_pieces(&self) -> u32 {
        3
    }
    fn probe(&self, _: &Position<Chess>) -> Option<TableResult> {
        None
    }
    fn rank_root(&self, _: &Position<Chess>, moves: &[rukh_core::Move], ranked: &mut Vec<RankedMove>) -> bool {
        ranked.extend(moves.iter().map(|&mv| {
            let rank = mv.to().index() as i32 % 8;
            RankedMove { mv, result: if rank == 7 { TableResult::Win } else { TableResult::Draw }, rank }
        }));
        true
    }
}

/// Who asks for several lines gets them, those that the tables like best first; one line is of the best moves alone.
#[test]
fn several_lines_go_down_through_the_ranks_of_the_tables() {
    use rukh_search::{Control, Pool};
    let control = Arc::new(Control::default());
    let mut pool = Pool::new(1, control.clone(), Classical::<Chess>::default).unwrap();
    pool.set_tables(Some(Arc::new(ToTheRight))).unwrap();
    // Mate in one on a8, which these tables call a draw; one rook move reaches the h-file.
    let position = Position::<Chess>::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 0 1").unwrap();
    for (multipv, wanted) in [(1, 1), (4, 4), (300, position.legal_moves().len())] {
        let mut lines = Vec::new();
        let limits = Limits { multipv, ..Limits::depth(4) };
        control.arm(false);
        let result = pool.search(RootPosition { position: &position, keys: &[] }, &limits, &mut |info| {
            if info.depth == 4 {
                lines.push((info.multipv, info.pv[0]));
            }
        });
        assert_eq!(lines.iter().map(|line| line.0).collect::<Vec<_>>(), (1..=wanted).collect::<Vec<_>>());
        let files: Vec<usize> = lines.iter().map(|(_, mv)| mv.to().index() % 8).collect();
        assert!(files.is_sorted_by(|a, b| a >= b), "{files:?}");
        assert_eq!((files[0], result.best), (7, Some(lines[0].1)));
        let moves: std::collections::HashSet<_> = lines.iter().map(|line| line.1).collect();
        assert_eq!(moves.len(), wanted, "each move once");
    }
}

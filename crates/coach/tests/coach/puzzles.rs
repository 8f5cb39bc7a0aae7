//! Puzzles: one move wins, and the file says so.

use std::sync::atomic::AtomicBool;

use rukh_coach::Theme;
use rukh_coach::puzzles::{Mining, Puzzle, mine};
use rukh_pgn::{PgnGame, PgnReader};

fn found(pgn: &'static str) -> Vec<Puzzle> {
    let games: Vec<PgnGame> = PgnReader::new("test", pgn.as_bytes()).unwrap().map(Result::unwrap).collect();
    let plan = Mining { nodes: 20_000, options: vec![("Hash".into(), "1".into())], ..Mining::default() };
    let mut list = Vec::new();
    mine(games.into_iter(), &plan, &AtomicBool::new(false), |_, puzzle| list.extend(puzzle)).unwrap();
    list
}

/// The game comes twice, the puzzle once.
#[test]
fn a_mate_is_a_puzzle() {
    // 3...Nf6 allows mate in one, and every other move of White is ordinary.
    let list = found("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. d3 *\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. a3 *\n");
    assert_eq!(list.len(), 1, "{list:?}");
    let row = list[0].row();
    assert!(
        row.contains(",chess,r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4,h5f7,mate,"),
        "{row}"
    );
    assert_eq!(list[0].themes, [Theme::Mate]);
    assert_eq!(row.split(',').count(), Puzzle::HEAD.split(',').count(), "{row}");
}

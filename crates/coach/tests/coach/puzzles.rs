//! Puzzles: one move wins, and the file says so.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use rukh_coach::Theme;
use rukh_coach::mined::Mined;
use rukh_coach::puzzles::{Mining, Puzzle, mine};
use rukh_pgn::{PgnGame, PgnReader};
use rukh_testing::NewFile;

fn found(pgn: &'static str) -> Vec<Puzzle> {
    let games: Vec<PgnGame> = PgnReader::new("test", pgn.as_bytes()).unwrap().map(Result::unwrap).collect();
    let mut list = Vec::new();
    let hear = |_, _, puzzles| {
        list.extend(puzzles);
        Ok(())
    };
    mine((0..).zip(games), &plan(), &AtomicBool::new(false), HashSet::new(), hear).unwrap();
    list
}

fn plan() -> Mining {
    Mining { nodes: 20_000, options: vec![("Hash".into(), "1".into())], ..Mining::default() }
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

/// Mines what a file does not have yet, as `rukh puzzles --out` does.
fn go_on(path: &std::path::Path, games: &[PgnGame]) -> Mined {
    let mut mined = Mined::open(path, "test").unwrap();
    let todo: Vec<(u64, PgnGame)> =
        (0..).zip(games.iter().cloned()).filter(|(number, _)| !mined.games().contains(number)).collect();
    let known = mined.codes();
    let hear = |_, number, puzzles: Vec<Puzzle>| mined.add(number, puzzles.iter().map(Puzzle::row).collect());
    mine(todo.into_iter(), &plan(), &AtomicBool::new(false), known, hear).unwrap();
    mined
}

/// Whatever a kill leaves of the file, the next run ends with the same puzzles and looks at no finished game again.
#[test]
fn mining_goes_on_after_a_kill_at_any_byte() {
    let pgn =
        "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. d3 *\n\n1. d4 d5 *\n\n1. a3 a6 2. e4 e5 3. Qh5 Nc6 4. Bc4 Nf6 5. d3 *\n";
    let games: Vec<PgnGame> = PgnReader::new("test", pgn.as_bytes()).unwrap().map(Result::unwrap).collect();
    let path = NewFile::new("mined.part");
    let rows = go_on(&path, &games).rows().to_vec();
    assert_eq!(rows.len(), 2, "{rows:?}");
    let whole = std::fs::read(&path).unwrap();
    let mut last = 0;
    for cut in 0..whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mined = Mined::open(&path, "test").unwrap();
        let done = mined.games().len();
        assert_eq!(mined.rows(), &rows[..mined.rows().len()], "cut at {cut}");
        assert_eq!(mined.rows().len(), [0, 1, 1, 2][done], "cut at {cut}");
        drop(mined);
        if done != last || cut == 0 {
            last = done;
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(go_on(&path, &games).rows(), rows, "gone on from byte {cut}");
            assert_eq!(std::fs::read(&path).unwrap(), whole, "gone on from byte {cut}");
        }
    }
    let other = Mined::open(&path, "another task").err().unwrap().to_string();
    assert!(other.contains("other games or other options"), "{other}");
    Mined::open(&path, "test").unwrap().remove().unwrap();
    assert!(!path.exists());
    std::fs::write(&path, "rukh-puzzles-part 1 test\n#0\n").unwrap();
    let older = Mined::open(&path, "test").err().unwrap().to_string();
    assert!(older.contains("an earlier version"), "{older}");
}

/// Games that were edited and kept their length were taken for the same, and so was whatever came through a pipe.
#[test]
fn only_the_same_games_are_the_same_task() {
    let path = NewFile::new("games.pgn");
    let task = |text: &str| {
        std::fs::write(&path, text).unwrap();
        plan().task(&[path.to_path_buf()]).unwrap()
    };
    let first = task("1. e4 *\n");
    assert_eq!(first, task("1. e4 *\n"));
    assert_ne!(first, task("1. d4 *\n"));
    let piped = || plan().task(&["-".into()]).unwrap();
    assert_ne!(piped(), piped());
    assert!(plan().task(&[path.with_extension("no")]).is_ok(), "whoever opens it says so");
}

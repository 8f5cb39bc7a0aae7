//! Checks against the data beside the project; they skip where it is not there.

#[path = "common/shared.rs"]
mod shared;

use rukh_pgn::PgnReader;
use shared::shared;

#[test]
fn lichess_games_with_clocks_and_evaluations() {
    let Some(path) = shared("games/lichess_1000.pgn.zst") else { return };
    let games: Vec<_> = PgnReader::open(&path).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(games.len(), 1000);
    assert!(games.iter().all(|g| g.terminated && g.tags.white_elo().is_some()));
}

#[test]
fn fast_resolution_agrees_with_the_move_list() {
    let Some(path) = shared("games/master.pgn.zst") else { return };
    let mut reader = PgnReader::open(&path).unwrap();
    let mut plies = 0u64;
    for _ in 0..1500 {
        let game = reader.next_game().unwrap().unwrap();
        game.for_each_chess(|pos, mv| {
            let san = pos.san(mv);
            assert_eq!(pos.parse_san(&san).unwrap(), mv, "{san} in {}", pos.fen());
            plies += 1;
        });
    }
    assert!(plies > 100_000);
}

//! Folders, games and imports for the tests of databases.

use std::path::{Path, PathBuf};

use rukh_core::{Chess, Position, Variant};
use rukh_pgn::{AnyPosition, GameResult, PgnGame, PgnWriter};
use rukh_store::db::{ImportOptions, ImportReport, Stored, import};
pub use rukh_testing::Folder;

/// Random games of chess that share openings.
pub fn random_games(count: usize, seed: u64) -> String {
    games_from::<Chess>(count, seed, |_| AnyPosition::default())
}

/// Random games from given positions: the first moves come from few choices.
pub fn games_from<R: Stored>(count: usize, mut seed: u64, start: impl Fn(usize) -> AnyPosition) -> String {
    // Not `rukh_core::rng`: the old files in `data/` were made from games of these numbers.
    let mut next = |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % n
    };
    let mut writer = PgnWriter::new(Vec::new());
    for i in 0..count {
        let mut game = PgnGame::default();
        game.tags.set("White", &format!("Player {}", next(20)));
        game.tags.set("Black", &format!("Player {}", next(20)));
        game.tags.set("Date", &format!("{}.{:02}.{:02}", 1990 + next(30), 1 + next(12), 1 + next(28)));
        game.tags.set("Round", &format!("{i}"));
        if next(5) > 0 {
            game.tags.set("WhiteElo", &format!("{}", 2000 + next(800)));
            game.tags.set("BlackElo", &format!("{}", 2000 + next(800)));
        }
        game.result = [GameResult::White, GameResult::Black, GameResult::Draw, GameResult::Unknown][next(4)];
        game.start = start(i);
        if game.start.variant() != Variant::Chess {
            game.tags.set("Variant", game.start.variant().name());
        }
        let mut pos = *game.start.of::<Position<R>>().unwrap();
        for ply in 0..10 + next(60) {
            let legal = pos.legal_moves();
            if legal.is_empty() {
                break;
            }
            let choices = if ply < 8 { legal.len().min(2) } else { legal.len() };
            let mv = legal[next(choices)];
            game.moves.push(mv);
            pos = pos.after(mv);
        }
        writer.write_game(&game).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

pub fn run(db: &Path, files: &[PathBuf], options: &ImportOptions) -> ImportReport {
    import(db, files, options, &mut ()).unwrap()
}

pub fn small() -> ImportOptions {
    // So little memory that many runs are merged.
    ImportOptions { memory: 64 << 10, ..ImportOptions::default() }
}

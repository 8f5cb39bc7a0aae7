//! Games of the engine against itself, written as EPD lines with result and search value, to tune on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rukh_core::rng::Rng;
use rukh_core::{Color, Game as Line, Position};
use rukh_eval::Classical;
use rukh_files::Lines;
use rukh_search::{Limits, RootPosition, Score, Searcher, Shared};
use rukh_store::selfplay::SelfPlayResult;

use super::data::{Game, position_of};
use crate::LabError;
use crate::selfplay::{Adjudication, play, random_moves};

/// How to play.
#[derive(Debug, Clone, Copy)]
pub struct SelfPlay {
    /// How many games.
    pub games: usize,
    /// Soft node limit of a move.
    pub nodes: u64,
    /// Games at a time.
    pub threads: usize,
    /// The same seed gives the same games.
    pub seed: u64,
}

/// Both sides see a decided game for some plies; nothing is called drawn before its end.
const RULES: Adjudication = Adjudication {
    win_score: 1500,
    win_plies: 8,
    draw_score: -1,
    draw_plies: usize::MAX,
    draw_from: usize::MAX,
    max_plies: 320,
    proven: false,
};
/// Openings worse than this teach nothing.
const BALANCED: i32 = 250;

impl SelfPlay {
    /// Plays the games on all threads and appends their quiet positions to `path`.
    /// `report` hears the games done and the positions.
    pub fn run<R: Game>(&self, path: &Path, report: impl FnMut(u64, usize) + Send) -> Result<usize, LabError> {
        let fail = |e: std::io::Error| LabError::new(format!("cannot write {}: {e}", path.display()));
        let mut file = File::options().append(true).read(true).create(true).open(path).map_err(fail)?;
        let first = Lines::new(&mut file).find(|(_, line)| line.as_ref().map_or(true, |line| !line.trim().is_empty()));
        // Behind games, or in a file of another kind, positions would be of no use to anybody.
        if first.is_some_and(|(_, line)| !line.is_ok_and(|line| position_of::<R>(&line).is_ok())) {
            return Err(LabError::new(format!(
                "{} is no file of positions, so nothing is added to it",
                path.display()
            )));
        }
        let out = Mutex::new((BufWriter::new(file), report, 0usize));
        let next = AtomicUsize::new(0);
        let result: Result<(), LabError> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| -> Result<(), LabError> {
                        let shared = Arc::new(Shared::<R>::new(4, 1).map_err(|_| LabError::new("out of memory"))?);
                        let mut searcher = Searcher::new(0, shared, Classical::<R>::new());
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= self.games {
                                return Ok(());
                            }
                            // Each game has its own numbers: the same games with any number of threads.
                            let seed = self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(number as u64);
                            let lines = self.game(&mut searcher, &mut Rng::plain(seed));
                            let mut out = out.lock().map_err(|_| LabError::new("a playing thread failed"))?;
                            for line in &lines {
                                writeln!(out.0, "{line}").map_err(fail)?;
                            }
                            out.2 += lines.len();
                            let positions = out.2;
                            (out.1)(number as u64 + 1, positions);
                        }
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| Err(LabError::new("a thread failed"))))
        });
        result?;
        let (mut writer, _, positions) = out.into_inner().map_err(|_| LabError::new("a playing thread failed"))?;
        writer.flush().map_err(fail)?;
        Ok(positions)
    }

    /// One game from a random opening; its quiet positions as EPD.
    fn game<R: Game>(&self, searcher: &mut Searcher<R, Classical<R>>, rng: &mut Rng) -> Vec<String> {
        searcher.new_game();
        searcher.shared().tt.clear(1);
        let limits = Limits { soft_nodes: Some(self.nodes), nodes: Some(20 * self.nodes), ..Limits::default() };
        let mut line = Line::new(opening::<R>(rng));
        let mut kept: Vec<(Position<R>, i32)> = Vec::new();
        let verdict = play(
            &mut line,
            &RULES,
            |line| {
                let root = RootPosition { position: line.position(), keys: line.keys() };
                Some(searcher.search(root, &limits, &mut |_| {}))
            },
            |line, ply| {
                let pos = line.position();
                if ply.ends.is_none() && ply.mv.is_quiet() && !pos.in_check() && !Score(ply.value).is_decisive() {
                    kept.push((*pos, ply.value));
                }
                !line.moves().is_empty() || ply.value.abs() <= BALANCED
            },
        );
        let result = match verdict {
            Some(SelfPlayResult::WhiteWins) => "1-0",
            Some(SelfPlayResult::BlackWins) => "0-1",
            Some(SelfPlayResult::Draw) => "1/2-1/2",
            None => return Vec::new(),
        };
        let epd = |(pos, value): &(Position<R>, i32)| {
            let value = if pos.side_to_move() == Color::White { *value } else { -value };
            format!("{} ce {value}; c9 \"{result}\";", pos.fen())
        };
        kept.iter().map(epd).collect()
    }
}

/// A position after some random moves with the game still going.
fn opening<R: Game>(rng: &mut Rng) -> Position<R> {
    loop {
        let plies = 6 + rng.below(5);
        if let Some(game) = random_moves(rng, Line::new(Position::<R>::startpos()), plies) {
            return *game.position();
        }
    }
}

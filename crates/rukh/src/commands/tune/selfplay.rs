//! Games of the engine against itself, written as EPD lines with result and search value, to tune on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rukh_core::{Color, Game as Line, Outcome, Position};
use rukh_eval::Classical;
use rukh_search::{Limits, RootPosition, Searcher, Shared};

use super::data::{Game, Rng};
use crate::cli::{CliError, Progress};

/// How to play.
pub struct SelfPlay {
    pub games: usize,
    pub nodes: u64,
    pub threads: usize,
    pub seed: u64,
}

/// A game that goes on longer is called a draw.
const MAX_PLIES: usize = 320;
/// Both sides see this for so many plies: the game is decided.
const DECIDED: (i32, usize) = (1500, 8);
/// Openings worse than this teach nothing.
const BALANCED: i32 = 250;

impl SelfPlay {
    /// Plays the games on all threads and appends their quiet positions to `path`.
    pub fn run<R: Game>(&self, path: &Path) -> Result<usize, CliError> {
        let fail = |e: std::io::Error| CliError::new(format!("cannot write {}: {e}", path.display()));
        let file = File::options().append(true).create(true).open(path).map_err(fail)?;
        let out = Mutex::new((BufWriter::new(file), Progress::new("games", Some(self.games as u64)), 0usize));
        let next = AtomicUsize::new(0);
        let result: Result<(), CliError> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| -> Result<(), CliError> {
                        let shared = Arc::new(Shared::<R>::new(4, 1).map_err(|_| CliError::new("out of memory"))?);
                        let mut searcher = Searcher::new(0, shared, Classical::<R>::new());
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= self.games {
                                return Ok(());
                            }
                            // Each game has its own numbers: the same games with any number of threads.
                            let mut rng = Rng(self.seed.wrapping_mul(0x9E37_79B9).wrapping_add(number as u64));
                            let lines = self.game(&mut searcher, &mut rng);
                            let mut out = out.lock().map_err(|_| CliError::new("a playing thread failed"))?;
                            for line in &lines {
                                writeln!(out.0, "{line}").map_err(fail)?;
                            }
                            out.2 += lines.len();
                            let note = format!("{} positions", out.2);
                            out.1.set(number as u64 + 1, &note);
                        }
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| Err(CliError::new("a thread failed"))))
        });
        result?;
        let (mut writer, _, positions) = out.into_inner().map_err(|_| CliError::new("a playing thread failed"))?;
        writer.flush().map_err(fail)?;
        Ok(positions)
    }

    /// One game from a random opening; its quiet positions as EPD.
    fn game<R: Game>(&self, searcher: &mut Searcher<R, Classical<R>>, rng: &mut Rng) -> Vec<String> {
        searcher.new_game();
        searcher.shared().tt.clear(1);
        let mut line = Line::new(opening::<R>(rng));
        let mut kept: Vec<(Position<R>, i32)> = Vec::new();
        let mut decided = 0;
        let mut result = None;
        for ply in 0..MAX_PLIES {
            if let Some(outcome) = line.outcome() {
                result = Some(match outcome {
                    Outcome::Win(Color::White, ..) => "1-0",
                    Outcome::Win(Color::Black, ..) => "0-1",
                    Outcome::Draw(_) => "1/2-1/2",
                });
                break;
            }
            let pos = *line.position();
            let limits = Limits { soft_nodes: Some(self.nodes), nodes: Some(20 * self.nodes), ..Limits::default() };
            let root = RootPosition { position: &pos, keys: line.keys() };
            let found = searcher.search(root, &limits, &mut |_| {});
            let Some(mv) = found.best else { break };
            let value = found.score.value();
            if ply == 0 && value.abs() > BALANCED {
                return Vec::new();
            }
            decided = if value.abs() >= DECIDED.0 && pos.count().is_none() { decided + 1 } else { 0 };
            if decided >= DECIDED.1 {
                let white_wins = (value > 0) == (pos.side_to_move() == Color::White);
                result = Some(if white_wins { "1-0" } else { "0-1" });
                break;
            }
            if mv.is_quiet() && !pos.in_check() && !found.score.is_decisive() {
                kept.push((pos, value));
            }
            line.play(mv);
        }
        let result = result.unwrap_or("1/2-1/2");
        kept.iter().map(|(pos, value)| format!("{} ce {value}; c9 \"{result}\";", pos.fen())).collect()
    }
}

/// A position after some random moves with the game still going.
fn opening<R: Game>(rng: &mut Rng) -> Position<R> {
    loop {
        let mut pos = Position::<R>::startpos();
        for _ in 0..6 + rng.below(5) {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos = pos.after(moves[rng.below(moves.len())]);
        }
        if pos.has_legal_move() {
            return pos;
        }
    }
}

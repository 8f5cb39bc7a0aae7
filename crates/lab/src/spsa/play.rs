//! One game between two sets of search parameters, in this thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_core::{Color, Game, Position, Rules};
use rukh_eval::Terms;
use rukh_eval::nnue::Evaluation;
use rukh_search::{Limits, RootPosition, Searcher, Shared, tuning};

use crate::LabError;
use crate::selfplay::{self, Adjudication};

/// When a game is called off.
const RULES: Adjudication = Adjudication {
    win_score: 1000,
    win_plies: 4,
    draw_score: 8,
    draw_plies: 10,
    draw_from: 71,
    max_plies: 300,
    proven: false,
};

/// Two engines of one thread: they share nothing.
pub struct Player<R: Rules + Terms> {
    searchers: [Searcher<R, Evaluation<R>>; 2],
    /// Indices of the parameters that are tuned.
    indices: Vec<usize>,
    limits: Limits,
}

impl<R: Rules + Terms> Player<R> {
    pub fn new(indices: Vec<usize>, nodes: u64, hash: usize) -> Result<Self, LabError> {
        let searcher = || -> Result<_, LabError> {
            let shared = Arc::new(Shared::<R>::new(hash, 1).map_err(LabError::new)?);
            Ok(Searcher::new(0, shared, Evaluation::<R>::default()))
        };
        Ok(Player { searchers: [searcher()?, searcher()?], indices, limits: Limits::nodes(nodes) })
    }

    /// Plays from `start`, the first engine as `first`: 1 when it wins, 0, -1; `None` when stopped.
    pub fn play(&mut self, start: &Position<R>, first: Color, values: [&[i32]; 2], stop: &AtomicBool) -> Option<i8> {
        for (searcher, values) in self.searchers.iter_mut().zip(values) {
            set(&self.indices, values);
            searcher.new_game();
            searcher.shared().tt.clear(1);
        }
        let think = |game: &Game<R>| {
            if stop.load(Relaxed) {
                return None;
            }
            let engine = usize::from(game.position().side_to_move() != first);
            set(&self.indices, values[engine]);
            let root = RootPosition { position: game.position(), keys: game.keys() };
            Some(self.searchers[engine].search(root, &self.limits, &mut |_| {}))
        };
        let verdict = selfplay::play(&mut Game::new(*start), &RULES, think, |_, _| true)?;
        Some(verdict.points(first) as i8 - 1)
    }
}

fn set(indices: &[usize], values: &[i32]) {
    for (&index, &value) in indices.iter().zip(values) {
        tuning::set(index, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Chess;

    const FEN: &str = "rnbq1rk1/ppp2pb1/5npp/3Pp1N1/2B5/2NP4/PPP2PPP/R1BQ1RK1 w - - 0 9";

    fn player() -> (Player<Chess>, [i32; 2], [i32; 2]) {
        let find = |name| tuning::parameters().iter().position(|p| p.name == name).unwrap();
        let (a, b) = (find("rfp_margin"), find("lmr_base"));
        let all = tuning::parameters();
        let player = Player::new(vec![a, b], 1000, 1).unwrap();
        (player, [all[a].default, all[b].default], [all[a].min, all[b].max])
    }

    #[test]
    fn the_values_reach_the_search() {
        let (mut player, usual, other) = player();
        let start: Position<Chess> = FEN.parse().unwrap();
        let mut nodes = |values: [i32; 2]| {
            set(&player.indices, &values);
            let searcher = &mut player.searchers[0];
            searcher.new_game();
            searcher.shared().tt.clear(1);
            searcher.search(RootPosition { position: &start, keys: &[] }, &Limits::depth(9), &mut |_| {}).nodes
        };
        let first = nodes(usual);
        assert_ne!(nodes(other), first);
        assert_eq!(nodes(usual), first);
    }

    #[test]
    fn a_game_repeats_and_equals_play_the_same_game_with_either_colour() {
        let (mut player, usual, other) = player();
        let start: Position<Chess> = FEN.parse().unwrap();
        let stop = AtomicBool::new(false);
        let white = player.play(&start, Color::White, [&usual, &usual], &stop).unwrap();
        assert_eq!(player.play(&start, Color::Black, [&usual, &usual], &stop), Some(-white));
        let unequal = player.play(&start, Color::White, [&usual, &other], &stop);
        assert_eq!(player.play(&start, Color::Black, [&other, &usual], &stop), unequal.map(|r| -r));
        stop.store(true, Relaxed);
        assert_eq!(player.play(&start, Color::White, [&usual, &usual], &stop), None);
    }
}

//! One game between two sets of search parameters, in this thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_core::{Color, Game, Position, Rules};
use rukh_eval::Terms;
use rukh_eval::nnue::Evaluation;
use rukh_search::{Limits, RootPosition, Searcher, Shared, tuning};

use super::{Clock, Plan};
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

/// A clock's thousand nodes are a millisecond to the search.
const NODES_PER_MS: u32 = 1000;

/// Two engines of one thread: they share nothing.
pub struct Player<R: Rules + Terms> {
    searchers: [Searcher<R, Evaluation<R>>; 2],
    /// Indices of the parameters that are tuned.
    indices: Vec<usize>,
    limits: Limits,
    clock: Option<Clock>,
}

impl<R: Rules + Terms> Player<R> {
    pub fn new(indices: Vec<usize>, plan: &Plan, hash: usize) -> Result<Self, LabError> {
        let searcher = || -> Result<_, LabError> {
            let shared = Arc::new(Shared::<R>::new(hash, 1).map_err(LabError::new)?);
            Ok(Searcher::new(0, shared, Evaluation::<R>::default()))
        };
        let limits = match plan.clock {
            None => Limits::nodes(plan.nodes),
            Some(clock) => {
                Limits { inc: [clock.increment.into(); 2], nodes_per_ms: Some(NODES_PER_MS), ..Limits::default() }
            }
        };
        Ok(Player { searchers: [searcher()?, searcher()?], indices, limits, clock: plan.clock })
    }

    /// Plays from `start`, the first engine as `first`: 1 when it wins, 0, -1; `None` when stopped.
    pub fn play(&mut self, start: &Position<R>, first: Color, values: [&[i32]; 2], stop: &AtomicBool) -> Option<i8> {
        for (searcher, values) in self.searchers.iter_mut().zip(values) {
            set(&self.indices, values);
            searcher.new_game();
            searcher.shared().tt.clear(1);
        }
        // What is left on both clocks, in nodes.
        let mut left = self.clock.map(|clock| [1000 * i64::from(clock.base); 2]);
        let mut late = None;
        let think = |game: &Game<R>| {
            if stop.load(Relaxed) {
                return None;
            }
            let engine = usize::from(game.position().side_to_move() != first);
            set(&self.indices, values[engine]);
            let root = RootPosition { position: game.position(), keys: game.keys() };
            let (Some(left), Some(clock)) = (&mut left, self.clock) else {
                return Some(self.searchers[engine].search(root, &self.limits, &mut |_| {}));
            };
            let ms = (left[engine] / i64::from(NODES_PER_MS)).max(1) as u64;
            let limits = Limits { time: [Some(ms); 2], ..self.limits.clone() };
            self.searchers[engine].shared().tt.new_search();
            let found = self.searchers[engine].search(root, &limits, &mut |_| {});
            left[engine] -= found.nodes as i64;
            if left[engine] < 0 {
                late = Some(engine);
                return None;
            }
            left[engine] += 1000 * i64::from(clock.increment);
            Some(found)
        };
        let verdict = selfplay::play(&mut Game::new(*start), &RULES, think, |_, _| true);
        match late {
            Some(engine) => Some(if engine == 0 { -1 } else { 1 }),
            None => Some(verdict?.points(first) as i8 - 1),
        }
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
        let plan = Plan {
            knobs: vec![],
            iterations: 1,
            pairs: 1,
            nodes: 1000,
            clock: None,
            seed: 1,
            rate: 0.1,
            perturbation: 0.1,
        };
        let player = Player::new(vec![a, b], &plan, 1).unwrap();
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

    #[test]
    fn a_game_by_clocks_that_count_nodes_repeats() {
        let time = tuning::parameters().iter().position(|p| p.name == "time_part").unwrap();
        let clock = Some("20+1".parse().unwrap());
        let plan =
            Plan { knobs: vec![], iterations: 1, pairs: 1, nodes: 0, clock, seed: 1, rate: 0.1, perturbation: 0.1 };
        let mut player = Player::<Chess>::new(vec![time], &plan, 1).unwrap();
        let start: Position<Chess> = FEN.parse().unwrap();
        let (stop, usual) = (AtomicBool::new(false), [tuning::parameters()[time].default]);
        let mut play = |first, values: [&[i32]; 2]| player.play(&start, first, values, &stop).unwrap();
        let white = play(Color::White, [&usual, &usual]);
        assert_eq!(play(Color::Black, [&usual, &usual]), -white);
        let unequal = play(Color::White, [&usual, &[300]]);
        assert_eq!(play(Color::Black, [&[300], &usual]), -unequal);
        for wrong in ["", "0+1", "10+x", "-3+1"] {
            assert!(wrong.parse::<Clock>().is_err(), "{wrong}");
        }
    }
}

//! One game between two sets of search parameters, in this thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_core::{Color, Game, Outcome, Position, Rules};
use rukh_eval::Terms;
use rukh_eval::nnue::Evaluation;
use rukh_search::{Limits, RootPosition, Searcher, Shared, tuning};

use crate::cli::CliError;

/// When a game is called off; plies are consecutive, and both sides agree.
const WON: (i32, usize) = (1000, 4);
const DRAWN: (i32, usize) = (8, 10);
const DRAWN_FROM: usize = 70;
const MAX_PLIES: usize = 300;

/// Two engines of one thread: they share nothing.
pub struct Player<R: Rules + Terms> {
    searchers: [Searcher<R, Evaluation<R>>; 2],
    /// Indices of the parameters that are tuned.
    indices: Vec<usize>,
    limits: Limits,
}

impl<R: Rules + Terms> Player<R> {
    pub fn new(indices: Vec<usize>, nodes: u64, hash: usize) -> Result<Self, CliError> {
        let searcher = || -> Result<_, CliError> {
            let shared = Arc::new(Shared::<R>::new(hash, 1).map_err(CliError::new)?);
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
        let mut game = Game::new(*start);
        let (mut won, mut drawn) = (0i32, 0);
        // Positive for White.
        let result = loop {
            match game.outcome() {
                Some(Outcome::Win(Color::White)) => break 1,
                Some(Outcome::Win(Color::Black)) => break -1,
                Some(Outcome::Draw(_)) => break 0,
                None => {}
            }
            if game.moves().len() >= MAX_PLIES {
                break 0;
            }
            if stop.load(Relaxed) {
                return None;
            }
            let white = game.position().side_to_move() == Color::White;
            let engine = usize::from(game.position().side_to_move() != first);
            set(&self.indices, values[engine]);
            let root = RootPosition { position: game.position(), keys: game.keys() };
            let found = self.searchers[engine].search(root, &self.limits, &mut |_| {});
            let Some(mv) = found.best else { break 0 };
            let value = if white { found.score.value() } else { -found.score.value() };
            let counting = game.position().count().is_some();
            // Plies in a row with a clear advantage, signed.
            won = match value {
                v if v >= WON.0 && !counting => won.max(0) + 1,
                v if v <= -WON.0 && !counting => won.min(0) - 1,
                _ => 0,
            };
            drawn = if value.abs() <= DRAWN.0 && !counting { drawn + 1 } else { 0 };
            if won.unsigned_abs() as usize >= WON.1 {
                break won.signum() as i8;
            }
            if drawn >= DRAWN.1 && game.moves().len() >= DRAWN_FROM {
                break 0;
            }
            game.play(mv);
        };
        Some(if first == Color::White { result } else { -result })
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

    /// An engine that prunes whatever it can against one as it is: the parameters reach the search.
    #[test]
    fn a_crippled_engine_loses() {
        let all = tuning::parameters();
        let names = ["rfp_margin", "futility_margin", "futility_base", "lmr_base", "order_quiet"];
        let indices: Vec<usize> = names.map(|name| all.iter().position(|p| p.name == name).unwrap()).to_vec();
        let good: Vec<i32> = indices.iter().map(|&i| all[i].default).collect();
        let bad = [40, 50, 20, 1500, 8];
        let mut player = Player::<Chess>::new(indices, 1500, 1).unwrap();
        let stop = AtomicBool::new(false);
        let mut sum = 0;
        for fen in [
            "r1b1k2r/pp1pppb1/1qn2np1/6Bp/7P/1NN1P3/PPP2PP1/R2QKB1R w KQkq - 1 9",
            "rnbq1rk1/ppp2pb1/5npp/3Pp1N1/2B5/2NP4/PPP2PPP/R1BQ1RK1 w - - 0 9",
            "2rqk2r/1ppb1ppp/p1np1n2/2b1p3/2P5/1PN1P1P1/P2PNPBP/R1BQ1RK1 w k - 1 9",
        ] {
            let start: Position<Chess> = fen.parse().unwrap();
            for first in Color::ALL {
                let once = player.play(&start, first, [&good, &bad], &stop).unwrap();
                assert_eq!(player.play(&start, first, [&good, &bad], &stop), Some(once), "the same game again");
                sum += i32::from(once);
            }
        }
        assert!(sum > 0, "{sum}");
        stop.store(true, Relaxed);
        assert_eq!(player.play(&Position::startpos(), Color::White, [&good, &good], &stop), None);
    }
}

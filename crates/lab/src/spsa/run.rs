//! Which parameters are tuned, and the threads that play for them.

use std::sync::atomic::AtomicBool;

use rukh_core::{Color, Position, Rules};
use rukh_eval::Terms;
use rukh_search::tuning::{self, Parameter};

use super::play::Player;
use super::{Files, Job, Knob, Plan, State, drive};
use crate::LabError;

/// A parameter that moves in few steps is too coarse to follow.
const LEAST_RANGE: i32 = 20;
/// Times say nothing at fixed nodes; the others decide too rarely to be heard among sixty. `--only` brings them back.
const LEFT_OUT: &[&str] = &[
    "time_", "aspiration_", "hindsight_", "eval_change_", "razor_", "small_probcut_margin", "rfp_min",
    "rfp_correction", "capture_futility_history_div", "see_capture_history_div", "singular_margin_pv", "double_pv",
    "triple_", "lmr_capture_history_div", "lmr_history_base", "shallower_margin", "order_check_see", "refuted_malus",
    "history_start_",
];
/// The parameters to tune: the usual ones or those whose names begin with one of `only`, but none of `without`.
pub fn knobs(only: &[String], without: &[String]) -> Result<Vec<Knob>, LabError> {
    let all = tuning::parameters();
    if let Some(name) = only.iter().chain(without).find(|name| !all.iter().any(|p| p.name.starts_with(name.as_str()))) {
        return Err(LabError::refused(format!("no parameter of the search begins with '{name}'")));
    }
    let named = |list: &[String], p: &Parameter| list.iter().any(|name| p.name.starts_with(name.as_str()));
    let usual = |p: &Parameter| p.max - p.min >= LEAST_RANGE && !LEFT_OUT.iter().any(|left| p.name.starts_with(left));
    let chosen = all.iter().filter(|p| if only.is_empty() { usual(p) } else { named(only, p) });
    let knobs: Vec<Knob> = chosen
        .filter(|p| !named(without, p))
        .map(|p| Knob { name: p.name.into(), start: p.default.into(), min: p.min.into(), max: p.max.into() })
        .collect();
    if knobs.is_empty() { Err(LabError::refused("no parameter is left to tune")) } else { Ok(knobs) }
}

/// What the games of a run are played with.
pub struct Table<R: Rules> {
    /// Openings in the order of play.
    pub starts: Vec<Position<R>>,
    /// Games at a time.
    pub threads: usize,
    /// Megabytes of each engine.
    pub hash: usize,
}

impl<R: Rules + Terms> Table<R> {
    /// Plays until the run is finished or `stop` is raised; `tell` hears of every game.
    pub fn run(
        &self,
        state: State,
        files: &Files,
        stop: &AtomicBool,
        tell: impl Fn(&State) + Sync,
    ) -> Result<State, LabError> {
        let plan: Plan = state.plan.clone();
        let index = |knob: &Knob| tuning::parameters().iter().position(|p| p.name == knob.name);
        let indices: Option<Vec<usize>> = plan.knobs.iter().map(index).collect();
        let Some(indices) = indices else {
            return Err(LabError::new(format!("{} has parameters that this build lacks", files.state.display())));
        };
        // One before the threads begin: a lack of memory is said once.
        Player::<R>::new(indices.clone(), &plan, self.hash)?;
        let worker = || {
            let mut player = Player::<R>::new(indices.clone(), &plan, self.hash).ok();
            let (plan, starts) = (&plan, &self.starts);
            move |job: Job, plus: &[i32], minus: &[i32]| {
                let start = &starts[(job.opening(plan) % starts.len() as u64) as usize];
                let first = if job.game.is_multiple_of(2) { Color::White } else { Color::Black };
                player.as_mut()?.play(start, first, [plus, minus], stop)
            }
        };
        drive(state, files, self.threads, stop, worker, tell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_chosen_by_name() {
        let names = |only: &[&str], without: &[&str]| -> Result<Vec<String>, LabError> {
            let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
            Ok(knobs(&own(only), &own(without))?.into_iter().map(|k| k.name).collect())
        };
        let usual = names(&[], &[]).unwrap();
        assert!(
            (40..=64).contains(&usual.len()) && !usual.iter().any(|n| n.starts_with("time_") || n == "nmp_base"),
            "{usual:?}"
        );
        assert_eq!(names(&["rfp_"], &["rfp_depth"]).unwrap().len(), 6);
        assert!(names(&["no_such"], &[]).unwrap_err().to_string().contains("'no_such'"));
        assert!(names(&["rfp_depth"], &["rfp_"]).is_err());
    }
}

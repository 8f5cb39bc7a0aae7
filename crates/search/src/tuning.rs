//! The search's parameters while the program runs (feature `tune`). Every thread has its own values, so that two versions
//! can play each other in one process; a thread starts with the defaults and what `RUKH_PARAMS` says
//! (`RUKH_PARAMS=rfp_margin=80,lmr_base=500`).

use crate::params::ALL;
use core::cell::Cell;

/// A number of the search that can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in `params.rs`.
    pub name: &'static str,
    /// Its value in ordinary builds.
    pub default: i32,
    /// Least value that makes sense.
    pub min: i32,
    /// Largest value that makes sense.
    pub max: i32,
}

thread_local! {
    static VALUES: [Cell<i32>; ALL.len()] = core::array::from_fn(|i| Cell::new(from_environment(&ALL[i])));
}

fn from_environment(parameter: &Parameter) -> i32 {
    let all = std::env::var("RUKH_PARAMS").unwrap_or_default();
    let named = |pair: &str| pair.trim().strip_prefix(parameter.name)?.strip_prefix('=')?.parse().ok();
    all.split(',').find_map(named).unwrap_or(parameter.default).clamp(parameter.min, parameter.max)
}

/// All parameters, in the order of `params.rs`.
pub fn parameters() -> &'static [Parameter] {
    ALL
}

/// Sets the parameter with this index for searches in the current thread; a value out of its range is moved into it.
pub fn set(index: usize, value: i32) {
    if let Some(parameter) = ALL.get(index) {
        VALUES.with(|values| values[index].set(value.clamp(parameter.min, parameter.max)));
    }
}

#[inline(always)]
pub(crate) fn value(index: usize) -> i32 {
    VALUES.with(|values| values[index].get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_values_of_its_own_within_their_range() {
        let at = ALL.iter().position(|p| p.name == "rfp_margin").unwrap();
        set(at, 1_000_000);
        assert_eq!((crate::params::rfp_margin(), value(at)), (ALL[at].max, ALL[at].max));
        std::thread::spawn(move || assert_eq!(crate::params::rfp_margin(), ALL[at].default)).join().unwrap();
        set(at, ALL[at].default);
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<_> = ALL.iter().map(|p| p.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}

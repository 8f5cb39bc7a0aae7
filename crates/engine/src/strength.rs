//! Playing like a weaker person: a small search, and a choice among its lines that people would understand.
//!
//! A weak player overlooks things (few nodes) and misjudges close decisions (a choice weighted by how much winning chance
//! each line gives away). Nobody gives a queen away for nothing: a line that loses much more than the level allows is never
//! chosen, however the dice fall.

use crate::options::{ELO_RANGE, Options};
use crate::wdl::Wdl;
use rukh_core::rng::Rng;
use rukh_core::{Move, Variant};
use rukh_search::{Limits, Score};

/// How strong to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Level {
    /// Nodes after which no new iteration starts.
    pub nodes: u64,
    /// Lines to choose from.
    pub lines: usize,
    /// Winning chance (in points of a hundred) that the level readily gives away: the temperature of the choice.
    pub careless: f64,
    /// Pawns that no choice may cost.
    pub most: f64,
}

/// Measured points of the scale: rating (between levels, up to 2400 with Stockfish's `UCI_Elo` as the ruler, docs/lab/strength.md), nodes, lines,
/// carelessness, pawns at most. Between them everything changes evenly, the nodes by factors.
const SCALE: [(f64, [f64; 4]); 11] = [
    (260.0, [20.0, 24.0, 40.0, 3.5]),
    (940.0, [40.0, 12.0, 20.0, 2.5]),
    (1220.0, [60.0, 8.0, 12.0, 2.5]),
    (1495.0, [75.0, 5.0, 7.0, 2.5]),
    (1550.0, [330.0, 5.0, 5.1, 2.5]),
    (1660.0, [760.0, 5.0, 4.2, 2.5]),
    (1820.0, [1800.0, 5.0, 3.4, 2.5]),
    (2045.0, [4200.0, 5.0, 2.65, 2.5]),
    (2400.0, [16_070.0, 5.0, 1.664, 2.5]),
    (2600.0, [35_500.0, 5.0, 1.18, 2.5]),
    (2800.0, [101_000.0, 5.0, 0.65, 2.5]),
];

impl Level {
    /// The level that the options ask for; `None` is full strength.
    pub(crate) fn of(options: &Options) -> Option<Level> {
        let (low, high) = (*ELO_RANGE.start(), *ELO_RANGE.end());
        if options.limit_strength {
            return Some(Level::at(options.elo));
        }
        (options.skill_level < 20).then(|| Level::at(low + (high - low) * options.skill_level / 20))
    }

    fn at(elo: i64) -> Level {
        let elo = (elo as f64).clamp(SCALE[0].0, SCALE[SCALE.len() - 1].0);
        let above = SCALE.iter().position(|point| elo < point.0).unwrap_or(SCALE.len() - 1);
        let ((from, low), (to, high)) = (SCALE[above - 1], SCALE[above]);
        let part = (elo - from) / (to - from);
        let between = |i: usize| low[i] + (high[i] - low[i]) * part;
        let nodes = low[0] * (high[0] / low[0]).powf(part);
        Level {
            nodes: nodes.round() as u64,
            lines: between(1).round() as usize,
            careless: between(2),
            most: between(3),
        }
    }

    /// Narrows the limits to the level.
    pub(crate) fn narrow(&self, limits: &Limits) -> Limits {
        let mut narrowed = limits.clone();
        // A soft limit: the weakest level still completes its first look at every move, or it could not choose.
        narrowed.soft_nodes = Some(limits.soft_nodes.unwrap_or(u64::MAX).min(self.nodes));
        narrowed.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(4 * self.nodes + 4_000));
        narrowed.multipv = limits.multipv.max(self.lines);
        narrowed
    }

    /// Chooses among the lines of the last complete iteration; `dice` is any random number.
    pub(crate) fn choose(&self, lines: &[(Move, Score)], variant: Variant, dice: u64) -> Option<usize> {
        let (_, best) = *lines.first()?;
        let chance = |score| Wdl::for_levels(score, variant).expectation();
        let top = chance(best);
        let weight = |&(_, score): &(Move, Score)| {
            let loss = (top - chance(score)).max(0.0);
            // Centipawns matter too where chances are flat, as in won and lost positions.
            let pawns = f64::from((best.value() - score.value()).clamp(0, 2000)) / 100.0;
            if loss > 3.5 * self.careless || pawns > self.most || (best.is_decisive() && best != score) {
                return 0.0;
            }
            (-(loss + pawns) / self.careless.max(0.01)).exp()
        };
        let total: f64 = lines.iter().map(weight).sum();
        let mut at = (dice >> 11) as f64 / (1u64 << 53) as f64 * total;
        for (i, line) in lines.iter().enumerate() {
            at -= weight(line);
            if at < 0.0 {
                return Some(i);
            }
        }
        Some(0)
    }
}

/// A random number from a counter.
pub(crate) fn random(seed: u64) -> u64 {
    Rng::plain(seed).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_in_nodes_and_care() {
        let mut last = Level::at(*ELO_RANGE.start());
        for elo in (*ELO_RANGE.start() + 100..=*ELO_RANGE.end()).step_by(100) {
            let level = Level::at(elo);
            assert!(level.nodes > last.nodes && level.careless < last.careless && level.lines <= last.lines);
            last = level;
        }
        assert!(Level::of(&Options::default()).is_none());
        let skill = |skill_level| Level::of(&Options { skill_level, ..Options::default() }).unwrap().nodes;
        let at = |elo| Level::at(elo).nodes;
        let (low, high) = (*ELO_RANGE.start(), *ELO_RANGE.end());
        assert_eq!((skill(0), skill(10), skill(19)), (at(low), at((low + high) / 2), at(low + (high - low) * 19 / 20)));
        assert!(skill(0) < skill(10) && skill(10) < skill(19));
    }

    #[test]
    fn limits_are_narrowed_and_never_widened() {
        let level = Level { nodes: 500, lines: 3, careless: 1.0, most: 2.5 };
        let numbers = |limits: Limits| {
            let narrowed = level.narrow(&limits);
            (narrowed.soft_nodes, narrowed.nodes, narrowed.multipv)
        };
        assert_eq!(numbers(Limits::default()), (Some(500), Some(6_000), 3));
        let own = Limits { soft_nodes: Some(40), nodes: Some(70), multipv: 5, ..Limits::default() };
        assert_eq!(numbers(own), (Some(40), Some(70), 5));
    }

    #[test]
    fn no_level_gives_a_queen_away() {
        let lines = [(Move::NONE, Score(20)), (Move::NONE, Score(-30)), (Move::NONE, Score(-900))];
        let weakest = Level::at(*ELO_RANGE.start());
        let mut seen = [0; 3];
        for dice in 0..2000 {
            seen[weakest.choose(&lines, Variant::Chess, random(dice)).unwrap()] += 1;
        }
        assert!(seen[0] > seen[1] && seen[1] > 100 && seen[2] == 0, "{seen:?}");
    }

    /// Care is measured in chances to win: a pawn may cost many of them.
    #[test]
    fn who_is_careful_gives_no_chances_away() {
        let careful = Level { nodes: 1, lines: 2, careless: 1.0, most: 2.5 };
        let chosen =
            |score, dice| careful.choose(&[(Move::NONE, Score(0)), (Move::NONE, Score(score))], Variant::Chess, dice);
        assert!((0..500).all(|dice| chosen(-100, random(dice)) == Some(0)));
        assert!((0..500).any(|dice| chosen(-2, random(dice)) == Some(1)));
    }

    #[test]
    fn a_mate_is_not_missed_once_seen() {
        let lines = [(Move::NONE, Score::mate_in(1)), (Move::NONE, Score(900))];
        assert!((0..500).all(|d| Level::at(600).choose(&lines, Variant::Chess, random(d)) == Some(0)));
    }
}

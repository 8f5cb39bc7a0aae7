//! What an engine remembers of positions between searches, and between runs.
//!
//! The engine does not know where memories lie: whoever owns it gives it a [`Memory`] (`rukh` keeps one in the table of
//! `rukh learn`). Before a search the engine recalls what is known at and around the root and puts it into the
//! transposition table, and takes up a known root where it was left: the old result is reported at once, and the search
//! goes on with the next depth. Afterwards it records the root and the deepest positions of the tree.

use core::time::Duration;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use rukh_core::{Game, Position, Rules};
use rukh_search::{Bound, Entry, Known, Limits, TranspositionTable, score};

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memo {
    /// Depth of the search behind it.
    pub depth: i32,
    /// Score for the side to move, mates counted from this position.
    pub score: i32,
    /// What the score means.
    pub bound: Bound,
    /// The best move as `Move::to_u16`; 0 for none.
    pub best: u16,
}

/// A memory of positions. Both calls come between searches, never from within one.
pub trait Memory<R: Rules>: Send + Sync {
    /// What is known at and around `root`, at most `most` positions, the deepest first; to be found within `time`.
    fn recall(&self, root: &Position<R>, most: usize, time: Duration) -> Vec<(Position<R>, Memo)>;

    /// Remembers what a search has found. Must return soon: writing may happen later.
    fn record(&self, news: Vec<(Position<R>, Memo)>);
}

/// Rows by the position's key, which nothing is added to.
pub(crate) struct Rows(pub(crate) HashMap<u64, Memo>);

impl<R: Rules> Memory<R> for Rows {
    fn recall(&self, root: &Position<R>, most: usize, _: Duration) -> Vec<(Position<R>, Memo)> {
        let (mut pos, mut line) = (*root, Vec::new());
        while let Some(memo) = self.0.get(&pos.key()).filter(|_| line.len() < most.min(64)) {
            line.push((pos, *memo));
            let Some(mv) = pos.legal_from_u16(memo.best) else { break };
            pos = pos.after(mv);
        }
        line
    }

    fn record(&self, _: Vec<(Position<R>, Memo)>) {}
}

/// Most positions that a search recalls and records.
const MOST: usize = 4096;
/// Nodes of a search for each position that it records. To recall one costs some thirty look-ups, a twentieth of the time
/// that those nodes took.
const NODES_PER_POSITION: u64 = 1000;
/// Shallower results are found again sooner than read.
const LEAST_DEPTH: i32 = 4;
/// Later in the fifty-move count a score may not hold for the position as such.
const LATEST_CLOCK: u16 = 40;
/// Longest line that is shown from memory.
const LONGEST_LINE: usize = 24;

/// How long to recall for: a hundredth of a search with a clock, a moment of an analysis.
fn recall_time(limits: &Limits) -> Duration {
    let least = limits.time.iter().flatten().chain(limits.movetime.iter()).min();
    Duration::from_millis(least.map_or(100, |ms| (ms / 100).min(100)))
}

/// An entry for the transposition table. The rows may have been written by anybody: only what a search could have stored is
/// used.
pub(crate) fn entry(memo: Memo) -> Option<Entry> {
    let Memo { depth, score: value, bound, best: mv } = memo;
    let sane = bound != Bound::None && value.unsigned_abs() < score::MATE.unsigned_abs() && (1..200).contains(&depth);
    sane.then_some(Entry { mv, value, eval: score::NONE, depth, bound, pv: false })
}

/// What a search may start from.
#[derive(Default)]
pub(crate) struct Recalled {
    /// Entries for the table.
    pub entries: Vec<(u64, Entry)>,
    /// Depth and score of the root, and the line that was best.
    pub root: Option<Known>,
}

/// What is known at and around the position on the board.
pub(crate) fn recall<R: Rules>(memory: &dyn Memory<R>, game: &Game<R>, limits: &Limits) -> Recalled {
    let (root, time) = (game.position(), recall_time(limits));
    if time.is_zero() {
        return Recalled::default();
    }
    let known = memory.recall(root, MOST, time);
    let entries: Vec<(u64, Entry)> =
        known.into_iter().filter_map(|(pos, memo)| Some((pos.key(), entry(memo)?))).collect();
    let known = |pos: &Position<R>| entries.iter().find(|(key, _)| *key == pos.key()).map(|(_, entry)| *entry);
    let own = known(root).filter(|entry| entry.bound == Bound::Exact && root.halfmove_clock() <= LATEST_CLOCK);
    let root = own.and_then(|entry| {
        let (mut pos, mut line) = (*root, Vec::new());
        let mut next = Some(entry);
        while let Some(mv) = next.and_then(|entry| pos.legal_from_u16(entry.mv)).filter(|_| line.len() < LONGEST_LINE) {
            pos = pos.after(mv);
            // What was best then may repeat the position now.
            if game.keys().contains(&pos.repetition_key()) {
                break;
            }
            line.push(mv);
            next = known(&pos);
        }
        (!line.is_empty()).then_some(Known { depth: entry.depth, score: entry.value, line })
    });
    Recalled { entries, root }
}

/// The root's result and the deepest positions of the tree around it, as far as the table still has them.
pub(crate) fn harvest<R: Rules>(
    table: &TranspositionTable,
    root: &Position<R>,
    result: Memo,
    nodes: u64,
) -> Vec<(Position<R>, Memo)> {
    let most = usize::try_from(nodes / NODES_PER_POSITION).unwrap_or(MOST).min(MOST);
    reachable(table, root, result, most, LEAST_DEPTH)
}

/// What a table knows of a position. Sixteen bits of key may lie; a move that is impossible here gives the liar away.
pub(crate) fn known<R: Rules>(table: &TranspositionTable, pos: &Position<R>) -> Option<Memo> {
    let entry = table.probe(pos.key())?;
    let honest = entry.mv == 0 || pos.legal_from_u16(entry.mv).is_some();
    let memo = Memo { depth: entry.depth, score: entry.value, bound: entry.bound, best: entry.mv };
    Some(memo).filter(|_| entry.bound != Bound::None && honest)
}

/// The root and the deepest of the positions that are connected to it through positions of the table with at least this
/// depth, `most` in all.
pub(crate) fn reachable<R: Rules>(
    table: &TranspositionTable,
    root: &Position<R>,
    result: Memo,
    most: usize,
    least_depth: i32,
) -> Vec<(Position<R>, Memo)> {
    let mut news = vec![(*root, result)];
    let mut seen = HashSet::from([root.key()]);
    // Positions by depth; the number makes the order of equals the order of discovery.
    let mut open = BinaryHeap::from([(result.depth, Reverse(0usize))]);
    let mut found = vec![(*root, result)];
    while let Some((_, Reverse(at))) = open.pop() {
        let (pos, memo) = found[at];
        if at > 0 {
            news.push((pos, memo));
        }
        if news.len() >= most {
            break;
        }
        for &mv in pos.legal_moves().iter() {
            let next = pos.after(mv);
            if next.halfmove_clock() > LATEST_CLOCK {
                continue;
            }
            let Some(memo) = known(table, &next) else { continue };
            if memo.depth >= least_depth && seen.insert(next.key()) {
                open.push((memo.depth, Reverse(found.len())));
                found.push((next, memo));
            }
        }
    }
    news
}

#[cfg(test)]
mod tests {
    use rukh_core::Chess;

    use super::*;

    /// A table that somebody wrote may say anything; the smallest number has no positive twin.
    #[test]
    fn only_what_a_search_could_have_stored_is_used() {
        let row = |depth, score| entry(Memo { depth, score, bound: Bound::Exact, best: 0 }).is_some();
        assert!(row(1, 0) && row(199, score::MATE - 1) && row(9, 1 - score::MATE));
        assert!(!row(0, 0) && !row(200, 0) && !row(9, score::MATE) && !row(9, -score::MATE) && !row(9, i32::MIN));
        assert!(entry(Memo { depth: 9, score: 0, bound: Bound::None, best: 0 }).is_none());
    }

    #[test]
    fn rows_are_recalled_along_the_best_moves_and_no_farther_than_asked() {
        let (mut pos, mut rows) = (Position::<Chess>::startpos(), HashMap::new());
        for uci in ["e2e4", "e7e5", "g1f3"] {
            let mv = pos.parse_uci(uci).unwrap();
            rows.insert(pos.key(), Memo { depth: 9, score: 1, bound: Bound::Exact, best: mv.to_u16() });
            pos = pos.after(mv);
        }
        let rows = Rows(rows);
        for (most, found) in [(0, 0), (1, 1), (2, 2), (3, 3), (100, 3)] {
            let line: Vec<(Position<Chess>, Memo)> = rows.recall(&Position::startpos(), most, Duration::ZERO);
            assert_eq!(line.len(), found);
        }
    }
}

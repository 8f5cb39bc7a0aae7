//! Makruk's bare-Khun tables as the search knows them.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

use rukh_core::{Makruk, Move, Position};
use rukh_search::{Control, Limits, RankedMove, TableResult, Tablebases};
use rukh_tables::{Distance, Tables, Verdict};

use crate::tables::TablesError;

/// With more men than this at the root the tables are out of reach, and are not looked at: what a search does must not
/// depend on whether an earlier one has made them.
const ROOT_MEN: u32 = 10;
/// The share of a clock that may go into making tables before a move; the next move goes on with them.
const CLOCK_SHARE: u64 = 16;

/// The tables of the folder in `MakrukTables`, or those of up to four men, made in memory when first needed.
#[derive(Default)]
pub(crate) struct BareKhun {
    folder: Option<Tables>,
    memory: std::sync::OnceLock<Arc<Tables>>,
    active: AtomicBool,
    /// The last search was stopped before the tables were there.
    unready: AtomicBool,
    /// Milliseconds it had spent on them.
    spent: AtomicU64,
}

impl BareKhun {
    /// The tables of a folder; with an empty path, those in memory.
    pub fn open(path: &str) -> Result<Arc<BareKhun>, TablesError> {
        if path.is_empty() {
            return Ok(Arc::default());
        }
        Ok(Arc::new(BareKhun { folder: Some(open_folder(path)?), ..BareKhun::default() }))
    }

    /// Makes the tables, should this process not have them yet: about a second.
    pub fn make(&self) {
        if self.folder.is_none() {
            self.memory.get_or_init(|| Tables::four_men().clone());
        }
    }

    /// Makes the tables beside what else goes on; a search that needs them waits. (A page makes them when it needs them.)
    pub fn make_soon(this: &Arc<BareKhun>) {
        if this.tables().is_none() && cfg!(not(target_family = "wasm")) {
            let this = this.clone();
            // Without a thread they are made when they are needed.
            let _ = std::thread::Builder::new().name("tables".into()).spawn(move || this.make());
        }
    }

    /// Decides, before a search, whether it looks at the tables, and makes them where time and the control allow. Changes the
    /// limits of a search that goes on after one that had to stop before they were there. False when this one has to, too: it
    /// has nothing new to say.
    pub fn prepare(&self, pos: &Position<Makruk>, limits: &mut Limits, full_strength: bool, control: &Control) -> bool {
        let unready = self.unready.swap(false, Relaxed);
        let again = limits.resume;
        if again && !unready {
            return true;
        }
        let clock = &mut limits.time[pos.side_to_move().index()];
        let most = limits.movetime.map(|ms| ms / 2).into_iter().chain(clock.map(|ms| ms / CLOCK_SHARE)).min();
        let mut spent = 0;
        if again {
            // The search that was stopped saw a move or two without the tables: nothing to build on, but time has passed.
            limits.resume = false;
            spent = self.spent.load(Relaxed);
            for left in [&mut limits.movetime, clock].into_iter().flatten() {
                *left = left.saturating_sub(spent).max(1);
            }
        }
        // A weaker level plays its endings as well as its level does.
        let mut active = full_strength && pos.occupied().count() <= ROOT_MEN;
        if active && self.tables().is_none() {
            let late = || !control.is_pondering() && most.is_some_and(|most| spent + control.elapsed_ms() >= most);
            if let Some(tables) = Tables::four_men_while(&|| !control.is_stopped() && !late()) {
                self.memory.get_or_init(|| tables.clone());
            } else {
                active = false;
                self.unready.store(control.is_stopped(), Relaxed);
                self.spent.store(spent + control.elapsed_ms(), Relaxed);
            }
        }
        self.active.store(active, Relaxed);
        !(again && self.unready.load(Relaxed))
    }

    #[inline]
    fn tables(&self) -> Option<&Tables> {
        match &self.folder {
            Some(tables) => Some(tables),
            None => self.memory.get().map(|tables| &**tables),
        }
    }
}

#[cfg(not(target_family = "wasm"))]
fn open_folder(path: &str) -> Result<Tables, TablesError> {
    let refuse = |error: std::io::Error| TablesError::Folder(path.to_owned(), error.to_string());
    let mut entries = std::fs::read_dir(path).map_err(refuse)?;
    let is_table = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|ext| ext == "mkt");
    if !entries.any(|entry| entry.is_ok_and(is_table)) {
        return Err(TablesError::NoMakruk(path.to_owned()));
    }
    let (tables, errors) = Tables::open(std::path::Path::new(path));
    match errors.first() {
        Some(error) => Err(TablesError::Makruk(error.to_string())),
        None => Ok(tables),
    }
}

#[cfg(target_family = "wasm")]
fn open_folder(_path: &str) -> Result<Tables, TablesError> {
    Err(TablesError::Unsupported)
}

impl Tablebases<Makruk> for BareKhun {
    #[inline]
    fn max_pieces(&self) -> u32 {
        if self.active.load(Relaxed) { self.tables().map_or(0, Tables::max_men) } else { 0 }
    }

    #[inline]
    fn probe(&self, pos: &Position<Makruk>) -> Option<TableResult> {
        Some(match self.tables()?.verdict(pos)? {
            Verdict::Mate(plies) => TableResult::MateIn(plies),
            Verdict::Mated(plies) => TableResult::MatedIn(plies),
            Verdict::Draw => TableResult::Draw,
        })
    }

    /// By distance to mate; among equals, a lost bare Khun takes the way on which the attacker can go wrong most easily. Where the
    /// count saves the bare Khun the attacker still tries the short ways with the most pitfalls, and the bare Khun the longest:
    /// the other side may go wrong.
    fn rank_root(&self, pos: &Position<Makruk>, moves: &[Move], ranked: &mut Vec<RankedMove>) -> bool {
        const WIN: i32 = 1_000_000;
        const SURE: i32 = 300_000;
        let Some(tables) = self.tables() else { return false };
        // Unknown positions are left to the search; then it looks at all moves.
        if tables.verdict(pos).is_none() {
            return false;
        }
        let attacks = pos.colors(pos.side_to_move()).more_than_one();
        for &mv in moves {
            let next = pos.after(mv);
            if next.occupied().count() == 2 {
                ranked.push(RankedMove { mv, result: TableResult::Draw, rank: if attacks { 0 } else { SURE } });
                continue;
            }
            let Some(verdict) = tables.verdict(&next) else { return false };
            let (result, rank) = match verdict {
                Verdict::Mated(plies) => (TableResult::MateIn(plies + 1), WIN - STEP * plies as i32),
                Verdict::Mate(plies) => (TableResult::MatedIn(plies + 1), STEP * plies as i32 - WIN),
                Verdict::Draw => {
                    let rank = match (tables.distance(&next), attacks) {
                        (Some(Distance::Mate(n)), true) => {
                            // A pitfall on every second square is worth a move of distance.
                            SURE - STEP * i32::from(n) + 2 * share(tables, &next, |v| matches!(v, Verdict::Mate(_)))
                        }
                        (Some(Distance::Mate(n)), false) => STEP * i32::from(n),
                        (_, true) => 0,
                        (_, false) => SURE,
                    };
                    (TableResult::Draw, rank)
                }
            };
            ranked.push(RankedMove { mv, result, rank });
        }
        let longest = ranked.iter().map(|m| m.rank).max().unwrap_or(0);
        if longest < 0 {
            for m in ranked.iter_mut().filter(|m| m.rank == longest) {
                m.rank += hope(chance(tables, &pos.after(m.mv), LOOK));
            }
        }
        true
    }
}

/// What a move of distance weighs in a root move's rank: more than any [`share`] or [`hope`].
const STEP: i32 = 1024;

/// So many moves of the attacker a lost bare Khun looks ahead for pitfalls.
const LOOK: u32 = 2;

/// A sure thing, as [`chance`] counts.
const SURE_WIN: u64 = 1 << 30;

/// The chance that an attacker who moves by lot still wins after so many moves, against the best defence.
fn chance(tables: &Tables, pos: &Position<Makruk>, moves: u32) -> u64 {
    let lot = pos.legal_moves();
    let won =
        lot.iter().map(|&mv| pos.after(mv)).filter(|next| matches!(tables.verdict(next), Some(Verdict::Mated(_))));
    let kept = won.map(|next| {
        if moves <= 1 {
            return SURE_WIN;
        }
        let answers = next.legal_moves();
        let chances = answers.iter().map(|&mv| next.after(mv)).map(|then| match tables.verdict(&then) {
            Some(Verdict::Mate(_)) => chance(tables, &then, moves - 1),
            _ => 0,
        });
        chances.min().unwrap_or(SURE_WIN)
    });
    kept.sum::<u64>() / lot.len().max(1) as u64
}

/// What a chance of the attacker leaves to hope for, below [`STEP`]: 32 for each halving.
fn hope(chance: u64) -> i32 {
    let log = |n: u64| (32 * n.ilog2() + ((n << 5 >> n.ilog2()) & 31) as u32) as i32;
    log(SURE_WIN) - log(chance.max(1))
}

/// How many of the side to move's moves lead to such a verdict (for the side that then moves), below [`STEP`].
fn share(tables: &Tables, pos: &Position<Makruk>, is_such: impl Fn(Verdict) -> bool) -> i32 {
    let moves = pos.legal_moves();
    let such = moves.iter().filter(|&&mv| tables.verdict(&pos.after(mv)).is_some_and(&is_such)).count();
    (STEP - 1) * such as i32 / moves.len().max(1) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position<Makruk> {
        Position::from_fen(fen).expect(fen)
    }

    fn made() -> Arc<BareKhun> {
        let tables = BareKhun::open("").unwrap();
        tables.make();
        tables
    }

    #[test]
    fn tables_are_made_beside_the_work() {
        let tables = BareKhun::open("").unwrap();
        assert!(tables.tables().is_none());
        BareKhun::make_soon(&tables);
        let begin = std::time::Instant::now();
        while tables.tables().is_none() {
            assert!(begin.elapsed().as_secs() < 120, "nobody makes them");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    #[test]
    fn a_search_that_had_its_tables_is_gone_on_with() {
        let (tables, pos) = (made(), position("8/3k4/6M~1/2K1S3/8/8/8/8 w - 88 8 1"));
        let mut limits = Limits { resume: true, movetime: Some(1000), ..Limits::default() };
        assert!(tables.prepare(&pos, &mut limits, true, &Control::default()));
        assert_eq!((limits.resume, limits.movetime), (true, Some(1000)), "nothing was missed");
        // The one before was stopped while they were made, 300 ms after it had begun: this one begins anew, with what is left.
        tables.unready.store(true, Relaxed);
        tables.spent.store(300, Relaxed);
        assert!(tables.prepare(&pos, &mut limits, true, &Control::default()));
        assert_eq!((limits.resume, limits.movetime), (false, Some(700)));
        assert_eq!(tables.max_pieces(), 4);
    }

    #[test]
    fn shares_of_moves() {
        let tables = made();
        let pos = position("8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1");
        let of = |is_such: &dyn Fn(Verdict) -> bool| share(tables.tables().unwrap(), &pos, is_such);
        assert_eq!((of(&|_| true), of(&|_| false)), (STEP - 1, 0));
    }

    #[test]
    fn hope_grows_as_chances_fall() {
        assert_eq!((hope(SURE_WIN), hope(SURE_WIN / 2), hope(SURE_WIN / 4 * 3)), (0, 32, 16));
        assert!(hope(0) < STEP && hope(0) >= hope(1));
    }

    /// Of the longest ways, the one with the most pitfalls; never a shorter one.
    #[test]
    fn a_lost_khun_sets_traps() {
        let tables = made();
        let known = tables.tables().unwrap();
        let pos = position("8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1");
        let mut ranked = Vec::new();
        assert!(tables.rank_root(&pos, &pos.legal_moves(), &mut ranked));
        let plies = |m: &RankedMove| match m.result {
            TableResult::MatedIn(plies) => plies,
            other => panic!("{other:?}"),
        };
        let longest = ranked.iter().map(plies).max().unwrap();
        let best = ranked.iter().max_by_key(|m| m.rank).unwrap();
        assert_eq!(plies(best), longest);
        let chances: Vec<u64> =
            ranked.iter().filter(|m| plies(m) == longest).map(|m| chance(known, &pos.after(m.mv), LOOK)).collect();
        assert_eq!(chance(known, &pos.after(best.mv), LOOK), *chances.iter().min().unwrap(), "{chances:?}");
        // A reply by lot keeps the win as often as the share of good ones says.
        let next = pos.after(best.mv);
        let good = share(known, &next, |v| matches!(v, Verdict::Mated(_)));
        assert!((chance(known, &next, 1) * (STEP - 1) as u64 / SURE_WIN).abs_diff(good as u64) <= 1);
    }

    #[test]
    fn the_best_move_keeps_the_distance_to_mate() {
        let tables = made();
        for fen in ["8/3k4/6M~1/2K1S3/8/8/8/8 w - 88 8 1", "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"] {
            let (pos, mut ranked) = (position(fen), Vec::new());
            assert!(tables.rank_root(&pos, &pos.legal_moves(), &mut ranked), "{fen}");
            let best = ranked.iter().max_by_key(|mv| mv.rank).unwrap().result;
            assert!(best != TableResult::Draw && tables.probe(&pos) == Some(best), "{fen}: {best:?}");
        }
    }

    /// Both sides go on trying where the count has decided: a mate that is nearer, or farther, matters more than pitfalls.
    #[test]
    fn roots_are_ranked_by_the_way_to_mate() {
        let tables = made();
        for (fen, attacks) in [
            ("8/3k4/6M~1/2K1S3/8/8/8/8 w - 88 80 1", true),
            ("8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 80 1", false),
            ("8/8/8/3k4/8/3K4/8/4SS2 b - 44 0 1", false),
        ] {
            let (pos, mut ranked) = (position(fen), Vec::new());
            assert!(tables.rank_root(&pos, &pos.legal_moves(), &mut ranked), "{fen}");
            let known = |mv: &RankedMove| match tables.tables().unwrap().distance(&pos.after(mv.mv)) {
                Some(Distance::Mate(plies)) => Some((i32::from(plies), mv.rank)),
                _ => None,
            };
            let known: Vec<(i32, i32)> = ranked.iter().filter_map(known).collect();
            let mut compared = 0;
            for &(near, one) in &known {
                for &(far, other) in known.iter().filter(|&&(far, _)| far >= near + 2) {
                    assert_eq!(one > other, attacks, "{fen}: {near} {far}");
                    compared += 1;
                }
            }
            assert!(compared > 0, "{fen}: {known:?}");
        }
    }
}

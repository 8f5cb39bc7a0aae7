//! What a search knows as rows, to be kept and given back: analysis that several computers share.

use std::sync::Arc;

use rukh_core::{AnyPosition, Game, Rules, dispatch};
use rukh_search::{Bound, TranspositionTable, lock};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::memory::{self, Memo};

impl Engine {
    /// What the transposition table knows of the position on the board and of those around it that are connected to it, the
    /// deepest first, at most `most`: rows that can be kept, and given back with [`load_hash`](Engine::load_hash). An entry has
    /// sixteen bits of key, so positions that no known ones lead to cannot be told.
    ///
    /// ```
    /// use rukh_engine::{Engine, Limits, Options};
    /// let engine = Engine::new(Options::default()).unwrap();
    /// engine.go(Limits::nodes(20_000), |_| {});
    /// let rows = engine.hash_rows(100).unwrap();
    /// assert_eq!(rows[0].0.fen(), engine.fen());
    /// assert!(rows.len() > 10);
    /// ```
    pub fn hash_rows(&self, most: usize) -> Result<Vec<(AnyPosition, Memo)>, EngineError> {
        fn rows<R: Rules>(table: &TranspositionTable, game: &Game<R>, most: usize) -> Vec<(AnyPosition, Memo)> {
            let root = game.position();
            let nothing = Memo { depth: 0, score: 0, bound: Bound::None, best: 0 };
            let own = memory::known(table, root).unwrap_or(nothing);
            let rows = memory::reachable(table, root, own, most, 1);
            let known = rows.into_iter().filter(|(_, memo)| memo.bound != Bound::None);
            known.map(|(pos, memo)| (pos.into(), memo)).collect()
        }
        let game = lock(&self.inner.game).clone();
        self.with_table(|table| dispatch!(&game, game => rows(table, game, most)))
    }

    /// As [`load_hash`](Engine::load_hash), and keeps the rows as the engine's memory: they are recalled before each search, so
    /// that a known root is taken up where it was left.
    pub fn load_memory(&self, rows: &[(AnyPosition, Memo)]) -> Result<u64, EngineError> {
        let taken = self.load_hash(rows.iter().cloned())?;
        let memory = Arc::new(memory::Rows(rows.iter().map(|(pos, memo)| (pos.key(), *memo)).collect()));
        self.set_chess_memory(Some(memory.clone()));
        self.set_makruk_memory(Some(memory));
        self.set_option("Learn", "true")?;
        Ok(taken)
    }

    /// Puts rows into the transposition table; what no search could have stored is left out. Tells how many were taken.
    pub fn load_hash(&self, rows: impl IntoIterator<Item = (AnyPosition, Memo)>) -> Result<u64, EngineError> {
        self.with_table(|table| {
            let entries = rows.into_iter().filter_map(|(pos, memo)| Some((pos.key(), memory::entry(memo)?)));
            let mut taken = 0;
            for (key, entry) in entries {
                table.store(key, entry);
                taken += 1;
            }
            taken
        })
    }
}

//! Syzygy end-game tables: win/draw/loss in the search, distance to zeroing at the root.

use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use rukh_core::{Chess, Move, Position};
use rukh_search::{RankedMove, TableResult, Tablebases, lock};
use rukh_tables::syzygy::{OpenError, Tables, Wdl};

use crate::tables::{TablesError, TablesFound};

/// Separates the folders of a search path, as in other engines.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

fn result(wdl: Wdl) -> TableResult {
    match wdl {
        Wdl::Loss => TableResult::Loss,
        Wdl::BlessedLoss => TableResult::BlessedLoss,
        Wdl::Draw => TableResult::Draw,
        Wdl::CursedWin => TableResult::CursedWin,
        Wdl::Win => TableResult::Win,
    }
}

/// The sets that are open in this process: engines with the same path share one, and its memory.
static OPEN: Mutex<Vec<Weak<Syzygy>>> = Mutex::new(Vec::new());

/// A set of open tables. Cheap to share; closed when the last owner lets go.
pub struct Syzygy {
    tables: Tables,
    path: String,
}

impl Syzygy {
    /// Opens the tables in one or more folders, separated by `:` (`;` on Windows).
    pub fn open(path: &str) -> Result<Arc<Self>, TablesError> {
        let mut open = lock(&OPEN);
        open.retain(|set| set.strong_count() > 0);
        if let Some(set) = open.iter().filter_map(Weak::upgrade).find(|set| set.path == path) {
            return Ok(set);
        }
        let folders = path.split(SEPARATOR).map(str::trim).filter(|folder| !folder.is_empty());
        let tables = Tables::open(folders.map(Path::new)).map_err(|error| match error {
            OpenError::Folder(folder, why) => TablesError::Folder(folder, why),
            OpenError::Empty => TablesError::Empty(path.to_owned()),
            OpenError::Damaged(file, what) => TablesError::Damaged(file, what),
            other => TablesError::Folder(path.to_owned(), other.to_string()),
        })?;
        let set = Arc::new(Self { tables, path: path.to_owned() });
        open.push(Arc::downgrade(&set));
        Ok(set)
    }

    /// What the folders hold.
    pub fn found(&self) -> TablesFound {
        let found = self.tables.found();
        TablesFound { results: found.results, distances: found.distances, men: found.men }
    }
}

impl Tablebases<Chess> for Syzygy {
    fn max_pieces(&self) -> u32 {
        self.tables.men()
    }

    fn probe(&self, pos: &Position<Chess>) -> Option<TableResult> {
        self.tables.wdl(pos).ok().map(result)
    }

    fn rank_root(&self, pos: &Position<Chess>, moves: &[Move], ranked: &mut Vec<RankedMove>) -> bool {
        ranked.clear();
        // A move without a value would make the ranking a lie.
        let Ok(known) = self.tables.root(pos, moves) else { return false };
        let clock = i32::from(pos.halfmove_clock()).min(100);
        ranked.extend(known.iter().map(|known| {
            let result = result(known.wdl);
            RankedMove { mv: known.mv, result, rank: rank(result, known.dtz.abs(), clock) }
        }));
        ranked.sort_by_key(|mv| std::cmp::Reverse(mv.rank));
        true
    }

    fn complaints(&self) -> Vec<String> {
        self.tables.complaints()
    }
}

/// Rank of a move that surely wins (or, negative, surely loses) within the fifty moves.
const SURE: i32 = 1000;

/// Among wins the distance decides: in the tree all of them look alike, so only this makes progress. Losses that cannot
/// be saved are equal: the search finds the longest resistance.
fn rank(result: TableResult, dtz: i32, clock: i32) -> i32 {
    match result {
        TableResult::Win | TableResult::MateIn(_) => SURE - dtz,
        // The fifty-move rule already spoils these; the opponent may still go wrong.
        TableResult::CursedWin => SURE / 2 - dtz - clock,
        TableResult::Draw => 0,
        TableResult::Loss | TableResult::MatedIn(_) if dtz * 2 + clock < 100 => -SURE,
        TableResult::Loss | TableResult::MatedIn(_) => -SURE + dtz + clock,
        TableResult::BlessedLoss => -SURE / 2 + dtz + clock,
    }
}

#[cfg(test)]
mod tests {
    use rukh_testing::Folder;
    use std::fs;

    use super::*;

    fn folder() -> Option<String> {
        let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let folder = above.map(|folder| folder.join("shared/data/syzygy")).find(|folder| folder.is_dir());
        if folder.is_none() {
            eprintln!("skipped: no Syzygy tables beside the workspace");
        }
        folder.map(|folder| folder.display().to_string())
    }

    fn position(fen: &str) -> Position<Chess> {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn ranks_keep_wins_above_hopes_above_draws() {
        use TableResult::{BlessedLoss, CursedWin, Draw, Loss, Win};
        for clock in [0, 40, 99] {
            for dtz in 1..100 {
                let of = |result| rank(result, dtz, clock);
                assert!(of(Win) > of(CursedWin) && of(CursedWin) > of(Draw), "{dtz} {clock}");
                assert!(of(Draw) > of(BlessedLoss) && of(BlessedLoss) > of(Loss), "{dtz} {clock}");
                for (better, worse) in [(dtz, dtz + 1), (dtz, 2 * dtz)] {
                    assert!(rank(Win, better, clock) > rank(Win, worse, clock));
                    assert!(rank(CursedWin, better, clock) > rank(CursedWin, worse, clock));
                    assert!(rank(BlessedLoss, better, clock) < rank(BlessedLoss, worse, clock));
                }
                // The nearer the fifty moves are, the less a spoiled win is worth, and the more a saved loss.
                assert!(of(CursedWin) > rank(CursedWin, dtz, clock + 1));
                assert!(of(BlessedLoss) < rank(BlessedLoss, dtz, clock + 1));
                // A loss that the clock may still save is held on to; the others are all the same.
                let saved = dtz * 2 + clock >= 100;
                assert_eq!(of(Loss), if saved { dtz + clock - 1000 } else { -1000 });
            }
        }
    }

    #[test]
    fn the_same_folders_are_opened_once() {
        let Some(folder) = folder() else { return };
        let tables = Syzygy::open(&folder).unwrap();
        assert!(Arc::ptr_eq(&tables, &Syzygy::open(&folder).unwrap()));
        // Another name for the same folder is another set, and does not push the first one out.
        let other = Syzygy::open(&format!("{folder}/")).unwrap();
        assert!(!Arc::ptr_eq(&tables, &other) && Arc::ptr_eq(&tables, &Syzygy::open(&folder).unwrap()));
    }

    #[test]
    fn results() {
        let Some(folder) = folder() else { return };
        let tables = Syzygy::open(&folder).unwrap();
        assert_eq!(tables.max_pieces(), 4);
        for (fen, wanted) in [
            ("8/8/8/8/8/2k5/1Q6/K7 b - - 0 1", Some(TableResult::Loss)),
            ("8/8/8/8/8/8/1Q1k4/7K b - - 0 1", Some(TableResult::Loss)),
            ("8/8/8/8/8/8/1Qk5/7K b - - 0 1", Some(TableResult::Draw)), // the queen falls
            ("8/8/8/8/8/2k5/8/K1Q5 b - - 0 1", Some(TableResult::Loss)),
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", Some(TableResult::Win)),
            ("4k3/8/8/4K3/4P3/8/8/8 b - - 0 1", Some(TableResult::Draw)),
            ("8/8/8/3k4/8/3K4/8/8 w - - 0 1", Some(TableResult::Draw)),
            ("8/8/8/3k4/8/3K4/8/4NN2 w - - 0 1", Some(TableResult::Draw)),
            ("8/8/8/3k4/8/3K4/8/4NB2 w - - 0 1", Some(TableResult::Win)),
            ("8/8/8/3k4/8/3K4/3PP3/4NB2 w - - 0 1", None), // six men
            ("8/8/8/8/8/4k3/8/R3K3 w Q - 0 1", None),      // castling
        ] {
            assert_eq!(tables.probe(&position(fen)), wanted, "{fen}");
        }
    }

    #[test]
    fn root_ranking() {
        let Some(folder) = folder() else { return };
        let tables = Syzygy::open(&folder).unwrap();
        let mut ranked = Vec::new();
        for fen in
            ["8/8/8/1k6/8/1K6/1P6/8 w - - 0 1", "8/8/8/KP6/5p1k/8/8/8 b - - 0 1", "8/8/8/2k5/2pP4/8/8/K7 b - d3 0 1"]
        {
            let pos = position(fen);
            let moves = pos.legal_moves();
            assert!(tables.rank_root(&pos, &moves, &mut ranked), "{fen}");
            assert!(ranked.windows(2).all(|pair| pair[0].rank >= pair[1].rank));
            for mv in &ranked {
                let reply = tables.probe(&pos.after(mv.mv)).unwrap();
                let expected = match reply {
                    TableResult::Win => TableResult::Loss,
                    TableResult::Loss => TableResult::Win,
                    other => other,
                };
                assert_eq!(mv.result, expected, "{fen} {}", pos.san(mv.mv));
            }
        }
        // The clock turns a long win into a draw.
        let far = position("8/8/8/3k4/8/3K4/8/4NB2 w - - 90 80");
        assert!(tables.rank_root(&far, &far.legal_moves(), &mut ranked));
        assert!(ranked.iter().all(|mv| mv.result != TableResult::Win));
    }

    /// The best-ranked moves of both sides lead from bishop and knight to mate before the fifty moves are over.
    #[test]
    fn playing_by_the_tables_mates() {
        let Some(folder) = folder() else { return };
        let tables = Syzygy::open(&folder).unwrap();
        let mut pos = position("8/8/8/3k4/8/3K4/8/4NB2 w - - 24 50");
        let mut ranked = Vec::new();
        while pos.halfmove_clock() < 100 && pos.has_legal_move() {
            assert!(tables.rank_root(&pos, &pos.legal_moves(), &mut ranked));
            pos = pos.after(ranked[0].mv);
        }
        assert!(pos.is_checkmate(), "{}", pos.fen());
    }

    #[test]
    fn bad_folders_are_explained() {
        let missing = Syzygy::open("/nowhere/at/all").err().unwrap().to_string();
        assert!(missing.contains("/nowhere/at/all"), "{missing}");
        let dir = Folder::new("syzygy");
        let path = dir.display().to_string();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Empty(_))));
        assert!(matches!(Syzygy::open(""), Err(TablesError::Empty(_))));
        fs::write(dir.join("KQvK.rtbw"), [0x71, 0xE8, 0x23, 0x5D, 0]).unwrap();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Damaged(file, _)) if file.contains("KQvK")));
        fs::write(dir.join("KQvK.rtbw"), [0; 80]).unwrap();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Damaged(..))));
    }
}

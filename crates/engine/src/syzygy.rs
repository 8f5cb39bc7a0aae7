//! Syzygy end-game tables: win/draw/loss in the search, distance to zeroing at the root.
//!
//! The probing code is the `pyrrhic-rs` crate. It keeps one set of tables for the whole process and trusts what is in
//! the files, so this module looks at the folder first, shares one set among all engines, and offers a safe face.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use pyrrhic_rs::{DtzProbeValue, EngineAdapter, TBError, TableBases, WdlProbeResult};
use rukh_core::{Bitboard, CastlingRights, Chess, Color, Kind, Move, Position, Rules, Square};
use rukh_search::{RankedMove, TableResult, Tablebases};

use crate::tables::{TablesError, TablesFound};

/// Separates the folders of a search path, as in other engines.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// First bytes of a table of results (`.rtbw`).
const WDL_MAGIC: [u8; 4] = [0x71, 0xE8, 0x23, 0x5D];
/// First bytes of a table of distances (`.rtbz`).
const DTZ_MAGIC: [u8; 4] = [0xD7, 0x66, 0x0C, 0xA5];

fn result(result: WdlProbeResult) -> TableResult {
    match result {
        WdlProbeResult::Loss => TableResult::Loss,
        WdlProbeResult::BlessedLoss => TableResult::BlessedLoss,
        WdlProbeResult::Draw => TableResult::Draw,
        WdlProbeResult::CursedWin => TableResult::CursedWin,
        WdlProbeResult::Win => TableResult::Win,
    }
}

/// The tables that are open in this process.
static OPEN: Mutex<Weak<Syzygy>> = Mutex::new(Weak::new());

/// A set of open tables. Cheap to share; closed when the last owner lets go.
pub struct Syzygy {
    tables: TableBases<Attacks>,
    path: String,
    survey: Survey,
    /// Root probes load tables in a way that is not safe to do twice at once.
    root: Mutex<()>,
}

impl Syzygy {
    /// Opens the tables in one or more folders, separated by `:` (`;` on Windows).
    pub fn open(path: &str) -> Result<Arc<Self>, TablesError> {
        let survey = Survey::of(path)?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tables) = open.upgrade() {
            return if tables.path == path { Ok(tables) } else { Err(TablesError::Busy(tables.path.clone())) };
        }
        // The crate separates folders by colons on every system.
        let list = path.split(SEPARATOR).map(str::trim).collect::<Vec<_>>().join(":");
        let tables = loop {
            match TableBases::new(&list) {
                Ok(tables) => break tables,
                // The last owner is just closing its set.
                Err(TBError::AlreadyInitialized) if Weak::strong_count(&open) == 0 => std::thread::yield_now(),
                Err(_) => return Err(TablesError::Refused(path.to_owned())),
            }
        };
        let tables = Arc::new(Self { tables, path: path.to_owned(), survey, root: Mutex::new(()) });
        *open = Arc::downgrade(&tables);
        Ok(tables)
    }

    /// Looks whether there is something to open, and what.
    pub fn check(path: &str) -> Result<TablesFound, TablesError> {
        Survey::of(path).map(|survey| survey.found)
    }

    /// Whether a probe makes sense at all; cheap enough for every node.
    #[inline]
    fn covers(&self, pos: &Position<Chess>) -> bool {
        pos.occupied().count() <= self.survey.men && pos.castling() == CastlingRights::NONE
    }
}

impl Tablebases<Chess> for Syzygy {
    fn max_pieces(&self) -> u32 {
        self.survey.men
    }

    fn probe(&self, pos: &Position<Chess>) -> Option<TableResult> {
        if !self.covers(pos) {
            return None;
        }
        let Men { white, black, kinds: [pawns, knights, bishops, rooks, queens, kings], ep, turn } = Men::of(pos);
        let value = self.tables.probe_wdl(white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
        value.ok().map(result)
    }

    fn rank_root(&self, pos: &Position<Chess>, moves: &[Move], ranked: &mut Vec<RankedMove>) -> bool {
        ranked.clear();
        if !self.covers(pos) || !self.survey.distances {
            return false;
        }
        let clock = u32::from(pos.halfmove_clock()).min(100);
        let Men { white, black, kinds: [pawns, knights, bishops, rooks, queens, kings], ep, turn } = Men::of(pos);
        let probe = {
            let _one = self.root.lock().unwrap_or_else(PoisonError::into_inner);
            self.tables.probe_root(white, black, kings, queens, rooks, bishops, knights, pawns, clock, ep, turn)
        };
        let Ok(probe) = probe else { return false };
        for value in &probe.moves[..probe.num_moves] {
            let DtzProbeValue::DtzResult(value) = value else { continue };
            let promotion = match value.promotion {
                pyrrhic_rs::Piece::Queen => Some(Kind::Queen),
                pyrrhic_rs::Piece::Rook => Some(Kind::Rook),
                pyrrhic_rs::Piece::Bishop => Some(Kind::Bishop),
                pyrrhic_rs::Piece::Knight => Some(Kind::Knight),
                pyrrhic_rs::Piece::Pawn | pyrrhic_rs::Piece::King => None,
            };
            let mv = moves.iter().find(|mv| {
                mv.from().index() == usize::from(value.from_square)
                    && mv.to().index() == usize::from(value.to_square)
                    && mv.promotion() == promotion
            });
            if let Some(&mv) = mv {
                let result = result(value.wdl);
                ranked.push(RankedMove { mv, result, rank: rank(result, value.dtz, clock) });
            }
        }
        ranked.sort_by_key(|mv| std::cmp::Reverse(mv.rank));
        // A move without a value would make the ranking a lie.
        ranked.len() == moves.len()
    }
}

/// Rank of a move that surely wins (or, negative, surely loses) within the fifty moves.
const SURE: i32 = 1000;

/// Among wins the distance decides: in the tree all of them look alike, so only this makes progress. Losses that cannot
/// be saved are equal: the search finds the longest resistance.
fn rank(result: TableResult, dtz: u16, clock: u32) -> i32 {
    let (dtz, clock) = (i32::from(dtz), clock as i32);
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

/// What the folders hold. The reader itself claims seven men whatever it finds, and forgets a table of results when the
/// table of distances beside it is missing; so we count before it does.
struct Survey {
    /// Whether each table of results has its table of distances.
    distances: bool,
    /// Men of the largest.
    men: u32,
    found: TablesFound,
}

impl Survey {
    /// Looks at the head of every table before the reader, which believes what it reads, gets them.
    fn of(path: &str) -> Result<Self, TablesError> {
        let mut names = [BTreeSet::new(), BTreeSet::new()];
        for folder in path.split(SEPARATOR).map(str::trim).filter(|folder| !folder.is_empty()) {
            let unreadable = |error: std::io::Error| TablesError::Folder(folder.to_owned(), error.to_string());
            for entry in fs::read_dir(folder).map_err(unreadable)? {
                let file = entry.map_err(unreadable)?.path();
                let (kind, magic) = match file.extension().and_then(|e| e.to_str()) {
                    Some("rtbw") => (0, WDL_MAGIC),
                    Some("rtbz") => (1, DTZ_MAGIC),
                    _ => continue,
                };
                if !is_table(&file, magic) {
                    return Err(TablesError::Damaged(file.display().to_string()));
                }
                names[kind].extend(file.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
        let [results, distances] = names;
        // KQvKR: every letter but the `v` is a man.
        let men = results.iter().map(|name| name.chars().filter(char::is_ascii_uppercase).count() as u32).max();
        let men = men.ok_or_else(|| TablesError::Empty(path.to_owned()))?;
        let found = TablesFound { results: results.len(), distances: distances.len(), men };
        Ok(Self { distances: results.is_subset(&distances), men, found })
    }
}

/// A table begins with its magic number and is a whole number of 64-byte blocks with a 16-byte checksum behind.
fn is_table(file: &Path, magic: [u8; 4]) -> bool {
    let mut head = [0; 4];
    fs::File::open(file).is_ok_and(|mut file| {
        file.metadata().is_ok_and(|meta| meta.len() % 64 == 16) && file.read_exact(&mut head).is_ok() && head == magic
    })
}

/// A position in the reader's words.
struct Men {
    white: u64,
    black: u64,
    /// Pawn to king, both colours together.
    kinds: [u64; 6],
    ep: u32,
    turn: bool,
}

impl Men {
    fn of(pos: &Position<Chess>) -> Self {
        Self {
            white: pos.colors(Color::White).0,
            black: pos.colors(Color::Black).0,
            kinds: Kind::ALL.map(|kind| pos.pieces(kind).0),
            ep: pos.ep_square().map_or(0, |square| square.index() as u32),
            turn: pos.side_to_move() == Color::White,
        }
    }
}

/// Our attack tables for the reader's move generator.
#[derive(Clone)]
struct Attacks;

fn attacks(kind: Kind, color: Color, square: u64, occupied: u64) -> u64 {
    Square::from_index(square as u8).map_or(0, |square| Chess::attacks(kind, color, square, Bitboard(occupied)).0)
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, square: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        attacks(Kind::Pawn, color, square, 0)
    }
    fn knight_attacks(square: u64) -> u64 {
        attacks(Kind::Knight, Color::White, square, 0)
    }
    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        attacks(Kind::Bishop, Color::White, square, occupied)
    }
    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        attacks(Kind::Rook, Color::White, square, occupied)
    }
    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        attacks(Kind::Queen, Color::White, square, occupied)
    }
    fn king_attacks(square: u64) -> u64 {
        attacks(Kind::King, Color::White, square, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One set per process: tests that open tables take turns.
    static TURN: Mutex<()> = Mutex::new(());

    fn folder() -> Option<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy");
        if path.is_dir() {
            return Some(path.display().to_string());
        }
        eprintln!("skipped: no Syzygy tables beside the workspace");
        None
    }

    fn position(fen: &str) -> Position<Chess> {
        Position::from_fen(fen).expect(fen)
    }

    #[test]
    fn results() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
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
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
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
        let dir = std::env::temp_dir().join(format!("rukh-syzygy-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let path = dir.display().to_string();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Empty(_))));
        assert!(matches!(Syzygy::open(""), Err(TablesError::Empty(_))));
        fs::write(dir.join("KQvK.rtbw"), [0x71, 0xE8, 0x23, 0x5D, 0]).unwrap();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Damaged(file)) if file.contains("KQvK")));
        fs::write(dir.join("KQvK.rtbw"), [0; 80]).unwrap();
        assert!(matches!(Syzygy::open(&path), Err(TablesError::Damaged(_))));
        fs::remove_dir_all(&dir).unwrap();
    }
}

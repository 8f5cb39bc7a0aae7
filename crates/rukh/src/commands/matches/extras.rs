//! What a match takes from other rooms: names of openings, tables of endings; and the table on the terminal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use rukh_arena::game::{Record, Tablebase};
use rukh_arena::runner::Plan;
use rukh_arena::schedule::Format;
use rukh_core::{AnyPosition, Chess, Color, Position, Variant};
use rukh_store::openings::openings;
use rukh_tables::syzygy::{Tables, Wdl};

use crate::cli::CliError;

/// Game files by their names; lists have others.
pub fn is_pgn(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = [".zst", ".gz", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    name.ends_with(".pgn")
}

/// One line that tells a match from others: another number of games, or of games at a time, is the same match.
pub fn identity(plan: &Plan, format: Format) -> String {
    let engines: Vec<String> = plan.engines.iter().map(|engine| format!("{engine:?}")).collect();
    let book = plan.book.fingerprint();
    let line = format!("{} {format:?} {} book {book:016x} {:?}", plan.variant, engines.join(" "), plan.rules);
    line.replace(char::is_control, " ")
}

/// The opening of a chess game that began at the start.
pub fn opening(variant: Variant, record: &Record) -> Option<(String, String)> {
    if variant != Variant::Chess || record.fen.is_some() {
        return None;
    }
    let start = Position::<Chess>::startpos();
    let (mut pos, mut moves) = (start, Vec::new());
    for ply in &record.plies {
        let mv = pos.parse_san(&ply.san).ok()?;
        moves.push(mv);
        pos = pos.after(mv);
    }
    openings().classify(&start, &moves).map(|found| (found.eco(), found.name.to_owned()))
}

/// Syzygy tables as a referee.
struct Endings(Tables);

pub fn tables(path: &Path) -> Result<Arc<dyn Tablebase>, CliError> {
    let tables = Tables::open(std::env::split_paths(path.as_os_str()))
        .map_err(|error| CliError::input(format!("--syzygy: {error}"), &path.to_string_lossy()))?;
    Ok(Arc::new(Endings(tables)))
}

impl Tablebase for Endings {
    /// The tables count the fifty moves from a capture or pawn move on: only there are they the whole truth.
    fn result(&self, pos: &AnyPosition) -> Option<Option<Color>> {
        let (AnyPosition::Chess(pos) | AnyPosition::Chess960(pos)) = pos else { return None };
        if pos.halfmove_clock() > 0 || pos.occupied().count() > self.0.men() {
            return None;
        }
        let side = pos.side_to_move();
        Some(match self.0.wdl(pos).ok()? {
            Wdl::Win => Some(side),
            Wdl::Loss => Some(!side),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => None,
        })
    }
}

/// A table under the games of a match, where there is a terminal to draw it on.
pub struct Live {
    on: bool,
    lines: usize,
}

impl Live {
    pub fn new(off: bool) -> Live {
        Live { on: !off && std::io::stdout().is_terminal(), lines: 0 }
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Takes the table away, so that a line can stand in its place. A closed terminal shows elsewhere.
    pub fn wipe(&mut self) {
        if self.lines > 0 {
            let _ = write!(std::io::stdout(), "\x1b[{}A\x1b[J", std::mem::take(&mut self.lines));
        }
    }

    pub fn draw(&mut self, table: impl FnOnce() -> String) {
        if self.on {
            let table = table();
            self.lines = table.lines().count();
            let mut out = std::io::stdout();
            let _ = out.write_all(table.as_bytes()).and_then(|()| out.flush());
        }
    }
}

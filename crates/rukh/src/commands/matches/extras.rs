//! What a match takes from other rooms: names of openings, tables of endings; and the table on the terminal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use rukh_arena::game::{Record, Tablebase};
use rukh_core::{AnyPosition, Variant};
use rukh_store::openings::openings;
use rukh_tables::syzygy::Tables;

use crate::cli::{CliError, Result};

/// The opening of a chess game that began at the start.
pub fn opening(variant: Variant, record: &Record) -> Option<(String, String)> {
    let (start, moves) = (variant == Variant::Chess && record.fen.is_none()).then(|| record.replay().ok())??;
    openings().classify(&start, &moves).map(|found| (found.eco(), found.name.to_owned()))
}

/// Syzygy tables as a referee.
pub fn tables(path: &Path) -> Result<Arc<Tablebase>> {
    let tables = Tables::open(std::env::split_paths(path.as_os_str()))
        .map_err(|error| CliError::input(format!("--syzygy: {error}"), &path.to_string_lossy()))?;
    Ok(Arc::new(move |pos: &AnyPosition| tables.certain(pos)))
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

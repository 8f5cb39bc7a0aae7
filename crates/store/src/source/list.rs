//! Lists of positions: one FEN or EPD line each.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rukh_core::{Epd, Move, Rules, Variant, dispatch};

use super::{Access, Adapter, Entry, Item, KnownMove, Opened, Opener, Source, SourceError, has_extension};
use rukh_pgn::Input;

pub(super) const ADAPTER: Adapter =
    Adapter { name: "EPD and FEN", usage: "positions.epd|.fen", open: Opener::File(open) };

/// Longest line; the rest of a longer one is skipped.
const LONGEST: u64 = 4096;

struct List {
    name: String,
    lines: BufReader<Box<dyn Read + Send>>,
    number: usize,
    variant: Variant,
}

fn open(what: &Path, access: &Access) -> Option<Opened> {
    if !has_extension(what, &["epd", "fen", "fens"]) {
        return None;
    }
    Some(match Input::open(what) {
        Ok(input) => {
            let (name, lines) = (what.display().to_string(), BufReader::new(input.reader));
            Ok(Box::new(List { name, lines, number: 0, variant: access.variant }))
        }
        Err(error) => Err(SourceError::bad(what.display(), error)),
    })
}

impl Source for List {
    fn name(&self) -> &str {
        &self.name
    }

    fn next(&mut self) -> Option<Result<Item, SourceError>> {
        loop {
            let mut line = Vec::new();
            match (&mut self.lines).take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => {
                    let error = SourceError::bad(&self.name, error);
                    // What cannot be read has ended.
                    self.lines = BufReader::new(Box::new(std::io::empty()));
                    return Some(Err(error));
                }
            }
            if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
                let _ = self.lines.skip_until(b'\n');
            }
            self.number += 1;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let entry = dispatch!(type R of self.variant => read::<R>(text));
            let at = format!("{}:{}", self.name, self.number);
            return Some(entry.map(|entry| Item::Position(Box::new(entry))).map_err(|e| SourceError::bad(&at, e)));
        }
    }
}

/// A position, its `id`, and the moves of `bm`.
fn read<R: Rules>(text: &str) -> Result<Entry, String> {
    let epd = Epd::<R>::parse(text).map_err(|error| error.to_string())?;
    let best = epd.operations.iter().find(|(name, _)| name == "bm").map_or(&[][..], |(_, moves)| moves);
    let best = best.iter().filter_map(|san| epd.position.parse_san(san).ok());
    let weighed = |mv: Move| KnownMove { weight: 1, ..KnownMove::new(mv) };
    let moves = best.map(weighed).collect();
    let name = epd.operand("id").map(str::to_owned);
    Ok(Entry { position: epd.position.into(), name, moves })
}

//! What is known of positions as rows of files: text for people and `grep`, columns for clusters. The learned table and
//! the transposition table are written and read in this form.

use rukh_code::Coded;
use rukh_core::{Notation, Position, Variant};

use super::{KnownBound, Learned};
use crate::codes::resolve;

/// What a row of text has, by tabs.
pub const KNOWN_COLUMNS: &str = "position (FEN or code), depth, score, bound, best move, visits";

/// A row of a table with columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRow {
    /// Whose codes these are.
    pub variant: String,
    /// The position as a code without tables.
    pub code: String,
    /// Depth of the search.
    pub depth: i32,
    /// Score for the side to move, in the engine's units.
    pub score: i32,
    /// `none`, `upper`, `lower` or `exact`.
    pub bound: String,
    /// The best move; `-` if there is none.
    pub uci: String,
    /// How often the position was recorded.
    pub visits: i64,
}

impl KnownRow {
    /// The row of a position, if that has a code without tables.
    pub fn new<R: Coded>(pos: &Position<R>, learned: &Learned) -> Option<KnownRow> {
        let (variant, code) = code_of(pos)?;
        Some(KnownRow {
            variant: variant.to_string(),
            code,
            depth: learned.depth.into(),
            score: learned.score,
            bound: learned.bound.name().to_owned(),
            uci: best_move(pos, learned.best),
            visits: learned.visits.into(),
        })
    }

    /// The position and what is known of it; none if the row makes no sense.
    pub fn read<R: Coded>(&self) -> Option<(Position<R>, Learned)> {
        let [depth, score, visits] = [self.depth.to_string(), self.score.to_string(), self.visits.to_string()];
        parse(self.variant.parse().ok()?, &self.code, [&depth, &score, &self.bound, &self.uci, &visits])
    }
}

/// A row of text, with a code instead of a FEN where that says all.
pub fn known_text<R: Coded>(pos: &Position<R>, learned: &Learned, codes: bool) -> String {
    let Learned { depth, score, bound, visits, .. } = *learned;
    // A code alone does not say that it is one of Chess960.
    let code = code_of(pos).filter(|(variant, _)| codes && *variant == R::VARIANT);
    let position = code.map_or_else(|| pos.fen(), |(_, code)| code);
    format!("{position}\t{depth}\t{score}\t{}\t{}\t{visits}", bound.name(), best_move(pos, learned.best))
}

/// Reads a row of text; none if it makes no sense.
pub fn read_known_text<R: Coded>(line: &str) -> Option<(Position<R>, Learned)> {
    let (position, rest) = line.split_once('\t')?;
    parse(R::VARIANT, position, rest.split('\t').collect::<Vec<_>>().try_into().ok()?)
}

/// The best move in UCI notation; `-` if there is none.
pub fn best_move<R: Coded>(pos: &Position<R>, bits: u16) -> String {
    let Some(mv) = pos.legal_from_u16(bits) else { return "-".to_owned() };
    let variant = code_of(pos).map_or(R::VARIANT, |(variant, _)| variant);
    let notation = if variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard };
    pos.uci(mv, notation)
}

/// The text of a position that needs no table, and whose it is: chess positions that only Chess960 has are in its codes.
fn code_of<R: Coded>(pos: &Position<R>) -> Option<(Variant, String)> {
    let of = |variant| Some((variant, R::codec(variant).encode_text(pos).ok()?));
    of(R::VARIANT).or_else(|| of(Variant::Chess960))
}

fn parse<R: Coded>(variant: Variant, position: &str, fields: [&str; 5]) -> Option<(Position<R>, Learned)> {
    let [depth, score, bound, best, visits] = fields;
    let pos = Position::<R>::from_fen(&resolve(variant, position).ok()?).ok()?;
    let best = match best {
        "-" => 0,
        uci => pos.parse_uci(uci).ok()?.to_u16(),
    };
    let bound = KnownBound::named(bound)?;
    let (depth, score, visits) = (depth.parse().ok()?, score.parse().ok()?, visits.parse().ok()?);
    Some((pos, Learned { depth, score, bound, best, visits }))
}

#[cfg(test)]
mod tests {
    use rukh_core::{Chess, Makruk, Rules};

    use super::*;

    fn agree<R: Coded + Rules>(fen: &str, best: &str) {
        let pos = Position::<R>::from_fen(fen).unwrap();
        let best = if best == "-" { 0 } else { pos.parse_uci(best).unwrap().to_u16() };
        let learned = Learned { depth: 9, score: -31, bound: KnownBound::Lower, best, visits: 2 };
        for codes in [false, true] {
            let text = known_text(&pos, &learned, codes);
            assert_eq!(read_known_text(&text), Some((pos, learned)), "{text}");
            assert_eq!(
                text.contains('/'),
                !codes || KnownRow::new(&pos, &learned).unwrap().variant != R::VARIANT.name()
            );
        }
        assert_eq!(KnownRow::new(&pos, &learned).unwrap().read(), Some((pos, learned)));
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        agree::<Chess>("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1");
        agree::<Chess>("8/8/8/8/8/8/k7/2K5 w - - 0 1", "-");
        agree::<Chess>("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1", "e1b1");
        agree::<Makruk>("8/8/4k3/8/3PP3/2K5/8/R6R w - - 0 1", "h1h2");
        for wrong in [
            "", "startpos", "startpos\t1\t2\tmaybe\t-\t1", "startpos\t1\t2\texact\te2e5\t1", "startpos\t1\t2\texact\t-",
        ] {
            assert_eq!(read_known_text::<Chess>(wrong), None, "{wrong}");
        }
    }
}

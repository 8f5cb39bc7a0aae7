//! Where a game begins, by its tags, and moves of any variant in algebraic notation.

use rukh_core::{AnyPosition, Move, Position, Variant, dispatch};

use super::error::{Reason, SanProblem, excerpt};
use super::san::Resolve;
use super::tags::Tags;

impl Tags {
    /// The position that the tags `Variant` and `FEN` name.
    pub fn start_position(&self) -> Result<AnyPosition, Reason> {
        let variant = match self.get("Variant") {
            None => Variant::Chess,
            Some(name) => variant_named(&name).ok_or_else(|| Reason::UnknownVariant(excerpt(name.as_bytes())))?,
        };
        match self.get("FEN").filter(|fen| !fen.trim().is_empty()) {
            None => Ok(AnyPosition::new(variant)),
            Some(fen) => {
                AnyPosition::from_fen(variant, fen.trim()).map_err(|error| Reason::BadFen(error.reason.to_string()))
            }
        }
    }
}

/// Plays a move in algebraic notation. On error the position stays as it was.
#[inline]
pub(super) fn play_san(pos: &mut AnyPosition, san: &[u8]) -> Result<Move, SanProblem> {
    dispatch!(pos, pos => play(pos, san))
}

#[inline]
fn play<R: Resolve>(pos: &mut Position<R>, san: &[u8]) -> Result<Move, SanProblem> {
    let mv = R::resolve(pos, san)?;
    *pos = pos.after_unchecked(mv);
    Ok(mv)
}

/// The variant a `Variant` tag means: chess where it says nothing.
pub fn variant_named(name: &str) -> Option<Variant> {
    if name.contains(|c: char| c.is_ascii_alphanumeric()) { name.parse().ok() } else { Some(Variant::Chess) }
}

//! A position as the journal knows it: by its code, without clocks.

use rukh_code::Coded;
use rukh_core::{AnyGame, AnyPosition, Outcome, Position, Variant, dispatch};

/// A position without its clocks, and its code.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The code, without tables.
    pub code: String,
    /// What it decodes to: the clocks at their start, so that what is found depends on the code alone.
    pub position: AnyPosition,
}

impl Spot {
    /// The spot of a position.
    pub fn new(pos: &AnyPosition) -> Spot {
        let variant = pos.variant();
        let code = dispatch!(pos, pos => text(pos, variant));
        let position = pos.map(|pos| plain(pos, variant), |pos| plain(pos, variant));
        // Every legal position has a code; should one have none, it still needs a name.
        Spot { code: code.unwrap_or_else(|| pos.fen().replace(' ', "_")), position }
    }

    /// How the game ends here by itself, if it does.
    pub fn finished(&self) -> Option<Outcome> {
        AnyGame::from(&self.position).finished()
    }

    /// The variant and the code: what is told apart in one journal.
    pub fn name(&self) -> String {
        format!("{}:{}", self.position.variant(), self.code)
    }
}

fn text<R: Coded>(pos: &Position<R>, variant: Variant) -> Option<String> {
    R::codec(variant).encode_text(pos).ok()
}

/// The position that the code stands for.
fn plain<R: Coded>(pos: &Position<R>, variant: Variant) -> Position<R> {
    let codec = R::codec(variant);
    codec.encode_any(pos).and_then(|code| codec.decode_any(code)).unwrap_or(*pos)
}

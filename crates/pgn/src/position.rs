//! One type for the positions of all variants, where speed does not ask for the concrete one.

use rukh_core::{Chess, Color, Makruk, Move, Position, Rules, Variant, Writing};

use super::error::{Reason, SanProblem, excerpt};
use super::san::Resolve;
use super::tags::Tags;

/// A position of any variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnyPosition {
    /// Chess.
    Chess(Position<Chess>),
    /// Chess960: the same rules, another castling notation.
    Chess960(Position<Chess>),
    /// Makruk.
    Makruk(Position<Makruk>),
}

impl From<Position<Chess>> for AnyPosition {
    fn from(pos: Position<Chess>) -> AnyPosition {
        AnyPosition::Chess(pos)
    }
}

impl From<Position<Makruk>> for AnyPosition {
    fn from(pos: Position<Makruk>) -> AnyPosition {
        AnyPosition::Makruk(pos)
    }
}

impl AnyPosition {
    /// Reads `Variant` and `FEN` tags.
    pub fn from_tags(tags: &Tags) -> Result<AnyPosition, Reason> {
        let variant = match tags.get("Variant") {
            None => Variant::Chess,
            Some(name) => variant_named(&name).ok_or_else(|| Reason::UnknownVariant(excerpt(name.as_bytes())))?,
        };
        let fen = tags.get("FEN").filter(|fen| !fen.trim().is_empty());
        let bad = |e: &dyn std::fmt::Display| Reason::BadFen(e.to_string());
        Ok(match (variant, fen) {
            (Variant::Makruk, None) => AnyPosition::Makruk(Position::startpos()),
            (Variant::Makruk, Some(fen)) => AnyPosition::Makruk(Position::from_fen(fen.trim()).map_err(|e| bad(&e))?),
            (Variant::Chess, None) => AnyPosition::Chess(Position::startpos()),
            (Variant::Chess960, None) => AnyPosition::Chess960(Position::startpos()),
            (v, Some(fen)) => {
                let pos = Position::from_fen(fen.trim()).map_err(|e| bad(&e))?;
                if v == Variant::Chess960 { AnyPosition::Chess960(pos) } else { AnyPosition::Chess(pos) }
            }
        })
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        match self {
            AnyPosition::Chess(_) => Variant::Chess,
            AnyPosition::Chess960(_) => Variant::Chess960,
            AnyPosition::Makruk(_) => Variant::Makruk,
        }
    }

    /// The position, if the game is chess or Chess960.
    pub fn chess(&self) -> Option<&Position<Chess>> {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => Some(pos),
            AnyPosition::Makruk(_) => None,
        }
    }

    /// The position, if the game is Makruk.
    pub fn makruk(&self) -> Option<&Position<Makruk>> {
        match self {
            AnyPosition::Makruk(pos) => Some(pos),
            _ => None,
        }
    }
}

impl AnyPosition {
    /// Plays a move in algebraic notation. On error the position stays as it was.
    #[inline]
    pub fn play_san(&mut self, san: &[u8]) -> Result<Move, SanProblem> {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => play(pos, san),
            AnyPosition::Makruk(pos) => play(pos, san),
        }
    }

    /// Plays a legal move, or passes for [`Move::NONE`].
    pub fn play(&mut self, mv: Move) {
        fn after<R: Rules>(pos: &Position<R>, mv: Move) -> Position<R> {
            if mv.is_none() { pos.after_null() } else { pos.after(mv) }
        }
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => *pos = after(pos, mv),
            AnyPosition::Makruk(pos) => *pos = after(pos, mv),
        }
    }

    /// The move in algebraic notation; `--` for [`Move::NONE`].
    pub fn san(&self, mv: Move) -> String {
        self.written(mv, Writing::default())
    }

    /// The move as people write it in other ways; `--` for [`Move::NONE`].
    pub fn written(&self, mv: Move, writing: Writing) -> String {
        match self {
            _ if mv.is_none() => "--".into(),
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => pos.written(mv, writing),
            AnyPosition::Makruk(pos) => pos.written(mv, writing),
        }
    }

    /// The position in Forsyth–Edwards notation.
    pub fn fen(&self) -> String {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => pos.fen(),
            AnyPosition::Makruk(pos) => pos.fen(),
        }
    }

    /// Who is to move.
    pub fn side_to_move(&self) -> Color {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => pos.side_to_move(),
            AnyPosition::Makruk(pos) => pos.side_to_move(),
        }
    }

    /// The number of the move about to be played.
    pub fn fullmove(&self) -> u32 {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => pos.fullmove(),
            AnyPosition::Makruk(pos) => pos.fullmove(),
        }
    }

    /// Whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        match self {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => pos.in_check(),
            AnyPosition::Makruk(pos) => pos.in_check(),
        }
    }
}

#[inline]
fn play<R: Resolve>(pos: &mut Position<R>, san: &[u8]) -> Result<Move, SanProblem> {
    let mv = R::resolve(pos, san)?;
    *pos = pos.after(mv);
    Ok(mv)
}

impl Default for AnyPosition {
    fn default() -> Self {
        AnyPosition::Chess(Position::startpos())
    }
}

/// The variant a `Variant` tag means, with the names other programs write.
pub fn variant_named(name: &str) -> Option<Variant> {
    let squeezed: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    Some(match squeezed.as_str() {
        "" | "chess" | "standard" | "normal" | "fromposition" | "orthodox" | "classical" => Variant::Chess,
        "chess960" | "fischerandom" | "fischerrandom" | "freestyle" | "frc" | "fischerrandomchess"
        | "freestylechess" => Variant::Chess960,
        "makruk" => Variant::Makruk,
        _ => return None,
    })
}

//! Positions as questions name them: variant, start, moves.

use crate::json::Json;
use rukh_core::{BoardHonour, Chess, Color, Game, Makruk, Notation, Position, Rules, Square, Variant};

/// Longer games are refused; the longest possible game of chess has fewer plies.
const MAX_MOVES: usize = 20_000;

/// A game of either kind.
pub(crate) enum AnyGame {
    Chess(Game<Chess>),
    Makruk(Game<Makruk>),
}

/// A question's position.
pub(crate) struct Spec {
    pub variant: Variant,
    pub game: AnyGame,
}

/// Runs the same code for either kind of game.
macro_rules! each {
    ($spec:expr, $game:ident => $body:expr) => {
        match &$spec.game {
            $crate::spec::AnyGame::Chess($game) => $body,
            $crate::spec::AnyGame::Makruk($game) => $body,
        }
    };
}
pub(crate) use each;

pub(crate) fn variant(question: &Json) -> Result<Variant, String> {
    question.str("variant").map_or(Ok(Variant::Chess), |name| name.parse().map_err(|e| format!("{e}")))
}

pub(crate) fn square(question: &Json, name: &str) -> Result<Square, String> {
    let text = question.str(name).ok_or_else(|| format!("the question has no `{name}`"))?;
    text.parse().map_err(|_| format!("`{name}` must be a square such as e4"))
}

pub(crate) fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// How the variant writes castling.
pub(crate) fn notation(variant: Variant) -> Notation {
    if variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard }
}

/// The letter of a piece with the mark of a promoted Bia.
pub(crate) fn letter<R: Rules>(piece: rukh_core::Piece) -> String {
    let mut text = String::from(R::piece_letter(piece));
    if piece.is_promoted() {
        text.push('~');
    }
    text
}

fn start<R: Rules>(question: &Json) -> Result<Position<R>, String> {
    match question.str("fen").map(str::trim) {
        None | Some("" | "startpos") => Ok(Position::startpos()),
        Some(fen) => Position::from_fen(fen).map_err(|e| e.reason.to_string()),
    }
}

fn play<R: Rules>(start: Position<R>, question: &Json) -> Result<Game<R>, String> {
    let mut game = Game::new(start);
    let moves = question.get("moves").map_or(&[][..], Json::list);
    if moves.len() > MAX_MOVES {
        return Err(format!("more than {MAX_MOVES} moves"));
    }
    for mv in moves {
        let text = mv.text().ok_or("a move must be text")?;
        let mv = game.position().parse_uci(text).map_err(|e| e.to_string())?;
        game.play(mv);
    }
    Ok(game)
}

impl Spec {
    pub fn read(question: &Json) -> Result<Spec, String> {
        let variant = variant(question)?;
        let game = match variant {
            Variant::Chess | Variant::Chess960 => AnyGame::Chess(play(start(question)?, question)?),
            Variant::Makruk => {
                let start = start::<Makruk>(question)?;
                let honour = question.str("honour").unwrap_or("automatic");
                AnyGame::Makruk(match honour {
                    "automatic" => play(start, question)?,
                    _ => claimed(play(start.with_claimed_counting(), question)?, honour)?,
                })
            }
        };
        Ok(Spec { variant, game })
    }
}

/// A game between people in which the side to move claims its count now.
fn claimed(mut game: Game<Makruk>, honour: &str) -> Result<Game<Makruk>, String> {
    let color = match honour {
        "unclaimed" => return Ok(game),
        "white" => Color::White,
        "black" => Color::Black,
        other => return Err(format!("`honour` is automatic, unclaimed, white or black, not `{other}`")),
    };
    let pos = game.position_mut();
    if pos.board_honour() != BoardHonour::Claimed(color) && (pos.side_to_move() != color || !pos.start_counting()) {
        return Err(format!("{} may not begin to count here", color_name(color)));
    }
    Ok(game)
}

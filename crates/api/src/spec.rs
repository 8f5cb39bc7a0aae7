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
    play_and(start, question, |_, _| Ok(()))
}

/// Plays the moves of a question; `before` sees the game before each of them, and at the end, with the moves played so far.
fn play_and<R: Rules>(
    start: Position<R>,
    question: &Json,
    mut before: impl FnMut(&mut Game<R>, usize) -> Result<(), String>,
) -> Result<Game<R>, String> {
    let mut game = Game::new(start);
    let moves = question.get("moves").map_or(&[][..], Json::list);
    if moves.len() > MAX_MOVES {
        return Err(format!("more than {MAX_MOVES} moves"));
    }
    for (ply, mv) in moves.iter().enumerate() {
        before(&mut game, ply)?;
        let text = mv.text().ok_or("a move must be text")?;
        let mv = game.position().parse_uci(text).map_err(|e| e.to_string())?;
        game.play(mv);
    }
    before(&mut game, moves.len())?;
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
                    _ => {
                        let toggles = counting(question)?;
                        let start = start.with_claimed_counting();
                        claimed(play_and(start, question, |game, ply| toggle(game, ply, &toggles))?, honour)?
                    }
                })
            }
        };
        Ok(Spec { variant, game })
    }
}

/// After how many moves the side to move began or ended its count, in the order of the game.
fn counting(question: &Json) -> Result<Vec<usize>, String> {
    let plies = question.get("counting").map_or(&[][..], Json::list);
    if plies.len() > MAX_MOVES {
        return Err(format!("more than {MAX_MOVES} entries in `counting`"));
    }
    plies
        .iter()
        .map(|ply| ply.number().filter(|n| (0.0..=MAX_MOVES as f64).contains(n)).map(|n| n as usize))
        .collect::<Option<_>>()
        .ok_or_else(|| "`counting` is a list of move counts".into())
}

/// Begins or ends the count of the side to move, once for each time that `toggles` names this ply.
fn toggle(game: &mut Game<Makruk>, ply: usize, toggles: &[usize]) -> Result<(), String> {
    for _ in toggles.iter().filter(|&&at| at == ply) {
        let pos = game.position_mut();
        let us = pos.side_to_move();
        let done =
            if pos.board_honour() == BoardHonour::Claimed(us) { pos.stop_counting() } else { pos.start_counting() };
        if !done {
            return Err(format!("{} may not begin to count after {ply} moves", color_name(us)));
        }
    }
    Ok(())
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

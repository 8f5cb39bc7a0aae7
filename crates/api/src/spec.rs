//! Positions as questions name them: variant, start, moves.

use rukh_core::any::Any;
use rukh_core::{AnyGame, AnyPosition, BoardHonour, Color, Game, Makruk, Position, Rules, Square, Variant};
use rukh_json::Json;

/// Longer games are refused; the longest possible game of chess has fewer plies.
const MAX_MOVES: usize = 20_000;

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

/// The letter of a piece with the mark of a promoted Bia.
pub(crate) fn letter<R: Rules>(piece: rukh_core::Piece) -> String {
    let mut text = String::from(R::piece_letter(piece));
    if piece.is_promoted() {
        text.push('~');
    }
    text
}

/// The position that a field of a question names: a FEN, or the variant's own.
pub(crate) fn start(question: &Json, field: &str) -> Result<AnyPosition, String> {
    let variant = variant(question)?;
    match question.str(field).map(str::trim) {
        None | Some("" | "startpos") => Ok(AnyPosition::new(variant)),
        Some(fen) => AnyPosition::from_fen(variant, fen).map_err(|e| e.reason.to_string()),
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

/// The game that a question asks about.
pub(crate) fn any_game(question: &Json) -> Result<AnyGame, String> {
    let honour = question.str("honour").unwrap_or("automatic");
    Ok(match start(question, "fen")? {
        Any::Makruk(start) if honour != "automatic" => {
            let toggles = counting(question)?;
            let start = start.with_claimed_counting();
            Any::Makruk(claimed(play_and(start, question, |game, ply| toggle(game, ply, &toggles))?, honour)?)
        }
        Any::Makruk(start) => Any::Makruk(play(start, question)?),
        Any::Chess(start) => Any::Chess(play(start, question)?),
        Any::Chess960(start) => Any::Chess960(play(start, question)?),
    })
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

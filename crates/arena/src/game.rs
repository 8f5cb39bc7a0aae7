//! One game between two engines, judged by `rukh_core`.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rukh_core::{AnyPosition, Color, Game, Kind, Move, Outcome, Position, Rules, Variant};

use super::adjudicate::{self, Adjudicator, Decision};
use super::limits::{EngineLimits, GameClock, go_command};
use super::openings::Opening;
use super::process::{Failure, Patience, Process};
use super::uci::SearchInfo;

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Mate, stalemate, repetition and the like.
    Rules,
    /// By the scores or the length of the game.
    Adjudication,
    /// The loser overstepped its time.
    Time,
    /// The loser's process ended.
    Crash,
    /// The loser did not answer, not even to `stop`.
    Hang,
    /// A move that is not legal.
    Illegal,
    /// The loser could not be started or never said `uciok` or `readyok`.
    Start,
}

impl Cause {
    /// True for the causes that are an engine's fault.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Rules | Self::Adjudication)
    }
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// None for a draw.
    pub winner: Option<Color>,
    /// What ended it.
    pub cause: Cause,
    /// In words: "White mates".
    pub text: String,
}

impl Ending {
    /// `loser` failed; `text` continues its colour: "crashed (…)".
    pub fn failure(loser: Color, cause: Cause, text: &str) -> Self {
        Self { winner: Some(!loser), cause, text: format!("{} {text}", name(loser)) }
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    pub fn result(&self) -> &'static str {
        match self.winner {
            Some(Color::White) => "1-0",
            Some(Color::Black) => "0-1",
            None => "1/2-1/2",
        }
    }

    /// Half points of that colour.
    pub fn half_points(&self, color: Color) -> u8 {
        match self.winner {
            Some(winner) => 2 * u8::from(winner == color),
            None => 1,
        }
    }
}

/// A move of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ply {
    /// As PGN writes it.
    pub san: String,
    /// What the engine said and how long it thought; None for a move of the opening.
    pub search: Option<(SearchInfo, Duration)>,
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Start position, if not the variant's own.
    pub fen: Option<String>,
    /// Number of the first move, and who makes it.
    pub first_move: u32,
    /// Who makes the first move that is recorded.
    pub first_color: Color,
    /// The moves of the engines and of the opening.
    pub plies: Vec<Ply>,
    /// From the first move to the last.
    pub duration: Duration,
    /// How it ended.
    pub ending: Ending,
}

impl Record {
    /// The start and the moves by the rules.
    pub fn replay<R: Rules>(&self) -> Result<(Position<R>, Vec<Move>), String> {
        let start = self.fen.as_deref().map(Position::from_fen).transpose().map_err(|error| error.to_string())?;
        let start = start.unwrap_or_else(Position::startpos);
        let (mut pos, mut moves) = (start, Vec::with_capacity(self.plies.len()));
        for ply in &self.plies {
            let mv = pos.parse_san(&ply.san).map_err(|error| error.to_string())?;
            moves.push(mv);
            pos = pos.after(mv);
        }
        Ok((start, moves))
    }
}

/// One side.
pub struct Player<'a> {
    /// The engine.
    pub process: &'a mut Process,
    /// How long it may think.
    pub limits: EngineLimits,
    /// What the clock forgives.
    pub margin: Duration,
}

/// What both sides share.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    /// The rules.
    pub variant: Variant,
    /// Adjudication.
    pub rules: adjudicate::Rules,
    /// How long to wait for what.
    pub patience: Patience,
    /// Endings whose result is known.
    pub tables: Option<&'a Tablebase>,
    /// Raised when the match ends.
    pub stop: &'a AtomicBool,
}

/// What a match may ask about endings: the result with best play, the fifty-move rule included, where it is known for certain;
/// `Some(None)` is a draw. The tables themselves are somebody else's.
pub type Tablebase = dyn Fn(&AnyPosition) -> Option<Option<Color>> + Send + Sync;

/// Plays a game; None when the match was stopped meanwhile. White is the first player.
pub fn play<R: Rules>(opening: &Opening, mut players: [Player<'_>; 2], table: Table<'_>) -> Option<Record> {
    let begin = Instant::now();
    let start = match &opening.fen {
        Some(fen) => Position::<R>::from_fen(fen).ok()?,
        None => Position::<R>::startpos(),
    };
    let mut game = Game::new(start);
    let mut record = Record {
        fen: opening.fen.clone(),
        first_move: start.fullmove(),
        first_color: start.side_to_move(),
        plies: Vec::new(),
        duration: Duration::ZERO,
        ending: Ending { winner: None, cause: Cause::Rules, text: String::new() },
    };
    let ending = match prepare(&mut players, table)? {
        Some(ending) => ending,
        None => moves(&mut game, opening, &mut players, table, &mut record.plies)?,
    };
    record.ending = ending;
    record.duration = begin.elapsed();
    Some(record)
}

/// Tells both engines that a new game begins. Outer None: interrupted; inner None: all well.
fn prepare(players: &mut [Player<'_>; 2], table: Table<'_>) -> Option<Option<Ending>> {
    for color in [Color::White, Color::Black] {
        let process = &mut *players[color.index()].process;
        let result = process.send("ucinewgame").and_then(|()| process.ready(table.patience, table.stop));
        if let Err(failure) = result {
            return blame(color, &failure).map(Some);
        }
    }
    Some(None)
}

fn moves<R: Rules>(
    game: &mut Game<R>,
    opening: &Opening,
    players: &mut [Player<'_>; 2],
    table: Table<'_>,
    plies: &mut Vec<Ply>,
) -> Option<Ending> {
    let notation = table.variant.notation();
    let mut command = match &opening.fen {
        Some(fen) => format!("position fen {fen}"),
        None => "position startpos".to_owned(),
    };
    let mut separator = " moves ";
    for text in &opening.moves {
        // The opening was checked when it was read.
        let mv = game.position().parse_uci(text).ok()?;
        plies.push(Ply { san: game.position().san(mv), search: None });
        game.play(mv);
        command += separator;
        command += text;
        separator = " ";
    }
    let mut clocks = [GameClock::new(players[0].limits), GameClock::new(players[1].limits)];
    let mut adjudicator = Adjudicator::new(table.rules);
    loop {
        if let Some(outcome) = game.outcome() {
            return Some(judged(outcome));
        }
        let position = *game.position();
        let side = position.side_to_move();
        let (me, other) = (side.index(), (!side).index());
        let player = &mut players[me];
        let go = go_command(&clocks[me], &clocks[other], side == Color::White);
        let allowance = clocks[me].allowance().map(|allowed| allowed + player.margin);
        let answer = match player.process.search(&command, &go, allowance, table.patience, table.stop) {
            Ok(answer) => answer,
            Err(failure) => return blame(side, &failure),
        };
        let left = clocks[me].allowance();
        if !clocks[me].charge(answer.used, player.margin) || answer.overdue {
            return Some(overstepped(side, answer.used, left));
        }
        let Some(mv) = position.parse_uci(&answer.best).ok() else {
            let text = format!("makes an illegal move: '{}'", answer.best);
            return Some(Ending::failure(side, Cause::Illegal, &text));
        };
        plies.push(Ply { san: position.san(mv), search: Some((answer.info, answer.used)) });
        game.play(mv);
        command += separator;
        command += &position.uci(mv, notation);
        separator = " ";
        // Mate on the board comes before any adjudication.
        if game.outcome().is_some() {
            continue;
        }
        if let Some(tables) = table.tables
            && let Ok(now) = AnyPosition::from_fen(table.variant, &game.position().fen())
            && let Some(winner) = tables(&now)
        {
            let text =
                winner.map_or("Draw by tablebase".to_owned(), |winner| format!("{} wins by tablebase", name(winner)));
            return Some(Ending { winner, cause: Cause::Adjudication, text });
        }
        let progress = mv.is_capture() || mv.is_promotion() || mv.piece().kind() == Kind::Pawn;
        let length = plies.len().div_ceil(2) as u32;
        let number = position.fullmove();
        if let Some(decision) = adjudicator.note(side, answer.info.score, number, progress, length) {
            return Some(adjudicated(decision));
        }
    }
}

/// The game is lost by the engine that failed; None if nobody failed but the match was stopped.
fn blame(side: Color, failure: &Failure) -> Option<Ending> {
    let cause = match failure {
        Failure::Crash(_) => Cause::Crash,
        Failure::Hang(_) => Cause::Hang,
        Failure::Interrupted => return None,
    };
    Some(Ending::failure(side, cause, &failure.to_string()))
}

fn overstepped(side: Color, used: Duration, left: Option<Duration>) -> Ending {
    let text = match left {
        Some(left) => format!(
            "loses on time ({:.0} ms used, {:.0} ms left)",
            used.as_secs_f64() * 1000.0,
            left.as_secs_f64() * 1000.0
        ),
        None => format!("loses on time (no move within {:.0} s)", used.as_secs_f64()),
    };
    Ending::failure(side, Cause::Time, &text)
}

fn adjudicated(decision: Decision) -> Ending {
    let (winner, text) = match decision {
        Decision::Resigns(loser) => (Some(!loser), format!("{} wins by adjudication", name(!loser))),
        Decision::AgreedDraw => (None, "Draw by adjudication".to_owned()),
        Decision::TooLong => (None, "Draw by adjudication: maximum length".to_owned()),
    };
    Ending { winner, cause: Cause::Adjudication, text }
}

fn judged(outcome: Outcome) -> Ending {
    let (winner, text) = match outcome {
        Outcome::Win(color) => (Some(color), format!("{} mates", name(color))),
        Outcome::Draw(reason) => (None, format!("Draw by {reason}")),
    };
    Ending { winner, cause: Cause::Rules, text }
}

/// The colour's name.
pub fn name(color: Color) -> &'static str {
    if color == Color::White { "White" } else { "Black" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        let lost = Ending::failure(Color::White, Cause::Crash, "crashed (exit status: 3)");
        assert_eq!((lost.result(), lost.text.as_str()), ("0-1", "White crashed (exit status: 3)"));
        assert_eq!((lost.half_points(Color::White), lost.half_points(Color::Black)), (0, 2));
        let drawn = adjudicated(Decision::AgreedDraw);
        assert_eq!((drawn.result(), drawn.half_points(Color::Black)), ("1/2-1/2", 1));
        assert!(lost.cause.is_failure() && !drawn.cause.is_failure());
        assert_eq!(blame(Color::White, &Failure::Interrupted), None);
        let late = overstepped(Color::Black, Duration::from_millis(120), Some(Duration::from_millis(80)));
        assert_eq!(late.text, "Black loses on time (120 ms used, 80 ms left)");
    }
}

//! From files to quiet positions with results.

use std::fs::File;
use std::path::Path;

use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, FenError, Makruk, Move, MoveList, Position, Rules};
use rukh_eval::trace::Coefficients;
use rukh_eval::{Classical, Evaluator, Terms};
use rukh_files::Lines;
use rukh_pgn::{GameResult, PgnGame, PgnReader};
use rukh_store::selfplay::{Filter, GamesReader, SelfPlay, decode_block};

use super::model::Dataset;
use crate::LabError;

/// A game that can be tuned.
pub trait Game: Terms {
    /// Name of the game, as the weights file spells it.
    const TITLE: &'static str;
    /// Plies of a game before positions are taken: openings are prepared, not played.
    const SKIP: usize;
}

impl Game for Chess {
    const TITLE: &'static str = "chess";
    const SKIP: usize = 14;
}

impl Game for Makruk {
    const TITLE: &'static str = "Makruk";
    const SKIP: usize = 8;
}

/// One game in this many is kept for validation.
const VALIDATION: u64 = 20;

/// Collects positions.
pub struct Gather<R: Game> {
    rng: Rng,
    per_game: usize,
    max: usize,
    eval: Classical<R>,
    trace: Coefficients,
    result: Gathered,
}

/// What was collected.
#[derive(Default)]
pub struct Gathered {
    /// The positions.
    pub data: Dataset,
    /// Games they are from.
    pub games: usize,
    /// Games or lines that could not be read.
    pub broken: usize,
    /// What was wrong with the first of them.
    pub first_error: String,
}

impl<R: Game> Gather<R> {
    /// Takes at most `per_game` positions of a game and `max` in all.
    pub fn new(seed: u64, per_game: usize, max: usize) -> Self {
        Self {
            rng: Rng::plain(seed),
            per_game,
            max,
            eval: Classical::new(),
            trace: Coefficients::default(),
            result: Gathered::default(),
        }
    }

    /// What was collected.
    pub fn into_dataset(self) -> Gathered {
        self.result
    }

    fn full(&self) -> bool {
        self.result.data.len() >= self.max
    }

    /// Reads one file: PGN, EPD or `.games` of `rukh datagen`, by its name. `report` hears how many positions there are
    /// so far; the answer is what had to be left out of a damaged file.
    pub fn file(&mut self, path: &Path, mut report: impl FnMut(u64)) -> Result<Option<String>, LabError> {
        let is_epd = path.extension().is_some_and(|e| e == "epd" || e == "txt" || e == "book");
        if is_epd {
            return self.epd(path, report).map(|()| None);
        }
        if path.extension().is_some_and(|e| e == "games") {
            return self.selfplay(path, report);
        }
        let mut reader = PgnReader::open(path).map_err(LabError::new)?;
        while !self.full() {
            match reader.next_game() {
                None => break,
                Some(Ok(game)) => self.game(game),
                Some(Err(e)) if e.is_fatal() => return Err(LabError::new(e)),
                Some(Err(e)) => self.broken(e.to_string()),
            }
            report(self.result.data.len() as u64);
        }
        Ok(None)
    }

    fn broken(&mut self, error: String) {
        self.result.broken += 1;
        if self.result.first_error.is_empty() {
            self.result.first_error = error;
        }
    }

    fn game(&mut self, game: &PgnGame) {
        let target = match game.result {
            GameResult::White => 1.0,
            GameResult::Black => 0.0,
            GameResult::Draw => 0.5,
            GameResult::Unknown => return,
        };
        let Some(start) = game.start.of::<Position<R>>() else { return };
        let plies = game.moves.len();
        if plies <= R::SKIP + 4 {
            return;
        }
        self.result.games += 1;
        let validation = self.rng.next_u64().is_multiple_of(VALIDATION);
        // Choose plies first, then play through once.
        let mut picks: Vec<usize> = (R::SKIP..plies - 2).collect();
        self.rng.shuffle(&mut picks);
        picks.truncate(self.per_game);
        picks.sort_unstable();
        let mut pos = *start;
        let mut next = picks.into_iter().peekable();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if next.next_if_eq(&ply).is_some() {
                self.take(&pos, target, None, validation);
            }
            if next.peek().is_none() {
                break;
            }
            pos = pos.after_unchecked(mv);
        }
    }

    /// Games with a search value for each move: their own filter keeps what is quiet already.
    fn selfplay(&mut self, path: &Path, mut report: impl FnMut(u64)) -> Result<Option<String>, LabError> {
        let fail = |e| LabError::at(path, e);
        let mut reader = GamesReader::open(path).and_then(|reader| reader.only(R::VARIANT)).map_err(fail)?;
        let filter = Filter { max_score: 2_000, ..Filter::default() };
        while !self.full()
            && let Some((head, payload)) = reader.read_on().map_err(fail)?
        {
            for game in decode_block::<R>(&head, &payload).map_err(fail)? {
                self.scored(&game, &filter);
            }
            report(self.result.data.len() as u64);
        }
        Ok(reader.complaint())
    }

    fn scored(&mut self, game: &SelfPlay, filter: &Filter) {
        self.result.games += 1;
        let validation = self.rng.next_u64().is_multiple_of(VALIDATION);
        let target = f32::from(game.verdict.points(Color::White)) / 2.0;
        let mut kept = Vec::new();
        filter.positions::<R>(game, |pos, value| kept.push((*pos, value)));
        self.rng.shuffle(&mut kept);
        for (pos, value) in kept.into_iter().take(self.per_game) {
            let white = if pos.side_to_move() == Color::White { value } else { -value };
            self.keep(&pos, target, Some(white as f32), validation);
        }
    }

    fn epd(&mut self, path: &Path, mut report: impl FnMut(u64)) -> Result<(), LabError> {
        let fail = |e: std::io::Error| LabError::new(format!("cannot read {}: {e}", path.display()));
        let file = File::open(path).map_err(fail)?;
        // Lines do not say where a game ends, but a game's moves are numbered upwards.
        let (mut last, mut validation) = (u32::MAX, false);
        for (number, line) in Lines::new(file) {
            if self.full() {
                break;
            }
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    self.broken(format!("{}:{number}: {error}", path.display()));
                    continue;
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            match (position_of::<R>(&line), result_of(&line)) {
                (Ok(pos), Some(target)) => {
                    let ply = pos.ply();
                    if ply <= last {
                        self.result.games += 1;
                        validation = self.rng.next_u64().is_multiple_of(VALIDATION);
                    }
                    last = ply;
                    self.take(&pos, target, value_of(&line, &pos), validation);
                }
                (Err(e), _) => self.broken(format!("{}:{number}: {e}", path.display())),
                (_, None) => self.broken(format!("{}:{number}: no result", path.display())),
            }
            report(self.result.data.len() as u64);
        }
        Ok(())
    }

    /// Plays out the captures and keeps the quiet position at their end.
    fn take(&mut self, pos: &Position<R>, target: f32, value: Option<f32>, validation: bool) {
        if pos.in_check() || self.full() {
            return;
        }
        let (_, quiet) = settle(&mut self.eval, pos, -30_000, 30_000, 8);
        if !quiet.in_check() {
            self.keep(&quiet, target, value, validation);
        }
    }

    fn keep(&mut self, quiet: &Position<R>, target: f32, value: Option<f32>, validation: bool) {
        self.trace.clear();
        self.eval.trace(quiet, &mut self.trace);
        if self.trace.special.is_none() && !self.full() {
            self.result.data.push(&self.trace, target, value, validation);
        }
    }
}

/// The position of a line, with or without the numbers of a FEN.
pub(super) fn position_of<R: Rules>(line: &str) -> Result<Position<R>, FenError> {
    let fields: Vec<&str> = line.split_whitespace().take(6).collect();
    match fields.as_slice() {
        [a, b, c, d, e, f] if e.parse::<u32>().is_ok() && f.parse::<u32>().is_ok() => {
            Position::from_fen(&[*a, *b, *c, *d, *e, *f].join(" "))
        }
        [a, b, c, d, ..] => Position::from_fen(&[*a, *b, *c, *d, "0", "1"].join(" ")),
        _ => Position::from_fen(line),
    }
}

/// The result for White in a line of EPD.
fn result_of(line: &str) -> Option<f32> {
    if line.contains("1/2-1/2") || line.contains("[0.5]") {
        Some(0.5)
    } else if line.contains("1-0") || line.contains("[1.0]") {
        Some(1.0)
    } else if line.contains("0-1") || line.contains("[0.0]") {
        Some(0.0)
    } else {
        None
    }
}

/// The search value for White in a line of EPD (`ce 35;`, side to move's view).
fn value_of<R: Game>(line: &str, pos: &Position<R>) -> Option<f32> {
    let (_, rest) = line.split_once(" ce ")?;
    let value: f32 = rest.split(';').next()?.trim().parse().ok()?;
    Some(if pos.side_to_move() == Color::White { value } else { -value })
}

/// Captures only, the value for the side to move and the position at the end of the best line.
fn settle<R: Game>(
    eval: &mut Classical<R>,
    pos: &Position<R>,
    mut alpha: i32,
    beta: i32,
    depth: u32,
) -> (i32, Position<R>) {
    let mut best = (eval.evaluate(pos), *pos);
    if depth == 0 || best.0 >= beta {
        return best;
    }
    alpha = alpha.max(best.0);
    let mut list = MoveList::new();
    pos.generate_captures(&mut list);
    let mut order: Vec<Move> = list.to_vec();
    order.sort_by_key(|m| {
        let victim = m.captured().map_or(0, |p| p.kind().index() as i32 + 1);
        m.piece().kind().index() as i32 - 8 * victim
    });
    for mv in order {
        if !pos.leaves_king_safe(mv) || !pos.see_ge(mv, 1) {
            continue;
        }
        let (value, leaf) = settle(eval, &pos.after_unchecked(mv), -beta, -alpha, depth - 1);
        if -value > best.0 {
            best = (-value, leaf);
            alpha = alpha.max(best.0);
            if alpha >= beta {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_all_spellings() {
        assert_eq!(result_of(r#"8/8/8/8/8/8/8/K1k5 w - - c9 "1-0";"#), Some(1.0));
        assert_eq!(result_of("8/8/8/8/8/8/8/K1k5 w - - 0 1 [0.5]"), Some(0.5));
        assert_eq!(result_of("8/8/8/8/8/8/8/K1k5 w - - 0 1 0-1"), Some(0.0));
        assert_eq!(result_of("8/8/8/8/8/8/8/K1k5 w - - 0 1"), None);
    }
}

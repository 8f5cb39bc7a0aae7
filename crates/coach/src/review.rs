//! A game looked through move by move: a little effort everywhere, much where a mark would appear.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;

use rukh_core::{AnyPosition, Color, Move, Outcome, Variant};
use rukh_engine::{AnyGame, Engine, Judgement, Limits, Options, Scale, Score, accuracy};
use rukh_store::openings::openings;

use crate::error::CoachError;
use crate::games::PlayerGame;
use crate::journal::{Journal, Seen};
use crate::reasons::{Choice, Fact, explain};
use crate::spot::Spot;

/// How much is searched.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Nodes at every position. Where a mark would appear it is [`DEEPER`] times as much, for both moves.
    pub nodes: u64,
    /// Games at the same time.
    pub threads: usize,
    /// Options for every engine by their UCI names, such as `SyzygyPath`.
    pub options: Vec<(String, String)>,
}

/// So many times the nodes where a mark would appear.
pub const DEEPER: u64 = 20;
/// Expected points of a hundred that are left in a lost game.
const LOST: f64 = 15.0;

/// One move of the player.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Half-moves before it.
    pub ply: usize,
    /// The position before it, as it was in the game.
    pub position: AnyPosition,
    /// Its code.
    pub code: String,
    /// The move.
    pub mv: Move,
    /// A move of the openings that have names.
    pub book: bool,
    /// Expected points of a hundred with the best move, and with this one.
    pub points: (f64, f64),
    /// What it lost.
    pub loss: f64,
    /// From 100 down to 0.
    pub accuracy: f64,
    /// What it is called, if it deserves a name.
    pub judgement: Option<Judgement>,
    /// The engine's line.
    pub best: Vec<Move>,
    /// What the engine says of the position behind it, for the other side; it agrees with the points.
    pub after: Score,
    /// Why; empty for moves without a mark.
    pub facts: Vec<Fact>,
    /// Milliseconds on the player's clock before it.
    pub clock: Option<u64>,
}

/// A game with its judgements.
#[derive(Clone, Debug)]
pub struct Reviewed {
    /// The game.
    pub game: PlayerGame,
    /// The name of its opening.
    pub opening: Option<(String, String)>,
    /// The player's moves.
    pub moves: Vec<Judged>,
}

/// Reviews all games, several at a time. `on_game` hears how many are done. Ends early, with what is done, when `stop` is set.
pub fn review_all(
    games: &[PlayerGame],
    effort: &Effort,
    journal: &Journal,
    stop: &AtomicBool,
    mut on_game: impl FnMut(usize),
) -> Result<Vec<Reviewed>, CoachError> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..effort.threads.clamp(1, games.len().max(1)) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                let mut analyst: Option<Analyst<'_>> = None;
                while !stop.load(Relaxed) {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(game) = games.get(at) else { break };
                    let variant = game.start.variant();
                    if analyst.as_ref().is_none_or(|analyst| analyst.variant != variant) {
                        match Analyst::new(variant, effort, journal, stop) {
                            Ok(made) => analyst = Some(made),
                            Err(error) => {
                                let _ = send.send((at, Err(error)));
                                break;
                            }
                        }
                    }
                    let Some(analyst) = &analyst else { break };
                    if send.send((at, analyst.review(game))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut done: Vec<(usize, Reviewed)> = Vec::new();
        for (at, reviewed) in receive {
            match reviewed {
                Ok(Some(reviewed)) => done.push((at, reviewed)),
                // Stopped in the middle of it: the journal has what was found.
                Ok(None) => {}
                Err(error) => {
                    stop.store(true, Relaxed);
                    return Err(error);
                }
            }
            on_game(done.len());
        }
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, reviewed)| reviewed).collect())
    })
}

/// An engine with the journal of what was asked before.
pub struct Analyst<'a> {
    variant: Variant,
    engine: Engine,
    nodes: u64,
    journal: &'a Journal,
    stop: &'a AtomicBool,
}

impl<'a> Analyst<'a> {
    /// An analyst for one variant.
    pub fn new(
        variant: Variant,
        effort: &Effort,
        journal: &'a Journal,
        stop: &'a AtomicBool,
    ) -> Result<Self, CoachError> {
        let engine = Engine::new(Options::default())?;
        engine.set_option("UCI_Variant", variant.name())?;
        for (name, value) in &effort.options {
            engine.set_option(name, value)?;
        }
        Ok(Analyst { variant, engine, nodes: effort.nodes.max(1), journal, stop })
    }

    /// The engine, for who wants to stop it.
    pub(crate) fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// What the engine says of a spot, or of one move in it; from the journal if it was asked before.
    pub fn look(&self, spot: &Spot, nodes: u64, only: Option<Move>) -> Result<Seen, CoachError> {
        self.journal.look(spot, only, nodes, || {
            // From an empty table: what is found depends on the position and the nodes, not on what was searched before, so that
            // a review that was killed says the same as one that was not.
            self.engine.new_game();
            self.engine.set_game(AnyGame::from(&spot.position))?;
            let mut seen = Seen { nodes, ..Seen::default() };
            let searchmoves = only.into_iter().collect();
            let limits = Limits { nodes: Some(nodes), searchmoves, ..Limits::default() };
            self.engine
                .go(limits, |info| {
                    (seen.score, seen.depth) = (info.score, info.depth);
                    // The last report may be a bound with the first move only: what was known of its line is still the line.
                    if !seen.line.starts_with(info.pv.moves()) {
                        seen.line = info.pv.moves().to_vec();
                    }
                })
                .sound()?;
            Ok(seen)
        })
    }

    /// Reviews a game; none if it was stopped.
    pub fn review(&self, game: &PlayerGame) -> Result<Option<Reviewed>, CoachError> {
        review_with(game, self.nodes, &mut |spot, nodes, only| {
            if self.stop.load(Relaxed) { Ok(None) } else { self.look(spot, nodes, only).map(Some) }
        })
    }
}

/// Says what a search of a spot, or of one move in it, with so many nodes has found; none if that is not to be had now.
pub type Look<'a> = dyn FnMut(&Spot, u64, Option<Move>) -> Result<Option<Seen>, CoachError> + 'a;

/// Reviews a game with whoever answers; none if something was not answered.
pub fn review_with(game: &PlayerGame, nodes: u64, look: &mut Look<'_>) -> Result<Option<Reviewed>, CoachError> {
    let mut look = |spot: &Spot, nodes, only| match spot.finished() {
        Some(Outcome::Win(_)) => Ok(Some(Seen { score: Score::mated_in(0), ..Seen::default() })),
        Some(Outcome::Draw(_)) => Ok(Some(Seen::default())),
        None => look(spot, nodes, only),
    };
    let mut review = Review::new(game);
    let mut whole = true;
    // All of them are asked for, so that who cannot answer at once knows all that is wanted.
    for ply in 0..review.spots.len() {
        let seen = look(&review.spots[ply], nodes, None)?;
        whole &= seen.is_some();
        review.found.push(seen.unwrap_or_default());
    }
    if !whole {
        return Ok(None);
    }
    if !review.close_book(nodes.saturating_mul(DEEPER), &mut look)? {
        return Ok(None);
    }
    // From the end, because later knowledge changes what earlier moves are worth.
    while let Some(ply) = review.unconfirmed() {
        if !review.confirm(ply, nodes.saturating_mul(DEEPER), &mut look)? {
            return Ok(None);
        }
    }
    Ok(Some(review.result()))
}

/// A score as the other side sees it, one ply later (-1) or earlier (1): the distance to a proven end changes with it.
fn seen_by_other(score: Score, plies: i32) -> Score {
    let value = -score.value();
    match score.is_decisive() {
        true if value > 0 => Score(value - plies),
        true => Score(value + plies),
        false => Score(value),
    }
}

struct Review<'a> {
    game: &'a PlayerGame,
    /// The positions of the game, and as spots.
    positions: Vec<AnyPosition>,
    spots: Vec<Spot>,
    found: Vec<Seen>,
    confirmed: Vec<bool>,
    /// Half-moves that the table of openings knows, up to the first blunder among them.
    book: usize,
    opening: Option<(String, String)>,
}

impl<'a> Review<'a> {
    fn new(game: &'a PlayerGame) -> Review<'a> {
        let mut positions = vec![game.start.clone()];
        for &mv in &game.moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play(mv);
            positions.push(next);
        }
        let spots: Vec<Spot> = positions.iter().map(Spot::new).collect();
        let (mut book, mut opening) = (0, None);
        if game.start == AnyPosition::new(Variant::Chess) {
            for (ply, pos) in positions.iter().enumerate().skip(1) {
                let Some(pos) = pos.chess() else { break };
                if openings().index(pos).is_some() {
                    book = ply;
                }
                if let Some(named) = openings().find(pos) {
                    opening = Some((named.eco(), named.name.to_owned()));
                }
            }
        }
        let confirmed = vec![false; positions.len()];
        Review { game, positions, spots, found: Vec::new(), confirmed, book, opening }
    }

    /// Looks closely at a position and at the move played in it; false if that was not to be had.
    fn confirm(&mut self, ply: usize, nodes: u64, look: &mut Look<'_>) -> Result<bool, CoachError> {
        let Some(seen) = look(&self.spots[ply], nodes, None)? else { return Ok(false) };
        self.found[ply] = seen;
        self.confirmed[ply] = true;
        if self.is_sound(ply) {
            return Ok(true);
        }
        let Some(played) = look(&self.spots[ply], nodes, Some(self.game.moves[ply]))? else { return Ok(false) };
        if self.spots[ply + 1].finished().is_none() {
            let line = played.line.iter().skip(1).copied().collect();
            self.found[ply + 1] = Seen { score: seen_by_other(played.score, -1), line, ..played.clone() };
        }
        // The second search may have shown that the first was wrong about its own move.
        if self.points(ply, played.score) > self.points(ply, self.found[ply].score) {
            self.found[ply] = played;
        }
        Ok(true)
    }

    /// The table of openings names blunders, too (2.g4 of the fool's mate): the book ends before one that loses the game if a
    /// close look confirms it. 1.f3 is only a bad opening. False if that look was not to be had.
    fn close_book(&mut self, nodes: u64, look: &mut Look<'_>) -> Result<bool, CoachError> {
        let blunders = |review: &Self, ply: usize| {
            let after = 100.0 - review.points(ply + 1, review.found[ply + 1].score);
            let loss = review.points(ply, review.found[ply].score) - after;
            after < LOST && Judgement::of(loss) == Some(Judgement::Blunder)
        };
        let book = self.book;
        for ply in 0..book {
            if !blunders(self, ply) {
                continue;
            }
            self.book = ply;
            if !self.confirm(ply, nodes, look)? {
                return Ok(false);
            }
            if !self.is_sound(ply) && blunders(self, ply) {
                break;
            }
            self.book = book;
        }
        Ok(true)
    }

    /// Expected points of a hundred for the side to move at `ply`.
    fn points(&self, ply: usize, score: Score) -> f64 {
        let pos = &self.positions[ply];
        Scale::of(pos.variant(), pos.men()).for_marks(pos.variant()).wdl(score).expectation()
    }

    /// The engine's own move, one of the openings, or one that was made although the rules had ended the game.
    fn is_sound(&self, ply: usize) -> bool {
        ply < self.book
            || self.found[ply].line.first() == self.game.moves.get(ply)
            || self.spots[ply].finished().is_some()
    }

    /// Which position's search speaks for each position, and the points of White. A position is worth at least what the move
    /// played in it is worth, and exactly that where it was the engine's own: later knowledge counts.
    fn white_points(&self) -> (Vec<usize>, Vec<f64>) {
        let white = |ply: usize| match self.positions[ply].side_to_move() {
            Color::White => self.points(ply, self.found[ply].score),
            Color::Black => 100.0 - self.points(ply, self.found[ply].score),
        };
        let mut sources: Vec<usize> = (0..self.found.len()).collect();
        let mut points: Vec<f64> = (0..self.found.len()).map(white).collect();
        for ply in (0..self.game.moves.len()).rev() {
            let better = match self.positions[ply].side_to_move() {
                Color::White => points[ply + 1] > points[ply],
                Color::Black => points[ply + 1] < points[ply],
            };
            if self.is_sound(ply) || better {
                points[ply] = points[ply + 1];
                sources[ply] = sources[ply + 1];
            }
        }
        (sources, points)
    }

    /// The score of a position for its side to move, by the search that speaks for it.
    fn score(&self, sources: &[usize], ply: usize) -> Score {
        let later = sources[ply] - ply;
        (0..later).fold(self.found[sources[ply]].score, |score, _| seen_by_other(score, 1))
    }

    /// Points of the player before and after each of his moves.
    fn judged(&self) -> Vec<(usize, (f64, f64))> {
        let (_, points) = self.white_points();
        let view = |white: f64| if self.game.color == Color::White { white } else { 100.0 - white };
        let own = (0..self.game.moves.len()).filter(|&ply| self.positions[ply].side_to_move() == self.game.color);
        own.map(|ply| (ply, (view(points[ply]), view(points[ply + 1])))).collect()
    }

    /// The last move that would be marked and that nobody has looked at closely.
    fn unconfirmed(&self) -> Option<usize> {
        let marked = |&(ply, (before, after)): &(usize, (f64, f64))| {
            Judgement::of(before - after).is_some() && !self.confirmed[ply]
        };
        self.judged().into_iter().rev().find(marked).map(|(ply, _)| ply)
    }

    fn result(self) -> Reviewed {
        let judged = self.judged();
        let (sources, _) = self.white_points();
        let moves = judged.into_iter().map(|(ply, points)| self.one(ply, points, &sources)).collect();
        Reviewed { game: self.game.clone(), opening: self.opening, moves }
    }

    fn one(&self, ply: usize, points: (f64, f64), sources: &[usize]) -> Judged {
        let mv = self.game.moves[ply];
        let loss = (points.0 - points.1).max(0.0);
        let judgement = Judgement::of(loss);
        let mut facts = Vec::new();
        if judgement.is_some() {
            let after = &self.found[ply + 1];
            let line = std::iter::once(mv).chain(after.line.iter().copied()).collect();
            let played = Choice { score: seen_by_other(after.score, 1), line };
            let best = Choice { score: self.found[ply].score, line: self.found[ply].line.clone() };
            facts = explain(&self.positions[ply], &played, &best);
            // One pair of numbers for a mistake: what is said agrees with what is marked.
            for fact in &mut facts {
                if let Fact::Keeps { points: said, .. } = fact {
                    *said = points;
                }
            }
        }
        Judged {
            ply,
            position: self.positions[ply].clone(),
            code: self.spots[ply].name(),
            mv,
            book: ply < self.book,
            points,
            loss,
            accuracy: accuracy(loss),
            judgement,
            best: self.found[ply].line.clone(),
            after: self.score(sources, ply + 1),
            facts,
            // The player's clock after the move before this one.
            clock: ply.checked_sub(2).and_then(|earlier| *self.game.clocks.get(earlier)?),
        }
    }
}

//! A line of play with all its positions, and what it does to the material.

use rukh_core::{Color, Move, Position, Rules, Square};

/// Plies after a capture in which what it won may be lost again.
const KEPT: usize = 6;

/// A line of play.
#[derive(Clone, Debug)]
pub struct Line<R: Rules> {
    positions: Vec<Position<R>>,
    moves: Vec<Move>,
}

impl<R: Rules> Line<R> {
    /// Plays `moves` from `start` as far as they are legal.
    pub fn new(start: &Position<R>, moves: &[Move]) -> Line<R> {
        let mut line = Line { positions: vec![*start], moves: Vec::new() };
        for &mv in moves {
            let pos = *line.last();
            if !pos.is_legal(mv) {
                break;
            }
            line.moves.push(mv);
            line.positions.push(pos.after(mv));
        }
        line
    }

    /// The moves that were legal.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position before the move at `ply`; the last one for the length of the line.
    pub fn at(&self, ply: usize) -> &Position<R> {
        &self.positions[ply.min(self.moves.len())]
    }

    /// The position at the end.
    pub fn last(&self) -> &Position<R> {
        self.at(self.moves.len())
    }

    /// Who makes the move at `ply`.
    pub fn mover(&self, ply: usize) -> Color {
        self.at(ply).side_to_move()
    }

    /// The plies at which `side` moves.
    pub fn plies_of(&self, side: Color) -> impl Iterator<Item = usize> + '_ {
        (0..self.moves.len()).filter(move |&ply| self.mover(ply) == side)
    }

    /// The first of `side`'s plies whose move gives no check: what comes before is forced, however long it takes.
    pub fn forced(&self, side: Color) -> usize {
        self.plies_of(side).find(|&ply| !self.at(ply + 1).in_check()).unwrap_or(self.moves.len())
    }

    /// Whether the line ends in mate by `side`.
    pub fn mates(&self, side: Color) -> bool {
        self.last().side_to_move() != side && self.last().is_checkmate()
    }

    /// What `side` has more than its opponent before the move at `ply`, in centipawns by exchange values.
    pub fn balance(&self, ply: usize, side: Color) -> i32 {
        balance(self.at(ply), side)
    }

    /// The same when the capture at `ply`, by `side`, has been answered: what is taken back counts.
    pub fn settled(&self, ply: usize, side: Color) -> i32 {
        let after = self.balance(ply + 1, side);
        if ply + 1 < self.moves.len() {
            return after.min(self.balance(ply + 2, side));
        }
        // The line ends here: the best that can be taken back.
        let pos = self.at(ply + 1);
        let taken = pos.legal_moves().iter().filter(|mv| mv.is_capture()).map(|&mv| pos.see(mv)).max();
        after - taken.unwrap_or(0).max(0)
    }

    /// The same when the other side's capture at `ply` has been answered.
    fn answered(&self, ply: usize, side: Color) -> i32 {
        let after = self.balance(ply + 1, side);
        if ply + 1 < self.moves.len() {
            return after.max(self.balance(ply + 2, side));
        }
        let pos = self.at(ply + 1);
        let there = |mv: &&Move| mv.is_capture() && mv.to() == self.moves[ply].to();
        after + pos.legal_moves().iter().filter(there).map(|&mv| pos.see(mv)).max().unwrap_or(0).max(0)
    }

    /// What is left of it when the other side has had its next moves: who takes a queen and loses his own to a fork two moves
    /// later has won nothing.
    pub fn kept(&self, ply: usize, side: Color) -> i32 {
        let later = (ply + 3..self.moves.len().min(ply + KEPT)).step_by(2);
        later.map(|reply| self.answered(reply, side)).fold(self.settled(ply, side), i32::min)
    }

    /// The most that `side` has gained at one of its moves up to `until`, and keeps, against the balance at the start.
    pub fn gain(&self, side: Color, until: usize) -> i32 {
        let start = self.balance(0, side);
        let plies = self.plies_of(side).filter(|&ply| ply <= until);
        plies.map(|ply| self.kept(ply, side) - start).max().unwrap_or(0)
    }

    /// Whether nothing hangs before the move at `ply`: in the middle of an exchange one side is always ahead.
    pub fn is_quiet(&self, ply: usize) -> bool {
        let pos = self.at(ply);
        let takes = |pos: &Position<R>| pos.legal_moves().iter().any(|&mv| mv.is_capture() && pos.see(mv) > 0);
        !pos.in_check() && !takes(pos) && !takes(&pos.after_null())
    }

    /// Where the piece that stands on `square` before the move at `ply` is taken, if nothing moves it before.
    pub fn taken_where_it_stands(&self, square: Square, ply: usize, until: usize) -> Option<usize> {
        let piece = self.at(ply).piece_at(square)?;
        for (at, mv) in self.moves.iter().enumerate().take(until + 1).skip(ply) {
            if mv.to() == square && mv.captured() == Some(piece) {
                return Some(at);
            }
            if mv.from() == square {
                return None;
            }
        }
        None
    }

    /// Where the piece that stands on `square` before the move at `ply` is taken, wherever it has gone by then.
    pub fn taken_at_last(&self, mut square: Square, ply: usize, until: usize) -> Option<usize> {
        let piece = self.at(ply).piece_at(square)?;
        for (at, mv) in self.moves.iter().enumerate().take(until + 1).skip(ply) {
            if mv.to() == square && mv.captured() == Some(piece) {
                return Some(at);
            }
            if mv.from() == square && mv.piece() == piece {
                square = mv.to();
            }
        }
        None
    }

    /// The move at `ply` with its number: `24... Ne3+`.
    pub fn written(&self, ply: usize) -> String {
        let pos = self.at(ply);
        let dots = if pos.side_to_move() == Color::White { "." } else { "..." };
        self.moves.get(ply).map_or_else(String::new, |&mv| format!("{}{dots} {}", pos.fullmove(), pos.san(mv)))
    }

    /// Some moves from `ply` on, with numbers.
    pub fn text(&self, ply: usize, most: usize) -> String {
        let mut words = Vec::new();
        for at in ply..self.moves.len().min(ply + most) {
            match self.mover(at) {
                Color::Black if at > ply => words.push(self.at(at).san(self.moves[at])),
                _ => words.push(self.written(at)),
            }
        }
        words.join(" ")
    }
}

/// What `side` has more than its opponent, kings aside.
pub fn balance<R: Rules>(pos: &Position<R>, side: Color) -> i32 {
    let worth = |color| -> i32 {
        let kinds = rukh_core::Kind::ALL.into_iter().take(5);
        kinds.map(|kind| pos.colored(color, kind).count() as i32 * R::VALUES[kind.index()]).sum()
    };
    worth(side) - worth(!side)
}

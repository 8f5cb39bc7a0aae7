//! Move picking in stages: generate and score only what is asked for, best first.
//!
//! Table move → good captures (MVV and capture history, SEE not losing) → quiets (histories) → bad captures. In check all
//! evasions come in one stage. Quiescence stops after the captures, or after the quiet checks where it asks for them; ProbCut
//! takes only captures that win enough.

use crate::history::{Histories, piece_to};
use crate::params::*;
use crate::stack::Stack;
use arrayvec::ArrayVec;
use rukh_core::{Bitboard, Kind, Move, MoveList, Position, Rules};

#[derive(Clone, Copy)]
struct ScoredMove {
    mv: Move,
    score: i32,
}

#[derive(Clone, Copy)]
enum Stage {
    TtMove,
    GenerateCaptures,
    Captures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
}

/// When a move comes, and why then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The transposition table remembers it as the best.
    Table,
    /// Takes or promotes, and the exchange does not lose.
    GoodCapture,
    /// A quiet move, by the histories.
    Quiet,
    /// Takes, and loses by it.
    BadCapture,
    /// Out of check.
    Evasion,
}

/// Whose moves are picked.
#[derive(Clone, Copy)]
enum Purpose {
    Main,
    /// All moves out of check.
    Evasions,
    Quiescence {
        checks: bool,
    },
    /// Captures whose exchange wins at least so much.
    ProbCut {
        threshold: i32,
    },
    /// All moves without any opinion: to show what the order is worth.
    BySquare {
        in_check: bool,
    },
}

/// What the picker reads while it scores.
pub(crate) struct PickContext<'a> {
    /// Where the generator writes.
    pub generated: &'a mut MoveList,
    pub hist: &'a Histories,
    pub stack: &'a Stack,
    pub ply: usize,
    /// Squares the opponent attacks.
    pub threats: Bitboard,
}

/// Hands out the moves of one node, pseudo-legal.
pub(crate) struct Picker {
    stage: Stage,
    purpose: Purpose,
    tt_move: Move,
    moves: ArrayVec<ScoredMove, 256>,
    /// The next move to hand out.
    next: usize,
    /// So many bad captures were set aside at the front.
    bad: usize,
    skip_quiets: bool,
}

impl Picker {
    fn with(purpose: Purpose, tt_move: Move) -> Picker {
        let stage = if tt_move.is_none() { Stage::GenerateCaptures } else { Stage::TtMove };
        // (Not `new_const`: the compiler would fill two kilobytes with zeros at every node.)
        Picker { stage, purpose, tt_move, moves: ArrayVec::new(), next: 0, bad: 0, skip_quiets: false }
    }

    /// All moves of a node. `tt_move` must be pseudo-legal or `NONE`.
    pub(crate) fn new(tt_move: Move, in_check: bool) -> Picker {
        Picker::with(if in_check { Purpose::Evasions } else { Purpose::Main }, tt_move)
    }

    /// Captures and promotions, and then quiet checks that lose nothing.
    pub(crate) fn quiescence(tt_move: Move, checks: bool) -> Picker {
        Picker::with(Purpose::Quiescence { checks }, tt_move)
    }

    /// Captures whose exchange wins at least `threshold`.
    pub(crate) fn probcut(tt_move: Move, threshold: i32) -> Picker {
        Picker::with(Purpose::ProbCut { threshold }, tt_move)
    }

    /// All moves of the node in the order of their squares.
    pub(crate) fn by_square(in_check: bool) -> Picker {
        Picker::with(Purpose::BySquare { in_check }, Move::NONE)
    }

    /// No more quiet moves are wanted.
    #[inline]
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub(crate) fn next<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = Stage::GenerateCaptures;
                    return Some(self.tt_move);
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(pos, ctx);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => {
                    while let Some(m) = self.best() {
                        match self.purpose {
                            Purpose::Main if !pos.see_ge(m.mv, -m.score / order_see_div()) => {
                                self.moves[self.bad] = m;
                                self.bad += 1;
                            }
                            Purpose::ProbCut { threshold } if !pos.see_ge(m.mv, threshold) => {}
                            Purpose::BySquare { .. } if self.skip_quiets && m.mv.is_quiet() => {}
                            _ => return Some(m.mv),
                        }
                    }
                    if !matches!(self.purpose, Purpose::Main | Purpose::Quiescence { checks: true }) {
                        return None;
                    }
                    self.stage = Stage::GenerateQuiets;
                }
                Stage::GenerateQuiets => {
                    if !self.skip_quiets {
                        self.generate_quiets(pos, ctx);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    let main = matches!(self.purpose, Purpose::Main);
                    while !self.skip_quiets
                        && let Some(m) = self.best()
                    {
                        if main || pos.see_ge(m.mv, 0) {
                            return Some(m.mv);
                        }
                    }
                    self.moves.truncate(self.bad);
                    self.next = 0;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    let m = *self.moves.get(self.next)?;
                    self.next += 1;
                    return Some(m.mv);
                }
            }
        }
    }

    fn generate_captures<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) {
        ctx.generated.clear();
        let hist = ctx.hist;
        match self.purpose {
            Purpose::Evasions => {
                pos.generate_evasions(ctx.generated);
                let (side, threats) = (pos.side_to_move(), ctx.threats);
                let c1 = hist.continuation_row(ctx.stack.back(ctx.ply, 1).piece_to);
                self.take(ctx, |mv| {
                    if mv.is_quiet() {
                        hist.quiet(side, threats, mv) + i32::from(c1[piece_to(mv) as usize])
                    } else {
                        // Taking the checker comes first.
                        (1 << 20) + score_capture::<R>(hist, mv)
                    }
                });
            }
            Purpose::BySquare { in_check } => {
                if in_check {
                    pos.generate_evasions(ctx.generated);
                } else {
                    pos.generate_captures(ctx.generated);
                    pos.generate_quiets(ctx.generated);
                }
                self.take(ctx, |mv| -i32::from(mv.to_u16() & 0xFFF));
            }
            _ => {
                pos.generate_captures(ctx.generated);
                self.take(ctx, |mv| score_capture::<R>(hist, mv));
            }
        }
    }

    fn generate_quiets<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) {
        ctx.generated.clear();
        pos.generate_quiets(ctx.generated);
        let (hist, side, threats) = (ctx.hist, pos.side_to_move(), ctx.threats);
        let row = |n| hist.continuation_row(ctx.stack.back(ctx.ply, n).piece_to);
        let (c1, c2, c4) = (row(1), row(2), row(4));
        // By kind of piece, the squares from which it attacks the enemy king: a move of the enemy's piece backwards. (Checks
        // by discovery are not seen.)
        let checks = Kind::ALL.map(|kind| R::attacks(kind, !side, pos.king(!side), pos.occupied()));
        let is_check = |mv: Move| checks[mv.piece().kind().index()].has(mv.to());
        if !matches!(self.purpose, Purpose::Main) {
            ctx.generated.retain(is_check);
            return self.take(ctx, |mv| hist.quiet(side, threats, mv) + i32::from(c1[piece_to(mv) as usize]));
        }
        let pawn = hist.pawn_row(pos.pawn_key());
        self.take(ctx, |mv| {
            let pt = piece_to(mv) as usize;
            // A check that does not lose the piece is tried early.
            order_check() * i32::from(is_check(mv) && pos.see_ge(mv, -order_check_see()))
                + order_quiet() * hist.quiet(side, threats, mv)
                + order_pawn() * i32::from(pawn[pt])
                + order_continuation_1() * i32::from(c1[pt])
                + order_continuation_2() * i32::from(c2[pt])
                + order_continuation_4() * i32::from(c4[pt])
        });
    }

    /// The next move with its stage and its score there; a table move has none. For who wants to know why it comes now.
    pub(crate) fn next_told<R: Rules>(
        &mut self,
        pos: &Position<R>,
        ctx: &mut PickContext<'_>,
    ) -> Option<(Move, Turn, Option<i32>)> {
        let table = matches!(self.stage, Stage::TtMove);
        let mv = self.next(pos, ctx)?;
        if table {
            return Some((mv, Turn::Table, None));
        }
        let turn = match (self.stage, self.purpose) {
            (_, Purpose::Evasions) => Turn::Evasion,
            (Stage::BadCaptures, _) => Turn::BadCapture,
            (Stage::Quiets, _) => Turn::Quiet,
            _ => Turn::GoodCapture,
        };
        Some((mv, turn, Some(self.moves[self.next - 1].score)))
    }

    /// Puts the generated moves behind what is there, scored, without the table move.
    #[inline]
    fn take(&mut self, ctx: &PickContext<'_>, score: impl Fn(Move) -> i32) {
        self.next = self.moves.len();
        for &mv in ctx.generated.iter() {
            if mv != self.tt_move {
                self.moves.push(ScoredMove { mv, score: score(mv) });
            }
        }
    }

    /// Takes the best of what is left in the current stage.
    #[inline]
    fn best(&mut self) -> Option<ScoredMove> {
        let (first, others) = self.moves[self.next..].split_first_mut()?;
        let mut top = *first;
        let mut at = None;
        for (i, m) in others.iter().enumerate() {
            if m.score > top.score {
                top = *m;
                at = Some(i);
            }
        }
        if let Some(i) = at {
            others[i] = *first;
            *first = top;
        }
        self.next += 1;
        Some(top)
    }
}

#[inline]
fn score_capture<R: Rules>(hist: &Histories, mv: Move) -> i32 {
    let mut value = mv.captured().map_or(0, |p| R::VALUES[p.kind().index()]);
    if let Some(kind) = mv.promotion() {
        value += R::VALUES[kind.index()] - R::VALUES[0];
        // An underpromotion is almost never the point.
        if kind != Kind::Queen {
            value -= 2 * R::VALUES[Kind::Queen.index()];
        }
    }
    order_victim() * value + hist.capture(mv) * order_capture_history() / 16
}

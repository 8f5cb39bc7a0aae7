//! Move picking in stages: generate and score only what is asked for, best first.
//!
//! Table move → good captures (victim value + capture history, exchange not losing) → quiets (histories) → bad captures.
//! In check all evasions come in one stage. Quiescence stops after the captures, or the quiet checks where it asks for them; ProbCut takes only captures that win enough.
//!
//! Moves live in one [`Arena`] per thread, used as a stack: a picker takes room when it generates and the node gives it back.

use crate::history::{Histories, piece_to};
use crate::stack::Stack;
use rukh_core::{Bitboard, Kind, Move, MoveList, Position, Rules};

#[derive(Clone, Copy, Default)]
pub(crate) struct ScoredMove {
    mv: Move,
    score: i32,
}

/// Room for the moves of a whole line, made once.
pub(crate) struct Arena {
    moves: Box<[ScoredMove]>,
    /// First free place.
    top: usize,
    /// Where the generator writes before moves are scored.
    list: MoveList,
}

impl Arena {
    /// Two pickers can be alive at one ply (the node's own and its singular search's), each with all moves of a position.
    const CAPACITY: usize = 2 * (crate::score::MAX_PLY + 4) * 256;

    pub(crate) fn new() -> Self {
        Arena { moves: vec![ScoredMove::default(); Self::CAPACITY].into_boxed_slice(), top: 0, list: MoveList::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.top = 0;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateEvasions,
    Evasions,
    QsTableMove,
    QsGenerateCaptures,
    QsCaptures,
    QsGenerateChecks,
    QsChecks,
    ProbCutTableMove,
    ProbCutGenerate,
    ProbCut,
    UnorderedGenerate,
    Unordered,
    Done,
}

/// What the picker reads while it scores.
pub(crate) struct PickContext<'a> {
    pub arena: &'a mut Arena,
    pub hist: &'a Histories,
    pub stack: &'a Stack,
    pub ply: usize,
    /// Squares the opponent attacks.
    pub threats: Bitboard,
}

/// Hands out the moves of one node, pseudo-legal.
pub(crate) struct Picker {
    stage: Stage,
    tt_move: Move,
    /// First place in the arena; also where bad captures gather.
    start: usize,
    bad_end: usize,
    cur: usize,
    end: usize,
    threshold: i32,
    in_check: bool,
    skip_quiets: bool,
    /// Quiescence: quiet checks are wanted too.
    checks: bool,
}

/// A quiet check that does not lose the piece is tried early.
const CHECK_BONUS: i32 = 16_384;
/// Weight of the victim's value against capture history.
const VICTIM_WEIGHT: i32 = 16;

impl Picker {
    fn with(stage: Stage, tt_move: Move, arena: &Arena, threshold: i32) -> Picker {
        let start = arena.top;
        Picker {
            stage,
            tt_move,
            start,
            bad_end: start,
            cur: start,
            end: start,
            threshold,
            in_check: false,
            skip_quiets: false,
            checks: false,
        }
    }

    /// All moves of a node. `tt_move` must be pseudo-legal or `NONE`.
    pub(crate) fn new(tt_move: Move, in_check: bool, arena: &Arena) -> Picker {
        let stage = match (tt_move.is_none(), in_check) {
            (false, _) => Stage::TableMove,
            (true, true) => Stage::GenerateEvasions,
            (true, false) => Stage::GenerateCaptures,
        };
        Picker { in_check, ..Picker::with(stage, tt_move, arena, 0) }
    }

    /// All moves of a node by square, without any opinion: to show what the order is worth.
    pub(crate) fn unordered(in_check: bool, arena: &Arena) -> Picker {
        Picker { in_check, ..Picker::with(Stage::UnorderedGenerate, Move::NONE, arena, 0) }
    }

    /// Captures and promotions.
    pub(crate) fn quiescence(tt_move: Move, arena: &Arena) -> Picker {
        let stage = if tt_move.is_none() { Stage::QsGenerateCaptures } else { Stage::QsTableMove };
        Picker::with(stage, tt_move, arena, 0)
    }

    /// Captures whose exchange wins at least `threshold`.
    pub(crate) fn probcut(tt_move: Move, threshold: i32, arena: &Arena) -> Picker {
        let stage = if tt_move.is_none() { Stage::ProbCutGenerate } else { Stage::ProbCutTableMove };
        Picker::with(stage, tt_move, arena, threshold)
    }

    /// No more quiet moves are wanted.
    #[inline]
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Quiescence: quiet checks that lose nothing come after the captures.
    #[inline]
    pub(crate) fn with_checks(&mut self) {
        self.checks = true;
    }

    /// Gives the room back. Call when the node is done with its picker.
    #[inline]
    pub(crate) fn release(&self, arena: &mut Arena) {
        arena.top = self.start;
    }

    /// The next move, or `NONE`.
    pub(crate) fn next<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) -> Move {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = if self.in_check { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    return self.tt_move;
                }
                Stage::QsTableMove => {
                    self.stage = Stage::QsGenerateCaptures;
                    return self.tt_move;
                }
                Stage::ProbCutTableMove => {
                    self.stage = Stage::ProbCutGenerate;
                    return self.tt_move;
                }
                Stage::GenerateCaptures | Stage::QsGenerateCaptures | Stage::ProbCutGenerate => {
                    ctx.arena.list.clear();
                    pos.generate_captures(&mut ctx.arena.list);
                    self.take(ctx, |ctx, mv| score_capture::<R>(ctx.hist, mv));
                    self.stage = match self.stage {
                        Stage::GenerateCaptures => Stage::GoodCaptures,
                        Stage::QsGenerateCaptures => Stage::QsCaptures,
                        _ => Stage::ProbCut,
                    };
                }
                Stage::GoodCaptures => {
                    while let Some(m) = self.best(ctx.arena) {
                        if pos.see_ge(m.mv, -m.score / 40) {
                            return m.mv;
                        }
                        ctx.arena.moves[self.bad_end] = m;
                        self.bad_end += 1;
                    }
                    self.stage = Stage::GenerateQuiets;
                }
                Stage::GenerateQuiets => {
                    self.stage = Stage::Quiets;
                    if !self.skip_quiets {
                        ctx.arena.list.clear();
                        pos.generate_quiets(&mut ctx.arena.list);
                        self.take_quiets(pos, ctx);
                    }
                }
                Stage::Quiets => {
                    if !self.skip_quiets
                        && let Some(m) = self.best(ctx.arena)
                    {
                        return m.mv;
                    }
                    // Bad captures were left at the front, in order.
                    self.cur = self.start;
                    self.end = self.bad_end;
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.cur < self.end {
                        self.cur += 1;
                        return ctx.arena.moves[self.cur - 1].mv;
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateEvasions => {
                    ctx.arena.list.clear();
                    pos.generate_evasions(&mut ctx.arena.list);
                    self.take_evasions(pos, ctx);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions | Stage::QsCaptures => {
                    if let Some(m) = self.best(ctx.arena) {
                        return m.mv;
                    }
                    self.stage = if self.checks { Stage::QsGenerateChecks } else { Stage::Done };
                }
                Stage::QsGenerateChecks => {
                    ctx.arena.list.clear();
                    pos.generate_quiets(&mut ctx.arena.list);
                    self.take_checks(pos, ctx);
                    self.stage = Stage::QsChecks;
                }
                Stage::QsChecks => {
                    while let Some(m) = self.best(ctx.arena) {
                        if pos.see_ge(m.mv, 0) {
                            return m.mv;
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::ProbCut => {
                    while let Some(m) = self.best(ctx.arena) {
                        if pos.see_ge(m.mv, self.threshold) {
                            return m.mv;
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::UnorderedGenerate => {
                    ctx.arena.list.clear();
                    if self.in_check {
                        pos.generate_evasions(&mut ctx.arena.list);
                    } else {
                        pos.generate_captures(&mut ctx.arena.list);
                        pos.generate_quiets(&mut ctx.arena.list);
                    }
                    self.take(ctx, |_, mv| -i32::from(mv.to_u16() & 0xFFF));
                    self.stage = Stage::Unordered;
                }
                Stage::Unordered => {
                    while let Some(m) = self.best(ctx.arena) {
                        if !(self.skip_quiets && m.mv.is_quiet()) {
                            return m.mv;
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return Move::NONE,
            }
        }
    }

    /// Moves the generated list into the arena behind what is there, scored, without the table move.
    #[inline]
    fn take(&mut self, ctx: &mut PickContext<'_>, score: impl Fn(&PickContext<'_>, Move) -> i32) {
        self.cur = self.end;
        for i in 0..ctx.arena.list.len() {
            let mv = ctx.arena.list[i];
            if mv != self.tt_move {
                let score = score(ctx, mv);
                ctx.arena.moves[self.end] = ScoredMove { mv, score };
                self.end += 1;
            }
        }
        ctx.arena.top = self.end;
    }

    /// Of the quiet moves those that give check by themselves (not by discovery).
    fn take_checks<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) {
        let side = pos.side_to_move();
        let checks = check_squares(pos);
        let c1 = ctx.hist.continuation_row(ctx.stack.back(ctx.ply, 1).piece_to);
        self.cur = self.end;
        for i in 0..ctx.arena.list.len() {
            let mv = ctx.arena.list[i];
            if mv != self.tt_move && checks[mv.piece().kind().index()].has(mv.to()) {
                let score = ctx.hist.quiet(side, ctx.threats, mv) + i32::from(c1[piece_to(mv) as usize]);
                ctx.arena.moves[self.end] = ScoredMove { mv, score };
                self.end += 1;
            }
        }
        ctx.arena.top = self.end;
    }

    fn take_quiets<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) {
        let side = pos.side_to_move();
        let (hist, stack, ply, threats) = (ctx.hist, ctx.stack, ctx.ply, ctx.threats);
        let pawn = hist.pawn_row(pos.pawn_key());
        let row = |n| hist.continuation_row(stack.back(ply, n).piece_to);
        let (c1, c2, c4) = (row(1), row(2), row(4));
        let checks = check_squares(pos);
        self.take(ctx, |_, mv| {
            let pt = piece_to(mv) as usize;
            let check = checks[mv.piece().kind().index()].has(mv.to()) && pos.see_ge(mv, -75);
            CHECK_BONUS * i32::from(check)
                + 2 * hist.quiet(side, threats, mv)
                + 2 * i32::from(pawn[pt])
                + 2 * i32::from(c1[pt])
                + i32::from(c2[pt])
                + i32::from(c4[pt])
        });
    }

    fn take_evasions<R: Rules>(&mut self, pos: &Position<R>, ctx: &mut PickContext<'_>) {
        let side = pos.side_to_move();
        let (hist, threats) = (ctx.hist, ctx.threats);
        let c1 = hist.continuation_row(ctx.stack.back(ctx.ply, 1).piece_to);
        self.take(ctx, |_, mv| {
            if mv.is_quiet() {
                hist.quiet(side, threats, mv) + i32::from(c1[piece_to(mv) as usize])
            } else {
                // Taking the checker comes first.
                (1 << 20) + score_capture::<R>(hist, mv)
            }
        });
    }

    /// Takes the best of what is left in the current stage.
    #[inline]
    fn best(&mut self, arena: &mut Arena) -> Option<ScoredMove> {
        let rest = &mut arena.moves[self.cur..self.end];
        let (first, others) = rest.split_first_mut()?;
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
        }
        self.cur += 1;
        Some(top)
    }
}

/// By kind of piece, the squares from which it attacks the enemy king: a move of the enemy's piece backwards.
#[inline]
fn check_squares<R: Rules>(pos: &Position<R>) -> [Bitboard; 6] {
    let enemy = !pos.side_to_move();
    Kind::ALL.map(|kind| R::attacks(kind, enemy, pos.king(enemy), pos.occupied()))
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
    VICTIM_WEIGHT * value + hist.capture(mv) / 2
}

//! One search thread: its data, how a search begins and ends, when to stop, and making moves.

use crate::correction::Corrections;
use crate::draw::Cuckoo;
use crate::history::{Histories, NO_MOVE, piece_to};
use crate::limits::{Info, Limits, SearchResult};
use crate::node::{Node, Root, Traced};
use crate::picker::{PickContext, Picker, Turn};
use crate::prove::Proofs;
use crate::root::{RootMove, root_moves, usable_score};
use crate::score::{self, MAX_PLY, NONE, Score, clamp_eval, to_table};
use crate::shared::Shared;
use crate::stack::{PvTable, Stack};
use crate::tablebases::RankedMove;
use crate::time::{Clock, TimePlan};
use crate::trace::Recorder;
use crate::tt::{Bound, Entry};
use core::sync::atomic::Ordering::Relaxed;
use rukh_core::{Bitboard, Kind, Move, MoveList, Position, Rules};
use rukh_eval::Evaluator;
use std::sync::Arc;

/// How the position was reached: what repetition needs to know.
#[derive(Clone, Copy, Debug)]
pub struct RootPosition<'a, R: Rules> {
    /// The position to search.
    pub position: &'a Position<R>,
    /// Repetition keys since the last irreversible move, oldest first. The last may be the position's own.
    pub keys: &'a [u64],
}

/// One thread's search. All memory is made in [`Searcher::new`]; a search allocates nothing.
pub struct Searcher<R: Rules, E: Evaluator<R>> {
    pub(crate) id: usize,
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) eval: E,
    pub(crate) hist: Histories,
    pub(crate) corrections: Corrections,
    pub(crate) stack: Stack,
    pub(crate) pv: PvTable,
    /// Where the generator writes before moves are scored.
    pub(crate) generated: MoveList,
    pub(crate) cuckoo: Arc<Cuckoo>,
    /// Repetition keys of the game and the current line.
    pub(crate) keys: Vec<u64>,
    pub(crate) root_moves: Vec<RootMove>,
    /// Which of the lines asked for is searched.
    pub(crate) pv_index: usize,
    pub(crate) nodes: u64,
    pub(crate) tbhits: u64,
    pub(crate) seldepth: usize,
    pub(crate) root_depth: i32,
    /// Where iterations begin.
    pub(crate) first_depth: i32,
    pub(crate) completed_depth: i32,
    /// Null moves are off above this ply while a null move is verified.
    pub(crate) nmp_min_ply: usize,
    pub(crate) stopped: bool,
    next_check: u64,
    check_every: u64,
    node_limit: u64,
    pub(crate) clock: Clock,
    pub(crate) plan: TimePlan,
    overhead_ms: u64,
    nodes_per_ms: Option<u32>,
    stall_ms: u64,
    pub(crate) depth_limit: i32,
    pub(crate) multipv: usize,
    /// Score of the last search, for the score trend.
    pub(crate) last_score: Option<i32>,
    pub(crate) ranked: Vec<RankedMove>,
    /// The mate asked for has been neither proven nor refuted.
    pub(crate) unproven: bool,
    /// Memory of proofs, made by the first search for a mate.
    pub(crate) proofs: Option<Box<Proofs>>,
    /// Told of every node of a search that is traced.
    pub(crate) recorder: Recorder,
}

/// Repetition can look back no further than this many game plies.
const GAME_KEYS: usize = 1024;

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// A searcher with its own evaluator; `id` 0 is the main thread.
    pub fn new(id: usize, shared: Arc<Shared<R>>, eval: E) -> Self {
        Searcher {
            id,
            shared,
            eval,
            hist: Histories::new(),
            corrections: Corrections::new(),
            stack: Stack::new(),
            pv: PvTable::new(),
            generated: MoveList::new(),
            cuckoo: Cuckoo::shared::<R>(),
            keys: Vec::with_capacity(GAME_KEYS + MAX_PLY + 8),
            root_moves: Vec::with_capacity(256),
            pv_index: 0,
            nodes: 0,
            tbhits: 0,
            seldepth: 0,
            root_depth: 0,
            first_depth: 1,
            completed_depth: 0,
            nmp_min_ply: 0,
            stopped: false,
            next_check: 0,
            check_every: 1024,
            node_limit: u64::MAX,
            clock: Clock::start(),
            plan: TimePlan::NONE,
            overhead_ms: 10,
            nodes_per_ms: None,
            stall_ms: 0,
            depth_limit: MAX_PLY as i32 - 1,
            multipv: 1,
            last_score: None,
            ranked: Vec::with_capacity(256),
            unproven: false,
            proofs: None,
            recorder: Recorder::default(),
        }
    }

    /// Forgets what earlier games taught. (The table is shared and cleared by its owner.)
    pub fn new_game(&mut self) {
        self.hist.clear();
        self.corrections.clear();
        self.last_score = None;
    }

    /// The shared part.
    pub fn shared(&self) -> &Arc<Shared<R>> {
        &self.shared
    }

    /// The evaluator.
    pub fn evaluator_mut(&mut self) -> &mut E {
        &mut self.eval
    }

    pub(crate) fn set_shared(&mut self, shared: Arc<Shared<R>>) {
        self.shared = shared;
    }

    /// What a move loses on the clock, and what it may lose once in a while.
    pub(crate) fn set_overhead(&mut self, ms: u64, stall_ms: u64) {
        (self.overhead_ms, self.stall_ms) = (ms, stall_ms);
    }

    /// Copies everything a search needs, before it starts; `moves` are the root moves to search.
    pub(crate) fn prepare(&mut self, root: RootPosition<'_, R>, limits: &Limits, moves: &[Move], clock: Clock) {
        let same_root = self.keys.last() == Some(&root.position.repetition_key());
        if limits.resume && same_root && !self.root_moves.is_empty() {
            return self.take_up(root.position);
        }
        self.clock = clock;
        self.nodes_per_ms = limits.nodes_per_ms;
        let overhead = if self.nodes_per_ms.is_some() { 0 } else { self.overhead_ms };
        self.plan = TimePlan::new(limits, root.position.side_to_move(), root.position.ply(), overhead, self.stall_ms);
        self.node_limit = limits.nodes.unwrap_or(u64::MAX);
        self.depth_limit = limits.depth.map_or(MAX_PLY as i32 - 1, |d| (d as i32).clamp(1, MAX_PLY as i32 - 1));
        // A short clock is looked at more often: a thousand nodes may be a millisecond.
        self.check_every = if self.plan.hard().is_some_and(|ms| ms < 50) { 128 } else { 512 };
        self.nodes = 0;
        self.tbhits = 0;
        self.next_check = self.check_every.min(self.node_limit);
        self.stopped = false;
        self.completed_depth = 0;
        self.root_depth = 0;
        self.first_depth = 1;
        self.unproven = limits.mate.is_some();
        if let Some(proofs) = self.proofs.as_mut().filter(|_| self.unproven) {
            proofs.clear();
        }
        self.nmp_min_ply = 0;
        self.pv_index = 0;

        self.stack.clear();
        self.keys.clear();
        let own = root.position.repetition_key();
        let earlier = match root.keys.split_last() {
            Some((&last, rest)) if last == own => rest,
            _ => root.keys,
        };
        self.keys.extend_from_slice(&earlier[earlier.len().saturating_sub(GAME_KEYS)..]);
        self.stack.at_mut(0).reversible = self.keys.len() as u32;
        self.keys.push(own);

        self.root_moves.clear();
        self.root_moves.extend(moves.iter().take(256).map(|&mv| RootMove::new(mv)));
        self.multipv = limits.multipv.clamp(1, self.root_moves.len().max(1));
        self.eval.reset(root.position);
    }

    /// Makes ready to go on where the last search was stopped: with the iteration that it did not finish.
    fn take_up(&mut self, pos: &Position<R>) {
        self.stopped = false;
        self.first_depth = self.completed_depth + 1;
        self.next_check = (self.nodes + self.check_every).min(self.node_limit);
        self.nmp_min_ply = 0;
        self.pv_index = 0;
        let reversible = self.stack.at(0).reversible;
        self.stack.clear();
        self.stack.at_mut(0).reversible = reversible;
        self.eval.reset(pos);
    }

    /// Searches alone, in this thread, until a limit is reached or the shared control says stop. `on_info` is called after
    /// each iteration.
    pub fn search(
        &mut self,
        root: RootPosition<'_, R>,
        limits: &Limits,
        on_info: &mut dyn FnMut(&Info<'_>),
    ) -> SearchResult {
        self.search_from::<Root>(root, limits, on_info)
    }

    /// The same search, recorded: slower, and with the parts switched off that the recorder names.
    pub fn search_traced(
        &mut self,
        root: RootPosition<'_, R>,
        limits: &Limits,
        recorder: Recorder,
        on_info: &mut dyn FnMut(&Info<'_>),
    ) -> (SearchResult, Recorder) {
        self.recorder = recorder;
        let result = self.search_from::<Traced<Root>>(root, limits, on_info);
        (result, core::mem::take(&mut self.recorder))
    }

    /// The legal moves of a position in the order in which the search would try them, with stage and score: by the table and the
    /// histories as the searches before have left them.
    pub fn order(&mut self, pos: &Position<R>) -> Vec<(Move, Turn, Option<i32>)> {
        let tt_move =
            self.shared.tt.probe(pos.key()).and_then(|e| if e.mv == 0 { None } else { pos.move_from_u16(e.mv) });
        let threats = pos.attacked_by(!pos.side_to_move());
        let mut picker = Picker::new(tt_move.unwrap_or(Move::NONE), pos.in_check());
        let mut order = Vec::new();
        while let Some(told) = picker.next_told(pos, &mut self.pick_context(0, threats)) {
            if pos.leaves_king_safe(told.0) {
                order.push(told);
            }
        }
        order
    }

    fn search_from<N: Node>(
        &mut self,
        root: RootPosition<'_, R>,
        limits: &Limits,
        on_info: &mut dyn FnMut(&Info<'_>),
    ) -> SearchResult {
        self.shared.reset_counters();
        self.shared.control.arm(limits.ponder);
        self.shared.tt.new_search();
        let moves = root_moves(root.position, limits);
        self.prepare(root, limits, &moves, self.shared.control.clock());
        self.rank_root(root.position);
        self.iterate::<N>(root.position, limits, on_info);
        self.publish();
        self.result()
    }

    pub(crate) fn result(&self) -> SearchResult {
        let best = self.root_moves.first();
        let score = best.map_or(score::DRAW, |m| m.table_score.unwrap_or_else(|| usable_score(m)));
        SearchResult {
            best: best.map(|m| m.mv),
            ponder: best.and_then(|m| m.pv().get(1).copied()),
            score: Score(score),
            depth: self.completed_depth as u32,
            nodes: self.shared.nodes(),
        }
    }

    /// Makes this thread's counters visible to the others.
    pub(crate) fn publish(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.nodes, Relaxed);
        counter.tbhits.store(self.tbhits, Relaxed);
    }

    /// Called at every node: looks at the world only now and then.
    #[inline(always)]
    pub(crate) fn should_stop(&mut self) -> bool {
        if self.nodes >= self.next_check {
            self.look_around();
        }
        self.stopped
    }

    /// What this search has taken from its clock.
    pub(crate) fn spent_ms(&self) -> u64 {
        self.nodes_per_ms.map_or_else(|| self.clock.elapsed_ms(), |rate| self.nodes / u64::from(rate.max(1)))
    }

    #[cold]
    fn look_around(&mut self) {
        self.publish();
        self.next_check = self.nodes + self.check_every;
        if self.shared.control.is_stopped() {
            self.stopped = true;
            return;
        }
        if self.node_limit != u64::MAX {
            let others = self.shared.nodes() - self.nodes;
            if self.nodes + others >= self.node_limit {
                self.stopped = true;
            } else {
                self.next_check = self.next_check.min(self.node_limit - others);
            }
        }
        // The first iteration always completes, so that there is a move to play. The main thread keeps the time.
        if self.id == 0
            && self.completed_depth > 0
            && self.plan.hard().is_some_and(|hard| self.spent_ms() >= hard)
            && !self.shared.control.is_pondering()
        {
            self.stopped = true;
        }
        if self.stopped {
            self.shared.control.raise_stop();
        }
    }

    /// Tells keys, stack, evaluator and counters that `mv` leads from `pos` to `next`. (The caller makes the position: one that is
    /// returned would be copied, which in WebAssembly is the call of a function.)
    #[inline]
    pub(crate) fn play(&mut self, pos: &Position<R>, next: &Position<R>, mv: Move, ply: usize) {
        self.eval.push(pos, mv);
        self.note_move(next, mv, ply);
    }

    /// The same for everything but the evaluator.
    #[cfg_attr(target_family = "wasm", inline(always))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    pub(crate) fn note_move(&mut self, next: &Position<R>, mv: Move, ply: usize) {
        self.shared.tt.prefetch(next.key());
        let irreversible = mv.is_capture() || mv.piece().kind() == rukh_core::Kind::Pawn;
        let frame = self.stack.at_mut(ply);
        frame.mv = mv;
        frame.piece_to = piece_to(mv);
        let reversible = if irreversible { 0 } else { frame.reversible + 1 };
        self.stack.at_mut(ply + 1).reversible = reversible;
        self.keys.push(next.repetition_key());
        self.nodes += 1;
    }

    #[inline]
    pub(crate) fn play_null(&mut self, pos: &Position<R>, ply: usize) -> Position<R> {
        let next = pos.after_null_unchecked();
        self.shared.tt.prefetch(next.key());
        self.eval.push_null();
        let frame = self.stack.at_mut(ply);
        frame.mv = Move::NONE;
        frame.piece_to = NO_MOVE;
        self.stack.at_mut(ply + 1).reversible = 0;
        self.keys.push(next.repetition_key());
        self.nodes += 1;
        next
    }

    #[inline]
    pub(crate) fn unplay(&mut self) {
        self.keys.pop();
        self.eval.pop();
    }

    /// The evaluator's word.
    #[inline]
    pub(crate) fn evaluate(&mut self, pos: &Position<R>) -> i32 {
        clamp_eval(self.eval.evaluate(pos))
    }

    /// The side to move has more than king and pawns: quiet moves may be pruned, zugzwang is unlikely.
    #[inline]
    pub(crate) fn has_pieces(pos: &Position<R>) -> bool {
        let us = pos.side_to_move();
        (pos.colors(us) - (pos.pieces(Kind::Pawn) | pos.pieces(Kind::King))).any()
    }

    /// Whether passing is a safe lower bound: not where zugzwang decides, that is with king and pawns only, or against a
    /// bare king.
    #[inline]
    pub(crate) fn may_pass(pos: &Position<R>) -> bool {
        Self::has_pieces(pos) && pos.colors(!pos.side_to_move()).more_than_one()
    }

    /// Puts a node's result into the transposition table; `NONE` for what is not known.
    #[inline]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn store(
        &self,
        key: u64,
        ply: usize,
        mv: Move,
        value: i32,
        eval: i32,
        depth: i32,
        bound: Bound,
        pv: bool,
    ) {
        let value = if value == NONE { NONE } else { to_table(value, ply) };
        self.shared.tt.store(key, Entry { mv: mv.to_u16(), value, eval, depth, bound, pv });
    }

    /// What a picker reads at `ply`.
    #[inline]
    pub(crate) fn pick_context(&mut self, ply: usize, threats: Bitboard) -> PickContext<'_> {
        PickContext { generated: &mut self.generated, hist: &self.hist, stack: &self.stack, ply, threats }
    }
}

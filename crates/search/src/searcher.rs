//! One search thread: its data, iterative deepening with aspiration windows, and when to stop.

use crate::history::{Histories, NO_MOVE, piece_to};
use crate::limits::{Info, Limits, ScoreBound, SearchResult};
use crate::node::Root;
use crate::params::*;
use crate::picker::Arena;
use crate::prove::Proofs;
use crate::repetition::Cuckoo;
use crate::score::{self, INFINITE, MAX_PLY, Score};
use crate::shared::Shared;
use crate::stack::{PvTable, Stack};
use crate::tables::{RankedMove, TableResult};
use crate::time::{Clock, Progress, TimePlan};
use crate::trace::{Silent, Trace};
use core::sync::atomic::Ordering::Relaxed;
use rukh_core::{Move, Position, Rules};
use rukh_eval::Evaluator;
use std::sync::Arc;

/// What an earlier search found at the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its depth.
    pub depth: i32,
    /// Its score.
    pub score: i32,
    /// Its best line; not empty.
    pub line: Vec<Move>,
}

/// A move at the root with what is known of it.
#[derive(Clone)]
pub(crate) struct RootMove {
    pub mv: Move,
    /// Score of this iteration; `-INFINITE` for moves that only proved to be worse.
    pub score: i32,
    /// Score of the iteration before.
    pub previous: i32,
    /// Running mean of the scores, the centre of the aspiration window.
    pub average: i32,
    pub bound: ScoreBound,
    pub seldepth: u32,
    /// Nodes spent below the move in this search.
    pub nodes: u64,
    /// Score known from end-game tables.
    pub table_score: Option<i32>,
    pv: [Move; MAX_PLY],
    pv_len: usize,
}

impl RootMove {
    fn new(mv: Move) -> RootMove {
        let mut pv = [Move::NONE; MAX_PLY];
        pv[0] = mv;
        RootMove {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            average: -INFINITE,
            bound: ScoreBound::Exact,
            seldepth: 0,
            nodes: 0,
            table_score: None,
            pv,
            pv_len: 1,
        }
    }

    pub(crate) fn set_pv(&mut self, rest: &[Move]) {
        let n = rest.len().min(MAX_PLY - 1);
        self.pv[1..=n].copy_from_slice(&rest[..n]);
        self.pv_len = n + 1;
    }

    pub(crate) fn pv(&self) -> &[Move] {
        &self.pv[..self.pv_len]
    }
}

/// How the position was reached: what repetition needs to know.
#[derive(Clone, Copy, Debug)]
pub struct RootPosition<'a, R: Rules> {
    /// The position to search.
    pub position: &'a Position<R>,
    /// Repetition keys since the last irreversible move, oldest first. The last may be the position's own.
    pub keys: &'a [u64],
}

/// One thread's search. All memory is made in [`Searcher::new`]; a search allocates nothing.
pub struct Searcher<R: Rules, E: Evaluator<R>, T = Silent> {
    pub(crate) trace: T,
    pub(crate) id: usize,
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) eval: E,
    pub(crate) hist: Histories,
    pub(crate) stack: Stack,
    pub(crate) pv: PvTable,
    pub(crate) arena: Arena,
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
    first_depth: i32,
    pub(crate) root_delta: i32,
    pub(crate) completed_depth: i32,
    /// Null moves are off above this ply while a null move is verified.
    pub(crate) nmp_min_ply: usize,
    pub(crate) stopped: bool,
    next_check: u64,
    check_every: u64,
    node_limit: u64,
    clock: Clock,
    plan: TimePlan,
    overhead_ms: u64,
    depth_limit: i32,
    multipv: usize,
    /// Score of the last search, for the score trend.
    last_score: Option<i32>,
    ranked: Vec<RankedMove>,
    /// The mate asked for has been neither proven nor refuted.
    unproven: bool,
    /// Memory of proofs, made by the first search for a mate.
    pub(crate) proofs: Option<Box<Proofs>>,
}

/// Repetition can look back no further than this many game plies.
const GAME_KEYS: usize = 1024;

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// A searcher with its own evaluator; `id` 0 is the main thread.
    pub fn new(id: usize, shared: Arc<Shared<R>>, eval: E) -> Self {
        Searcher::watched(id, shared, eval, Silent)
    }
}

impl<R: Rules, E: Evaluator<R>, T: Trace> Searcher<R, E, T> {
    /// A searcher that someone watches.
    pub fn watched(id: usize, shared: Arc<Shared<R>>, eval: E, trace: T) -> Self {
        Searcher {
            trace,
            id,
            shared,
            eval,
            hist: Histories::new(),
            stack: Stack::new(),
            pv: PvTable::new(),
            arena: Arena::new(),
            cuckoo: Cuckoo::shared::<R>(),
            keys: Vec::with_capacity(GAME_KEYS + MAX_PLY + 8),
            root_moves: Vec::with_capacity(256),
            pv_index: 0,
            nodes: 0,
            tbhits: 0,
            seldepth: 0,
            root_depth: 0,
            first_depth: 1,
            root_delta: 1,
            completed_depth: 0,
            nmp_min_ply: 0,
            stopped: false,
            next_check: 0,
            check_every: 1024,
            node_limit: u64::MAX,
            clock: Clock::start(),
            plan: TimePlan::NONE,
            overhead_ms: 10,
            depth_limit: MAX_PLY as i32 - 1,
            multipv: 1,
            last_score: None,
            ranked: Vec::with_capacity(256),
            unproven: false,
            proofs: None,
        }
    }

    /// Forgets what earlier games taught. (The table is shared and cleared by its owner.)
    pub fn new_game(&mut self) {
        self.hist.clear();
        self.last_score = None;
    }

    /// The shared part.
    pub fn shared(&self) -> &Arc<Shared<R>> {
        &self.shared
    }

    /// Who watches.
    pub fn trace(&self) -> &T {
        &self.trace
    }

    /// The evaluator.
    pub fn evaluator_mut(&mut self) -> &mut E {
        &mut self.eval
    }

    pub(crate) fn set_shared(&mut self, shared: Arc<Shared<R>>) {
        self.shared = shared;
    }

    pub(crate) fn set_overhead(&mut self, ms: u64) {
        self.overhead_ms = ms;
    }

    /// Copies everything a search needs, before it starts; `moves` are the root moves to search.
    pub(crate) fn prepare(&mut self, root: RootPosition<'_, R>, limits: &Limits, moves: &[Move], clock: Clock) {
        let same_root = self.keys.last() == Some(&root.position.repetition_key());
        if limits.resume && same_root && !self.root_moves.is_empty() {
            return self.take_up(root.position);
        }
        self.clock = clock;
        self.plan = TimePlan::new(limits, root.position.side_to_move(), self.overhead_ms);
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
        self.arena.clear();
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
        self.arena.clear();
        self.eval.reset(pos);
    }

    /// Keeps the root moves that the tables rank best, with their scores. True when the tables spoke.
    pub(crate) fn rank_root(&mut self, pos: &Position<R>) -> bool {
        let Some(tables) = self.shared.tables.clone() else { return false };
        if pos.occupied().count() > tables.max_pieces() || self.root_moves.is_empty() {
            return false;
        }
        let moves: Vec<Move> = self.root_moves.iter().map(|m| m.mv).collect();
        self.ranked.clear();
        if !tables.rank_root(pos, &moves, &mut self.ranked) {
            return false;
        }
        self.tbhits += moves.len() as u64;
        let Some(best) = self.ranked.iter().map(|r| r.rank).max() else { return false };
        let ranked = &self.ranked;
        self.root_moves.retain_mut(|m| {
            let Some(r) = ranked.iter().find(|r| r.mv == m.mv && r.rank == best) else { return false };
            m.table_score = Some(table_score(r.result, 0));
            true
        });
        true
    }

    /// Takes up an analysis where an earlier one ended: its result counts as an iteration. False when it cannot be used.
    pub(crate) fn resume(&mut self, known: &Known) -> bool {
        let Some((&best, rest)) = known.line.split_first() else { return false };
        if self.multipv > 1 || known.depth < 1 {
            return false;
        }
        let Some(at) = self.root_moves.iter().position(|m| m.mv == best) else { return false };
        self.root_moves[..=at].rotate_right(1);
        let first = &mut self.root_moves[0];
        (first.score, first.average, first.seldepth) = (known.score, known.score, known.depth as u32);
        first.set_pv(rest);
        (self.root_depth, self.completed_depth) = (known.depth, known.depth);
        self.first_depth = known.depth + 1;
        true
    }

    /// Searches alone, in this thread, until a limit is reached or the shared control says stop. `on_info` is called after
    /// each iteration.
    pub fn search(
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
        self.iterate(root.position, limits, on_info);
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

    /// Iterative deepening.
    pub(crate) fn iterate(&mut self, pos: &Position<R>, limits: &Limits, on_info: &mut dyn FnMut(&Info<'_>)) {
        if self.root_moves.is_empty() {
            return;
        }
        let mut best = Move::NONE;
        let mut stable = 0;
        let mut recent = self.last_score;
        for depth in self.first_depth..=self.depth_limit {
            self.root_depth = depth;
            for m in &mut self.root_moves {
                m.previous = m.score;
            }
            for index in 0..self.multipv {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate(pos, depth, on_info);
                sort_by_score(&mut self.root_moves[index..]);
                sort_by_score(&mut self.root_moves[..=index]);
                if self.stopped {
                    break;
                }
            }
            if self.stopped {
                self.keep_last_complete();
                break;
            }
            self.completed_depth = depth;
            if self.id == 0 {
                for index in 0..self.multipv {
                    self.report(index, on_info);
                }
            }
            if let Some(moves) = limits.mate
                && self.mate_found(pos, moves, depth, on_info)
            {
                break;
            }
            let top = &self.root_moves[0];
            if limits.soft_nodes.is_some_and(|n| self.nodes >= n) {
                break;
            }
            stable = if top.mv == best { stable + 1 } else { 0 };
            best = top.mv;
            if self.id == 0 && !self.shared.control.is_pondering() {
                let now = top.score;
                let progress = Progress {
                    best_fraction: top.nodes as f64 / self.nodes.max(1) as f64,
                    stable,
                    falling: recent.map_or(0, |r| r - now).clamp(-200, 200),
                };
                let elapsed = self.clock.elapsed_ms();
                if self.plan.is_enough(elapsed, &progress) {
                    break;
                }
                // One legal move needs no thought, only a score and a move to ponder on.
                if self.root_moves.len() == 1 && self.plan.is_enough(elapsed.saturating_mul(20), &progress) {
                    break;
                }
            }
            // The trend compares with a mean that forgets slowly.
            recent = Some(recent.map_or(top.score, |r| (3 * r + top.score) / 4));
        }
        self.last_score = self.root_moves.first().map(usable_score).filter(|s| !score::is_decisive(*s));
    }

    /// Whether a mate in at most `moves` is on the board, by either side. Once there is a move to fall back on, it is looked
    /// for by proof; the ordinary search goes on where that finds none.
    fn mate_found(&mut self, pos: &Position<R>, moves: u32, depth: i32, on_info: &mut dyn FnMut(&Info<'_>)) -> bool {
        const PROVE_AFTER: i32 = 4;
        if depth < PROVE_AFTER || self.id != 0 {
            return false;
        }
        if self.unproven {
            // Stopped half-way, it goes on from what it knows when the search does.
            let proof = self.prove(pos, moves);
            self.unproven = self.stopped;
            if let Some(proof) = proof
                && let Some(at) = self.root_moves.iter().position(|m| m.mv == proof.mv)
            {
                let m = &mut self.root_moves[at];
                (m.score, m.bound, m.seldepth) = (proof.score, ScoreBound::Exact, proof.len as u32 + 1);
                m.set_pv(&proof.line[..proof.len]);
                self.root_moves[..=at].rotate_right(1);
                self.root_depth = self.root_depth.max(proof.len as i32 + 1);
                self.completed_depth = self.root_depth;
                self.report(0, on_info);
                return true;
            }
        }
        let length = 2 * moves as usize;
        let top = self.root_moves[0].score;
        top >= score::mate_in(length - 1) || top <= score::mated_in(length)
    }

    /// An iteration was cut short: where its first move was not finished, the last complete line counts.
    fn keep_last_complete(&mut self) {
        if self.root_moves.iter().all(|m| m.score == -INFINITE) {
            for m in &mut self.root_moves {
                m.score = m.previous;
            }
            sort_by_score(&mut self.root_moves);
        }
    }

    /// One line of one iteration, in a window around its mean score that opens where it fails.
    fn aspirate(&mut self, pos: &Position<R>, depth: i32, on_info: &mut dyn FnMut(&Info<'_>)) {
        let centre = self.root_moves[self.pv_index].average;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut delta = INFINITE;
        if depth >= 4 && centre != -INFINITE && !score::is_decisive(centre) {
            delta = aspiration_delta() + centre * centre / aspiration_score_div();
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let mut fail_highs = 0;
        loop {
            // After failing high a shallower search is enough to see whether it holds.
            let adjusted = (depth - fail_highs).max(1);
            self.root_delta = (beta - alpha).max(1);
            for m in &mut self.root_moves[self.pv_index..] {
                m.score = -INFINITE;
            }
            let value = self.search_node::<Root>(pos, 0, alpha, beta, adjusted, false);
            sort_by_score(&mut self.root_moves[self.pv_index..]);
            if self.stopped || (value > alpha && value < beta) {
                break;
            }
            let slow = self.id == 0 && self.multipv == 1 && self.clock.elapsed_ms() > 3000;
            if value <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                fail_highs = 0;
            } else {
                beta = (value + delta).min(INFINITE);
                fail_highs += 1;
            }
            if slow {
                self.report(self.pv_index, on_info);
            }
            delta += delta / 2;
            if delta > 800 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Long searches say which root move they are at.
    #[inline]
    pub(crate) fn tell_root_move(&self, mv: Move, number: usize) {
        const AFTER_MS: u64 = 3000;
        if self.id == 0 && self.clock.elapsed_ms() >= AFTER_MS {
            self.shared.control.tell_root_move(self.root_depth as u32, mv, self.pv_index + number);
        }
    }

    pub(crate) fn report(&self, index: usize, on_info: &mut dyn FnMut(&Info<'_>)) {
        self.publish();
        let m = &self.root_moves[index];
        let time_ms = self.clock.elapsed_ms();
        let nodes = self.shared.nodes();
        let value = match m.table_score {
            // A mate found beats "won by tables"; otherwise the tables know better than the search.
            Some(t) if !score::is_mate(usable_score(m)) => t,
            _ => usable_score(m),
        };
        on_info(&Info {
            depth: self.root_depth as u32,
            seldepth: m.seldepth,
            multipv: index + 1,
            score: Score(value),
            bound: m.bound,
            nodes,
            nps: nodes * 1000 / time_ms.max(1),
            hashfull: self.shared.tt.hashfull(),
            tbhits: self.shared.tbhits(),
            time_ms,
            pv: m.pv(),
        });
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
            && self.plan.hard().is_some_and(|hard| self.clock.elapsed_ms() >= hard)
            && !self.shared.control.is_pondering()
        {
            self.stopped = true;
        }
        if self.stopped {
            self.shared.control.raise_stop();
        }
    }

    /// Makes `mv`: the child position, with keys, stack, evaluator and counters told.
    #[inline]
    pub(crate) fn play(&mut self, pos: &Position<R>, mv: Move, ply: usize) -> Position<R> {
        self.eval.push(pos, mv);
        self.note_move(pos, mv, ply)
    }

    /// Makes `mv` for everything but the evaluator.
    #[inline]
    pub(crate) fn note_move(&mut self, pos: &Position<R>, mv: Move, ply: usize) -> Position<R> {
        let next = pos.after(mv);
        self.shared.tt.prefetch(next.key());
        let irreversible = mv.is_capture() || mv.piece().kind() == rukh_core::Kind::Pawn;
        let frame = self.stack.at_mut(ply);
        frame.mv = mv;
        frame.piece_to = piece_to(mv);
        let reversible = if irreversible { 0 } else { frame.reversible + 1 };
        self.stack.at_mut(ply + 1).reversible = reversible;
        self.keys.push(next.repetition_key());
        self.nodes += 1;
        next
    }

    #[inline]
    pub(crate) fn play_null(&mut self, pos: &Position<R>, ply: usize) -> Position<R> {
        let next = pos.after_null();
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
}

/// The score to show for a root move: of this iteration if it has one, else of the last.
pub(crate) fn usable_score(m: &RootMove) -> i32 {
    if m.score == -INFINITE { m.previous } else { m.score }
}

/// Best first, equal ones in their order. Lists are short and nearly sorted, and `sort_by` may allocate.
fn sort_by_score(moves: &mut [RootMove]) {
    for i in 1..moves.len() {
        let mut j = i;
        while j > 0 && moves[j - 1].score < moves[i].score {
            j -= 1;
        }
        moves[j..=i].rotate_right(1);
    }
}

/// The legal moves that `limits` allows at the root; all of them when it names none that is legal.
pub(crate) fn root_moves<R: Rules>(pos: &Position<R>, limits: &Limits) -> Vec<Move> {
    let legal = pos.legal_moves();
    let wanted: Vec<Move> = limits.searchmoves.iter().filter_map(|text| pos.parse_uci(text).ok()).collect();
    let mut moves: Vec<Move> = legal.iter().copied().filter(|m| wanted.contains(m)).collect();
    if moves.is_empty() {
        moves = legal.iter().copied().collect();
    }
    moves
}

/// A table's result as a score at `ply`.
pub(crate) fn table_score(result: TableResult, ply: usize) -> i32 {
    match result {
        TableResult::MateIn(n) => {
            let v = score::mate_in(ply + n as usize);
            if score::is_mate(v) { v } else { score::TB_WIN - ply as i32 }
        }
        TableResult::Win => score::TB_WIN - ply as i32,
        // One point off the draw, so that the engine still tries.
        TableResult::CursedWin => 1,
        TableResult::Draw => score::DRAW,
        TableResult::BlessedLoss => -1,
        TableResult::Loss => -score::TB_WIN + ply as i32,
        TableResult::MatedIn(n) => {
            let v = score::mated_in(ply + n as usize);
            if score::is_mate(v) { v } else { -score::TB_WIN + ply as i32 }
        }
    }
}

//! Recording a search ([`Searcher::search_traced`]): a [`Recorder`] keeps the tree of the last iteration and can switch parts
//! of the search off, so that their worth can be seen in nodes. Only traced nodes tell it anything; in all others the
//! functions at the end of this file compile to nothing.

use crate::node::Node;
use crate::searcher::Searcher;
use rukh_core::{Move, Rules};
use rukh_eval::Evaluator;

/// Why a node returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Why {
    /// All its moves were searched, or enough of them.
    #[default]
    Searched,
    /// A move reached beta.
    Cutoff,
    /// The transposition table knew the answer.
    Table,
    /// Even passing was good enough.
    NullMove,
    /// The evaluation was far above beta.
    ReverseFutility,
    /// The evaluation was hopeless, and no capture helped.
    Razoring,
    /// A capture beat beta by far in a shallow search, or the table says it would.
    ProbCut,
    /// In quiescence: doing nothing was good enough.
    StandPat,
    /// A shorter mate was already known.
    MateDistance,
    /// Drawn by rule.
    Draw,
    /// A draw by repetition could be forced, which was good enough.
    Repetition,
    /// Mate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// The bottom of the stack.
    DepthLimit,
    /// End-game tables knew the answer.
    EndgameTable,
    /// Several moves would beat beta.
    MultiCut,
    /// The search was stopped.
    Stopped,
}

/// Why a move was not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skip {
    /// It came too late in the order.
    LateMove,
    /// It had failed again and again.
    History,
    /// The evaluation was too low for it to matter.
    Futility,
    /// It lost material.
    Exchange,
}

/// What can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The order of the moves: they come by square instead.
    Ordering,
    /// Looking into the transposition table.
    Table,
    /// Null moves.
    NullMove,
    /// Reductions.
    Reductions,
    /// Pruning of nodes and moves.
    Pruning,
    /// Extensions.
    Extensions,
}

/// Which search a node belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// The main search.
    #[default]
    Main,
    /// Captures only.
    Quiescence,
    /// After a null move.
    NullMove,
    /// A capture tried by ProbCut.
    ProbCut,
    /// The same position again: without its best move, or to verify a null move.
    Verify,
    /// Searched less deep than its turn asks for.
    Reduced,
    /// The same move again, deeper or with a wider window.
    Again,
}

/// What is known when a node begins.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    /// Plies from the root.
    pub ply: usize,
    /// The move that leads here; `NONE` at the root and after a null move.
    pub mv: Move,
    /// Which of its parent's moves, from 1; 0 where it is none.
    pub order: usize,
    /// Plies to search.
    pub depth: i32,
    /// The window.
    pub alpha: i32,
    /// The window.
    pub beta: i32,
    /// An open window.
    pub pv: bool,
    /// In quiescence.
    pub quiescence: bool,
    /// Searched at a reduced depth.
    pub reduced: bool,
    /// Nodes so far.
    pub nodes: u64,
}

/// A node of the recorded tree.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What was known when it began.
    pub entered: Entered,
    /// Index of the node above; its own for the root.
    pub parent: usize,
    /// Which search it belongs to.
    pub stage: Stage,
    /// Another look at the position of the node above: no move lies between them.
    pub same_position: bool,
    /// Its value for the side to move.
    pub value: i32,
    /// Nodes of its subtree, itself included.
    pub nodes: u64,
    /// Why it returned.
    pub why: Why,
    /// Moves left out.
    pub skipped: Vec<(Skip, Move)>,
}

/// Moves left out that one node remembers.
const MAX_SKIPPED: usize = 64;

/// Keeps the tree of the last iteration, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    nodes: Vec<Recorded>,
    limit: usize,
    off: Vec<Part>,
    // Indices of the nodes on the way down; `None` for those beyond the limit.
    path: Vec<Option<usize>>,
    truncated: bool,
}

impl Recorder {
    /// A recorder of up to `limit` nodes, with parts of the search switched off.
    pub fn new(limit: usize, off: &[Part]) -> Recorder {
        Recorder { limit: limit.max(1), off: off.to_vec(), ..Recorder::default() }
    }

    /// The nodes in the order in which they began; parents come before children.
    pub fn nodes(&self) -> &[Recorded] {
        &self.nodes
    }

    /// Whether the tree was larger than the limit.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    fn innermost(&mut self) -> Option<&mut Recorded> {
        let at = (*self.path.last()?)?;
        self.nodes.get_mut(at)
    }

    fn stage(&self, node: &Entered, parent: usize) -> Stage {
        let Some(above) = self.nodes.get(parent) else { return Stage::Main };
        if node.quiescence {
            Stage::Quiescence
        } else if above.entered.ply == node.ply {
            Stage::Verify
        } else if node.mv.is_none() {
            Stage::NullMove
        } else if node.order == 0 {
            Stage::ProbCut
        } else if node.reduced {
            Stage::Reduced
        } else {
            // Children of one node stand close behind each other only at the leaves: look at the last sibling.
            let same = |n: &Recorded| n.parent == parent && n.entered.ply == node.ply;
            let last = self.nodes.iter().skip(parent + 1).rev().find(|n| same(n));
            if last.is_some_and(|n| n.entered.mv == node.mv) { Stage::Again } else { Stage::Main }
        }
    }

    fn enter(&mut self, entered: Entered) {
        let outermost = self.path.is_empty();
        let root = outermost && entered.ply == 0;
        if root {
            self.nodes.clear();
            self.truncated = false;
        }
        let parent = self.path.last().copied().flatten();
        // What has no place has none for those below it.
        if !root && parent.is_none() {
            return self.path.push(None);
        }
        if self.nodes.len() >= self.limit {
            self.truncated = true;
            return self.path.push(None);
        }
        let at = self.nodes.len();
        let parent = parent.unwrap_or(at);
        let stage = self.stage(&entered, parent);
        let same_position = self.nodes.get(parent).is_some_and(|above| above.entered.ply == entered.ply);
        let (value, nodes, why) = (0, 0, Why::default());
        self.nodes.push(Recorded { entered, parent, stage, same_position, value, nodes, why, skipped: Vec::new() });
        self.path.push(Some(at));
    }

    fn leave(&mut self, why: Why, value: i32, nodes: u64) {
        if let Some(node) = self.innermost() {
            (node.why, node.value) = (why, value);
            node.nodes = nodes - node.entered.nodes + 1;
            if node.why == Why::Searched && value >= node.entered.beta {
                node.why = Why::Cutoff;
            }
        }
        self.path.pop();
    }

    fn skip(&mut self, mv: Move, skip: Skip) {
        if let Some(node) = self.innermost()
            && node.skipped.len() < MAX_SKIPPED
        {
            node.skipped.push((skip, mv));
        }
    }
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// A node begins.
    #[inline(always)]
    pub(crate) fn enter<N: Node>(&mut self, ply: usize, alpha: i32, beta: i32, depth: i32) {
        if N::TRACED {
            let above = self.stack.back(ply, 1);
            let (mv, order, reduced) =
                if ply == 0 { (Move::NONE, 0, false) } else { (above.mv, above.move_count, above.reduction > 0) };
            let (pv, quiescence, nodes) = (N::PV, depth <= 0, self.nodes);
            self.recorder.enter(Entered { ply, mv, order, depth, alpha, beta, pv, quiescence, reduced, nodes });
        }
    }

    /// The innermost node returns `value`, and why.
    #[inline(always)]
    pub(crate) fn leave<N: Node>(&mut self, why: Why, value: i32) -> i32 {
        if N::TRACED {
            self.recorder.leave(why, value, self.nodes);
        }
        value
    }

    /// The innermost node leaves a move out.
    #[inline(always)]
    pub(crate) fn skip<N: Node>(&mut self, mv: Move, skip: Skip) {
        if N::TRACED {
            self.recorder.skip(mv, skip);
        }
    }

    /// Whether a part is switched off.
    #[inline(always)]
    pub(crate) fn is_off<N: Node>(&self, part: Part) -> bool {
        N::TRACED && self.recorder.off.contains(&part)
    }
}

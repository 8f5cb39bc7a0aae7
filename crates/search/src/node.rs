//! Node kinds as types, so that the compiler makes one search for each and no node asks at run time what it is.
//!
//! A **PV** node has an open window and its score is wanted exactly; a **non-PV** node has a null window and only the
//! question "at least beta?" is answered. Knuth's cut and all nodes are both non-PV; which of them is expected is passed as
//! a hint (`cut_node`), because it alternates along the line.

use crate::tt::Bound;
use rukh_core::{Color, Move};

/// What kind of node is searched.
pub(crate) trait Node {
    /// The window is open.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
}

/// The root: a PV node that owns the list of root moves.
pub(crate) struct Root;
/// A node on the principal variation.
pub(crate) struct Pv;
/// A node with a null window.
pub(crate) struct NonPv;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What is known of a node before its moves are tried.
pub(crate) struct Facts {
    pub key: u64,
    pub us: Color,
    pub in_check: bool,
    /// A fail-high is expected.
    pub cut_node: bool,
    /// The move left out, where this is a singular search.
    pub excluded: Move,
    /// The move that led here; `NONE` after a null move.
    pub prior_move: Move,
    pub tt_move: Move,
    /// `score::NONE` where the table knows nothing.
    pub tt_value: i32,
    pub tt_depth: i32,
    pub tt_bound: Bound,
    pub tt_capture: bool,
    /// On the principal variation, now or when it was stored.
    pub tt_pv: bool,
    /// The evaluator's word, what the histories make of it, and what the table makes of that.
    pub raw_eval: i32,
    pub static_eval: i32,
    pub eval: i32,
    /// How much the histories changed it.
    pub correction: i32,
    /// Better than on our last move.
    pub improving: bool,
    /// Worse for the opponent than on his last move.
    pub worsening: bool,
}

/// A move about to be searched.
pub(crate) struct Candidate {
    pub mv: Move,
    /// Its row in the continuation tables.
    pub piece_to: u16,
    pub quiet: bool,
    /// Which move of the node, from 1.
    pub count: usize,
    /// What the histories say of it.
    pub history: i32,
    /// The base reduction, 1/1024 ply.
    pub reduction: i32,
}

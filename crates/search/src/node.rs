//! Node kinds as types, so that the compiler makes one search for each and no node asks at run time what it is.
//!
//! A **PV** node has an open window and its score is wanted exactly; a **non-PV** node has a null window and only the
//! question "at least beta?" is answered. Knuth's cut and all nodes are both non-PV; which of them is expected is passed as
//! a hint (`cut_node`), because it alternates along the line. **Traced** nodes are the same with a recorder that is told.

use core::marker::PhantomData;

/// What kind of node is searched.
pub(crate) trait Node {
    /// The window is open.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
    /// A [`Recorder`](crate::trace::Recorder) is told; elsewhere tracing compiles to nothing.
    const TRACED: bool = false;
    /// Kind of a child with an open window.
    type Pv: Node;
    /// Kind of a child with a null window.
    type NonPv: Node;
}

/// The root: a PV node that owns the list of root moves.
pub(crate) struct Root;
/// A node on the principal variation.
pub(crate) struct Pv;
/// A node with a null window.
pub(crate) struct NonPv;
/// A node of a recorded search.
pub(crate) struct Traced<N>(PhantomData<N>);

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
    type Pv = Pv;
    type NonPv = NonPv;
}
impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
    type Pv = Pv;
    type NonPv = NonPv;
}
impl Node for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
    type Pv = Pv;
    type NonPv = NonPv;
}
impl<N: Node> Node for Traced<N> {
    const PV: bool = N::PV;
    const ROOT: bool = N::ROOT;
    const TRACED: bool = true;
    type Pv = Traced<Pv>;
    type NonPv = Traced<NonPv>;
}

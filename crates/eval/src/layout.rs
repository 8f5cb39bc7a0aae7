//! Names for the slices of a flat weight table.
//!
//! Every weight of a game lives in one array. A term is a named range of it, declared with [`terms!`]; the evaluation
//! indexes the array by `TERM + offset`, the tuner sees a plain vector, and the report groups the terms again.

/// The line of the printed table in which a term is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Line {
    Material,
    Placement,
    Mobility,
    Pawns,
    Passed,
    Knights,
    Bishops,
    Rooks,
    Queens,
    King,
    Threats,
    Space,
    Tempo,
    Complexity,
}

impl Line {
    /// All lines, in the order in which they are printed.
    pub const ALL: [Line; 14] = [
        Line::Material,
        Line::Placement,
        Line::Mobility,
        Line::Pawns,
        Line::Passed,
        Line::Knights,
        Line::Bishops,
        Line::Rooks,
        Line::Queens,
        Line::King,
        Line::Threats,
        Line::Space,
        Line::Tempo,
        Line::Complexity,
    ];

    /// The name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Line::Material => "Material",
            Line::Placement => "Placement",
            Line::Mobility => "Mobility",
            Line::Pawns => "Pawns",
            Line::Passed => "Passed",
            Line::Knights => "Knights",
            Line::Bishops => "Bishops",
            Line::Rooks => "Rooks",
            Line::Queens => "Queens",
            Line::King => "King",
            Line::Threats => "Threats",
            Line::Space => "Space",
            Line::Tempo => "Tempo",
            Line::Complexity => "Complexity",
        }
    }
}

/// How a weight enters the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Added, tapered between middle game and end game.
    Linear,
    /// Units of king danger (first half only); the danger enters as its square.
    Danger,
    /// Added to the size of the end-game half (second half only).
    Complexity,
}

/// A named range of the weight table.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The term's name, as the weights file spells it.
    pub name: &'static str,
    /// First index.
    pub start: usize,
    /// Number of weights.
    pub len: usize,
    /// Where the report shows it.
    pub line: Line,
    /// How it enters the value.
    pub role: Role,
}

/// Declares terms as consecutive ranges: `NAME[len] Line Role;`. Yields one index constant per term, `COUNT` and `GROUPS`.
macro_rules! terms {
    ($($(#[$doc:meta])* $name:ident[$len:expr] $line:ident $role:ident;)*) => {
        terms!(@index 0usize; $($(#[$doc])* $name[$len])*);
        /// All terms in order.
        pub const GROUPS: &[$crate::layout::Group] = &[$($crate::layout::Group {
            name: stringify!($name),
            start: $name,
            len: $len,
            line: $crate::layout::Line::$line,
            role: $crate::layout::Role::$role,
        }),*];
    };
    (@index $at:expr;) => {
        /// Number of weights.
        pub const COUNT: usize = $at;
    };
    (@index $at:expr; $(#[$doc:meta])* $name:ident[$len:expr] $($rest:tt)*) => {
        $(#[$doc])*
        pub const $name: usize = $at;
        terms!(@index $name + $len; $($rest)*);
    };
}
pub(crate) use terms;

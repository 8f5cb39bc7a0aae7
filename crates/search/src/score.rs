//! Scores: centipawn-like numbers from the side to move's view, with mates and table wins at the ends of the range.
//!
//! ```text
//!  0 … ±9 999          evaluation
//!  TB_WIN_IN_MAX …     won by tables, nearer is larger
//!  MATE_IN_MAX … MATE  mate, nearer is larger
//! ```
//! Inside the tree a score is a plain `i32` (it is added, halved and scaled all the time); [`Score`] is the same number
//! with a face for the world outside.

/// The deepest ply any search or quiescence node may have.
pub const MAX_PLY: usize = 246;

/// Mate on the board: the side to move's opponent has just been mated at ply 0.
pub const MATE: i32 = 32_000;
/// Larger than every score.
pub const INFINITE: i32 = 32_500;
/// "No score": fits the table's sixteen bits and lies outside every window.
pub const NONE: i32 = 32_501;
/// A draw.
pub const DRAW: i32 = 0;
/// The smallest score that is a proven mate.
pub const MATE_IN_MAX: i32 = MATE - MAX_PLY as i32;
/// A table win at ply 0.
pub const TB_WIN: i32 = MATE_IN_MAX - 1;
/// The smallest score that is a proven table win; everything nearer to zero is an opinion.
pub const TB_WIN_IN_MAX: i32 = TB_WIN - MAX_PLY as i32;

/// Mate delivered `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Being mated `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// A proven win (mate or tables).
#[inline]
pub const fn is_win(v: i32) -> bool {
    v >= TB_WIN_IN_MAX
}

/// A proven loss (mate or tables).
#[inline]
pub const fn is_loss(v: i32) -> bool {
    v <= -TB_WIN_IN_MAX
}

/// A proven win or loss.
#[inline]
pub const fn is_decisive(v: i32) -> bool {
    is_win(v) || is_loss(v)
}

/// A mate score for either side.
#[inline]
pub const fn is_mate(v: i32) -> bool {
    v >= MATE_IN_MAX || v <= -MATE_IN_MAX
}

/// Clamps an evaluation so that it can never be taken for a proven result.
#[inline]
pub const fn clamp_eval(v: i32) -> i32 {
    if v >= TB_WIN_IN_MAX {
        TB_WIN_IN_MAX - 1
    } else if v <= -TB_WIN_IN_MAX {
        -TB_WIN_IN_MAX + 1
    } else {
        v
    }
}

/// Distances to mate are counted from the root in the tree, from the node in the table: this goes in.
#[inline]
pub const fn to_table(v: i32, ply: usize) -> i32 {
    if is_win(v) {
        v + ply as i32
    } else if is_loss(v) {
        v - ply as i32
    } else {
        v
    }
}

/// …and this comes out. A win that the fifty-move rule would interrupt before it is reached is only an opinion, so it is
/// returned as the largest unproven score (`rule_plies_left` is how many reversible plies remain; pass a large number for
/// rules without such a limit).
#[inline(always)]
pub const fn from_table(v: i32, ply: usize, rule_plies_left: i32) -> i32 {
    if v == NONE {
        return NONE;
    }
    if is_win(v) {
        if v >= MATE_IN_MAX && MATE - v > rule_plies_left {
            return TB_WIN_IN_MAX - 1;
        }
        return v - ply as i32;
    }
    if is_loss(v) {
        if v <= -MATE_IN_MAX && MATE + v > rule_plies_left {
            return -TB_WIN_IN_MAX + 1;
        }
        return v + ply as i32;
    }
    v
}

/// A score from the side to move's view, as reported to callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub i32);

impl Score {
    /// A draw.
    pub const DRAW: Score = Score(DRAW);

    /// Mate delivered in `ply` plies.
    pub const fn mate_in(ply: usize) -> Score {
        Score(mate_in(ply))
    }

    /// Mated in `ply` plies.
    pub const fn mated_in(ply: usize) -> Score {
        Score(mated_in(ply))
    }

    /// Moves to mate as protocols count them: positive when mating, negative when being mated (0 is "mated now").
    ///
    /// ```
    /// use rukh_search::Score;
    /// assert_eq!(Score::mate_in(1).mate(), Some(1));
    /// assert_eq!(Score::mate_in(3).mate(), Some(2));
    /// assert_eq!(Score::mated_in(2).mate(), Some(-1));
    /// assert_eq!(Score(35).mate(), None);
    /// ```
    pub const fn mate(self) -> Option<i32> {
        if self.0 >= MATE_IN_MAX {
            Some((MATE - self.0 + 1) / 2)
        } else if self.0 <= -MATE_IN_MAX {
            Some(-(MATE + self.0) / 2)
        } else {
            None
        }
    }

    /// A proven win or loss, by mate or by tables.
    pub const fn is_decisive(self) -> bool {
        is_decisive(self.0)
    }

    /// The raw number (centipawn-like unless decisive).
    pub const fn value(self) -> i32 {
        self.0
    }
}

impl core::ops::Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl core::fmt::Display for Score {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.mate() {
            Some(n) => write!(f, "#{n}"),
            None => write!(f, "{}{}.{:02}", if self.0 < 0 { '-' } else { '+' }, self.0.abs() / 100, self.0.abs() % 100),
        }
    }
}

const _: () = assert!(NONE <= i16::MAX as i32 && TB_WIN_IN_MAX > 20_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_round_trip_keeps_mate_distance() {
        for ply in [0, 1, 7, 100] {
            for v in [mate_in(ply + 3), mated_in(ply + 4), 17, -900, TB_WIN - ply as i32] {
                assert_eq!(from_table(to_table(v, ply), ply, 100), v);
            }
        }
        assert_eq!(from_table(NONE, 5, 100), NONE);
    }

    #[test]
    fn a_mate_beyond_the_fifty_move_rule_is_not_proven() {
        assert!(!is_decisive(from_table(mate_in(30), 0, 20)));
        assert!(is_decisive(from_table(mate_in(20), 0, 20)));
    }
}

//! What is known of a position.

/// What a score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KnownBound {
    /// Nothing is known but that the position was seen.
    #[default]
    None,
    /// At most the score.
    Upper,
    /// At least the score.
    Lower,
    /// The score itself.
    Exact,
}

impl KnownBound {
    pub(super) const ALL: [KnownBound; 4] = [KnownBound::None, KnownBound::Upper, KnownBound::Lower, KnownBound::Exact];

    /// `none`, `upper`, `lower` or `exact`.
    pub fn name(self) -> &'static str {
        ["none", "upper", "lower", "exact"][self as usize]
    }

    /// The bound of a name.
    pub fn named(name: &str) -> Option<KnownBound> {
        KnownBound::ALL.into_iter().find(|b| b.name() == name)
    }
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Learned {
    /// Depth of the deepest search.
    pub depth: i16,
    /// Its score in the engine's units, for the side to move.
    pub score: i32,
    /// What the score means.
    pub bound: KnownBound,
    /// Its best move as `Move::to_u16`; 0 for none.
    pub best: u16,
    /// How often the position was recorded.
    pub visits: u32,
}

impl Learned {
    /// What both together know: a deeper result replaces a shallower one, visits add up.
    pub(super) fn merged(&self, new: &Learned) -> Learned {
        let visits = self.visits.saturating_add(new.visits.max(1));
        let better = match (self.bound, new.bound) {
            (_, KnownBound::None) => false,
            (KnownBound::None, _) => true,
            // At equal depth an exact score beats a bound, and newer beats older.
            _ => {
                new.depth > self.depth
                    || (new.depth == self.depth && (new.bound == KnownBound::Exact || self.bound != KnownBound::Exact))
            }
        };
        Learned { visits, ..if better { *new } else { *self } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(bound: KnownBound, depth: i16, score: i32, visits: u32) -> Learned {
        Learned { depth, score, bound, best: 7, visits }
    }

    #[test]
    fn bounds_have_names() {
        for (bound, name) in KnownBound::ALL.into_iter().zip(["none", "upper", "lower", "exact"]) {
            assert_eq!((bound.name(), KnownBound::named(name)), (name, Some(bound)));
        }
        assert_eq!(KnownBound::named("Exact"), None);
    }

    #[test]
    fn the_better_result_stays() {
        use KnownBound::{Exact, Lower, None, Upper};
        // Old, new, and whether the new one is taken.
        let cases = [
            ((None, 0), (None, 5), false),
            ((None, 9), (Upper, 1), true),
            ((Upper, 9), (None, 20), false),
            ((Exact, 9), (Lower, 10), true),
            ((Exact, 9), (Exact, 8), false),
            ((Exact, 9), (Exact, 9), true),
            ((Exact, 9), (Lower, 9), false),
            ((Lower, 9), (Exact, 9), true),
            ((Lower, 9), (Upper, 9), true),
            ((Lower, 9), (Exact, 8), false),
        ];
        for ((old, old_depth), (new, new_depth), taken) in cases {
            let old = learned(old, old_depth, 11, 5);
            let new = learned(new, new_depth, 22, 3);
            let expected = Learned { visits: 8, ..if taken { new } else { old } };
            assert_eq!(old.merged(&new), expected, "{old:?} and {new:?}");
        }
        let often = learned(Exact, 9, 0, u32::MAX - 1);
        assert_eq!(often.merged(&learned(Exact, 1, 0, 5)).visits, u32::MAX);
        // Whoever records has seen it.
        assert_eq!(often.merged(&learned(Exact, 1, 0, 0)).visits, u32::MAX);
        assert_eq!(learned(Exact, 1, 0, 3).merged(&Learned::default()).visits, 4);
    }
}

//! How the evaluation tells others what it counted.

use rukh_core::Color;

/// Receives every coefficient as the evaluation uses it. Play passes [`NoTrace`], which vanishes.
pub trait Trace {
    /// True when someone listens: caches are then bypassed, so that nothing goes unreported.
    const ON: bool;

    /// `color` has `n` times the term at `index`.
    fn term(&mut self, color: Color, index: usize, n: i32);

    /// The king of `color` has `n` times the danger at `index`.
    fn danger(&mut self, color: Color, index: usize, n: i32);

    /// The size of the end-game half grows by `n` times the term at `index`.
    fn complexity(&mut self, index: usize, n: i32);

    /// The taper: `phase` of [`PHASE_MAX`], and the end-game scale of [`SCALE_MAX`].
    fn taper(&mut self, phase: i32, scale: i32);

    /// A special end-game rule gave the value; the terms do not add up to it.
    fn special(&mut self, name: &'static str);
}

/// Phase with all pieces on the board.
pub const PHASE_MAX: i32 = 24;
/// Scale of an end game that is as good as its terms say.
pub const SCALE_MAX: i32 = 64;

/// Listens to nothing.
pub struct NoTrace;

impl Trace for NoTrace {
    const ON: bool = false;
    #[inline(always)]
    fn term(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn danger(&mut self, _: Color, _: usize, _: i32) {}
    #[inline(always)]
    fn complexity(&mut self, _: usize, _: i32) {}
    #[inline(always)]
    fn taper(&mut self, _: i32, _: i32) {}
    #[inline(always)]
    fn special(&mut self, _: &'static str) {}
}

/// Keeps everything, in the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct Coefficients {
    /// `(color, index, n)` of every linear term.
    pub terms: Vec<(Color, usize, i32)>,
    /// `(king's color, index, n)` of every danger unit.
    pub danger: Vec<(Color, usize, i32)>,
    /// `(index, n)` of the complexity terms.
    pub complexity: Vec<(usize, i32)>,
    /// Phase, 0 to [`PHASE_MAX`].
    pub phase: i32,
    /// Scale of the end-game half, of [`SCALE_MAX`].
    pub scale: i32,
    /// The special rule that decided, if any.
    pub special: Option<&'static str>,
}

impl Coefficients {
    /// Forgets everything but keeps the memory.
    pub fn clear(&mut self) {
        self.terms.clear();
        self.danger.clear();
        self.complexity.clear();
        self.special = None;
    }
}

impl Trace for Coefficients {
    const ON: bool = true;

    fn term(&mut self, color: Color, index: usize, n: i32) {
        if n != 0 {
            self.terms.push((color, index, n));
        }
    }

    fn danger(&mut self, color: Color, index: usize, n: i32) {
        if n != 0 {
            self.danger.push((color, index, n));
        }
    }

    fn complexity(&mut self, index: usize, n: i32) {
        if n != 0 {
            self.complexity.push((index, n));
        }
    }

    fn taper(&mut self, phase: i32, scale: i32) {
        (self.phase, self.scale) = (phase, scale);
    }

    fn special(&mut self, name: &'static str) {
        self.special = Some(name);
    }
}

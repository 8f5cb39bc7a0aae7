//! Time controls as XBoard gives them.

use rukh_core::Color;
use rukh_engine::Limits;

/// What `level`, `st`, `sd`, `time` and `otim` have said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Moves in a session, 0 for the whole game.
    session: u32,
    inc: u64,
    /// Milliseconds for each move, if that is how we play.
    exact: Option<u64>,
    depth: Option<u32>,
    ours: u64,
    theirs: u64,
}

impl Default for Clocks {
    /// Five minutes for 40 moves, as the protocol assumes.
    fn default() -> Self {
        Self { session: 40, inc: 0, exact: None, depth: None, ours: 300_000, theirs: 300_000 }
    }
}

impl Clocks {
    /// `new` forgets the depth limit, not the time control.
    pub fn new_game(&mut self) {
        self.depth = None;
    }

    /// `level`.
    pub fn level(&mut self, session: u32, base: u64, inc: u64) {
        *self = Self { session, inc, exact: None, depth: self.depth, ours: base, theirs: base };
    }

    /// `st`.
    pub fn exact(&mut self, millis: u64) {
        self.exact = Some(millis);
    }

    /// `sd`.
    pub fn depth(&mut self, depth: u32) {
        self.depth = Some(depth);
    }

    /// `time` and `otim`.
    pub fn set(&mut self, ours: bool, millis: u64) {
        *(if ours { &mut self.ours } else { &mut self.theirs }) = millis.max(1);
    }

    /// Limits for a move by `us`, who has made `played` moves so far.
    pub fn limits(&self, us: Color, played: u32) -> Limits {
        let mut limits = Limits { depth: self.depth, ..Limits::default() };
        if let Some(millis) = self.exact {
            limits.movetime = Some(millis);
            return limits;
        }
        limits.time[us.index()] = Some(self.ours);
        limits.time[(!us).index()] = Some(self.theirs);
        limits.inc = [self.inc; 2];
        if self.session > 0 {
            limits.movestogo = Some(self.session - played % self.session);
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_and_increments() {
        let mut clock = Clocks::default();
        clock.level(40, 300_000, 0);
        assert_eq!(clock.limits(Color::White, 0).movestogo, Some(40));
        assert_eq!(clock.limits(Color::White, 39).movestogo, Some(1));
        assert_eq!(clock.limits(Color::White, 40).movestogo, Some(40));
        clock.level(0, 60_000, 1_000);
        clock.set(true, 12_000);
        clock.set(false, 0);
        let limits = clock.limits(Color::Black, 7);
        assert_eq!((limits.time, limits.inc, limits.movestogo), ([Some(1), Some(12_000)], [1_000; 2], None));
    }

    #[test]
    fn exact_time_and_depth() {
        let mut clock = Clocks::default();
        clock.exact(2_000);
        clock.depth(6);
        let limits = clock.limits(Color::White, 3);
        assert_eq!((limits.movetime, limits.depth, limits.time), (Some(2_000), Some(6), [None, None]));
        clock.new_game();
        assert_eq!(clock.limits(Color::White, 3).depth, None);
        clock.level(0, 1, 1);
        assert_eq!(clock.limits(Color::White, 3).movetime, None);
    }
}

//! How the engine behaves towards its opponent: draws it agrees to and claims, and Makruk's count. Every host asks here:
//! XBoard, `rukh play`, and the page through the API. (Rukh plays lost games on; who organises a match may end them.)

use rukh_core::{BoardHonour, Makruk, Position};

/// From this move on a draw is as good as a level game, …
const DRAW_FROM_MOVE: u32 = 20;
/// … and before that only for whoever stands worse than this.
const WORSE: i32 = -30;
/// Makruk: who is worse by this much counts, who is better by as much stops.
const COUNT_AT: i32 = 150;

/// What the engine does, given its own opinion of its game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manners {
    /// Centipawns from the engine's side, as its last search found.
    pub opinion: i32,
}

/// What a side may do, or wants to do, about the count of board's honour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Begin it: a draw is offered as long as it runs.
    Start,
    /// End it, in order to win.
    Stop,
}

impl Counting {
    /// What the side to move may do in a game between people.
    pub fn allowed(mut pos: Position<Makruk>) -> Option<Counting> {
        if pos.board_honour() == BoardHonour::Claimed(pos.side_to_move()) {
            return pos.stop_counting().then_some(Counting::Stop);
        }
        pos.start_counting().then_some(Counting::Start)
    }
}

impl Manners {
    /// Whether a draw that was offered is agreed to.
    pub fn agrees_to_draw(self, fullmove: u32) -> bool {
        self.opinion < WORSE || self.claims_draw() && fullmove >= DRAW_FROM_MOVE
    }

    /// Whether a draw that the rules give is claimed, and the standing offer of an opponent who counts is taken.
    pub fn claims_draw(self) -> bool {
        self.opinion <= 0
    }

    /// Whether the engine begins or ends its count here, where it is to move.
    pub fn counting(self, pos: &Position<Makruk>) -> Option<Counting> {
        let wanted = match self.opinion {
            cp if cp < -COUNT_AT => Counting::Start,
            cp if cp > COUNT_AT => Counting::Stop,
            _ => return None,
        };
        Counting::allowed(*pos).filter(|allowed| *allowed == wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws() {
        let agrees = |opinion, fullmove| Manners { opinion }.agrees_to_draw(fullmove);
        assert!(agrees(-31, 1) && agrees(0, 20) && agrees(-5, 40));
        assert!(!agrees(-30, 19) && !agrees(1, 60) && !agrees(300, 60));
        assert!(Manners { opinion: 0 }.claims_draw() && !Manners { opinion: 1 }.claims_draw());
    }

    #[test]
    fn counts() {
        // Black has less and no Bia is left.
        let pos = Position::<Makruk>::from_fen("4k3/8/4n3/8/8/3RK3/3S4/8 b - - 0 1").unwrap().with_claimed_counting();
        let wants = |opinion, pos: &Position<Makruk>| Manners { opinion }.counting(pos);
        assert_eq!(wants(-151, &pos), Some(Counting::Start));
        assert_eq!((wants(-150, &pos), wants(400, &pos)), (None, None));
        let mut counting = pos;
        assert!(counting.start_counting());
        assert_eq!((wants(-500, &counting), wants(151, &counting)), (None, Some(Counting::Stop)));
        assert_eq!((wants(150, &counting), wants(0, &counting)), (None, None), "in between, things stay as they are");
    }
}

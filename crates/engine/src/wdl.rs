//! What a score means: win, draw and loss chances, and centipawns normalised so that +1.00 is an even chance to win.

use rukh_core::Variant;
use rukh_search::score::TB_WIN_IN_MAX;
use rukh_search::{MAX_PLY, Score, TB_WIN};

/// What a score is worth in a game: two logistic curves. The chance to win is a half at `a` and falls off with width `b`; `pawn` is
/// shown as +1.00.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    a: f64,
    b: f64,
    pawn: f64,
}

// The one place for these numbers. `a` is the internal score at which the engine wins half of its games against itself;
// `rukh datagen info` fits them (docs/lab/strength.md).
const CHESS: Scale = Scale::new(97.0, 126.0);
/// More than half of the games of Makruk are drawn: it takes far more to win.
const MAKRUK: Scale = Scale::new(516.0, 257.0);
/// The fewer men are left, the more it takes to win with them: at 5, 13, 21 and 29 men.
const CHESS_BY_MEN: [Scale; 4] =
    [Scale::new(283.0, 58.0), Scale::new(184.0, 71.0), Scale::new(113.0, 81.0), Scale::new(82.0, 88.0)];
const MAKRUK_BY_MEN: [Scale; 4] =
    [Scale::new(813.0, 283.0), Scale::new(406.0, 169.0), Scale::new(343.0, 207.0), Scale::new(300.0, 226.0)];

/// The curves by which the levels of strength were set: steeper, so that a level seldom gives away what people would see.
const CHESS_LEVELS: Scale = Scale::new(130.0, 62.0);
const MAKRUK_LEVELS: Scale = Scale::new(180.0, 90.0);

impl Scale {
    const fn new(a: f64, b: f64) -> Scale {
        Scale { a, b, pawn: a }
    }

    /// The scale of a game, where nothing is known of the position.
    pub const fn typical(variant: Variant) -> Scale {
        match variant {
            Variant::Chess | Variant::Chess960 => CHESS,
            Variant::Makruk => MAKRUK,
        }
    }

    /// The scale of a position with so many men on the board, kings included.
    pub fn of(variant: Variant, men: u32) -> Scale {
        let by_men = match variant {
            Variant::Chess | Variant::Chess960 => &CHESS_BY_MEN,
            Variant::Makruk => &MAKRUK_BY_MEN,
        };
        let at = (f64::from(men) - 5.0).clamp(0.0, 24.0) / 8.0;
        let low = (at as usize).min(by_men.len() - 2);
        let (x, y, part) = (by_men[low], by_men[low + 1], at - low as f64);
        let scale = Scale::new(x.a + (y.a - x.a) * part, x.b + (y.b - x.b) * part);
        // A pawn of chess is shown as the same from the first move to the last, as players are used to.
        Scale { pawn: if variant == Variant::Makruk { scale.a } else { CHESS.pawn }, ..scale }
    }

    /// The scale by which moves are judged: in chess the typical one, less steep than that of engines among themselves, so that a mark goes
    /// by the number that is shown.
    #[must_use]
    pub fn for_marks(self, variant: Variant) -> Scale {
        if variant == Variant::Makruk { self } else { Scale::typical(variant) }
    }

    /// The chances of the side to move.
    pub fn wdl(self, score: Score) -> Wdl {
        if score.is_decisive() {
            return if score > Score::DRAW {
                Wdl { win: 1000, draw: 0, loss: 0 }
            } else {
                Wdl { win: 0, draw: 0, loss: 1000 }
            };
        }
        let Scale { a, b, .. } = self;
        let x = f64::from(score.value());
        let permille = |z: f64| (1000.0 / (1.0 + z.exp())).round() as u16;
        let (win, loss) = (permille((a - x) / b), permille((a + x) / b));
        Wdl { win, draw: 1000 - win.min(1000) - loss.min(1000 - win), loss }
    }

    /// The score of normalised centipawns, the other way round.
    pub fn score(self, centipawns: i32) -> Score {
        let value = (f64::from(centipawns) * self.pawn / 100.0).round() as i32;
        Score(value.clamp(-TB_WIN_IN_MAX + 1, TB_WIN_IN_MAX - 1))
    }

    /// Normalised centipawns: 100 is a 50 % chance to win. A win by end-game tables is 20000 less the plies to it, out of
    /// reach of any opinion; mates are not meant for this.
    pub fn centipawns(self, score: Score) -> i32 {
        const TABLE_WIN: i32 = 20_000;
        if score.is_decisive() && score.mate().is_none() {
            let plies = TB_WIN - score.value().abs();
            return score.value().signum() * (TABLE_WIN - plies);
        }
        let cp = (f64::from(score.value()) * 100.0 / self.pawn).round() as i32;
        let below = TABLE_WIN - 2 * MAX_PLY as i32;
        cp.clamp(-below, below)
    }
}

/// Chances in permille; they add up to 1000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wdl {
    /// Wins.
    pub win: u16,
    /// Draws.
    pub draw: u16,
    /// Losses.
    pub loss: u16,
}

impl Wdl {
    /// The chances of the side to move, where nothing is known of the position.
    ///
    /// ```
    /// use rukh_core::Variant;
    /// use rukh_engine::{Score, Wdl};
    /// let even = Wdl::of(Score(0), Variant::Chess);
    /// assert_eq!(even.win, even.loss);
    /// assert_eq!(Wdl::of(Score::mate_in(5), Variant::Chess).win, 1000);
    /// ```
    pub fn of(score: Score, variant: Variant) -> Wdl {
        Scale::typical(variant).wdl(score)
    }

    /// The chances as the levels of strength weigh them.
    pub(crate) fn for_levels(score: Score, variant: Variant) -> Wdl {
        match variant {
            Variant::Chess | Variant::Chess960 => CHESS_LEVELS.wdl(score),
            Variant::Makruk => MAKRUK_LEVELS.wdl(score),
        }
    }

    /// Expected points of a hundred: wins and half the draws.
    pub fn expectation(self) -> f64 {
        (f64::from(self.win) + f64::from(self.draw) / 2.0) / 10.0
    }
}

/// Normalised centipawns where nothing is known of the position: [`Scale::centipawns`] of the typical scale.
///
/// ```
/// use rukh_core::Variant;
/// use rukh_engine::{Score, Wdl, centipawns};
/// let score = Score(500);
/// let cp = centipawns(score, Variant::Chess);
/// assert!(cp > 100 && Wdl::of(score, Variant::Chess).win > 500);
/// ```
pub fn centipawns(score: Score, variant: Variant) -> i32 {
    Scale::typical(variant).centipawns(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_from_centipawns() {
        let scale = Scale::typical(Variant::Chess);
        for score in [-3000, -77, 0, 1, 250, 4000].map(Score) {
            assert!((scale.score(scale.centipawns(score)).value() - score.value()).abs() <= 2);
        }
        assert!(!scale.score(i32::MAX).is_decisive() && !scale.score(i32::MIN + 1).is_decisive());
    }

    #[test]
    fn one_hundred_centipawns_is_an_even_chance_to_win() {
        for variant in [Variant::Chess, Variant::Makruk] {
            for scale in (2..=32).map(|men| Scale::of(variant, men).for_marks(variant)).chain([Scale::typical(variant)])
            {
                let score = (0..2000).map(Score).find(|s| scale.centipawns(*s) >= 100).unwrap();
                assert!((496..=504).contains(&scale.wdl(score).win), "{scale:?}");
            }
        }
    }

    #[test]
    fn fewer_men_make_winning_harder() {
        let wins = |variant, score| -> Vec<u16> {
            (2..=32).map(|men| Scale::of(variant, men).wdl(Score(score)).win).collect()
        };
        for wins in [wins(Variant::Makruk, 310), wins(Variant::Chess, 120)] {
            assert!(wins.is_sorted() && wins[0] < 150 && wins[30] > 500, "{wins:?}");
        }
    }

    #[test]
    fn a_pawn_is_shown_as_the_same_with_few_men() {
        let shown = |men| Scale::of(Variant::Chess, men).centipawns(Score(97));
        assert!((2..=32).all(|men| shown(men) == 100));
    }

    #[test]
    fn table_wins_stand_above_all_opinions() {
        let cp = |score| centipawns(Score(score), Variant::Chess);
        assert_eq!((cp(TB_WIN), cp(TB_WIN - 7), cp(7 - TB_WIN)), (20_000, 19_993, -19_993));
        let largest = (0..TB_WIN).rev().find(|&x| !Score(x).is_decisive()).unwrap();
        assert!(cp(largest) < cp(largest + 1));
    }

    #[test]
    fn a_draw_is_half_a_point() {
        for (win, draw, loss, points) in
            [(1000, 0, 0, 100.0), (0, 1000, 0, 50.0), (0, 0, 1000, 0.0), (500, 300, 200, 65.0)]
        {
            assert!((Wdl { win, draw, loss }.expectation() - points).abs() < 1e-9, "{win} {draw} {loss}");
        }
    }

    #[test]
    fn chances_add_up() {
        for x in (-9000..9000).step_by(7) {
            let w = Wdl::of(Score(x), Variant::Chess);
            assert_eq!(w.win + w.draw + w.loss, 1000);
            let m = Wdl::of(Score(-x), Variant::Chess);
            assert_eq!((w.win, w.draw, w.loss), (m.loss, m.draw, m.win));
        }
    }
}

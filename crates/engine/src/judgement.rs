//! What a move is called by the points it gave away: the same words in annotated files and in the page's review.

/// How bad a move was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// `?!`
    Inaccuracy,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl Judgement {
    /// All, the smallest first.
    pub const ALL: [Judgement; 3] = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder];

    /// By the loss of expected points, of a hundred.
    pub fn of(loss: f64) -> Option<Judgement> {
        match loss {
            loss if loss >= 15.0 => Some(Judgement::Blunder),
            loss if loss >= 10.0 => Some(Judgement::Mistake),
            loss if loss >= 5.0 => Some(Judgement::Inaccuracy),
            _ => None,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "inaccuracy",
            Judgement::Mistake => "mistake",
            Judgement::Blunder => "blunder",
        }
    }

    /// Its sign.
    pub fn sign(self) -> &'static str {
        match self {
            Judgement::Inaccuracy => "?!",
            Judgement::Mistake => "?",
            Judgement::Blunder => "??",
        }
    }

    /// The number of its sign in PGN.
    pub fn nag(self) -> u8 {
        match self {
            Judgement::Inaccuracy => 6,
            Judgement::Mistake => 2,
            Judgement::Blunder => 4,
        }
    }
}

/// How accurate a move was: from 100 for the best one down to 0, by the published exponential of the expected points (of a
/// hundred) that it lost.
pub fn accuracy(loss: f64) -> f64 {
    (103.1668 * (-0.04354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_loss() {
        assert_eq!(Judgement::of(4.9), None);
        assert_eq!(Judgement::of(5.0), Some(Judgement::Inaccuracy));
        assert_eq!(Judgement::of(12.0), Some(Judgement::Mistake));
        assert_eq!(Judgement::of(50.0), Some(Judgement::Blunder));
        assert_eq!(Judgement::of(f64::NAN), None);
    }

    #[test]
    fn words_and_signs() {
        let all = [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder];
        assert_eq!(
            all.map(|j| (j.name(), j.sign(), j.nag())),
            [("inaccuracy", "?!", 6), ("mistake", "?", 2), ("blunder", "??", 4)]
        );
    }

    #[test]
    fn accuracy_by_the_number() {
        assert!((accuracy(0.0) - 99.9999).abs() < 1e-9 && accuracy(100.0) == 0.0 && accuracy(-5.0) == 100.0);
        assert!((accuracy(10.0) - 63.5826).abs() < 0.001, "{}", accuracy(10.0));
    }
}

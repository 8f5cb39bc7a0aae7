//! Who plays whom, with which colours, from which opening.

/// Which engines meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everybody against everybody.
    RoundRobin,
    /// The first engine against each of the others.
    Gauntlet,
}

/// One game to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Job {
    /// Serial number in the order of the schedule, from 0.
    pub number: usize,
    /// Index of the pairing.
    pub pairing: usize,
    /// The two games of a round share an opening.
    pub round: usize,
    /// Index of the engine with the white pieces.
    pub white: usize,
    /// Index of the engine with the black pieces.
    pub black: usize,
}

/// All games of a match. Rounds come first, so that an interrupted match has compared everybody alike; every pairing
/// sees the same opening in the same round.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Engine indices; results of a pairing are seen from its first engine.
    pub pairings: Vec<(usize, usize)>,
    rounds: usize,
}

impl Schedule {
    /// `games` per pairing, rounded up to whole pairs.
    pub fn new(engines: usize, format: Format, games: usize) -> Self {
        let firsts = if format == Format::Gauntlet { 1 } else { engines };
        let pairings = (0..firsts).flat_map(|a| (a + 1..engines).map(move |b| (a, b))).collect();
        Self { pairings, rounds: games.div_ceil(2) }
    }

    /// Number of games.
    pub fn games(&self) -> usize {
        self.rounds.saturating_mul(self.pairings.len()).saturating_mul(2)
    }

    /// Number of different openings it uses.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The game with that serial number.
    pub fn job(&self, number: usize) -> Option<Job> {
        if number >= self.games() {
            return None;
        }
        let pair = number / 2;
        let (round, pairing) = (pair / self.pairings.len(), pair % self.pairings.len());
        let (a, b) = self.pairings[pairing];
        // Who begins with White alternates too: an interrupted match has even colours.
        let (white, black) = if (number + round).is_multiple_of(2) { (a, b) } else { (b, a) };
        Some(Job { number, pairing, round, white, black })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_engines() {
        let schedule = Schedule::new(2, Format::RoundRobin, 5);
        assert_eq!((schedule.games(), schedule.rounds()), (6, 3), "rounded up to pairs");
        let games: Vec<_> = (0..6).map(|n| schedule.job(n).unwrap()).collect();
        let colours: Vec<_> = games.iter().map(|job| (job.round, job.white, job.black)).collect();
        assert_eq!(colours, [(0, 0, 1), (0, 1, 0), (1, 1, 0), (1, 0, 1), (2, 0, 1), (2, 1, 0)]);
        assert_eq!(schedule.job(6), None);
    }

    #[test]
    fn several_engines() {
        let schedule = Schedule::new(4, Format::RoundRobin, 2);
        assert_eq!(schedule.pairings, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
        assert_eq!(schedule.games(), 12);
        let schedule = Schedule::new(4, Format::Gauntlet, 4);
        assert_eq!(schedule.pairings, [(0, 1), (0, 2), (0, 3)]);
        let jobs: Vec<_> = (0..schedule.games()).map(|n| schedule.job(n).unwrap()).collect();
        for (pairing, &(a, b)) in schedule.pairings.iter().enumerate() {
            for round in 0..2 {
                let pair: Vec<_> = jobs.iter().filter(|j| j.pairing == pairing && j.round == round).collect();
                assert_eq!(pair.len(), 2);
                assert_eq!((pair[0].white, pair[0].black), (pair[1].black, pair[1].white));
                assert!([a, b].contains(&pair[0].white));
            }
        }
    }
}

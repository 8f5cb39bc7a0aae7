//! Figures of a position and of the moves from it.

use super::bits::{put_varint, take_varint};
use super::games::Facts;
use rukh_pgn::GameResult;

/// "The game ended here" in place of a move.
pub const NO_MOVE: u16 = 0x7fff;
/// Marks, in a stored move, that one game played it; the game itself has the figures.
const SINGLE: u16 = 0x8000;

/// Figures over a set of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Games.
    pub games: u64,
    /// Won by White.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black; games without a result make up the rest.
    pub black: u64,
    /// Games with a rating, and the sum of their mean ratings.
    pub rated: u64,
    /// See `rated`.
    pub rating_sum: u64,
    /// First and last year, 0 if unknown.
    pub first_year: u16,
    /// See `first_year`.
    pub last_year: u16,
}

impl Figures {
    /// Figures of one game.
    pub fn of(facts: &Facts) -> Figures {
        let is = |result| u64::from(facts.result == result);
        Figures {
            games: 1,
            white: is(GameResult::White),
            draws: is(GameResult::Draw),
            black: is(GameResult::Black),
            rated: u64::from(facts.rating > 0),
            rating_sum: u64::from(facts.rating),
            first_year: facts.year,
            last_year: facts.year,
        }
    }

    /// Adds the figures of other games.
    pub fn add(&mut self, other: &Figures) {
        self.games = self.games.saturating_add(other.games);
        self.white = self.white.saturating_add(other.white);
        self.draws = self.draws.saturating_add(other.draws);
        self.black = self.black.saturating_add(other.black);
        self.rated = self.rated.saturating_add(other.rated);
        self.rating_sum = self.rating_sum.saturating_add(other.rating_sum);
        self.first_year = match (self.first_year, other.first_year) {
            (0, y) | (y, 0) => y,
            (a, b) => a.min(b),
        };
        self.last_year = self.last_year.max(other.last_year);
    }

    /// Mean rating, if any game has one.
    pub fn mean_rating(&self) -> Option<u64> {
        self.rating_sum.checked_div(self.rated)
    }
}

/// One move of a position: figures and example games of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveStats {
    /// The move in the form of [`move_bits`](crate::openings::move_bits), or [`NO_MOVE`].
    pub mv: u16,
    /// Its figures.
    pub figures: Figures,
    /// The game with the best rating, by number within the segment.
    pub best: u32,
    /// The latest game.
    pub latest: u32,
}

/// Order of games for `latest`: by date, then by number.
pub fn date_key(facts: &Facts) -> u32 {
    u32::from(facts.year) << 9 | u32::from(facts.month) << 5 | u32::from(facts.day)
}

/// Collects the games of one position.
#[derive(Default)]
pub struct Collector {
    moves: Vec<(MoveStats, u16, u32)>,
}

impl Collector {
    /// Moves that were collected elsewhere.
    pub fn of(moves: Vec<MoveStats>) -> Collector {
        Collector { moves: moves.into_iter().map(|stats| (stats, 0, 0)).collect() }
    }

    pub fn clear(&mut self) {
        self.moves.clear();
    }

    #[inline]
    pub fn add(&mut self, mv: u16, game: u32, facts: &Facts) {
        let (rating, date) = (facts.rating, date_key(facts));
        let figures = Figures::of(facts);
        match self.moves.iter_mut().find(|(m, ..)| m.mv == mv) {
            Some((stats, best, latest)) => {
                stats.figures.add(&figures);
                if rating > *best {
                    (stats.best, *best) = (game, rating);
                }
                if date >= *latest {
                    (stats.latest, *latest) = (game, date);
                }
            }
            None => self.moves.push((MoveStats { mv, figures, best: game, latest: game }, rating, date)),
        }
    }

    pub fn games(&self) -> u64 {
        self.moves.iter().map(|(m, ..)| m.figures.games).sum()
    }

    /// Appends the record of the position: its length, then per move, most played first, the move and either the one
    /// game or the figures.
    pub fn write(&mut self, out: &mut Vec<u8>, scratch: &mut Vec<u8>) {
        self.moves.sort_unstable_by_key(|(m, ..)| (std::cmp::Reverse(m.figures.games), m.mv));
        scratch.clear();
        for (m, ..) in &self.moves {
            let f = &m.figures;
            if f.games == 1 {
                scratch.extend((m.mv | SINGLE).to_le_bytes());
                put_varint(scratch, u64::from(m.best));
                continue;
            }
            scratch.extend(m.mv.to_le_bytes());
            for v in [f.games, f.white, f.draws, f.black, f.rated] {
                put_varint(scratch, v);
            }
            // The sum is close to a multiple: its mean takes two bytes and the rest, at most the count, few more.
            put_varint(scratch, f.mean_rating().unwrap_or(0));
            put_varint(scratch, f.rating_sum.checked_rem(f.rated).unwrap_or(0));
            put_varint(scratch, u64::from(f.first_year));
            put_varint(scratch, u64::from(f.last_year.saturating_sub(f.first_year)));
            put_varint(scratch, u64::from(m.best));
            put_varint(scratch, u64::from(m.latest));
        }
        put_varint(out, scratch.len() as u64);
        out.extend_from_slice(scratch);
    }
}

/// Reads the record of a position (without its length); `facts` tells those of a game. `None` if it is damaged.
pub fn read_moves<E>(
    mut bytes: &[u8],
    mut facts: impl FnMut(u32) -> Result<Facts, E>,
) -> Result<Option<Vec<MoveStats>>, E> {
    let mut moves = Vec::new();
    while !bytes.is_empty() {
        let Some((head, rest)) = bytes.split_at_checked(2) else { return Ok(None) };
        bytes = rest;
        let mv = u16::from_le_bytes([head[0], head[1]]);
        if mv & SINGLE != 0 {
            let Some(game) = take_varint(&mut bytes).map(|g| g as u32) else { return Ok(None) };
            let figures = Figures::of(&facts(game)?);
            moves.push(MoveStats { mv: mv & !SINGLE, figures, best: game, latest: game });
            continue;
        }
        let mut v = [0u64; 11];
        for value in &mut v {
            let Some(taken) = take_varint(&mut bytes) else { return Ok(None) };
            *value = taken;
        }
        let [games, white, draws, black, rated, mean, rest, first, span, best, latest] = v;
        let figures = Figures {
            games,
            white,
            draws,
            black,
            rated,
            rating_sum: mean.saturating_mul(rated).saturating_add(rest),
            first_year: first as u16,
            last_year: first.saturating_add(span.min(5000)) as u16,
        };
        moves.push(MoveStats { mv, figures, best: best as u32, latest: latest as u32 });
    }
    Ok(Some(moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let facts = [
            Facts { result: GameResult::White, rating: 2500, year: 1999, month: 5, day: 1, set_up: false },
            Facts { result: GameResult::Draw, rating: 2700, year: 2020, month: 1, day: 9, set_up: false },
            Facts { result: GameResult::Unknown, rating: 0, year: 0, month: 0, day: 0, set_up: false },
        ];
        let mut collector = Collector::default();
        for (game, f) in facts.iter().enumerate() {
            collector.add(77, game as u32, f);
        }
        collector.add(NO_MOVE, 1, &facts[1]);
        let (mut out, mut scratch) = (Vec::new(), Vec::new());
        collector.write(&mut out, &mut scratch);
        let mut rest = &out[..];
        assert_eq!(take_varint(&mut rest), Some(rest.len() as u64));
        let moves = read_moves(rest, |g| Ok::<_, ()>(facts[g as usize])).unwrap().unwrap();
        assert_eq!(moves.len(), 2);
        assert_eq!((moves[0].mv, moves[0].best, moves[0].latest), (77, 1, 1));
        let f = moves[0].figures;
        assert_eq!((f.games, f.white, f.draws, f.black, f.rated), (3, 1, 1, 0, 2));
        assert_eq!((f.mean_rating(), f.first_year, f.last_year), (Some(2600), 1999, 2020));
        assert_eq!((moves[1].mv, moves[1].figures.games), (NO_MOVE, 1));
        for end in 0..rest.len() {
            let _ = read_moves(&rest[..end], |_| Ok::<_, ()>(facts[0]));
        }
    }
}

//! Questions to a database.

use rukh_core::{Color, Kind, Move, Position, Rules, Variant};

use super::error::DbError;
use super::games::Facts;
use super::movecode::move_bits;
use super::stats::{Figures, NO_MOVE, date_key, read_moves};
use super::{Database, Missing, Segment, Stored};
use rukh_pgn::{GameResult, PgnGame};

/// A game of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GameRef {
    /// Number of the segment.
    pub segment: u32,
    /// Number of the game in it.
    pub game: u32,
}

/// A move of an explored position.
#[derive(Debug, Clone)]
pub struct ExploredMove {
    /// The move.
    pub mv: Move,
    /// Its figures.
    pub figures: Figures,
    /// The best rated game.
    pub best: GameRef,
    /// The latest game.
    pub latest: GameRef,
}

impl GameRef {
    /// Reads a name as [`Database::game_name`] gives it; the variant is there if the name has it.
    pub fn named(name: &str) -> Option<(Option<Variant>, GameRef)> {
        let (variant, rest) = match name.split_once(':') {
            Some((variant, rest)) => (Some(variant.parse().ok()?), rest),
            None => (None, name),
        };
        let (segment, game) = rest.split_once('/')?;
        Some((variant, GameRef { segment: segment.parse().ok()?, game: game.parse().ok()? }))
    }
}

/// What a database knows about a position.
#[derive(Debug, Clone, Default)]
pub struct Exploration {
    /// All games that reached the position.
    pub figures: Figures,
    /// The moves played, most games first.
    pub moves: Vec<ExploredMove>,
    /// Example games: the best rated and the latest, each once.
    pub examples: Vec<GameRef>,
    /// Parts of the database that could not be read: the figures are without their games.
    pub missing: Missing,
}

/// What lists show of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// How it ended.
    pub result: GameResult,
    /// Mean rating of the players, 0 if unknown.
    pub rating: u16,
    /// Year, 0 if unknown.
    pub year: u16,
}

/// A move from a position, as stored, and its games.
pub(super) struct Played {
    /// The move's bits, or [`NO_MOVE`].
    pub mv: u16,
    pub figures: Figures,
    pub best: GameRef,
    pub latest: GameRef,
}

/// Whether two positions are the same by the rules: board, side to move, castling rights, en passant, Makruk's count.
pub fn same_position<R: Rules>(a: &Position<R>, b: &Position<R>) -> bool {
    let castles = |p: &Position<R>| {
        [(Color::White, true), (Color::White, false), (Color::Black, true), (Color::Black, false)]
            .map(|(color, king)| p.castle_rook(color, king))
    };
    a.key() == b.key()
        && a.side_to_move() == b.side_to_move()
        && a.ep_square() == b.ep_square()
        && Kind::ALL.iter().all(|&k| a.pieces(k) == b.pieces(k))
        && Color::ALL.iter().all(|&c| a.colors(c) == b.colors(c))
        && castles(a) == castles(b)
        && a.count() == b.count()
}

impl Segment {
    pub(super) fn bad_record(&self) -> DbError {
        DbError::damaged(self.positions.file().path(), "figures contradict the index")
    }
}

impl<R: Stored> Database<R> {
    /// The moves of an entry. That of a single game is not stored: `single` finds it.
    pub(super) fn moves_of(
        &self,
        segment: &Segment,
        entry: u64,
        single: impl FnOnce() -> Result<(GameRef, u16), DbError>,
    ) -> Result<Vec<Played>, DbError> {
        let Some(record) = segment.positions.stats(entry)? else {
            let (game, mv) = single()?;
            let figures = Figures::of(&self.segment(game.segment)?.games.facts(game.game)?);
            return Ok(vec![Played { mv, figures, best: game, latest: game }]);
        };
        let facts = |number: u32| {
            let game = self.numbered(segment, number)?;
            self.segment(game.segment)?.games.facts(game.game)
        };
        let moves = read_moves(&record, facts)?.ok_or_else(|| segment.bad_record())?;
        moves
            .into_iter()
            .map(|m| {
                let (best, latest) = (self.numbered(segment, m.best)?, self.numbered(segment, m.latest)?);
                Ok(Played { mv: m.mv, figures: m.figures, best, latest })
            })
            .collect()
    }

    /// The only game of an entry and the move it plays from the position.
    fn single(&self, segment: &Segment, entry: u64) -> Result<(GameRef, u16), DbError> {
        let Some((home, game, ply)) = self.locate(segment.code(entry)?)? else { return Err(segment.bad_record()) };
        let mut mv = NO_MOVE;
        home.games.replay(game, |at, _: &Position<R>, played| {
            if at == ply {
                mv = played.map_or(NO_MOVE, move_bits);
            }
            at < ply
        })?;
        Ok((GameRef { segment: home.id, game }, mv))
    }

    /// Games of a position without proof by replay and without moves, as a server needs them by the million: wrong for
    /// one unknown position in sixteen million.
    pub fn count(&self, key: u64) -> Result<u64, DbError> {
        let mut games = 0;
        for segment in &self.segments {
            segment.positions.find(key, true, |entry| {
                // Facts of single games do not matter for a count.
                let here: u64 = match segment.positions.stats(entry)? {
                    None => 1,
                    Some(record) => read_moves(&record, |_| Ok::<_, DbError>(Facts::default()))?
                        .unwrap_or_default()
                        .iter()
                        .fold(0, |sum, m| sum.saturating_add(m.figures.games)),
                };
                games = u64::saturating_add(games, here);
                Ok(false)
            })?;
        }
        Ok(games)
    }

    /// Everything known about a position. An unknown one has no games. A segment that turns out to be damaged is left
    /// out, and [`Exploration::missing`] says so.
    pub fn explore(&self, pos: &Position<R>) -> Result<Exploration, DbError> {
        let mut found = Exploration { missing: self.missing.clone(), ..Exploration::default() };
        let legal = pos.legal_moves();
        for segment in &self.segments {
            let played = self.entry(segment, pos).and_then(|entry| match entry {
                Some(entry) => self.moves_of(segment, entry, || self.single(segment, entry)),
                None => Ok(Vec::new()),
            });
            let played = played.unwrap_or_else(|damage| {
                found.missing.add(u64::from(segment.games.len()), &damage);
                Vec::new()
            });
            for stats in played {
                found.figures.add(&stats.figures);
                let (best, latest) = (stats.best, stats.latest);
                let Some(mv) = legal.iter().copied().find(|&mv| move_bits(mv) == stats.mv) else {
                    // The game ended here: it has figures and is an example, but no move.
                    found.examples.extend([best, latest]);
                    continue;
                };
                match found.moves.iter_mut().find(|m| m.mv == mv) {
                    Some(known) => {
                        known.figures.add(&stats.figures);
                        known.best = self.better(known.best, best)?;
                        known.latest = self.later(known.latest, latest)?;
                    }
                    None => found.moves.push(ExploredMove { mv, figures: stats.figures, best, latest }),
                }
            }
        }
        found.moves.sort_by_key(|m| (std::cmp::Reverse(m.figures.games), move_bits(m.mv)));
        found.examples.extend(found.moves.iter().flat_map(|m| [m.best, m.latest]));
        self.pick_examples(&mut found.examples)?;
        Ok(found)
    }

    /// The best rated four and the latest four, without repeats.
    fn pick_examples(&self, examples: &mut Vec<GameRef>) -> Result<(), DbError> {
        let mut rated = Vec::with_capacity(examples.len());
        for &game in examples.iter() {
            let facts = self.segment(game.segment)?.games.facts(game.game)?;
            if !rated.iter().any(|&(_, _, known)| known == game) {
                rated.push((facts.rating, date_key(&facts), game));
            }
        }
        examples.clear();
        rated.sort_by_key(|&(rating, date, _)| std::cmp::Reverse((rating, date)));
        examples.extend(rated.iter().take(4).map(|r| r.2));
        rated.sort_by_key(|&(rating, date, _)| std::cmp::Reverse((date, rating)));
        for r in rated.iter().take(4) {
            if !examples.contains(&r.2) {
                examples.push(r.2);
            }
        }
        Ok(())
    }

    pub(super) fn segment(&self, id: u32) -> Result<&Segment, DbError> {
        self.segments
            .iter()
            .find(|s| s.id == id)
            .ok_or_else(|| DbError::damaged(self.dir(), format!("there is no segment {id}")))
    }

    fn better(&self, a: GameRef, b: GameRef) -> Result<GameRef, DbError> {
        let rating = |g: GameRef| Ok::<_, DbError>(self.segment(g.segment)?.games.facts(g.game)?.rating);
        Ok(if rating(b)? > rating(a)? { b } else { a })
    }

    fn later(&self, a: GameRef, b: GameRef) -> Result<GameRef, DbError> {
        let date = |g: GameRef| Ok::<_, DbError>(date_key(&self.segment(g.segment)?.games.facts(g.game)?));
        Ok(if date(b)? >= date(a)? { b } else { a })
    }

    /// Whether there is such a game in the segments that could be opened.
    pub fn has(&self, game: GameRef) -> bool {
        self.segment(game.segment).is_ok_and(|segment| game.game < segment.games.len())
    }

    /// A whole game.
    pub fn game(&self, game: GameRef) -> Result<PgnGame, DbError> {
        if !self.has(game) {
            return Err(DbError::damaged(self.dir(), format!("there is no game {}/{}", game.segment, game.game)));
        }
        self.segment(game.segment)?.games.game::<R>(game.game)
    }

    /// A game's name in answers: `1/250`, and `makruk:1/250` where it is not chess, so that a server of several databases knows it.
    pub fn game_name(&self, game: GameRef) -> String {
        let prefix = match self.variant {
            Variant::Chess => String::new(),
            other => format!("{other}:"),
        };
        format!("{prefix}{}/{}", game.segment, game.game)
    }

    /// What lists show of a game.
    pub fn headline(&self, game: GameRef) -> Result<Headline, DbError> {
        let segment = self.segment(game.segment)?;
        let (tags, facts) = (segment.games.tags(game.game)?, segment.games.facts(game.game)?);
        let (white, black) = (tags.white().into_owned(), tags.black().into_owned());
        Ok(Headline { white, black, result: facts.result, rating: facts.rating, year: facts.year })
    }
}

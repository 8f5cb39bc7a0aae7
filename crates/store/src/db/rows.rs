//! The database as rows: a position and one move played from it, with figures.
//!
//! Rows come in the order of keys, but a position is found by playing its game. So the games are played once, from first to last, and every position
//! is put into a temporary file by its place in the index; then one file after the other is sorted in memory.

use std::path::Path;

use rukh_code::{AnyCode, in_parallel};
use rukh_core::{Kind, Notation, Position};

use super::error::DbError;
use super::games::Games;
use super::movecode::{CASTLE, move_bits};
use super::parse::game_hash;
use super::spill::{Found, Places};
use super::stats::{Figures, NO_MOVE, date_key};
use super::{Database, GameRef, Stored};
use rukh_pgn::{PgnGame, Tags};

/// A position, a move from it, and the games that played it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The Polyglot key of the position.
    pub key: u64,
    /// The position as FEN with its clocks at the start.
    pub position: String,
    /// The move in UCI notation; empty where games ended.
    pub uci: String,
    /// Figures of the move.
    pub figures: Figures,
    /// The first game of the part that reached the position; the same in all its rows of that part.
    pub first_game: u64,
    /// Half-moves of that game before the position.
    pub first_ply: u32,
    /// Best mean rating, 0 if none is known, and a game with it.
    pub best_rating: u16,
    /// See `best_rating`.
    pub best_game: u64,
    /// Latest date (year × 512 + month × 32 + day), and a game of it.
    pub latest_date: u32,
    /// See `latest_date`.
    pub latest_game: u64,
}

/// The tags of a game, with the date that its facts have: it may have stood in a tag that is not kept.
fn dated(mut tags: Tags, games: &Games, game: u32) -> Result<Tags, DbError> {
    let facts = games.facts(game)?;
    if facts.year > 0 && tags.date().is_none() {
        let part = |n: u8| if n == 0 { "??".to_owned() } else { format!("{n:02}") };
        tags.set("Date", &format!("{:04}.{}.{}", facts.year, part(facts.month), part(facts.day)));
    }
    Ok(tags)
}

/// What makes two games the same, from what is stored of one.
fn game_id(tags: Tags, games: &Games, game: u32) -> Result<u64, DbError> {
    let tags = dated(tags, games, game)?;
    Ok(game_hash(games.plies(game)?, &games.packed_moves(game)?, &tags, games.facts(game)?.result))
}

/// The ids of all games of a file, in order.
pub(super) fn game_ids(games: &Games) -> Result<Vec<u64>, DbError> {
    let mut ids = Vec::with_capacity(games.len() as usize);
    games.each_tags(|game, tags| {
        ids.push(game_id(tags, games, game)?);
        Ok(())
    })?;
    Ok(ids)
}

/// The position as text with its clocks at the start: the same for all that are the same by the rules.
pub(super) fn plain_text<R: Stored>(pos: &Position<R>) -> String {
    let mut text = pos.fen();
    // Makruk's count stands where the clock does, and is part of the position.
    let fields = if pos.count().is_some() { 1 } else { 2 };
    for _ in 0..fields {
        text.truncate(text.rfind(' ').unwrap_or(text.len()));
    }
    text += if fields == 1 { " 1" } else { " 0 1" };
    // What a Met was before it was promoted has no part in the rules.
    if pos.promoted().any() {
        text.retain(|c| c != '~');
    }
    text
}

/// A move that needs no position to be written.
fn plain_uci<R: Stored>(bits: u16) -> Option<String> {
    let mut text = String::with_capacity(5);
    for square in [bits & 63, bits >> 6 & 63] {
        text.push(char::from(b'a' + (square & 7) as u8));
        text.push(char::from(b'1' + (square >> 3) as u8));
    }
    match bits >> 12 {
        0 => {}
        kind @ 1..=4 => text.push(R::letter(Kind::ALL[usize::from(kind)]).to_ascii_lowercase()),
        _ => return None,
    }
    Some(text)
}

impl<R: Stored> Database<R> {
    /// What makes a game the same game in every database.
    pub fn game_id(&self, game: GameRef) -> Result<u64, DbError> {
        let games = &self.segment(game.segment)?.games;
        game_id(games.tags(game.game)?, games, game.game)
    }

    /// A game's id and the game itself, with the date that is known of it.
    pub fn archived(&self, game: GameRef) -> Result<(u64, PgnGame), DbError> {
        let games = &self.segment(game.segment)?.games;
        let tags = games.tags(game.game)?;
        let id = game_id(tags.clone(), games, game.game)?;
        let whole = games.game_with::<R>(game.game, tags.clone())?;
        Ok((id, PgnGame { tags: dated(tags, games, game.game)?, ..whole }))
    }

    /// All games, in the order of import.
    pub fn games(&self) -> impl Iterator<Item = GameRef> + '_ {
        self.segments().iter().flat_map(|segment| {
            let games = 0..segment.games.len();
            games.map(|game| GameRef { segment: segment.id, game })
        })
    }

    /// Calls `f` with the rows of each position of each segment, in the order of keys. `work` is a folder for temporary files.
    pub fn each_row<E: From<DbError>>(&self, work: &Path, mut f: impl FnMut(Row) -> Result<(), E>) -> Result<(), E> {
        let mut ids = Vec::new();
        for segment in self.segments() {
            ids.push(game_ids(&segment.games)?);
        }
        let mut places = Places::collect(self, work)?;
        let mut rows = Vec::new();
        while let Some((segment, found)) = places.next()? {
            rows.clear();
            self.rows_of(segment, &found, &ids, &mut rows)?;
            rows.drain(..).try_for_each(&mut f)?;
        }
        Ok(())
    }

    /// The codes of rows' positions that need no table, computed on all cores; empty where there is none (a Makruk count
    /// that has run out).
    pub fn codes_of(&self, rows: &[Row]) -> Vec<String> {
        let codec = R::codec(self.variant());
        // The rows of a position follow each other.
        let same: Vec<&[Row]> = rows.chunk_by(|a, b| a.position == b.position).collect();
        let read = |rows: &&[Row]| Position::<R>::from_fen(&rows[0].position).ok();
        let positions: Vec<Option<Position<R>>> = in_parallel(&same, read);
        let known: Vec<Position<R>> = positions.iter().flatten().copied().collect();
        let mut direct = codec.encode_many(&known).into_iter();
        let mut codes = Vec::with_capacity(rows.len());
        for (rows, pos) in same.iter().zip(&positions) {
            let code = pos.as_ref().and_then(|pos| match direct.next()? {
                Ok(code) => Some(codec.text(AnyCode::Short(code))),
                Err(_) => codec.encode_text(pos).ok(),
            });
            codes.extend(std::iter::repeat_n(code.unwrap_or_default(), rows.len()));
        }
        codes
    }

    /// The rows of one position, by move.
    fn rows_of(&self, segment: usize, found: &Found<'_>, ids: &[Vec<u64>], rows: &mut Vec<Row>) -> Result<(), DbError> {
        let segment = &self.segments[segment];
        let bad = || segment.bad_record();
        let id = |game: GameRef| {
            let at = self.segments.iter().position(|s| s.id == game.segment).ok_or_else(bad)?;
            ids[at].get(game.game as usize).copied().ok_or_else(bad)
        };
        let facts = |game: GameRef| self.segment(game.segment)?.games.facts(game.game);
        let home = &self.segments[found.home];
        let first = GameRef { segment: home.id, game: found.game };
        for played in self.moves_of(segment, found.entry, || Ok((first, found.mv)))? {
            rows.push(Row {
                key: found.key,
                position: found.text.to_owned(),
                uci: self.uci_of(found.text, played.mv).ok_or_else(bad)?,
                figures: played.figures,
                first_game: id(first)?,
                first_ply: u32::from(found.ply),
                best_rating: facts(played.best)?.rating,
                best_game: id(played.best)?,
                latest_date: date_key(&facts(played.latest)?),
                latest_game: id(played.latest)?,
            });
        }
        if rows.len() > 1 {
            rows.sort_by(|a, b| a.uci.cmp(&b.uci));
        }
        Ok(())
    }

    /// A stored move as text; the position is only needed for Chess960's castling.
    fn uci_of(&self, position: &str, bits: u16) -> Option<String> {
        if bits == NO_MOVE {
            return Some(String::new());
        }
        if R::CASTLING && (bits >> 12 == CASTLE || self.notation() == Notation::Chess960) {
            let pos = Position::<R>::from_fen(position).ok()?;
            let mv = pos.legal_moves().iter().copied().find(|&mv| move_bits(mv) == bits)?;
            return Some(pos.uci(mv, self.notation()));
        }
        plain_uci::<R>(bits)
    }
}

#[cfg(test)]
mod tests {
    use rukh_code::without_clocks;
    use rukh_core::{Chess, Makruk};

    use super::*;

    fn agree<R: Stored>(fen: &str) {
        let mut pos = Position::<R>::from_fen(fen).unwrap();
        let mut rng = rukh_core::rng::Rng::plain(1);
        for _ in 0..300 {
            let legal = pos.legal_moves();
            if legal.is_empty() || super::super::parse::is_past_count(&pos) {
                break;
            }
            let want = without_clocks(&pos).unwrap().fen().replace('~', "");
            assert_eq!(plain_text(&pos), want);
            for &mv in legal.iter().filter(|mv| !mv.is_castle()) {
                assert_eq!(plain_uci::<R>(move_bits(mv)).unwrap(), pos.uci(mv, Notation::Standard));
            }
            pos = pos.after(legal[rng.below(legal.len())]);
        }
    }

    #[test]
    fn texts_without_clocks() {
        agree::<Chess>("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        agree::<Chess>("7k/PPPP4/8/8/8/8/pppp4/7K w - - 30 40");
        agree::<Makruk>("rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1");
        agree::<Makruk>("8/8/4k3/8/3PP3/2K5/8/R6R w - - 0 1");
        agree::<Makruk>("8/8/4k3/8/8/2K5/4M3/R6R w - - 0 1");
    }
}

//! The game store: moves packed by rank, headers in compressed blocks, one fixed record per game.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use rukh_core::{Move, Position};

use super::Stored;
use super::bits::{put_varint, take_varint};
use super::container::{Container, ContainerWriter, PARAMS, Room, Seal, Spill};
use super::disk::{Folder, Handle};
use super::error::DbError;
use super::heads::{self, Heads};
use super::movecode::replay;
use rukh_pgn::{GameResult, PgnGame, Tags};

pub const MAGIC: &[u8; 8] = b"RUKHGAM1";
const TABLE: usize = 0;
const MOVES: usize = 1;
const HEADS: usize = 2;
const HEAD_OFFSETS: usize = 3;
const HASHES: usize = 4;
/// Games whose headers are compressed together.
const HEAD_BLOCK: usize = 64;
const RECORD: usize = 16;
const MAX_HEAD_BLOCK: usize = 16 << 20;

/// What the statistics need of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// The result.
    pub result: GameResult,
    /// Mean rating of the players, 0 if unknown.
    pub rating: u16,
    /// Year, 0 if unknown.
    pub year: u16,
    /// Month, 0 if unknown.
    pub month: u8,
    /// Day, 0 if unknown.
    pub day: u8,
    /// The game does not start from the initial position.
    pub set_up: bool,
}

/// The tags that the store keeps.
pub const KEPT_TAGS: [&str; 12] = [
    "Event", "Site", "Date", "Round", "White", "Black", "WhiteElo", "BlackElo", "ECO", "TimeControl", "Variant", "FEN",
];

/// A fixed record: first ordinal u40, offset of the moves u40, rating u16, year and month u16, day and result and
/// set-up flag u8, one byte free.
fn record(ordinal: u64, offset: u64, facts: &Facts) -> [u8; RECORD] {
    let mut r = [0; RECORD];
    r[..5].copy_from_slice(&ordinal.to_le_bytes()[..5]);
    r[5..10].copy_from_slice(&offset.to_le_bytes()[..5]);
    r[10..12].copy_from_slice(&facts.rating.to_le_bytes());
    let date = facts.year.min(4095) | u16::from(facts.month.min(15)) << 12;
    r[12..14].copy_from_slice(&date.to_le_bytes());
    let result = match facts.result {
        GameResult::White => 0,
        GameResult::Black => 1,
        GameResult::Draw => 2,
        GameResult::Unknown => 3,
    };
    r[14] = facts.day.min(31) | result << 5 | u8::from(facts.set_up) << 7;
    r
}

/// Where a segment belongs: a lost manifest can be made again from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin {
    /// The database; 0 in segments of old versions.
    pub database: u64,
    /// Positions of all games before.
    pub base: u64,
}

impl Origin {
    pub fn known(&self) -> bool {
        self.database != 0
    }
}

/// Writes a game segment.
pub struct GameWriter {
    table: Spill,
    moves: Spill,
    heads: Spill,
    offsets: Spill,
    hashes: Vec<u64>,
    block: Vec<u8>,
    in_block: usize,
    games: u32,
    positions: u64,
}

impl GameWriter {
    pub fn create(folder: &Folder) -> Result<GameWriter, DbError> {
        Ok(GameWriter {
            table: Spill::create(folder)?,
            moves: Spill::create(folder)?,
            heads: Spill::create(folder)?,
            offsets: Spill::create(folder)?,
            hashes: Vec::new(),
            block: Vec::new(),
            in_block: 0,
            games: 0,
            positions: 0,
        })
    }

    pub fn games(&self) -> u32 {
        self.games
    }

    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// About the size of the file so far, and not less.
    pub fn bytes(&self) -> u64 {
        let written = self.table.len() + self.moves.len() + self.heads.len() + self.offsets.len();
        written + self.block.len() as u64 + 8 * self.hashes.len() as u64
    }

    /// Notes the hash of a game, in any order.
    pub fn add_hash(&mut self, hash: u64) {
        self.hashes.push(hash);
    }

    /// Adds a game and returns its number.
    pub fn add(&mut self, facts: &Facts, plies: usize, head: &[u8], moves: &[u8]) -> Result<u32, DbError> {
        self.table.put(&record(self.positions, self.moves.len(), facts))?;
        self.moves.put(moves)?;
        put_varint(&mut self.block, head.len() as u64);
        self.block.extend_from_slice(head);
        self.in_block += 1;
        if self.in_block == HEAD_BLOCK {
            self.end_block()?;
        }
        self.games += 1;
        self.positions += plies as u64 + 1;
        Ok(self.games - 1)
    }

    fn end_block(&mut self) -> Result<(), DbError> {
        self.offsets.put(&self.heads.len().to_le_bytes())?;
        let packed = zstd::bulk::compress(&self.block, 6).unwrap_or_default();
        self.heads.put(&packed)?;
        self.block.clear();
        self.in_block = 0;
        Ok(())
    }

    /// Writes the segment.
    pub fn finish(mut self, file: Handle, origin: Origin) -> Result<Seal, DbError> {
        if self.in_block > 0 {
            self.end_block()?;
        }
        // A last record and offset mark the ends.
        self.table.put(&record(self.positions, self.moves.len(), &Facts::default()))?;
        self.offsets.put(&self.heads.len().to_le_bytes())?;
        let mut out = ContainerWriter::new(file)?;
        self.table.pour(TABLE, &mut out)?;
        self.moves.pour(MOVES, &mut out)?;
        self.heads.pour(HEADS, &mut out)?;
        self.offsets.pour(HEAD_OFFSETS, &mut out)?;
        // In order, so that a game can be looked for; their own order says nothing.
        self.hashes.sort_unstable();
        let hashes: Vec<u8> = self.hashes.iter().flat_map(|h| h.to_le_bytes()).collect();
        out.section(HASHES, &hashes)?;
        let mut params = [0; PARAMS];
        params[0] = u64::from(self.games);
        params[1] = self.positions;
        params[2] = origin.database;
        params[3] = origin.base;
        out.finish(MAGIC, &params)
    }
}

/// A game segment open for reading.
pub struct Games {
    file: Container,
    games: u32,
    heads: Heads,
}

impl Games {
    /// Opens a game file.
    pub(crate) fn open(folder: &Folder, name: &str, room: &Arc<Room>) -> Result<Games, DbError> {
        let file = Container::open(folder, name, MAGIC, room)?;
        let bad = |problem: &str| Err(DbError::damaged(file.path(), problem));
        let Ok(games) = u32::try_from(file.param(0)) else { return bad("impossible number of games") };
        if file.section_len(TABLE) as u64 != (u64::from(games) + 1) * RECORD as u64 {
            return bad("its table does not have one record per game");
        }
        let heads = Heads::new((games as usize).div_ceil(HEAD_BLOCK), room);
        Ok(Games { file, games, heads })
    }

    /// The file.
    pub(crate) fn file(&self) -> &Container {
        &self.file
    }

    /// Number of games.
    pub fn len(&self) -> u32 {
        self.games
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.games == 0
    }

    /// Bytes of packed moves and of the game table: what turning a code back into a position needs.
    pub fn code_bytes(&self) -> usize {
        self.file.section_len(MOVES) + self.file.section_len(TABLE)
    }

    /// Where the segment belongs.
    pub(crate) fn origin(&self) -> Origin {
        Origin { database: self.file.param(2), base: self.file.param(3) }
    }

    fn record(&self, game: u32) -> Result<[u8; RECORD], DbError> {
        self.file.array(TABLE, game as usize * RECORD)
    }

    /// The record behind a game's: the next game's, or that of the ends.
    fn record_behind(&self, game: u32) -> Result<[u8; RECORD], DbError> {
        self.file.array(TABLE, (game as usize + 1) * RECORD)
    }

    /// The number of the game's first position among all positions of the segment.
    pub fn first_ordinal(&self, game: u32) -> Result<u64, DbError> {
        Ok(u40(&self.record(game)?[..5]))
    }

    /// Half-moves of a game.
    pub fn plies(&self, game: u32) -> Result<usize, DbError> {
        let next = u40(&self.record_behind(game)?[..5]);
        Ok(next.saturating_sub(self.first_ordinal(game)? + 1).min(u64::from(u16::MAX)) as usize)
    }

    /// What the statistics need of a game.
    pub fn facts(&self, game: u32) -> Result<Facts, DbError> {
        let r = self.record(game)?;
        let date = u16::from_le_bytes([r[12], r[13]]);
        Ok(Facts {
            rating: u16::from_le_bytes([r[10], r[11]]),
            year: date & 4095,
            month: (date >> 12) as u8,
            day: r[14] & 31,
            result: match r[14] >> 5 & 3 {
                0 => GameResult::White,
                1 => GameResult::Black,
                2 => GameResult::Draw,
                _ => GameResult::Unknown,
            },
            set_up: r[14] >> 7 != 0,
        })
    }

    /// Whether a game with this hash is here.
    pub(crate) fn has_hash(&self, hash: u64) -> Result<bool, DbError> {
        let (mut low, mut high) = (0, self.games as usize);
        while low < high {
            let middle = low.midpoint(high);
            match self.file.u64(HASHES, middle)?.cmp(&hash) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Ok(true),
                Ordering::Greater => high = middle,
            }
        }
        Ok(false)
    }

    /// All hashes, ascending.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = Result<u64, DbError>> + '_ {
        (0..self.games as usize).map(|i| self.file.u64(HASHES, i))
    }

    /// Positions of all games: one more than the greatest ordinal.
    pub fn ordinals(&self) -> u64 {
        self.file.param(1)
    }

    /// Game and half-move of an ordinal.
    pub fn locate(&self, ordinal: u64) -> Result<Option<(u32, usize)>, DbError> {
        if ordinal >= self.file.param(1) {
            return Ok(None);
        }
        let (mut low, mut high) = (0u32, self.games);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.first_ordinal(middle)? <= ordinal { low = middle } else { high = middle }
        }
        let ply = ordinal.checked_sub(self.first_ordinal(low)?);
        let ply = ply.ok_or_else(|| DbError::damaged(self.file.path(), "its games are not in order"))?;
        Ok(Some((low, ply as usize)))
    }

    /// The kept tags of a game.
    pub fn tags(&self, game: u32) -> Result<Tags, DbError> {
        let bad = || DbError::damaged(self.file.path(), format!("header of game {game} unreadable"));
        let block = game as usize / HEAD_BLOCK;
        let text = self.heads.get(block, || self.head_block(block))?;
        let mut rest = &text[..];
        let mut head: &[u8] = &[];
        for _ in 0..=game as usize % HEAD_BLOCK {
            let len = take_varint(&mut rest).ok_or_else(bad)? as usize;
            let (this, after) = rest.split_at_checked(len).ok_or_else(bad)?;
            (head, rest) = (this, after);
        }
        read_head(head).ok_or_else(bad)
    }

    fn head_block(&self, block: usize) -> Result<Vec<u8>, DbError> {
        let (from, to) = (self.file.u64(HEAD_OFFSETS, block)?, self.file.u64(HEAD_OFFSETS, block + 1)?);
        let packed = self.file.bytes(HEADS, from as usize..to as usize)?;
        heads::unpack(&packed, MAX_HEAD_BLOCK)
            .ok_or_else(|| DbError::damaged(self.file.path(), format!("headers of block {block} unreadable")))
    }

    /// The kept tags of all games in order; each block is unpacked once.
    pub(crate) fn each_tags(&self, mut f: impl FnMut(u32, Tags) -> Result<(), DbError>) -> Result<(), DbError> {
        let mut text = Vec::new();
        let mut rest: &[u8] = &[];
        for game in 0..self.games {
            let bad = || DbError::damaged(self.file.path(), format!("header of game {game} unreadable"));
            if (game as usize).is_multiple_of(HEAD_BLOCK) {
                text = self.head_block(game as usize / HEAD_BLOCK)?;
                rest = &text;
            }
            let len = take_varint(&mut rest).ok_or_else(bad)? as usize;
            let (head, after) = rest.split_at_checked(len).ok_or_else(bad)?;
            rest = after;
            f(game, read_head(head).ok_or_else(bad)?)?;
        }
        drop(text);
        Ok(())
    }

    fn start<R: Stored>(&self, game: u32) -> Result<Position<R>, DbError> {
        if !self.facts(game)?.set_up {
            return Ok(Position::startpos());
        }
        let start = self.tags(game)?.start_position().ok();
        start
            .as_ref()
            .and_then(|start| start.of())
            .copied()
            .ok_or_else(|| DbError::damaged(self.file.path(), format!("start position of game {game} unreadable")))
    }

    pub(crate) fn packed_moves(&self, game: u32) -> Result<Cow<'_, [u8]>, DbError> {
        let from = u40(&self.record(game)?[5..10]) as usize;
        let to = u40(&self.record_behind(game)?[5..10]) as usize;
        self.file.bytes(MOVES, from..to)
    }

    /// Plays a game through; `f` sees each position and the move from it and may stop.
    pub fn replay<R: Stored>(
        &self,
        game: u32,
        f: impl FnMut(usize, &Position<R>, Option<Move>) -> bool,
    ) -> Result<(), DbError> {
        let bad = || DbError::damaged(self.file.path(), format!("moves of game {game} unreadable"));
        let bytes = self.packed_moves(game)?;
        replay(&self.start(game)?, self.plies(game)?, &bytes, f).ok_or_else(bad)
    }

    /// The position of a game after `ply` half-moves.
    pub fn position<R: Stored>(&self, game: u32, ply: usize) -> Result<Option<Position<R>>, DbError> {
        let mut found = None;
        self.replay(game, |at, pos: &Position<R>, _| {
            if at == ply {
                found = Some(*pos);
            }
            at < ply
        })?;
        Ok(found)
    }

    /// The whole game.
    pub fn game<R: Stored>(&self, game: u32) -> Result<PgnGame, DbError> {
        self.game_with::<R>(game, self.tags(game)?)
    }

    /// The whole game, whose tags are known already.
    pub(crate) fn game_with<R: Stored>(&self, game: u32, tags: Tags) -> Result<PgnGame, DbError> {
        let mut moves = Vec::new();
        self.replay(game, |_, _: &Position<R>, mv| {
            moves.extend(mv);
            true
        })?;
        let plain = || DbError::damaged(self.file.path(), format!("start position of game {game} unreadable"));
        let start = match self.facts(game)?.set_up {
            true => tags.start_position().map_err(|_| plain())?,
            false => Position::<R>::startpos().into(),
        };
        Ok(PgnGame { tags, start, moves, result: self.facts(game)?.result, terminated: true, line: 0 })
    }
}

fn u40(b: &[u8]) -> u64 {
    u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], 0, 0, 0])
}

/// The kept tags as bytes: tag number, length, value.
pub fn write_head(tags: &Tags, out: &mut Vec<u8>) {
    for (i, name) in KEPT_TAGS.iter().enumerate() {
        if let Some(value) = tags.get_raw(name)
            && !matches!(value, b"" | b"?" | b"-" | b"????.??.??")
        {
            out.push(i as u8);
            put_varint(out, value.len() as u64);
            out.extend_from_slice(value);
        }
    }
}

fn read_head(mut head: &[u8]) -> Option<Tags> {
    let mut tags = Tags::default();
    while let Some((&tag, rest)) = head.split_first() {
        head = rest;
        let len = take_varint(&mut head)? as usize;
        let (value, rest) = head.split_at_checked(len)?;
        head = rest;
        tags.push_raw(KEPT_TAGS.get(usize::from(tag))?.as_bytes(), rukh_pgn::RawValue(value));
    }
    Some(tags)
}

//! The parallel part of an import: text in, hashed and packed games out.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr_iter;
use rukh_core::{Chess, Makruk, Position, Rules, Variant};

use super::Stored;
use super::games::{Facts, write_head};
use super::movecode::{MoveEncoder, move_bits};
use super::stats::NO_MOVE;
use rukh_pgn::{
    GameResult, LexError, MAX_PLIES, PgnError, RawValue, Reason, Resolve, SanProblem, Tags, Visitor, parse_game,
    parse_game_noting, variant_named,
};

/// Which games and positions an import takes.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Least mean rating of the players; games without one are refused.
    pub min_rating: Option<u16>,
    /// Greatest mean rating.
    pub max_rating: Option<u16>,
    /// First date: year, month, day; a part that a game does not know counts as 0.
    pub since: Option<(u16, u8, u8)>,
    /// Last date.
    pub until: Option<(u16, u8, u8)>,
    /// Least seconds a player has for 40 moves, by the `TimeControl` tag.
    pub min_seconds: Option<u32>,
    /// Most seconds for 40 moves.
    pub max_seconds: Option<u32>,
    /// Only games with this result.
    pub result: Option<GameResult>,
    /// Half-moves from which positions are indexed.
    pub min_ply: usize,
    /// Half-moves up to which positions are indexed; the games are stored whole.
    pub max_ply: Option<usize>,
    /// Positions with fewer games are left out of the index.
    pub min_games: u64,
}

impl Filter {
    fn takes(&self, tags: &Tags) -> bool {
        let rating = tags.mean_elo();
        let date = tags.date();
        self.min_rating.is_none_or(|least| rating.is_some_and(|r| r >= least))
            && self.max_rating.is_none_or(|most| rating.is_some_and(|r| r <= most))
            && self.since.is_none_or(|first| date.is_some_and(|d| d >= first))
            && self.until.is_none_or(|last| date.is_some_and(|d| d <= last))
            && self.min_seconds.is_none_or(|least| forty_moves(tags).is_some_and(|s| s >= least))
            && self.max_seconds.is_none_or(|most| forty_moves(tags).is_some_and(|s| s <= most))
    }
}

/// Seconds for 40 moves: `300+3` is 420. Forms with several periods count their first.
fn forty_moves(tags: &Tags) -> Option<u32> {
    let raw = tags.get("TimeControl")?;
    let first = raw.split(':').next()?;
    let first = first.rsplit('/').next()?;
    let (base, increment) = first.split_once('+').unwrap_or((first, "0"));
    let increment: f64 = increment.trim().parse().ok()?;
    let base: f64 = base.trim().parse().ok()?;
    Some((base + 40.0 * increment).clamp(0.0, 1e9) as u32)
}

/// Text of several games.
#[derive(Default)]
pub struct Batch {
    number: u64,
    /// What the database holds, once a game has said so.
    pub variant: Option<Variant>,
    text: Vec<u8>,
    /// End of each chunk in the text, and its first line.
    chunks: Vec<(usize, u64)>,
    problems: Vec<PgnError>,
}

impl Batch {
    pub fn numbered(number: u64, variant: Option<Variant>) -> Batch {
        Batch { number, variant, ..Batch::default() }
    }

    pub fn push(&mut self, bytes: &[u8], line: u64) {
        self.text.extend_from_slice(bytes);
        self.chunks.push((self.text.len(), line));
    }

    pub fn problem(&mut self, problem: PgnError) {
        self.problems.push(problem);
    }

    pub fn len(&self) -> usize {
        self.text.len()
    }
}

/// One game of a batch; the ranges point into the batch's shared buffers.
pub struct ParsedGame {
    pub hash: u64,
    pub facts: Facts,
    pub plies: usize,
    pub head: Range<usize>,
    pub moves: Range<usize>,
    pub positions: Range<usize>,
}

/// A batch after parsing.
#[derive(Default)]
pub struct Parsed {
    pub number: u64,
    pub variant: Option<Variant>,
    pub chunks: u64,
    pub bytes: u64,
    pub games: Vec<ParsedGame>,
    pub heads: Vec<u8>,
    pub moves: Vec<u8>,
    /// Key, half-move and move of every position, each position of a game once.
    pub positions: Vec<(u64, u16, u16)>,
    pub filtered: u64,
    pub problems: Vec<PgnError>,
}

/// Whether Makruk's count has ended before this position, so that the game was over and the position has no notation.
pub fn is_past_count<R: Rules>(pos: &Position<R>) -> bool {
    pos.count().is_some_and(|count| u32::from(count.plies) > u32::from(count.limit).max(2 * pos.occupied().count()) + 1)
}

/// Keys since the last irreversible move of a game, to count a repeated position once.
#[derive(Default)]
pub struct Recent(Vec<u64>);

impl Recent {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether the next position of the game is met for the first time, and before the game is over by the count.
    #[inline]
    pub fn is_new<R: Rules>(&mut self, pos: &Position<R>) -> bool {
        let key = pos.key();
        if pos.halfmove_clock() == 0 {
            self.0.clear();
        }
        // The same side is to move every second time, and nothing repeats before the fourth half-move.
        let repeated = self.0.iter().rev().skip(3).step_by(2).any(|&k| k == key);
        self.0.push(key);
        !repeated && !is_past_count(pos)
    }
}

/// The variant of a game, to decide what a new database holds: what its header says; without a header it must at least
/// begin as chess does.
pub fn variant_of(text: &[u8]) -> Option<Variant> {
    struct Header {
        tags: Tags,
        chess: bool,
    }
    impl Visitor for Header {
        fn tag(&mut self, name: &[u8], value: RawValue<'_>) -> Result<(), Reason> {
            self.tags.push_raw(name, value);
            Ok(())
        }

        fn moves_wanted(&mut self) -> Result<bool, Reason> {
            Ok(self.tags.is_empty())
        }

        fn san(&mut self, san: &[u8]) -> Result<(), Reason> {
            self.chess |= Chess::resolve(&Position::startpos(), san).is_ok();
            // One move is enough.
            Err(Reason::Binary)
        }

        fn end(&mut self, _: Option<GameResult>) {}
    }
    let mut header = Header { tags: Tags::default(), chess: false };
    // What is wrong with the game will be told when it is read in earnest.
    let _ = parse_game(text, &mut header);
    match header.tags.get("Variant") {
        Some(name) => variant_named(&name),
        None => (header.chess || !header.tags.is_empty()).then_some(Variant::Chess),
    }
}

/// Parses batches, whatever the variant.
pub struct AnyParser {
    filter: Filter,
    file: Arc<str>,
    chess: Option<Parser<Chess>>,
    makruk: Option<Parser<Makruk>>,
}

impl AnyParser {
    pub fn new(filter: Filter, file: Arc<str>) -> AnyParser {
        AnyParser { filter, file, chess: None, makruk: None }
    }

    pub fn parse(&mut self, batch: &Batch) -> Parsed {
        // A batch in which no header could be read holds errors only.
        let variant = batch.variant.unwrap_or(Variant::Chess);
        let (filter, file) = (&self.filter, &self.file);
        let mut parsed = match variant {
            Variant::Makruk => {
                self.makruk.get_or_insert_with(|| Parser::new(filter.clone(), file.clone())).parse(batch, variant)
            }
            Variant::Chess | Variant::Chess960 => {
                self.chess.get_or_insert_with(|| Parser::new(filter.clone(), file.clone())).parse(batch, variant)
            }
        };
        parsed.variant = batch.variant;
        parsed
    }
}

/// Parses batches of one variant.
struct Parser<R: Stored> {
    variant: Variant,
    filter: Filter,
    file: Arc<str>,
    tags: Tags,
    encoder: MoveEncoder,
    out: Parsed,
    pos: Position<R>,
    plies: usize,
    set_up: bool,
    refused: bool,
    result: GameResult,
    recent: Recent,
}

impl<R: Stored> Parser<R> {
    fn new(filter: Filter, file: Arc<str>) -> Parser<R> {
        Parser {
            variant: R::VARIANT,
            filter,
            file,
            tags: Tags::default(),
            encoder: MoveEncoder::default(),
            out: Parsed::default(),
            pos: Position::startpos(),
            plies: 0,
            set_up: false,
            refused: false,
            result: GameResult::Unknown,
            recent: Recent::default(),
        }
    }

    fn parse(&mut self, batch: &Batch, variant: Variant) -> Parsed {
        self.variant = variant;
        self.out = Parsed {
            number: batch.number,
            // Skipped giants were chunks too.
            chunks: (batch.chunks.len() + batch.problems.len()) as u64,
            bytes: batch.text.len() as u64,
            ..Parsed::default()
        };
        for p in &batch.problems {
            let reason = match p.reason {
                Reason::TooLarge { limit } => Reason::TooLarge { limit },
                _ => Reason::Binary,
            };
            self.out.problems.push(PgnError { file: p.file.clone(), line: p.line, reason });
        }
        let mut from = 0;
        for &(to, line) in &batch.chunks {
            self.chunk(&batch.text[from..to], line);
            from = to;
        }
        std::mem::take(&mut self.out)
    }

    /// The games of a chunk: one, or several without tags.
    fn chunk(&mut self, bytes: &[u8], line: u64) {
        let mut at = 0;
        while at < bytes.len() && !bytes[at..].iter().all(u8::is_ascii_whitespace) {
            let marks = (self.out.heads.len(), self.out.moves.len(), self.out.positions.len());
            self.tags.clear();
            self.plies = 0;
            self.refused = false;
            self.recent.clear();
            let mut notes = Vec::new();
            let result = parse_game_noting(&bytes[at..], self, &mut notes);
            for LexError { offset, reason } in notes {
                let problem = self.problem(bytes, line, LexError { offset: at + offset, reason });
                self.out.problems.push(problem);
            }
            match result {
                Ok(taken) => {
                    let empty = self.tags.is_empty() && self.plies == 0;
                    if !self.refused && !empty {
                        self.keep(marks);
                    }
                    if self.refused || empty {
                        self.undo(marks);
                        self.out.filtered += u64::from(self.refused);
                    }
                    if taken == 0 {
                        return;
                    }
                    at += taken;
                }
                Err(LexError { offset, reason }) => {
                    self.undo(marks);
                    let problem = self.problem(bytes, line, LexError { offset: at + offset, reason });
                    self.out.problems.push(problem);
                    return;
                }
            }
        }
    }

    /// A problem at an offset of `bytes`, which begin at `line`.
    fn problem(&self, bytes: &[u8], line: u64, LexError { offset, reason }: LexError) -> PgnError {
        let before = memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count() as u64;
        PgnError { file: self.file.clone(), line: line + before, reason }
    }

    /// Takes back what a refused game has written.
    fn undo(&mut self, (heads, moves, positions): (usize, usize, usize)) {
        self.out.heads.truncate(heads);
        self.out.moves.truncate(moves);
        self.out.positions.truncate(positions);
        self.encoder = MoveEncoder::default();
    }

    fn keep(&mut self, (heads, moves, positions): (usize, usize, usize)) {
        if self.filter.result.is_some_and(|r| r != self.result) {
            self.refused = true;
            return;
        }
        self.position(NO_MOVE);
        self.encoder.finish(&mut self.out.moves);
        write_head(&self.tags, &mut self.out.heads);
        let (year, month, day) = self.tags.date().unwrap_or((0, 0, 0));
        let rating = self.tags.mean_elo().unwrap_or(0);
        let facts = Facts { result: self.result, rating, year, month, day, set_up: self.set_up };
        let hash = game_hash(self.plies, &self.out.moves[moves..], &self.tags, self.result);
        self.out.games.push(ParsedGame {
            hash,
            facts,
            plies: self.plies,
            head: heads..self.out.heads.len(),
            moves: moves..self.out.moves.len(),
            positions: positions..self.out.positions.len(),
        });
    }

    /// Notes the position at hand with the move from it.
    #[inline]
    fn position(&mut self, mv: u16) {
        if self.plies < self.filter.min_ply || self.filter.max_ply.is_some_and(|most| self.plies > most) {
            return;
        }
        if self.recent.is_new(&self.pos) {
            self.out.positions.push((self.pos.key(), self.plies as u16, mv));
        }
    }
}

impl<R: Stored> Visitor for Parser<R> {
    fn tag(&mut self, name: &[u8], value: RawValue<'_>) -> Result<(), Reason> {
        self.tags.push_raw(name, value);
        Ok(())
    }

    fn moves_wanted(&mut self) -> Result<bool, Reason> {
        if !self.filter.takes(&self.tags) {
            self.refused = true;
            return Ok(false);
        }
        let start = self.tags.start_position()?;
        self.set_up = start != Position::<R>::startpos().into();
        match start.of::<Position<R>>().filter(|_| start.variant() == self.variant) {
            Some(pos) => self.pos = *pos,
            None => return Err(Reason::OtherVariant { game: start.variant(), database: self.variant }),
        }
        Ok(true)
    }

    #[inline]
    fn san(&mut self, san: &[u8]) -> Result<(), Reason> {
        if self.plies >= MAX_PLIES {
            return Err(Reason::TooLong { limit: MAX_PLIES });
        }
        let mv = match R::resolve(&self.pos, san) {
            Ok(mv) => mv,
            Err(problem) => return Err(bad_move(&self.pos, san, problem)),
        };
        self.position(move_bits(mv));
        self.encoder.push(&self.pos.legal_moves(), mv, &mut self.out.moves);
        self.pos = self.pos.after_unchecked(mv);
        self.plies += 1;
        Ok(())
    }

    fn open_variation(&mut self) -> Result<bool, Reason> {
        if self.plies == 0 { Err(Reason::StrayVariation) } else { Ok(false) }
    }

    fn end(&mut self, result: Option<GameResult>) {
        self.result = match result {
            Some(GameResult::Unknown) | None => self.tags.result(),
            Some(result) => result,
        };
    }
}

#[cold]
fn bad_move<R: Stored>(pos: &Position<R>, san: &[u8], problem: SanProblem) -> Reason {
    rukh_pgn::bad_move(&(*pos).into(), san, problem)
}

/// Players, date, result, a web address if the game has one, and the moves: what makes two games the same. Stored on disk.
pub fn game_hash(plies: usize, moves: &[u8], tags: &Tags, result: GameResult) -> u64 {
    let mut hash = hash_bytes(plies as u64, moves);
    for name in ["White", "Black", "Date", "FEN"] {
        hash = hash_bytes(hash, tags.get_raw(name).unwrap_or(b"?"));
    }
    if let Some(site) = tags.get_raw("Site").filter(|s| s.starts_with(b"http")) {
        hash = hash_bytes(hash, site);
    }
    hash_bytes(hash, result.as_str().as_bytes())
}

/// A 64-bit hash for files: FNV-1a by bytes with a final mix. Stored on disk, so it must never change.
pub fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut h = seed ^ 0xcbf2_9ce4_8422_2325;
    for &b in bytes {
        h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    h = (h ^ (h >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    h ^ (h >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Databases of every age have such hashes: of games, of sources, of their own files.
    #[test]
    fn the_hash_of_files_never_changes() {
        let of = [hash_bytes(0, b""), hash_bytes(0, b"rukh"), hash_bytes(7, b"1-0")];
        assert_eq!(of, [0xfdbd_f6ac_4fc5_2e7f, 0x49cf_823d_eb8a_a591, 0x99ef_5672_1409_6856]);
    }
}

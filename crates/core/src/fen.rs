//! FEN: reading with validation, writing.
//!
//! Chess reads and writes X-FEN, and reads Shredder-FEN. Makruk uses the dialect of Fairy-Stockfish (field 4 the count's limit in
//! plies or `-`, field 5 the plies counted) and also reads `0` for `-`, and the dialect with the letters B F M T E R K and 3 or 8
//! fields.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::position::{Position, color_plane};
use crate::rules::{BoardHonour, Chess, ChessState, Count, Makruk, MakrukState, Rules};
use crate::types::{CastlingRights, Color, Kind, Square};
use alloc::string::String;
use core::fmt::{self, Write as _};
use core::str::FromStr;

/// Why a FEN was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum FenReason {
    #[error("the text is empty")]
    Empty,
    #[error("it has {0} field{s}, expected {1}", s = if *.0 == 1 { "" } else { "s" })]
    Fields(usize, &'static str),
    #[error("a board has 8 ranks, this has {0}")]
    Ranks(usize),
    #[error("rank {0} does not have exactly 8 squares")]
    RankWidth(u8),
    #[error("`{0}` is not a piece letter or a digit 1–8")]
    Letter(char),
    #[error("`~` must follow a Met")]
    Tilde,
    #[error("two pieces are on the same square")]
    Overlap,
    #[error("the side to move must be `w` or `b`")]
    SideToMove,
    #[error("{0} has no king")]
    NoKing(Color),
    #[error("{0} has more than one king")]
    ManyKings(Color),
    #[error("{0} has too many pieces: more than 16, or more than promotion can explain")]
    TooManyPieces(Color),
    #[error("a pawn is on {0}, where no pawn can be")]
    PawnPlace(Square),
    #[error("a Bia is on {0}, behind its starting rank")]
    BiaBehind(Square),
    #[error("{0} is in check, but it is not {0}'s turn")]
    OpponentInCheck(Color),
    #[error("the king is attacked by more than two pieces at once")]
    TooManyCheckers,
    #[error("castling rights must be `-` or letters from KQkq or the rooks' files")]
    CastlingLetter,
    #[error("the castling right `{0}` needs a king and a rook on the back rank")]
    CastlingRight(char),
    #[error("the en-passant field must be `-` or a square")]
    EnPassantSquare,
    #[error("en passant on {0} is impossible: no pawn has just made a double step past it")]
    EnPassant(Square),
    #[error("the half-move clock must be a number up to 9999")]
    Halfmove,
    #[error("the move number must be a number from 0 to 99999")]
    Fullmove,
    #[error("the count's limit must be `-` or one of 16, 32, 44, 64, 88, 128 plies")]
    CountLimit,
    #[error("the count must be a number of plies that does not go past its limit")]
    CountPlies,
    #[error("a count cannot run while a Bia is on the board")]
    CountWithBia,
}

/// A FEN that is not a legal position: the reason, and the part of the text it is about (byte offsets).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError {
    /// What is wrong.
    pub reason: FenReason,
    /// Where the offending part begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad FEN: {}", self.reason)
    }
}

impl core::error::Error for FenError {}

/// A field with its place in the text.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    start: usize,
}

impl Field<'_> {
    fn error(&self, reason: FenReason) -> FenError {
        FenError { reason, start: self.start, end: self.start + self.text.len() }
    }

    fn number(&self, max: u32, reason: FenReason) -> Result<u32, FenError> {
        number(self.text, max, reason).map_err(|reason| self.error(reason))
    }
}

fn number(text: &str, max: u32, reason: FenReason) -> Result<u32, FenReason> {
    // Some programs write `-` for a clock they do not know.
    if text == "-" {
        return Ok(0);
    }
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|&n| plain && n <= max).ok_or(reason)
}

/// The half-move clock of an EPD line.
pub(crate) fn halfmove(text: &str) -> Result<u32, FenReason> {
    number(text, MOST_HALFMOVES, FenReason::Halfmove)
}

/// The move number of an EPD line.
pub(crate) fn fullmove(text: &str) -> Result<u32, FenReason> {
    number(text, MOST_MOVES, FenReason::Fullmove)
}

/// Up to eight fields, and how many there are.
fn split(text: &str) -> ([Field<'_>; 8], usize) {
    let mut fields = [Field { text: "", start: text.len() }; 8];
    let mut n = 0;
    for word in text.split_ascii_whitespace() {
        if let Some(field) = fields.get_mut(n) {
            *field = Field { text: word, start: word.as_ptr() as usize - text.as_ptr() as usize };
        }
        n += 1;
    }
    (fields, n)
}

impl<R: Rules> Position<R> {
    /// Reads a FEN. A position that is impossible is refused with the reason and the place.
    ///
    /// ```
    /// use rukh_core::{Chess, Makruk, Position};
    /// assert!(Position::<Chess>::from_fen("8/8/8/8/8/8/8/8 w - - 0 1").is_err());
    /// assert!(Position::<Makruk>::from_fen("8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1").is_ok());
    /// ```
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        R::read_fen(text)
    }

    /// Writes the FEN. What it writes [can be read](Self::from_fen): in a game without end, clock and move number stop at 9999 and 99999.
    pub fn fen(&self) -> String {
        let mut out = String::with_capacity(90);
        for rank in (0..8u8).rev() {
            let mut empty = 0u8;
            for file in 0..8u8 {
                let Some(piece) = self.piece_at(Square::wrap(u32::from(8 * rank + file))) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    out.push((b'0' + empty) as char);
                    empty = 0;
                }
                out.push(R::piece_letter(piece));
                if piece.is_promoted() {
                    out.push('~');
                }
            }
            if empty > 0 {
                out.push((b'0' + empty) as char);
            }
            if rank > 0 {
                out.push('/');
            }
        }
        out.push(' ');
        out.push(self.side_to_move().char());
        R::write_fen_rest(self, &mut out);
        let _ = write!(out, " {}", self.fullmove().min(MOST_MOVES));
        out
    }
}

impl<R: Rules> fmt::Display for Position<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl<R: Rules> FromStr for Position<R> {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }
}

/// Reads the board field with a mapping from letters to (kind, promoted).
fn read_board<R: Rules>(
    field: Field<'_>,
    letter: impl Fn(char) -> Option<(Kind, bool)>,
) -> Result<([Bitboard; 8], Bitboard), FenError> {
    let mut planes = [Bitboard::EMPTY; 8];
    let mut promoted = Bitboard::EMPTY;
    let ranks = field.text.split('/').count();
    if ranks != 8 {
        return Err(field.error(FenReason::Ranks(ranks)));
    }
    let mut start = field.start;
    for (i, row) in field.text.split('/').enumerate() {
        let rank = 7 - i as u8;
        let row_field = Field { text: row, start };
        let mut file = 0u32;
        let mut last_met = None;
        for (at, c) in row.char_indices() {
            let here = Field { text: &row[at..at + c.len_utf8()], start: start + at };
            if let Some(n @ 1..=8) = c.to_digit(10) {
                file += n;
                last_met = None;
            } else if c == '~' {
                let square: Square = last_met.take().ok_or_else(|| here.error(FenReason::Tilde))?;
                promoted |= square.bb();
            } else {
                let (kind, was_pawn) =
                    letter(c.to_ascii_uppercase()).ok_or_else(|| here.error(FenReason::Letter(c)))?;
                if file > 7 {
                    return Err(row_field.error(FenReason::RankWidth(rank + 1)));
                }
                let color = if c.is_ascii_uppercase() { Color::White } else { Color::Black };
                let square = Square::wrap(u32::from(8 * rank) + file);
                planes[kind.index() + 1] |= square.bb();
                planes[color_plane(color)] |= square.bb();
                if was_pawn {
                    promoted |= square.bb();
                }
                last_met = (R::MARKS_PROMOTED && kind == Kind::Queen).then_some(square);
                file += 1;
            }
        }
        if file != 8 {
            return Err(row_field.error(FenReason::RankWidth(rank + 1)));
        }
        start += row.len() + 1;
    }
    Ok((planes, promoted))
}

fn read_side(field: Field<'_>) -> Result<Color, FenError> {
    match field.text {
        "w" | "W" => Ok(Color::White),
        "b" | "B" => Ok(Color::Black),
        _ => Err(field.error(FenReason::SideToMove)),
    }
}

/// The numbers that are read, and written however long the game goes on.
const MOST_HALFMOVES: u32 = 9999;
const MOST_MOVES: u32 = 99_999;

pub(crate) fn clocks(fullmove: u32, side: Color) -> u32 {
    2 * fullmove.saturating_sub(1) + side as u32
}

/// What holds in both games: kings, numbers of pieces, places of pawns, nobody in check out of turn.
fn validate<R: Rules>(pos: &Position<R>, board: Field<'_>) -> Result<(), FenError> {
    validate_board(pos).map_err(|reason| board.error(reason))
}

pub(crate) fn validate_board<R: Rules>(pos: &Position<R>) -> Result<(), FenReason> {
    // How many of each kind a side starts with.
    const START: [u32; 6] = [8, 2, 2, 2, 1, 1];
    for color in Color::ALL {
        match pos.colored(color, Kind::King).count() {
            0 => return Err(FenReason::NoKing(color)),
            1 => {}
            _ => return Err(FenReason::ManyKings(color)),
        }
        let number = |kind: Kind| pos.colored(color, kind).count();
        let extra: u32 = Kind::ALL[1..5].iter().map(|&k| number(k).saturating_sub(START[k.index()])).sum();
        let others = Kind::ALL[1..5].iter().any(|k| !R::PROMOTIONS.contains(k) && number(*k) > START[k.index()]);
        let turned = (pos.promoted() & pos.colors(color)).count();
        if number(Kind::Pawn) > 8
            || pos.colors(color).count() > 16
            || extra + number(Kind::Pawn) > 8
            || turned + number(Kind::Pawn) > 8
            || others
        {
            return Err(FenReason::TooManyPieces(color));
        }
        let forbidden = Bitboard::RANKS[0] | Bitboard::RANKS[7];
        if let Some(square) = (pos.colored(color, Kind::Pawn) & forbidden).into_iter().next() {
            return Err(FenReason::PawnPlace(square));
        }
        // Pawns of chess start on the second rank, Bia on the third. (Fairy-Stockfish reads a Bia on the second.)
        let behind = Bitboard::RANKS[if color == Color::White { 1 } else { 6 }];
        if R::PAWN_RANK > 1
            && let Some(square) = (pos.colored(color, Kind::Pawn) & behind).into_iter().next()
        {
            return Err(FenReason::BiaBehind(square));
        }
    }
    let us = pos.side_to_move();
    if pos.is_attacked(pos.king(!us), us) {
        return Err(FenReason::OpponentInCheck(!us));
    }
    if pos.checkers().count() > 2 {
        return Err(FenReason::TooManyCheckers);
    }
    Ok(())
}

pub(crate) fn read_chess(text: &str) -> Result<Position<Chess>, FenError> {
    let ([board, side, castling, ep, halfmove, fullmove, ..], n) = split(text);
    if n == 0 {
        return Err(FenError { reason: FenReason::Empty, start: 0, end: text.len() });
    }
    if !(2..=6).contains(&n) {
        return Err(FenError { reason: FenReason::Fields(n, "2 to 6"), start: 0, end: text.len() });
    }
    let kinds = "PNBRQK";
    let (planes, _) = read_board::<Chess>(board, |c| kinds.find(c).map(|i| (Kind::ALL[i], false)))?;
    let color = read_side(side)?;
    let mut pos: Position<Chess> =
        Position { planes, state: ChessState::default(), key: 0, halfmove: 0, ply: color as u32 };
    validate(&pos, board)?;
    if n > 2 {
        pos.state.castling = read_castling(&pos, castling)?;
    }
    if n > 3 && ep.text != "-" {
        pos.state.ep = read_en_passant(&pos, ep)?;
    }
    if n > 4 {
        pos.halfmove = halfmove.number(MOST_HALFMOVES, FenReason::Halfmove)?;
    }
    if n > 5 {
        pos.ply = clocks(fullmove.number(MOST_MOVES, FenReason::Fullmove)?, color);
    }
    pos.key = pos.key_from_scratch();
    Ok(pos)
}

pub(crate) fn write_chess_rest(pos: &Position<Chess>, out: &mut String) {
    out.push(' ');
    let length = out.len();
    for color in Color::ALL {
        for kingside in [true, false] {
            let Some(rook) = pos.castle_rook(color, kingside) else { continue };
            // X-FEN: the plain letter means the outermost rook on that side; any other is named by its file.
            let home = pos.colored(color, Kind::Rook) & Bitboard::rank(rook.rank());
            let outer = if kingside { home.msb() } else { home.lsb() };
            let letter = match (outer == rook, kingside) {
                (true, true) => 'k',
                (true, false) => 'q',
                _ => rook.file().char(),
            };
            out.push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
        }
    }
    if out.len() == length {
        out.push('-');
    }
    match pos.ep_square() {
        Some(square) => drop(write!(out, " {square}")),
        None => out.push_str(" -"),
    }
    let _ = write!(out, " {}", pos.halfmove.min(MOST_HALFMOVES));
}

fn read_castling(pos: &Position<Chess>, field: Field<'_>) -> Result<Bitboard, FenError> {
    let mut set = Bitboard::EMPTY;
    if field.text == "-" {
        return Ok(set);
    }
    let mut seen = 0;
    for (at, c) in field.text.char_indices() {
        let here = Field { text: &field.text[at..at + c.len_utf8()], start: field.start + at };
        let color = if c.is_ascii_uppercase() { Color::White } else { Color::Black };
        let king = pos.king(color);
        let home = Bitboard::RANKS[if color == Color::White { 0 } else { 7 }];
        let rooks = pos.colored(color, Kind::Rook) & home;
        let beside = |kingside: bool| rooks.into_iter().filter(|&r| (r > king) == kingside).collect::<Bitboard>();
        let found = match c.to_ascii_lowercase() {
            'k' => beside(true) & beside(true).msb().bb(),
            'q' => beside(false) & beside(false).lsb().bb(),
            file @ 'a'..='h' => rooks & Bitboard::FILES[(file as u8 - b'a') as usize],
            _ => return Err(here.error(FenReason::CastlingLetter)),
        };
        // Each right once; a king in a corner of its rank has nothing to castle over.
        let right = CastlingRights::bit(color, found.lsb() > king);
        if found.is_empty() || !home.has(king) || seen & right != 0 {
            return Err(here.error(FenReason::CastlingRight(c)));
        }
        seen |= right;
        set |= found;
    }
    Ok(set)
}

fn read_en_passant(pos: &Position<Chess>, field: Field<'_>) -> Result<Bitboard, FenError> {
    let square: Square = field.text.parse().map_err(|_| field.error(FenReason::EnPassantSquare))?;
    let us = pos.side_to_move();
    let ep = square.bb();
    if !en_passant_possible(pos, square) {
        return Err(field.error(FenReason::EnPassant(square)));
    }
    // Written after every double step by some programs; kept only if a pawn stands ready to take.
    let ready = attacks::pawn(!us, square) & pos.colored(us, Kind::Pawn);
    Ok(if ready.any() { ep } else { Bitboard::EMPTY })
}

/// Whether a pawn of the side not to move can just have made a double step past `square`.
pub(crate) fn en_passant_possible(pos: &Position<Chess>, square: Square) -> bool {
    let us = pos.side_to_move();
    let ep = square.bb();
    let behind = ep.forward(us);
    let pawn = ep.forward(!us);
    let sixth = Bitboard::RANKS[if us == Color::White { 5 } else { 2 }];
    sixth.has(square) && (pos.colored(!us, Kind::Pawn) & pawn).any() && ((ep | behind) & pos.occupied()).is_empty()
}

pub(crate) fn read_makruk(text: &str) -> Result<Position<Makruk>, FenError> {
    let (fields, n) = split(text);
    let board = fields[0];
    if n == 0 {
        return Err(FenError { reason: FenReason::Empty, start: 0, end: text.len() });
    }
    if n > 8 || n == 1 || n == 7 {
        return Err(FenError { reason: FenReason::Fields(n, "2 to 6, or 8"), start: 0, end: text.len() });
    }
    let has = |letters: &str| board.text.chars().any(|c| letters.contains(c.to_ascii_uppercase()));
    // `M` is Met in one dialect and Ma in the other: other letters decide, then the number of fields.
    let other_dialect = has("BTE") || (!has("PNS") && (n == 3 || n == 8));
    let (planes, promoted) = read_board::<Makruk>(board, |c| {
        Some(match (c, other_dialect) {
            ('B', true) | ('P', false) => (Kind::BIA, false),
            ('M', true) | ('N', false) => (Kind::MA, false),
            ('T', true) | ('S', false) => (Kind::THON, false),
            ('E', true) | ('M', false) => (Kind::MET, false),
            ('F', _) => (Kind::MET, true),
            ('R', _) => (Kind::RUA, false),
            ('K', _) => (Kind::KHUN, false),
            _ => return None,
        })
    })?;
    let color = read_side(fields[1])?;
    let state = MakrukState { promoted, count: Count::default(), honour: BoardHonour::Automatic };
    let mut pos: Position<Makruk> = Position { planes, state, key: 0, halfmove: 0, ply: color as u32 };
    validate(&pos, board)?;
    let mut number = fields[5];
    if n == 3 || n == 8 {
        number = fields[2];
        if n == 8 {
            pos.state.count = read_spoken_count(&pos, &fields)?;
        }
    } else {
        if n > 3 && !matches!(fields[3].text, "-" | "0") {
            let limit = fields[3].number(128, FenReason::CountLimit)?;
            let plies = if n > 4 { fields[4].number(1000, FenReason::CountPlies)? } else { 0 };
            pos.state.count = check_count(&pos, limit, plies, fields[3], fields[4])?;
        } else if n > 4 {
            pos.halfmove = fields[4].number(MOST_HALFMOVES, FenReason::Halfmove)?;
        }
    }
    if !number.text.is_empty() {
        pos.ply = clocks(number.number(MOST_MOVES, FenReason::Fullmove)?, color);
    }
    pos.key = pos.key_from_scratch();
    Ok(pos)
}

pub(crate) fn write_makruk_rest(pos: &Position<Makruk>, out: &mut String) {
    let count = pos.state.count;
    let _ = match count.limit {
        0 => write!(out, " - - {}", pos.halfmove.min(MOST_HALFMOVES)),
        limit => write!(out, " - {limit} {}", count.plies),
    };
}

fn check_count(
    pos: &Position<Makruk>,
    limit: u32,
    plies: u32,
    limit_field: Field<'_>,
    plies_field: Field<'_>,
) -> Result<Count, FenError> {
    // Both numbers were read with bounds far below 2^16.
    checked_count(pos, Count { limit: limit as u16, plies: plies as u16 }).map_err(|reason| {
        let field = if reason == FenReason::CountPlies { plies_field } else { limit_field };
        field.error(reason)
    })
}

/// The count, if it can run in this position.
pub(crate) fn checked_count(pos: &Position<Makruk>, count: Count) -> Result<Count, FenReason> {
    if !matches!(count.limit, 16 | 32 | 44 | 64 | 88 | 128) {
        return Err(FenReason::CountLimit);
    }
    if pos.pieces(Kind::Pawn).any() {
        return Err(FenReason::CountWithBia);
    }
    if count.plies > Count::most(count.limit, pos.occupied().count()) {
        return Err(FenReason::CountPlies);
    }
    Ok(count)
}

/// The last five fields of the eight-field dialect: who counts, which honour, the number spoken, the first and the last.
fn read_spoken_count(pos: &Position<Makruk>, fields: &[Field<'_>; 8]) -> Result<Count, FenError> {
    if fields[3..].iter().all(|f| f.text == "-") {
        return Ok(Count::default());
    }
    let counter = read_side(fields[3])?;
    let spoken = fields[5].number(500, FenReason::CountPlies)?;
    let limit = 2 * fields[7].number(64, FenReason::CountLimit)?;
    let plies = if counter == pos.side_to_move() { 2 * spoken } else { (2 * spoken).saturating_sub(1) };
    check_count(pos, limit, plies, fields[7], fields[5])
}

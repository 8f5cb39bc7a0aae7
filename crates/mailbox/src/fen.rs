//! Reading and writing FEN: X-FEN and Shredder-FEN for chess, Fairy-Stockfish's dialect for Makruk.

use std::error::Error;
use std::fmt;

use crate::grid::Spot;
use crate::man::{Man, Role, Side};
use crate::position::{Count, Game, Position};

/// Why a FEN was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FenError {
    /// A field is missing or there are too many.
    FieldCount,
    /// The board is not eight ranks of eight squares with known men.
    Board,
    /// A side has no king, several, or more than sixteen men.
    Men,
    /// A pawn stands where no pawn can stand.
    PawnRank,
    /// The side to move is neither `w` nor `b`.
    Turn,
    /// The castling field does not fit the board.
    Castling,
    /// The en-passant square does not fit the board.
    EnPassant,
    /// A count or clock is not a number.
    Number,
    /// The side that has just moved is in check.
    KingCanBeTaken,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FenError::FieldCount => "expected four to six fields",
            FenError::Board => "the board field is malformed",
            FenError::Men => "each side needs one king and at most sixteen men",
            FenError::PawnRank => "a pawn stands on an impossible rank",
            FenError::Turn => "the side to move must be 'w' or 'b'",
            FenError::Castling => "the castling field does not fit the board",
            FenError::EnPassant => "the en-passant square does not fit the board",
            FenError::Number => "a count or clock is not a number",
            FenError::KingCanBeTaken => "the side not to move is in check",
        })
    }
}

impl Error for FenError {}

impl Position {
    /// Reads a FEN. The clocks may be left out.
    pub fn from_fen(game: Game, fen: &str) -> Result<Position, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        if !(4..=6).contains(&fields.len()) {
            return Err(FenError::FieldCount);
        }
        let mut position = Position::bare(game);
        position.read_board(fields[0])?;
        position.turn = match fields[1] {
            "w" => Side::White,
            "b" => Side::Black,
            _ => return Err(FenError::Turn),
        };
        if position.king_attacked(position.turn.other()) {
            return Err(FenError::KingCanBeTaken);
        }
        let clock = number(fields.get(4).unwrap_or(&"0"))?;
        match game {
            Game::Chess => {
                position.read_castling(fields[2])?;
                position.read_en_passant(fields[3])?;
                position.halfmoves = clock;
            }
            Game::Makruk => {
                if fields[2] != "-" {
                    return Err(FenError::Castling);
                }
                // cutechess writes 0 where Fairy-Stockfish writes a dash.
                let limit = if fields[3] == "-" { 0 } else { number(fields[3])? };
                if limit > 0 {
                    position.count = Some(Count { limit, plies: clock });
                } else {
                    position.halfmoves = clock;
                }
            }
        }
        position.fullmoves = number(fields.get(5).unwrap_or(&"1"))?.max(1);
        Ok(position)
    }

    fn read_board(&mut self, field: &str) -> Result<(), FenError> {
        let rows: Vec<&str> = field.split('/').collect();
        if rows.len() != 8 {
            return Err(FenError::Board);
        }
        for (row, rank) in rows.into_iter().zip((0..8).rev()) {
            let mut file = 0;
            let mut letters = row.chars().peekable();
            while let Some(c) = letters.next() {
                if let Some(gap @ 1..=8) = c.to_digit(10) {
                    file += gap as usize;
                    continue;
                }
                let side = if c.is_ascii_uppercase() { Side::White } else { Side::Black };
                let mut man = Man::new(side, self.read_role(c.to_ascii_lowercase())?);
                if letters.next_if_eq(&'~').is_some() {
                    if man.role != Role::Met {
                        return Err(FenError::Board);
                    }
                    man.turned = true;
                }
                if file > 7 {
                    return Err(FenError::Board);
                }
                if self.men(side).len() == 16 {
                    return Err(FenError::Men);
                }
                let spot = Spot::new(file, rank);
                if man.role == Role::Pawn && matches!(rank, 0 | 7) {
                    return Err(FenError::PawnRank);
                }
                self.put(spot, man);
                file += 1;
            }
            if file != 8 {
                return Err(FenError::Board);
            }
        }
        for side in [Side::White, Side::Black] {
            let king = Some(Man::new(side, Role::King));
            if self.men(side).iter().filter(|&&spot| self.man_at(spot) == king).count() != 1 {
                return Err(FenError::Men);
            }
        }
        Ok(())
    }

    fn read_role(&self, letter: char) -> Result<Role, FenError> {
        Ok(match (self.game, letter) {
            (_, 'p') => Role::Pawn,
            (_, 'n') => Role::Knight,
            (_, 'r') => Role::Rook,
            (_, 'k') => Role::King,
            (Game::Chess, 'b') => Role::Bishop,
            (Game::Chess, 'q') => Role::Queen,
            (Game::Makruk, 's') => Role::Thon,
            (Game::Makruk, 'm') => Role::Met,
            _ => return Err(FenError::Board),
        })
    }

    fn read_castling(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        for c in field.chars() {
            let side = if c.is_ascii_uppercase() { Side::White } else { Side::Black };
            let king = self.kings[side as usize];
            let rook = match c.to_ascii_lowercase() {
                'k' => self.outer_rook(side, 0),
                'q' => self.outer_rook(side, 1),
                file @ 'a'..='h' => Some(Spot::new(file as usize - 'a' as usize, king.rank())),
                _ => None,
            };
            let rook = rook.filter(|&rook| self.man_at(rook) == Some(Man::new(side, Role::Rook)));
            match rook {
                Some(rook) if king.rank_for(side) == 0 => {
                    let wing = usize::from(rook.file() < king.file());
                    self.castling[side as usize][wing] = Some(rook);
                }
                _ => return Err(FenError::Castling),
            }
        }
        Ok(())
    }

    /// The rook farthest from the king on its back rank: wing 0 is the h-file's side, 1 the a-file's.
    fn outer_rook(&self, side: Side, wing: usize) -> Option<Spot> {
        let king = self.kings[side as usize];
        let rook = |&file: &usize| self.man_at(Spot::new(file, king.rank())) == Some(Man::new(side, Role::Rook));
        let file = if wing == 0 { (king.file() + 1..8).rev().find(rook) } else { (0..king.file()).find(rook) };
        Some(Spot::new(file?, king.rank()))
    }

    fn read_en_passant(&mut self, field: &str) -> Result<(), FenError> {
        if field == "-" {
            return Ok(());
        }
        let spot = Spot::parse(field).ok_or(FenError::EnPassant)?;
        let foe = self.turn.other();
        let at = |rank: usize| {
            let rank = if foe == Side::White { rank } else { 7 - rank };
            Spot::new(spot.file(), rank)
        };
        let pushed = at(3);
        if spot.rank_for(foe) != 2
            || self.man_at(pushed) != Some(Man::new(foe, Role::Pawn))
            || self.man_at(spot).is_some()
            || self.man_at(at(1)).is_some()
        {
            return Err(FenError::EnPassant);
        }
        // X-FEN: the square counts only if a pawn stands ready to take there.
        self.en_passant = self.pawn_beside(pushed, self.turn).then_some(spot);
        Ok(())
    }

    /// Writes the FEN: X-FEN for chess, with a rook's file only where `K` or `Q` would mean another rook.
    pub fn fen(&self) -> String {
        self.write_fen(false)
    }

    /// Writes the FEN with the rooks' files as castling rights, as Shredder does.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(true)
    }

    fn write_fen(&self, shredder: bool) -> String {
        let turn = match self.turn {
            Side::White => 'w',
            Side::Black => 'b',
        };
        let (third, fourth, fifth) = match self.game {
            Game::Chess => {
                let ep = self.en_passant.map_or("-".to_owned(), |spot| spot.to_string());
                (self.write_castling(shredder), ep, self.halfmoves)
            }
            Game::Makruk => match self.count {
                Some(count) => ("-".to_owned(), count.limit.to_string(), count.plies),
                None => ("-".to_owned(), "-".to_owned(), self.halfmoves),
            },
        };
        format!("{} {turn} {third} {fourth} {fifth} {}", self.write_board(), self.fullmoves)
    }

    fn write_board(&self) -> String {
        let mut text = String::with_capacity(72);
        for rank in (0..8).rev() {
            let mut gap = 0;
            for file in 0..8 {
                let Some(man) = self.man_at(Spot::new(file, rank)) else {
                    gap += 1;
                    continue;
                };
                if gap > 0 {
                    text.push_str(&gap.to_string());
                    gap = 0;
                }
                let letter = man.role.letter();
                text.push(if man.side == Side::White { letter.to_ascii_uppercase() } else { letter });
                if man.turned {
                    text.push('~');
                }
            }
            if gap > 0 {
                text.push_str(&gap.to_string());
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }

    fn write_castling(&self, shredder: bool) -> String {
        let mut text = String::new();
        for side in [Side::White, Side::Black] {
            for wing in [0, 1] {
                let Some(rook) = self.castling[side as usize][wing] else { continue };
                let letter = if shredder || self.outer_rook(side, wing) != Some(rook) {
                    (b'a' + rook.file() as u8) as char
                } else {
                    ['k', 'q'][wing]
                };
                text.push(if side == Side::White { letter.to_ascii_uppercase() } else { letter });
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }
}

/// A clock or count; the bound keeps additions from running over.
fn number(text: &str) -> Result<u32, FenError> {
    text.parse().ok().filter(|&n| n < 1_000_000).ok_or(FenError::Number)
}

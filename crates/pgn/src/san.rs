//! From algebraic notation to a move without generating all moves.
//!
//! The squares a piece can have come from are what the same piece attacks from its target, so one attack look-up and
//! one mask answer most moves; legality is tested for the candidates only. Everything unusual goes to
//! [`Position::parse_san`].

use rukh_core::{Bitboard, Chess, Color, File, Kind, Makruk, Move, MoveError, Position, Rank, Rules, Square, flag};

use super::error::SanProblem;

/// Resolves moves of one variant.
pub trait Resolve: Rules {
    /// The legal move that `san` names in `pos`. `san` has no `!` or `?`.
    fn resolve(pos: &Position<Self>, san: &[u8]) -> Result<Move, SanProblem>;
}

impl Resolve for Chess {
    #[inline]
    fn resolve(pos: &Position<Chess>, san: &[u8]) -> Result<Move, SanProblem> {
        match usual(pos, san) {
            Some(Ok(mv)) => Ok(mv),
            Some(Err(problem)) => Err(problem),
            None => unusual(pos, san),
        }
    }
}

impl Resolve for Makruk {
    fn resolve(pos: &Position<Makruk>, san: &[u8]) -> Result<Move, SanProblem> {
        unusual(pos, san)
    }
}

/// The common forms: `e4`, `exd5`, `e8=Q`, `Nf3`, `Nbxd2`, `R1e2`, `Qh4e1`, `O-O`. `None` for anything else.
#[inline]
fn usual(pos: &Position<Chess>, san: &[u8]) -> Option<Result<Move, SanProblem>> {
    let mut body = san;
    while let [rest @ .., b'+' | b'#'] = body {
        body = rest;
    }
    match body {
        [b'a'..=b'h', ..] => pawn(pos, body),
        [b'N', rest @ ..] => piece(pos, Kind::Knight, rest),
        [b'B', rest @ ..] => piece(pos, Kind::Bishop, rest),
        [b'R', rest @ ..] => piece(pos, Kind::Rook, rest),
        [b'Q', rest @ ..] => piece(pos, Kind::Queen, rest),
        [b'K', rest @ ..] => piece(pos, Kind::King, rest),
        b"O-O" | b"0-0" => Some(castle(pos, File::G, flag::KING_CASTLE)),
        b"O-O-O" | b"0-0-0" => Some(castle(pos, File::C, flag::QUEEN_CASTLE)),
        _ => None,
    }
}

#[inline]
fn square(file: u8, rank: u8) -> Option<Square> {
    if !(b'a'..=b'h').contains(&file) || !(b'1'..=b'8').contains(&rank) {
        return None;
    }
    Square::from_index((rank - b'1') * 8 + (file - b'a'))
}

#[inline]
fn legal(pos: &Position<Chess>, from: Square, to: Square, flags: u8) -> Option<Move> {
    let bits = from.index() as u16 | (to.index() as u16) << 6 | u16::from(flags) << 12;
    pos.legal_from_u16(bits)
}

fn castle(pos: &Position<Chess>, file: File, flags: u8) -> Result<Move, SanProblem> {
    let us = pos.side_to_move();
    let rank = if us == Color::White { Rank::R1 } else { Rank::R8 };
    legal(pos, pos.king(us), Square::new(file, rank), flags).ok_or(SanProblem::Illegal)
}

#[inline]
fn pawn(pos: &Position<Chess>, body: &[u8]) -> Option<Result<Move, SanProblem>> {
    let (from_file, to, tail) = match *body {
        [f, r @ b'1'..=b'8', ref tail @ ..] => (None, square(f, r)?, tail),
        [ff, b'x', f, r, ref tail @ ..] => (Some(ff - b'a'), square(f, r)?, tail),
        _ => return None,
    };
    let us = pos.side_to_move();
    let at = to.index() as u8;
    let (back, last, double) = if us == Color::White { (at.checked_sub(8)?, 7, 3) } else { (at + 8, 0, 4) };
    let rank = to.rank().index();
    let promotion = match *tail {
        [] if rank != last => 0,
        [b'=', p] | [p] if rank == last => {
            flag::PROMOTION
                | match p {
                    b'N' => 0,
                    b'B' => 1,
                    b'R' => 2,
                    b'Q' => 3,
                    _ => return None,
                }
        }
        _ => return None,
    };
    let found = match from_file {
        None => {
            let from = Square::from_index(back)?;
            let pawns = pos.colored(us, Kind::Pawn);
            if rank == double && !pawns.has(from) {
                let from = Square::from_index(if us == Color::White { back.checked_sub(8)? } else { back + 8 })?;
                legal(pos, from, to, flag::DOUBLE)
            } else {
                legal(pos, from, to, promotion)
            }
        }
        Some(file) => {
            let from = Square::from_index((back & !7) | file)?;
            let flags = if pos.occupied().has(to) { flag::CAPTURE | promotion } else { flag::EN_PASSANT };
            legal(pos, from, to, flags)
        }
    };
    Some(found.ok_or(SanProblem::Illegal))
}

#[inline]
fn piece(pos: &Position<Chess>, kind: Kind, body: &[u8]) -> Option<Result<Move, SanProblem>> {
    let (hint, to) = match *body {
        [f, r] => (Bitboard::ALL, square(f, r)?),
        [b'x', f, r] => (Bitboard::ALL, square(f, r)?),
        [h, f, r] | [h, b'x', f, r] => (line(h)?, square(f, r)?),
        [hf, hr, f, r] | [hf, hr, b'x' | b'-', f, r] => (square(hf, hr)?.bb(), square(f, r)?),
        _ => return None,
    };
    let us = pos.side_to_move();
    let occupied = pos.occupied();
    let flags = if occupied.has(to) { flag::CAPTURE } else { flag::QUIET };
    let candidates = pos.colored(us, kind) & Chess::attacks(kind, us, to, occupied) & hint;
    if candidates.is_empty() {
        return Some(Err(SanProblem::Illegal));
    }
    if !candidates.more_than_one() {
        return Some(legal(pos, candidates.lsb(), to, flags).ok_or(SanProblem::Illegal));
    }
    // Several reach the square; pins may leave one.
    let mut found = None;
    for from in candidates {
        if let Some(mv) = legal(pos, from, to, flags) {
            if found.is_some() {
                return Some(Err(SanProblem::Ambiguous));
            }
            found = Some(mv);
        }
    }
    Some(found.ok_or(SanProblem::Illegal))
}

/// The file or rank of a disambiguating character.
#[inline]
fn line(hint: u8) -> Option<Bitboard> {
    match hint {
        b'a'..=b'h' => Some(Bitboard::FILES[usize::from(hint - b'a')]),
        b'1'..=b'8' => Some(Bitboard::RANKS[usize::from(hint - b'1')]),
        _ => None,
    }
}

/// Figurines, long notation, old forms: by way of the move list.
#[cold]
fn unusual<R: Rules>(pos: &Position<R>, san: &[u8]) -> Result<Move, SanProblem> {
    // A long move in Thai letters has up to 31 bytes. `=` behind a move is a sign, which the lexer takes off.
    if san.len() > 32 || san.ends_with(b"=") {
        return Err(SanProblem::Unreadable);
    }
    let text: String = super::text::decode(san).chars().filter_map(plain).collect();
    pos.parse_san(&text).or_else(|e| {
        let squeezed: String = text.chars().filter(|c| !matches!(c, '-' | 'x' | ':' | '=' | '+' | '#')).collect();
        pos.parse_uci(&squeezed.to_ascii_lowercase()).map_err(|_| problem(&e))
    })
}

fn problem(error: &MoveError) -> SanProblem {
    match error {
        MoveError::Syntax(..) => SanProblem::Unreadable,
        MoveError::Ambiguous(_) => SanProblem::Ambiguous,
        _ => SanProblem::Illegal,
    }
}

/// Figurines as letters; the text and emoji selectors behind them vanish.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' | '\u{fe0e}' | '\u{fe0f}' => return None,
        _ => c,
    })
}

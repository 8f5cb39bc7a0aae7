//! Moves as people write them: SAN and LAN, in Latin and (for Makruk) Thai letters.

use crate::moves::Move;
use crate::position::Position;
use crate::rules::Rules;
use crate::types::{File, Kind, Rank, Square};
use crate::uci::{MoveError, quote};
use alloc::string::String;
use alloc::vec::Vec;

/// The letters moves are written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Alphabet {
    /// `Nf3`, `g6=M`.
    #[default]
    English,
    /// Thai letters and digits, for Makruk: `ค-ฉ๗`.
    Thai,
}

/// How moves are written: in which letters, short or long.
///
/// ```
/// use rukh_core::{Makruk, Position, Writing};
/// let pos = Position::<Makruk>::startpos();
/// let mv = pos.parse_san("e4").unwrap();
/// let written = |name: &str| pos.written(mv, name.parse().unwrap());
/// assert_eq!([written("san"), written("lan"), written("thai")], ["e4", "e3-e4", "จ๔"]);
/// assert_eq!("thai-lan".parse::<Writing>().unwrap().number(12), "๑๒");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Writing {
    /// The letters.
    pub alphabet: Alphabet,
    /// Whether the square a piece comes from is always named.
    pub long: bool,
}

impl Writing {
    /// A number in the alphabet's digits.
    pub fn number(self, number: u32) -> String {
        match self.alphabet {
            Alphabet::English => alloc::format!("{number}"),
            Alphabet::Thai => thai_number(number),
        }
    }
}

impl core::str::FromStr for Writing {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (alphabet, long) = match text {
            "san" => (Alphabet::English, false),
            "lan" => (Alphabet::English, true),
            "thai" => (Alphabet::Thai, false),
            "thai-lan" => (Alphabet::Thai, true),
            _ => return Err("moves are written as san, lan, thai or thai-lan"),
        };
        Ok(Self { alphabet, long })
    }
}

const THAI_FILES: [char; 8] = ['ก', 'ข', 'ค', 'ง', 'จ', 'ฉ', 'ช', 'ญ'];
const THAI_DIGITS: [char; 8] = ['๑', '๒', '๓', '๔', '๕', '๖', '๗', '๘'];
// By kind; Bia-ngai has a letter of its own.
const THAI_PIECES: [&str; 6] = ["บ", "ม", "ค", "ร", "ม็", "ข"];
const THAI_BIA_NGAI: &str = "ง";
const SAN_EXAMPLE: &str = "Nf3, exd5, e8=Q or O-O";

impl Alphabet {
    fn square(self, out: &mut String, square: Square) {
        self.file(out, square.file());
        self.rank(out, square.rank());
    }

    fn file(self, out: &mut String, file: File) {
        out.push(match self {
            Self::English => file.char(),
            Self::Thai => THAI_FILES[file.index()],
        });
    }

    fn rank(self, out: &mut String, rank: Rank) {
        out.push(match self {
            Self::English => rank.char(),
            Self::Thai => THAI_DIGITS[rank.index()],
        });
    }

    fn piece<R: Rules>(self, out: &mut String, code: u8) {
        let kind = crate::position::plane_of::<R>(code & 7).saturating_sub(1);
        match self {
            Self::English => out.push(R::letter(Kind::ALL[kind % 6])),
            Self::Thai if code & 7 == 7 => out.push_str(THAI_BIA_NGAI),
            Self::Thai => out.push_str(THAI_PIECES[kind % 6]),
        }
    }
}

impl<R: Rules> Position<R> {
    /// Writes a legal move in SAN: shortest unambiguous form, with check and mate marks.
    ///
    /// ```
    /// use rukh_core::{Chess, Position};
    /// let pos: Position<Chess> = "6k1/5ppp/8/8/8/8/8/R2RK3 w - - 0 1".parse().unwrap();
    /// assert_eq!(pos.san(pos.parse_uci("d1d8").unwrap()), "Rd8#");
    /// assert_eq!(pos.san(pos.parse_uci("d1c1").unwrap()), "Rdc1");
    /// ```
    pub fn san(&self, mv: Move) -> String {
        self.san_in(mv, Alphabet::English)
    }

    /// Writes a legal move. Thai letters are for Makruk; other games keep the English ones.
    pub fn written(&self, mv: Move, writing: Writing) -> String {
        let alphabet = if R::THAI { writing.alphabet } else { Alphabet::English };
        if writing.long { self.lan_in(mv, alphabet) } else { self.san_in(mv, alphabet) }
    }

    /// Writes a legal move in SAN with these letters.
    pub fn san_in(&self, mv: Move, alphabet: Alphabet) -> String {
        let mut out = String::with_capacity(8);
        let thai = alphabet == Alphabet::Thai;
        if mv.is_castle() {
            out.push_str(if mv.is_king_castle() { "O-O" } else { "O-O-O" });
        } else if mv.piece().kind() == Kind::Pawn {
            if mv.is_capture() {
                alphabet.file(&mut out, mv.from().file());
                out.push('x');
            }
            alphabet.square(&mut out, mv.to());
        } else {
            alphabet.piece::<R>(&mut out, mv.piece_code());
            let (mut file, rank) = self.disambiguation(mv, thai);
            // In Thai a piece's letter may also be the file of a Bia that can go to the same square.
            if thai && let Some(twin) = homonym(mv.piece_code()) {
                file |= self.legal_moves().iter().any(|other| {
                    other.piece().kind() == Kind::Pawn && other.to() == mv.to() && other.from().file().index() == twin
                });
            }
            if file {
                alphabet.file(&mut out, mv.from().file());
            }
            if rank {
                alphabet.rank(&mut out, mv.from().rank());
            }
            if mv.is_capture() {
                out.push('x');
            } else if thai {
                out.push('-');
            }
            alphabet.square(&mut out, mv.to());
        }
        self.finish(&mut out, mv, alphabet);
        out
    }

    /// Writes a legal move in long algebraic notation with these letters: `Ng1-f3`, `บ จ๓-จ๔`.
    pub fn lan_in(&self, mv: Move, alphabet: Alphabet) -> String {
        let mut out = String::with_capacity(12);
        if mv.is_castle() {
            out.push_str(if mv.is_king_castle() { "O-O" } else { "O-O-O" });
        } else {
            if alphabet == Alphabet::Thai {
                alphabet.piece::<R>(&mut out, mv.piece_code());
                out.push(' ');
            } else if mv.piece().kind() != Kind::Pawn {
                alphabet.piece::<R>(&mut out, mv.piece_code());
            }
            alphabet.square(&mut out, mv.from());
            out.push(if mv.is_capture() { 'x' } else { '-' });
            alphabet.square(&mut out, mv.to());
        }
        self.finish(&mut out, mv, alphabet);
        out
    }

    fn finish(&self, out: &mut String, mv: Move, alphabet: Alphabet) {
        if mv.is_promotion() {
            out.push('=');
            alphabet.piece::<R>(out, mv.promotion_code());
        }
        let next = self.after_unchecked(mv);
        if next.in_check() {
            out.push(if next.has_legal_move() { '+' } else { '#' });
        }
    }

    /// Whether file and rank of the origin are needed to tell this piece from others of its name.
    fn disambiguation(&self, mv: Move, thai: bool) -> (bool, bool) {
        // Bia-ngai and Met have one letter in English and two in Thai.
        let same_name = |other: &Move| {
            if thai { other.piece() == mv.piece() } else { other.piece().kind() == mv.piece().kind() }
        };
        let mut rivals = (false, false, false);
        for other in self.legal_moves().iter().filter(|o| o.to() == mv.to() && o.from() != mv.from()) {
            if same_name(other) && !other.is_castle() {
                rivals.0 = true;
                rivals.1 |= other.from().file() == mv.from().file();
                rivals.2 |= other.from().rank() == mv.from().rank();
            }
        }
        match rivals {
            (false, ..) => (false, false),
            (true, false, _) => (true, false),
            (true, true, false) => (false, true),
            (true, true, true) => (true, true),
        }
    }

    /// Reads a move in SAN or LAN, leniently: `Nf3`, `Ng1f3`, `Ng1-f3`, `0-0`, `e8Q`, `e8=Q`, `e8(Q)`; check and capture marks
    /// and annotations such as `!?` are optional; Thai letters and digits are understood; UCI moves too.
    ///
    /// ```
    /// use rukh_core::{Chess, Position};
    /// let pos = Position::<Chess>::startpos();
    /// assert_eq!(pos.parse_san("Ng1f3"), pos.parse_san("Nf3!?"));
    /// assert!(pos.parse_san("Nf4").is_err());
    /// ```
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(quote(text), SAN_EXAMPLE);
        if text.len() > 64 {
            return Err(syntax());
        }
        let plain = latin::<R>(text, false);
        match self.read_san(text, &plain) {
            // ข, ค and ง name a file and a piece: a Bia is tried first, as its move is written the shorter way.
            Err(error) => match latin::<R>(text, true) {
                other if other != plain => self.read_san(text, &other),
                _ => Err(error),
            },
            found => found,
        }
    }

    fn read_san(&self, text: &str, plain: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(quote(text), SAN_EXAMPLE);
        let body = plain.trim_end_matches(['+', '#', '!', '?', '=']);
        let castle = body.bytes().filter(|b| !matches!(b, b'-')).map(|b| b.to_ascii_uppercase()).collect::<Vec<u8>>();
        if castle == b"OO" || castle == b"00" || castle == b"OOO" || castle == b"000" {
            let kingside = castle.len() == 2;
            let found = self.legal_moves().iter().copied().find(|mv| mv.is_castle() && mv.is_king_castle() == kingside);
            return found.ok_or_else(|| MoveError::Illegal(quote(text)));
        }
        let parts = Parts::read::<R>(body).ok_or_else(syntax)?;
        let list = self.legal_moves();
        let mut found = list.iter().copied().filter(|mv| !mv.is_castle() && parts.fits::<R>(*mv));
        if let Some(mv) = found.next() {
            if found.next().is_none() {
                return Ok(mv);
            }
            let same_trip = |a: &Move| a.from() == mv.from() && a.is_promotion();
            if mv.is_promotion() && list.iter().filter(|mv| parts.fits::<R>(**mv)).all(same_trip) {
                let letter = R::letter(R::PROMOTIONS[0]);
                return Err(MoveError::NoPromotion(quote(text), letter));
            }
            return Err(MoveError::Ambiguous(quote(text)));
        }
        // `e2e4`, `e1g1`, `e7e8q`: some programs write UCI where SAN is expected.
        self.parse_uci(body).map_err(|_| MoveError::Illegal(quote(text)))
    }
}

/// The file whose Thai letter is that of a piece: ข Khun, ค Thon, ง Bia-ngai.
fn homonym(code: u8) -> Option<usize> {
    let piece = match code & 7 {
        7 => THAI_BIA_NGAI,
        other => THAI_PIECES[(other as usize + 5) % 6],
    };
    THAI_FILES.iter().position(|&file| piece.chars().eq([file]))
}

/// Thai letters and digits turned into Latin ones; spaces dropped. A first letter that may be a file or a piece is taken for a
/// file if it stands before a digit or an `x`, unless `piece_first`.
fn latin<R: Rules>(text: &str, piece_first: bool) -> String {
    let thai = text.chars().any(|c| ('\u{0E00}'..='\u{0E7F}').contains(&c));
    if !thai || !R::THAI {
        return text.chars().filter(|c| !c.is_whitespace()).collect();
    }
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_digit = |c: Option<&char>| c.is_some_and(|c| THAI_DIGITS.contains(c) || c.is_ascii_digit());
    let mut out = String::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        let digit = THAI_DIGITS.iter().position(|&d| d == c);
        let file = THAI_FILES.iter().position(|&f| f == c);
        let next = chars.get(i + 1);
        let is_file = match i {
            0 => !piece_first && (is_digit(next) || next == Some(&'x')),
            _ => is_digit(next) || !out.ends_with('='),
        };
        if let Some(d) = digit {
            out.push((b'1' + d as u8) as char);
        } else if c == 'ม' && next == Some(&'็') {
            // Thai tells a Met from a Bia-ngai, which the English M does not.
            out.push('E');
            i += 1;
        } else if let Some(f) = file.filter(|_| is_file) {
            out.push((b'a' + f as u8) as char);
        } else {
            match c {
                'ม' => out.push('N'),
                'ค' => out.push('S'),
                'ร' => out.push('R'),
                'ง' => out.push('F'),
                'ข' => out.push('K'),
                'บ' => {}
                other => match file {
                    Some(f) => out.push((b'a' + f as u8) as char),
                    None => out.push(other),
                },
            }
        }
        i += 1;
    }
    out
}

/// A move as written: what is known of it.
struct Parts {
    kind: Kind,
    /// Thai writes Bia-ngai and Met apart; `None` where the writer does not say.
    promoted: Option<bool>,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<Kind>,
}

impl Parts {
    fn read<R: Rules>(body: &str) -> Option<Self> {
        let mut s: Vec<u8> =
            body.bytes().filter(|b| !matches!(b, b'x' | b'X' | b'-' | b':' | b'(' | b')' | b'=')).collect();
        let kind_of = |b: u8| Kind::ALL.into_iter().find(|&k| R::letter(k) as u8 == b);
        let mut promotion = None;
        if let Some(&last) = s.last()
            && !last.is_ascii_digit()
        {
            let kind = match last.to_ascii_uppercase() {
                b'E' | b'F' if R::MARKS_PROMOTED => Kind::Queen,
                upper => kind_of(upper)?,
            };
            R::PROMOTIONS.contains(&kind).then_some(())?;
            promotion = Some(kind);
            s.pop();
        }
        let mut rest = s.as_slice();
        let mut promoted = None;
        let kind = match *rest.first()? {
            first @ (b'E' | b'F') if R::MARKS_PROMOTED => {
                promoted = Some(first == b'F');
                rest = &rest[1..];
                Kind::Queen
            }
            first if first.is_ascii_uppercase() => {
                rest = &rest[1..];
                kind_of(first)?
            }
            _ => Kind::Pawn,
        };
        let (origin, target) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to: Square = core::str::from_utf8(target).ok()?.parse().ok()?;
        let (mut file, mut rank) = (None, None);
        for &b in origin {
            match b {
                b'a'..=b'h' if file.is_none() && rank.is_none() => file = Some(b - b'a'),
                b'1'..=b'8' if rank.is_none() => rank = Some(b - b'1'),
                _ => return None,
            }
        }
        Some(Self { kind, promoted, file, rank, to, promotion })
    }

    fn fits<R: Rules>(&self, mv: Move) -> bool {
        mv.piece().kind() == self.kind
            && mv.to() == self.to
            && self.promoted.is_none_or(|p| mv.piece().is_promoted() == p)
            && self.file.is_none_or(|f| mv.from().file().index() == f as usize)
            && self.rank.is_none_or(|r| mv.from().rank().index() == r as usize)
            && (mv.promotion() == self.promotion || R::PROMOTIONS.len() == 1 && self.promotion.is_none())
    }
}

/// The spoken number of a count in Thai digits.
fn thai_number(number: u32) -> String {
    const ZERO: u32 = '๐' as u32;
    alloc::format!("{number}").bytes().filter_map(|b| char::from_u32(ZERO + u32::from(b - b'0'))).collect()
}

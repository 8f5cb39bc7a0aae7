//! Squares, colours, piece kinds and pieces: small types with no invalid values.

use crate::bitboard::Bitboard;
use crate::uci::Notation;
use crate::unchecked;
use alloc::string::String;
use core::fmt;
use core::ops::Not;
use core::str::FromStr;

macro_rules! eight {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $(#[allow(missing_docs)] $variant),* }

        impl $name {
            /// All eight, in order.
            pub const ALL: [Self; 8] = [$(Self::$variant),*];

            /// Index, 0 to 7.
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// The one with this index (taken modulo 8).
            #[inline]
            pub const fn from_index(index: usize) -> Self {
                Self::ALL[index & 7]
            }
        }
    };
}

eight! {
    /// A column of the board, `a` to `h`.
    File { A, B, C, D, E, F, G, H }
}
eight! {
    /// A row of the board, `1` to `8`.
    Rank { R1, R2, R3, R4, R5, R6, R7, R8 }
}

impl File {
    /// The letter, `a` to `h`.
    pub const fn char(self) -> char {
        (b'a' + self as u8) as char
    }
}

impl Rank {
    /// The digit, `1` to `8`.
    pub const fn char(self) -> char {
        (b'1' + self as u8) as char
    }
}

/// A square of the board: a1 = 0, b1 = 1, …, h8 = 63.
///
/// ```
/// use rukh_core::{File, Rank, Square};
/// assert_eq!(Square::E4, Square::new(File::E, Rank::R4));
/// assert_eq!("e4".parse(), Ok(Square::E4));
/// assert_eq!(Square::E4.index(), 28);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

macro_rules! square_names {
    ($($name:ident)*) => {
        #[allow(missing_docs)]
        impl Square {
            square_names!(@ 0u8; $($name)*);
        }
    };
    (@ $n:expr; $name:ident $($rest:ident)*) => {
        pub const $name: Self = Self($n);
        square_names!(@ $n + 1; $($rest)*);
    };
    (@ $n:expr;) => {};
}
square_names! {
    A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 H2 A3 B3 C3 D3 E3 F3 G3 H3 A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5 A6 B6 C6 D6 E6 F6 G6 H6 A7 B7 C7 D7 E7 F7 G7 H7 A8 B8 C8 D8 E8 F8 G8 H8
}

impl Square {
    /// The square on this file and rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self((rank as u8) << 3 | file as u8)
    }

    /// The square with this index, if it is below 64.
    #[inline]
    pub const fn from_index(index: u8) -> Option<Self> {
        if index < 64 { Some(Self(index)) } else { None }
    }

    /// The square with the low six bits of `index`.
    #[inline]
    pub(crate) const fn wrap(index: u32) -> Self {
        Self((index & 63) as u8)
    }

    /// Index, 0 to 63.
    #[inline]
    pub const fn index(self) -> usize {
        unchecked::below_64(self.0)
    }

    /// The file.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self.index() & 7]
    }

    /// The rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self.index() >> 3]
    }

    /// The set of this square alone.
    #[inline]
    pub const fn bb(self) -> Bitboard {
        Bitboard(1 << self.index())
    }

    /// The square mirrored left to right (a1 ↔ h1).
    #[inline]
    pub const fn flip_file(self) -> Self {
        Self(self.0 ^ 7)
    }

    /// The square as seen by `color`: unchanged for White, top to bottom for Black.
    #[inline]
    pub const fn relative(self, color: Color) -> Self {
        Self(self.0 ^ (color as u8 * 56))
    }

    /// King steps between two squares.
    pub const fn distance(self, other: Self) -> u32 {
        let files = (self.0 & 7).abs_diff(other.0 & 7);
        let ranks = (self.0 >> 3).abs_diff(other.0 >> 3);
        if files > ranks { files as u32 } else { ranks as u32 }
    }

    /// All squares, a1 to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..64u8).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file().char(), self.rank().char())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a square name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a square: expected a letter a–h and a digit 1–8")]
pub struct SquareError;

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Self, SquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self((rank - b'1') << 3 | (file - b'a'))),
            _ => Err(SquareError),
        }
    }
}

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first, at the bottom of the board.
    White,
    /// The other side.
    Black,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `w` or `b`, as FEN writes it.
    pub const fn char(self) -> char {
        match self {
            Self::White => 'w',
            Self::Black => 'b',
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::White => "White",
            Self::Black => "Black",
        })
    }
}

/// What a piece is, without its colour.
///
/// Makruk pieces share the places of their chess relatives: Bia = [`Pawn`](Self::Pawn), Ma = [`Knight`](Self::Knight),
/// Thon = [`Bishop`](Self::Bishop), Rua = [`Rook`](Self::Rook), Met and Bia-ngai = [`Queen`](Self::Queen),
/// Khun = [`King`](Self::King).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Kind {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl Kind {
    /// All kinds, in index order.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];
    /// Makruk's pawn.
    pub const BIA: Self = Self::Pawn;
    /// Makruk's knight.
    pub const MA: Self = Self::Knight;
    /// Makruk's silver general (also Khon).
    pub const THON: Self = Self::Bishop;
    /// Makruk's rook.
    pub const RUA: Self = Self::Rook;
    /// Makruk's ferz.
    pub const MET: Self = Self::Queen;
    /// Makruk's king.
    pub const KHUN: Self = Self::King;

    /// Index, 0 (pawn) to 5 (king).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A piece with its colour; Makruk's Bia-ngai (a promoted Bia) is told apart from a Met.
///
/// The code fits four bits: colour × 8 + kind + 1, so that 0 is free for "none"; 7 and 15 are Bia-ngai.
///
/// ```
/// use rukh_core::{Color, Kind, Piece};
/// let p = Piece::new(Color::Black, Kind::Knight);
/// assert_eq!((p.color(), p.kind(), p.code()), (Color::Black, Kind::Knight, 10));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Piece(u8);

impl Piece {
    /// The piece of this colour and kind.
    #[inline]
    pub const fn new(color: Color, kind: Kind) -> Self {
        Self((color as u8) << 3 | (kind as u8 + 1))
    }

    /// A Bia-ngai of this colour.
    #[inline]
    pub const fn bia_ngai(color: Color) -> Self {
        Self((color as u8) << 3 | 7)
    }

    /// The piece with this code, if it is one.
    #[inline]
    pub const fn from_code(code: u8) -> Option<Self> {
        if code < 16 && code & 7 != 0 { Some(Self(code)) } else { None }
    }

    /// The four-bit code.
    #[inline]
    pub const fn code(self) -> u8 {
        self.0
    }

    /// The colour.
    #[inline]
    pub const fn color(self) -> Color {
        if self.0 & 8 == 0 { Color::White } else { Color::Black }
    }

    /// The kind; a Bia-ngai moves as, and is, a Met ([`Kind::Queen`]).
    #[inline]
    pub const fn kind(self) -> Kind {
        const KINDS: [Kind; 8] =
            [Kind::Pawn, Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King, Kind::Queen];
        KINDS[(self.0 & 7) as usize]
    }

    /// Whether this is a Bia-ngai.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self.0 & 7 == 7
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}{}", self.color(), self.kind(), if self.is_promoted() { " (promoted)" } else { "" })
    }
}

/// The four castling rights: WK 1, WQ 2, BK 4, BQ 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct CastlingRights(pub(crate) u8);

impl CastlingRights {
    /// No right at all.
    pub const NONE: Self = Self(0);

    /// The four bits.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether `color` may still castle on this side.
    #[inline]
    pub const fn has(self, color: Color, kingside: bool) -> bool {
        self.0 & Self::bit(color, kingside) != 0
    }

    pub(crate) const fn bit(color: Color, kingside: bool) -> u8 {
        (2 - kingside as u8) << (2 * color as u8)
    }
}

/// The games of this crate, for the edges of a program where the game is only known at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Variant {
    Chess,
    Chess960,
    Makruk,
}

impl Variant {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Chess, Self::Chess960, Self::Makruk];

    /// The usual lower-case name, as `UCI_Variant` uses it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chess => "chess",
            Self::Chess960 => "chess960",
            Self::Makruk => "makruk",
        }
    }

    /// The name with a capital letter, as the PGN tag `Variant` and people write it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Chess => "Chess",
            Self::Chess960 => "Chess960",
            Self::Makruk => "Makruk",
        }
    }

    /// The variant whose rules these are: Chess960 has those of chess.
    pub const fn rules(self) -> Variant {
        match self {
            Self::Chess | Self::Chess960 => Self::Chess,
            Self::Makruk => Self::Makruk,
        }
    }

    /// How its moves are written in UCI.
    pub const fn notation(self) -> Notation {
        match self {
            Self::Chess960 => Notation::Chess960,
            Self::Chess | Self::Makruk => Notation::Standard,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of the known games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown variant: expected chess, chess960 or makruk")]
pub struct VariantError;

impl FromStr for Variant {
    type Err = VariantError;

    /// Reads the names that programs and sites write, in UCI, XBoard and PGN; capitals, spaces and dashes do not matter.
    fn from_str(text: &str) -> Result<Self, VariantError> {
        let squeezed: String =
            text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Ok(match squeezed.as_str() {
            "chess" | "standard" | "normal" | "fromposition" | "orthodox" | "classical" => Self::Chess,
            "chess960" | "fischerandom" | "fischerrandom" | "freestyle" | "frc" | "fischerrandomchess"
            | "freestylechess" => Self::Chess960,
            "makruk" => Self::Makruk,
            _ => return Err(VariantError),
        })
    }
}

//! Sides, roles and men.

/// White moves up the board, Black down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Side {
    /// The side that starts.
    White,
    /// The other side.
    Black,
}

impl Side {
    /// The opponent.
    pub fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

/// How a man moves. Chess uses the first six; Makruk replaces bishop and queen by the last two.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Role {
    /// Pawn or Bia.
    Pawn,
    /// Knight or Ma.
    Knight,
    /// Bishop (chess only).
    Bishop,
    /// Rook or Rua.
    Rook,
    /// Queen (chess only).
    Queen,
    /// King or Khun.
    King,
    /// Met or Bia-ngai: one step diagonally.
    Met,
    /// Thon (Khon): one step diagonally or straight ahead.
    Thon,
}

impl Role {
    /// The lower-case FEN letter.
    pub fn letter(self) -> char {
        match self {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
            Role::Met => 'm',
            Role::Thon => 's',
        }
    }

    pub(crate) fn slides(self) -> bool {
        matches!(self, Role::Bishop | Role::Rook | Role::Queen)
    }
}

/// A man on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Man {
    /// Whose it is.
    pub side: Side,
    /// How it moves.
    pub role: Role,
    /// True for a Bia-ngai: a Met that was a Bia, written `M~`.
    pub turned: bool,
}

impl Man {
    /// A man that has not been turned over.
    pub fn new(side: Side, role: Role) -> Man {
        Man { side, role, turned: false }
    }
}

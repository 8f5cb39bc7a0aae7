//! Building a position from its parts, without text.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::fen::{self, FenReason};
use crate::position::Position;
use crate::rules::{BoardHonour, Chess, ChessState, Count, Makruk, MakrukState, Rules};
use crate::types::{Color, Kind, Square};

/// The parts of a position; clocks start at nought. [`Position::from_setup`] checks them as FEN is checked.
///
/// ```
/// use rukh_core::{Chess, Color, Kind, Position, Setup, Square};
/// let mut setup = Setup::new(Color::Black);
/// setup.put(Color::White, Kind::King, Square::E1);
/// setup.put(Color::White, Kind::Rook, Square::H1);
/// setup.put(Color::Black, Kind::King, Square::E8);
/// setup.castling = Square::H1.bb();
/// assert_eq!(Position::<Chess>::from_setup(&setup).unwrap().fen(), "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The six kinds in index order, then the two colours.
    pub planes: [Bitboard; 8],
    /// Who is to move.
    pub side: Color,
    /// Chess: the rooks that may still castle.
    pub castling: Bitboard,
    /// Chess: the square behind a pawn that has just made a double step.
    pub ep: Option<Square>,
    /// Makruk: which Mets are Bia-ngai.
    pub promoted: Bitboard,
    /// Makruk: the running count; a limit of 0 if none runs.
    pub count: Count,
}

impl Setup {
    /// An empty board.
    pub fn new(side: Color) -> Self {
        Self {
            planes: [Bitboard::EMPTY; 8],
            side,
            castling: Bitboard::EMPTY,
            ep: None,
            promoted: Bitboard::EMPTY,
            count: Count::default(),
        }
    }

    /// Puts a piece on a square that must be empty.
    pub fn put(&mut self, color: Color, kind: Kind, square: Square) {
        self.planes[kind.index()] |= square.bb();
        self.planes[6 + color.index()] |= square.bb();
    }

    /// One kind and one colour on every square that has any.
    fn consistent(&self) -> bool {
        let (kinds, colors) = self.planes.split_at(6);
        let mut seen = Bitboard::EMPTY;
        let mut twice = (colors[0] & colors[1]).any();
        for &plane in kinds {
            twice |= (plane & seen).any();
            seen |= plane;
        }
        !twice && seen == colors[0] | colors[1]
    }
}

impl<R: Rules> Position<R> {
    /// The board and the side to move, checked; the state is the caller's to fill in.
    fn from_board(setup: &Setup, state: R::State) -> Result<Self, FenReason> {
        if !setup.consistent() {
            return Err(FenReason::Overlap);
        }
        let [p, n, b, r, q, k, white, black] = setup.planes;
        let planes = [white, p, n, b, r, q, k, black];
        let pos = Self { planes, state, key: 0, halfmove: 0, ply: setup.side as u32 };
        fen::validate_board(&pos)?;
        Ok(pos)
    }
}

impl Position<Chess> {
    /// The position with these parts, if it is legal; an en-passant square that no pawn can use is dropped.
    pub fn from_setup(setup: &Setup) -> Result<Self, FenReason> {
        let mut pos = Self::from_board(setup, ChessState::default())?;
        let mut seen = 0;
        for rook in setup.castling {
            let Some(piece) = pos.piece_at(rook) else { return Err(FenReason::CastlingRight('?')) };
            let (color, king) = (piece.color(), pos.king(piece.color()));
            let right = crate::types::CastlingRights::bit(color, rook > king);
            let home = Bitboard::RANKS[if color == Color::White { 0 } else { 7 }];
            if piece.kind() != Kind::Rook || !home.has(rook) || !home.has(king) || seen & right != 0 {
                return Err(FenReason::CastlingRight(rook.file().char()));
            }
            seen |= right;
            pos.state.castling |= rook.bb();
        }
        if let Some(square) = setup.ep {
            if !fen::en_passant_possible(&pos, square) {
                return Err(FenReason::EnPassant(square));
            }
            if (attacks::pawn(!setup.side, square) & pos.colored(setup.side, Kind::Pawn)).any() {
                pos.state.ep = square.bb();
            }
        }
        pos.key = pos.key_from_scratch();
        Ok(pos)
    }
}

impl Position<Makruk> {
    /// The position with these parts, if it is legal.
    pub fn from_setup(setup: &Setup) -> Result<Self, FenReason> {
        if (setup.promoted - setup.planes[Kind::Queen.index()]).any() {
            return Err(FenReason::Tilde);
        }
        let state = MakrukState { promoted: setup.promoted, count: Count::default(), honour: BoardHonour::Automatic };
        let mut pos = Self::from_board(setup, state)?;
        if setup.count.limit != 0 {
            pos.state.count = fen::checked_count(&pos, setup.count)?;
        }
        pos.key = pos.key_from_scratch();
        Ok(pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts<R: Rules>(pos: &Position<R>) -> Setup {
        Setup {
            planes: {
                let [white, p, n, b, r, q, k, black] = pos.planes;
                [p, n, b, r, q, k, white, black]
            },
            side: pos.side_to_move(),
            castling: R::castling_set(&pos.state) & pos.pieces(Kind::Rook),
            ep: pos.ep_square(),
            promoted: pos.promoted(),
            count: R::count_of(&pos.state),
        }
    }

    #[test]
    fn setup_and_fen_agree() {
        for fen in [
            Chess::START_FEN,
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R1K2R1 b BGg - 0 1",
            "8/8/8/8/8/8/8/K1k5 w - - 0 1",
        ] {
            let pos = Position::<Chess>::from_fen(fen).unwrap();
            assert_eq!(Position::<Chess>::from_setup(&parts(&pos)), Ok(pos), "{fen}");
        }
        for fen in [Makruk::START_FEN, "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"] {
            let pos = Position::<Makruk>::from_fen(fen).unwrap();
            assert_eq!(Position::<Makruk>::from_setup(&parts(&pos)), Ok(pos), "{fen}");
        }
    }

    #[test]
    fn impossible_parts_are_refused() {
        let good = parts(&Position::<Chess>::startpos());
        let refused = |change: fn(&mut Setup)| {
            let mut setup = good;
            change(&mut setup);
            Position::<Chess>::from_setup(&setup).unwrap_err()
        };
        assert_eq!(refused(|s| s.planes[1] |= Square::E1.bb()), FenReason::Overlap);
        assert_eq!(refused(|s| s.planes[6] |= Square::E4.bb()), FenReason::Overlap);
        assert_eq!(refused(|s| s.castling = Square::B1.bb()), FenReason::CastlingRight('b'));
        assert_eq!(refused(|s| s.ep = Some(Square::E3)), FenReason::EnPassant(Square::E3));
        let mut mets = parts(&Position::<Makruk>::startpos());
        mets.promoted = Square::A1.bb();
        assert_eq!(Position::<Makruk>::from_setup(&mets), Err(FenReason::Tilde));
        mets.promoted = Bitboard::EMPTY;
        mets.count = Count { limit: 128, plies: 1 };
        assert_eq!(Position::<Makruk>::from_setup(&mets), Err(FenReason::CountWithBia));
    }
}

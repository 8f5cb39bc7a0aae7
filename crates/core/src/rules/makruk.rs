//! The rules of Makruk, with its counts.

use super::{Rules, Side};
use crate::any::{Any, AnyPosition};
use crate::attacks;
use crate::bitboard::Bitboard;
use crate::fen::{self, FenError};
use crate::position::{Played, Position};
use crate::types::{Color, Kind, Square, Variant};
use crate::zobrist;
use alloc::string::String;

/// Makruk, Thai chess, with both counting rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Makruk;

/// Who counts board's honour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum BoardHonour {
    /// It starts by itself as soon as the rules allow, as engines play it.
    #[default]
    Automatic,
    /// Games between people: nobody has claimed it.
    Unclaimed,
    /// Games between people: this side counts. Its own mate is a draw unless it stops counting first.
    Claimed(Color),
}

/// A running count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Count {
    /// The limit in plies: twice the number at which counting ends; 0 while nothing is counted.
    pub limit: u16,
    /// Plies counted so far.
    pub plies: u16,
}

impl Count {
    /// The most plies that a count to `limit` may show with so many men on the board. It may begin past its limit when many are
    /// left; then it is a draw unless it is mate. Whoever plays on after that finds it where it stood.
    pub(crate) fn most(limit: u16, men: u32) -> u16 {
        limit.max(2 * men as u16) + 1
    }

    /// The number spoken last (or to be spoken now, after the counting side's move).
    pub const fn spoken(self) -> u16 {
        self.plies.div_ceil(2)
    }

    /// The number at which counting ends.
    pub const fn last_number(self) -> u16 {
        self.limit / 2
    }

    /// The number up to which a bare Khun counts against so many Rua, Thon and Ma.
    pub const fn pieces_honour(rua: u32, thon: u32, ma: u32) -> u16 {
        match (rua, thon, ma) {
            (2.., _, _) => 8,
            (1, _, _) => 16,
            (_, 2.., _) => 22,
            (_, _, 2..) => 32,
            (_, 1, _) => 44,
            _ => 64,
        }
    }

    /// Plies left before the draw.
    pub const fn remaining(self) -> u16 {
        (self.limit + 1).saturating_sub(self.plies)
    }
}

/// What Makruk keeps beside the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MakrukState {
    /// Mets that were Bia.
    pub(crate) promoted: Bitboard,
    pub(crate) count: Count,
    pub(crate) honour: BoardHonour,
}

impl Rules for Makruk {
    type State = MakrukState;

    fn read_fen(text: &str) -> Result<Position<Self>, FenError> {
        fen::read_makruk(text)
    }

    fn write_fen_rest(pos: &Position<Self>, out: &mut String) {
        fen::write_makruk_rest(pos, out);
    }

    fn letter(kind: Kind) -> char {
        ['P', 'N', 'S', 'R', 'M', 'K'][kind.index()]
    }

    const VARIANT: Variant = Variant::Makruk;
    const START_FEN: &'static str = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
    const SLIDING_DIAGONALS: bool = false;
    const MARKS_PROMOTED: bool = true;
    const PAWN_RANK: usize = 2;
    // The count stands in the last two.
    const EPD_FIELDS: usize = 6;
    const THAI: bool = true;
    const DOUBLE_STEP: bool = false;
    const CASTLING: bool = false;
    const FIFTY_MOVES: bool = false;
    const PROMOTION_ZONE: [Bitboard; 2] = [Bitboard(0xFFFF_FF00_0000_0000), Bitboard(0x0000_0000_00FF_FFFF)];
    const PROMOTIONS: &'static [Kind] = &[Kind::Queen];
    const VALUES: [i32; 6] = [100, 300, 250, 550, 170, 20_000];

    fn any(pos: Position<Self>) -> AnyPosition {
        Any::Makruk(pos)
    }

    #[inline(always)]
    fn attacks(kind: Kind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            Kind::Pawn => attacks::pawn(color, square),
            Kind::Knight => attacks::knight(square),
            Kind::Bishop => attacks::thon(color, square),
            Kind::Rook => attacks::rook(square, occupied),
            Kind::Queen => attacks::met(square),
            Kind::King => attacks::king(square),
        }
    }

    #[inline(always)]
    fn is_touched<S: Side>(_: &MakrukState, _: &Played) -> bool {
        // Bia-ngai and the count follow every move.
        true
    }

    #[inline(always)]
    fn arrive<S: Side>(pos: &mut Position<Self>, played: &Played) {
        let (from, to) = (played.from.bb(), played.to.bb());
        let before = pos.state.promoted;
        let mut promoted = before - (from | to);
        if played.promotion != 0 || (before & from).any() {
            promoted |= to;
        }
        pos.state.promoted = promoted;
        if pos.pieces(Kind::Pawn).is_empty() {
            count_move::<S>(pos, played);
        }
    }

    fn advance_null(next: &mut Position<Self>) {
        if next.state.count.limit != 0 {
            let most = Count::most(next.state.count.limit, next.occupied().count());
            next.state.count.plies = (next.state.count.plies + 1).min(most);
        }
    }

    #[inline(always)]
    fn extra_key(state: &MakrukState) -> u64 {
        zobrist::count(state.count)
    }

    #[inline(always)]
    fn promoted_of(state: &MakrukState) -> Bitboard {
        state.promoted
    }

    #[inline(always)]
    fn count_of(state: &MakrukState) -> Count {
        state.count
    }

    fn counter(state: &MakrukState) -> Option<Color> {
        match state.honour {
            BoardHonour::Claimed(color) => Some(color),
            _ => None,
        }
    }

    /// Neither side can mate: a single Bia or Ma, or Mets that all stand on one colour of squares.
    fn insufficient_material(pos: &Position<Self>) -> bool {
        if pos.occupied().count() == 3 && pos.pieces(Kind::Pawn).any() {
            return true;
        }
        if (pos.pieces(Kind::Pawn) | pos.pieces(Kind::Rook) | pos.pieces(Kind::Bishop)).any() {
            return false;
        }
        let (knights, mets) = (pos.pieces(Kind::Knight), pos.pieces(Kind::Queen));
        if knights.any() {
            return (knights | mets).count() == 1;
        }
        (mets & Bitboard::LIGHT).is_empty() || (mets & Bitboard::DARK).is_empty()
    }
}

/// The count after a move that leaves no Bia on the board. `S` has just moved.
fn count_move<S: Side>(next: &mut Position<Makruk>, played: &Played) {
    let mut count = next.state.count;
    let men = next.occupied().count() as u16;
    if count.limit != 0 {
        // Those who play on after the draw may do so for ever.
        count.plies = (count.plies + 1).min(Count::most(count.limit, u32::from(men)));
    }
    let (mover, waiting) = (S::COLOR, !S::COLOR);
    let waiting_is_bare = !next.colors(waiting).more_than_one();
    let changed = played.captured != 0 || played.promotion != 0;
    let starts = count.limit == 0 || (changed && waiting_is_bare);
    let limit = if starts { count_limit(next, waiting) } else { 0 };
    if limit != 0 {
        if waiting_is_bare {
            count = Count { limit: 2 * limit, plies: 2 * men };
        } else if next.state.honour != BoardHonour::Unclaimed {
            count = Count { limit: 2 * limit, plies: 0 };
        }
    } else if played.captured & 7 == Kind::Pawn as u8 + 1 && !next.colors(mover).more_than_one() {
        // A bare Khun that takes the last Bia has made the number that equals the men left.
        count = Count { limit: 2 * count_limit(next, mover), plies: 2 * men - 1 };
        if count.limit == 0 {
            count = Count::default();
        }
    }
    next.state.count = count;
}

/// The number up to which `side` would count now; 0 if there is nothing for it to count.
pub(crate) fn count_limit(pos: &Position<Makruk>, side: Color) -> u16 {
    if pos.pieces(Kind::Pawn).any() || !pos.colors(!side).more_than_one() {
        return 0;
    }
    if pos.colors(side).more_than_one() {
        return 64;
    }
    let chaser = |kind| pos.colored(!side, kind).count();
    Count::pieces_honour(chaser(Kind::Rook), chaser(Kind::Bishop), chaser(Kind::Knight))
}

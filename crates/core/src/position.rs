//! The board: pieces, side to move, clocks, key.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::{Move, flag};
use crate::rules::{Black, BoardHonour, Chess, Count, Makruk, Rules, Side, White};
use crate::types::{CastlingRights, Color, Kind, Piece, Square};
use crate::uci::MoveError;
use crate::zobrist;
use alloc::string::ToString;
use core::hash::{Hash, Hasher};

/// A legal position of the game `R`. It is small and copied freely; making a move is copying the board.
///
/// ```
/// use rukh_core::{Chess, Position};
/// let pos = Position::<Chess>::startpos();
/// assert_eq!(pos.legal_moves().len(), 20);
/// let next = pos.after(pos.parse_san("e4").unwrap());
/// assert_eq!(next.fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Position<R: Rules> {
    // White, the six kinds, Black: one array, so that a move clears its squares on all of them at once, in this order, so that
    // the code of a piece without its colour is the index of its plane.
    pub(crate) planes: [Bitboard; 8],
    pub(crate) state: R::State,
    pub(crate) key: u64,
    pub(crate) halfmove: u32,
    // Twice the full moves before this one, plus one if Black is to move: its parity is the side to move.
    pub(crate) ply: u32,
}

const _: () = assert!(size_of::<Position<Chess>>() == 96 && size_of::<Position<Makruk>>() == 96);

/// A move taken apart, for the hooks of [`Rules`].
#[doc(hidden)]
pub struct Played {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) kind: u8,
    pub(crate) captured: u8,
    pub(crate) promotion: u8,
    pub(crate) flags: u8,
}

impl Played {
    #[inline(always)]
    fn of(mv: Move) -> Self {
        Self {
            from: mv.from(),
            to: mv.to(),
            kind: mv.piece_code() & 7,
            captured: mv.captured_code(),
            promotion: mv.promotion_code(),
            flags: mv.flags(),
        }
    }
}

/// The board as it was before a move; see [`Position::make`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Undo<R: Rules>(Position<R>);

/// Is told what a move does to the pieces, so that an evaluation can follow without the board knowing it.
pub trait Observer {
    /// A piece appears.
    fn add(&mut self, piece: Piece, square: Square);
    /// A piece disappears.
    fn remove(&mut self, piece: Piece, square: Square);
    /// A piece goes from one square to another.
    fn moved(&mut self, piece: Piece, from: Square, to: Square) {
        self.remove(piece, from);
        self.add(piece, to);
    }
}

/// By the key: equal positions have equal keys.
impl<R: Rules> Hash for Position<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.key);
    }
}

impl<R: Rules> Position<R> {
    /// The start position.
    pub fn startpos() -> Self {
        match Self::from_fen(R::START_FEN) {
            Ok(pos) => pos,
            Err(_) => unreachable!("the start position is legal"),
        }
    }

    /// Who is to move.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        if self.ply & 1 == 0 { Color::White } else { Color::Black }
    }

    /// The pieces of a kind, both colours.
    #[inline(always)]
    pub const fn pieces(&self, kind: Kind) -> Bitboard {
        self.planes[kind.index() + 1]
    }

    /// The pieces of a colour.
    #[inline(always)]
    pub const fn colors(&self, color: Color) -> Bitboard {
        self.planes[color_plane(color)]
    }

    /// The pieces of a colour and kind.
    #[inline(always)]
    pub const fn colored(&self, color: Color, kind: Kind) -> Bitboard {
        Bitboard(self.colors(color).0 & self.pieces(kind).0)
    }

    /// All pieces.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.planes[0].0 | self.planes[7].0)
    }

    /// Where the king of `color` stands.
    #[inline(always)]
    pub const fn king(&self, color: Color) -> Square {
        self.colored(color, Kind::King).lsb()
    }

    /// The piece on `square`.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_code(self.code_at(square))
    }

    /// The code of the piece on `square`, 0 if it is empty.
    #[inline(always)]
    pub(crate) fn code_at(&self, square: Square) -> u8 {
        let on = |plane: usize| (self.planes[plane].0 >> square.index() & 1) as u8;
        let kind = on(1) + 2 * on(2) + 3 * on(3) + 4 * on(4) + 5 * on(5) + 6 * on(6);
        kind + 8 * on(7) + 2 * u8::from(R::MARKS_PROMOTED && self.promoted().has(square))
    }

    /// Mets that were Bia (Makruk's Bia-ngai); always empty in chess.
    #[inline(always)]
    pub fn promoted(&self) -> Bitboard {
        R::promoted_of(&self.state)
    }

    /// Half moves since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        if self.halfmove > u16::MAX as u32 { u16::MAX } else { self.halfmove as u16 }
    }

    /// The number of the full move, from 1.
    #[inline]
    pub const fn fullmove(&self) -> u32 {
        self.ply / 2 + 1
    }

    /// Half moves since the start of the game, by the full-move number.
    #[inline]
    pub const fn ply(&self) -> u32 {
        self.ply
    }

    /// The key of the position: Polyglot's for chess; for Makruk the running count is part of it.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key ^ R::extra_key(&self.state)
    }

    /// The key that repetition goes by: like [`key`](Self::key), without Makruk's count.
    #[inline(always)]
    pub const fn repetition_key(&self) -> u64 {
        self.key
    }

    /// A key of the pawns alone.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        zobrist::boards([self.colored(Color::White, Kind::Pawn), self.colored(Color::Black, Kind::Pawn)])
    }

    /// A key of one side's pieces without its pawns.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> u64 {
        let of = |kind| self.colored(color, kind);
        zobrist::boards([of(Kind::Knight), of(Kind::Bishop), of(Kind::Rook), of(Kind::Queen), of(Kind::King)])
    }

    /// A key of the knights, bishops and kings of both sides.
    #[inline]
    pub fn minor_key(&self) -> u64 {
        zobrist::boards([
            self.pieces(Kind::Knight),
            self.pieces(Kind::Bishop),
            self.pieces(Kind::King),
            self.colors(Color::White)
                & (self.pieces(Kind::Knight) | self.pieces(Kind::Bishop) | self.pieces(Kind::King)),
        ])
    }

    /// The key computed from nothing but the board: what [`repetition_key`](Self::repetition_key) must equal.
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = if self.side_to_move() == Color::White { zobrist::WHITE_TO_MOVE } else { 0 };
        for square in self.occupied() {
            key ^= zobrist::piece(self.code_at(square), square);
        }
        key ^= zobrist::castling(self.castling());
        if let Some(square) = self.ep_square() {
            key ^= zobrist::en_passant(square);
        }
        key
    }

    /// The castling rights left (none in Makruk).
    pub fn castling(&self) -> CastlingRights {
        self.castling_of(R::castling_set(&self.state))
    }

    /// The rights that a set of rooks stands for.
    pub(crate) fn castling_of(&self, set: Bitboard) -> CastlingRights {
        let mut rights = 0;
        for color in Color::ALL {
            for rook in set & self.colored(color, Kind::Rook) {
                rights |= CastlingRights::bit(color, rook > self.king(color));
            }
        }
        CastlingRights(rights)
    }

    /// The rook that would castle.
    pub fn castle_rook(&self, color: Color, kingside: bool) -> Option<Square> {
        let rooks = R::castling_set(&self.state) & self.colored(color, Kind::Rook);
        let king = self.king(color);
        rooks.into_iter().find(|&rook| (rook > king) == kingside)
    }

    /// Whether `color` may still castle on the king's side, and on the queen's.
    #[inline]
    pub fn castling_sides(&self, color: Color) -> (bool, bool) {
        let rooks = R::castling_set(&self.state) & self.colored(color, Kind::Rook);
        let below = self.colored(color, Kind::King).0.wrapping_sub(1);
        (rooks.0 & !below != 0, rooks.0 & below != 0)
    }

    /// The en-passant square, kept only while an enemy pawn stands ready to take (as X-FEN and Polyglot have it).
    #[inline]
    pub fn ep_square(&self) -> Option<Square> {
        let ep = R::ep_set(&self.state);
        ep.any().then(|| ep.lsb())
    }

    /// Plays a move, if it is legal here.
    ///
    /// ```
    /// use rukh_core::{Chess, Move, Position};
    /// let mut pos = Position::<Chess>::startpos();
    /// let e4 = pos.parse_uci("e2e4").unwrap();
    /// pos.try_play(e4)?;
    /// assert!(pos.try_play(e4).is_err() && pos.try_play(Move::NONE).is_err());
    /// # Ok::<(), rukh_core::MoveError>(())
    /// ```
    pub fn try_play(&mut self, mv: Move) -> Result<(), MoveError> {
        if !self.is_legal(mv) {
            return Err(MoveError::Illegal(mv.to_string()));
        }
        *self = self.after_unchecked(mv);
        Ok(())
    }

    /// The position after a legal move.
    ///
    /// # Panics
    ///
    /// If the move is not legal here: [`try_play`](Self::try_play) returns an error instead.
    ///
    /// ```should_panic
    /// use rukh_core::{Chess, Move, Position};
    /// let _ = Position::<Chess>::startpos().after(Move::NONE);
    /// ```
    #[must_use]
    pub fn after(&self, mv: Move) -> Self {
        assert!(self.is_legal(mv), "{mv} is not a legal move of {self}");
        self.after_unchecked(mv)
    }

    /// The position after a move that came from a generator of this very position, as fast as can be. Another move gives a board
    /// that no game can reach (nothing unsafe, but kings can be taken): for moves from anywhere else there are
    /// [`after`](Self::after) and [`try_play`](Self::try_play).
    #[inline]
    #[must_use]
    pub fn after_unchecked(&self, mv: Move) -> Self {
        match self.side_to_move() {
            Color::White => self.after_outlined::<White>(mv),
            Color::Black => self.after_outlined::<Black>(mv),
        }
    }

    // Not inlined: there are many callers, and on its own it needs few registers. (What is never inlined is compiled with this crate, and
    // for WebAssembly this crate is compiled for size; where it is called from it is not inlined either.)
    #[cfg_attr(not(target_family = "wasm"), inline(never))]
    fn after_outlined<S: Side>(&self, mv: Move) -> Self {
        debug_assert!(
            self.code_at(mv.from()) == mv.piece_code() && mv.piece().color() == self.side_to_move(),
            "{mv:?} is a move of another position"
        );
        let played = Played::of(mv);
        if self.is_rare::<S>(&played) {
            return self.after_rare::<S>(mv);
        }
        self.after_common::<S>(&played)
    }

    // Made whole where it is wanted: what is lent to somebody before it is returned is copied, and WebAssembly calls a function for that.
    #[inline(always)]
    fn after_common<S: Side>(&self, played: &Played) -> Self {
        Self {
            planes: self.planes_after::<S>(played),
            state: self.state,
            key: self.key_after::<S>(played),
            halfmove: self.halfmove_after(played),
            ply: self.ply + 1,
        }
    }

    #[inline(never)]
    fn after_rare<S: Side>(&self, mv: Move) -> Self {
        let played = Played::of(mv);
        let mut next = self.after_common::<S>(&played);
        self.rare::<S, true>(&mut next, &played);
        next
    }

    // All that is rare is in a function of its own, to keep this one small.
    #[inline(always)]
    pub(crate) fn after_into_as<S: Side>(&self, mv: Move, next: &mut Self) {
        let played = Played::of(mv);
        next.planes = self.planes_after::<S>(&played);
        next.state = self.state;
        next.key = self.key_after::<S>(&played);
        next.halfmove = self.halfmove_after(&played);
        next.ply = self.ply + 1;
        if self.is_rare::<S>(&played) {
            self.rare_of_move::<S>(next, mv);
        }
    }

    #[inline(never)]
    fn rare_of_move<S: Side>(&self, next: &mut Self, mv: Move) {
        self.rare::<S, true>(next, &Played::of(mv));
    }

    /// Makes a legal move and returns what [`unmake`](Self::unmake) needs. Like [`after`](Self::after) it panics if the move is
    /// not legal here.
    pub fn make(&mut self, mv: Move) -> Undo<R> {
        let before = *self;
        *self = before.after(mv);
        Undo(before)
    }

    /// Takes a move back.
    #[inline]
    pub fn unmake(&mut self, undo: Undo<R>) {
        *self = undo.0;
    }

    /// Makes a move and tells `observer` which pieces changed.
    pub fn make_observed(&mut self, mv: Move, observer: &mut impl Observer) -> Undo<R> {
        self.observe(mv, observer);
        self.make(mv)
    }

    /// Tells `observer` what `mv` will do to the pieces of this position.
    pub fn observe(&self, mv: Move, observer: &mut impl Observer) {
        let (piece, from, to) = (mv.piece(), mv.from(), mv.to());
        if let Some(captured) = mv.captured() {
            let square = if mv.is_en_passant() { ep_victim(to, piece.color()) } else { to };
            observer.remove(captured, square);
        }
        if mv.is_castle() {
            let kingside = mv.is_king_castle();
            if let Some(rook) = self.castle_rook(piece.color(), kingside) {
                // In Chess960 the two may land on each other's squares: both leave before either arrives.
                let rook_piece = Piece::new(piece.color(), Kind::Rook);
                observer.remove(piece, from);
                observer.moved(rook_piece, rook, castle_targets(piece.color(), kingside).1);
                observer.add(piece, to);
            }
        } else if let Some(promoted) = Piece::from_code(mv.promotion_code()) {
            observer.remove(piece, from);
            observer.add(promoted, to);
        } else {
            observer.moved(piece, from, to);
        }
    }

    /// The position after passing, which no game knows: for threats.
    ///
    /// # Panics
    ///
    /// If the side to move is in check, because its king could be taken then.
    ///
    /// ```should_panic
    /// use rukh_core::{Chess, Position};
    /// let _ = "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1".parse::<Position<Chess>>().unwrap().after_null();
    /// ```
    #[must_use]
    pub fn after_null(&self) -> Self {
        assert!(!self.in_check(), "one cannot pass in {self}: the king is in check");
        self.after_null_unchecked()
    }

    /// The same for a search, which knows already that nobody is in check.
    #[inline]
    #[must_use]
    pub fn after_null_unchecked(&self) -> Self {
        let mut next = *self;
        next.key ^= zobrist::WHITE_TO_MOVE;
        next.ply += 1;
        next.halfmove += 1;
        R::advance_null(&mut next);
        next
    }

    /// The heart of making a move, for the generator: the compiler folds away what is constant where it is inlined. Without
    /// `FULL` key and clock are not kept.
    #[inline(always)]
    pub(crate) fn play<S: Side, const FULL: bool>(&self, played: &Played) -> Self {
        let mut next = Self {
            planes: self.planes_after::<S>(played),
            state: self.state,
            key: if FULL { self.key_after::<S>(played) } else { self.key },
            halfmove: if FULL { self.halfmove_after(played) } else { self.halfmove },
            ply: self.ply + 1,
        };
        if self.is_rare::<S>(played) {
            self.rare::<S, FULL>(&mut next, played);
        }
        next
    }

    #[inline(always)]
    fn planes_after<S: Side>(&self, played: &Played) -> [Bitboard; 8] {
        let squares = played.from.bb() | played.to.bb();
        let (kind, color) = (plane_of::<R>(played.kind), color_plane(S::COLOR));
        // Selected plane by plane: writing two of them after a vector store would stall on reading them back.
        core::array::from_fn(|i| {
            let left = self.planes[i] - squares;
            if i == kind || i == color { left | played.to.bb() } else { left }
        })
    }

    #[inline(always)]
    fn key_after<S: Side>(&self, played: &Played) -> u64 {
        let code = (S::COLOR as u8) << 3 | played.kind;
        // Nothing captured is code 0, whose keys are zero.
        let taken = zobrist::piece(played.captured, played.to);
        self.key ^ zobrist::WHITE_TO_MOVE ^ zobrist::piece(code, played.from) ^ zobrist::piece(code, played.to) ^ taken
    }

    #[inline(always)]
    fn halfmove_after(&self, played: &Played) -> u32 {
        if played.kind == 1 || played.flags & flag::CAPTURE != 0 { 0 } else { self.halfmove + 1 }
    }

    /// Whether [`rare`](Self::rare) has to follow.
    #[inline(always)]
    fn is_rare<S: Side>(&self, played: &Played) -> bool {
        played.flags & !flag::CAPTURE != 0 || R::is_touched::<S>(&self.state, played)
    }

    /// Castling rights and en passant, castling, double steps, promotions; and for Makruk the count.
    #[inline(always)]
    fn rare<S: Side, const FULL: bool>(&self, next: &mut Self, played: &Played) {
        let (us, them) = (color_plane(S::COLOR), color_plane(S::Them::COLOR));
        let (to, colour) = (played.to, (S::COLOR as u8) << 3);
        R::leave::<S, FULL>(self, next, played);
        let mut key = 0;
        match played.flags {
            flag::QUIET | flag::CAPTURE => {}
            flag::DOUBLE if R::DOUBLE_STEP => R::set_en_passant::<S, FULL>(next, to),
            flag::KING_CASTLE | flag::QUEEN_CASTLE if R::CASTLING => {
                self.castle_rook_over::<S, FULL>(next, played.flags == flag::KING_CASTLE);
            }
            flag::EN_PASSANT if R::DOUBLE_STEP => {
                let victim = ep_victim(to, S::COLOR);
                next.planes[1] = next.planes[1] - victim.bb();
                next.planes[them] = next.planes[them] - victim.bb();
                key = zobrist::piece(played.captured, victim) ^ zobrist::piece(played.captured, to);
            }
            _ => {
                next.planes[1] = next.planes[1] - to.bb();
                next.planes[plane_of::<R>(played.promotion & 7)] |= to.bb();
                key = zobrist::piece(colour | 1, to) ^ zobrist::piece(played.promotion, to);
            }
        }
        debug_assert!(next.planes[us].has(to));
        if FULL {
            next.key ^= key;
        }
        R::arrive::<S>(next, played);
    }

    /// The king has moved (in Chess960 perhaps onto its own rook); now the rook.
    #[cold]
    fn castle_rook_over<S: Side, const FULL: bool>(&self, next: &mut Self, kingside: bool) {
        let Some(rook) = self.castle_rook(S::COLOR, kingside) else { return };
        let (king_to, rook_to) = castle_targets(S::COLOR, kingside);
        let (rooks, us) = (Kind::Rook.index() + 1, color_plane(S::COLOR));
        next.planes[rooks] = next.planes[rooks] - rook.bb() | rook_to.bb();
        next.planes[us] = next.planes[us] - rook.bb() | rook_to.bb() | king_to.bb();
        if FULL {
            let code = (S::COLOR as u8) << 3 | rooks as u8;
            next.key ^= zobrist::piece(code, rook) ^ zobrist::piece(code, rook_to);
        }
    }

    /// Pieces that slide along ranks and files.
    #[inline(always)]
    pub(crate) fn orthogonal(&self) -> Bitboard {
        if R::SLIDING_DIAGONALS { self.pieces(Kind::Rook) | self.pieces(Kind::Queen) } else { self.pieces(Kind::Rook) }
    }

    /// Pieces that slide along diagonals.
    #[inline(always)]
    pub(crate) fn diagonal(&self) -> Bitboard {
        if R::SLIDING_DIAGONALS { self.pieces(Kind::Bishop) | self.pieces(Kind::Queen) } else { Bitboard::EMPTY }
    }

    /// The sliders of both sides that look at `square` when `occupied` is in the way.
    #[inline(always)]
    pub(crate) fn sliders_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let straight = attacks::rook(square, occupied) & self.orthogonal();
        if R::SLIDING_DIAGONALS { straight | attacks::bishop(square, occupied) & self.diagonal() } else { straight }
    }

    /// Pieces other than sliders that attack `square`, as seen by the side `defender` that would be attacked.
    #[inline(always)]
    pub(crate) fn leaper_attackers(&self, square: Square, defender: Color) -> Bitboard {
        let mut set = attacks::pawn(defender, square) & self.pieces(Kind::Pawn)
            | attacks::knight(square) & self.pieces(Kind::Knight);
        if !R::SLIDING_DIAGONALS {
            set |= attacks::thon(defender, square) & self.pieces(Kind::Bishop)
                | attacks::met(square) & self.pieces(Kind::Queen);
        }
        set & self.colors(!defender)
    }

    /// The pieces of `by` that attack `square` when `occupied` is in the way.
    #[inline]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let set = self.sliders_to(square, occupied) | attacks::king(square) & self.pieces(Kind::King);
        set & self.colors(by) | self.leaper_attackers(square, !by)
    }

    /// The pieces of both sides that attack `square` when `occupied` is in the way.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let set = self.sliders_to(square, occupied) | attacks::king(square) & self.pieces(Kind::King);
        set | self.leaper_attackers(square, Color::White) | self.leaper_attackers(square, Color::Black)
    }

    /// Whether `by` attacks `square`.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        self.attackers(square, by, self.occupied()).any()
    }

    /// Every square that `by` attacks.
    pub fn attacked_by(&self, by: Color) -> Bitboard {
        let pawns = self.colored(by, Kind::Pawn);
        let mut set = pawns.forward_west(by) | pawns.forward_east(by);
        for kind in &Kind::ALL[1..] {
            for square in self.colored(by, *kind) {
                set |= R::attacks(*kind, by, square, self.occupied());
            }
        }
        set
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        let us = self.side_to_move();
        let king = self.king(us);
        self.sliders_to(king, self.occupied()) & self.colors(!us) | self.leaper_attackers(king, us)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers().any()
    }

    /// The pieces of `color` that shield their own king from a slider.
    pub fn pinned(&self, color: Color) -> Bitboard {
        let king = self.king(color);
        let occupied = self.occupied();
        let mut sliders = attacks::rook_rays(king) & self.orthogonal();
        sliders |= attacks::bishop_rays(king) & self.diagonal();
        let mut pinned = Bitboard::EMPTY;
        for slider in sliders & self.colors(!color) {
            let blockers = attacks::between(king, slider) & occupied;
            if !blockers.more_than_one() {
                pinned |= blockers & self.colors(color);
            }
        }
        pinned
    }
}

impl Position<Makruk> {
    /// Who counts board's honour.
    pub fn board_honour(&self) -> BoardHonour {
        self.state.honour
    }

    /// Switches to the rules of games between people: board's honour is only counted once claimed.
    #[must_use]
    pub fn with_claimed_counting(mut self) -> Self {
        self.state.honour = BoardHonour::Unclaimed;
        if self.colors(Color::White).more_than_one() && self.colors(Color::Black).more_than_one() {
            self.state.count = Count::default();
        }
        self
    }

    /// The side to move begins to count board's honour. Returns whether it may.
    pub fn start_counting(&mut self) -> bool {
        let us = self.side_to_move();
        let may = self.state.honour == BoardHonour::Unclaimed
            && self.colors(us).more_than_one()
            && crate::rules::count_limit(self, us) != 0;
        if may {
            self.state.honour = BoardHonour::Claimed(us);
            self.state.count = Count { limit: 128, plies: 0 };
        }
        may
    }

    /// The counting side stops; a new count would begin at one. Returns whether there was a claimed count.
    pub fn stop_counting(&mut self) -> bool {
        let claimed = matches!(self.state.honour, BoardHonour::Claimed(_))
            && self.colors(Color::White).more_than_one()
            && self.colors(Color::Black).more_than_one();
        if claimed {
            self.state.honour = BoardHonour::Unclaimed;
            self.state.count = Count::default();
        }
        claimed
    }
}

/// The plane of a piece code without colour (1 pawn … 6 king, 7 Bia-ngai).
#[inline(always)]
pub(crate) const fn plane_of<R: Rules>(code: u8) -> usize {
    if R::MARKS_PROMOTED && code == 7 { Kind::Queen.index() + 1 } else { (code & 7) as usize }
}

/// The plane of a colour.
#[inline(always)]
pub(crate) const fn color_plane(color: Color) -> usize {
    7 * color.index()
}

/// Where the pawn stands that is taken by moving to `to`.
#[inline(always)]
pub(crate) const fn ep_victim(to: Square, mover: Color) -> Square {
    match mover {
        Color::White => Square::wrap(to.index() as u32 - 8),
        Color::Black => Square::wrap(to.index() as u32 + 8),
    }
}

/// Where king and rook land.
#[inline]
pub(crate) const fn castle_targets(color: Color, kingside: bool) -> (Square, Square) {
    let (king, rook) = if kingside { (Square::G1, Square::F1) } else { (Square::C1, Square::D1) };
    (king.relative(color), rook.relative(color))
}

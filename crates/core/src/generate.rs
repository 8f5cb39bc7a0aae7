//! Move generation: one generator for both games, monomorphic in colour, kind of moves wanted and what is done with them.

use crate::attacks;
use crate::bitboard::Bitboard;
use crate::moves::{Move, MoveList, flag};
use crate::position::{Played, Position, castle_targets, ep_victim};
use crate::rules::{Black, Rules, Side, White};
use crate::types::{Color, Kind, Piece, Square};

/// Which moves are wanted.
pub(crate) trait Mode {
    /// Only fully legal moves (else pseudo-legal ones: the king may be left in check).
    const LEGAL: bool;
    /// Captures and promotions.
    const NOISY: bool;
    /// All others.
    const QUIET: bool;
}

pub(crate) struct Legal;
struct Captures;
struct Quiets;

impl Mode for Legal {
    const LEGAL: bool = true;
    const NOISY: bool = true;
    const QUIET: bool = true;
}

impl Mode for Captures {
    const LEGAL: bool = false;
    const NOISY: bool = true;
    const QUIET: bool = false;
}

impl Mode for Quiets {
    const LEGAL: bool = false;
    const NOISY: bool = false;
    const QUIET: bool = true;
}

/// What is done with the moves, set by set.
pub(crate) trait Sink<R: Rules> {
    /// Sets of one kind need not be told apart: bishops and queens may be handed over together.
    const COUNT_ONLY: bool;
    /// All moves of one piece.
    fn piece<S: Side>(&mut self, pos: &Position<R>, kind: Kind, from: Square, targets: Bitboard);
    /// Pawn moves without promotion to `targets`; each came from `shift` squares further back.
    fn pawns<S: Side>(&mut self, pos: &Position<R>, targets: Bitboard, shift: i32, flags: u8);
    /// Promotions, likewise.
    fn promotions<S: Side>(&mut self, pos: &Position<R>, targets: Bitboard, shift: i32, flags: u8);
    /// One move of a rare kind.
    fn special<S: Side>(&mut self, pos: &Position<R>, from: Square, to: Square, kind: Kind, captured: u8, flags: u8);
}

/// Counts without looking at single moves.
struct Counter(u32);

impl<R: Rules> Sink<R> for Counter {
    const COUNT_ONLY: bool = true;

    #[inline(always)]
    fn piece<S: Side>(&mut self, _: &Position<R>, _: Kind, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, _: &Position<R>, targets: Bitboard, _: i32, _: u8) {
        self.0 += targets.count();
    }

    #[inline(always)]
    fn promotions<S: Side>(&mut self, _: &Position<R>, targets: Bitboard, _: i32, _: u8) {
        self.0 += R::PROMOTIONS.len() as u32 * targets.count();
    }

    #[inline(always)]
    fn special<S: Side>(&mut self, _: &Position<R>, _: Square, _: Square, _: Kind, _: u8, _: u8) {
        self.0 += 1;
    }
}

/// Something that takes moves one by one, taken apart: where it is inlined, the constant parts fold away.
pub(crate) trait Each<R: Rules> {
    fn each<S: Side>(&mut self, pos: &Position<R>, played: &Played);
}

/// Feeds the moves of a [`Sink`] one by one to an [`Each`].
pub(crate) struct OneByOne<'a, E>(pub &'a mut E);

impl<R: Rules, E: Each<R>> Sink<R> for OneByOne<'_, E> {
    const COUNT_ONLY: bool = false;

    #[inline(always)]
    fn piece<S: Side>(&mut self, pos: &Position<R>, kind: Kind, from: Square, targets: Bitboard) {
        // Only a Met can be a Bia-ngai, and only there does the code of the piece have to be looked up.
        let kind =
            if R::MARKS_PROMOTED && kind == Kind::Queen && pos.promoted().has(from) { 7 } else { kind as u8 + 1 };
        let enemies = pos.colors(S::Them::COLOR);
        for to in targets & enemies {
            let (captured, flags) = (pos.code_at(to), flag::CAPTURE);
            self.0.each::<S>(pos, &Played { from, to, kind, captured, promotion: 0, flags });
        }
        for to in targets - enemies {
            self.0.each::<S>(pos, &Played { from, to, kind, captured: 0, promotion: 0, flags: flag::QUIET });
        }
    }

    #[inline(always)]
    fn pawns<S: Side>(&mut self, pos: &Position<R>, targets: Bitboard, shift: i32, flags: u8) {
        for to in targets {
            let from = Square::wrap((to.index() as i32 - shift) as u32);
            let captured = if flags & flag::CAPTURE != 0 { pos.code_at(to) } else { 0 };
            self.0.each::<S>(pos, &Played { from, to, kind: 1, captured, promotion: 0, flags });
        }
    }

    #[inline(always)]
    fn promotions<S: Side>(&mut self, pos: &Position<R>, targets: Bitboard, shift: i32, flags: u8) {
        for to in targets {
            let from = Square::wrap((to.index() as i32 - shift) as u32);
            let captured = if flags & flag::CAPTURE != 0 { pos.code_at(to) } else { 0 };
            for &kind in R::PROMOTIONS {
                let flags = flags | flag::PROMOTION | (kind as u8 - 1);
                let promotion = promotion_code::<R>(S::COLOR, kind);
                self.0.each::<S>(pos, &Played { from, to, kind: 1, captured, promotion, flags });
            }
        }
    }

    #[inline(always)]
    fn special<S: Side>(&mut self, pos: &Position<R>, from: Square, to: Square, kind: Kind, captured: u8, flags: u8) {
        self.0.each::<S>(pos, &Played { from, to, kind: kind as u8 + 1, captured, promotion: 0, flags });
    }
}

/// The code of what a pawn becomes: a Bia becomes a Bia-ngai, not a Met.
#[inline(always)]
pub(crate) fn promotion_code<R: Rules>(color: Color, kind: Kind) -> u8 {
    if R::MARKS_PROMOTED { Piece::bia_ngai(color).code() } else { Piece::new(color, kind).code() }
}

impl<R: Rules> Each<R> for MoveList {
    #[inline(always)]
    fn each<S: Side>(&mut self, _: &Position<R>, &Played { from, to, kind, captured, promotion, flags }: &Played) {
        self.add(Move::new(from, to, (S::COLOR as u8) << 3 | kind, captured, promotion, flags));
    }
}

/// The generator.
///
/// Legal moves come from three masks: where a check can be answered, and the lines along which pieces are pinned, kept apart by
/// direction so that pawns can be treated as sets. They are read off the king's empty-board rays without slider look-ups. King
/// moves are tested against one map of attacked squares, built only from what can reach the king's neighbourhood.
#[inline(always)]
pub(crate) fn generate<R: Rules, S: Side, M: Mode, K: Sink<R>>(pos: &Position<R>, sink: &mut K) {
    let us = pos.colors(S::COLOR);
    let them = pos.colors(S::Them::COLOR);
    let occupied = us | them;
    let king_bb = pos.pieces(Kind::King) & us;
    let king = king_bb.lsb();
    let wanted = match (M::NOISY, M::QUIET) {
        (true, true) => !us,
        (true, false) => them,
        _ => !occupied,
    };

    let mut checkers = Bitboard::EMPTY;
    let mut answer = Bitboard::ALL;
    let mut pin_hv = Bitboard::EMPTY;
    let mut pin_d = Bitboard::EMPTY;
    if M::LEGAL {
        checkers = pos.leaper_attackers(king, S::COLOR);
        let mut blocks = checkers;
        let mut scan = |sliders: Bitboard, pins: &mut Bitboard| {
            for slider in sliders {
                let between = attacks::between(king, slider);
                let blockers = between & occupied;
                if blockers.is_empty() {
                    checkers |= slider.bb();
                    blocks |= between | slider.bb();
                } else if !blockers.more_than_one() && (blockers & us).any() {
                    *pins |= between | slider.bb();
                }
            }
        };
        scan(attacks::rook_rays(king) & pos.orthogonal() & them, &mut pin_hv);
        scan(attacks::bishop_rays(king) & pos.diagonal() & them, &mut pin_d);
        if checkers.any() {
            answer = blocks;
        }
    }

    let mut castles = Castles::NONE;
    if R::CASTLING && M::QUIET && checkers.is_empty() {
        castles = Castles::open::<R, S, M>(pos, king, occupied);
    }
    let mut steps = attacks::king(king) & wanted;
    let mut attacked = Bitboard::EMPTY;
    if M::LEGAL && (steps | castles.paths()).any() {
        attacked = danger::<R, S>(pos, king, occupied ^ king_bb, castles.paths().any());
        steps = steps - attacked;
    }
    sink.piece::<S>(pos, Kind::King, king, steps);
    if R::CASTLING && M::QUIET {
        castles.emit::<R, S, K>(pos, sink, king, attacked);
    }
    if checkers.more_than_one() {
        return;
    }

    let targets = wanted & answer;
    let pinned = pin_hv | pin_d;
    for from in pos.pieces(Kind::Knight) & us - pinned {
        sink.piece::<S>(pos, Kind::Knight, from, attacks::knight(from) & targets);
    }
    if !R::SLIDING_DIAGONALS {
        for from in pos.pieces(Kind::Bishop) & us {
            let mut to = attacks::thon(S::COLOR, from) & targets;
            if pinned.has(from) {
                to &= attacks::line(king, from);
            }
            sink.piece::<S>(pos, Kind::Bishop, from, to);
        }
        // A Met never moves along a Rua's line: pinned, it cannot move at all.
        for from in pos.pieces(Kind::Queen) & us - pinned {
            sink.piece::<S>(pos, Kind::Queen, from, attacks::met(from) & targets);
        }
        for from in pos.pieces(Kind::Rook) & us - pin_hv {
            sink.piece::<S>(pos, Kind::Rook, from, attacks::rook(from, occupied) & targets);
        }
        for from in pos.pieces(Kind::Rook) & us & pin_hv {
            sink.piece::<S>(pos, Kind::Rook, from, attacks::rook(from, occupied) & targets & attacks::line(king, from));
        }
    } else if K::COUNT_ONLY {
        let diagonal = pos.diagonal() & us - pin_hv;
        for from in diagonal - pin_d {
            sink.piece::<S>(pos, Kind::Bishop, from, attacks::bishop(from, occupied) & targets);
        }
        for from in diagonal & pin_d {
            sink.piece::<S>(pos, Kind::Bishop, from, attacks::bishop(from, occupied) & targets & pin_d);
        }
        let orthogonal = pos.orthogonal() & us - pin_d;
        for from in orthogonal - pin_hv {
            sink.piece::<S>(pos, Kind::Rook, from, attacks::rook(from, occupied) & targets);
        }
        for from in orthogonal & pin_hv {
            sink.piece::<S>(pos, Kind::Rook, from, attacks::rook(from, occupied) & targets & pin_hv);
        }
    } else {
        // A slider pinned along its own direction keeps the squares of the pin; across it, none. `keep` says both.
        for from in pos.pieces(Kind::Bishop) & us - pin_hv {
            let keep = if pin_d.has(from) { pin_d } else { Bitboard::ALL };
            sink.piece::<S>(pos, Kind::Bishop, from, attacks::bishop(from, occupied) & targets & keep);
        }
        for from in pos.pieces(Kind::Rook) & us - pin_d {
            let keep = if pin_hv.has(from) { pin_hv } else { Bitboard::ALL };
            sink.piece::<S>(pos, Kind::Rook, from, attacks::rook(from, occupied) & targets & keep);
        }
        for from in pos.pieces(Kind::Queen) & us {
            let keep = if pinned.has(from) { attacks::line(king, from) } else { Bitboard::ALL };
            sink.piece::<S>(pos, Kind::Queen, from, attacks::queen(from, occupied) & targets & keep);
        }
    }

    pawn_moves::<R, S, M, K>(pos, sink, occupied, answer, pin_hv, pin_d);
    if R::DOUBLE_STEP && M::NOISY {
        en_passant::<R, S, M, K>(pos, sink, checkers, pin_hv);
    }
}

/// Squares next to the king (or everywhere) that the enemy attacks, with the king itself out of the way of sliders.
#[inline(always)]
fn danger<R: Rules, S: Side>(pos: &Position<R>, king: Square, occupied: Bitboard, everywhere: bool) -> Bitboard {
    let them = pos.colors(S::Them::COLOR);
    let enemy = S::Them::COLOR;
    let pawns = pos.pieces(Kind::Pawn) & them;
    let mut set = pawns.forward_west(enemy) | pawns.forward_east(enemy) | attacks::king(pos.king(enemy));
    for from in pos.pieces(Kind::Knight) & them {
        set |= attacks::knight(from);
    }
    let mut sliders = (pos.diagonal() & them, pos.orthogonal() & them);
    if !R::CASTLING || !everywhere {
        sliders.0 &= attacks::bishop_king_reach(king);
        sliders.1 &= attacks::rook_king_reach(king);
    }
    if R::SLIDING_DIAGONALS {
        for from in sliders.0 {
            set |= attacks::bishop(from, occupied);
        }
    } else {
        let thons = pos.pieces(Kind::Bishop) & them;
        let diagonal = thons | pos.pieces(Kind::Queen) & them;
        set |= diagonal.north_east() | diagonal.north_west() | diagonal.south_east() | diagonal.south_west();
        set |= thons.forward(enemy);
    }
    for from in sliders.1 {
        set |= attacks::rook(from, occupied);
    }
    set
}

#[inline(always)]
fn pawn_moves<R: Rules, S: Side, M: Mode, K: Sink<R>>(
    pos: &Position<R>,
    sink: &mut K,
    occupied: Bitboard,
    answer: Bitboard,
    pin_hv: Bitboard,
    pin_d: Bitboard,
) {
    let (forward, west, east) = match S::COLOR {
        Color::White => (8, 7, 9),
        Color::Black => (-8, -9, -7),
    };
    let pawns = pos.colored(S::COLOR, Kind::Pawn);
    let them = pos.colors(S::Them::COLOR);
    let zone = R::PROMOTION_ZONE[S::COLOR.index()];

    // A pawn pinned along a file may push and one pinned along a diagonal may capture: as long as it stays on the line.
    let held = pawns & (pin_hv | pin_d);
    let mut single = pawns.forward(S::COLOR) - occupied;
    if held.any() {
        single = single - (held & pin_d).forward(S::COLOR) - ((held & pin_hv).forward(S::COLOR) - pin_hv);
    }
    let double = if R::DOUBLE_STEP {
        let third = Bitboard::RANKS[if matches!(S::COLOR, Color::White) { 2 } else { 5 }];
        (single & third).forward(S::COLOR) & answer - occupied
    } else {
        Bitboard::EMPTY
    };
    single &= answer;
    if M::QUIET {
        if R::DOUBLE_STEP {
            sink.pawns::<S>(pos, double, 2 * forward, flag::DOUBLE);
        }
        if !M::NOISY {
            sink.pawns::<S>(pos, single - zone, forward, flag::QUIET);
        }
    }
    if M::NOISY {
        let victims = them & answer;
        let mut to_west = pawns.forward_west(S::COLOR) & victims;
        let mut to_east = pawns.forward_east(S::COLOR) & victims;
        if held.any() {
            let bad = |from_hv: Bitboard, from_d: Bitboard| from_hv | (from_d - pin_d);
            let (hv, d) = (held & pin_hv, held & pin_d);
            to_west = to_west - bad(hv.forward_west(S::COLOR), d.forward_west(S::COLOR));
            to_east = to_east - bad(hv.forward_east(S::COLOR), d.forward_east(S::COLOR));
        }
        if ((single | to_west | to_east) & zone).any() {
            sink.promotions::<S>(pos, single & zone, forward, flag::QUIET);
            sink.promotions::<S>(pos, to_west & zone, west, flag::CAPTURE);
            sink.promotions::<S>(pos, to_east & zone, east, flag::CAPTURE);
            single = single - zone;
            to_west = to_west - zone;
            to_east = to_east - zone;
        }
        if M::QUIET {
            sink.pawns::<S>(pos, single, forward, flag::QUIET);
        }
        sink.pawns::<S>(pos, to_west, west, flag::CAPTURE);
        sink.pawns::<S>(pos, to_east, east, flag::CAPTURE);
    }
}

#[inline(always)]
fn en_passant<R: Rules, S: Side, M: Mode, K: Sink<R>>(
    pos: &Position<R>,
    sink: &mut K,
    checkers: Bitboard,
    pin_hv: Bitboard,
) {
    let Some(to) = pos.ep_square() else { return };
    for from in attacks::pawn(S::Them::COLOR, to) & pos.colored(S::COLOR, Kind::Pawn) - pin_hv {
        if !M::LEGAL || en_passant_is_legal::<R>(pos, S::COLOR, from, to, checkers) {
            let captured = Piece::new(S::Them::COLOR, Kind::Pawn).code();
            sink.special::<S>(pos, from, to, Kind::Pawn, captured, flag::EN_PASSANT);
        }
    }
}

/// Two pawns leave one rank at once, which no pin mask foresees: look at the king's lines as they will be.
#[cold]
fn en_passant_is_legal<R: Rules>(pos: &Position<R>, us: Color, from: Square, to: Square, checkers: Bitboard) -> bool {
    let victim = ep_victim(to, us).bb();
    let king = pos.king(us);
    let occupied = pos.occupied() ^ from.bb() ^ victim | to.bb();
    let sliders = attacks::rook(king, occupied) & pos.orthogonal() | attacks::bishop(king, occupied) & pos.diagonal();
    let leapers = checkers & (pos.pieces(Kind::Pawn) | pos.pieces(Kind::Knight));
    (sliders & pos.colors(!us)).is_empty() && (leapers - victim).is_empty()
}

/// The castling moves of one side: the squares its king passes or lands on, kingside and queenside; empty if it cannot castle.
#[derive(Clone, Copy)]
struct Castles([Bitboard; 2]);

impl Castles {
    const NONE: Self = Self([Bitboard::EMPTY; 2]);

    #[inline(always)]
    fn paths(self) -> Bitboard {
        self.0[0] | self.0[1]
    }

    /// Those whose way is free.
    #[inline(always)]
    fn open<R: Rules, S: Side, M: Mode>(pos: &Position<R>, king: Square, occupied: Bitboard) -> Self {
        let rooks = R::castling_set(&pos.state) & pos.colors(S::COLOR);
        if rooks.is_empty() {
            return Self::NONE;
        }
        let home = if matches!(S::COLOR, Color::White) { 0 } else { 56 };
        if king.index() != home + 4 || (rooks.0 >> home) & !0x81 != 0 {
            return Self::open_960::<R, S, M>(pos, king, occupied);
        }
        let open = |rook: u64, empty: u64, path: u64| {
            if rooks.0 & rook << home != 0 && occupied.0 & empty << home == 0 {
                Bitboard(path << home)
            } else {
                Bitboard::EMPTY
            }
        };
        Self([open(0x80, 0x60, 0x60), open(0x01, 0x0E, 0x0C)])
    }

    /// The general case: king and rooks anywhere on their rank.
    #[cold]
    fn open_960<R: Rules, S: Side, M: Mode>(pos: &Position<R>, king: Square, occupied: Bitboard) -> Self {
        let mut castles = Self::NONE;
        for rook in R::castling_set(&pos.state) & pos.colored(S::COLOR, Kind::Rook) {
            let kingside = rook > king;
            let (king_to, rook_to) = castle_targets(S::COLOR, kingside);
            // A king that stands on its target already still needs a path to be told from "cannot castle".
            let path = attacks::between(king, king_to) | king_to.bb();
            let others = occupied ^ king.bb() ^ rook.bb();
            let way = path | attacks::between(rook, rook_to) | rook_to.bb();
            // The rook may have shielded the king's target from an enemy behind it.
            let behind = attacks::rook(king_to, others | rook_to.bb()) & pos.orthogonal() & pos.colors(S::Them::COLOR);
            if (way & others).is_empty() && (!M::LEGAL || behind.is_empty()) {
                castles.0[usize::from(!kingside)] = path;
            }
        }
        castles
    }

    #[inline(always)]
    fn emit<R: Rules, S: Side, K: Sink<R>>(self, pos: &Position<R>, sink: &mut K, king: Square, attacked: Bitboard) {
        for (path, kingside) in [(self.0[0], true), (self.0[1], false)] {
            if path.any() && (path & attacked).is_empty() {
                let flags = if kingside { flag::KING_CASTLE } else { flag::QUEEN_CASTLE };
                sink.special::<S>(pos, king, castle_targets(S::COLOR, kingside).0, Kind::King, 0, flags);
            }
        }
    }
}

/// No square of the king's way is attacked; the rook, which may shield its king in Chess960, counts where it lands.
fn castle_is_legal<R: Rules>(pos: &Position<R>, us: Color, path: Bitboard, rook_to: Square, others: Bitboard) -> bool {
    let occupied = others | rook_to.bb();
    path.into_iter().all(|square| pos.attackers(square, !us, occupied).is_empty())
}

/// The number of legal moves.
#[inline(always)]
pub(crate) fn count<R: Rules, S: Side>(pos: &Position<R>) -> u32 {
    let mut counter = Counter(0);
    generate::<R, S, Legal, _>(pos, &mut counter);
    counter.0
}

impl<R: Rules> Position<R> {
    #[inline]
    fn generate_mode<M: Mode>(&self, list: &mut MoveList) {
        if !list.has_room() {
            return self.generate_behind::<M>(list);
        }
        match self.side_to_move() {
            Color::White => self.generate_as::<White, M>(list),
            Color::Black => self.generate_as::<Black, M>(list),
        }
    }

    /// For a caller's list with many moves in it: whether these have room is known when they are counted.
    #[cold]
    fn generate_behind<M: Mode>(&self, list: &mut MoveList) {
        let mut more = MoveList::new();
        self.generate_mode::<M>(&mut more);
        list.extend(more.iter().copied());
    }

    #[inline(never)]
    pub(crate) fn generate_as<S: Side, M: Mode>(&self, list: &mut MoveList) {
        generate::<R, S, M, _>(self, &mut OneByOne(list));
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate_legal(&mut list);
        list
    }

    /// Adds all legal moves to `list`.
    #[inline]
    pub fn generate_legal(&self, list: &mut MoveList) {
        self.generate_mode::<Legal>(list);
    }

    /// Counts the legal moves without listing them: several times faster.
    #[inline]
    pub fn count_legal(&self) -> usize {
        match self.side_to_move() {
            Color::White => count::<R, White>(self) as usize,
            Color::Black => count::<R, Black>(self) as usize,
        }
    }

    /// Whether there is a legal move.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        self.count_legal() != 0
    }

    /// Adds the pseudo-legal captures and promotions.
    #[inline]
    pub fn generate_captures(&self, list: &mut MoveList) {
        self.generate_mode::<Captures>(list);
    }

    /// Adds the pseudo-legal moves that neither capture nor promote. Castling is left out while in check.
    #[inline]
    pub fn generate_quiets(&self, list: &mut MoveList) {
        self.generate_mode::<Quiets>(list);
    }

    /// Adds the moves that answer a check (all of them legal).
    #[inline]
    pub fn generate_evasions(&self, list: &mut MoveList) {
        self.generate_mode::<Legal>(list);
    }

    /// Whether this is a legal move of this position. True for moves of [`legal_moves`](Self::legal_moves) and for no others, wherever
    /// they come from.
    ///
    /// ```
    /// use rukh_core::{Chess, Move, Position};
    /// let start = Position::<Chess>::startpos();
    /// let e4 = start.parse_uci("e2e4").unwrap();
    /// assert!(start.is_legal(e4) && !start.after(e4).is_legal(e4) && !start.is_legal(Move::NONE));
    /// ```
    pub fn is_legal(&self, mv: Move) -> bool {
        self.is_pseudo_legal(mv) && self.leaves_king_safe(mv)
    }

    /// The legal move from one square to another. Castling is the king's way to its target (g or c file).
    ///
    /// ```
    /// use rukh_core::{Chess, Kind, Position, Square};
    /// let pos: Position<Chess> = "8/4P1k1/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    /// let promotion = pos.move_from_parts(Square::E7, Square::E8, Some(Kind::Knight)).unwrap();
    /// assert_eq!(pos.move_from_raw(promotion.raw()), Some(promotion));
    /// assert_eq!(pos.move_from_parts(Square::E7, Square::E8, None), None);
    /// ```
    #[must_use]
    pub fn move_from_parts(&self, from: Square, to: Square, promotion: Option<Kind>) -> Option<Move> {
        let fits = |mv: &&Move| mv.from() == from && mv.to() == to && mv.promotion() == promotion;
        let legal = self.legal_moves();
        // In Chess960 the king's step and castling may go to the same square: the step is meant.
        legal.iter().filter(fits).min_by_key(|mv| mv.is_castle()).copied()
    }

    /// The legal move that has these bits ([`Move::raw`]).
    #[must_use]
    pub fn move_from_raw(&self, raw: u32) -> Option<Move> {
        Some(Move::from_raw(raw)).filter(|&mv| self.is_legal(mv))
    }

    /// Whether a pseudo-legal move leaves the own king safe. Of other moves it says nothing: [`is_legal`](Self::is_legal) does.
    pub fn leaves_king_safe(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        let king = self.king(us);
        let occupied = self.occupied();
        if mv.is_castle() {
            let kingside = mv.is_king_castle();
            let Some(rook) = self.castle_rook(us, kingside) else { return false };
            let (king_to, rook_to) = castle_targets(us, kingside);
            let path = attacks::between(king, king_to) | king_to.bb();
            let others = occupied ^ king.bb() ^ rook.bb();
            return !self.in_check() && castle_is_legal(self, us, path, rook_to, others);
        }
        if from == king {
            return (self.attackers(to, !us, occupied ^ from.bb()) - to.bb()).is_empty();
        }
        if mv.is_en_passant() {
            return en_passant_is_legal(self, us, from, to, self.checkers());
        }
        let after = occupied - from.bb() | to.bb();
        (self.attackers(king, !us, after) - to.bb()).is_empty()
    }

    /// [`leaves_king_safe`](Self::leaves_king_safe) for those who know whether the king is in check: where it is not, most moves need no look along
    /// lines.
    #[inline]
    pub fn keeps_king_safe(&self, mv: Move, in_check: bool) -> bool {
        let king = self.king(self.side_to_move());
        let shields = (attacks::rook_rays(king) | attacks::bishop_rays(king) | king.bb()).has(mv.from());
        (!in_check && !shields && !mv.is_en_passant()) || self.leaves_king_safe(mv)
    }

    /// Whether `mv` could have come from the pseudo-legal generators here. For moves from a table or another position.
    pub fn is_pseudo_legal(&self, mv: Move) -> bool {
        mv.is_some() && self.move_from_u16(mv.to_u16()) == Some(mv)
    }

    /// Turns the 16 bits of [`Move::to_u16`] back into a move, if they are one that is pseudo-legal here.
    pub fn move_from_u16(&self, bits: u16) -> Option<Move> {
        let from = Square::wrap(u32::from(bits));
        let to = Square::wrap(u32::from(bits >> 6));
        let flags = (bits >> 12) as u8;
        let us = self.side_to_move();
        let piece = self.piece_at(from).filter(|p| p.color() == us)?;
        let build = |captured, promotion| Some(Move::new(from, to, piece.code(), captured, promotion, flags));
        match flags {
            flag::KING_CASTLE | flag::QUEEN_CASTLE => {
                let kingside = flags == flag::KING_CASTLE;
                let rook = self.castle_rook(us, kingside)?;
                let (king_to, rook_to) = castle_targets(us, kingside);
                let path =
                    attacks::between(from, king_to) | king_to.bb() | attacks::between(rook, rook_to) | rook_to.bb();
                let free = (path & (self.occupied() ^ from.bb() ^ rook.bb())).is_empty();
                return (piece.kind() == Kind::King && to == king_to && free && !self.in_check())
                    .then(|| build(0, 0))?;
            }
            flag::EN_PASSANT => {
                let fits =
                    piece.kind() == Kind::Pawn && self.ep_square() == Some(to) && attacks::pawn(us, from).has(to);
                return fits.then(|| build(Piece::new(!us, Kind::Pawn).code(), 0))?;
            }
            _ => {}
        }
        let captured = self.code_at(to);
        let target = self.piece_at(to);
        if (flags & flag::CAPTURE != 0) != target.is_some() || target.is_some_and(|t| t.color() == us) {
            return None;
        }
        if piece.kind() != Kind::Pawn {
            let plain = flags == flag::QUIET || flags == flag::CAPTURE;
            let reaches = R::attacks(piece.kind(), us, from, self.occupied()).has(to);
            return (plain && reaches).then(|| build(captured, 0))?;
        }
        let promotes = R::PROMOTION_ZONE[us.index()].has(to);
        if (flags & flag::PROMOTION != 0) != promotes {
            return None;
        }
        let step = from.bb().forward(us);
        let reaches = if target.is_some() {
            attacks::pawn(us, from).has(to)
        } else if flags == flag::DOUBLE {
            let second = Bitboard::RANKS[if us == Color::White { 1 } else { 6 }];
            R::DOUBLE_STEP && second.has(from) && (step & self.occupied()).is_empty() && step.forward(us) == to.bb()
        } else {
            step == to.bb()
        };
        let low = flags & 3;
        if !reaches || (!promotes && low != 0 && flags != flag::DOUBLE) {
            return None;
        }
        if !promotes {
            return build(captured, 0);
        }
        let kind = Kind::ALL[low as usize + 1];
        R::PROMOTIONS.contains(&kind).then(|| build(captured, promotion_code::<R>(us, kind)))?
    }

    /// The legal move of these 16 bits: for tables that others may have written, or whose short keys may lie.
    #[must_use]
    pub fn legal_from_u16(&self, bits: u16) -> Option<Move> {
        self.move_from_u16(bits).filter(|&mv| self.leaves_king_safe(mv))
    }

    /// Whether a pseudo-legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let us = self.side_to_move();
        let (from, to) = (mv.from(), mv.to());
        if mv.is_castle() || mv.is_en_passant() {
            return self.after_unchecked(mv).in_check();
        }
        let king = self.king(!us);
        let occupied = self.occupied() - from.bb() | to.bb();
        let kind = mv.promotion().unwrap_or(mv.piece().kind());
        if R::attacks(kind, us, to, occupied).has(king) {
            return true;
        }
        // Discovered: only if the piece leaves a line through the enemy king.
        if !(attacks::rook_rays(king) | attacks::bishop_rays(king)).has(from) {
            return false;
        }
        (self.sliders_to(king, occupied) & self.colors(us) - from.bb()).any()
    }
}

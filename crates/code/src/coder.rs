//! Part B: a position as a sub-interval of the code space, divided square by square by the model's frequencies.

use rukh_core::Variant;

use crate::big::Width;
use crate::model::{Frequencies, Kernel, Model, SYMBOLS, Scores, TOTAL};
use crate::plain::{MAX_KINDS, PAWN, Plain, ROOK, plies_of};

/// Frequency of each pawn that could be taken en passant; measured in games: about one in fifty is.
const PASSANT: u32 = 1280;
/// Frequency of each castling rook that is not the outermost one.
const INNER_ROOK: u32 = 2048;

/// The part of the code space that is left.
#[derive(Clone, Copy)]
pub(crate) struct Interval<W> {
    pub low: W,
    pub width: W,
}

impl<W: Width> Interval<W> {
    /// The bound of a part: floor(width × below / 65536).
    #[inline]
    fn bound(&self, below: u32) -> W {
        self.width.part(below)
    }

    #[inline]
    fn narrow_to(&mut self, start: W, end: W) -> Option<()> {
        self.low = self.low.plus(start);
        self.width = end.minus(start);
        (start < end).then_some(())
    }

    #[inline]
    fn narrow(&mut self, below: u32, size: u32) -> Option<()> {
        self.narrow_to(self.bound(below), self.bound(below + size))
    }

    /// Narrows to the last part, which has this size and what rounding left of the others: it is never empty.
    #[inline]
    fn narrow_last(&mut self, size: u32) {
        let start = self.bound(TOTAL - size);
        self.low = self.low.plus(start);
        self.width = self.width.minus(start);
    }

    /// Finds the part that `code` is in, for frequencies that add up to 65536, and narrows to it.
    #[inline]
    fn find(&mut self, code: W, frequencies: impl Iterator<Item = u32>) -> Option<usize> {
        let offset = code.minus(self.low);
        let (mut below, mut start) = (0, W::NONE);
        for (number, size) in frequencies.enumerate() {
            let end = self.bound(below + size);
            if offset < end {
                self.narrow_to(start, end)?;
                return Some(number);
            }
            (below, start) = (below + size, end);
        }
        None
    }

    /// Narrows to a symbol. The favourite's part is the last one: rounding, which in a narrow interval is worth bits, is
    /// to the gain of the symbol that is met most often, and its part can be found without the others.
    #[inline]
    fn narrow_symbol(&mut self, f: &Frequencies, symbol: usize) -> Option<()> {
        // Without a branch: which symbol is the favourite cannot be foretold, and nothing should wait for it.
        let others = !(1u32 << f.favourite);
        let before = others & if symbol == f.favourite { others } else { (1 << symbol) - 1 };
        let below = f.parts.iter().enumerate().map(|(s, &part)| part & (before >> s & 1).wrapping_neg()).sum();
        self.narrow(below, f.parts[symbol])
    }

    /// The inverse of `narrow_symbol`.
    #[inline]
    fn find_symbol(&mut self, code: W, f: &Frequencies) -> Option<usize> {
        let favourite = f.parts[f.favourite];
        if code.minus(self.low) >= self.bound(TOTAL - favourite) {
            self.narrow_last(favourite);
            return Some(f.favourite);
        }
        let others = f.parts.iter().enumerate().map(|(s, &part)| if s == f.favourite { 0 } else { part });
        self.find(code, others)
    }

    /// Finds which of `count` rare cases of this size `code` is in; `Some(None)` is the usual case, behind them.
    fn find_rare(&mut self, code: W, count: u32, size: u32) -> Option<Option<usize>> {
        let list = std::iter::repeat_n(size, count as usize).chain([TOTAL - count * size]);
        let number = self.find(code, list)?;
        Some((number < count as usize).then_some(number))
    }

    /// Narrows to one of `parts` equal parts.
    fn narrow_equal(&mut self, number: u32, parts: u32) -> Option<()> {
        self.narrow_to(self.width.share(number, parts), self.width.share(number + 1, parts))
    }
}

/// What the rules of the format leave possible, given what has been seen.
struct Possible {
    variant: Variant,
    kinds: usize,
    /// Castling rights, in the order WK WQ BK BQ.
    rights: u8,
    /// Whether each king has been seen.
    seen: [bool; 2],
}

enum Square {
    /// Not coded: it must be this symbol.
    Forced(usize),
    /// Coded among these symbols.
    Open(u32),
}

impl Possible {
    fn new(variant: Variant, rights: u8) -> Self {
        let kinds = if variant == Variant::Makruk { 7 } else { 6 };
        Self { variant, kinds, rights, seen: [false; 2] }
    }

    fn king(&self, side: usize) -> usize {
        self.kinds * (side + 1)
    }

    /// What may stand on `square`; `None` if the position cannot be completed.
    fn at(&self, square: usize) -> Option<Square> {
        let mut open = (1u32 << (2 * self.kinds + 1)) - 1;
        let rank = square / 8;
        if self.variant == Variant::Makruk {
            // White Bia stand on ranks 3 to 7, Black's on ranks 2 to 6.
            open &= if (2..7).contains(&rank) { !0 } else { !(1 << 1) };
            open &= if (1..6).contains(&rank) { !0 } else { !(1 << (1 + self.kinds)) };
        } else if rank == 0 || rank == 7 {
            open &= !(1 << 1 | 1 << (1 + self.kinds));
        }
        for side in [0, 1] {
            let king = self.king(side);
            let (short, long) = (self.rights >> (2 * side) & 1 != 0, self.rights >> (2 * side) & 2 != 0);
            if self.seen[side] {
                open &= !(1 << king);
            } else if short || long {
                let file = square.wrapping_sub(56 * side);
                let (first, last) = match self.variant {
                    Variant::Chess => (4, 4),
                    _ => (usize::from(long), 7 - usize::from(short)),
                };
                if file == last {
                    return Some(Square::Forced(king));
                }
                if !(first..last).contains(&file) {
                    open &= !(1 << king);
                }
            }
            if self.variant == Variant::Chess {
                let corner = |right: bool, corner: usize| right && square == 56 * side + corner;
                if corner(short, 7) || corner(long, 0) {
                    return Some(Square::Forced(self.kinds * side + ROOK + 1));
                }
            }
        }
        if square == 63 {
            match self.seen {
                [false, false] => return None,
                [false, true] => return Some(Square::Forced(self.king(0))),
                [true, false] => return Some(Square::Forced(self.king(1))),
                [true, true] => {}
            }
        }
        Some(Square::Open(open))
    }

    /// Notes a symbol; false if it is a second king.
    fn note(&mut self, symbol: usize) {
        for side in [0, 1] {
            self.seen[side] |= symbol == self.king(side);
        }
    }
}

/// The coder of a variant: a model and the interval that is its.
pub(crate) struct Coder {
    pub model: Model,
    pub kernel: Kernel,
    /// The first code.
    pub start: u64,
    /// How many codes there are.
    pub width: u64,
}

impl Coder {
    fn kinds(&self) -> usize {
        self.model.symbols / 2
    }

    /// The code of a position, or `None` if its interval runs out.
    pub(crate) fn encode(&self, plain: &Plain) -> Option<u64> {
        self.narrowed(plain, Interval { low: self.start, width: self.width }).map(|interval| interval.low)
    }

    /// The part of an interval that is the position's, or `None` if it has no number of its own.
    pub(crate) fn narrowed<W: Width>(&self, plain: &Plain, mut interval: Interval<W>) -> Option<Interval<W>> {
        let rights = rights(plain, self.kinds());
        let (header, features) = header_of(self.model.variant, plain, rights);
        let below = self.model.header[..header].iter().sum();
        interval.narrow(below, self.model.header[header])?;
        let board = self.board(plain);
        let mut possible = Possible::new(self.model.variant, rights);
        let mut sums = self.model.start(features);
        // One square behind: the next scores do not depend on the interval, so its parts are computed while weights come.
        let mut behind = None;
        for (square, &symbol) in board.iter().enumerate() {
            let symbol = usize::from(symbol);
            let next = match possible.at(square)? {
                Square::Forced(forced) => {
                    debug_assert_eq!(forced, symbol);
                    None
                }
                Square::Open(open) => Some((self.kernel.scores(&self.model, &sums, square), open, symbol)),
            };
            if symbol != 0 {
                possible.note(symbol);
                self.kernel.add(&self.model, &mut sums, square, symbol);
            }
            self.narrow(&mut interval, behind)?;
            behind = next;
        }
        self.narrow(&mut interval, behind)?;
        self.encode_rest(plain, &mut interval)?;
        Some(interval)
    }

    /// Narrows to the symbol of a square, given its scores and the open symbols.
    #[inline]
    fn narrow<W: Width>(&self, interval: &mut Interval<W>, square: Option<(Scores, u32, usize)>) -> Option<()> {
        let Some((scores, open, symbol)) = square else { return Some(()) };
        interval.narrow_symbol(&self.kernel.divide(&scores, open), symbol)
    }

    /// How likely the model holds the header and each square's content, in 65536ths; all of them where it is certain and
    /// not coded. `None` if the position cannot be completed.
    pub(crate) fn likelihoods(&self, plain: &Plain) -> Option<(u32, [u32; 64])> {
        let rights = rights(plain, self.kinds());
        let (header, features) = header_of(self.model.variant, plain, rights);
        let mut possible = Possible::new(self.model.variant, rights);
        let mut sums = self.model.start(features);
        let mut found = [TOTAL; 64];
        for (square, &symbol) in self.board(plain).iter().enumerate() {
            let symbol = usize::from(symbol);
            if let Square::Open(open) = possible.at(square)? {
                let scores = self.kernel.scores(&self.model, &sums, square);
                found[square] = self.kernel.divide(&scores, open).parts[symbol];
            }
            if symbol != 0 {
                possible.note(symbol);
                self.kernel.add(&self.model, &mut sums, square, symbol);
            }
        }
        Some((self.model.header[header], found))
    }

    /// What depends on the finished board: en passant, inner castling rooks, the count.
    fn encode_rest<W: Width>(&self, plain: &Plain, interval: &mut Interval<W>) -> Option<()> {
        if self.model.variant == Variant::Makruk {
            if plain.limit > 0 {
                interval.narrow_equal(u32::from(plain.plies), plies_of(plain.limit, plain.occupied().count_ones()))?;
            }
            return Some(());
        }
        let files = passant_files(plain);
        if files != 0 {
            match plain.ep {
                None => interval.narrow_last(TOTAL - files.count_ones() * PASSANT),
                Some(file) => {
                    let number = (files & ((1 << file) - 1)).count_ones();
                    interval.narrow(number * PASSANT, PASSANT)?;
                }
            }
        }
        if self.model.variant == Variant::Chess960 {
            for right in 0..4 {
                let (rooks, count) = castle_rooks(plain, self.kinds(), right);
                if let Some(number) = rooks[..count].iter().position(|rook| plain.castling & rook != 0) {
                    match number as u32 {
                        0 => interval.narrow_last(TOTAL - (count as u32 - 1) * INNER_ROOK),
                        n => interval.narrow((n - 1) * INNER_ROOK, INNER_ROOK)?,
                    }
                }
            }
        }
        Some(())
    }

    /// The position with this code; `None` if it belongs to none. Legality is the caller's to check.
    pub(crate) fn decode(&self, code: u64) -> Option<Plain> {
        let (plain, interval) = self.followed(code, Interval { low: self.start, width: self.width })?;
        // Only the first number of an interval is a code.
        (interval.low == code).then_some(plain)
    }

    /// The position in whose part of an interval `code` is, and that part.
    pub(crate) fn followed<W: Width>(&self, code: W, mut interval: Interval<W>) -> Option<(Plain, Interval<W>)> {
        if code < interval.low || code.minus(interval.low) >= interval.width {
            return None;
        }
        let header = interval.find(code, self.model.header.iter().copied())?;
        let mut plain = Plain::default();
        let mut rights = 0;
        match self.model.variant {
            Variant::Makruk => (plain.side, plain.limit) = (header / 7, (header % 7) as u8),
            _ => (plain.side, rights) = (header / 16, (header % 16) as u8),
        }
        let (_, features) = header_of(self.model.variant, &plain, rights);
        let mut possible = Possible::new(self.model.variant, rights);
        let mut sums = self.model.start(features);
        let kinds = self.kinds();
        for square in 0..64 {
            let symbol = match possible.at(square)? {
                Square::Forced(symbol) => symbol,
                Square::Open(open) => {
                    let scores = self.kernel.scores(&self.model, &sums, square);
                    interval.find_symbol(code, &self.kernel.divide(&scores, open))?
                }
            };
            if symbol != 0 {
                possible.note(symbol);
                self.kernel.add(&self.model, &mut sums, square, symbol);
                plain.men[(symbol - 1) / kinds][(symbol - 1) % kinds] |= 1 << square;
            }
        }
        self.decode_rest(code, rights, &mut plain, &mut interval)?;
        Some((plain, interval))
    }

    fn decode_rest<W: Width>(&self, code: W, rights: u8, plain: &mut Plain, interval: &mut Interval<W>) -> Option<()> {
        if self.model.variant == Variant::Makruk {
            if plain.limit > 0 {
                let parts = plies_of(plain.limit, plain.occupied().count_ones());
                let offset = code.minus(interval.low);
                let number = (0..parts).find(|&n| offset < interval.width.share(n + 1, parts))?;
                interval.narrow_equal(number, parts)?;
                plain.plies = number as u16;
            }
            return Some(());
        }
        let files = passant_files(plain);
        if files != 0 {
            let number = interval.find_rare(code, files.count_ones(), PASSANT)?;
            plain.ep = number.and_then(|number| (0..8).filter(|file| files >> file & 1 != 0).nth(number));
        }
        for right in (0..4).filter(|right| rights >> right & 1 != 0) {
            let (rooks, count) = castle_rooks(plain, self.kinds(), right);
            let number = match (self.model.variant, count) {
                (_, 0) => return None,
                (Variant::Chess960, 2..) => {
                    interval.find_rare(code, count as u32 - 1, INNER_ROOK)?.map_or(0, |inner| inner + 1)
                }
                _ => 0,
            };
            plain.castling |= rooks[number];
        }
        Some(())
    }

    /// Symbols by square.
    fn board(&self, plain: &Plain) -> [u8; 64] {
        let mut board = [0; 64];
        let kinds = self.kinds();
        for (side, own) in plain.men.iter().enumerate() {
            for (kind, &set) in own[..kinds].iter().enumerate() {
                let mut left = set;
                while left != 0 {
                    board[left.trailing_zeros() as usize & 63] = (1 + kinds * side + kind) as u8;
                    left &= left - 1;
                }
            }
        }
        board
    }
}

/// Header symbol and feature bits of a position.
pub(crate) fn header(variant: Variant, plain: &Plain, kinds: usize) -> (usize, u32) {
    header_of(variant, plain, rights(plain, kinds))
}

fn header_of(variant: Variant, plain: &Plain, rights: u8) -> (usize, u32) {
    if variant == Variant::Makruk {
        let counting = u32::from(plain.limit > 0);
        (7 * plain.side + usize::from(plain.limit), plain.side as u32 | counting << 1)
    } else {
        (16 * plain.side + usize::from(rights), plain.side as u32 | u32::from(rights) << 1)
    }
}

/// Castling rights WK 1, WQ 2, BK 4, BQ 8 from the rooks that have them.
fn rights(plain: &Plain, kinds: usize) -> u8 {
    let mut rights = 0;
    for side in [0, 1] {
        let king = plain.men[side][kinds - 1];
        let rooks = plain.castling & plain.men[side][ROOK];
        rights |= u8::from(rooks & !(king - 1) != 0) << (2 * side);
        rights |= u8::from(rooks & (king - 1) != 0) << (2 * side + 1);
    }
    rights
}

/// The rooks that a right (WK, WQ, BK, BQ) can belong to, the outermost first.
fn castle_rooks(plain: &Plain, kinds: usize, right: usize) -> ([u64; 8], usize) {
    let (side, long) = (right / 2, right % 2 == 1);
    let king = plain.men[side][kinds - 1];
    let beside = if long { king.wrapping_sub(1) } else { !king.wrapping_sub(1) };
    let mut rooks = plain.men[side][ROOK] & beside & 0xFF << (56 * side);
    let (mut list, mut count) = ([0; 8], 0);
    while rooks != 0 {
        let outer = if long { rooks & rooks.wrapping_neg() } else { 1 << (63 - rooks.leading_zeros()) };
        list[count] = outer;
        count += 1;
        rooks &= !outer;
    }
    (list, count)
}

/// Files of pawns that may just have made a double step and could be taken.
fn passant_files(plain: &Plain) -> u32 {
    let empty = !plain.occupied();
    let (takers, pawns) = (plain.men[plain.side][PAWN], plain.men[1 - plain.side][PAWN]);
    let (row, over, from) = if plain.side == 0 { (32, 40, 48) } else { (24, 16, 8) };
    let takers = takers >> row & 0xFF;
    let beside = (takers << 1 | takers >> 1) & 0xFF;
    (pawns >> row & empty >> over & empty >> from & beside & 0xFF) as u32
}

const _: () = assert!(2 * MAX_KINDS < SYMBOLS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plain::Coded;
    use crate::plain::sealed::Parts;
    use rukh_core::{Chess, Position};

    /// Every kernel of this machine, from the same position.
    #[test]
    fn kernels_agree() {
        for raw in [
            &include_bytes!("../models/chess.rkpc")[..],
            include_bytes!("../models/chess960.rkpc"),
            include_bytes!("../models/makruk.rkpc"),
        ] {
            let model = Model::read(raw).unwrap();
            let mut state = 1u64;
            let mut random = move |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            for _ in 0..40 {
                let mut sums = model.start(random(1 << model.features) as u32);
                let mut same = sums.clone();
                for square in 0..64 {
                    let open = (random(1 << model.symbols) | 1 << random(model.symbols)) as u32;
                    let scores = Kernel::Plain.scores(&model, &sums, square);
                    let expected = Kernel::Plain.divide(&scores, open);
                    for kernel in Kernel::available() {
                        assert_eq!(kernel.scores(&model, &sums, square), scores, "{kernel:?}");
                        assert_eq!(kernel.divide(&scores, open), expected, "{kernel:?}");
                    }
                    if random(2) == 0 {
                        let symbol = 1 + random(model.symbols - 1);
                        Kernel::Plain.add(&model, &mut sums, square, symbol);
                        Kernel::best().add(&model, &mut same, square, symbol);
                        assert!(sums == same);
                    }
                }
            }
        }
    }

    #[test]
    fn passant_candidates() {
        let files = |fen: &str| {
            passant_files(&{
                let Parts(plain) = Chess::take_apart(&Position::from_fen(fen).unwrap());
                plain
            })
        };
        assert_eq!(files("4k3/8/8/pPpP3P/8/8/8/4K3 w - - 0 1"), 0b101);
        assert_eq!(files("4k3/2p5/8/pPpP3P/8/8/8/4K3 w - - 0 1"), 0b001);
        assert_eq!(files("4k3/8/8/8/6pP/8/8/4K3 b - - 0 1"), 0b1000_0000);
    }
}

//! Part B: a position as a sub-interval of the code space, divided square by square by the model's frequencies.

use rukh_core::Variant;

use crate::big::Width;
use crate::interval::{Interval, Narrow};
#[cfg(target_arch = "x86_64")]
use crate::model::{Group, LANES, Rules};
use crate::model::{Kernel, Model, SYMBOLS, Scores, Sums, TOTAL, Together};
use crate::plain::{MAX_KINDS, PAWN, Plain, ROOK, plies_of};
use crate::possible::{Possible, Square};
#[cfg(target_arch = "x86_64")]
use crate::possible::{men, of_board};

/// Frequency of each pawn that could be taken en passant; measured in games: about one in fifty is.
const PASSANT: u32 = 1280;
/// Frequency of each castling rook that is not the outermost one.
const INNER_ROOK: u32 = 2048;

/// The first version whose model sees every board from the side to move.
const TURNED_SINCE: u16 = 4;

/// Positions that go from square to square together: their running sums and the weights of one square fit the fastest cache.
const TOGETHER: usize = 16;

/// What the squares so far say about the next one.
struct Known {
    possible: Possible,
    sums: Sums,
}

/// What is said about a square.
enum Said<'a> {
    Forced(usize),
    /// Scores of the symbols, and which of them are open.
    Open(&'a Scores, u32),
}

/// A position that is being encoded.
struct Writing<I> {
    /// Symbols by square.
    board: [u8; 64],
    known: Known,
    interval: I,
}

/// A code that is being decoded.
struct Reading<W> {
    code: W,
    plain: Plain,
    rights: u8,
    known: Known,
    interval: Interval<W>,
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

    /// Whether the model sees a position turned: from version 4 on every board is seen as the side to move sees it.
    fn turns(&self, side: usize) -> bool {
        side == 1 && self.model.version >= TURNED_SINCE
    }

    /// The position as the model sees it.
    fn seen(&self, plain: &Plain) -> Plain {
        if self.turns(plain.side) { plain.turned(self.model.variant) } else { *plain }
    }

    /// The interval of all codes.
    pub(crate) fn share(&self) -> Interval<u64> {
        Interval { low: self.start, width: self.width }
    }

    /// The code of a position, or `None` if its interval runs out.
    pub(crate) fn encode(&self, plain: &Plain) -> Option<u64> {
        self.narrowed(plain, self.share()).map(|interval| interval.low)
    }

    /// The same for several positions, square by square for all of them: the weights of a square, which are as many as half of them fill a
    /// core's cache, are fetched once and not for every position.
    pub(crate) fn encode_together(&self, plains: &[Plain]) -> Vec<Option<u64>> {
        #[cfg(target_arch = "x86_64")]
        if let Some(codes) = self.encode_in_lanes(self.kernel, plains) {
            return codes;
        }
        let mut codes = Vec::with_capacity(plains.len());
        for plains in plains.chunks(TOGETHER) {
            let mut under_way: Vec<_> = plains.iter().map(|plain| self.begin(plain, self.share())).collect();
            self.go_together(
                &mut under_way,
                |writing| &writing.known,
                |writing, square, said| self.write(writing, square, said),
            );
            let ended = under_way.into_iter().zip(plains).map(|(writing, plain)| self.end(writing?, plain));
            codes.extend(ended.map(|interval| Some(interval?.low)));
        }
        codes
    }

    /// The same in step, where the machine has a kernel for that.
    #[cfg(target_arch = "x86_64")]
    fn encode_in_lanes(&self, kernel: Kernel, plains: &[Plain]) -> Option<Vec<Option<u64>>> {
        let (variant, kinds) = (self.model.variant, self.kinds());
        let rules = Rules { men: std::array::from_fn(|square| men(variant, square)), kings: [kinds, 2 * kinds] };
        let mut codes = Vec::with_capacity(plains.len());
        for plains in plains.chunks(LANES) {
            let mut group = Group::EMPTY;
            for (lane, plain) in plains.iter().enumerate() {
                let plain = &self.seen(plain);
                let rights = rights(plain, kinds);
                let Some((features, interval)) = self.headed(plain, rights, self.share()) else { continue };
                (group.low[lane], group.width[lane]) = (interval.low, interval.width);
                self.model.start_in(features, &mut group.sums[lane]);
                let kings = [0, 1].map(|side: usize| plain.men[side][kinds - 1].trailing_zeros() & 63);
                let (forced, kingless) = of_board(variant, rights, kings);
                group.forced[lane] = forced;
                group.kingless[0][lane] = kingless[0];
                group.kingless[1][lane] = kingless[1];
                self.each_man(plain, |square, symbol| group.symbols[square][lane] = symbol);
            }
            if !kernel.narrow(&self.model, &mut group, &rules) {
                return None;
            }
            codes.extend(plains.iter().enumerate().map(|(lane, plain)| {
                let interval = Interval { low: group.low[lane], width: group.width[lane] };
                let mut interval = Some(interval).filter(|interval| interval.width > 0)?;
                self.encode_rest(plain, &mut interval)?;
                Some(interval.low)
            }));
        }
        Some(codes)
    }

    /// All squares of several positions, of which those that come to nothing are taken away.
    fn go_together<T>(
        &self,
        places: &mut [Option<T>],
        known: impl Fn(&T) -> &Known,
        go: impl Fn(&mut T, usize, Said<'_>) -> Option<()>,
    ) {
        let (mut together, mut scores) = (Together::new(self.kernel, &self.model), Vec::new());
        for square in 0..64 {
            let possible: Vec<_> = places.iter().map(|place| known(place.as_ref()?).possible.at(square)).collect();
            let asked = places.iter().zip(&possible).filter(|(_, possible)| matches!(possible, Some(Square::Open(_))));
            let asked: Vec<_> = asked.filter_map(|(place, _)| Some(&known(place.as_ref()?).sums)).collect();
            together.scores(&asked, square, &mut scores);
            let mut scores = scores.iter();
            for (place, possible) in places.iter_mut().zip(possible) {
                let said = possible.and_then(|possible| match possible {
                    Square::Forced(symbol) => Some(Said::Forced(symbol)),
                    Square::Open(open) => Some(Said::Open(scores.next()?, open)),
                });
                if place.as_mut().zip(said).and_then(|(way, said)| go(way, square, said)).is_none() {
                    *place = None;
                }
            }
        }
    }

    /// What is known before the first square.
    fn known(&self, rights: u8, features: u32) -> Known {
        Known { possible: Possible::new(self.model.variant, rights), sums: self.model.start(features) }
    }

    /// Puts a symbol on the next square.
    #[inline]
    fn put(&self, known: &mut Known, square: usize, symbol: usize) {
        if symbol != 0 {
            known.possible.note(symbol);
            self.kernel.add(&self.model, &mut known.sums, square, symbol);
        }
    }

    /// The part of an interval that is the position's, or `None` if it has no number of its own.
    pub(crate) fn narrowed<I: Narrow>(&self, plain: &Plain, interval: I) -> Option<I> {
        let mut writing = self.begin(plain, interval)?;
        // The square before, which the interval has yet to be narrowed to: the next scores do not depend on the interval, so its parts are
        // computed while weights come.
        let mut behind: Option<(Scores, u32, usize)> = None;
        let narrow = |writing: &mut Writing<I>, behind: Option<(Scores, u32, usize)>| match behind {
            Some((scores, open, symbol)) => writing.interval.narrow_symbol(&self.kernel.divide(&scores, open), symbol),
            None => Some(()),
        };
        for square in 0..64 {
            let symbol = usize::from(writing.board[square]);
            let next = match writing.known.possible.at(square)? {
                Square::Forced(_) => None,
                Square::Open(open) => {
                    Some((self.kernel.scores(&self.model, &writing.known.sums, square), open, symbol))
                }
            };
            self.put(&mut writing.known, square, symbol);
            narrow(&mut writing, behind)?;
            behind = next;
        }
        narrow(&mut writing, behind)?;
        self.end(writing, plain)
    }

    /// Before the first square.
    fn begin<I: Narrow>(&self, plain: &Plain, interval: I) -> Option<Writing<I>> {
        let plain = &self.seen(plain);
        let rights = rights(plain, self.kinds());
        let (features, interval) = self.headed(plain, rights, interval)?;
        Some(Writing { board: self.board(plain), known: self.known(rights, features), interval })
    }

    /// The features of a position, and the part of an interval that is its header's.
    fn headed<I: Narrow>(&self, plain: &Plain, rights: u8, mut interval: I) -> Option<(u32, I)> {
        let (header, features) = header_of(self.model.variant, plain, rights);
        let below = self.model.header[..header].iter().sum();
        interval.narrow(below, self.model.header[header])?;
        Some((features, interval))
    }

    /// The next square.
    #[inline]
    fn write<I: Narrow>(&self, writing: &mut Writing<I>, square: usize, said: Said<'_>) -> Option<()> {
        let symbol = usize::from(writing.board[square]);
        self.put(&mut writing.known, square, symbol);
        match said {
            Said::Forced(forced) => {
                debug_assert_eq!(forced, symbol);
                Some(())
            }
            Said::Open(scores, open) => writing.interval.narrow_symbol(&self.kernel.divide(scores, open), symbol),
        }
    }

    /// After the last square.
    fn end<I: Narrow>(&self, mut writing: Writing<I>, plain: &Plain) -> Option<I> {
        self.encode_rest(plain, &mut writing.interval)?;
        Some(writing.interval)
    }

    /// How likely the model holds the header and each square's content, in 65536ths; all of them where it is certain and
    /// not coded. `None` if the position cannot be completed.
    pub(crate) fn likelihoods(&self, plain: &Plain) -> Option<(u32, [u32; 64])> {
        let flip = if self.turns(plain.side) { Plain::flip(self.model.variant) } else { 0 };
        let plain = &self.seen(plain);
        let rights = rights(plain, self.kinds());
        let (header, features) = header_of(self.model.variant, plain, rights);
        let mut known = self.known(rights, features);
        let mut found = [TOTAL; 64];
        for (square, &symbol) in self.board(plain).iter().enumerate() {
            let symbol = usize::from(symbol);
            if let Square::Open(open) = known.possible.at(square)? {
                let scores = self.kernel.scores(&self.model, &known.sums, square);
                found[square ^ flip] = self.kernel.divide(&scores, open).parts[symbol];
            }
            self.put(&mut known, square, symbol);
        }
        Some((self.model.header[header], found))
    }

    /// What depends on the finished board: en passant, inner castling rooks, the count.
    fn encode_rest<I: Narrow>(&self, plain: &Plain, interval: &mut I) -> Option<()> {
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
        let (plain, interval) = self.followed(code, self.share())?;
        // Only the first number of an interval is a code.
        (interval.low == code).then_some(plain)
    }

    /// The same for several codes, square by square for all of them.
    pub(crate) fn decode_together(&self, codes: &[u64]) -> Vec<Option<Plain>> {
        let own = |(read, &code): (Option<(Plain, Interval<u64>)>, &u64)| {
            read.filter(|(_, interval)| interval.low == code).map(|(plain, _)| plain)
        };
        let mut plains = Vec::with_capacity(codes.len());
        for codes in codes.chunks(TOGETHER) {
            let mut under_way: Vec<_> = codes.iter().map(|&code| self.open(code, self.share())).collect();
            self.go_together(
                &mut under_way,
                |reading| &reading.known,
                |reading, square, said| self.read(reading, square, said),
            );
            plains.extend(under_way.into_iter().map(|reading| self.close(reading?)).zip(codes).map(own));
        }
        plains
    }

    /// The position in whose part of an interval `code` is, and that part.
    pub(crate) fn followed<W: Width>(&self, code: W, interval: Interval<W>) -> Option<(Plain, Interval<W>)> {
        let mut reading = self.open(code, interval)?;
        for square in 0..64 {
            let scores;
            let said = match reading.known.possible.at(square)? {
                Square::Forced(symbol) => Said::Forced(symbol),
                Square::Open(open) => {
                    scores = self.kernel.scores(&self.model, &reading.known.sums, square);
                    Said::Open(&scores, open)
                }
            };
            self.read(&mut reading, square, said)?;
        }
        self.close(reading)
    }

    /// Before the first square.
    fn open<W: Width>(&self, code: W, mut interval: Interval<W>) -> Option<Reading<W>> {
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
        Some(Reading { code, plain, rights, known: self.known(rights, features), interval })
    }

    /// The next square.
    #[inline]
    fn read<W: Width>(&self, reading: &mut Reading<W>, square: usize, said: Said<'_>) -> Option<()> {
        let symbol = match said {
            Said::Forced(symbol) => symbol,
            Said::Open(scores, open) => {
                reading.interval.find_symbol(reading.code, &self.kernel.divide(scores, open))?
            }
        };
        self.put(&mut reading.known, square, symbol);
        if symbol != 0 {
            let kinds = self.kinds();
            reading.plain.men[(symbol - 1) / kinds][(symbol - 1) % kinds] |= 1 << square;
        }
        Some(())
    }

    /// After the last square.
    fn close<W: Width>(&self, reading: Reading<W>) -> Option<(Plain, Interval<W>)> {
        let Reading { code, mut plain, mut rights, mut interval, .. } = reading;
        if self.turns(plain.side) {
            plain = plain.turned(self.model.variant);
            rights = (rights & 3) << 2 | rights >> 2;
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
        self.each_man(plain, |square, symbol| board[square] = symbol);
        board
    }

    /// Tells the square and the symbol of each man.
    #[inline]
    fn each_man(&self, plain: &Plain, mut tell: impl FnMut(usize, u8)) {
        let kinds = self.kinds();
        for (side, own) in plain.men.iter().enumerate() {
            for (kind, &set) in own[..kinds].iter().enumerate() {
                let mut left = set;
                while left != 0 {
                    tell(left.trailing_zeros() as usize & 63, (1 + kinds * side + kind) as u8);
                    left &= left - 1;
                }
            }
        }
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
    use rukh_core::rng::Rng;
    use rukh_core::{Chess, Makruk, Position};

    /// Every kernel of this machine, from the same position.
    #[test]
    fn kernels_agree() {
        for raw in [
            &include_bytes!("../models/chess.rkpc")[..],
            include_bytes!("../models/chess-2.rkpc"),
            include_bytes!("../models/chess960.rkpc"),
            include_bytes!("../models/chess960-3.rkpc"),
            include_bytes!("../models/chess960-2.rkpc"),
            include_bytes!("../models/makruk.rkpc"),
            include_bytes!("../models/makruk-3.rkpc"),
            include_bytes!("../models/makruk-2.rkpc"),
        ] {
            let model = Model::read(raw).unwrap();
            let mut random = Rng::new(1, 0);
            let mut random = |below| random.below(below);
            for _ in 0..40 {
                let mut sums = model.start(random(1 << model.features) as u32);
                let mut same = sums.clone();
                let mut before = Vec::new();
                for square in 0..64 {
                    let open = (random(1 << model.symbols) | 1 << random(model.symbols)) as u32;
                    let scores = Kernel::Plain.scores(&model, &sums, square);
                    let expected = Kernel::Plain.divide(&scores, open);
                    for kernel in Kernel::available() {
                        assert_eq!(kernel.scores(&model, &sums, square), scores, "{kernel:?}");
                        assert_eq!(kernel.divide(&scores, open), expected, "{kernel:?}");
                    }
                    // Several positions at once: any number, of which sixteen or four go together and the rest one by one.
                    before.push(sums.clone());
                    let several: Vec<_> = before.iter().rev().take(random(24)).collect();
                    let expected: Vec<_> =
                        several.iter().map(|sums| Kernel::Plain.scores(&model, sums, square)).collect();
                    for kernel in Kernel::available() {
                        let mut found = Vec::new();
                        Together::new(kernel, &model).scores(&several, square, &mut found);
                        assert_eq!(found, expected, "{kernel:?}");
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

    /// Positions in step, their kings, castling rights and pawns on the last rank but one among them: the codes of one by one.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lanes_agree() {
        let mut random = Rng::new(7, 0);
        lanes_agree_for::<Chess>(Variant::Chess, &mut random);
        lanes_agree_for::<Chess>(Variant::Chess960, &mut random);
        lanes_agree_for::<Makruk>(Variant::Makruk, &mut random);
    }

    #[cfg(target_arch = "x86_64")]
    fn lanes_agree_for<R: Coded>(variant: Variant, random: &mut Rng) {
        let plain = |pos: &Position<R>| {
            let Parts(plain) = R::take_apart(pos);
            plain
        };
        let mut plains = Vec::new();
        while plains.len() < 3000 {
            let mut pos = if variant == Variant::Chess960 {
                Position::from_fen(&rukh_core::chess960_fen(random.below(960)).unwrap()).unwrap()
            } else {
                Position::<R>::startpos()
            };
            for _ in 0..20 + random.below(120) {
                plains.push(plain(&pos));
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                pos = pos.after(moves[random.below(moves.len())]);
            }
        }
        let codec = R::codec(variant).coder();
        let single: Vec<_> = plains.iter().map(|plain| codec.encode(plain)).collect();
        let [fit, not] = [true, false].map(|fits| single.iter().filter(|code| code.is_some() == fits).count());
        assert!(fit > 300 && not > 300, "{variant:?} {fit} {not}");
        for kernel in Kernel::available().filter(|kernel| matches!(kernel, Kernel::Avx512 | Kernel::Amx)) {
            assert!(codec.encode_in_lanes(kernel, &plains).as_ref() == Some(&single), "{variant:?} {kernel:?}");
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

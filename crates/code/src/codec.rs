//! Format 2: Part A for few men, Part B for the rest, in one code space for each variant.

use std::sync::{LazyLock, OnceLock};

use rukh_core::{Chess, Makruk, Position, Variant};

use crate::coder::Coder;
use crate::exact::Exact;
use crate::model::{Kernel, Model};
use crate::plain::sealed::Parts;
use crate::plain::{Coded, Plain, plies_of};
use crate::whole::Whole;
use crate::{CodeError, Format, PositionCode, Stamp};

/// The exact ranks and the model of one variant: what turns positions into direct codes and back.
///
/// ```
/// use rukh_code::Codec;
/// use rukh_core::{Chess, Position};
/// let start = Position::<Chess>::startpos();
/// let code = Codec::chess().encode(&start).unwrap();
/// assert_eq!(Codec::chess().decode(code).unwrap(), start);
/// ```
///
/// Clocks are not part of a code: a decoded position has a half-move clock of 0 and is at move 1.
pub struct Codec<R: Coded> {
    variant: Variant,
    exact: Exact,
    coder: Coder,
    /// Ranks of all positions; made when a position first needs one.
    whole: OnceLock<Box<Whole>>,
    rules: std::marker::PhantomData<R>,
}

/// What each part of a position costs in Part B: its likelihood in 65536ths as the model sees it, all of them where it is
/// certain. A likelihood of f costs 16 − log2 f bits; what depends on the finished board (en passant, a Makruk count, …) is
/// not in here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// Side to move and castling rights, or Makruk's count limit.
    pub header: u32,
    /// The squares, a1 first, each seen from those before it; where Black moves, from version 4 of the codes on, from those
    /// that are before it as Black sees the board.
    pub squares: [u32; 64],
    /// How many codes there are to share.
    pub codes: u64,
}

/// Part A's men and its share of the code space, by variant. The share is fixed and a little more than the ranks need, so
/// that Part B does not depend on their exact number.
const fn exact_share(variant: Variant) -> (u32, u64) {
    match variant {
        Variant::Chess | Variant::Chess960 => (8, 1 << 59),
        Variant::Makruk => (7, 1 << 61),
    }
}

static CHESS: LazyLock<Codec<Chess>> =
    LazyLock::new(|| built_in(Variant::Chess, include_bytes!("../models/chess.rkpc")));
static CHESS960: LazyLock<Codec<Chess>> =
    LazyLock::new(|| built_in(Variant::Chess960, include_bytes!("../models/chess960.rkpc")));
static MAKRUK: LazyLock<Codec<Makruk>> =
    LazyLock::new(|| built_in(Variant::Makruk, include_bytes!("../models/makruk.rkpc")));

/// The codes before version 4: to read what has them, links of the page too.
static CHESS_2: LazyLock<Codec<Chess>> =
    LazyLock::new(|| built_in(Variant::Chess, include_bytes!("../models/chess-2.rkpc")));
static CHESS960_3: LazyLock<Codec<Chess>> =
    LazyLock::new(|| built_in(Variant::Chess960, include_bytes!("../models/chess960-3.rkpc")));
static CHESS960_2: LazyLock<Codec<Chess>> =
    LazyLock::new(|| built_in(Variant::Chess960, include_bytes!("../models/chess960-2.rkpc")));
static MAKRUK_3: LazyLock<Codec<Makruk>> =
    LazyLock::new(|| built_in(Variant::Makruk, include_bytes!("../models/makruk-3.rkpc")));

/// Makruk's codes before version 3. The page has no such files, and pays for every byte.
#[cfg(not(target_arch = "wasm32"))]
static MAKRUK_2: LazyLock<Codec<Makruk>> =
    LazyLock::new(|| built_in(Variant::Makruk, include_bytes!("../models/makruk-2.rkpc")));

fn built_in<R: Coded>(variant: Variant, model: &[u8]) -> Codec<R> {
    match Codec::with_model(variant, model) {
        Ok(codec) => codec,
        // A test reads all embedded models; nothing from outside can lead here.
        Err(error) => unreachable!("embedded {error}"),
    }
}

fn built<R: Coded>(plain: Option<Plain>) -> Result<Position<R>, CodeError> {
    R::build(&Parts(plain.ok_or(CodeError::NoPosition)?)).map_err(CodeError::Illegal)
}

impl Codec<Chess> {
    /// The codec of standard chess.
    pub fn chess() -> &'static Self {
        &CHESS
    }

    /// The codec of Chess960: any castling rooks. Its codes are not those of standard chess.
    pub fn chess960() -> &'static Self {
        &CHESS960
    }

    /// An older version of one of them; `None` if there is no such one here.
    pub(crate) fn old_chess(variant: Variant, version: u16) -> Option<&'static Self> {
        match (variant, version) {
            (Variant::Chess, 2) => Some(&CHESS_2),
            (Variant::Chess960, 3) => Some(&CHESS960_3),
            (Variant::Chess960, 2) => Some(&CHESS960_2),
            _ => None,
        }
    }
}

impl Codec<Makruk> {
    /// The codec of Makruk; the running count is part of the code.
    pub fn makruk() -> &'static Self {
        &MAKRUK
    }

    /// An older version of it; `None` if there is no such one here.
    pub(crate) fn old_makruk(version: u16) -> Option<&'static Self> {
        match version {
            3 => Some(&MAKRUK_3),
            #[cfg(not(target_arch = "wasm32"))]
            2 => Some(&MAKRUK_2),
            _ => None,
        }
    }
}

impl<R: Coded> Codec<R> {
    /// A codec with another model, for training and measuring. Codes of different models have nothing in common.
    pub fn with_model(variant: Variant, model: &[u8]) -> Result<Self, CodeError> {
        let model = Model::read(model)?;
        if model.variant != variant || (variant == Variant::Makruk) != (R::VARIANT == Variant::Makruk) {
            return Err(CodeError::Model("the model is for another variant"));
        }
        let (men, share) = exact_share(variant);
        let exact = Exact::new(variant, men, &[]);
        debug_assert!(exact.size() <= share);
        let coder = Coder { model, kernel: Kernel::best(), start: share, width: (1 << 63) - share };
        Ok(Self { variant, exact, coder, whole: OnceLock::new(), rules: std::marker::PhantomData })
    }

    pub(crate) fn coder(&self) -> &Coder {
        &self.coder
    }

    pub(crate) fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| Box::new(Whole::new(self.variant)))
    }

    /// The variant.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// What files that hold codes record, to be sure that they can be read.
    pub fn stamp(&self) -> Stamp {
        Stamp { variant: self.variant, version: self.coder.model.version, checksum: self.coder.model.checksum }
    }

    /// The direct code of a position; [`CodeError::DoesNotFit`] if it needs more than 63 bits.
    pub fn encode(&self, pos: &Position<R>) -> Result<PositionCode, CodeError> {
        let Parts(plain) = R::take_apart(pos);
        let payload = match self.exact_rank(&plain)? {
            Some(rank) => rank,
            None => self.coder.encode(&plain).ok_or(CodeError::DoesNotFit)?,
        };
        Ok(PositionCode::direct(payload))
    }

    /// The payload in Part A of a position that the code space has, if Part A is where it belongs.
    pub(crate) fn exact_rank(&self, plain: &Plain) -> Result<Option<u64>, CodeError> {
        self.check(plain)?;
        Ok(self.exact.encode(plain))
    }

    /// The position of a direct code. A code of another format is an error that names the table it needs.
    pub fn decode(&self, code: PositionCode) -> Result<Position<R>, CodeError> {
        let payload = match code.format() {
            Format::Direct(payload) => payload,
            Format::Indexed { table, .. } => return Err(CodeError::NoTable(table)),
        };
        if payload < self.coder.start {
            return built(self.exact.decode(payload));
        }
        self.learned(self.coder.decode(payload))
    }

    /// The position that Part B has decoded.
    pub(crate) fn learned(&self, plain: Option<Plain>) -> Result<Position<R>, CodeError> {
        // What Part A ranks has no second code in Part B.
        built(plain.filter(|plain| !self.exact.has(plain)))
    }

    /// Whether a position is one that Part A ranks exactly.
    pub fn is_exact(&self, pos: &Position<R>) -> bool {
        self.exact.has(&R::take_apart(pos).0)
    }

    /// What Part B pays for a position, whether it fits or not, for those who want to see it; `None` where the code space does
    /// not have the position at all.
    pub fn price(&self, pos: &Position<R>) -> Option<Price> {
        let Parts(plain) = R::take_apart(pos);
        self.check(&plain).ok()?;
        let (header, squares) = self.coder.likelihoods(&plain)?;
        Some(Price { header, squares, codes: self.coder.width })
    }

    /// What the board allows but the code space does not have.
    pub(crate) fn check(&self, plain: &Plain) -> Result<(), CodeError> {
        if self.variant == Variant::Chess && plain.castling != 0 {
            const CORNERS: u64 = 0x8100_0000_0000_0081;
            let home = |side: usize| {
                plain.castling >> (56 * side) & 0xFF == 0 || plain.men[side][R::KINDS - 1] == 1 << (56 * side + 4)
            };
            if plain.castling & !CORNERS != 0 || !home(0) || !home(1) {
                return Err(CodeError::Castling);
            }
        }
        let past = |plain: &Plain| u32::from(plain.plies) >= plies_of(plain.limit, plain.occupied().count_ones());
        if plain.limit > 0 && past(plain) { Err(CodeError::Count) } else { Ok(()) }
    }
}

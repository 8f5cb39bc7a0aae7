//! A position as the codes see it: sets of men by side and kind, and what stands beside the board.

use rukh_core::{Bitboard, Chess, Color, Count, FenReason, Kind, Makruk, Position, Rules, Setup, Square, Variant};

use crate::{CodeError, Codec};

/// Kinds a side can have, the king last: P N B R Q K, or Bia Ma Thon Rua Met Bia-ngai Khun.
pub(crate) const MAX_KINDS: usize = 7;
/// The pawn's place among the kinds.
pub(crate) const PAWN: usize = 0;
/// The rook's place among the kinds.
pub(crate) const ROOK: usize = 3;
/// The limits that a Makruk count can have, in plies.
pub(crate) const LIMITS: [u16; 6] = [16, 32, 44, 64, 88, 128];

/// A position taken apart. Symbols are numbered 1 + kind for White and 1 + kinds + kind for Black; 0 is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plain {
    /// Men by side and kind.
    pub men: [[u64; MAX_KINDS]; 2],
    /// 0 White, 1 Black to move.
    pub side: usize,
    /// Rooks that may castle.
    pub castling: u64,
    /// The file of a pawn that can be taken en passant.
    pub ep: Option<u8>,
    /// 0 if no count runs, else 1 + index into [`LIMITS`].
    pub limit: u8,
    /// Plies counted.
    pub plies: u16,
}

impl Plain {
    /// Where a square is on the board as Black sees it: its number with these bits flipped.
    pub const fn flip(variant: Variant) -> usize {
        if matches!(variant, Variant::Makruk) { 63 } else { 56 }
    }

    /// The board as Black sees it: turned over in chess, where kings face each other, and round in Makruk, where each Met is on its Khun's same
    /// hand; men and castling rights change sides. The side to move stays what it is.
    pub fn turned(&self, variant: Variant) -> Self {
        let turn = |set: u64| if Self::flip(variant) == 63 { set.reverse_bits() } else { set.swap_bytes() };
        let [white, black] = self.men.map(|own| own.map(turn));
        Self { men: [black, white], castling: turn(self.castling), ..*self }
    }

    /// All men.
    pub fn occupied(&self) -> u64 {
        self.men.iter().flatten().fold(0, |all, set| all | set)
    }
}

/// How many values the plies of a count can take.
pub(crate) fn plies_of(limit: u8, men: u32) -> u32 {
    u32::from(LIMITS[usize::from(limit) - 1]).max(2 * men) + 2
}

/// Games that have position codes.
pub trait Coded: Rules + sealed::Sealed {
    /// The codec of a variant of this game; that of the game itself if the variant is another's.
    fn codec(variant: Variant) -> &'static Codec<Self>;

    /// The codec of a version of the codes, the present one or an older one that is still read.
    ///
    /// ```
    /// use rukh_code::Coded;
    /// use rukh_core::{Makruk, Variant};
    /// assert_eq!(Makruk::codec(Variant::Makruk).stamp().version, 4);
    /// assert_eq!(Makruk::codec_of_version(Variant::Makruk, 2).unwrap().stamp().version, 2);
    /// assert!(Makruk::codec_of_version(Variant::Makruk, 1).is_err());
    /// ```
    fn codec_of_version(variant: Variant, version: u16) -> Result<&'static Codec<Self>, CodeError> {
        let codec = Self::codec(variant);
        let ours = codec.stamp();
        let codec = if ours.version == version { Some(codec) } else { Self::old_codec(variant, version) };
        codec.filter(|_| ours.variant == variant).ok_or(CodeError::Version(variant, version))
    }

    #[doc(hidden)]
    fn old_codec(_: Variant, _: u16) -> Option<&'static Codec<Self>> {
        None
    }

    /// Kinds of men a side can have.
    #[doc(hidden)]
    const KINDS: usize;

    #[doc(hidden)]
    fn take_apart(pos: &Position<Self>) -> sealed::Parts;

    #[doc(hidden)]
    fn build(parts: &sealed::Parts) -> Result<Position<Self>, FenReason>;
}

pub(crate) mod sealed {
    /// Keeps the trait to the games of this workspace.
    pub trait Sealed {}
    impl Sealed for rukh_core::Chess {}
    impl Sealed for rukh_core::Makruk {}

    /// Opaque outside the crate.
    #[derive(Debug)]
    pub struct Parts(pub(crate) super::Plain);
}

use sealed::Parts;

impl Coded for Chess {
    fn codec(variant: Variant) -> &'static Codec<Self> {
        if variant == Variant::Chess960 { Codec::chess960() } else { Codec::chess() }
    }

    fn old_codec(variant: Variant, version: u16) -> Option<&'static Codec<Self>> {
        Codec::old_chess(variant, version)
    }

    const KINDS: usize = 6;

    #[inline]
    fn take_apart(pos: &Position<Self>) -> Parts {
        let mut plain = Plain { side: pos.side_to_move().index(), ..Plain::default() };
        for color in Color::ALL {
            for kind in Kind::ALL {
                plain.men[color.index()][kind.index()] = pos.colored(color, kind).0;
            }
        }
        if pos.castling().bits() != 0 {
            for (color, kingside) in [(0, true), (0, false), (1, true), (1, false)] {
                plain.castling |= pos.castle_rook(Color::ALL[color], kingside).map_or(0, |rook| rook.bb().0);
            }
        }
        plain.ep = pos.ep_square().map(|square| square.file().index() as u8);
        Parts(plain)
    }

    #[inline]
    fn build(Parts(plain): &Parts) -> Result<Position<Self>, FenReason> {
        let mut setup = setup(plain, Self::KINDS);
        setup.castling = Bitboard(plain.castling);
        setup.ep = plain.ep.and_then(|file| Square::from_index(file + if plain.side == 0 { 40 } else { 16 }));
        Position::<Chess>::from_setup(&setup)
    }
}

impl Coded for Makruk {
    fn codec(_: Variant) -> &'static Codec<Self> {
        Codec::makruk()
    }

    fn old_codec(_: Variant, version: u16) -> Option<&'static Codec<Self>> {
        Codec::old_makruk(version)
    }

    const KINDS: usize = 7;

    fn take_apart(pos: &Position<Self>) -> Parts {
        const BIA_NGAI: usize = 5;
        let mut plain = Plain { side: pos.side_to_move().index(), ..Plain::default() };
        for color in Color::ALL {
            let own = &mut plain.men[color.index()];
            for kind in &Kind::ALL[..5] {
                own[kind.index()] = pos.colored(color, *kind).0;
            }
            own[Kind::MET.index()] &= !pos.promoted().0;
            own[BIA_NGAI] = (pos.colors(color) & pos.promoted()).0;
            own[Self::KINDS - 1] = pos.colored(color, Kind::KHUN).0;
        }
        if let Some(count) = pos.count() {
            plain.limit = LIMITS.iter().position(|&l| l == count.limit).map_or(0, |at| at as u8 + 1);
            plain.plies = count.plies;
        }
        Parts(plain)
    }

    fn build(Parts(plain): &Parts) -> Result<Position<Self>, FenReason> {
        let mut setup = setup(plain, Self::KINDS);
        setup.promoted = Bitboard(plain.men[0][5] | plain.men[1][5]);
        if plain.limit != 0 {
            setup.count = Count { limit: LIMITS[usize::from(plain.limit) - 1], plies: plain.plies };
        }
        Position::<Makruk>::from_setup(&setup)
    }
}

/// The board and the side to move.
fn setup(plain: &Plain, kinds: usize) -> Setup {
    let mut setup = Setup::new(Color::ALL[plain.side]);
    for (side, own) in plain.men.iter().enumerate() {
        for (kind, &set) in own[..kinds].iter().enumerate() {
            // The king is last, and before it a Bia-ngai is a Met.
            let plane = if kind == kinds - 1 { 5 } else { kind.min(4) };
            setup.planes[plane] |= Bitboard(set);
            setup.planes[6 + side] |= Bitboard(set);
        }
    }
    setup
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Men, rights and squares of both games go where `flip` says, and back.
    #[test]
    fn turned_twice_is_the_same() {
        fn check<R: Coded>(variant: Variant, fen: &str) {
            let Parts(plain) = R::take_apart(&Position::<R>::from_fen(fen).unwrap());
            let turned = plain.turned(variant);
            assert!(turned != plain && turned.turned(variant) == plain && turned.side == plain.side);
            for square in 0..64 {
                let there = square ^ Plain::flip(variant);
                for kind in 0..R::KINDS {
                    assert_eq!(plain.men[0][kind] >> square & 1, turned.men[1][kind] >> there & 1);
                }
                assert_eq!(plain.castling >> square & 1, turned.castling >> there & 1);
            }
        }
        check::<Chess>(Variant::Chess960, "1r2k1r1/pp6/8/3Pp3/8/5N2/8/1R1K2R1 b BGg - 0 1");
        check::<Makruk>(Variant::Makruk, "rns1ksnr/2m5/pp1ppppp/2p5/8/PPPPPPPP/2KS4/RN2MSNR b - - 0 1");
    }
}

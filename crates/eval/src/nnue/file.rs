//! The network file: a 64-byte head, integer weights, and the recipe in words. See `docs/formats/network.md`.

use super::crc::crc32;
use super::deep::{Deep, QC, QM};
use super::feature::{INPUTS, Zones};
use super::simd::{Activation, Aligned, Backend, MIDDLE, UPPER};
use super::{DeepLayers, Layers};
use rukh_core::{Bitboard, Color, Kind, Piece, Position, Rules, Variant};

pub(super) const MAGIC: &[u8; 8] = b"RUKHNNUE";
pub(super) const HEAD: usize = 64;
/// Quantisation of the first layer: activations are 0…255.
pub(super) const QA: i32 = 255;
/// Quantisation of the second layer.
pub(super) const QB: i32 = 64;
const MAX_HIDDEN: usize = 2048;
const MAX_BUCKETS: usize = 32;
/// Longest recipe: a head must not promise what no file should hold.
const MAX_RECIPE: usize = 1 << 20;
/// Largest first-layer weight and bias: 33 of them stay within sixteen bits.
pub(super) const MAX_FIRST: i32 = 505;
/// Largest second-layer weight: 255 times it stays within sixteen bits.
pub(super) const MAX_SECOND: i32 = 127;

/// What can be wrong with a network file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// Not one of ours.
    Foreign,
    /// A format or shape that this program does not know.
    Unknown(String),
    /// Fewer or more bytes than the head promises.
    Size {
        /// Bytes promised.
        expected: usize,
        /// Bytes there.
        found: usize,
    },
    /// The checksum does not match.
    Checksum,
    /// A weight is outside the range in which the arithmetic is exact.
    Range(&'static str),
    /// A network for another game.
    Variant {
        /// What the file is for.
        found: &'static str,
        /// What was asked for.
        wanted: &'static str,
    },
}

impl core::fmt::Display for NetworkError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Foreign => f.write_str("not a Rukh network (its first bytes are not 'RUKHNNUE')"),
            Self::Unknown(what) => write!(f, "a network this program cannot read: {what}"),
            Self::Size { expected, found } => {
                write!(f, "the network file has {found} bytes, its head promises {expected}: cut off or damaged")
            }
            Self::Checksum => f.write_str("the network file is damaged: its checksum is wrong"),
            Self::Range(what) => write!(f, "the network file is damaged: {what} is out of range"),
            Self::Variant { found, wanted } => write!(f, "a network for {found}, not for {wanted}"),
        }
    }
}

impl core::error::Error for NetworkError {}

/// A network, ready for use.
#[derive(Clone, Debug)]
pub struct Network {
    variant: Variant,
    hidden: usize,
    buckets: usize,
    zones: Zones,
    scale: i32,
    checksum: u32,
    recipe: String,
    /// First layer, `[zone][input][neuron]`.
    pub(super) first: Aligned,
    pub(super) first_bias: Aligned,
    /// Second layer, `[bucket][side to move's neurons, then the other's]`.
    pub(super) second: Aligned,
    second_bias: Vec<i32>,
    /// What versions 2 and 3 have beside it.
    deep: Option<Deep>,
}

/// Takes numbers off a file's body, which is known to be long enough.
struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(bytes);
        self.0 = rest;
        taken
    }

    fn i16s(&mut self, count: usize) -> Vec<i16> {
        self.take(2 * count).as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect()
    }

    fn i32s(&mut self, count: usize) -> Vec<i32> {
        self.take(4 * count).as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect()
    }
}

/// What the first bytes of a file say of the rest.
struct Head {
    version: u16,
    variant: Variant,
    hidden: usize,
    buckets: usize,
    zones: Zones,
    scale: i32,
    checksum: u32,
    /// Bytes of the whole file.
    size: usize,
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Head, NetworkError> {
        if bytes.get(..8) != Some(MAGIC) {
            return Err(NetworkError::Foreign);
        }
        let Some(head) = bytes.get(..HEAD) else {
            return Err(NetworkError::Size { expected: HEAD, found: bytes.len() });
        };
        let u16_at = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let unknown = |what: String| Err(NetworkError::Unknown(what));
        let version = u16_at(8);
        if !(1..=3).contains(&version) {
            return unknown(format!("format version {version}"));
        }
        let variant = match head[10] {
            0 => Variant::Chess,
            2 => Variant::Makruk,
            other => return unknown(format!("game number {other}")),
        };
        if head[11] != 1 {
            return unknown(format!("activation number {}", head[11]));
        }
        let (hidden, buckets) = (usize::from(u16_at(12)), usize::from(u16_at(14)));
        if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(32) {
            return unknown(format!("{hidden} neurons; a multiple of 32 up to {MAX_HIDDEN} is expected"));
        }
        if buckets == 0 || buckets > MAX_BUCKETS {
            return unknown(format!("{buckets} output buckets; 1 to {MAX_BUCKETS} are expected"));
        }
        if (i32::from(u16_at(16)), i32::from(u16_at(18))) != (QA, QB) {
            return unknown(format!("quantisation {} and {}; {QA} and {QB} are expected", u16_at(16), u16_at(18)));
        }
        let scale = u32_at(20);
        if !(1..=10_000).contains(&scale) {
            return unknown(format!("scale {scale}"));
        }
        let zones = Zones(if version == 3 { u64::from(u32_at(40)) | u64::from(u32_at(44)) << 32 } else { 0 });
        let inputs = INPUTS * zones.count();
        if u32_at(28) as usize != inputs {
            return unknown(format!("{} inputs; {inputs} are expected", u32_at(28)));
        }
        if version >= 2 {
            let inner = [u16_at(32), u16_at(34), u16_at(36), u16_at(38)].map(usize::from);
            if inner != [MIDDLE, UPPER, QM as usize, QC as usize] {
                return unknown(format!("inner layers {inner:?}; {MIDDLE}, {UPPER}, {QM} and {QC} are expected"));
            }
        }
        let recipe = u32_at(24) as usize;
        if recipe > MAX_RECIPE {
            return unknown(format!("a recipe of {recipe} bytes; at most {MAX_RECIPE} are expected"));
        }
        let mut weights = 2 * first_counts(hidden, buckets, zones).iter().sum::<usize>() + 4 * buckets;
        if version >= 2 {
            let [middle, middle_bias, upper, upper_bias, last] = DeepLayers::counts(hidden, buckets);
            weights += middle + 2 * (upper + last) + 4 * (middle_bias + upper_bias);
        }
        let size = HEAD + weights + recipe;
        Ok(Head { version, variant, hidden, buckets, zones, scale: scale as i32, checksum: u32_at(60), size })
    }
}

/// Weights of the first layer, its biases, weights of the second.
fn first_counts(hidden: usize, buckets: usize, zones: Zones) -> [usize; 3] {
    [zones.count() * INPUTS * hidden, hidden, buckets * 2 * hidden]
}

impl Network {
    /// Bytes of a file that [`Network::file_size`] needs.
    pub const HEAD: usize = HEAD;

    /// How long the file is that begins with these bytes, if it is a network.
    pub fn file_size(head: &[u8]) -> Result<usize, NetworkError> {
        Head::read(head).map(|head| head.size)
    }

    /// Reads a file's bytes. Nothing in them can make this panic or take more memory than they do.
    pub fn parse(bytes: &[u8]) -> Result<Network, NetworkError> {
        let Head { version, variant, hidden, buckets, zones, scale, checksum, size } = Head::read(bytes)?;
        if size != bytes.len() {
            return Err(NetworkError::Size { expected: size, found: bytes.len() });
        }
        let (head, body) = bytes.split_at(HEAD);
        if crc32(&[&head[..60], body]) != checksum {
            return Err(NetworkError::Checksum);
        }
        let counts = first_counts(hidden, buckets, zones);
        let [middle, middle_bias, upper, upper_bias, last] = DeepLayers::counts(hidden, buckets);
        let mut body = Body(body);
        let mut network = Network {
            variant,
            hidden,
            buckets,
            zones,
            scale,
            checksum,
            recipe: String::new(),
            first: Aligned::read(body.take(2 * counts[0])),
            first_bias: Aligned::read(body.take(2 * counts[1])),
            second: Aligned::read(body.take(2 * counts[2])),
            second_bias: body.i32s(buckets),
            deep: None,
        };
        if version >= 2 {
            let layers = DeepLayers {
                middle: body.take(middle).iter().map(|b| *b as i8).collect(),
                middle_bias: body.i32s(middle_bias),
                upper: body.i16s(upper),
                upper_bias: body.i32s(upper_bias),
                last: body.i16s(last),
            };
            network.deep = Some(Deep::new(&layers)?);
        }
        network.recipe = String::from_utf8_lossy(body.0).into_owned();
        network.check()?;
        Ok(network)
    }

    /// The bounds under which sixteen-bit sums and products are exact (they are why no kernel checks for overflow).
    fn check(&self) -> Result<(), NetworkError> {
        let within = |list: &[i16], limit: i32| list.iter().all(|&w| i32::from(w).abs() <= limit);
        if !within(&self.first, MAX_FIRST) || !within(&self.first_bias, MAX_FIRST) {
            return Err(NetworkError::Range("a weight of the first layer"));
        }
        if !within(&self.second, MAX_SECOND) {
            return Err(NetworkError::Range("a weight of the second layer"));
        }
        for row in self.second.chunks_exact(2 * self.hidden) {
            let sum: i64 = row.iter().map(|&w| i64::from(w).abs()).sum();
            if sum * i64::from(QA * QA) >= 1 << 31 {
                return Err(NetworkError::Range("the sum of an output's weights"));
            }
        }
        Ok(())
    }

    /// The same, and the file must be for the game `R`.
    pub fn parse_for<R: Rules>(bytes: &[u8]) -> Result<Network, NetworkError> {
        let network = Network::parse(bytes)?;
        let wanted = if R::VARIANT == Variant::Makruk { Variant::Makruk } else { Variant::Chess };
        if network.variant == wanted {
            Ok(network)
        } else {
            Err(NetworkError::Variant { found: network.variant.name(), wanted: wanted.name() })
        }
    }

    /// The game it is for.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Neurons of the first layer, for each side.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Output buckets.
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Zones of the own king, each with a first layer of its own.
    #[inline]
    pub fn zones(&self) -> Zones {
        self.zones
    }

    /// The file's checksum: a name for the network.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// How it was made, in words.
    pub fn recipe(&self) -> &str {
        &self.recipe
    }

    /// The weights as plain integers.
    pub fn layers(&self) -> Layers {
        Layers {
            variant: self.variant,
            scale: self.scale as u32,
            zones: self.zones,
            first: self.first.to_vec(),
            first_bias: self.first_bias.to_vec(),
            second: self.second.to_vec(),
            second_bias: self.second_bias.clone(),
            deep: self.deep.as_ref().map(Deep::layers),
            recipe: self.recipe.clone(),
        }
    }

    /// The output bucket for so many men.
    #[inline]
    pub fn bucket(&self, men: u32) -> usize {
        ((men as usize).saturating_sub(2) * self.buckets / 32).min(self.buckets - 1)
    }

    /// How many numbers [`output`](Self::output) needs room for.
    pub(super) fn room(&self) -> usize {
        if self.deep.is_some() { 2 * self.hidden } else { 0 }
    }

    /// The later layers on two first layers (side to move's first), in centipawns. `room` is for [`room`](Self::room) numbers.
    #[inline]
    pub(super) fn output(&self, backend: Backend, us: &[i16], them: &[i16], men: u32, room: &mut [Activation]) -> i32 {
        let bucket = self.bucket(men);
        let row = 2 * self.hidden;
        let sum = backend.dot(us, them, &self.second[bucket * row..(bucket + 1) * row]);
        let mut value = i64::from(sum / QA) + i64::from(self.second_bias[bucket]);
        if let Some(deep) = &self.deep {
            value += deep.value(backend, us, them, bucket, room);
        }
        (value * i64::from(self.scale) / i64::from(QA * QB)) as i32
    }

    /// The value of a position for the side to move, from nothing but the board: the reference for everything faster.
    pub fn reference<R: Rules>(&self, pos: &Position<R>) -> i32 {
        self.reference_without(pos, Bitboard::EMPTY)
    }

    /// The same as if the men on some squares (no king) were not there.
    pub(super) fn reference_without<R: Rules>(&self, pos: &Position<R>, gone: Bitboard) -> i32 {
        let side = |side: Color| -> Vec<i16> {
            let view = self.zones.view(side, pos.king(side));
            let mut sums = self.first_bias.to_vec();
            for color in Color::ALL {
                for kind in Kind::ALL {
                    for square in pos.colored(color, kind) & !gone {
                        let at = usize::from(view.index(Piece::new(color, kind), square)) * self.hidden;
                        let row = &self.first[at..at + self.hidden];
                        sums.iter_mut().zip(row).for_each(|(sum, w)| *sum += w);
                    }
                }
            }
            sums
        };
        let us = pos.side_to_move();
        let mut room = vec![0; self.room()];
        self.output(Backend::SCALAR, &side(us), &side(!us), (pos.occupied() & !gone).count(), &mut room)
    }
}

//! A network as plain integers: what trainers take apart and put together.

use super::crc::crc32;
use super::deep::{MAX_INNER, MAX_MIDDLE, QC, QM};
use super::feature::{INPUTS, Zones};
use super::file::{HEAD, MAGIC, MAX_FIRST, MAX_SECOND, QA, QB};
use super::simd::{MIDDLE, UPPER};
use super::{DeepLayers, Network, NetworkError};
use rukh_core::Variant;

/// The weights and the head of a network file. See `docs/formats/network.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    /// Chess or Makruk.
    pub variant: Variant,
    /// Centipawns per unit of log-odds.
    pub scale: u32,
    /// Zones of the own king; only networks with inner layers have more than one.
    pub zones: Zones,
    /// First layer, `[zone][input][neuron]`, in units of 1/255.
    pub first: Vec<i16>,
    /// Its bias.
    pub first_bias: Vec<i16>,
    /// Second layer, `[bucket][side to move's neurons, then the other's]`, in units of 1/64.
    pub second: Vec<i16>,
    /// Its bias, in units of 1/(255·64); as many as there are output buckets.
    pub second_bias: Vec<i32>,
    /// The layers beside the direct output, if it has any.
    pub deep: Option<DeepLayers>,
    /// How it was made, in words.
    pub recipe: String,
}

impl Layers {
    /// Units of the first layer and its bias.
    pub const FIRST_UNIT: i32 = QA;
    /// Units of the second layer.
    pub const SECOND_UNIT: i32 = QB;
    /// Largest weight and bias of the first layer.
    pub const FIRST_LIMIT: i32 = MAX_FIRST;
    /// Largest weight of the second layer.
    pub const SECOND_LIMIT: i32 = MAX_SECOND;
    /// Neurons of the middle layer.
    pub const MIDDLE: usize = MIDDLE;
    /// Neurons of the upper layer.
    pub const UPPER: usize = UPPER;
    /// Units of the middle layer's weights.
    pub const MIDDLE_UNIT: i32 = QM;
    /// Largest of them.
    pub const MIDDLE_LIMIT: i32 = MAX_MIDDLE;
    /// Units of the middle layer's sums and biases.
    pub const MIDDLE_SUM: f64 = 8_128.125;
    /// Units of the weights of the upper and last layer.
    pub const INNER_UNIT: i32 = QC;
    /// Largest of them.
    pub const INNER_LIMIT: i32 = MAX_INNER;
    /// Units of the upper layer's sums and biases.
    pub const UPPER_SUM: f64 = 4_129_152.0;

    /// The file, which [`Network::parse`] reads. Shapes and weights that it would refuse are refused here.
    pub fn to_bytes(&self) -> Result<Vec<u8>, NetworkError> {
        let (hidden, buckets) = (self.first_bias.len(), self.second_bias.len());
        let fits = self.deep.as_ref().is_none_or(|deep| deep.fits(hidden, buckets));
        let zones = self.zones.count();
        let fits = fits && (zones == 1 || self.deep.is_some());
        if self.first.len() != zones * INPUTS * hidden || self.second.len() != buckets * 2 * hidden || !fits {
            return Err(NetworkError::Unknown("layers whose shapes do not fit together".into()));
        }
        let mut head = [0u8; HEAD];
        head[..8].copy_from_slice(MAGIC);
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        let version = if zones > 1 { 3 } else { 1 + u16::from(self.deep.is_some()) };
        put(8, &version.to_le_bytes());
        put(10, &[if self.variant == Variant::Makruk { 2 } else { 0 }, 1]);
        put(12, &(hidden as u16).to_le_bytes());
        put(14, &(buckets as u16).to_le_bytes());
        put(16, &(QA as u16).to_le_bytes());
        put(18, &(QB as u16).to_le_bytes());
        put(20, &self.scale.to_le_bytes());
        put(24, &(self.recipe.len() as u32).to_le_bytes());
        put(28, &((zones * INPUTS) as u32).to_le_bytes());
        if self.deep.is_some() {
            for (at, number) in [(32, MIDDLE), (34, UPPER), (36, QM as usize), (38, QC as usize)] {
                put(at, &(number as u16).to_le_bytes());
            }
            put(40, &self.zones.0.to_le_bytes());
        }
        let mut body = Vec::with_capacity(2 * self.first.len());
        let weights =
            |body: &mut Vec<u8>, list: &[i16]| list.iter().for_each(|w| body.extend_from_slice(&w.to_le_bytes()));
        let biases =
            |body: &mut Vec<u8>, list: &[i32]| list.iter().for_each(|w| body.extend_from_slice(&w.to_le_bytes()));
        for layer in [&self.first, &self.first_bias, &self.second] {
            weights(&mut body, layer);
        }
        biases(&mut body, &self.second_bias);
        if let Some(deep) = &self.deep {
            body.extend(deep.middle.iter().map(|w| *w as u8));
            biases(&mut body, &deep.middle_bias);
            weights(&mut body, &deep.upper);
            biases(&mut body, &deep.upper_bias);
            weights(&mut body, &deep.last);
        }
        body.extend_from_slice(self.recipe.as_bytes());
        let crc = crc32(&[&head[..60], &body]);
        head[60..].copy_from_slice(&crc.to_le_bytes());
        let bytes = [&head[..], &body].concat();
        Network::parse(&bytes).map(|_| bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::embedded;
    use rukh_core::{Chess, Makruk};

    #[test]
    fn there_and_back() {
        for network in [embedded::<Chess>(), embedded::<Makruk>()].into_iter().flatten() {
            let layers = network.layers();
            let bytes = layers.to_bytes().expect("the program's own network");
            let again = Network::parse(&bytes).expect("just written");
            assert_eq!(again.checksum(), network.checksum());
            assert_eq!(again.layers(), layers);
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_written() {
        let good = embedded::<Chess>().expect("a network is embedded").layers();
        let mut large = good.clone();
        large.second[5] = 128;
        assert!(matches!(large.to_bytes(), Err(NetworkError::Range(_))));
        let mut short = good.clone();
        short.first.pop();
        assert!(matches!(short.to_bytes(), Err(NetworkError::Unknown(_))));
        let odd = Layers {
            first: vec![0; INPUTS * 3],
            first_bias: vec![0; 3],
            second: vec![0; 6],
            second_bias: vec![0],
            ..good
        };
        assert!(matches!(odd.to_bytes(), Err(NetworkError::Unknown(_))));
    }
}

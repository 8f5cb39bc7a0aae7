//! The neural evaluation: (768 mirrored → N) × 2 → 1, SCReLU, output weights by number of men; in networks of version 2 two small
//! layers beside the direct output, → 16 → 32 → 1.
//!
//! A network sees the board twice, once with each side's eyes: own pieces first, own side at the bottom, and the board
//! mirrored left to right when that side's king stands on the files e–h. Both views share the first layer, of which networks of version 3
//! have one for each [zone](Zones) of the own king. All arithmetic is integer and gives the same numbers on every machine and with every back end in [`simd`].
//!
//! [`Network`] is the file (`docs/formats/network.md`), [`Accumulators`] the first layer kept up to date along the search
//! line, [`Evaluation`] the evaluator that the engine uses: a network, or the classical terms without one.

mod accumulator;
mod crc;
mod deep;
mod embedded;
mod evaluator;
mod feature;
mod file;
mod layers;
#[cfg(any(test, target_family = "wasm"))]
mod pack;
mod report;
pub mod simd;

pub use accumulator::Accumulators;
pub use deep::DeepLayers;
pub use embedded::{embedded, embedded_for_pages};
pub use evaluator::Evaluation;
pub use feature::{INPUTS, View, Zones};
pub use file::{Network, NetworkError};
pub use layers::Layers;
pub use report::{by_piece, table};

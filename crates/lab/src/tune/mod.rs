//! Fits the weights of the classical evaluation to the results of games: `rukh tune`.
//!
//! Texel's method by gradients: every position is traced once into its coefficients ([`Gather`]), then Adam minimises the
//! squared difference between game results and the value passed through a logistic curve ([`Fit`]). Whole games go to
//! training or to validation, so that the validation loss is honest. [`SelfPlay`] makes positions to tune on.

mod data;
mod epd;
mod model;
mod source;

pub use data::{Game, Gather, Gathered};
pub use epd::SelfPlay;
pub use model::{Dataset, Fit, Fitted};
pub use source::write;

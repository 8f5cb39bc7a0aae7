#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod annotate;
pub mod check;
mod error;
pub mod games;
pub mod gaps;
pub mod insights;
pub mod journal;
pub mod mined;
pub mod puzzles;
pub mod reasons;
pub mod report;
pub mod review;
mod spot;
pub mod step;
pub mod tree;

pub use error::CoachError;
pub use journal::{Journal, Seen};
pub use reasons::{Choice, Fact, Tactic, Theme, explain, tactics};
pub use review::{Analyst, Effort, Judged, Reviewed, review_all, review_with};
pub use spot::Spot;

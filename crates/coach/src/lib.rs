#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod reasons;

pub use reasons::{Choice, Fact, Tactic, Theme, explain, tactics};

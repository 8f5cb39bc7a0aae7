#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod book;
#[cfg(feature = "database")]
pub mod codes;
#[cfg(feature = "database")]
pub mod db;
#[cfg_attr(not(feature = "database"), allow(dead_code))]
mod disk;
#[cfg(feature = "database")]
pub mod learn;
pub mod openings;
pub mod selfplay;
pub mod source;

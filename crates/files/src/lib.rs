#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod folders;
mod input;
mod lines;
mod output;

pub use folders::{cache_folder, data_folder};
pub use input::{open_locked, read_at_most, read_text_at_most, same_file};
pub use lines::{LineError, Lines};
pub use output::{OutputFile, replace};

//! Files that belong to the user: written aside and put in their place when they are whole, read within bounds.
//!
//! [`OutputFile`] is the one way in which the program replaces a file; [`read_at_most`] and [`Lines`] are how it reads
//! files that somebody else has made.
#![forbid(unsafe_code)]

mod folders;
mod input;
mod lines;
mod output;

pub use folders::{cache_folder, data_folder};
pub use input::{read_at_most, read_text_at_most, same_file};
pub use lines::{LineError, Lines};
pub use output::{OutputFile, replace};

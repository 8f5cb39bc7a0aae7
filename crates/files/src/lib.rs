#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod folders;
mod input;
mod lines;
mod lock;
mod output;

pub use folders::{cache_folder, data_folder, make_folder, sync_name, sync_names};
pub use input::{lies_in, read_at_most, read_text_at_most, same_file, same_input, same_place, same_twice};
pub use lines::{LineError, Lines};
pub use lock::{LockedFile, open_locked, stands_at};
pub use output::{OutputFile, replace};

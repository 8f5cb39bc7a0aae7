//! Makruk's end-game tables. One binary for all files: linking is what takes time.

mod count;
mod files;
mod interrupted;
mod published;

//! Makruk's end-game tables. One binary for all files: linking is what takes time; `interrupted` makes the tables that a process keeps, and stays alone.

mod count;
mod files;
mod published;

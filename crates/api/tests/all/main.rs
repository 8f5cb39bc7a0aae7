//! Messages in JSON. One binary for all files: linking is what takes time.

mod host;
mod questions;
mod types;

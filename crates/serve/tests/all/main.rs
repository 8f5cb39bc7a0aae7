//! The server over HTTP. One binary for all files: linking is what takes time.

mod attacks;
mod common;
mod engine;
mod exposure;
mod http;

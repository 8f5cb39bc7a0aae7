//! Books, databases, sources and codes. One binary for all files: linking is what takes time.

mod books;
mod codes;
mod common;
mod crafted;
mod data;
mod db;
mod records;
mod selfplay;
mod sources;
mod tls;
mod variants;

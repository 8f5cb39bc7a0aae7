#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod api;
mod cache;
mod config;
mod crowd;
mod guard;
mod guest;
mod listener;
mod page;
mod picture;
mod rate;
mod seats;
mod server;
mod session;
mod shelf;
mod socket;
mod tls;
mod token;
mod users;
mod words;

pub use config::{Bounds, Config, EngineConfig, Services, Tls};
pub use guest::guests;
pub use page::{Page, PageError};
pub use picture::{link_picture, open_browser};
pub use server::{ServeError, Server, Stopper};

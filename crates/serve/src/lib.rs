//! `rukh serve`: the page, the databases and the native engine for the browsers of one computer.
//!
//! * the page, packed into the binary ([`Page`]), or from a folder;
//! * `/api/…`: what `rukh db … --json` prints, over HTTP (`docs/formats/serve.md`);
//! * `/engine`: the native engine over a WebSocket (`docs/formats/engine-socket.md`).
//!
//! It is made for a person's own machine: it listens on the loopback address unless told otherwise, then it demands a token; it
//! refuses requests that another site's page sends, and bounds everything a client can ask for ([`Bounds`]).
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

pub use config::{Bounds, Config, EngineConfig, Tls};
pub use guest::guests;
pub use page::{Page, PageError};
pub use picture::link_picture;
pub use server::{ServeError, Server, Stopper};

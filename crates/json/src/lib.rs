//! The one JSON implementation of the workspace: [`Json`] reads text from outside within bounds, [`object`] writes.
//!
//! It is written by hand because a page loads it before the first move: with the messages of `rukh-api` it costs 12 kB with
//! brotli, `serde` and `serde_json` cost 52 kB for the same messages.
//!
//! ```
//! let text = rukh_json::object(|out| {
//!     out.str("name", "Nf3");
//!     out.list("weights", |out| (1..4).for_each(|n| out.item_num(n)));
//! });
//! assert_eq!(text, r#"{"name":"Nf3","weights":[1,2,3]}"#);
//! let read = rukh_json::Json::parse(&text).unwrap();
//! assert_eq!(read.str("name"), Some("Nf3"));
//! assert_eq!(read.get("weights").unwrap().list().len(), 3);
//! ```
#![forbid(unsafe_code)]

mod read;
mod write;

pub use read::{Json, JsonError};
pub use write::{Out, object};

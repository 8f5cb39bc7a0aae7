//! Any text as JSON: read or refused at a place in the text, however deep it is.
#![no_main]

use rukh_api::Json;
use rukh_fuzz::fuzz_target;

fuzz_target!(|text: &str| {
    match Json::parse(text) {
        Ok(value) => _ = (value.get("a"), value.uint("id"), value.flag("on"), value.list().len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

//! Any text as a question: an answer in JSON that can be read again, or an error in words.
#![no_main]

use rukh_api::Json;
use rukh_fuzz::fuzz_target;

fuzz_target!(|text: &str| {
    // A count of leaves may be asked for at any depth; waiting for it is not what is tested here.
    if text.contains("perft") {
        return;
    }
    match rukh_api::answer(text) {
        Ok(answer) => assert!(Json::parse(&answer).is_ok(), "{answer}"),
        Err(error) => assert!(!error.is_empty()),
    }
});

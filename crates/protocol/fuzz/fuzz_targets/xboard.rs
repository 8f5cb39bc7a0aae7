//! Any lines as an XBoard dialogue: it ends, and nothing breaks down.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rukh_protocol::{Output, xboard::converse};
use rukh_protocol_fuzz::{Said, lines};

fuzz_target!(|text: &str| {
    let said = Said::default();
    converse(lines(text).into_iter(), Arc::new(Output::new(said.clone()))).expect("a dialogue");
    assert!(!said.text().contains("broke down"), "{}", said.text());
});

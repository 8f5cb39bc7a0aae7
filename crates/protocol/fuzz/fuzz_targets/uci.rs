//! Any lines as a UCI dialogue: it ends, nothing breaks down, and every `go` is answered once.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use rukh_protocol::{Output, uci::Session};
use rukh_protocol_fuzz::{Said, lines};

fuzz_target!(|text: &str| {
    let said = Said::default();
    let session = Session::new(Arc::new(Output::new(said.clone()))).expect("an engine");
    let mut owed = 0;
    for line in lines(text) {
        owed += usize::from(line.split_whitespace().next() == Some("go"));
        if !session.line(&line) {
            break;
        }
    }
    session.finish();
    let text = said.text();
    assert_eq!(text.lines().filter(|line| line.starts_with("bestmove ")).count(), owed, "{text}");
    assert!(!text.contains("broke down"), "{text}");
});

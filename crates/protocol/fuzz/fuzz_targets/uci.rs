//! Any lines as a UCI dialogue: it ends, nothing breaks down, and every `go` is answered once.
//!
//! An engine lives through many dialogues: making one takes longer than most of them.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use rukh_fuzz::fuzz_target;
use rukh_protocol::{Output, uci::Session};
use rukh_protocol_fuzz::{Said, lines};

/// Dialogues of one engine.
const LIFE: u32 = 500;

struct Desk {
    session: Session,
    said: Said,
    left: u32,
}

impl Desk {
    fn new() -> Self {
        let said = Said::default();
        let session = Session::new(Arc::new(Output::new(said.clone()))).expect("an engine");
        session.line("setoption name Hash value 1");
        Self { session, said, left: LIFE }
    }
}

thread_local!(static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) });

fuzz_target!(|text: &str| {
    let mut desk = DESK.take().unwrap_or_else(Desk::new);
    let mut owed = 0;
    for line in lines(text) {
        owed += usize::from(line.split_whitespace().next() == Some("go"));
        if !desk.session.line(&line) {
            desk.left = 0;
            break;
        }
    }
    desk.session.finish();
    let text = desk.said.take();
    assert_eq!(text.lines().filter(|line| line.starts_with("bestmove ")).count(), owed, "{text}");
    assert!(!text.contains("crashed"), "{text}");
    desk.left = desk.left.saturating_sub(1);
    if desk.left > 0 {
        DESK.set(Some(desk));
    }
});

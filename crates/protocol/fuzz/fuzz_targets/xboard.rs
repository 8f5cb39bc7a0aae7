//! Any lines as an XBoard dialogue: it answers at its end, and nothing breaks down.
//!
//! An engine lives through many dialogues: making one takes longer than most of them.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rukh_fuzz::fuzz_target;
use rukh_protocol::{Output, xboard::converse};
use rukh_protocol_fuzz::{Said, lines};

/// Dialogues of one engine.
const LIFE: u32 = 500;

struct Desk {
    to: Sender<String>,
    dialogue: JoinHandle<()>,
    said: Said,
    left: u32,
}

impl Desk {
    fn new() -> Self {
        let (to, from) = mpsc::channel::<String>();
        let said = Said::default();
        let output = Arc::new(Output::new(said.clone()));
        let dialogue = thread::spawn(move || converse(from.into_iter(), output).expect("a dialogue"));
        Self { to, dialogue, said, left: LIFE }
    }

    /// The lines, and whether the dialogue goes on: then it has come to rest.
    fn say(&self, lines: Vec<String>) -> bool {
        for line in lines {
            let quit = line.split_whitespace().next() == Some("quit");
            if self.to.send(line).is_err() || quit {
                return false;
            }
        }
        for line in ["exit", "force", "ping 987654"] {
            if self.to.send(line.into()).is_err() {
                return false;
            }
        }
        while !self.said.ends_with("pong 987654") {
            if self.dialogue.is_finished() {
                return false;
            }
            thread::sleep(Duration::from_micros(20));
        }
        true
    }
}

thread_local!(static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) });

fuzz_target!(|text: &str| {
    let mut desk = DESK.take().unwrap_or_else(Desk::new);
    desk.left -= 1;
    let goes_on = desk.say(lines(text)) && desk.left > 0;
    let said = desk.said.take();
    assert!(!said.contains("crashed"), "{said}");
    if goes_on {
        DESK.set(Some(desk));
    } else {
        drop(desk.to);
        desk.dialogue.join().expect("the dialogue ends in peace");
    }
});

//! What both targets need: lines that are safe to carry out, and somewhere for the answers.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The lines of an input that touch neither files nor much memory, and do not count leaves for hours.
pub fn lines(text: &str) -> Vec<String> {
    let harmless = |line: &&str| {
        let line = line.to_ascii_lowercase();
        let touchy =
            ["file", "path", "learn", "tables", "hash", "threads", "memory", "cores", "book", "perft", "bench"];
        line.len() < 2000 && !touchy.iter().any(|word| line.contains(word))
    };
    text.lines().filter(harmless).take(40).map(str::to_owned).collect()
}

/// What was said.
#[derive(Clone, Default)]
pub struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Said {
    /// All of it, and from now on only what is new.
    pub fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock().expect("nobody panics"))).expect("what is said is text")
    }

    /// Whether these words are among the last ones.
    pub fn ends_with(&self, words: &str) -> bool {
        let said = self.0.lock().expect("nobody panics");
        said[said.len().saturating_sub(400)..].windows(words.len()).any(|part| part == words.as_bytes())
    }
}

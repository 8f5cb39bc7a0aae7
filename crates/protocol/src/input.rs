//! Lines from the GUI, with a bound on their length.

use std::io::{self, BufRead};

/// Longest accepted line. A 600-move game takes 6 kB; this leaves room and bounds memory.
pub const MAX_LINE: usize = 1 << 20;

/// Reads lines of at most `limit` bytes. The rest of a longer line is read and thrown away; the line is returned one
/// byte longer than allowed, so that the parser refuses it with the reason.
pub struct Lines<R> {
    reader: R,
    limit: usize,
}

impl<R: BufRead> Lines<R> {
    /// Wraps a reader.
    pub fn new(reader: R, limit: usize) -> Self {
        Self { reader, limit }
    }

    /// The next line without its end; `None` at the end of input. Bytes that are no UTF-8 become question marks.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut any = false;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let take = end.unwrap_or(chunk.len());
            let room = (self.limit + 1).saturating_sub(line.len());
            line.extend_from_slice(&chunk[..take.min(room)]);
            let used = end.map_or(take, |at| at + 1);
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        Ok(any.then(|| String::from_utf8_lossy(&line).replace('\u{FFFD}', "?")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_ends_and_bounds() {
        let bytes = b"uci\r\nbad \xFF byte\n\nxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nlast";
        let mut lines = Lines::new(io::BufReader::with_capacity(5, &bytes[..]), 12);
        let mut next = || lines.next_line().unwrap();
        assert_eq!(next().as_deref(), Some("uci\r"));
        assert_eq!(next().as_deref(), Some("bad ? byte"));
        assert_eq!(next().as_deref(), Some(""));
        assert_eq!(next().map(|line| line.len()), Some(13));
        assert_eq!(next().as_deref(), Some("last"));
        assert_eq!(next(), None);
    }
}

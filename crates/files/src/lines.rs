//! Text line by line: a bad line costs itself, not those behind it.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is kept.
const MOST_BYTES: usize = 1 << 20;

/// Why a line has no text.
#[derive(Debug)]
#[non_exhaustive]
pub enum LineError {
    /// Longer than a mebibyte; it was stepped over.
    TooLong,
    /// Not UTF-8.
    NotText,
    /// The source failed here; no line follows.
    Read(io::Error),
}

impl std::fmt::Display for LineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineError::TooLong => write!(f, "line longer than {MOST_BYTES} bytes"),
            LineError::NotText => f.write_str("not text (UTF-8)"),
            LineError::Read(error) => write!(f, "cannot read: {error}"),
        }
    }
}

impl std::error::Error for LineError {}

/// The lines of a source with their numbers, counted from 1, without line ends. Memory stays bounded whatever comes.
///
/// ```
/// let text = b"good\n\xff\nlast";
/// let lines: Vec<_> = rukh_files::Lines::new(&text[..]).collect();
/// assert_eq!(lines[0].1.as_ref().unwrap(), "good");
/// assert!(lines[1].1.is_err());
/// assert_eq!((lines[2].0, lines[2].1.as_ref().unwrap().as_str()), (3, "last"));
/// ```
pub struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
    done: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of `source`.
    pub fn new(source: R) -> Lines<R> {
        Lines { reader: BufReader::with_capacity(64 << 10, source), number: 0, done: false }
    }

    /// Steps over the rest of a line; whether the source still answers.
    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            let end = buffer.iter().position(|&b| b == b'\n');
            let (taken, found) = (end.map_or(buffer.len(), |at| at + 1), end.is_some() || buffer.is_empty());
            self.reader.consume(taken);
            if found {
                return Ok(());
            }
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = (u64, Result<String, LineError>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        self.number += 1;
        let mut line = Vec::new();
        let read = (&mut self.reader).take(MOST_BYTES as u64 + 1).read_until(b'\n', &mut line);
        if matches!(read, Ok(0)) {
            self.done = true;
            return None;
        }
        let ended = line.last() == Some(&b'\n');
        let result = match read {
            Err(error) => Err(LineError::Read(error)),
            Ok(_) if line.len() > MOST_BYTES && !ended => match self.skip_line() {
                Ok(()) => Err(LineError::TooLong),
                Err(error) => Err(LineError::Read(error)),
            },
            Ok(_) => {
                line.truncate(line.len() - usize::from(ended));
                line.truncate(line.len() - usize::from(line.last() == Some(&b'\r')));
                String::from_utf8(line).map_err(|_| LineError::NotText)
            }
        };
        self.done = matches!(result, Err(LineError::Read(_)));
        Some((self.number, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &[u8]) -> Vec<String> {
        let show = |(number, line): (u64, Result<String, LineError>)| match line {
            Ok(line) => format!("{number} {line}"),
            Err(error) => format!("{number} ! {error}"),
        };
        Lines::new(text).map(show).collect()
    }

    #[test]
    fn bad_lines_cost_themselves() {
        let mut text = b"one\r\n\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', MOST_BYTES));
        text.extend(b"\n");
        text.extend(std::iter::repeat_n(b'x', 3 * MOST_BYTES));
        text.extend(b"\n\xfe\xff\nlast");
        let said = said(&text);
        assert_eq!(said.len(), 6);
        assert_eq!((&said[0][..], &said[1][..]), ("1 one", "2 "));
        assert_eq!(said[2].len(), 2 + MOST_BYTES);
        assert_eq!(said[3], "4 ! line longer than 1048576 bytes");
        assert_eq!(said[4], "5 ! not text (UTF-8)");
        assert_eq!(said[5], "6 last");
    }

    #[test]
    fn a_failing_source_ends_the_lines() {
        struct Fails(bool);
        impl Read for Fails {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::Error::other("gone"));
                }
                buf[..4].copy_from_slice(b"a\nb\n");
                Ok(4)
            }
        }
        let lines: Vec<_> = Lines::new(Fails(false)).collect();
        assert_eq!(lines.len(), 3);
        assert!(matches!(&lines[2].1, Err(LineError::Read(error)) if error.to_string() == "gone"));
    }
}

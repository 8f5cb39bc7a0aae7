//! Cutting a byte stream into games without looking at the moves.
//!
//! A game ends where the next tag section begins, or at the blank line after a result. That needs one look at each
//! line's first byte, so cutting costs little more than finding line ends, and a chunk can be parsed anywhere, for
//! instance on another thread.

use std::io::{self, Read};

use memchr::{memchr, memrchr2};

use super::lex::tag_name;

/// Largest game kept in memory by default. Studies with long texts stay far below.
pub const MAX_GAME_BYTES: usize = 4 << 20;

const READ_BYTES: usize = 256 << 10;

/// What [`Chunks::next`] found.
#[derive(Debug, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// The bytes of one game (or of a few without tags), and the line where they begin, counted from 1.
    Game(&'a [u8], u64),
    /// A game beyond the size limit was skipped; it began at this line. `true` if it looked binary.
    TooLarge(u64, bool),
}

/// Splits a reader into [`Chunk`]s with bounded memory.
pub struct Chunks<R> {
    reader: R,
    buf: Vec<u8>,
    /// First byte of the current chunk.
    start: usize,
    /// Start of the line under inspection.
    scan: usize,
    /// The line end is known not to lie before this offset.
    searched: usize,
    /// Line number at `start` and at `scan`.
    start_line: u64,
    scan_line: u64,
    section: Section,
    /// The previous line ended in a result.
    after_result: bool,
    /// Whether the last brace before `braces_seen` is an opening one.
    in_braces: bool,
    braces_seen: usize,
    /// The current game is too large and is being thrown away.
    skipping: Option<bool>,
    /// The line under inspection began before the buffer did.
    mid_line: bool,
    eof: bool,
    /// Reading failed: the last game is cut off and must not be taken for a whole one.
    failed: bool,
    limit: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    /// Nothing but blank lines so far.
    Start,
    /// Tag pairs; `true` once a blank line followed them.
    Tags(bool),
    Moves,
}

enum Step {
    /// The chunk ends at this offset, which is a line start.
    Cut(usize),
    Continue,
}

impl<R: Read> Chunks<R> {
    /// Splits `reader`, skipping games larger than `limit` bytes.
    pub fn new(reader: R, limit: usize) -> Self {
        Chunks {
            reader,
            buf: Vec::new(),
            start: 0,
            scan: 0,
            searched: 0,
            start_line: 1,
            scan_line: 1,
            section: Section::Start,
            after_result: false,
            in_braces: false,
            braces_seen: 0,
            skipping: None,
            mid_line: false,
            eof: false,
            failed: false,
            limit: limit.max(1024),
        }
    }

    /// The next chunk, or `None` at the end of the source.
    #[allow(clippy::should_implement_trait)] // a lending iterator: the chunk borrows the buffer
    pub fn next(&mut self) -> io::Result<Option<Chunk<'_>>> {
        loop {
            let Some(nl) = memchr(b'\n', &self.buf[self.searched..]).map(|i| i + self.searched) else {
                self.searched = self.buf.len();
                if !self.eof {
                    self.refill()?;
                    continue;
                }
                let end = self.buf.len();
                if self.scan < end
                    && let Step::Cut(at) = self.line(end)
                    && at < end
                {
                    return Ok(Some(self.emit(at)));
                }
                self.scan = end;
                if self.failed || self.skipping.is_none() && self.buf[self.start..].iter().all(u8::is_ascii_whitespace)
                {
                    return Ok(None);
                }
                return Ok(Some(self.emit(end)));
            };
            let step = self.line(nl);
            match step {
                Step::Cut(at) => {
                    if at > self.scan {
                        self.scan = nl + 1;
                        self.searched = nl + 1;
                        self.scan_line += 1;
                    }
                    return Ok(Some(self.emit(at)));
                }
                Step::Continue => {
                    self.scan = nl + 1;
                    self.searched = nl + 1;
                    self.scan_line += 1;
                    self.mid_line = false;
                }
            }
        }
    }

    /// Looks at the line `scan..end`.
    #[inline]
    fn line(&mut self, end: usize) -> Step {
        if self.mid_line {
            // The rest of a monstrous line. Behind the blank line that ends the tags, it was one of moves.
            if self.section == Section::Tags(true) {
                self.section = Section::Moves;
            }
            return Step::Continue;
        }
        let line = &self.buf[self.scan..end];
        let first = line.iter().position(|b| !b.is_ascii_whitespace());
        let Some(first) = first else {
            return self.blank_line(end);
        };
        match line[first] {
            b'[' if is_tag_like(&line[first..]) => self.tag_line(first),
            // Between tags, what only looks like one is a broken tag: its game is refused, and not cut in two here.
            b'[' if self.section == Section::Tags(false) => Step::Continue,
            b'%' if first == 0 => Step::Continue,
            // The byte order mark belongs to the first tag line.
            0xef if self.section == Section::Start && line[first..].starts_with(b"\xef\xbb\xbf[") => {
                self.section = Section::Tags(false);
                Step::Continue
            }
            _ => {
                if self.section != Section::Moves {
                    // Braces in tags open no comments.
                    self.section = Section::Moves;
                    self.in_braces = false;
                    self.braces_seen = self.scan;
                }
                self.after_result = ends_in_result(&self.buf[self.scan..end]);
                Step::Continue
            }
        }
    }

    fn blank_line(&mut self, end: usize) -> Step {
        let section = self.section;
        match section {
            Section::Tags(_) => self.section = Section::Tags(true),
            Section::Moves if self.after_result && self.skipping.is_none() && !self.in_comment() => {
                return Step::Cut((end + 1).min(self.buf.len()));
            }
            _ => {}
        }
        Step::Continue
    }

    fn tag_line(&mut self, first: usize) -> Step {
        let is_event = self.buf[self.scan + first..].starts_with(b"[Event ");
        let cut = match self.section {
            Section::Start => false,
            Section::Tags(blank) => blank && is_event,
            // `[Event` at the start of a line ends even a comment that was never closed: lose one game, not the file.
            Section::Moves => is_event || !self.in_comment(),
        };
        if cut {
            return Step::Cut(self.scan);
        }
        if self.section == Section::Start {
            self.section = Section::Tags(false);
        }
        Step::Continue
    }

    /// Whether the last brace before the current line is an opening one. Looks at each byte once, however often it is
    /// asked: a comment of a million blank lines must not cost a million looks at all of it.
    fn in_comment(&mut self) -> bool {
        let text = &self.buf[self.braces_seen.max(self.start)..self.scan];
        if let Some(i) = memrchr2(b'{', b'}', text) {
            self.in_braces = text[i] == b'{';
        }
        self.braces_seen = self.scan;
        self.in_braces
    }

    fn emit(&mut self, end: usize) -> Chunk<'_> {
        let (start, line) = (self.start, self.start_line);
        self.start = end;
        self.start_line = self.scan_line;
        self.section = Section::Start;
        self.after_result = false;
        self.in_braces = false;
        self.braces_seen = end;
        match self.skipping.take() {
            Some(binary) => Chunk::TooLarge(line, binary),
            None => Chunk::Game(&self.buf[start..end], line),
        }
    }

    fn refill(&mut self) -> io::Result<()> {
        if self.skipping.is_none() && self.buf.len() - self.start > self.limit {
            let head = &self.buf[self.start..][..4096.min(self.limit)];
            self.skipping = Some(memchr(0, head).is_some());
        }
        if self.skipping.is_some() {
            // Nothing before the current line is needed, and of a monstrous line only that it is one.
            if self.buf.len() - self.scan > self.limit {
                self.scan = self.buf.len();
                self.mid_line = true;
            }
            // But whether a comment is open must be known when the next tag comes.
            self.in_comment();
            self.start = self.scan;
        }
        if self.start > 0 {
            self.buf.drain(..self.start);
            self.scan -= self.start;
            self.searched = self.searched.max(self.start) - self.start;
            self.braces_seen = self.braces_seen.saturating_sub(self.start);
            self.start = 0;
        }
        let kept = self.buf.len();
        self.buf.resize(kept + READ_BYTES, 0);
        let mut end = kept;
        let result = loop {
            match self.reader.read(&mut self.buf[end..]) {
                Ok(0) => {
                    self.eof = true;
                    break Ok(());
                }
                Ok(n) => {
                    end += n;
                    if end == self.buf.len() {
                        break Ok(());
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // What was unpacked before the damage is still good: deliver it, report the damage after it.
                Err(e) => break Err(e),
            }
        };
        self.buf.truncate(end);
        result
    }

    /// After a read error: deliver the games read whole so far, then end.
    pub fn finish_early(&mut self) {
        self.eof = true;
        self.failed = true;
    }

    /// The line reached so far.
    pub fn line_number(&self) -> u64 {
        self.scan_line
    }
}

/// `[Name "` as the grammar has it: `[%clk 0:01]` at a line start inside a comment is not a tag.
fn is_tag_like(line: &[u8]) -> bool {
    tag_name(line).is_some()
}

fn ends_in_result(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let token = &line[line.iter().rposition(|b| b.is_ascii_whitespace() || *b == b'}').map_or(0, |i| i + 1)..];
    matches!(token, b"1-0" | b"0-1" | b"1/2-1/2" | b"*" | b"1/2")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_giant_takes_no_other_game_with_it() {
        let filler = "x ".repeat(READ_BYTES);
        let long = "x".repeat(READ_BYTES);
        for giant in [
            format!("{{{long}}}"),
            long,
            format!("{{{filler}}}"),
            filler.replace(' ', "\n"),
            format!("{{\n[A \"in a comment\"]\n{}}}", "y\n".repeat(READ_BYTES)),
        ] {
            let text = format!("[White \"A\"]\n\n1. e4 {giant} e5 1-0\n\n[White \"B\"]\n\n1. d4 0-1\n");
            let found = cut(text.as_bytes(), 2048);
            assert_eq!(found.len(), 2, "{found:?}");
            assert_eq!(found[0], Err(1));
            assert!(found[1].as_ref().unwrap().0.starts_with("[White \"B\"]"));
        }
    }

    fn cut(text: &[u8], limit: usize) -> Vec<Result<(String, u64), u64>> {
        let mut chunks = Chunks::new(text, limit);
        let mut out = Vec::new();
        while let Some(chunk) = chunks.next().unwrap() {
            out.push(match chunk {
                Chunk::Game(bytes, line) => Ok((String::from_utf8_lossy(bytes).trim().to_string(), line)),
                Chunk::TooLarge(line, _) => Err(line),
            });
        }
        out
    }

    #[test]
    fn tagged_games() {
        let got = cut(b"\n[Event \"a\"]\n[White \"x\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 1-0", 4096);
        assert_eq!(got.len(), 2);
        assert_eq!(got[0].as_ref().unwrap().1, 1);
        assert_eq!(got[1], Ok(("[Event \"b\"]\n\n1. d4 1-0".into(), 7)));
    }

    #[test]
    fn games_without_tags_or_blank_lines() {
        assert_eq!(cut(b"1. e4 e5 1-0\n\n1. d4 d5\nc4 1/2-1/2\n\n\n1. c4 *", 4096).len(), 3);
        assert_eq!(cut(b"[Event \"a\"]\n1. e4 1-0\n[Event \"b\"]\n1. d4 1-0\n", 4096).len(), 2);
        assert_eq!(cut(b"[Event \"a\"]\n\n\n[Event \"b\"]\n\n1. d4 1-0\n", 4096).len(), 2);
        assert_eq!(cut(b"[Event \"a\"]\n1. e4 1-0\n[Event \"b\"]", 4096).len(), 2, "no line end behind the second");
        assert_eq!(cut(b"", 4096).len(), 0);
        assert_eq!(cut(b" \n\r\n \n", 4096).len(), 0);
    }

    #[test]
    fn tag_like_lines_in_comments_do_not_cut() {
        let got = cut(b"[Event \"a\"]\n\n1. e4 {\n[%clk 0:01]\n[Foo \"bar\"]\n1-0\n\nmore} e5 *\n", 4096);
        assert_eq!(got.len(), 1);
        assert_eq!(cut(b"[Event \"a\"]\n\n1. e4\n[%clk 0:01] e5 *\n", 4096).len(), 1, "nor without a comment");
        // An unclosed comment costs its own game only.
        let got = cut(b"[Event \"a\"]\n\n1. e4 { oops\n\n[Event \"b\"]\n\n1. d4 *\n", 4096);
        assert_eq!(got.len(), 2);
    }

    #[test]
    fn a_huge_game_is_skipped_with_bounded_memory() {
        let mut text = b"[Event \"a\"]\n\n1. e4 {".to_vec();
        text.extend(std::iter::repeat_n(b'x', 3 << 20));
        text.extend_from_slice(b"} e5 *\n\n[Event \"b\"]\n\n1. d4 *\n\n");
        let mut chunks = Chunks::new(&text[..], 64 << 10);
        assert_eq!(chunks.next().unwrap(), Some(Chunk::TooLarge(1, false)));
        assert!(matches!(chunks.next().unwrap(), Some(Chunk::Game(_, 5))));
        assert_eq!(chunks.next().unwrap(), None);
        assert!(chunks.buf.capacity() < 2 << 20, "{}", chunks.buf.capacity());
    }

    #[test]
    fn every_split_of_reads_gives_the_same_chunks() {
        struct Trickle<'a>(&'a [u8], usize);
        impl Read for Trickle<'_> {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                let n = self.1.min(self.0.len()).min(buf.len());
                buf[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let text = b"[Event \"a\"]\r\n\r\n1. e4 {c\r\n} *\r\n\r\n1. d4 1-0\r\n\r\n[Event \"b\"]\r\n\r\n1. c4 *";
        let whole = cut(text, 4096);
        assert_eq!(whole.len(), 3);
        for step in 1..8 {
            let mut chunks = Chunks::new(Trickle(text, step), 4096);
            let mut n = 0;
            while let Some(Chunk::Game(bytes, line)) = chunks.next().unwrap() {
                let text = String::from_utf8_lossy(bytes).trim().to_string();
                assert_eq!(whole[n], Ok((text, line)));
                n += 1;
            }
            assert_eq!(n, 3);
        }
    }
}

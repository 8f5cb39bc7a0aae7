//! A file that games are added to, and that holds whole games whatever happens.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::Packing;

/// So much of the end is looked at for a game that was cut short; no game that we write is longer.
const TAIL_BYTES: u64 = 4 << 20;

/// A PGN file to which whole games are added. Each is one write that has reached the disk before [`add`](AppendFile::add)
/// returns; one that fails is taken back. What an earlier crash or a full disk left half-written is closed first, so that it
/// costs itself and swallows no game behind it. Several programs may add to one file.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Its length after our last game: as long as nobody else writes, its end is known to be whole.
    known: Option<u64>,
}

impl AppendFile {
    /// Opens the file, keeping what is in it.
    pub fn open(path: impl AsRef<Path>) -> io::Result<AppendFile> {
        let path = path.as_ref();
        // A pipe or a device can be written to, but not looked into.
        let plain = std::fs::metadata(path).map_or(true, |meta| meta.is_file());
        if plain && let Some(why) = not_text(path)? {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let file = OpenOptions::new().create(plain).append(true).read(plain).open(path)?;
        if plain && file.metadata()?.len() == 0 {
            rukh_files::sync_name(path)?;
        }
        Ok(AppendFile { file, known: None })
    }

    /// Adds a game, given with the empty line that ends it.
    pub fn add(&mut self, game: &str) -> io::Result<()> {
        if !self.file.metadata()?.is_file() {
            return self.file.write_all(game.as_bytes());
        }
        match self.file.lock() {
            Err(error) if error.kind() != io::ErrorKind::Unsupported => return Err(error),
            _ => {}
        }
        let added = self.add_locked(game);
        let _ = self.file.unlock();
        added
    }

    fn add_locked(&mut self, game: &str) -> io::Result<()> {
        let before = self.file.metadata()?.len();
        let mut text = if self.known == Some(before) { String::new() } else { closing(&self.tail(before)?) };
        text += game;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Half a game is worth less than none; should this fail, too, the next one closes it.
            let _ = self.file.set_len(before);
            self.known = None;
            return written;
        }
        self.known = Some(before + text.len() as u64);
        Ok(())
    }

    fn tail(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut tail = Vec::new();
        self.file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
        (&mut self.file).take(TAIL_BYTES).read_to_end(&mut tail)?;
        Ok(tail)
    }
}

/// Why games cannot be added as they are: behind a compressed stream nobody would read them, nor what was there before.
fn not_text(path: &Path) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    match File::open(path) {
        Ok(file) => _ = file.take(6).read_to_end(&mut head)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase()).unwrap_or_default();
    Ok(match Packing::detect(&head) {
        Packing::Plain if head.is_empty() && ["zst", "gz", "bz2"].iter().any(|packed| ending == *packed) => {
            Some("games are added as plain text: choose a name that ends in .pgn".into())
        }
        Packing::Plain => None,
        packed => Some(format!("games can be added to plain text only, and this file is {}", packed.name())),
    })
}

/// What must be written behind `text` so that a game can follow: nothing where the last one is whole.
fn closing(text: &[u8]) -> String {
    let start = text.windows(8).rposition(|window| window == b"\n[Event ").map_or(0, |at| at + 1);
    let game = &text[start..];
    if game.iter().all(u8::is_ascii_whitespace) {
        return String::new();
    }
    // Where the text ends: in a tag or its value, a comment, a comment to the end of the line, or the moves.
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Moves,
        Tag,
        Value,
        Comment,
        Rest,
    }
    let (mut at, mut line_start, mut escaped) = (At::Moves, true, false);
    for &byte in game {
        at = match (at, byte) {
            (At::Value, b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            (At::Value, b'"') if !escaped => At::Tag,
            (At::Tag, b'"') => At::Value,
            (At::Tag, b']') => At::Moves,
            (At::Moves, b'[') if line_start => At::Tag,
            (At::Moves, b'{') => At::Comment,
            (At::Moves, b';') => At::Rest,
            (At::Comment, b'}') | (At::Rest, b'\n') => At::Moves,
            (at, _) => at,
        };
        escaped = false;
        line_start = byte == b'\n';
    }
    let last = game.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let whole = at == At::Moves && matches!(last, b"1-0" | b"0-1" | b"1/2-1/2" | b"*");
    let mut closing = match at {
        At::Moves | At::Rest => String::new(),
        At::Tag => "]".to_owned(),
        // The sign before may be half of an escape: then this makes it whole, and the value has one sign more.
        At::Value if escaped => "\\\"]".to_owned(),
        At::Value => "\"]".to_owned(),
        At::Comment => "}".to_owned(),
    };
    if !whole {
        closing += if matches!(at, At::Tag | At::Value) || last.ends_with(b"]") { "\n\n*\n\n" } else { " *\n\n" };
        if at == At::Rest {
            closing.insert(0, '\n');
        }
    } else if !game.ends_with(b"\n\n") && !game.ends_with(b"\n\r\n") {
        closing += if game.ends_with(b"\n") { "\n" } else { "\n\n" };
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PgnReader;
    use rukh_testing::NewFile;

    const FIRST: &str =
        "[Event \"one \\\" }\"]\n[Site \"?\"]\n[Result \"1-0\"]\n\n1. e4 {+0.35/12 0.4s} e5 ; rest\n2. Nf3 Nc6 1-0\n\n";
    const SECOND: &str = "[Event \"two\"]\n[Site \"?\"]\n[Result \"0-1\"]\n\n1. d4 d5 0-1\n\n";

    fn games(bytes: &[u8]) -> Vec<(String, usize)> {
        let mut reader = PgnReader::new("test", std::io::Cursor::new(bytes.to_vec())).unwrap();
        let mut found = Vec::new();
        while let Some(game) = reader.next_game() {
            if let Ok(game) = game {
                found.push((game.tags.get("Event").unwrap_or_default().into_owned(), game.moves.len()));
            }
        }
        found
    }

    #[test]
    fn a_game_cut_anywhere_costs_only_itself() {
        let path = NewFile::new("torn.pgn");
        let whole = [FIRST, FIRST].concat().into_bytes();
        for cut in FIRST.len()..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut file = AppendFile::open(&path).unwrap();
            file.add(SECOND).unwrap();
            file.add(SECOND).unwrap();
            let text = std::fs::read(&path).unwrap();
            assert!(text.starts_with(&whole[..cut]), "nothing of the old file is touched");
            let found = games(&text);
            let shown = || format!("cut at {cut}: {found:?}\n{}", String::from_utf8_lossy(&text));
            assert_eq!(found.first().map(|game| game.1), Some(4), "{}", shown());
            let second: Vec<_> = found.iter().filter(|game| *game == &("two".to_owned(), 2)).collect();
            assert_eq!(second.len(), 2, "{}", shown());
            if cut == FIRST.len() || cut == whole.len() {
                assert_eq!(text, [&whole[..cut], SECOND.as_bytes(), SECOND.as_bytes()].concat());
            }
        }
    }

    #[test]
    fn two_who_add_to_one_file() {
        let path = NewFile::new("two.pgn");
        let (mut one, mut other) = (AppendFile::open(&path).unwrap(), AppendFile::open(&path).unwrap());
        for _ in 0..3 {
            one.add(FIRST).unwrap();
            other.add(SECOND).unwrap();
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), [FIRST, SECOND].concat().repeat(3));
    }

    /// They were added in plain behind the last frame: from then on the file could not be read.
    #[test]
    fn nothing_is_added_to_a_packed_file() {
        for (name, bytes) in [
            ("a.pgn", &b"\x28\xb5\x2f\xfd\x00"[..]),
            ("b.pgn", b"\x1f\x8b\x08"),
            ("c.pgn", b"BZh91AY"),
            ("d.pgn", b"\xff\xfe[\x00"),
            ("e.pgn.GZ", b""),
        ] {
            let path = NewFile::new(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(AppendFile::open(&path).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{name}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name}");
        }
        let path = NewFile::new("new.pgn.zst");
        assert!(AppendFile::open(&path).is_err() && !path.exists());
        let path = NewFile::new("old.pgn.gz");
        std::fs::write(&path, SECOND).unwrap();
        AppendFile::open(&path).unwrap().add(FIRST).unwrap();
        assert_eq!(games(&std::fs::read(&path).unwrap()).len(), 2);
    }
}

//! Opening a source: plain or compressed, file or standard input, told apart by the first bytes and not by the name.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the bytes of a source are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// As they are.
    Plain,
    /// Zstandard (`.zst`).
    Zstd,
    /// gzip (`.gz`).
    Gzip,
    /// bzip2 (`.bz2`).
    Bzip2,
    /// UTF-16 text with a byte order mark, little endian if `true`.
    Utf16(bool),
}

impl Packing {
    /// Looks at the first bytes of a source (six are enough).
    pub fn detect(head: &[u8]) -> Packing {
        match head {
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            // A skippable Zstandard frame, as `pzstd` and the Lichess dumps begin.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Packing::Bzip2,
            [0xff, 0xfe, ..] => Packing::Utf16(true),
            [0xfe, 0xff, ..] => Packing::Utf16(false),
            _ => Packing::Plain,
        }
    }

    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Plain => "plain",
            Packing::Zstd => "zstd",
            Packing::Gzip => "gzip",
            Packing::Bzip2 => "bzip2",
            Packing::Utf16(_) => "UTF-16",
        }
    }
}

/// A byte stream that is already unpacked.
pub struct Input {
    /// The unpacked bytes.
    pub reader: Box<dyn Read + Send>,
    /// How they were packed.
    pub packing: Packing,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> io::Result<Input> {
        Input::new(source(path)?)
    }

    /// Opens a source and counts the bytes taken from it, before unpacking: how far a file has been read.
    pub fn open_counted(path: &Path) -> io::Result<(Input, Arc<AtomicU64>)> {
        let count = Arc::new(AtomicU64::new(0));
        Ok((Input::new(Counted { inner: source(path)?, count: count.clone() })?, count))
    }

    /// Wraps any reader, unpacking it if its first bytes say so.
    pub fn new(mut raw: impl Read + Send + 'static) -> io::Result<Input> {
        let mut head = [0u8; 6];
        let mut len = 0;
        while len < head.len() {
            match raw.read(&mut head[len..]) {
                Ok(0) => break,
                Ok(n) => len += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let packing = Packing::detect(&head[..len]);
        let raw = Cursor::new(head[..len].to_vec()).chain(raw);
        let reader: Box<dyn Read + Send> = match packing {
            Packing::Plain => Box::new(raw),
            Packing::Utf16(little_endian) => Box::new(Utf16Reader::new(raw, little_endian)),
            _ => unpack(packing, raw)?,
        };
        Ok(Input { reader, packing })
    }
}

/// A file, or standard input for `-`.
fn source(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    let file = File::open(path)?;
    // Some systems open folders and refuse to read them, in words of their own.
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a folder, and a file is expected"));
    }
    Ok(Box::new(file))
}

struct Counted {
    inner: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(feature = "compression")]
fn unpack(packing: Packing, raw: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(match packing {
        // The window is bounded by the library at 128 MiB: a hostile header cannot ask for more.
        Packing::Zstd => Box::new(zstd::Decoder::new(raw)?),
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(raw)),
        Packing::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(raw)),
        Packing::Plain | Packing::Utf16(_) => Box::new(raw),
    })
}

#[cfg(not(feature = "compression"))]
fn unpack(packing: Packing, _raw: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, format!("this build reads no {} files", packing.name())))
}

/// Turns UTF-16 into UTF-8; some Windows programs save game files so.
struct Utf16Reader<R> {
    inner: R,
    little_endian: bool,
    raw: Vec<u8>,
    out: Vec<u8>,
    taken: usize,
}

impl<R: Read> Utf16Reader<R> {
    fn new(inner: R, little_endian: bool) -> Self {
        Utf16Reader { inner, little_endian, raw: Vec::new(), out: Vec::new(), taken: 0 }
    }

    fn refill(&mut self) -> io::Result<()> {
        let kept = self.raw.len();
        self.raw.resize(kept + 16 * 1024, 0);
        let n = self.inner.read(&mut self.raw[kept..])?;
        self.raw.truncate(kept + n);
        // A surrogate pair or a code unit may be cut by the buffer's end: up to three bytes wait for the next round.
        let mut whole = self.raw.len() & !1;
        let unit = |b: &[u8]| {
            if self.little_endian { u16::from_le_bytes([b[0], b[1]]) } else { u16::from_be_bytes([b[0], b[1]]) }
        };
        if n > 0 && whole >= 2 && (0xd800..0xdc00).contains(&unit(&self.raw[whole - 2..])) {
            whole -= 2;
        }
        self.out.clear();
        self.taken = 0;
        let units = self.raw[..whole].chunks_exact(2).map(unit);
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if n == 0 {
            self.raw.clear()
        } else {
            self.raw.drain(..whole).for_each(drop)
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.out.len() {
            let before = self.raw.len();
            self.refill()?;
            if self.out.is_empty() && self.raw.len() <= before {
                return Ok(0);
            }
        }
        let n = buf.len().min(self.out.len() - self.taken);
        buf[..n].copy_from_slice(&self.out[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slurp(bytes: Vec<u8>) -> (Packing, String) {
        let mut input = Input::new(Cursor::new(bytes)).unwrap();
        let mut text = String::new();
        input.reader.read_to_string(&mut text).unwrap();
        (input.packing, text)
    }

    #[test]
    fn a_folder_is_no_file() {
        let error = Input::open(&std::env::temp_dir()).err().unwrap();
        assert!(error.to_string().contains("a file is expected"), "{error}");
    }

    #[test]
    fn kinds_by_their_first_bytes() {
        for (head, packing, name) in [
            (&[0x28, 0xb5, 0x2f, 0xfd, 0, 0][..], Packing::Zstd, "zstd"),
            (&[0x50, 0x2a, 0x4d, 0x18, 4, 0], Packing::Zstd, "zstd"),
            (&[0x5f, 0x2a, 0x4d, 0x18], Packing::Zstd, "zstd"),
            (&[0x1f, 0x8b, 8], Packing::Gzip, "gzip"),
            (b"BZh9..", Packing::Bzip2, "bzip2"),
            (&[0xff, 0xfe, 0x31, 0], Packing::Utf16(true), "UTF-16"),
            (&[0xfe, 0xff, 0, 0x31], Packing::Utf16(false), "UTF-16"),
            (b"BZh0..", Packing::Plain, "plain"),
            (b"", Packing::Plain, "plain"),
            (&[0x60, 0x2a, 0x4d, 0x18], Packing::Plain, "plain"),
        ] {
            assert_eq!((Packing::detect(head), Packing::detect(head).name()), (packing, name), "{head:x?}");
        }
    }

    #[test]
    fn utf16_both_ways() {
        let text = "[White \"Łukasz 𝄞\"]\n".repeat(3000);
        for little in [true, false] {
            let mut bytes = if little { vec![0xff, 0xfe] } else { vec![0xfe, 0xff] };
            for u in text.encode_utf16() {
                bytes.extend(if little { u.to_le_bytes() } else { u.to_be_bytes() });
            }
            let (packing, read) = slurp(bytes);
            assert_eq!(packing, Packing::Utf16(little));
            assert_eq!(read.trim_start_matches('\u{feff}'), text);
        }
    }

    #[test]
    fn short_and_empty_sources() {
        assert_eq!(slurp(Vec::new()).1, "");
        assert_eq!(slurp(b"e4".to_vec()).1, "e4");
    }

    #[cfg(feature = "compression")]
    #[test]
    fn packed_sources_are_known_by_their_first_bytes() {
        use std::io::Write;
        let text = "1. e4 e5 *\n".repeat(100);
        let zst = zstd::encode_all(text.as_bytes(), 3).unwrap();
        let two: Vec<u8> = [&zst[..], &zst[..]].concat();
        assert_eq!(slurp(two), (Packing::Zstd, text.repeat(2)));
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text.as_bytes()).unwrap();
        assert_eq!(slurp(gz.finish().unwrap()), (Packing::Gzip, text.clone()));
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bz.write_all(text.as_bytes()).unwrap();
        assert_eq!(slurp(bz.finish().unwrap()), (Packing::Bzip2, text));
    }
}

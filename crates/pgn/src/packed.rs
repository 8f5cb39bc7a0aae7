//! Writing packed files: what is called `.zst`, `.gz` or `.bz2` is packed so, and may be read again.

use std::io::{self, Write};
use std::path::Path;

/// A stream that packs what is written to it as a file's name says.
pub struct Packed<W: Write>(Kind<W>);

enum Kind<W: Write> {
    Plain(W),
    Zstd(zstd::Encoder<'static, W>),
    Gzip(flate2::write::GzEncoder<W>),
    Bzip2(bzip2::write::BzEncoder<W>),
}

impl<W: Write> Packed<W> {
    /// Packs for a file of this name, or not at all if its ending asks for nothing.
    pub fn new(name: &Path, out: W) -> io::Result<Packed<W>> {
        let ending = name.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        Ok(Packed(match ending.as_str() {
            "zst" => Kind::Zstd(zstd::Encoder::new(out, 0)?),
            "gz" => Kind::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::default())),
            "bz2" => Kind::Bzip2(bzip2::write::BzEncoder::new(out, bzip2::Compression::default())),
            _ => Kind::Plain(out),
        }))
    }

    /// Writes what is left and gives the stream back.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Kind::Plain(out) => Ok(out),
            Kind::Zstd(out) => out.finish(),
            Kind::Gzip(out) => out.finish(),
            Kind::Bzip2(out) => out.finish(),
        }
    }

    fn out(&mut self) -> &mut dyn Write {
        match &mut self.0 {
            Kind::Plain(out) => out,
            Kind::Zstd(out) => out,
            Kind::Gzip(out) => out,
            Kind::Bzip2(out) => out,
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Input, Packing};

    #[test]
    fn names_say_how_to_pack() {
        let text = "1. e4 e5 *\n".repeat(1000);
        for (name, packing) in [
            ("a.pgn", Packing::Plain),
            ("a.pgn.zst", Packing::Zstd),
            ("a.GZ", Packing::Gzip),
            ("a.pgn.bz2", Packing::Bzip2),
        ] {
            let mut packed = Packed::new(name.as_ref(), Vec::new()).unwrap();
            packed.write_all(text.as_bytes()).unwrap();
            let bytes = packed.finish().unwrap();
            let mut input = Input::new(io::Cursor::new(bytes)).unwrap();
            let mut read = String::new();
            io::Read::read_to_string(&mut input.reader, &mut read).unwrap();
            assert_eq!((input.packing, read.as_str()), (packing, text.as_str()), "{name}");
        }
    }
}

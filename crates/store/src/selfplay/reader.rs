//! Reading a file of games: block after block, over damaged places to the next good block, and never silently.

use super::GamesError;
use super::head::{BlockHead, LONGEST, MAX_BLOCK, Recipe, Stored, Version, parse_head};
use rukh_core::Variant;
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// A damaged place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Its first byte.
    pub at: u64,
    /// Its length; 0 where whole blocks are missing.
    pub bytes: u64,
    /// Games that were there, if the next block tells.
    pub games: Option<u64>,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged at byte {}: {} bytes, ", self.at, self.bytes)?;
        match self.games {
            Some(games) => write!(f, "{games} games lost"),
            None => f.write_str("an unknown number of games lost"),
        }
    }
}

/// All that a reader had to leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Damaged places.
    pub places: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Games that are known to be lost.
    pub games: u64,
    /// Places that may have held more games than that.
    pub uncounted: u64,
}

impl Losses {
    fn add(&mut self, gap: &Gap) {
        self.places += 1;
        self.bytes += gap.bytes;
        self.games += gap.games.unwrap_or(0);
        self.uncounted += u64::from(gap.games.is_none());
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = if self.places == 1 { "place" } else { "places" };
        write!(f, "damaged in {} {places}: {} bytes, ", self.places, self.bytes)?;
        match (self.games, self.uncounted) {
            (games, 0) => write!(f, "{games} games lost"),
            (0, _) => f.write_str("an unknown number of games lost"),
            (games, _) => write!(f, "{games} games and an unknown number more lost"),
        }
    }
}

/// Streams the blocks of a file, from a file or anything else that can be read at any place.
pub struct GamesReader<S = BufReader<File>> {
    source: S,
    length: u64,
    version: Version,
    variant: Variant,
    recipe: Recipe,
    /// Where the next block should begin, and the games before it.
    at: u64,
    games: u64,
    /// A gap that was found together with what follows it.
    gap: Option<Gap>,
    torn: u64,
    losses: Losses,
    /// Bytes that may still be read in vain: a crafted file must not be searched for ever.
    patience: u64,
}

impl GamesReader {
    /// Opens a file of games.
    pub fn open(path: &Path) -> Result<GamesReader, GamesError> {
        GamesReader::new(BufReader::new(File::open(path)?))
    }
}

impl<S: Read + Seek> GamesReader<S> {
    /// Reads games of the variant that the head names.
    pub fn new(mut source: S) -> Result<Self, GamesError> {
        let length = source.seek(SeekFrom::End(0))?;
        let mut start = [0u8; 64];
        let got = read_at(&mut source, 0, &mut start)?;
        let head = parse_head(&start[..got])?;
        let gap = head.half.then_some(Gap { at: 0, bytes: 32, games: Some(0) });
        let patience = length.saturating_mul(4).saturating_add(64 << 20);
        let (version, at) = (head.version, head.version.file_head() as u64);
        let (variant, recipe, losses) = (head.variant, head.recipe, Losses::default());
        Ok(GamesReader { source, length, version, variant, recipe, at, games: 0, gap, torn: 0, losses, patience })
    }

    /// The same reader, if its games are of this variant.
    pub fn only(self, wanted: Variant) -> Result<Self, GamesError> {
        let found = self.variant;
        if found == wanted { Ok(self) } else { Err(GamesError::Variant { found: found.name(), wanted: wanted.name() }) }
    }

    /// Which game this is.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// How the games were made.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether the file ended in the middle of a block.
    pub fn torn(&self) -> bool {
        self.torn > 0
    }

    /// What [`read_on`](Self::read_on) has left out so far.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// What is to be said of the file after reading it, in one line: damage, and a last block that was cut off.
    pub fn complaint(&self) -> Option<String> {
        let torn = format!("the last block is cut off and left out ({} bytes)", self.torn);
        match (self.losses.places > 0, self.torn > 0) {
            (false, false) => None,
            (false, true) => Some(torn),
            (true, false) => Some(self.losses.to_string()),
            (true, true) => Some(format!("{}; {torn}", self.losses)),
        }
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Where the blocks that were read end, and the games up to there.
    pub(super) fn end(&self) -> (u64, u64) {
        (self.at.min(self.length) - self.torn, self.games)
    }

    /// The next good block with its coded games (see [`super::decode_block`]); `None` at the end. What had to be left out is
    /// noted in [`losses`](Self::losses).
    pub fn read_on(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, GamesError> {
        loop {
            match self.next_block() {
                Err(GamesError::Lost(gap)) => self.losses.add(&gap),
                other => return other,
            }
        }
    }

    /// The next block with its coded games; `None` at the end, or before a last block that was cut off. A damaged place is an
    /// error ([`GamesError::Lost`]), and the call after it goes on behind that place.
    pub fn next_block(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, GamesError> {
        if let Some(gap) = self.gap.take() {
            return Err(GamesError::Lost(gap));
        }
        if self.at >= self.length {
            return Ok(None);
        }
        let at = self.at;
        if let Some((stored, payload)) = self.block(at)? {
            // Games that should have come before and did not: blocks were taken out.
            if let Some(before) = stored.before.filter(|&before| before != self.games) {
                let games = Some(before.saturating_sub(self.games));
                self.games = before;
                return Err(GamesError::Lost(Gap { at, bytes: 0, games }));
            }
            self.at = at + (self.version.block_head() + payload.len()) as u64;
            self.games += u64::from(stored.head.games);
            return Ok(Some((stored.head, payload)));
        }
        let Some((next, before)) = self.search(at + 1)? else {
            self.at = self.length;
            let (torn, games) = self.tail(at)?;
            if torn {
                self.torn = self.length - at;
                return Ok(None);
            }
            return Err(GamesError::Lost(Gap { at, bytes: self.length - at, games }));
        };
        let games = before.map(|before| before.saturating_sub(self.games));
        (self.at, self.games) = (next, before.unwrap_or(self.games));
        Err(GamesError::Lost(Gap { at, bytes: next - at, games }))
    }

    fn head(&mut self, at: u64) -> io::Result<Option<Stored>> {
        let mut bytes = [0u8; LONGEST];
        let bytes = &mut bytes[..self.version.block_head()];
        let got = read_at(&mut self.source, at, bytes)?;
        Ok(if got == bytes.len() { Stored::decode(self.version, self.variant, bytes) } else { None })
    }

    /// The block at `at`, if there is a good one.
    fn block(&mut self, at: u64) -> io::Result<Option<(Stored, Vec<u8>)>> {
        let Some(stored) = self.head(at)? else { return Ok(None) };
        let start = at + self.version.block_head() as u64;
        let size = u64::from(stored.head.bytes);
        if start + size > self.length || self.patience < size {
            return Ok(None);
        }
        let mut payload = vec![0u8; size as usize];
        let got = read_at(&mut self.source, start, &mut payload)?;
        if got == payload.len() && stored.fits(&payload) {
            return Ok(Some((stored, payload)));
        }
        self.patience -= size;
        Ok(None)
    }

    /// The first block at or behind `from`, and the games before it. In version 2 its head is enough.
    fn search(&mut self, from: u64) -> io::Result<Option<(u64, Option<u64>)>> {
        let magic = self.version.magic();
        let mut chunk = vec![0u8; 1 << 16];
        let mut at = from;
        loop {
            let got = read_at(&mut self.source, at, &mut chunk)?;
            for hit in memchr::memmem::find_iter(&chunk[..got], magic) {
                let place = at + hit as u64;
                let found = match self.version {
                    Version::One => self.block(place)?.map(|(stored, _)| stored),
                    Version::Two => self.head(place)?,
                };
                if let Some(stored) = found {
                    return Ok(Some((place, stored.before)));
                }
            }
            if got < chunk.len() {
                return Ok(None);
            }
            at += (got + 1 - magic.len()) as u64;
        }
    }

    /// Whether the rest of the file, in which no block was found, is one that was being written when the power failed; if
    /// not, the games it held, as far as its head tells.
    fn tail(&mut self, at: u64) -> io::Result<(bool, Option<u64>)> {
        let rest = self.length - at;
        let head_size = self.version.block_head();
        if rest > (MAX_BLOCK + head_size) as u64 {
            return Ok((false, None));
        }
        let mut tail = vec![0u8; rest as usize];
        let got = read_at(&mut self.source, at, &mut tail)?;
        tail.truncate(got);
        // Room that was taken in the file and never filled.
        let written = tail.len() - tail.iter().rev().take_while(|&&byte| byte == 0).count();
        let magic = self.version.magic();
        let Some((head, payload)) = tail.split_at_checked(head_size) else {
            let shown = written.min(magic.len());
            return Ok((tail[..shown] == magic[..shown], None));
        };
        let Some(mut stored) = Stored::decode(self.version, self.variant, head) else {
            return Ok((written == 0, None));
        };
        let size = stored.head.bytes as usize;
        if payload.len() < size {
            // A length that one wrong bit made too large also ends behind the file; with the right one all fits.
            stored.head.bytes = payload.len() as u32;
            let whole = self.version == Version::One && stored.fits(payload);
            return Ok((!whole, whole.then_some(u64::from(stored.head.games))));
        }
        let certain = self.version == Version::Two;
        let unfilled = certain && payload.len() == size && written + 16 <= tail.len();
        Ok((unfilled, certain.then_some(u64::from(stored.head.games))))
    }
}

/// Reads as much of `buffer` as the source has at `at`.
fn read_at(source: &mut (impl Read + Seek), at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    source.seek(SeekFrom::Start(at))?;
    let mut got = 0;
    while got < buffer.len() {
        match source.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

//! The manifest: the one file that says what belongs to a database. Replacing it by a rename is the commit.

use rukh_core::Variant;

use super::container::Seal;
use super::disk::Folder;
use super::error::DbError;
use super::games::Games;
use super::parse::hash_bytes;
use super::positions::{Coverage, Positions, Scope};

pub const NAME: &str = "MANIFEST";
/// The manifest while it is being written.
pub const FRESH: &str = "MANIFEST.new";
const TITLE: &str = "rukh database 2";
/// Before files had seals and databases an identity.
const TITLE_1: &str = "rukh database 1";
/// More than the manifest of any database: a million sources.
const MOST_BYTES: u64 = 256 << 20;

/// One committed segment: a game file and a position file with the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEntry {
    pub id: u32,
    pub games: u64,
    pub positions: u64,
    /// Positions with repetition: the codes of the segment.
    pub ordinals: u64,
    /// What its files are; unknown in databases of the first kind.
    pub files: Option<Files>,
}

/// The two files of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    pub games: Seal,
    pub positions: Seal,
    /// Which positions are indexed.
    pub limits: Coverage,
    /// What the index is about.
    pub scope: Scope,
}

impl Files {
    /// Those that are open.
    pub fn of(games: &Games, positions: &Positions) -> Files {
        let (limits, scope) = (positions.limits(), positions.scope());
        Files { games: games.file().seal(), positions: positions.file().seal(), limits, scope }
    }
}

/// Name of the game file of a segment.
pub fn games_file(id: u32) -> String {
    format!("{id:06}.games")
}

/// Name of the position file of a segment.
pub fn positions_file(id: u32) -> String {
    format!("{id:06}.positions")
}

impl SegmentEntry {
    pub fn games_file(&self) -> String {
        games_file(self.id)
    }

    pub fn positions_file(&self) -> String {
        positions_file(self.id)
    }
}

/// How far a source of games has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// Name, size, content and filters, hashed: the same job on the same file.
    pub identity: u64,
    /// Chunks of the file that are in the database.
    pub chunks: u64,
    pub done: bool,
    /// For people.
    pub name: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Tells the database from every other; the journal has it too.
    pub id: u64,
    /// What the games are; unknown while there are none.
    pub variant: Option<Variant>,
    /// Made by `rukh db map` for its own use: may be removed by the next run.
    pub scratch: bool,
    pub next_id: u32,
    pub segments: Vec<SegmentEntry>,
    pub sources: Vec<SourceEntry>,
}

impl Manifest {
    /// Reads the manifest of a folder; `None` if it has none.
    pub fn load(folder: &Folder) -> Result<Option<Manifest>, DbError> {
        Ok(Manifest::load_text(folder)?.map(|(manifest, _)| manifest))
    }

    /// The manifest and its text.
    pub fn load_text(folder: &Folder) -> Result<Option<(Manifest, Vec<u8>)>, DbError> {
        let Some(bytes) = folder.read(NAME, MOST_BYTES)? else { return Ok(None) };
        match Manifest::parse(&bytes) {
            Ok(manifest) => Ok(Some((manifest, bytes))),
            Err(problem) => Err(DbError::damaged(&folder.file(NAME), problem)),
        }
    }

    pub fn parse(bytes: &[u8]) -> Result<Manifest, String> {
        let text = String::from_utf8_lossy(bytes);
        let (body, crc) = text.trim_end().rsplit_once("\ncrc ").ok_or("has no checksum")?;
        if u32::from_str_radix(crc, 16).ok() != Some(crc32fast::hash(body.as_bytes())) {
            return Err("checksum wrong".into());
        }
        let mut lines = body.lines();
        let first = match lines.next() {
            Some(TITLE) => false,
            Some(TITLE_1) => true,
            _ => return Err("written by another version of Rukh".into()),
        };
        let mut manifest = Manifest::default();
        let mut unsaid = true;
        for line in lines {
            unsaid &= !line.starts_with("variant ");
            manifest.line(line).ok_or_else(|| format!("line {line:?} is not understood"))?;
        }
        if first {
            // The journal of the import that makes it one of today must know it by something.
            manifest.id = hash_bytes(0, bytes);
            // Databases were of chess before they said so.
            if unsaid && !manifest.segments.is_empty() {
                manifest.variant = Some(Variant::Chess);
            }
        }
        let mut codes = Some(0u64);
        for s in &manifest.segments {
            codes = codes.and_then(|sum| sum.checked_add(s.ordinals)).filter(|_| first || s.files.is_some());
        }
        codes.map(|_| manifest).ok_or_else(|| "contradicts itself".into())
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let mut words = line.splitn(if line.starts_with("source ") { 5 } else { 16 }, ' ');
        let kind = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        match kind {
            "id" => self.id = u64::from_str_radix(words.next()?, 16).ok()?,
            "variant" => self.variant = Some(words.next()?.parse().ok()?),
            "scratch" => self.scratch = true,
            "next" => self.next_id = u32::try_from(number()?).ok()?,
            "segment" => {
                let (id, games, positions) = (u32::try_from(number()?).ok()?, number()?, number()?);
                if self.segments.iter().any(|s| s.id == id) {
                    return None;
                }
                self.segments.push(SegmentEntry { id, games, positions, ordinals: number()?, files: None });
            }
            "files" => {
                let mut seal = || Some(Seal { bytes: number()?, sum: number()? });
                let (games, positions) = (seal()?, seal()?);
                let (min_ply, ends, min_games) = (usize::try_from(number()?).ok()?, number()?, number()?);
                let limits = Coverage { min_ply, max_ply: Coverage::last_ply(ends), min_games };
                let scope = Scope { global: number()? != 0, bits: u32::try_from(number()?).ok()?, prefix: number()? };
                self.segments.last_mut()?.files = Some(Files { games, positions, limits, scope });
            }
            "source" => {
                let (identity, chunks, done) = (number()?, number()?, number()? == 1);
                self.sources.push(SourceEntry { identity, chunks, done, name: words.next()?.to_owned() });
            }
            _ => return None,
        }
        Some(())
    }

    pub fn text(&self) -> String {
        let mut body = format!("{TITLE}\nid {:016x}\nnext {}", self.id, self.next_id);
        if let Some(variant) = self.variant {
            body += &format!("\nvariant {variant}");
        }
        if self.scratch {
            body += "\nscratch";
        }
        for s in &self.segments {
            body += &format!("\nsegment {} {} {} {}", s.id, s.games, s.positions, s.ordinals);
            if let Some(Files { games, positions, limits, scope }) = &s.files {
                let [min_ply, ends, min_games] = limits.params();
                body += &format!("\nfiles {} {} {} {}", games.bytes, games.sum, positions.bytes, positions.sum);
                body += &format!(" {min_ply} {ends} {min_games}");
                body += &format!(" {} {} {}", u8::from(scope.global), scope.bits, scope.prefix);
            }
        }
        for s in &self.sources {
            let name = s.name.replace(['\n', '\r'], " ");
            body += &format!("\nsource {} {} {} {name}", s.identity, s.chunks, u8::from(s.done));
        }
        format!("{body}\ncrc {:08x}\n", crc32fast::hash(body.as_bytes()))
    }

    /// Whether a file belongs to a committed segment.
    pub fn names(&self, file: &str) -> bool {
        self.segments.iter().any(|s| s.games_file() == file || s.positions_file() == file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the oldest ones say nothing of their games.
    #[test]
    fn manifests_of_the_first_kind_have_a_variant() {
        let variant = |lines: &str| {
            let text = format!("rukh database 1\nnext 2{lines}");
            let crc = crc32fast::hash(text.as_bytes());
            Manifest::parse(format!("{text}\ncrc {crc:08x}\n").as_bytes()).unwrap().variant
        };
        assert_eq!(variant("\nsegment 1 2 3 4"), Some(Variant::Chess));
        assert_eq!(variant("\nvariant makruk\nsegment 1 2 3 4"), Some(Variant::Makruk));
        assert_eq!(variant(""), None);
    }
}

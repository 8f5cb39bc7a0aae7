//! The manifest: the one file that says what belongs to a database. Replacing it by a rename is the commit.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use rukh_core::Variant;

use super::error::DbError;

const NAME: &str = "MANIFEST";
const TITLE: &str = "rukh database 1";

/// One committed segment: a game file and a position file with the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEntry {
    pub id: u32,
    pub games: u64,
    pub positions: u64,
    /// Positions with repetition: the codes of the segment.
    pub ordinals: u64,
}

impl SegmentEntry {
    pub fn games_file(&self) -> String {
        format!("{:06}.games", self.id)
    }

    pub fn positions_file(&self) -> String {
        format!("{:06}.positions", self.id)
    }
}

/// How far a source of games has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// Name, size, first bytes and filters, hashed: the same job on the same file.
    pub identity: u64,
    /// Chunks of the file that are in the database.
    pub chunks: u64,
    pub done: bool,
    /// For people.
    pub name: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// What the games are; unknown while there are none.
    pub variant: Option<Variant>,
    pub next_id: u32,
    pub segments: Vec<SegmentEntry>,
    pub sources: Vec<SourceEntry>,
}

impl Manifest {
    pub fn load(dir: &Path) -> Result<Option<Manifest>, DbError> {
        let path = dir.join(NAME);
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(DbError::io(&path)(e)),
        };
        let bad = |problem: &str| DbError::damaged(&path, problem);
        let (body, crc) = text.trim_end().rsplit_once("\ncrc ").ok_or_else(|| bad("has no checksum"))?;
        if u32::from_str_radix(crc, 16).ok() != Some(crc32fast::hash(body.as_bytes())) {
            return Err(bad("checksum wrong"));
        }
        let mut lines = body.lines();
        if lines.next() != Some(TITLE) {
            return Err(bad("written by another version of Rukh"));
        }
        let mut manifest = Manifest::default();
        let mut old = true;
        for line in lines {
            old &= !line.starts_with("variant ");
            manifest.line(line).ok_or_else(|| bad(&format!("line {line:?} is not understood")))?;
        }
        // Databases were of chess before they said so.
        if old && !manifest.segments.is_empty() {
            manifest.variant = Some(Variant::Chess);
        }
        Ok(Some(manifest))
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let mut words = line.splitn(5, ' ');
        let kind = words.next()?;
        if kind == "variant" {
            self.variant = Some(words.next()?.parse().ok()?);
            return Some(());
        }
        let mut number = || words.next()?.parse::<u64>().ok();
        match kind {
            "next" => self.next_id = u32::try_from(number()?).ok()?,
            "segment" => {
                let (id, games, positions) = (u32::try_from(number()?).ok()?, number()?, number()?);
                self.segments.push(SegmentEntry { id, games, positions, ordinals: number()? });
            }
            "source" => {
                let (identity, chunks, done) = (number()?, number()?, number()? == 1);
                self.sources.push(SourceEntry { identity, chunks, done, name: words.next()?.to_owned() });
            }
            _ => return None,
        }
        Some(())
    }

    /// Writes the manifest beside the old one, forces it to the disk, and puts it in its place.
    pub fn commit(&self, dir: &Path) -> Result<(), DbError> {
        let mut body = format!("{TITLE}\nnext {}", self.next_id);
        if let Some(variant) = self.variant {
            body += &format!("\nvariant {variant}");
        }
        for s in &self.segments {
            body += &format!("\nsegment {} {} {} {}", s.id, s.games, s.positions, s.ordinals);
        }
        for s in &self.sources {
            let name = s.name.replace(['\n', '\r'], " ");
            body += &format!("\nsource {} {} {} {name}", s.identity, s.chunks, u8::from(s.done));
        }
        let text = format!("{body}\ncrc {:08x}\n", crc32fast::hash(body.as_bytes()));
        let (fresh, path) = (dir.join("tmp-manifest"), dir.join(NAME));
        let write = || {
            let mut file = File::create(&fresh)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&fresh, &path)?;
            // The rename itself must reach the disk; where folders cannot be opened (Windows) the system sees to it.
            File::open(dir).and_then(|d| d.sync_all()).or(Ok(()))
        };
        write().map_err(DbError::io(&path))
    }
}

//! The file around the blocks: a head that says how the games were made, then blocks with checksums.

use super::GamesError;
use rukh_core::Rules;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"RUKHGAME";
const BLOCK_MAGIC: &[u8; 4] = b"BLK1";
const HEAD: usize = 32;
const BLOCK_HEAD: usize = 32;
/// A block larger than this is a lie.
const MAX_BLOCK: usize = 16 << 20;

/// How the games of a file were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Soft node limit.
    pub soft_nodes: u32,
    /// Hard node limit.
    pub hard_nodes: u32,
    /// Checksum of the network that evaluated; 0 for the classical evaluation.
    pub network: u32,
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Seed of the run.
    pub seed: u64,
    /// Which block of that run.
    pub number: u32,
    /// Games in it.
    pub games: u32,
    /// Scored plies in it.
    pub plies: u32,
    /// Bytes of coded games.
    pub bytes: u32,
}

impl BlockHead {
    fn encode(&self, payload: &[u8]) -> [u8; BLOCK_HEAD] {
        let mut head = [0u8; BLOCK_HEAD];
        head[..4].copy_from_slice(BLOCK_MAGIC);
        head[4..12].copy_from_slice(&self.seed.to_le_bytes());
        head[12..16].copy_from_slice(&self.number.to_le_bytes());
        head[16..20].copy_from_slice(&self.games.to_le_bytes());
        head[20..24].copy_from_slice(&self.plies.to_le_bytes());
        head[24..28].copy_from_slice(&self.bytes.to_le_bytes());
        let crc = checksum(&head[..28], payload);
        head[28..].copy_from_slice(&crc.to_le_bytes());
        head
    }

    fn decode(head: &[u8; BLOCK_HEAD]) -> Result<(BlockHead, u32), GamesError> {
        if &head[..4] != BLOCK_MAGIC {
            return Err(GamesError::Damaged("a block does not begin where it should"));
        }
        let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap_or_default());
        let block = BlockHead {
            seed: u64::from_le_bytes(head[4..12].try_into().unwrap_or_default()),
            number: u32_at(12),
            games: u32_at(16),
            plies: u32_at(20),
            bytes: u32_at(24),
        };
        if block.bytes as usize > MAX_BLOCK || block.games > block.bytes {
            return Err(GamesError::Damaged("a block has an impossible size"));
        }
        Ok((block, u32_at(28)))
    }
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(head);
    crc.update(payload);
    crc.finalize()
}

fn file_head<R: Rules>(recipe: &Recipe) -> [u8; HEAD] {
    let mut head = [0u8; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..10].copy_from_slice(&1u16.to_le_bytes());
    head[10] = R::VARIANT as u8;
    head[12..16].copy_from_slice(&recipe.soft_nodes.to_le_bytes());
    head[16..20].copy_from_slice(&recipe.hard_nodes.to_le_bytes());
    head[20..24].copy_from_slice(&recipe.network.to_le_bytes());
    let crc = checksum(&head[..28], &[]);
    head[28..].copy_from_slice(&crc.to_le_bytes());
    head
}

fn parse_head<R: Rules>(head: &[u8; HEAD]) -> Result<Recipe, GamesError> {
    let u32_at = |at: usize| u32::from_le_bytes(head[at..at + 4].try_into().unwrap_or_default());
    if &head[..8] != MAGIC {
        return Err(GamesError::Foreign);
    }
    let version = u16::from_le_bytes([head[8], head[9]]);
    if version != 1 {
        return Err(GamesError::Version(version));
    }
    if checksum(&head[..28], &[]) != u32_at(28) {
        return Err(GamesError::Damaged("the checksum of the head is wrong"));
    }
    if head[10] != R::VARIANT as u8 {
        let found = rukh_core::Variant::ALL.get(head[10] as usize).map_or("unknown", |v| v.name());
        return Err(GamesError::Variant { found: found.to_owned(), wanted: R::VARIANT.name() });
    }
    Ok(Recipe { soft_nodes: u32_at(12), hard_nodes: u32_at(16), network: u32_at(20) })
}

/// Streams the blocks of a file. Stops quietly at a torn last block ([`GamesReader::torn`] says so).
pub struct GamesReader {
    file: BufReader<File>,
    recipe: Recipe,
    good: u64,
    torn: bool,
}

impl GamesReader {
    /// Opens a file of games of `R`.
    pub fn open<R: Rules>(path: &Path) -> Result<GamesReader, GamesError> {
        let mut file = BufReader::new(File::open(path)?);
        let mut head = [0u8; HEAD];
        file.read_exact(&mut head).map_err(|_| GamesError::Foreign)?;
        Ok(GamesReader { recipe: parse_head::<R>(&head)?, file, good: HEAD as u64, torn: false })
    }

    /// How the games were made.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Whether the file ended in the middle of a block.
    pub fn torn(&self) -> bool {
        self.torn
    }

    /// The next block with its coded games (see [`super::decode_block`]); `None` at the end.
    pub fn next_block(&mut self) -> Result<Option<(BlockHead, Vec<u8>)>, GamesError> {
        let mut head = [0u8; BLOCK_HEAD];
        let mut got = 0;
        while got < BLOCK_HEAD {
            let n = self.file.read(&mut head[got..])?;
            if n == 0 {
                self.torn |= got > 0;
                return Ok(None);
            }
            got += n;
        }
        let (block, crc) = BlockHead::decode(&head)?;
        let mut payload = vec![0u8; block.bytes as usize];
        if let Err(error) = self.file.read_exact(&mut payload) {
            if error.kind() == std::io::ErrorKind::UnexpectedEof {
                self.torn = true;
                return Ok(None);
            }
            return Err(error.into());
        }
        if checksum(&head[..28], &payload) != crc {
            return Err(GamesError::Damaged("the checksum of a block is wrong"));
        }
        self.good += (BLOCK_HEAD + payload.len()) as u64;
        Ok(Some((block, payload)))
    }
}

/// Appends whole blocks.
pub struct GamesWriter {
    file: File,
    bytes: u64,
}

impl GamesWriter {
    /// Opens a file to append to, or makes it. Returns the blocks that are already there, by seed; what a killed process
    /// left half written is cut off.
    #[allow(clippy::type_complexity)]
    pub fn open<R: Rules>(
        path: &Path,
        recipe: &Recipe,
    ) -> Result<(GamesWriter, BTreeMap<u64, Vec<BlockHead>>), GamesError> {
        let mut blocks: BTreeMap<u64, Vec<BlockHead>> = BTreeMap::new();
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        let mut end = HEAD as u64;
        if length < HEAD as u64 {
            file.set_len(0)?;
            file.write_all(&file_head::<R>(recipe))?;
        } else {
            let mut reader = GamesReader::open::<R>(path)?;
            if reader.recipe() != recipe {
                return Err(GamesError::Recipe { found: reader.recipe().clone() });
            }
            while let Some((head, _)) = reader.next_block()? {
                blocks.entry(head.seed).or_default().push(head);
            }
            end = reader.good;
        }
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((GamesWriter { file, bytes: end }, blocks))
    }

    /// Size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a block in one write.
    pub fn append(&mut self, head: &BlockHead, payload: &[u8]) -> Result<(), GamesError> {
        let mut all = head.encode(payload).to_vec();
        all.extend_from_slice(payload);
        self.file.write_all(&all)?;
        self.bytes += all.len() as u64;
        Ok(())
    }
}

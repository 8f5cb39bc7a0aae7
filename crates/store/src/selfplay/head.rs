//! Heads of files and of blocks, byte by byte as in `docs/formats/games.md`.
//!
//! Version 1 has one checksum for a block's head and contents: a wrong length hides everything behind it. Version 2 has one
//! for each, counts the games that came before, and holds the file's head twice. Files of version 1 are read and continued.

use std::fmt;

use super::GamesError;
use rukh_core::Variant;

const MAGIC: &[u8; 8] = b"RUKHGAME";
/// One copy of the file's head.
const HEAD: usize = 32;
/// A block larger than this is a lie.
pub(super) const MAX_BLOCK: usize = 16 << 20;
/// Bytes of the longest head of a block.
pub(super) const LONGEST: usize = 44;

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

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--soft {} --hard {}, ", self.soft_nodes, self.hard_nodes)?;
        match self.network {
            0 => write!(f, "the classical evaluation"),
            checksum => write!(f, "the network with checksum {checksum:08x}"),
        }
    }
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// The game that the file holds.
    pub variant: Variant,
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

/// The two layouts there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

impl Version {
    /// Bytes before the first block.
    pub(super) fn file_head(self) -> usize {
        match self {
            Version::One => HEAD,
            Version::Two => 2 * HEAD,
        }
    }

    /// Bytes of a block's head.
    pub(super) fn block_head(self) -> usize {
        match self {
            Version::One => 32,
            Version::Two => LONGEST,
        }
    }

    /// How a block begins.
    pub(super) fn magic(self) -> &'static [u8; 4] {
        match self {
            Version::One => b"BLK1",
            Version::Two => b"BLK2",
        }
    }
}

/// A block's head as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) head: BlockHead,
    /// Games in the blocks before this one; unknown in version 1.
    pub(super) before: Option<u64>,
    crc: u32,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
}

fn checksum(head: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(head);
    crc.update(payload);
    crc.finalize()
}

impl BlockHead {
    /// The 28 bytes that both versions begin with.
    fn fields(&self, version: Version) -> [u8; 28] {
        let mut head = [0u8; 28];
        head[..4].copy_from_slice(version.magic());
        head[4..12].copy_from_slice(&self.seed.to_le_bytes());
        head[12..16].copy_from_slice(&self.number.to_le_bytes());
        head[16..20].copy_from_slice(&self.games.to_le_bytes());
        head[20..24].copy_from_slice(&self.plies.to_le_bytes());
        head[24..28].copy_from_slice(&self.bytes.to_le_bytes());
        head
    }

    /// Head and coded games as they stand in a file, `before` games into it.
    pub(super) fn encode(&self, version: Version, before: u64, payload: &[u8]) -> Vec<u8> {
        let mut all = self.fields(version).to_vec();
        match version {
            Version::One => all.extend(checksum(&all, payload).to_le_bytes()),
            Version::Two => {
                all.extend(before.to_le_bytes());
                all.extend(checksum(payload, &[]).to_le_bytes());
                all.extend(checksum(&all, &[]).to_le_bytes());
            }
        }
        all.extend_from_slice(payload);
        all
    }
}

impl Stored {
    /// Reads a head of `version.block_head()` bytes. In version 2 what comes back is certain; in version 1 it is only possible.
    pub(super) fn decode(version: Version, variant: Variant, bytes: &[u8]) -> Option<Stored> {
        if bytes.len() != version.block_head() || &bytes[..4] != version.magic() {
            return None;
        }
        let head = BlockHead {
            variant,
            seed: u64_at(bytes, 4),
            number: u32_at(bytes, 12),
            games: u32_at(bytes, 16),
            plies: u32_at(bytes, 20),
            bytes: u32_at(bytes, 24),
        };
        if head.bytes as usize > MAX_BLOCK || head.games > head.bytes {
            return None;
        }
        match version {
            Version::One => Some(Stored { head, before: None, crc: u32_at(bytes, 28) }),
            Version::Two if checksum(&bytes[..40], &[]) != u32_at(bytes, 40) => None,
            Version::Two => Some(Stored { head, before: Some(u64_at(bytes, 28)), crc: u32_at(bytes, 36) }),
        }
    }

    /// Whether these are the coded games that the head speaks of.
    pub(super) fn fits(&self, payload: &[u8]) -> bool {
        let crc = match self.before {
            Some(_) => checksum(payload, &[]),
            None => checksum(&self.head.fields(Version::One), payload),
        };
        crc == self.crc
    }
}

/// What the head of a file says.
#[derive(Debug)]
pub(super) struct FileHead {
    pub(super) version: Version,
    pub(super) variant: Variant,
    pub(super) recipe: Recipe,
    /// Whether it is damaged, and known from its second copy or by its checksum.
    pub(super) half: bool,
}

/// The head of a new file.
pub(super) fn file_head(version: Version, variant: Variant, recipe: &Recipe) -> Vec<u8> {
    let mut head = [0u8; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..10].copy_from_slice(&(version as u16 + 1).to_le_bytes());
    head[10] = variant as u8;
    head[12..16].copy_from_slice(&recipe.soft_nodes.to_le_bytes());
    head[16..20].copy_from_slice(&recipe.hard_nodes.to_le_bytes());
    head[20..24].copy_from_slice(&recipe.network.to_le_bytes());
    let crc = checksum(&head[..28], &[]);
    head[28..].copy_from_slice(&crc.to_le_bytes());
    head.repeat(version.file_head() / HEAD)
}

/// Reads the head from the first bytes of a file: 64, or fewer if the file is shorter.
pub(super) fn parse_head(bytes: &[u8]) -> Result<FileHead, GamesError> {
    let (first, second) = bytes.split_at_checked(HEAD).ok_or(GamesError::Foreign)?;
    let mended;
    let sound =
        |copy: &[u8]| copy.len() >= HEAD && &copy[..8] == MAGIC && checksum(&copy[..28], &[]) == u32_at(copy, 28);
    // A second copy exists in version 2 only, and says so.
    let (first_sound, second_sound) = (sound(first), sound(second) && second[8..10] == [2, 0]);
    // Version 1 has no second copy, but a checksum finds the one bit that is wrong.
    let flipped = |bit: usize| {
        let mut copy: [u8; HEAD] = first.try_into().ok()?;
        copy[bit / 8] ^= 1 << (bit % 8);
        sound(&copy).then_some(copy)
    };
    let head = match (first_sound, second_sound) {
        (true, _) => first,
        (false, true) => second,
        _ if let Some(copy) = (0..8 * HEAD).find_map(flipped) => {
            mended = copy;
            &mended
        }
        _ if &first[..8] != MAGIC => return Err(GamesError::Foreign),
        _ => match u16::from_le_bytes([first[8], first[9]]) {
            1 | 2 => return Err(GamesError::Damaged("the checksum of the head is wrong")),
            other => return Err(GamesError::Version(other)),
        },
    };
    let version = match u16::from_le_bytes([head[8], head[9]]) {
        1 => Version::One,
        2 => Version::Two,
        other => return Err(GamesError::Version(other)),
    };
    let unknown = GamesError::Damaged("its head names an unknown game");
    let variant = *Variant::ALL.get(usize::from(head[10])).ok_or(unknown)?;
    let half = !first_sound || (version == Version::Two && second.get(..HEAD) != Some(first));
    let recipe = Recipe { soft_nodes: u32_at(head, 12), hard_nodes: u32_at(head, 16), network: u32_at(head, 20) };
    Ok(FileHead { version, variant, recipe, half })
}

//! Positions on the disk that have no direct code: written once, named by their number for ever.
//!
//! The file only grows. A number is answered when its record is on the disk, so that neither a kill nor a power failure
//! takes back what somebody was told; and what such an end leaves half-written is stepped over, never written again.
//! docs/formats/positions.md has the bytes.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rukh_code::{AnyCode, CodeError, Codec, Coded, LongCode, Stamp};
use rukh_core::Position;

use crate::disk::{Disk, NamedFile, System, random_id};

const MAGIC: &[u8; 8] = b"RUKHPOSN";
const VERSION: u16 = 1;
const HEADER: usize = 32;
/// A long code and its checksum.
const CODE: usize = 24;
const RECORD: usize = CODE + 4;
/// Records that are read at once.
const AT_ONCE: u64 = 1 << 14;

const _: () = assert!(LongCode::MAX_BYTES < CODE);

/// Why a file of positions could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused something.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        problem: io::Error,
    },
    /// Something else.
    #[error("{}: not a file of positions", .0.display())]
    Foreign(PathBuf),
    /// A later format.
    #[error("{}: positions of version {version}; this program reads version {VERSION}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u16,
    },
    /// Its codes are of another variant, version or model.
    #[error("{}: {reason}", path.display())]
    Codes {
        /// The file.
        path: PathBuf,
        /// What differs.
        reason: CodeError,
    },
    /// A record is not what was written.
    #[error("{}: record {number} is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which one.
        number: u64,
    },
    /// The position has no code in this variant.
    #[error(transparent)]
    Position(#[from] CodeError),
}

/// A file of positions, open for reading and adding. Any number of programs may have it open.
pub struct Records<'c, R: Coded> {
    path: PathBuf,
    /// That of the file's codes; a file that an older version began is continued in its own.
    codec: &'c Codec<R>,
    /// That of the codes which do without records.
    asked: &'c Codec<R>,
    edition: u8,
    state: Mutex<State>,
}

struct State {
    file: Box<dyn NamedFile>,
    /// Whether it may be written to.
    adds: bool,
    known: HashMap<[u8; CODE], u64>,
    /// Records that were looked at.
    read: u64,
}

impl<'c, R: Coded> Records<'c, R> {
    /// Opens a file, and makes it if there is none.
    pub fn open(path: &Path, codec: &'c Codec<R>) -> Result<Self, RecordError> {
        Self::open_on(&System, path, codec)
    }

    pub(super) fn open_on(disk: &dyn Disk, path: &Path, codec: &'c Codec<R>) -> Result<Self, RecordError> {
        let failed = |problem| RecordError::File { path: path.to_owned(), problem };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            disk.make_dir(folder).map_err(failed)?;
        }
        let file = disk.edit(path).map_err(failed)?;
        file.lock().map_err(failed)?;
        let begun = begin(file.as_ref(), codec.stamp());
        file.unlock().map_err(failed)?;
        match begun.map_err(failed)? {
            true => {
                // Whoever made it may have been killed before its name was on the disk.
                disk.sync_name(path).map_err(failed)?;
                Self::with(path, codec, file, true)
            }
            false => Err(RecordError::Foreign(path.to_owned())),
        }
    }

    /// Opens a file that exists, to read it only; `None` if there is none, or one that was begun and has no records.
    pub fn open_existing(path: &Path, codec: &'c Codec<R>) -> Result<Option<Self>, RecordError> {
        let failed = |problem| RecordError::File { path: path.to_owned(), problem };
        match System.open(path) {
            Ok(file) if only_begun(file.as_ref()).map_err(failed)? => Ok(None),
            Ok(file) => Self::with(path, codec, file, false).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(problem) => Err(failed(problem)),
        }
    }

    fn with(path: &Path, codec: &'c Codec<R>, file: Box<dyn NamedFile>, adds: bool) -> Result<Self, RecordError> {
        let failed = |problem| RecordError::File { path: path.to_owned(), problem };
        let foreign = || RecordError::Foreign(path.to_owned());
        let other = |reason| RecordError::Codes { path: path.to_owned(), reason };
        let mut head = [0; HEADER];
        if file.read_full(&mut head, 0).map_err(failed)? < HEADER {
            return Err(foreign());
        }
        let stamp = head[12..24].try_into().ok().and_then(Stamp::from_bytes).ok_or_else(foreign)?;
        if head[..8] != MAGIC[..] || head[28..] != crc32fast::hash(&head[..28]).to_le_bytes() {
            return Err(foreign());
        }
        let version = u16::from_le_bytes([head[8], head[9]]);
        if version != VERSION {
            return Err(RecordError::Newer { path: path.to_owned(), version });
        }
        let own = match stamp.check(codec) {
            Ok(()) => codec,
            Err(_) if stamp.variant == codec.variant() => stamp.codec().map_err(other)?,
            Err(reason) => return Err(other(reason)),
        };
        let state = Mutex::new(State { file, adds, known: HashMap::new(), read: 0 });
        Ok(Self { path: path.to_owned(), codec: own, asked: codec, edition: head[10], state })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is: chosen when it was made, so that codes of another file are told apart.
    pub fn edition(&self) -> u8 {
        self.edition
    }

    /// How many numbers were given.
    pub fn len(&self) -> Result<u64, RecordError> {
        self.locked(|state| state.records())
    }

    /// Whether none was.
    pub fn is_empty(&self) -> Result<bool, RecordError> {
        self.len().map(|len| len == 0)
    }

    /// The number of a position, if it is here.
    pub fn find(&self, pos: &Position<R>) -> Result<Option<u64>, RecordError> {
        let Some(code) = self.long(pos)? else { return Ok(None) };
        self.locked(|state| {
            self.stands(state)?;
            if let Some(&number) = state.known.get(&code) {
                return Ok(Some(number));
            }
            // What another program is just writing may be there in part, and not yet on the disk.
            if state.refresh(false)? {
                let kept = state.file.sync();
                // Where nothing can be added, as little can be forced to the disk.
                kept.or_else(|error| if state.adds { Err(error) } else { Ok(()) })?;
            }
            Ok(state.known.get(&code).copied())
        })
    }

    /// The position with a number; `None` if none was given.
    pub fn get(&self, number: u64) -> Result<Option<Position<R>>, RecordError> {
        let record = self.locked(|state| {
            if number >= state.records()? {
                return Ok(None);
            }
            let mut record = [0; RECORD];
            state.file.read_exact_at(&mut record, place(number))?;
            Ok(Some(record))
        })?;
        let Some(record) = record else { return Ok(None) };
        let damaged = || RecordError::Damaged { path: self.path.clone(), number };
        let code = checked(number, &record).ok_or_else(damaged)?;
        let bytes = &code[code.iter().position(|&byte| byte != 0).unwrap_or(CODE)..];
        let pos = LongCode::from_bytes(bytes).and_then(|code| self.codec.decode_exact_too(code));
        pos.map(Some).map_err(|_| damaged())
    }

    /// The number of a position, which is added if it is not here. When this returns, the record is on the disk.
    pub fn add(&self, pos: &Position<R>) -> Result<u64, RecordError> {
        Ok(self.add_all(std::slice::from_ref(pos))?[0])
    }

    /// The numbers of many positions, written together.
    pub fn add_all(&self, positions: &[Position<R>]) -> Result<Vec<u64>, RecordError> {
        let codes = positions.iter().map(|pos| self.long(pos)?.ok_or(CodeError::Direct.into()));
        let codes = codes.collect::<Result<Vec<_>, RecordError>>()?;
        self.locked(|state| {
            if codes.iter().any(|code| !state.known.contains_key(code)) {
                state.file.lock()?;
                let added = self.stands(state).and_then(|()| state.append(&codes));
                state.file.unlock()?;
                added?;
            }
            Ok(codes.iter().map(|code| state.known[code]).collect())
        })
    }

    /// A number must be found again: none is given in a file that has no name any more.
    fn stands(&self, state: &State) -> io::Result<()> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "removed or replaced while it was in use");
        state.file.stands_at(&self.path).then_some(()).ok_or_else(gone)
    }

    /// The long code as the file has it; `None` for positions that have a direct one. What is direct only in the version
    /// of the file is there by its rank.
    fn long(&self, pos: &Position<R>) -> Result<Option<[u8; CODE]>, RecordError> {
        let code = match self.codec.encode_any(pos)? {
            AnyCode::Long(code) => code,
            AnyCode::Short(_) if self.asked.encode(pos) == Err(CodeError::DoesNotFit) => self.codec.exact_long(pos)?,
            AnyCode::Short(_) => return Ok(None),
        };
        let (bytes, mut padded) = (code.to_bytes(), [0; CODE]);
        padded[CODE - bytes.len()..].copy_from_slice(&bytes);
        Ok(Some(padded))
    }

    fn locked<T>(&self, f: impl FnOnce(&mut State) -> io::Result<T>) -> Result<T, RecordError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        f(&mut state).map_err(|problem| RecordError::File { path: self.path.clone(), problem })
    }
}

impl State {
    /// Whole records in the file.
    fn records(&self) -> io::Result<u64> {
        Ok(self.file.len()?.saturating_sub(HEADER as u64) / RECORD as u64)
    }

    /// Reads what was added since; whether there was anything. Without the lock, bad records at the end are looked at again the next
    /// time: somebody may be writing them. Others were half-written and never answered, or are damaged: their numbers are not given
    /// again.
    fn refresh(&mut self, locked: bool) -> io::Result<bool> {
        let (before, records) = (self.read, self.records()?);
        let mut at = before;
        while at < records {
            let count = (records - at).min(AT_ONCE);
            let mut bytes = vec![0; count as usize * RECORD];
            self.file.read_exact_at(&mut bytes, place(at))?;
            for record in bytes.chunks_exact(RECORD) {
                let code = checked(at, record);
                if let Some(code) = code {
                    self.known.entry(code).or_insert(at);
                }
                at += 1;
                if locked || code.is_some() {
                    self.read = at;
                }
            }
        }
        Ok(self.read > before)
    }

    /// Adds what is not known yet. The file's lock is held.
    fn append(&mut self, codes: &[[u8; CODE]]) -> io::Result<()> {
        let torn = self.file.len()?.saturating_sub(HEADER as u64) % RECORD as u64 != 0;
        if torn {
            self.file.set_len(place(self.records()? + 1))?;
        }
        self.refresh(true)?;
        let (mut bytes, mut new) = (Vec::new(), Vec::new());
        for code in codes {
            if !self.known.contains_key(code) && !new.contains(code) {
                let number = self.read + new.len() as u64;
                bytes.extend(code);
                bytes.extend(checksum(number, code).to_le_bytes());
                new.push(*code);
            }
        }
        let place = place(self.read);
        self.file.extend(&bytes, place)?;
        for code in new {
            self.known.insert(code, self.read);
            self.read += 1;
        }
        Ok(())
    }
}

fn place(number: u64) -> u64 {
    HEADER as u64 + number * RECORD as u64
}

fn checksum(number: u64, code: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(code);
    hasher.finalize()
}

fn checked(number: u64, record: &[u8]) -> Option<[u8; CODE]> {
    let (code, sum) = record.split_at(CODE);
    (sum == checksum(number, code).to_le_bytes()).then(|| code.try_into().ok())?
}

/// Writes the head of a new file; whether the file is new or may be one of ours. The file's lock is held.
fn begin(file: &dyn NamedFile, stamp: Stamp) -> io::Result<bool> {
    if !only_begun(file)? {
        return Ok(file.len()? >= HEADER as u64);
    }
    let mut head = [0; HEADER];
    head[..8].copy_from_slice(MAGIC);
    head[8..10].copy_from_slice(&VERSION.to_le_bytes());
    // 1 to 255: two files seldom have the same.
    head[10] = (random_id() % 255 + 1) as u8;
    head[12..24].copy_from_slice(&stamp.to_bytes());
    let sum = crc32fast::hash(&head[..28]);
    head[28..].copy_from_slice(&sum.to_le_bytes());
    file.extend(&head, 0)?;
    Ok(true)
}

/// Whether a file is empty, a part of a head, or no more than a head's length in zeros: a kill, a full disk or a power failure may
/// leave that.
fn only_begun(file: &dyn NamedFile) -> io::Result<bool> {
    let mut start = [0; HEADER + 1];
    let got = file.read_full(&mut start, 0)?;
    let magic = start[..got].iter().zip(MAGIC).all(|(a, b)| a == b);
    Ok(got < HEADER && magic || got <= HEADER && start == [0; HEADER + 1])
}

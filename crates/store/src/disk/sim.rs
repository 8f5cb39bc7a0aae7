//! A file system in memory on which everything can go wrong.

use std::collections::{BTreeMap, HashSet};
use std::fs::TryLockError;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Disk, DiskFile, NamedFile};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// Each read and write does at most this many bytes.
    Short(usize),
    /// This call fails, a write after half of its bytes, and the others do not.
    Error(u64),
    /// From this call on all fail.
    Power(u64),
}

/// What a power cut leaves of what was not forced to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    Nothing,
    /// New names, removed names and renames, but no content: files of length zero.
    Names,
    /// The same, and lengths: zeros where the content would be.
    Lengths,
    Everything,
}

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;

pub const LEFT: [Left; 4] = [Left::Nothing, Left::Names, Left::Lengths, Left::Everything];

#[derive(Default, Clone)]
struct Inode {
    now: Vec<u8>,
    /// What is on the disk.
    kept: Vec<u8>,
    /// What the system will force to the disk when it is asked. After an error it believes that this is done.
    dirty: Vec<Range<usize>>,
}

impl Inode {
    fn sync(&mut self) {
        self.kept.resize(self.now.len(), 0);
        for range in self.dirty.drain(..) {
            let range = range.start.min(self.now.len())..range.end.min(self.now.len());
            self.kept[range.clone()].copy_from_slice(&self.now[range]);
        }
    }

    fn resize(&mut self, len: usize) {
        let old = self.now.len();
        self.now.resize(len, 0);
        self.dirty.push(old.min(len)..old.max(len));
    }
}

#[derive(Clone)]
struct State {
    inodes: Vec<Inode>,
    names: BTreeMap<PathBuf, usize>,
    kept_names: BTreeMap<PathBuf, usize>,
    dirs: Vec<PathBuf>,
    kept_dirs: Vec<PathBuf>,
    locked: HashSet<usize>,
    calls: u64,
    fault: Fault,
}

/// The file system; its clones are the same.
#[derive(Clone)]
pub struct Sim(Arc<Mutex<State>>);

impl std::fmt::Debug for Sim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

impl Sim {
    pub fn new() -> Sim {
        Sim::of(State {
            inodes: Vec::new(),
            names: BTreeMap::new(),
            kept_names: BTreeMap::new(),
            dirs: vec!["/".into()],
            kept_dirs: vec!["/".into()],
            locked: HashSet::new(),
            calls: 0,
            fault: Fault::Nothing,
        })
    }

    fn of(state: State) -> Sim {
        Sim(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same disk for another program, when the one before was killed.
    pub fn copy(&self, fault: Fault) -> Sim {
        let state = self.state().clone();
        Sim::of(State { calls: 0, fault, locked: HashSet::new(), ..state })
    }

    /// The disk after the power was cut.
    pub fn after_cut(&self, left: Left) -> Sim {
        let sim = self.copy(Fault::Nothing);
        let mut state = sim.state();
        if left == Left::Nothing {
            state.names = state.kept_names.clone();
            state.dirs = state.kept_dirs.clone();
        }
        for inode in &mut state.inodes {
            if left != Left::Everything {
                let length = if left == Left::Lengths { inode.now.len() } else { inode.kept.len() };
                inode.now = inode.kept.clone();
                inode.now.resize(length, 0);
            }
            *inode = Inode { kept: inode.now.clone(), now: std::mem::take(&mut inode.now), dirty: Vec::new() };
        }
        (state.kept_names, state.kept_dirs) = (state.names.clone(), state.dirs.clone());
        drop(state);
        sim
    }

    /// What happens from now on.
    pub fn set_fault(&self, fault: Fault) {
        let mut state = self.state();
        (state.calls, state.fault) = (0, fault);
    }

    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Counts a call; an error if it is to fail.
    fn call(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.calls += 1;
        match state.fault {
            Fault::Error(at) if state.calls == at => Err(io::Error::other("injected")),
            Fault::Power(at) if state.calls >= at => Err(io::Error::other("no power")),
            _ => Ok(state),
        }
    }

    /// The names of all files.
    pub fn list(&self) -> Vec<String> {
        self.state().names.keys().map(|p| p.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }

    /// What a file holds, whatever is forced to the disk.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        let state = self.state();
        Some(state.inodes[*state.names.get(path)?].now.clone())
    }

    /// Puts a file on the disk.
    pub fn put(&self, path: &Path, bytes: &[u8]) {
        let mut state = self.state();
        state.inodes.push(Inode { now: bytes.to_vec(), kept: bytes.to_vec(), dirty: Vec::new() });
        let inode = state.inodes.len() - 1;
        state.names.insert(path.to_owned(), inode);
        state.kept_names.insert(path.to_owned(), inode);
    }

    fn file(&self, inode: usize, alone: bool) -> Box<SimFile> {
        Box::new(SimFile { sim: self.clone(), inode, alone })
    }
}

#[derive(Debug)]
struct SimFile {
    sim: Sim,
    inode: usize,
    /// Its lock ends with it.
    alone: bool,
}

impl Drop for SimFile {
    fn drop(&mut self) {
        if self.alone {
            self.sim.state().locked.remove(&self.inode);
        }
    }
}

impl State {
    fn has(&self, dir: Option<&Path>) -> io::Result<()> {
        self.dirs.iter().any(|known| Some(known.as_path()) == dir).then_some(()).ok_or(io::ErrorKind::NotFound.into())
    }

    fn open_or_make(&mut self, path: &Path) -> io::Result<usize> {
        self.has(path.parent())?;
        if !self.names.contains_key(path) {
            self.inodes.push(Inode::default());
            self.names.insert(path.to_owned(), self.inodes.len() - 1);
        }
        Ok(self.names[path])
    }
}

impl Disk for Sim {
    fn open(&self, path: &Path) -> io::Result<Box<dyn NamedFile>> {
        let inode = self.call()?.names.get(path).copied().ok_or(io::ErrorKind::NotFound)?;
        Ok(self.file(inode, false))
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let inode = state.open_or_make(path)?;
        Ok(self.file(inode, false))
    }

    fn edit(&self, path: &Path) -> io::Result<Box<dyn NamedFile>> {
        let inode = self.call()?.open_or_make(path)?;
        Ok(self.file(inode, false))
    }

    fn edit_alone(&self, path: &Path) -> io::Result<(Box<dyn NamedFile>, Result<(), TryLockError>)> {
        let mut state = self.call()?;
        let inode = state.open_or_make(path)?;
        let alone = state.locked.insert(inode);
        drop(state);
        let file = self.file(inode, alone);
        self.sync_name(path)?;
        Ok((file, if alone { Ok(()) } else { Err(TryLockError::WouldBlock) }))
    }

    fn scratch(&self, _: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.call()?;
        state.inodes.push(Inode::default());
        Ok(self.file(state.inodes.len() - 1, false))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let inode = state.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.names.insert(to.to_owned(), inode);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.call()?.names.remove(path).map(drop).ok_or(io::ErrorKind::NotFound.into())
    }

    fn is_taken(&self, path: &Path) -> bool {
        self.state().names.contains_key(path)
    }

    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.call()?;
        state.has(Some(dir))?;
        let here = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(here.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect())
    }

    fn make_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if state.has(Some(dir)).is_err() {
            state.dirs.push(dir.to_owned());
            state.kept_dirs.push(dir.to_owned());
        }
        Ok(())
    }

    fn sync_names(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let outside = |path: &PathBuf| path.parent() != Some(dir);
        let mut kept: BTreeMap<PathBuf, usize> = state.kept_names.clone();
        kept.retain(|path, _| outside(path));
        kept.extend(state.names.iter().filter(|(path, _)| !outside(path)).map(|(p, i)| (p.clone(), *i)));
        state.kept_names = kept;
        Ok(())
    }
}

impl DiskFile for SimFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.sim.call()?.inodes[self.inode].now.len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let state = self.sim.call()?;
        let most = if let Fault::Short(n) = state.fault { n } else { usize::MAX };
        let data = &state.inodes[self.inode].now;
        let rest = data.get(offset as usize..).unwrap_or(&[]);
        let n = rest.len().min(buf.len()).min(most);
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let (failed, most) = match self.sim.call() {
            Ok(state) => (None, if let Fault::Short(n) = state.fault { n } else { usize::MAX }),
            Err(e) => (Some(e), bytes.len() / 2),
        };
        let mut state = self.sim.state();
        let cut = matches!(state.fault, Fault::Power(_));
        let inode = &mut state.inodes[self.inode];
        let (from, last) = (offset as usize, offset as usize + bytes.len().max(1) - 1);
        // A sector is written or not.
        let sector = failed.is_some() && cut && last < inode.now.len() && from / SECTOR == last / SECTOR;
        let n = if sector { 0 } else { bytes.len().min(most) };
        let to = from + n;
        if inode.now.len() < to {
            inode.resize(to);
        }
        inode.now[from..to].copy_from_slice(&bytes[..n]);
        inode.dirty.push(from..to);
        failed.map_or(Ok(n), Err)
    }

    fn sync(&self) -> io::Result<()> {
        match self.sim.call() {
            Ok(mut state) => state.inodes[self.inode].sync(),
            Err(error) => {
                let mut state = self.sim.state();
                if matches!(state.fault, Fault::Error(_)) {
                    state.inodes[self.inode].dirty.clear();
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

impl NamedFile for SimFile {
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.sim.call()?.inodes[self.inode].resize(len as usize);
        Ok(())
    }

    fn stands_at(&self, path: &Path) -> bool {
        self.sim.state().names.get(path) == Some(&self.inode)
    }

    fn lock(&self) -> io::Result<()> {
        self.sim.call().map(drop)
    }

    fn unlock(&self) -> io::Result<()> {
        self.sim.call().map(drop)
    }
}

//! Sorting more records than fit into memory: sorted runs on disk, then one merge.

use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::error::DbError;

/// A record of 16 bytes; their order as numbers is the order of the output.
pub type Record = u128;

/// Collects records; full buffers are sorted and written by a second thread while the next one fills.
pub struct Sorter {
    dir: PathBuf,
    buffer: Vec<Record>,
    capacity: usize,
    runs: Vec<PathBuf>,
    busy: Option<JoinHandle<Result<Vec<Record>, DbError>>>,
    count: u64,
}

impl Sorter {
    /// Uses at most `memory` bytes for two buffers.
    pub fn new(dir: &Path, memory: usize) -> Sorter {
        let capacity = (memory / 2 / size_of::<Record>()).max(1024);
        Sorter { dir: dir.to_owned(), buffer: Vec::new(), capacity, runs: Vec::new(), busy: None, count: 0 }
    }

    #[inline]
    pub fn push(&mut self, record: Record) -> Result<(), DbError> {
        if self.buffer.len() == self.buffer.capacity() {
            self.make_room()?;
        }
        self.buffer.push(record);
        self.count += 1;
        Ok(())
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    /// Small imports need no large buffer; large ones must not grow past theirs by doubling.
    #[cold]
    fn make_room(&mut self) -> Result<(), DbError> {
        if self.buffer.len() >= self.capacity {
            self.spill()?;
        }
        let wanted = (2 * self.buffer.capacity()).clamp(1024, self.capacity);
        self.buffer.reserve_exact(wanted.max(self.buffer.len() + 1) - self.buffer.len());
        Ok(())
    }

    fn spill(&mut self) -> Result<(), DbError> {
        let path = self.dir.join(format!("tmp-run-{}", self.runs.len()));
        let spare = self.wait()?;
        let mut full = std::mem::replace(&mut self.buffer, spare);
        self.runs.push(path.clone());
        self.busy = Some(std::thread::spawn(move || {
            full.sort_unstable();
            write_run(&path, &full).map_err(DbError::io(&path))?;
            full.clear();
            Ok(full)
        }));
        Ok(())
    }

    /// Waits for the writing thread and takes its buffer.
    fn wait(&mut self) -> Result<Vec<Record>, DbError> {
        match self.busy.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            // A panic of the sorting thread is a bug; carry it on.
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Ok(Vec::new()),
        }
    }

    /// All records in order.
    pub fn finish(mut self) -> Result<Sorted, DbError> {
        drop(self.wait()?);
        self.buffer.sort_unstable();
        let memory = self.capacity * size_of::<Record>();
        let per_run = (memory / self.runs.len().max(1)).clamp(16 << 10, 1 << 20);
        let mut sources = Vec::new();
        for path in std::mem::take(&mut self.runs) {
            let file = File::open(&path).map_err(DbError::io(&path))?;
            sources.push(Source::Run(BufReader::with_capacity(per_run, file), path));
        }
        sources.push(Source::Memory(std::mem::take(&mut self.buffer).into_iter()));
        let mut sorted = Sorted { sources, heap: BinaryHeap::new() };
        for i in 0..sorted.sources.len() {
            sorted.refill(i)?;
        }
        Ok(sorted)
    }
}

impl Drop for Sorter {
    fn drop(&mut self) {
        let _ = self.busy.take().map(JoinHandle::join);
        for path in &self.runs {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn write_run(path: &Path, records: &[Record]) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::with_capacity(256 << 10, File::create(path)?);
    for r in records {
        out.write_all(&r.to_le_bytes())?;
    }
    out.flush()
}

enum Source {
    Run(BufReader<File>, PathBuf),
    Memory(std::vec::IntoIter<Record>),
}

impl Drop for Source {
    fn drop(&mut self) {
        if let Source::Run(_, path) = self {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The merged output of a [`Sorter`].
pub struct Sorted {
    sources: Vec<Source>,
    /// The next record of each source, smallest on top.
    heap: BinaryHeap<std::cmp::Reverse<(Record, usize)>>,
}

impl Sorted {
    fn refill(&mut self, i: usize) -> Result<(), DbError> {
        if let Some(record) = self.read(i)? {
            self.heap.push(std::cmp::Reverse((record, i)));
        }
        Ok(())
    }

    fn read(&mut self, i: usize) -> Result<Option<Record>, DbError> {
        match &mut self.sources[i] {
            Source::Memory(records) => Ok(records.next()),
            Source::Run(reader, path) => {
                let mut bytes = [0; 16];
                match reader.read_exact(&mut bytes) {
                    Ok(()) => Ok(Some(Record::from_le_bytes(bytes))),
                    Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
                    Err(e) => Err(DbError::io(path)(e)),
                }
            }
        }
    }

    /// The next record.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Record>, DbError> {
        let Some(&std::cmp::Reverse((record, i))) = self.heap.peek() else { return Ok(None) };
        match self.read(i)? {
            // Replacing the top costs one sift instead of two.
            Some(next) => {
                if let Some(mut top) = self.heap.peek_mut() {
                    *top = std::cmp::Reverse((next, i));
                }
            }
            None => drop(self.heap.pop()),
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_runs_give_one_order() {
        let dir = std::env::temp_dir().join(format!("rukh-sort-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let mut sorter = Sorter::new(&dir, 1);
        let mut x = 1u128;
        let mut all = Vec::new();
        for _ in 0..20_000 {
            x = x.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x9e37);
            sorter.push(x).unwrap();
            all.push(x);
        }
        all.sort_unstable();
        let mut sorted = sorter.finish().unwrap();
        for want in all {
            assert_eq!(sorted.next().unwrap(), Some(want));
        }
        assert_eq!(sorted.next().unwrap(), None);
        drop(sorted);
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);
        std::fs::remove_dir(&dir).unwrap();
    }
}

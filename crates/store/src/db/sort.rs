//! Sorting more records than fit into memory: sorted runs on disk, then one merge.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;

use super::disk::{Folder, Handle};
use super::error::DbError;

/// A record of 16 bytes; their order as numbers is the order of the output.
pub type Record = u128;

/// Bytes of a record.
const BYTES: usize = size_of::<Record>();

/// Collects records; full buffers are sorted and written by a second thread while the next one fills.
pub struct Sorter {
    folder: Folder,
    buffer: Vec<Record>,
    capacity: usize,
    /// All runs, one behind the other, in a nameless file.
    file: Option<Arc<Handle>>,
    runs: Vec<Range<u64>>,
    busy: Option<JoinHandle<Result<Vec<Record>, DbError>>>,
    count: u64,
}

impl Sorter {
    /// Uses at most `memory` bytes for two buffers.
    pub fn new(folder: &Folder, memory: usize) -> Sorter {
        let capacity = (memory / 2 / BYTES).max(1024);
        let (buffer, runs) = (Vec::new(), Vec::new());
        Sorter { folder: folder.clone(), buffer, capacity, file: None, runs, busy: None, count: 0 }
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
        let spare = self.wait()?;
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(Arc::new(self.folder.scratch()?)).clone(),
        };
        let mut full = std::mem::replace(&mut self.buffer, spare);
        let start = self.runs.last().map_or(0, |run| run.end);
        self.runs.push(start..start + (full.len() * BYTES) as u64);
        self.busy = Some(std::thread::spawn(move || {
            full.sort_unstable();
            write_run(&file, start, &full)?;
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
        let per_run = (self.capacity / self.runs.len().max(1)).clamp(1 << 10, 1 << 16) * BYTES;
        let mut sources = Vec::new();
        if let Some(file) = &self.file {
            for run in std::mem::take(&mut self.runs) {
                sources.push(Source::Run(Run { file: file.clone(), rest: run, per_run, buffer: Vec::new(), at: 0 }));
            }
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
    }
}

fn write_run(file: &Handle, mut at: u64, records: &[Record]) -> Result<(), DbError> {
    let mut bytes = Vec::with_capacity(256 << 10);
    for piece in records.chunks((256 << 10) / BYTES) {
        bytes.clear();
        bytes.extend(piece.iter().flat_map(|r| r.to_le_bytes()));
        file.write_all_at(&bytes, at)?;
        at += bytes.len() as u64;
    }
    Ok(())
}

enum Source {
    Run(Run),
    Memory(std::vec::IntoIter<Record>),
}

/// A sorted run on disk.
struct Run {
    file: Arc<Handle>,
    /// What has not been read.
    rest: Range<u64>,
    per_run: usize,
    buffer: Vec<u8>,
    at: usize,
}

impl Run {
    fn next(&mut self) -> Result<Option<Record>, DbError> {
        if self.at == self.buffer.len() {
            let len = (self.rest.end - self.rest.start).min(self.per_run as u64);
            if len == 0 {
                return Ok(None);
            }
            self.buffer.resize(len as usize, 0);
            self.file.read_exact_at(&mut self.buffer, self.rest.start)?;
            self.rest.start += len;
            self.at = 0;
        }
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&self.buffer[self.at..self.at + BYTES]);
        self.at += BYTES;
        Ok(Some(Record::from_le_bytes(bytes)))
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
            Source::Run(run) => run.next(),
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
        let dir = rukh_testing::Folder::new("sort");
        let mut sorter = Sorter::new(&Folder::new(&dir), 1);
        let mut rng = rukh_core::rng::Rng::plain(1);
        let mut all = Vec::new();
        for _ in 0..20_000 {
            let x = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
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

//! A table as it lies in its medium: packed rows, and a journal of what has come since.
//!
//! A batch of the journal counts when the head says so, and the head is one sector: a kill or a power failure leaves the
//! state before or after it. When the journal has grown, everything is written anew beside the table and takes its place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rukh_code::Stamp;

use super::head::{HEAD, Head};
use super::medium::Medium;
use super::packed::{self, Packed, damaged};
use super::row::{Name, Row, read_number, read_numbered, take, write_number, write_numbered};

/// A journal with fewer rows is not worth packing while the table is in use.
const LEAST: u64 = 50_000;
/// A journal with more is packed: it is held in memory.
const MOST: u64 = 1_000_000;

/// Both ways.
#[derive(Default)]
struct Numbers {
    names: BTreeMap<u64, Name>,
    numbers: HashMap<Name, u64>,
}

impl Numbers {
    fn insert(&mut self, number: u64, name: Name) {
        self.names.insert(number, name);
        self.numbers.insert(name, number);
    }
}

pub(super) struct Table {
    medium: Mutex<Box<dyn Medium>>,
    head: Head,
    packed: Packed,
    /// What the journal holds.
    recent: BTreeMap<(u32, Name), Row>,
    /// Rows in it, repetitions too.
    written: u64,
    /// Numbers in it.
    given: Vec<(u64, Name)>,
    /// All numbers; read when one is asked for.
    numbers: OnceLock<Mutex<Numbers>>,
    /// The head on the disk may be another than ours.
    doubtful: bool,
}

/// What a batch adds.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) rows: Vec<(u32, Row)>,
    pub(super) given: Vec<(u64, Name)>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    /// Reads directory and journal.
    pub(super) fn open(mut medium: Box<dyn Medium>, head: Head) -> io::Result<Table> {
        let packed = Packed::open(medium.as_mut(), &head)?;
        let journal = packed::part(medium.as_mut(), head.numbers.end, head.journal)?;
        let mut table = Table {
            medium: Mutex::new(medium),
            head,
            packed,
            recent: BTreeMap::new(),
            written: 0,
            given: Vec::new(),
            numbers: OnceLock::new(),
            doubtful: false,
        };
        let mut rest = &journal[..];
        while !rest.is_empty() {
            let batch = Batch::read(&mut rest).ok_or_else(|| damaged("its journal is wrong"))?;
            table.take(&batch);
        }
        Ok(table)
    }

    pub(super) fn head(&self) -> &Head {
        &self.head
    }

    /// Bytes on the disk.
    pub(super) fn bytes(&self) -> u64 {
        self.head.journal.end
    }

    /// Bytes that are not rows: head, directory, numbers.
    pub(super) fn overhead(&self) -> u64 {
        HEAD as u64 + self.head.numbers.end - self.head.blocks_end
    }

    /// The rows at a place. Those of the journal come first; they count.
    pub(super) fn at(&self, place: u32) -> io::Result<Vec<Row>> {
        let recent = self.recent.range((place, Name::LEAST)..).take_while(|((at, _), _)| *at == place);
        let mut rows: Vec<Row> = recent.map(|(_, row)| *row).collect();
        rows.extend(self.packed.at(&self.medium, place)?);
        Ok(rows)
    }

    /// All rows in order.
    pub(super) fn all(&self) -> impl Iterator<Item = io::Result<(u32, Row)>> + '_ {
        packed::merged(self.packed.all(&self.medium), self.recent.iter().map(|(&(place, _), row)| (place, *row)))
    }

    fn numbers(&self) -> io::Result<MutexGuard<'_, Numbers>> {
        if self.numbers.get().is_none() {
            let mut all = Numbers::default();
            let packed = packed::numbers(lock(&self.medium).as_mut(), &self.head)?;
            packed.into_iter().chain(self.given.iter().copied()).for_each(|(number, name)| all.insert(number, name));
            let _ = self.numbers.set(Mutex::new(all));
        }
        self.numbers.get().map(lock).ok_or_else(|| io::Error::other("numbers"))
    }

    pub(super) fn number(&self, name: &Name) -> io::Result<Option<u64>> {
        Ok(self.numbers()?.numbers.get(name).copied())
    }

    pub(super) fn named(&self, number: u64) -> io::Result<Option<Name>> {
        Ok(self.numbers()?.names.get(&number).copied())
    }

    /// Adds a batch: it is on the disk when this returns, or nothing is changed.
    pub(super) fn commit(&mut self, clock: u64, batch: &Batch) -> io::Result<()> {
        let mut bytes = Vec::new();
        batch.write(clock, &mut bytes);
        let mut head = self.head;
        let length = head.journal.end - head.numbers.end;
        let mut crc = crc32fast::Hasher::new_with_initial_len(head.journal.crc, length);
        crc.update(&bytes);
        head.journal.crc = crc.finalize();
        head.journal.end += bytes.len() as u64;
        head.clock = clock;
        head.next = batch.given.iter().map(|(number, _)| number.saturating_add(1)).fold(head.next, u64::max);
        let medium = self.medium.get_mut().unwrap_or_else(PoisonError::into_inner);
        medium.stands()?;
        if self.head.beside {
            self.head.settle(medium.as_mut())?;
        }
        if self.doubtful {
            medium.write(0, &self.head.encode())?;
            medium.sync()?;
            self.doubtful = false;
        }
        medium.write(self.head.journal.end, &bytes)?;
        medium.sync()?;
        self.doubtful = true;
        head.replace(&self.head, medium.as_mut())?;
        self.doubtful = false;
        self.head = head;
        self.take(batch);
        Ok(())
    }

    fn take(&mut self, batch: &Batch) {
        self.written += batch.rows.len() as u64;
        self.recent.extend(batch.rows.iter().map(|(place, row)| ((*place, row.name), *row)));
        self.given.extend(&batch.given);
        if let Some(numbers) = self.numbers.get_mut() {
            let numbers = numbers.get_mut().unwrap_or_else(PoisonError::into_inner);
            batch.given.iter().for_each(|(number, name)| numbers.insert(*number, *name));
        }
    }

    /// Whether the journal is large enough to be packed, while the table is in use or before it is closed.
    pub(super) fn is_ripe(&self, closing: bool) -> bool {
        let least = if closing { 256 } else { LEAST };
        self.written > (self.head.rows / 8).clamp(least, MOST)
    }

    /// The table as it would be with these rows only, beside this one.
    pub(super) fn packed(&self, mut keep: impl FnMut(&Row) -> bool) -> io::Result<Table> {
        let mut medium = lock(&self.medium).beside()?;
        let rows = self.all().filter(|row| row.as_ref().map_or(true, |(_, row)| keep(row)));
        let numbers: Vec<_> = self.numbers()?.names.iter().map(|(number, name)| (*number, *name)).collect();
        let head = packed::write(medium.as_mut(), self.head, rows, numbers.into_iter())?;
        Table::open(medium, head)
    }

    /// The same table in other codes, in its place.
    pub(super) fn renamed(
        &self,
        stamps: [[u8; Stamp::SIZE]; 2],
        rename: impl Fn(&Name) -> io::Result<Name>,
    ) -> io::Result<(Box<dyn Medium>, Head)> {
        let mut medium = lock(&self.medium).beside()?;
        let rows =
            self.all().map(|row| row.and_then(|(place, row)| Ok((place, Row { name: rename(&row.name)?, ..row }))));
        let numbers = self.numbers()?;
        let given = numbers.names.iter().map(|(number, name)| Ok((*number, rename(name)?)));
        let given = given.collect::<io::Result<Vec<_>>>()?;
        drop(numbers);
        let head = packed::write(medium.as_mut(), Head { stamps, ..self.head }, by_name(rows), given.into_iter())?;
        medium.take_place()?;
        Ok((medium, head))
    }

    /// Takes the place of the table that it was made beside.
    pub(super) fn take_place(&mut self) -> io::Result<()> {
        self.medium.get_mut().unwrap_or_else(PoisonError::into_inner).take_place()
    }

    /// Its place, once taken, is its own whatever happens.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        self.head.settle(self.medium.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut())
    }
}

/// Rows in the order of their places, each place's in the order of their names.
fn by_name(rows: impl Iterator<Item = io::Result<(u32, Row)>>) -> impl Iterator<Item = io::Result<(u32, Row)>> {
    let (mut rows, mut here) = (rows.peekable(), Vec::new());
    std::iter::from_fn(move || {
        if here.is_empty() {
            let first = match rows.next()? {
                Ok(row) => row,
                error => return Some(error),
            };
            here.push(first);
            while let Some(Ok(row)) = rows.next_if(|row| row.as_ref().is_ok_and(|(place, _)| *place == first.0)) {
                here.push(row);
            }
            here.sort_by_key(|(_, row)| Reverse(row.name));
        }
        here.pop().map(Ok)
    })
}

impl Batch {
    fn write(&self, clock: u64, out: &mut Vec<u8>) {
        write_number(clock, out);
        write_number(self.rows.len() as u64, out);
        for (place, row) in &self.rows {
            out.extend(place.to_le_bytes());
            row.write(clock, out);
        }
        write_number(self.given.len() as u64, out);
        self.given.iter().for_each(|(number, name)| write_numbered(*number, name, out));
    }

    fn read(bytes: &mut &[u8]) -> Option<Batch> {
        let (clock, rows) = (read_number(bytes)?, read_number(bytes)?);
        let row = |bytes: &mut &[u8]| Some((u32::from_le_bytes(take(bytes)?), Row::read(clock, bytes)?));
        let rows = (0..rows).map(|_| row(bytes)).collect::<Option<Vec<_>>>()?;
        let given = read_number(bytes)?;
        let given = (0..given).map(|_| read_numbered(bytes)).collect::<Option<Vec<_>>>()?;
        Some(Batch { rows, given })
    }
}

//! Retrograde analysis on sets of squares of the bare Khun.
//!
//! For each arrangement of the attacker two sets are kept: the squares from which the bare Khun, to move, is lost in at
//! most `d` moves, and the squares on which he is when the attacker, to move, wins in at most `d`. One round makes the
//! first from the second (a dilation: can he step to a square that is not yet won?), and the second of the next distance
//! from the first (a union over the attacker's moves). Equal rounds, no queues, no moves undone. Whoever waits for a table may
//! interrupt the work and take it up later: it rests between two squares of the attacker's Khun.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::ground::{Ground, KeepOn, sweep};
use crate::material::{Material, khun_square};
use crate::pack::Packer;
use crate::rows::{PLANES, Planes, record};
use crate::set::Tables;
use crate::table::{Census, MAX_DISTANCE, Table, TableError};

/// How far the work on one ending is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The ending.
    pub material: Material,
    /// Mates of this length have been found.
    pub distance: usize,
    /// Positions of that length.
    pub found: u64,
}

impl Table {
    /// Computes an ending from the smaller ones, which must be there.
    pub fn generate(
        material: Material,
        smaller: &Tables,
        threads: usize,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Table, TableError> {
        let mut making = begin(material, smaller)?;
        making.advance(smaller, threads, &|| true, on_progress);
        Ok(making.finish())
    }

    /// The table of a file in `folder` that is there and right in every block; otherwise it is computed and written there.
    #[cfg(not(target_family = "wasm"))]
    pub fn open_or_generate(
        folder: &std::path::Path,
        material: Material,
        smaller: &Tables,
        threads: usize,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<(Table, Found), TableError> {
        let there = Table::path(folder, material).exists();
        if let Some(table) = Table::open(folder, material).ok().filter(Table::check) {
            return Ok((table, Found::Whole));
        }
        // Before the work of an hour, not after it.
        Table::room_for(folder, material)?;
        Table::generate(material, smaller, threads, on_progress)?.save(folder)?;
        // From here on the file, not the copy in memory.
        Ok((Table::open(folder, material)?, if there { Found::Damaged } else { Found::Nothing }))
    }
}

/// What was in the place of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The table.
    Whole,
    /// A damaged one.
    Damaged,
    /// Nothing.
    Nothing,
}

/// A table in the making.
pub(crate) trait Making: Send {
    /// Goes on until the table is done (true) or the work is not to go on.
    fn advance(
        &mut self,
        smaller: &Tables,
        threads: usize,
        keep_on: KeepOn<'_>,
        on_progress: &mut dyn FnMut(Progress),
    ) -> bool;

    /// The table, when `advance` has said that it is done.
    fn finish(self: Box<Self>) -> Table;
}

/// Begins an ending; the smaller ones must be there.
pub(crate) fn begin(material: Material, smaller: &Tables) -> Result<Box<dyn Making>, TableError> {
    Ok(match material.pieces() {
        1 => Box::new(Rounds::<1>::new(material, smaller)?),
        2 => Box::new(Rounds::<2>::new(material, smaller)?),
        // A page makes none of these, and does without their code.
        #[cfg(target_family = "wasm")]
        _ => return Err(TableError::Missing(material)),
        #[cfg(not(target_family = "wasm"))]
        _ => Box::new(Rounds::<3>::new(material, smaller)?),
    })
}

/// What is being swept.
#[derive(Clone, Copy)]
enum Stage {
    Survey,
    Lost,
    Won,
    Pack,
    Done,
}

struct Rounds<const N: usize> {
    material: Material,
    ground: Ground<N>,
    lost: Vec<u64>,
    won: Vec<u64>,
    planes: Vec<Planes>,
    census: Census,
    packer: Mutex<Packer>,
    distance: usize,
    stage: Stage,
    /// The stage's next square of the Khun, and the positions it has found so far.
    next: usize,
    found: u64,
}

impl<const N: usize> Rounds<N> {
    fn new(material: Material, smaller: &Tables) -> Result<Self, TableError> {
        let ground = Ground::<N>::bare(material, smaller)?;
        let rows = ground.rows();
        Ok(Rounds {
            material,
            ground,
            lost: vec![0; rows],
            won: vec![0; rows],
            planes: vec![[0; PLANES]; rows],
            census: Census::default(),
            packer: Mutex::new(Packer::new(rows)),
            distance: 0,
            stage: Stage::Survey,
            next: 0,
            found: 0,
        })
    }

    fn sweep_lost(&mut self, threads: usize, keep_on: KeepOn<'_>) -> bool {
        let (ground, groups, distance) = (&self.ground, self.ground.groups.len, self.distance as u8);
        let found = AtomicU64::new(0);
        let chunks = self.lost.chunks_mut(groups).zip(self.won.chunks(groups)).enumerate();
        let done = sweep(threads, &mut self.next, keep_on, chunks, |(at, (lost, won))| {
            let khun = khun_square(at);
            let mut new = 0;
            ground.groups.for_each(|number, p| {
                let set = ground.lost(at * groups + number, khun, &p, won[number], distance);
                new += u64::from((set & !lost[number]).count_ones());
                lost[number] = set;
            });
            found.fetch_add(new, Relaxed);
        });
        self.found += 2 * found.into_inner();
        done
    }

    fn sweep_won(&mut self, threads: usize, keep_on: KeepOn<'_>) -> bool {
        let (ground, groups, distance) = (&self.ground, self.ground.groups.len, self.distance as u8);
        let (lost, found) = (&self.lost, AtomicU64::new(0));
        let chunks = self.won.chunks_mut(groups).zip(self.planes.chunks_mut(groups)).enumerate();
        let done = sweep(threads, &mut self.next, keep_on, chunks, |(at, (won, planes))| {
            let khun = khun_square(at);
            let mut total = 0;
            ground.groups.for_each(|number, p| {
                let open = ground.quiet(at * groups + number, khun, &p) & !won[number];
                if open == 0 {
                    return;
                }
                let new = ground.reach(lost, khun, number, &p) & open;
                if new != 0 {
                    won[number] |= new;
                    record(&mut planes[number], new, distance + 1);
                    total += u64::from(new.count_ones());
                }
            });
            found.fetch_add(total, Relaxed);
        });
        self.found += 2 * found.into_inner();
        done
    }

    /// The rows in the order of the table, so in one thread.
    fn sweep_pack(&mut self, keep_on: KeepOn<'_>) -> bool {
        let (ground, groups, packer) = (&self.ground, self.ground.groups.len, &self.packer);
        let chunks = self.planes.chunks(groups).zip(self.won.chunks(groups)).enumerate();
        sweep(1, &mut self.next, keep_on, chunks, |(at, (planes, won))| {
            let mut packer = packer.lock().unwrap_or_else(PoisonError::into_inner);
            ground.groups.for_each(|number, p| {
                let quiet = ground.quiet(at * groups + number, khun_square(at), &p);
                packer.push(&planes[number], won[number], quiet);
            });
        })
    }

    fn next_distance(&mut self) -> Stage {
        self.distance += 1;
        if self.distance < MAX_DISTANCE { Stage::Lost } else { Stage::Pack }
    }
}

impl<const N: usize> Making for Rounds<N> {
    fn advance(
        &mut self,
        smaller: &Tables,
        threads: usize,
        keep_on: KeepOn<'_>,
        on_progress: &mut dyn FnMut(Progress),
    ) -> bool {
        loop {
            let swept = match self.stage {
                Stage::Survey => self.ground.survey(smaller, threads, &mut self.next, keep_on),
                Stage::Lost => self.sweep_lost(threads, keep_on),
                Stage::Won => self.sweep_won(threads, keep_on),
                Stage::Pack => self.sweep_pack(keep_on),
                Stage::Done => return true,
            };
            if !swept {
                return false;
            }
            let found = core::mem::take(&mut self.found);
            self.next = 0;
            self.stage = match self.stage {
                Stage::Survey => {
                    (self.census.attacker_positions, self.census.bare_positions) = self.ground.positions;
                    Stage::Lost
                }
                Stage::Lost => {
                    self.census.bare_losses[self.distance] = found;
                    on_progress(Progress { material: self.material, distance: self.distance, found });
                    if found > 0 {
                        Stage::Won
                    } else if self.distance < self.ground.horizon as usize {
                        self.next_distance()
                    } else {
                        // Nothing new, and no capture that leads to a longer mate.
                        Stage::Pack
                    }
                }
                Stage::Won => {
                    self.census.attacker_wins[self.distance + 1] = found;
                    self.next_distance()
                }
                Stage::Pack | Stage::Done => Stage::Done,
            };
        }
    }

    fn finish(self: Box<Self>) -> Table {
        let packer = self.packer.into_inner().unwrap_or_else(PoisonError::into_inner);
        packer.finish(self.material, self.census)
    }
}

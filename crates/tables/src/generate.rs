//! Retrograde analysis on sets of squares of the bare Khun.
//!
//! For each arrangement of the attacker two sets are kept: the squares from which the bare Khun, to move, is lost in at
//! most `d` moves, and the squares on which he is when the attacker, to move, wins in at most `d`. One round makes the
//! first from the second (a dilation: can he step to a square that is not yet won?), and the second of the next distance
//! from the first (a union over the attacker's moves). Equal rounds, no queues, no moves undone.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rukh_core::{Bitboard, Kind};

use crate::board::{Camp, bit, king};
use crate::material::{Groups, KHUN_SQUARES, Material, khun_number, khun_square};
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

/// A capture that the attacker's defence forbids.
const DEFENDED: u8 = 0;
/// A capture after which nobody wins.
const DRAWN: u8 = u8::MAX;

/// Runs `f` on every item, in `threads` threads.
pub(crate) fn parallel<T: Send>(threads: usize, items: impl Iterator<Item = T> + Send, f: impl Fn(T) + Sync) {
    if threads <= 1 {
        return items.for_each(f);
    }
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = next() {
                    f(item);
                }
            });
        }
    });
}

/// What never changes about an ending: geometry, and what captures lead to.
pub(crate) struct Ground<const N: usize> {
    pub kinds: [Kind; N],
    pub groups: Groups<N>,
    /// Squares the attacker does not cover (see [`Camp`]); 0 for arrangements that do not exist.
    pub safe: Vec<u64>,
    /// For each piece: the distance after the bare Khun takes it.
    pub captures: Vec<[u8; N]>,
    /// The longest of those distances.
    pub horizon: u8,
    /// Legal positions, attacker and bare Khun to move.
    pub positions: (u64, u64),
}

impl<const N: usize> Ground<N> {
    pub fn new(material: Material, smaller: &Tables, threads: usize) -> Result<Self, TableError> {
        let groups = Groups::<N>::new(material);
        let kinds = material.slots::<N>();
        let rows = groups.len * KHUN_SQUARES;
        let mut horizon = 0;
        for kind in kinds {
            if let Some(rest) = material.without(kind) {
                let table = smaller.table(rest).ok_or(TableError::Missing(rest))?;
                // Every value of it will be needed: a damaged block must not be taken for a draw.
                if !table.check() {
                    return Err(TableError::Missing(rest));
                }
                horizon = horizon.max(table.census().longest().0 as u8);
            }
        }
        let mut safe = vec![0u64; rows];
        let mut captures = vec![[DEFENDED; N]; rows];
        let (attacker, bare) = (AtomicU64::new(0), AtomicU64::new(0));
        let chunks = safe.chunks_mut(groups.len).zip(captures.chunks_mut(groups.len)).enumerate();
        parallel(threads, chunks, |(khun, (safe, captures))| {
            let khun = khun_square(khun);
            let mut legal = (0, 0);
            groups.for_each(|number, p| {
                let Some(camp) = Camp::new(khun, &kinds, &p) else { return };
                safe[number] = camp.safe;
                legal.0 += u64::from(camp.quiet().count_ones());
                legal.1 += u64::from(camp.valid.count_ones());
                for (i, capture) in captures[number].iter_mut().enumerate() {
                    if camp.safe & bit(p[i]) != 0 {
                        *capture =
                            smaller.after_capture(material, khun, &kinds, &p, i).filter(|&d| d > 0).unwrap_or(DRAWN);
                    }
                }
            });
            attacker.fetch_add(legal.0, Relaxed);
            bare.fetch_add(legal.1, Relaxed);
        });
        let positions = (2 * attacker.into_inner(), 2 * bare.into_inner());
        Ok(Ground { kinds, groups, safe, captures, horizon, positions })
    }

    pub fn rows(&self) -> usize {
        self.safe.len()
    }

    /// The camp of a row, from memory.
    #[inline(always)]
    fn camp(&self, row: usize, khun: usize, p: &[u8; N]) -> Option<Camp> {
        let mut occupied = 1u64 << khun;
        for &square in p {
            if occupied & bit(square) != 0 {
                return None;
            }
            occupied |= bit(square);
        }
        Some(Camp { occupied, safe: self.safe[row], valid: !occupied & !king(khun) })
    }

    /// The squares on which the bare Khun may stand when the attacker is to move.
    #[inline(always)]
    pub fn quiet(&self, row: usize, khun: usize, p: &[u8; N]) -> u64 {
        self.camp(row, khun, p).map_or(0, |camp| camp.quiet())
    }

    /// The squares from which the bare Khun is lost within `distance`, given those that are won for the attacker.
    #[inline(always)]
    pub fn lost(&self, row: usize, khun: usize, p: &[u8; N], won: u64, distance: u8) -> u64 {
        let Some(camp) = self.camp(row, khun, p) else { return 0 };
        let mut escape = camp.quiet() & !won;
        for (&capture, &square) in self.captures[row].iter().zip(p) {
            if capture > distance {
                escape |= bit(square);
            }
        }
        camp.lost(escape)
    }

    /// The union of `lost` over the attacker's moves: the squares of the bare Khun against which one of them wins.
    #[inline(always)]
    pub fn reach(&self, lost: &[u64], khun: usize, number: usize, p: &[u8; N]) -> u64 {
        let groups = self.groups.len;
        let mut occupied = 1u64 << khun;
        for &square in p {
            occupied |= bit(square);
        }
        let mut won = 0;
        for to in Bitboard(king(khun) & !occupied) {
            let to = to.index();
            if to & 4 == 0 {
                won |= lost[khun_number(to) * groups + number];
            } else {
                // Across the middle: the mirror image is in the table.
                let mut mirrored = p.map(|square| square ^ 7);
                self.groups.sort(&mut mirrored);
                let row = khun_number(to ^ 7) * groups + self.groups.number(&mirrored);
                won |= Bitboard(lost[row]).flip_files().0;
            }
        }
        let base = khun_number(khun) * groups;
        for (i, &kind) in self.kinds.iter().enumerate() {
            let from = p[i];
            let after = |to: u8| {
                let mut p = *p;
                p[i] = to;
                self.groups.sort(&mut p);
                lost[base + self.groups.number(&p)]
            };
            if kind != Kind::Rook {
                for to in Bitboard(crate::board::attack(kind, from, occupied) & !occupied) {
                    won |= after(to.index() as u8);
                }
                continue;
            }
            let (rank, file) = (from >> 3, from & 7);
            for (step, room) in [(8i8, 7 - rank), (-8, rank), (1, 7 - file), (-1, file)] {
                // A Rua does not pass the bare Khun either.
                let mut open = !0u64;
                let mut to = from;
                for _ in 0..room {
                    to = to.wrapping_add_signed(step);
                    if occupied & bit(to) != 0 {
                        break;
                    }
                    won |= after(to) & open;
                    open &= !bit(to);
                }
            }
        }
        won
    }
}

impl Table {
    /// Computes an ending from the smaller ones, which must be there.
    pub fn generate(
        material: Material,
        smaller: &Tables,
        threads: usize,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Table, TableError> {
        match material.pieces() {
            1 => generate::<1>(material, smaller, threads, on_progress),
            2 => generate::<2>(material, smaller, threads, on_progress),
            _ => generate::<3>(material, smaller, threads, on_progress),
        }
    }
}

fn generate<const N: usize>(
    material: Material,
    smaller: &Tables,
    threads: usize,
    on_progress: &mut dyn FnMut(Progress),
) -> Result<Table, TableError> {
    let ground = Ground::<N>::new(material, smaller, threads)?;
    let groups = ground.groups.len;
    let mut lost = vec![0u64; ground.rows()];
    let mut won = vec![0u64; ground.rows()];
    let mut planes: Vec<Planes> = vec![[0; PLANES]; ground.rows()];
    let mut census =
        Census { attacker_positions: ground.positions.0, bare_positions: ground.positions.1, ..Census::default() };
    for distance in 0..MAX_DISTANCE {
        let found = AtomicU64::new(0);
        parallel(threads, lost.chunks_mut(groups).zip(won.chunks(groups)).enumerate(), |(at, (lost, won))| {
            let khun = khun_square(at);
            let mut new = 0;
            ground.groups.for_each(|number, p| {
                let set = ground.lost(at * groups + number, khun, &p, won[number], distance as u8);
                new += u64::from((set & !lost[number]).count_ones());
                lost[number] = set;
            });
            found.fetch_add(new, Relaxed);
        });
        let found = 2 * found.into_inner();
        census.bare_losses[distance] = found;
        on_progress(Progress { material, distance, found });
        if found == 0 {
            // Nothing new, and no capture that leads to a longer mate.
            if distance >= ground.horizon as usize {
                break;
            }
            continue;
        }
        let found = AtomicU64::new(0);
        let lost = &lost;
        let chunks = won.chunks_mut(groups).zip(planes.chunks_mut(groups)).enumerate();
        parallel(threads, chunks, |(at, (won, planes))| {
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
                    record(&mut planes[number], new, distance as u8 + 1);
                    total += u64::from(new.count_ones());
                }
            });
            found.fetch_add(total, Relaxed);
        });
        census.attacker_wins[distance + 1] = 2 * found.into_inner();
    }
    drop(lost);
    // The squares with a say, row by row in the order of the table.
    let mut quiet = vec![0u64; ground.rows()];
    parallel(threads, quiet.chunks_mut(groups).enumerate(), |(at, quiet)| {
        ground.groups.for_each(|number, p| {
            quiet[number] = ground.quiet(at * groups + number, khun_square(at), &p);
        });
    });
    let rows = planes.iter().zip(won.iter().zip(&quiet)).map(|(planes, (&won, &quiet))| (planes, won, quiet));
    Ok(Table::pack(material, census, rows))
}

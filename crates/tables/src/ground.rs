//! The ground of an ending: its arrangements, what the attacker covers in each, and what captures lead to.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rukh_core::{Bitboard, Kind};

use crate::board::{Camp, bit, king};
use crate::material::{Groups, KHUN_SQUARES, Material, khun_number, khun_square};
use crate::set::Tables;
use crate::table::TableError;

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

/// Says whether work goes on; asked about once a millisecond.
pub(crate) type KeepOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// Runs `f` on the items from number `next` on (one for each square of the Khun), until there is no more or the work is not
/// to go on; then `next` says where. True when all are done.
pub(crate) fn sweep<T: Send>(
    threads: usize,
    next: &mut usize,
    keep_on: KeepOn<'_>,
    items: impl Iterator<Item = T> + Send,
    f: impl Fn(T) + Sync,
) -> bool {
    let items = items.skip(*next).take_while(|_| keep_on()).inspect(|_| *next += 1);
    parallel(threads, items, f);
    *next == KHUN_SQUARES
}

/// What never changes about an ending: geometry, and what captures lead to.
pub(crate) struct Ground<const N: usize> {
    material: Material,
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
    /// The whole ground.
    pub fn new(material: Material, smaller: &Tables, threads: usize) -> Result<Self, TableError> {
        let mut ground = Self::bare(material, smaller)?;
        ground.survey(smaller, threads, &mut 0, &|| true);
        Ok(ground)
    }

    /// The ground before anything is known about it.
    pub fn bare(material: Material, smaller: &Tables) -> Result<Self, TableError> {
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
        let (safe, captures) = (vec![0u64; rows], vec![[DEFENDED; N]; rows]);
        Ok(Ground { material, kinds, groups, safe, captures, horizon, positions: (0, 0) })
    }

    /// Looks at the arrangements, as [`sweep`] does. True when all are known.
    pub fn survey(&mut self, smaller: &Tables, threads: usize, next: &mut usize, keep_on: KeepOn<'_>) -> bool {
        let (material, kinds, groups) = (self.material, self.kinds, &self.groups);
        let (attacker, bare) = (AtomicU64::new(0), AtomicU64::new(0));
        let chunks = self.safe.chunks_mut(groups.len).zip(self.captures.chunks_mut(groups.len)).enumerate();
        let done = sweep(threads, next, keep_on, chunks, |(khun, (safe, captures))| {
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
        self.positions.0 += 2 * attacker.into_inner();
        self.positions.1 += 2 * bare.into_inner();
        done
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

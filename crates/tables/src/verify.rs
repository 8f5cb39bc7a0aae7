//! Second opinions on a finished table.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rukh_core::rng::Rng;
use rukh_core::{Color, Kind, Makruk, Position, Setup, Square};
use thiserror::Error;

use crate::ground::{Ground, parallel};
use crate::material::{KHUN_SQUARES, Material, khun_square};
use crate::probe::Distance;
use crate::rows::Row;
use crate::set::Tables;
use crate::table::{Census, MAX_DISTANCE, Table, TableError};

/// Why a table is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A table that is needed for the comparison.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A block whose checksum is wrong.
    #[error("{0}: a block does not match its checksum")]
    Checksum(Material),
    /// Distances that do not follow from their successors.
    #[error("{0}: a mate in {1} does not follow from the positions after it")]
    Distance(Material, usize),
    /// Stored totals that differ from the positions.
    #[error("{0}: the stored totals are not those of the positions")]
    Totals(Material),
    /// The rules say otherwise.
    #[error("{0}: the rules give {1:?}, the table {2:?}")]
    Rules(String, Distance, Option<Distance>),
}

impl Table {
    /// Checks that every distance follows from those of the positions after it, in the stored form, for all positions.
    pub fn verify(&self, smaller: &Tables, threads: usize) -> Result<(), VerifyError> {
        if !self.check() {
            return Err(VerifyError::Checksum(self.material()));
        }
        match self.material().pieces() {
            1 => verify::<1>(self, smaller, threads),
            2 => verify::<2>(self, smaller, threads),
            _ => verify::<3>(self, smaller, threads),
        }
    }
}

fn verify<const N: usize>(table: &Table, smaller: &Tables, threads: usize) -> Result<(), VerifyError> {
    let material = table.material();
    let ground = Ground::<N>::new(material, smaller, threads)?;
    let groups = ground.groups.len;
    assert_eq!(table.rows(), groups * KHUN_SQUARES, "rows are counted when a table is opened");
    let within = |row: Option<Row<'_>>, distance: usize| row.map_or(0, |row| row.within(distance as u8));
    let mut census =
        Census { attacker_positions: ground.positions.0, bare_positions: ground.positions.1, ..Census::default() };
    let longest = table.census().longest();
    let last = longest.0.max(longest.1).max(ground.horizon as usize).min(MAX_DISTANCE - 1);
    let mut lost = vec![0u64; ground.rows()];
    for distance in 0..=last {
        let (bare, attacker, good) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(true));
        parallel(threads, lost.chunks_mut(groups).enumerate(), |(at, lost)| {
            let mut new = 0;
            ground.groups.for_each(|number, p| {
                let row = at * groups + number;
                let won = within(table.row(row), distance);
                let set = ground.lost(row, khun_square(at), &p, won, distance as u8);
                new += u64::from((set & !lost[number]).count_ones());
                lost[number] = set;
            });
            bare.fetch_add(new, Relaxed);
        });
        let lost = &lost;
        parallel(threads, 0..KHUN_SQUARES, |at| {
            let khun = khun_square(at);
            let (mut new, mut same) = (0, true);
            ground.groups.for_each(|number, p| {
                let row = at * groups + number;
                let quiet = ground.quiet(row, khun, &p);
                if quiet == 0 {
                    return;
                }
                let stored = table.row(row);
                let before = within(stored, distance) & quiet;
                let won = within(stored, distance + 1) & quiet;
                new += u64::from((won & !before).count_ones());
                // What was won earlier stays won, so only the squares outside need to be reached anew.
                if before != quiet {
                    same &= (ground.reach(lost, khun, number, &p) | before) & quiet == won;
                }
                if distance == 0 {
                    same &= before == 0;
                }
                // Behind the last distance there are no more.
                if distance == last {
                    same &= within(stored, MAX_DISTANCE) & quiet == won;
                }
            });
            attacker.fetch_add(new, Relaxed);
            if !same {
                good.store(false, Relaxed);
            }
        });
        if !good.into_inner() {
            return Err(VerifyError::Distance(material, distance + 1));
        }
        census.bare_losses[distance] = 2 * bare.into_inner();
        census.attacker_wins[distance + 1] = 2 * attacker.into_inner();
    }
    if census != *table.census() {
        return Err(VerifyError::Totals(material));
    }
    Ok(())
}

impl Tables {
    /// Compares `samples` positions of an ending with what the rules of `rukh-core` make of the positions after them: code
    /// that shares only the attack sets of pieces with the generator. Returns how many positions were legal.
    pub fn cross_check(&self, material: Material, samples: u64, seed: u64) -> Result<u64, VerifyError> {
        let mut rng = Rng::plain(seed);
        let mut random = move || rng.next_u64();
        let mut legal = 0;
        for _ in 0..samples {
            let attacker = if random() & 1 == 0 { Color::White } else { Color::Black };
            let mut setup = Setup::new(if random() & 1 == 0 { Color::White } else { Color::Black });
            let mut men = vec![(attacker, Kind::King), (!attacker, Kind::King)];
            for (kind, &n) in crate::material::KINDS.iter().zip(&material.counts()) {
                men.extend(core::iter::repeat_n((attacker, *kind), n as usize));
            }
            let mut taken = 0u64;
            for (color, kind) in men {
                let at = loop {
                    let at = random() % 64;
                    if taken >> at & 1 == 0 {
                        break at;
                    }
                };
                taken |= 1 << at;
                setup.put(color, kind, Square::from_index(at as u8).unwrap_or(Square::A1));
            }
            let Ok(pos) = Position::<Makruk>::from_setup(&setup) else { continue };
            legal += 1;
            let wanted = self.one_ply(&pos, attacker);
            let stored = self.distance(&pos);
            if stored != Some(wanted) {
                return Err(VerifyError::Rules(pos.fen(), wanted, stored));
            }
        }
        Ok(legal)
    }

    /// The distance of a position from those after its moves.
    fn one_ply(&self, pos: &Position<Makruk>, attacker: Color) -> Distance {
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return if pos.in_check() { Distance::Mate(0) } else { Distance::Draw };
        }
        // Nothing left to mate with: no table, and a draw.
        let after = moves.iter().map(|&mv| self.distance(&pos.after_unchecked(mv)).unwrap_or(Distance::Draw));
        let rank = |d: Distance| match d {
            Distance::Draw => u32::MAX,
            Distance::Mate(n) => u32::from(n),
        };
        if pos.side_to_move() == attacker {
            match after.min_by_key(|&d| rank(d)) {
                Some(Distance::Mate(n)) => Distance::Mate(n + 1),
                _ => Distance::Draw,
            }
        } else {
            after.max_by_key(|&d| rank(d)).unwrap_or(Distance::Draw)
        }
    }
}

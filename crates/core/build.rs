//! Lays out the slider attack tables: by PEXT where the target has it, else by magics that are searched for here.
//! Every entry is checked against a ray walk before it is written.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let x86_64 = env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    let pext = x86_64 && features.split(',').any(|f| f == "bmi2");
    println!("cargo:rustc-check-cfg=cfg(rukh_pext)");
    if pext {
        println!("cargo:rustc-cfg=rukh_pext");
    }

    let mut table: Vec<u64> = Vec::new();
    let mut source = String::new();
    for (name, rays) in [("ROOK", &ROOK), ("BISHOP", &BISHOP)] {
        let (mut masks, mut magics, mut offsets, mut shifts) = (vec![], vec![], vec![], vec![]);
        for square in 0..64 {
            let mask = relevant(square, rays);
            let bits = mask.count_ones();
            let offset = table.len();
            let subsets: Vec<u64> = (0..1u64 << bits).map(|i| deposit(i, mask)).collect();
            let attacks: Vec<u64> = subsets.iter().map(|&occ| walk(square, rays, occ)).collect();
            let magic = if pext {
                table.extend(&attacks);
                0
            } else {
                let (magic, slots) = find_magic(square, mask, &subsets, &attacks);
                table.extend(slots);
                magic
            };
            for (occ, attack) in subsets.iter().zip(&attacks) {
                let index = if pext { extract(*occ, mask) } else { occ.wrapping_mul(magic) >> (64 - bits) };
                assert_eq!(table[offset + index as usize], *attack, "slider table is wrong on square {square}");
            }
            masks.push(mask);
            magics.push(magic);
            offsets.push(offset);
            shifts.push(64 - bits);
        }
        writeln!(source, "static {name}: Slider = Slider {{ mask: {masks:?}, offset: {offsets:?},").unwrap();
        if !pext {
            writeln!(source, "    magic: {magics:?}, shift: {shifts:?},").unwrap();
        }
        writeln!(source, "}};").unwrap();
    }
    writeln!(source, "const TABLE_LEN: usize = {};", table.len()).unwrap();
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("sliders.rs"), source).expect("cannot write sliders.rs");
    let bytes: Vec<u8> = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(Path::new(&out).join("sliders.bin"), bytes).expect("cannot write sliders.bin");
}

/// The squares a slider attacks, its blockers included.
fn walk(square: i32, rays: &[(i32, i32)], occupied: u64) -> u64 {
    let mut attacks = 0;
    for (df, dr) in rays {
        let (mut f, mut r) = (square % 8 + df, square / 8 + dr);
        while (0..8).contains(&f) && (0..8).contains(&r) {
            let bit = 1u64 << (8 * r + f);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            f += df;
            r += dr;
        }
    }
    attacks
}

/// The squares whose occupancy matters: those with another square behind them on the ray.
fn relevant(square: i32, rays: &[(i32, i32)]) -> u64 {
    let mut mask = 0;
    for (df, dr) in rays {
        let (mut f, mut r) = (square % 8 + df, square / 8 + dr);
        while (0..8).contains(&(f + df)) && (0..8).contains(&(r + dr)) {
            mask |= 1u64 << (8 * r + f);
            f += df;
            r += dr;
        }
    }
    mask
}

fn deposit(mut value: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 {
        if value & 1 != 0 {
            out |= mask & mask.wrapping_neg();
        }
        value >>= 1;
        mask &= mask - 1;
    }
    out
}

fn extract(value: u64, mut mask: u64) -> u64 {
    let (mut out, mut bit) = (0, 1);
    while mask != 0 {
        if value & mask & mask.wrapping_neg() != 0 {
            out |= bit;
        }
        bit <<= 1;
        mask &= mask - 1;
    }
    out
}

/// A multiplier that sends every relevant occupancy to a slot of its own or to one with the same attacks.
fn find_magic(square: i32, mask: u64, subsets: &[u64], attacks: &[u64]) -> (u64, Vec<u64>) {
    let bits = mask.count_ones();
    let mut seed = 0x9E37_79B9_7F4A_7C15u64 ^ (square as u64).wrapping_mul(0x2545_F491_4F6C_DD1D) ^ mask;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut slots = vec![0u64; 1 << bits];
    'search: loop {
        let magic = next() & next() & next();
        if (mask.wrapping_mul(magic) >> 56).count_ones() < 6 {
            continue;
        }
        slots.fill(0);
        for (occ, &attack) in subsets.iter().zip(attacks) {
            // No attack set is empty, so zero marks a free slot.
            let slot = &mut slots[(occ.wrapping_mul(magic) >> (64 - bits)) as usize];
            if *slot != 0 && *slot != attack {
                continue 'search;
            }
            *slot = attack;
        }
        return (magic, slots);
    }
}

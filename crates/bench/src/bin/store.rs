//! Figures of the store for `cargo xtask bench store`, one tab-separated line each.
//!
//! `store extract <games> <count> <out.pgn>`: the first games of a file, plain, for all sides alike
//! `store replay <games>`: half-moves, CPU seconds
//! `store database <games> <dir>`: positions, CPU seconds, wall seconds, unique, bytes, code bytes, look-ups, CPU seconds

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use rukh_bench::CpuClock;
use rukh_store::db::{Database, ImportOptions, import};
use rukh_store::pgn::{Chunk, Chunks, Input, MAX_GAME_BYTES, PgnReader};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["extract", games, count, out] => extract(games.as_ref(), count.parse()?, out.as_ref()),
        ["replay", games] => replay(games.as_ref()),
        ["database", games, dir] => database(games.as_ref(), dir.as_ref()),
        _ => Err("see the source for the usage".into()),
    }
}

fn extract(games: &Path, count: usize, out: &Path) -> Result<(), Box<dyn Error>> {
    let mut chunks = Chunks::new(Input::open(games)?.reader, MAX_GAME_BYTES);
    let mut out = BufWriter::new(File::create(out)?);
    for _ in 0..count {
        let Some(Chunk::Game(bytes, _)) = chunks.next()? else { break };
        out.write_all(bytes)?;
    }
    out.flush()?;
    Ok(())
}

fn replay(games: &Path) -> Result<(), Box<dyn Error>> {
    let clock = CpuClock::start();
    let mut reader = PgnReader::open(games)?;
    let mut plies = 0;
    while let Some(game) = reader.next_game() {
        plies += game?.moves.len();
    }
    println!("{plies}\t{:.4}", clock.elapsed().as_secs_f64());
    Ok(())
}

fn database(games: &Path, dir: &Path) -> Result<(), Box<dyn Error>> {
    let (start, before) = (Instant::now(), process_cpu());
    let report = import(dir, &[games.to_owned()], &ImportOptions::default(), &mut ())?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), process_cpu() - before);
    let db = Database::open(dir)?;
    let totals = db.totals();
    // Keys of positions spread over the games, and as many that nobody has played.
    let mut keys = Vec::new();
    for segment in db.segments() {
        let step = (segment.games.len() / 2000).max(1);
        for game in (0..segment.games.len()).step_by(step as usize) {
            segment.games.replay(game, |_, pos, _| {
                keys.extend([pos.key(), !pos.key()]);
                true
            })?;
        }
    }
    shuffle(&mut keys);
    // Once to bring the file into the cache and past its checksums.
    keys.iter().try_for_each(|&key| db.count(key).map(drop))?;
    let clock = CpuClock::start();
    let (mut done, mut found) = (0u64, 0u64);
    while done < 2_000_000 {
        for &key in &keys {
            found += u64::from(db.count(key)? > 0);
        }
        done += keys.len() as u64;
    }
    assert!(found * 2 >= done && found * 2 < done + done / 100, "half of the keys are known: {found} of {done}");
    let lookup_cpu = clock.elapsed().as_secs_f64();
    println!(
        "{}\t{cpu:.2}\t{wall:.2}\t{}\t{}\t{}\t{done}\t{lookup_cpu:.4}",
        report.positions, totals.positions, totals.bytes, totals.code_bytes
    );
    Ok(())
}

fn shuffle(keys: &mut [u64]) {
    let mut seed = 1u64;
    for i in (1..keys.len()).rev() {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        keys.swap(i, (seed >> 33) as usize % (i + 1));
    }
}

/// CPU seconds of all threads of this process, from ticks of 10 ms; 0 where the system does not tell.
fn process_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in brackets may hold blanks; the times are the 12th and 13th fields behind it.
    let fields: Vec<f64> =
        text.rsplit(')').next().unwrap_or("").split_whitespace().filter_map(|f| f.parse().ok()).collect();
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}

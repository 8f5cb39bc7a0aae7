//! Figures of the store for `cargo xtask bench store`, one tab-separated line each.
//!
//! `store extract <games> <count> <out.pgn>`: the first games of a file, plain, for all sides alike
//! `store replay <games>`: half-moves, CPU seconds
//! `store database <games> <dir>`: positions, CPU seconds, wall seconds, unique, bytes, code bytes, look-ups, CPU seconds
//! `store http <rukh> <dir>`: requests, milliseconds of the median, of 99 %, of the worst
//! `store memory <rukh> <games> <dir> <MB> <times>`: megabytes of text, greatest megabytes of memory

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rukh_bench::CpuClock;
use rukh_core::rng::Rng;
use rukh_core::{Chess, Position};
use rukh_pgn::{Chunk, Chunks, Input, MAX_GAME_BYTES, PgnReader};
use rukh_store::db::{Database, ImportOptions, import};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["extract", games, count, out] => extract(games.as_ref(), count.parse()?, out.as_ref()),
        ["replay", games] => replay(games.as_ref()),
        ["database", games, dir] => database(games.as_ref(), dir.as_ref()),
        ["http", rukh, dir] => http(rukh, dir.as_ref()),
        ["memory", rukh, games, dir, megabytes, times] => memory(rukh, games.as_ref(), dir, megabytes, times.parse()?),
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
    let db = Database::<Chess>::open(dir)?;
    let totals = db.totals();
    // Keys of positions spread over the games, and as many that nobody has played.
    let mut keys = Vec::new();
    for segment in db.segments() {
        let step = (segment.games.len() / 2000).max(1);
        for game in (0..segment.games.len()).step_by(step as usize) {
            segment.games.replay(game, |_, pos: &Position<Chess>, _| {
                keys.extend([pos.key(), !pos.key()]);
                true
            })?;
        }
    }
    Rng::plain(1).shuffle(&mut keys);
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

/// Questions of `http`.
const REQUESTS: usize = 3000;

/// A program that must not outlive the measurement.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Asks a server for positions spread over the games, one after another over one connection, each once: first touches count.
fn http(rukh: &str, dir: &Path) -> Result<(), Box<dyn Error>> {
    let db = Database::<Chess>::open(dir)?;
    let mut fens = Vec::new();
    for segment in db.segments() {
        let step = (segment.games.len() / 100).max(1);
        for game in (0..segment.games.len()).step_by(step as usize) {
            segment.games.replay(game, |_, pos: &Position<Chess>, _| {
                fens.push(pos.fen());
                true
            })?;
        }
    }
    Rng::plain(1).shuffle(&mut fens);
    fens.truncate(REQUESTS);
    let words = ["serve", "--port", "0", "--no-learn", "--db"];
    let mut server = Running(Command::new(rukh).args(words).arg(dir).stdout(Stdio::piped()).spawn()?);
    let mut url = String::new();
    BufReader::new(server.0.stdout.take().ok_or("no output")?).read_line(&mut url)?;
    let address = url.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut out = TcpStream::connect(&address)?;
    out.set_nodelay(true)?;
    let mut answers = BufReader::new(out.try_clone()?);
    let mut times = Vec::with_capacity(fens.len());
    for fen in &fens {
        let start = Instant::now();
        let fen = fen.replace(' ', "%20");
        out.write_all(format!("GET /api/explore?fen={fen} HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes())?;
        let (mut line, mut length) = (String::new(), 0);
        answers.read_line(&mut line)?;
        if !line.contains(" 200 ") {
            return Err(format!("{fen}: {line}").into());
        }
        while line.trim() != "" {
            line.clear();
            answers.read_line(&mut line)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        answers.read_exact(&mut body)?;
        assert!(body.starts_with(b"{\"fen\"") && !body.windows(12).any(|w| w == b"\"games\": 0, "), "a known position");
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    let (median, most, worst) = (times[times.len() / 2], times[times.len() * 99 / 100], times[times.len() - 1]);
    println!("{}\t{median:.3}\t{most:.3}\t{worst:.3}", times.len());
    Ok(())
}

/// Imports the games many times over, under other names, and watches the memory.
fn memory(rukh: &str, games: &Path, dir: &str, megabytes: &str, times: usize) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read(games)?;
    let words = ["db", "import", "--memory", megabytes, "--db", dir, "-"];
    let mut child = Running(
        Command::new(rukh).args(words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?,
    );
    let mut input = BufWriter::new(child.0.stdin.take().ok_or("no input")?);
    let mut sent = 0;
    let mark = b"[White \"";
    for copy in 0..times {
        for line in text.split_inclusive(|&b| b == b'\n') {
            match line.strip_prefix(mark) {
                Some(rest) => {
                    input.write_all(mark)?;
                    write!(input, "{copy} ")?;
                    input.write_all(rest)?;
                }
                None => input.write_all(line)?,
            }
            sent += line.len();
        }
    }
    drop(input.into_inner()?);
    let (status, mut most) = (format!("/proc/{}/status", child.0.id()), 0.0f64);
    while child.0.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes: f64 = peak.and_then(|p| p.split_whitespace().next()?.parse().ok()).unwrap_or(0.0);
        most = most.max(kilobytes / 1024.0);
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("{:.0}\t{most:.1}", sent as f64 / 1e6);
    Ok(())
}

/// CPU seconds of all threads of this process, from ticks of 10 ms; 0 where the system does not tell.
fn process_cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in brackets may hold blanks; the times are the 12th and 13th fields behind it.
    let fields: Vec<f64> =
        text.rsplit(')').next().unwrap_or("").split_whitespace().filter_map(|f| f.parse().ok()).collect();
    fields.get(10).zip(fields.get(11)).map_or(0.0, |(user, system)| (user + system) / 100.0)
}

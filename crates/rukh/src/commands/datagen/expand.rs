//! From games to training records: `expand` (positions with searched scores), `label` (random neighbours with static
//! scores) and `info`.

use crate::cli::{Args, CliError, Progress, not_an_input};
use crate::outln;
use rukh_core::Position;
use rukh_core::rng::Rng;
use rukh_eval::{Classical, Evaluator, Terms};
use rukh_files::OutputFile;
use rukh_store::selfplay::{BlockHead, Filter, FlatRecord, GamesReader, SelfPlay, Verdict, decode_block, score};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

/// What to make of the files.
pub struct Job {
    kind: Kind,
    threads: usize,
    out: Option<PathBuf>,
    filter: Filter,
    holdout: u64,
    count: u64,
    ahead: f64,
}

#[derive(PartialEq)]
enum Kind {
    Info,
    Expand,
    Label,
}

/// The remaining words as files.
pub fn files(mut args: Args) -> Result<Vec<PathBuf>, CliError> {
    let mut files = Vec::new();
    while let Some(word) = args.positional()? {
        files.push(PathBuf::from(word));
    }
    if files.is_empty() {
        return Err(CliError::usage("no games file given"));
    }
    Ok(files)
}

type Block = (BlockHead, Vec<u8>);

impl Job {
    pub fn parse(word: &str, threads: usize, args: &mut Args) -> Result<Job, CliError> {
        let kind = match word {
            "info" => Kind::Info,
            "expand" => Kind::Expand,
            _ => Kind::Label,
        };
        let out = args.option("--out")?.map(PathBuf::from);
        if kind != Kind::Info && out.is_none() {
            return Err(CliError::usage("--out FILE is missing"));
        }
        let filter = Filter { max_score: args.parsed("--max-score")?.unwrap_or(6_000), ..Filter::default() };
        let holdout = args.parsed("--holdout")?.unwrap_or(64u64).max(1);
        let ahead: f64 = args.parsed("--ahead")?.unwrap_or(0.0);
        if !(0.0..1.0).contains(&ahead) {
            return Err(CliError::usage("--ahead: at least 0, below 1"));
        }
        let count = args.parsed("--count")?.unwrap_or(1_000_000);
        Ok(Job { kind, threads, out, filter, holdout, count, ahead })
    }

    pub fn run<R: Terms>(&self, files: &[PathBuf]) -> Result<(), CliError> {
        if let Some(out) = &self.out {
            not_an_input(out, files)?;
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut damaged = 0;
        for path in files {
            damaged += usize::from(!read::<R>(path, &mut blocks)?);
        }
        match &self.out {
            Some(out) if self.kind != Kind::Info => self.write::<R>(&blocks, out),
            _ => info::<R>(&blocks, &self.filter),
        }?;
        // What is left of the games was used; whoever goes on from here must know that it is not all.
        match damaged {
            0 => Ok(()),
            1 => Err(CliError::new("a file is damaged, games are missing ('rukh datagen repair' keeps the good ones)")),
            n => Err(CliError::new(format!("{n} files are damaged, games are missing"))),
        }
    }

    /// Decodes the blocks on all threads and writes the records in the order in which threads finish.
    fn write<R: Terms>(&self, blocks: &[Block], out: &Path) -> Result<(), CliError> {
        let total: u64 = blocks.iter().map(|(head, _)| u64::from(head.games)).sum();
        let file = Mutex::new(OutputFile::create(out)?);
        let (next, games, records) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let failure: Mutex<Option<CliError>> = Mutex::new(None);
        // Label: every kept position gets its share of neighbours.
        let plies: u64 = blocks.iter().map(|(head, _)| u64::from(head.plies)).sum();
        let share = self.count as f64 / plies.max(1) as f64;
        let worker = || -> Result<(), CliError> {
            let mut eval = Classical::<R>::new();
            loop {
                let index = next.fetch_add(1, Relaxed);
                let Some((head, payload)) = blocks.get(index) else { return Ok(()) };
                let mut list = decode_block::<R>(payload, head.games).map_err(CliError::new)?;
                list.iter_mut().for_each(|game| score::look_ahead(&mut game.scores, self.ahead));
                let mut rng = Rng::new(head.seed ^ 0x6c61_6265_6c21, u64::from(head.number));
                let mut buffer = Vec::new();
                for game in &list {
                    let held_out = rng.next_u64().is_multiple_of(self.holdout);
                    if self.kind == Kind::Expand {
                        self.filter.positions::<R>(game, |pos, cp| {
                            let points = game.verdict.points(pos.side_to_move());
                            buffer.extend_from_slice(&FlatRecord::new(pos, cp, points, held_out).0);
                        });
                    } else {
                        neighbours(game, share, &mut rng, &mut eval, held_out, &mut buffer);
                    }
                }
                records.fetch_add(buffer.len() as u64 / 36, Relaxed);
                games.fetch_add(list.len() as u64, Relaxed);
                file.lock().map_err(|_| CliError::new("another thread failed"))?.write_all(&buffer)?;
            }
        };
        let mut progress = Progress::new("expand", Some(total));
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads)
                .map(|_| {
                    scope.spawn(|| {
                        if let Err(error) = worker()
                            && let Ok(mut failure) = failure.lock()
                        {
                            failure.get_or_insert(error);
                        }
                    })
                })
                .collect();
            while threads.iter().any(|t| !t.is_finished()) {
                std::thread::sleep(std::time::Duration::from_millis(20));
                progress.set(games.load(Relaxed), "");
            }
        });
        progress.finish();
        if let Some(error) = failure.lock().ok().and_then(|mut f| f.take()) {
            return Err(error);
        }
        file.into_inner().map_err(|_| CliError::new("another thread failed"))?.commit()?;
        outln!("{} games, {} records in {}", games.load(Relaxed), records.load(Relaxed), out.display());
        Ok(())
    }
}

/// Takes all good blocks of a file; says what had to be left out, and whether nothing was damaged.
fn read<R: Terms>(path: &Path, blocks: &mut Vec<Block>) -> Result<bool, CliError> {
    let at = |error| CliError::new(format!("{}: {error}", path.display()));
    let mut reader = GamesReader::open::<R>(path).map_err(at)?;
    while let Some(block) = reader.read_on().map_err(at)? {
        blocks.push(block);
    }
    if let Some(said) = reader.complaint() {
        eprintln!("{}: {said}", path.display());
    }
    Ok(reader.losses().places == 0)
}

/// Positions a few random moves away from those of the game, with the classical evaluation as score: cheap labels without
/// noise, spread like what a search looks at. The result of such a record is the draw, and means nothing.
fn neighbours<R: Terms>(
    game: &SelfPlay,
    share: f64,
    rng: &mut Rng,
    eval: &mut Classical<R>,
    held_out: bool,
    buffer: &mut Vec<u8>,
) {
    let mut pos = Position::<R>::startpos();
    let mut owed = 0.0;
    for (ply, &mv) in game.moves.iter().enumerate() {
        if ply >= game.opening {
            owed += share;
            let mut tries = 0;
            while owed >= 1.0 && tries < 400 {
                tries += 1;
                // One to four random moves away; every calm position on the way counts.
                let mut at = pos;
                for _ in 0..1 + rng.below(4) {
                    let moves = at.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    at = at.after(moves[rng.below(moves.len())]);
                    if at.in_check() || owed < 1.0 {
                        continue;
                    }
                    owed -= 1.0;
                    let value = eval.evaluate(&at);
                    buffer.extend_from_slice(&FlatRecord::new(&at, value, 1, held_out).0);
                }
            }
        }
        pos = pos.after(mv);
    }
}

fn info<R: Terms>(blocks: &[Block], filter: &Filter) -> Result<(), CliError> {
    let (mut games, mut plies, mut kept, mut bytes) = (0u64, 0u64, 0u64, 0u64);
    let mut results = [0u64; 3];
    let mut table = super::wdl::Tables::new();
    let mut men = [0u64; 33];
    let mut keys = std::collections::HashSet::new();
    for (head, payload) in blocks {
        bytes += payload.len() as u64 + 32;
        for game in decode_block::<R>(payload, head.games).map_err(CliError::new)? {
            games += 1;
            table.add::<R>(&game);
            plies += game.scores.len() as u64;
            results[game.verdict as usize] += 1;
            filter.positions::<R>(&game, |pos, _| {
                kept += 1;
                men[pos.occupied().count().min(32) as usize] += 1;
                keys.insert(pos.key());
            });
        }
    }
    let share = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
    outln!("games      {games} ({:.1} scored plies each)", plies as f64 / games.max(1) as f64);
    outln!(
        "results    White {:.1} %, draw {:.1} %, Black {:.1} %",
        share(results[Verdict::WhiteWins as usize], games),
        share(results[Verdict::Draw as usize], games),
        share(results[Verdict::BlackWins as usize], games)
    );
    outln!("plies      {plies}");
    outln!(
        "kept       {kept} ({:.1} %), {:.2} % of them twice",
        share(kept, plies),
        share(kept - keys.len() as u64, kept)
    );
    outln!("bytes      {bytes} ({:.3} a ply)", bytes as f64 / plies.max(1) as f64);
    let text: Vec<String> =
        (0..8).map(|b| format!("{:.1}", share(men[2 + 4 * b..(6 + 4 * b).min(33)].iter().sum(), kept))).collect();
    outln!("men 2-5, 6-9, ... 30-32 (%): {}", text.join(" "));
    let (a, b) = table.all.fit();
    outln!("model      half of the games are won from {a:.0} centipawns on, width {b:.0}");
    for (least, most, scores, (a, b)) in table.by_men() {
        outln!("  {least:>2}-{most:<2} men  {a:.0}, width {b:.0} ({scores} scores)");
    }
    Ok(())
}

//! From games to training records: positions with searched scores, random neighbours with static scores, and figures.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use rukh_core::Variant;
use rukh_core::rng::Rng;
use rukh_eval::{Classical, Evaluator, Terms};
use rukh_files::OutputFile;
use rukh_store::selfplay::{BlockHead, Filter, FlatRecord, GamesReader, SelfPlay, decode_block, score};

use super::wdl::Tables;
use crate::LabError;

/// What kind of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The positions of the games with their searched scores.
    Expand,
    /// Random neighbours of these positions with the classical evaluation as score.
    Label,
}

/// How to make records.
#[derive(Debug, Clone)]
pub struct Job {
    /// What kind of records.
    pub kind: Kind,
    /// Threads.
    pub threads: usize,
    /// Which positions of a game to take.
    pub filter: Filter,
    /// One game in so many is marked as held out.
    pub holdout: u64,
    /// How many positions to make of [`Kind::Label`].
    pub count: u64,
    /// Share of the score one ply later in each score, and so on along the game.
    pub ahead: f64,
}

/// Games and records of a finished job.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// Games read.
    pub games: u64,
    /// Records written.
    pub records: u64,
}

/// One block of a file of games, still coded.
pub type Block = (BlockHead, Vec<u8>);

impl Job {
    /// Decodes the blocks on all threads and writes the records in the order in which threads finish.
    /// `watch` hears how many games are done and how many there are.
    pub fn write<R: Terms>(
        &self,
        blocks: &[Block],
        out: &Path,
        mut watch: impl FnMut(u64, u64),
    ) -> Result<Written, LabError> {
        let total: u64 = blocks.iter().map(|(head, _)| u64::from(head.games)).sum();
        let file = Mutex::new(OutputFile::create(out)?);
        let (next, games, records) = (AtomicUsize::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let failure: Mutex<Option<LabError>> = Mutex::new(None);
        // Label: every kept position gets its share of neighbours.
        let plies: u64 = blocks.iter().map(|(head, _)| u64::from(head.plies)).sum();
        let share = self.count as f64 / plies.max(1) as f64;
        let worker = || -> Result<(), LabError> {
            let mut eval = Classical::<R>::new();
            loop {
                let index = next.fetch_add(1, Relaxed);
                let Some((head, payload)) = blocks.get(index) else { return Ok(()) };
                let mut list = decode_block::<R>(head, payload).map_err(LabError::new)?;
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
                file.lock().map_err(|_| LabError::new("another thread failed"))?.write_all(&buffer)?;
            }
        };
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
                watch(games.load(Relaxed), total);
            }
        });
        if let Some(error) = failure.lock().ok().and_then(|mut f| f.take()) {
            return Err(error);
        }
        file.into_inner().map_err(|_| LabError::new("another thread failed"))?.commit()?;
        Ok(Written { games: games.load(Relaxed), records: records.load(Relaxed) })
    }
}

/// Takes all good blocks of a file of `variant`; says what had to be left out, and whether that was damage.
pub fn read(path: &Path, variant: Variant, blocks: &mut Vec<Block>) -> Result<(Option<String>, bool), LabError> {
    let at = |error| LabError::at(path, error);
    let mut reader = GamesReader::open(path).and_then(|reader| reader.only(variant)).map_err(at)?;
    while let Some(block) = reader.read_on().map_err(at)? {
        blocks.push(block);
    }
    Ok((reader.complaint(), reader.losses().places > 0))
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
    let mut pos = game.start::<R>();
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

/// What is in files of games.
pub struct Figures {
    /// Games.
    pub games: u64,
    /// Moves with a score.
    pub plies: u64,
    /// Positions that the filter keeps.
    pub kept: u64,
    /// Of these, different ones.
    pub different: u64,
    /// Bytes of the blocks.
    pub bytes: u64,
    /// Games by result, in the order of [`rukh_store::selfplay::SelfPlayResult`].
    pub results: [u64; 3],
    /// Kept positions by their number of men.
    pub men: [u64; 33],
    /// What scores are worth.
    pub model: Tables,
}

/// Counts what is in the blocks.
pub fn figures<R: Terms>(blocks: &[Block], filter: &Filter) -> Result<Figures, LabError> {
    let mut found = Figures {
        games: 0,
        plies: 0,
        kept: 0,
        different: 0,
        bytes: 0,
        results: [0; 3],
        men: [0; 33],
        model: Tables::new(),
    };
    let mut keys = std::collections::HashSet::new();
    for (head, payload) in blocks {
        found.bytes += payload.len() as u64 + 32;
        for game in decode_block::<R>(head, payload).map_err(LabError::new)? {
            found.games += 1;
            found.model.add::<R>(&game);
            found.plies += game.scores.len() as u64;
            found.results[game.verdict as usize] += 1;
            filter.positions::<R>(&game, |pos, _| {
                found.kept += 1;
                found.men[pos.occupied().count().min(32) as usize] += 1;
                keys.insert(pos.key());
            });
        }
    }
    found.different = keys.len() as u64;
    Ok(found)
}

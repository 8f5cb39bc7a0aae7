//! Puzzles from games: positions in which one move wins and no other does, proved by two searches. docs/formats/puzzles.md has
//! the file.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::time::SystemTime;

use rukh_core::{AnyPosition, Move, Variant, dispatch};
use rukh_engine::{AnyGame, Engine, Limits, Options, Scale, Score, lock};
use rukh_pgn::PgnGame;

use crate::error::CoachError;
use crate::reasons::{Line, Theme, tactics};
use crate::spot::Spot;

/// How games are mined.
#[derive(Clone, Debug)]
pub struct Mining {
    /// Nodes for every position of a game, to see where it turns.
    pub scan: u64,
    /// Nodes of the first proof; the second has [`SECOND`] times as many.
    pub nodes: u64,
    /// Games at the same time.
    pub threads: usize,
    /// Options for every engine by their UCI names.
    pub options: Vec<(String, String)>,
    /// An end after so many puzzles.
    pub most: usize,
}

impl Mining {
    /// What is asked for, in one line: only the same task can go on. A file that was edited is another one, and what comes through a
    /// pipe is never the same.
    pub fn task(&self, inputs: &[PathBuf]) -> Result<String, CoachError> {
        let mut text = format!("scan {} nodes {}", self.scan, self.nodes);
        for input in inputs {
            let content = content(input).map_err(CoachError::file(input))?;
            text.push_str(&format!(", {} ({content})", input.display()));
        }
        Ok(text)
    }
}

/// Length and checksum of a file; the time for anything else.
fn content(input: &Path) -> io::Result<String> {
    if !input.is_file() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        return Ok(format!("read at {}", now.as_nanos()));
    }
    let (mut file, mut crc) = (BufReader::with_capacity(1 << 20, File::open(input)?), crc32fast::Hasher::new());
    let mut bytes = 0;
    loop {
        let piece = file.fill_buf()?;
        let length = piece.len();
        if length == 0 {
            return Ok(format!("{bytes} bytes, {:08x}", crc.finalize()));
        }
        crc.update(piece);
        file.consume(length);
        bytes += length;
    }
}

impl Default for Mining {
    fn default() -> Mining {
        Mining { scan: 2_000, nodes: 100_000, threads: 1, options: Vec::new(), most: usize::MAX }
    }
}

/// The second proof is so much deeper.
pub const SECOND: u64 = 5;
/// Points of a hundred: a move wins from here on.
pub const WINS: f64 = 90.0;
/// Every other move is worth at most this.
pub const OTHERS: f64 = 70.0;
/// The move before gave at least so many points away.
const TURN: f64 = 25.0;
/// Moves of the solver, at most.
const LONGEST: usize = 5;

/// A puzzle: the side to move wins, with one move only, and so on to the end of the solution.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The position's code, without clocks.
    pub code: String,
    /// The position.
    pub position: AnyPosition,
    /// The solver's moves and the answers; ends with a move of the solver.
    pub solution: Vec<Move>,
    /// What it is about, the most telling first.
    pub themes: Vec<Theme>,
    /// Points of a hundred with the solution, and with the next best move.
    pub points: (f64, f64),
    /// Depth at which a search finds the first move and keeps to it.
    pub depth: u32,
    /// Nodes until then.
    pub nodes: u64,
    /// Where it comes from: the `Site` of the game, or its players.
    pub source: String,
}

impl Puzzle {
    /// How hard it is: 100 × log₁₀ of the nodes to solve it, and 30 for each further move of the solver.
    pub fn difficulty(&self) -> u32 {
        let nodes = 100.0 * (self.nodes.max(1) as f64).log10();
        nodes.round() as u32 + 30 * (self.solution.len() as u32 / 2)
    }

    /// The names of the columns.
    pub const HEAD: &'static str = "code,variant,fen,moves,themes,difficulty,depth,nodes,points,second,source";

    /// One row of the file.
    pub fn row(&self) -> String {
        let themes: Vec<&str> = self.themes.iter().map(|theme| theme.name()).collect();
        let source: String = self.source.chars().filter(|c| !c.is_control()).collect();
        format!(
            "{},{},{},{},{},{},{},{},{:.1},{:.1},\"{}\"",
            self.code,
            self.position.variant(),
            self.position.fen(),
            self.position.uci_line(&self.solution).join(" "),
            themes.join(" "),
            self.difficulty(),
            self.depth,
            self.nodes,
            self.points.0,
            self.points.1,
            source.replace('"', "\"\"")
        )
    }
}

/// How far the mining is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Games looked through.
    pub games: u64,
    /// Positions that were worth a proof.
    pub candidates: u64,
    /// Puzzles.
    pub puzzles: u64,
}

/// Mines numbered games until there are none left, enough puzzles are found, or `stop` is set. `hear` gets every game that was looked
/// through to its end, with its puzzles; no puzzle comes twice, and none whose code is `known`.
pub fn mine(
    games: impl Iterator<Item = (u64, PgnGame)> + Send,
    plan: &Mining,
    stop: &AtomicBool,
    mut known: HashSet<String>,
    mut hear: impl FnMut(Totals, u64, Vec<Puzzle>) -> Result<(), CoachError>,
) -> Result<Totals, CoachError> {
    let games = Mutex::new(games);
    let (send, receive) = mpsc::sync_channel(64);
    std::thread::scope(|scope| {
        for _ in 0..plan.threads.max(1) {
            let (send, games) = (send.clone(), &games);
            scope.spawn(move || {
                let mut miner: Option<Miner<'_>> = None;
                while !stop.load(Relaxed) {
                    let next = lock(games).next();
                    let Some((number, game)) = next else { break };
                    let found =
                        Miner::of(&mut miner, game.start.variant(), plan).and_then(|miner| miner.game(&game, stop));
                    let failed = found.is_err();
                    if send.send((number, found)).is_err() || failed {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut totals = Totals::default();
        for (number, found) in receive {
            let heard = found.and_then(|found| {
                // One that was left before its end is looked through again another time.
                let Some((candidates, mut puzzles)) = found else { return Ok(()) };
                let room = (plan.most as u64).saturating_sub(totals.puzzles);
                puzzles.retain(|puzzle| known.insert(puzzle.code.clone()));
                puzzles.truncate(usize::try_from(room).unwrap_or(usize::MAX));
                totals.games += 1;
                totals.candidates += candidates;
                totals.puzzles += puzzles.len() as u64;
                hear(totals, number, puzzles)
            });
            if let Err(error) = heard {
                stop.store(true, Relaxed);
                return Err(error);
            }
            if totals.puzzles >= plan.most as u64 {
                stop.store(true, Relaxed);
            }
        }
        Ok(totals)
    })
}

/// What a search with two lines said.
struct Proof {
    best: Move,
    line: Vec<Move>,
    points: (f64, f64),
    depth: u32,
    nodes: u64,
}

struct Miner<'a> {
    engine: Engine,
    variant: Variant,
    plan: &'a Mining,
}

impl<'a> Miner<'a> {
    /// The worker's miner, made anew where the variant changes.
    fn of<'b>(
        slot: &'b mut Option<Miner<'a>>,
        variant: Variant,
        plan: &'a Mining,
    ) -> Result<&'b Miner<'a>, CoachError> {
        if slot.as_ref().is_none_or(|miner| miner.variant != variant) {
            let engine = Engine::new(Options::default())?;
            engine.set_option("UCI_Variant", variant.name())?;
            for (name, value) in &plan.options {
                engine.set_option(name, value)?;
            }
            *slot = Some(Miner { engine, variant, plan });
        }
        slot.as_ref().ok_or_else(|| CoachError::Refused("there is no engine".into()))
    }

    /// The puzzles of a game, and how many positions were worth a proof; nothing if it was stopped.
    fn game(&self, game: &PgnGame, stop: &AtomicBool) -> Result<Option<(u64, Vec<Puzzle>)>, CoachError> {
        self.engine.new_game();
        let (mut candidates, mut puzzles) = (0, Vec::new());
        let mut pos = game.start.clone();
        let mut before: Option<f64> = None;
        for &mv in &game.moves {
            if stop.load(Relaxed) {
                return Ok(None);
            }
            pos.play(mv);
            if AnyGame::from(&pos).finished().is_some() {
                break;
            }
            let points = self.scan(&pos)?;
            // What the side to move had before its opponent went wrong.
            let earlier = before.map(|points| 100.0 - points);
            before = Some(points);
            let turned = earlier.is_some_and(|earlier| points - earlier >= TURN) && points >= WINS - 10.0;
            if !turned || pos.legal_moves().len() < 2 {
                continue;
            }
            candidates += 1;
            if let Some(puzzle) = self.puzzle(&pos, mv, game)? {
                puzzles.push(puzzle);
            }
        }
        Ok(Some((candidates, puzzles)))
    }

    /// Points of the side to move, at a glance.
    fn scan(&self, pos: &AnyPosition) -> Result<f64, CoachError> {
        self.engine.set_game(AnyGame::from(pos))?;
        let score = self.engine.go(Limits::nodes(self.plan.scan), |_| {}).sound()?.score;
        Ok(points(pos, score))
    }

    /// The puzzle of a position, if there is one in it. `last` is the move that led to it.
    fn puzzle(&self, pos: &AnyPosition, last: Move, game: &PgnGame) -> Result<Option<Puzzle>, CoachError> {
        let nodes = self.plan.nodes;
        let Some(first) = self.prove(pos, nodes)? else { return Ok(None) };
        // To take back is no puzzle.
        if first.best.to() == last.to() && first.best.is_capture() && last.is_capture() {
            return Ok(None);
        }
        let Some(proof) = self.prove(pos, SECOND * nodes)?.filter(|proof| proof.best == first.best) else {
            return Ok(None);
        };
        let mut solution = vec![proof.best];
        let mut at = pos.clone();
        at.play(proof.best);
        let mut line = proof.line.clone();
        while solution.len() / 2 + 1 < LONGEST {
            let Some(&reply) = line.get(1) else { break };
            at.play(reply);
            if AnyGame::from(&at).finished().is_some() || at.legal_moves().len() < 2 {
                break;
            }
            let Some(next) = self.prove(&at, nodes)? else { break };
            solution.extend([reply, next.best]);
            at.play(next.best);
            line = next.line;
        }
        // What is behind the solution shows what it wins.
        let shown: Vec<Move> = solution.iter().chain(line.iter().skip(1)).copied().collect();
        let themes = dispatch!(pos, start => {
            let found = tactics(&Line::new(start, &shown), start.side_to_move());
            found.iter().map(|tactic| tactic.theme).collect()
        });
        let (depth, nodes) = (proof.depth, proof.nodes);
        let source = match game.tags.get("Site") {
            Some(site) if site.starts_with("http") => site.into_owned(),
            _ => format!("{} – {}", game.tags.white(), game.tags.black()),
        };
        let code = Spot::new(pos).code;
        Ok(Some(Puzzle { code, position: pos.clone(), solution, themes, points: proof.points, depth, nodes, source }))
    }

    /// Whether one move wins and no other does, by a search that knows nothing yet.
    fn prove(&self, pos: &AnyPosition, nodes: u64) -> Result<Option<Proof>, CoachError> {
        self.engine.new_game();
        self.engine.set_game(AnyGame::from(pos))?;
        let mut lines: [Option<(Score, Vec<Move>)>; 2] = [None, None];
        // The last time that the best move changed.
        let mut found: Option<(Move, u32, u64)> = None;
        let limits = Limits { nodes: Some(nodes), multipv: 2, ..Limits::default() };
        self.engine
            .go(limits, |info| {
                let line = info.pv.moves();
                if let Some(slot) = lines.get_mut(info.multipv.max(1) - 1) {
                    *slot = Some((info.score, line.to_vec()));
                }
                if let Some(&first) = line.first().filter(|_| info.multipv <= 1)
                    && found.is_none_or(|(best, ..)| best != first)
                {
                    found = Some((first, info.depth, info.nodes));
                }
            })
            .sound()?;
        let [Some((score, line)), Some((other, _))] = lines else { return Ok(None) };
        let Some((best, depth, nodes)) = found.filter(|(best, ..)| line.first() == Some(best)) else { return Ok(None) };
        let points = (points(pos, score), points(pos, other));
        let unique = points.0 >= WINS && points.1 <= OTHERS;
        Ok(unique.then_some(Proof { best, line, points, depth, nodes }))
    }
}

fn points(pos: &AnyPosition, score: Score) -> f64 {
    Scale::of(pos.variant(), pos.men()).for_marks(pos.variant()).wdl(score).expectation()
}

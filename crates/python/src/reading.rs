//! Games from a file into tables, on all cores, with bounded memory.
//!
//! One thread cuts the text into jobs of whole games (cheap), workers read them in turn, and the caller takes tables from the
//! workers in the same turn, so that the order stays that of the file. Each queue holds one thing: who is too quick waits.

use std::io::{self, Cursor, Read};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use rukh_core::{AnyPosition, Move, Position, dispatch};
use rukh_pgn::{
    Chunk, Chunks, GameResult, GameVisitor, Input, MAX_GAME_BYTES, MAX_PLIES, Packing, PgnError, RawValue, Reason,
    Resolve, SanProblem, Stream, Visitor, bad_move, clock_ms, decode, eval,
};

use crate::columns::Column;
use crate::fields::{Field, Game, Keeps};

/// Text in one job. A table of its games is about as large.
const JOB_BYTES: usize = 1 << 20;

/// What is to be read.
#[derive(Clone)]
pub struct Plan {
    /// The columns with their names.
    pub fields: Vec<(String, Field)>,
    /// One row a position rather than one a game.
    pub positions: bool,
    /// Games in one table, at most.
    pub batch: usize,
    pub threads: Option<usize>,
}

impl Plan {
    /// A table without rows.
    pub fn empty(&self) -> Vec<Column> {
        let column = |(name, field): &(String, Field)| match self.positions {
            true => field.position_column(name),
            false => field.game_column(name),
        };
        self.fields.iter().map(column).collect()
    }

    /// What games are to keep.
    pub fn keeps(&self) -> Keeps {
        Keeps::of(self.fields.iter().map(|(_, field)| field))
    }

    /// Adds a game, the number `number` of its table, at whose end stands `last`.
    pub fn add(&self, game: &mut Game, last: &AnyPosition, number: usize, columns: &mut [Column]) {
        game.end(last, &self.keeps());
        for ((_, field), column) in self.fields.iter().zip(columns) {
            match (self.positions, field) {
                (false, _) => field.add_game(game, column),
                (true, Field::Game) => (0..=game.plies).for_each(|_| column.number(Some(number as i64))),
                (true, _) => (0..=game.plies).for_each(|at| field.add(game, at, column)),
            }
        }
    }
}

/// Some games.
pub struct Table {
    pub columns: Vec<Column>,
    pub games: usize,
    pub problems: Vec<PgnError>,
}

#[derive(Default)]
struct Job {
    text: Vec<u8>,
    /// The line of the file where the text begins.
    line: u64,
    games: usize,
    problems: Vec<PgnError>,
}

/// The tables of a source, in its order.
pub struct Tables {
    workers: Vec<Receiver<Result<Table, String>>>,
    turn: usize,
    done: bool,
}

/// What [`Tables::next`] has to say.
pub enum Next {
    Table(Table),
    End,
    /// Nothing yet.
    Waiting,
    /// A fault of ours.
    Broken(String),
}

impl Tables {
    /// Begins to read.
    pub fn begin(name: &str, input: Input, plan: &Plan) -> io::Result<Tables> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let count = plan.threads.unwrap_or(cores).clamp(1, 256);
        let name: Arc<str> = name.into();
        let (mut jobs, mut workers) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (job, work) = sync_channel::<Job>(1);
            let (table, taken) = sync_channel(1);
            let (plan, name) = (plan.clone(), name.clone());
            thread::Builder::new().name("rukh-read".into()).spawn(move || read_jobs(&name, &plan, &work, &table))?;
            jobs.push(job);
            workers.push(taken);
        }
        let batch = plan.batch;
        thread::Builder::new().name("rukh-cut".into()).spawn(move || {
            // A reader that panics must not look like the end of the file.
            if catch_unwind(AssertUnwindSafe(|| cut(&name, input, batch, &jobs))).is_err() {
                let reason = Reason::Io(io::Error::other("the source crashed"));
                let problems = vec![PgnError { file: name, line: 0, reason }];
                let _ = jobs[0].send(Job { problems, ..Job::default() });
            }
        })?;
        Ok(Tables { workers, turn: 0, done: false })
    }

    /// Tables that `make` sends, from one thread; it ends when nobody takes them any more.
    pub fn made(make: impl FnOnce(&SyncSender<Result<Table, String>>) + Send + 'static) -> io::Result<Tables> {
        let (table, taken) = sync_channel(1);
        thread::Builder::new().name("rukh-read".into()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| make(&table))).is_err() {
                let _ = table.send(Err("a fault in rukh, please report it".into()));
            }
        })?;
        Ok(Tables { workers: vec![taken], turn: 0, done: false })
    }

    /// The next table, if it comes within a moment.
    pub fn next(&mut self, patience: Duration) -> Next {
        if self.done {
            return Next::End;
        }
        match self.workers[self.turn].recv_timeout(patience) {
            Ok(Ok(table)) => {
                self.turn = (self.turn + 1) % self.workers.len();
                Next::Table(table)
            }
            Ok(Err(fault)) => {
                self.done = true;
                Next::Broken(fault)
            }
            Err(RecvTimeoutError::Timeout) => Next::Waiting,
            Err(RecvTimeoutError::Disconnected) => {
                self.done = true;
                Next::End
            }
        }
    }
}

/// Cuts the text into jobs and deals them out in turn.
fn cut(name: &Arc<str>, input: Input, batch: usize, workers: &[SyncSender<Job>]) {
    let packing = input.packing;
    let mut chunks = Chunks::new(input.reader, MAX_GAME_BYTES);
    let mut turns = workers.iter().cycle();
    let mut deal = |job: &mut Job| turns.next().is_some_and(|worker| worker.send(std::mem::take(job)).is_ok());
    let problem = |line, reason| PgnError { file: name.clone(), line, reason };
    let mut job = Job::default();
    let mut damage = None;
    loop {
        let full = match chunks.next() {
            Ok(Some(Chunk::Game(text, line))) => {
                if job.text.is_empty() {
                    job.line = line;
                }
                job.text.extend_from_slice(text);
                job.games += 1;
                job.text.len() >= JOB_BYTES || job.games >= batch
            }
            // Lines are counted from the job's first: a gap ends it.
            Ok(Some(Chunk::TooLarge(line, binary))) => {
                let reason = if binary { Reason::Binary } else { Reason::TooLarge { limit: MAX_GAME_BYTES } };
                job.problems.push(problem(line, reason));
                true
            }
            Ok(None) => break,
            Err(error) => {
                damage = Some(problem(chunks.line_number(), Reason::from_read(packing, error)));
                chunks.finish_early();
                false
            }
        };
        if full && !deal(&mut job) {
            return;
        }
    }
    job.problems.extend(damage);
    if !job.text.is_empty() || !job.problems.is_empty() {
        deal(&mut job);
    }
}

/// A worker: reads the games of its jobs until there are no more, or nobody wants the tables.
fn read_jobs(name: &str, plan: &Plan, jobs: &Receiver<Job>, tables: &SyncSender<Result<Table, String>>) {
    while let Ok(job) = jobs.recv() {
        let line = job.line;
        let table = catch_unwind(AssertUnwindSafe(|| read_job(name, plan, job)))
            .unwrap_or_else(|_| Err(format!("{name}, from line {line}: a fault in rukh, please report it")));
        if tables.send(table).is_err() {
            return;
        }
    }
}

fn read_job(name: &str, plan: &Plan, job: Job) -> Result<Table, String> {
    let mut table = Table { columns: plan.empty(), games: 0, problems: Vec::new() };
    let packing = Packing::Plain;
    let reader: Box<dyn Read + Send> = Box::new(Cursor::new(job.text));
    let builder = Builder { game: Game::default(), now: AnyPosition::default(), keeps: plan.keeps() };
    let mut stream = Stream::from_input(name.into(), Input { reader, packing }, builder);
    while let Some(game) = stream.next_game() {
        match game {
            Ok(builder) => {
                builder.game.line += job.line - 1;
                plan.add(&mut builder.game, &builder.now, table.games, &mut table.columns);
                table.games += 1;
            }
            Err(mut error) => {
                error.line += job.line - 1;
                table.problems.push(error);
            }
        }
    }
    table.problems.extend(job.problems);
    Ok(table)
}

/// Reads one game after another into a [`Game`].
struct Builder {
    game: Game,
    now: AnyPosition,
    keeps: Keeps,
}

impl GameVisitor for Builder {
    fn begin(&mut self, line: u64) {
        self.game.clear(line);
    }

    fn is_wanted(&self) -> bool {
        !self.game.tags.is_empty() || self.game.plies > 0
    }
}

fn resolve<R: Resolve>(pos: &Position<R>, san: &[u8]) -> Result<Move, SanProblem> {
    R::resolve(pos, san)
}

/// Puts a value at a place of a list that is filled as far as it is needed.
fn set<T: Clone>(list: &mut Vec<Option<T>>, at: usize, value: T) {
    if list.len() <= at {
        list.resize(at + 1, None);
    }
    list[at] = Some(value);
}

impl Visitor for Builder {
    fn tag(&mut self, name: &[u8], value: RawValue<'_>) -> Result<(), Reason> {
        self.game.tags.push_raw(name, value);
        Ok(())
    }

    fn moves_wanted(&mut self) -> Result<bool, Reason> {
        self.game.start = self.game.tags.start_position()?;
        self.now = self.game.start.clone();
        Ok(true)
    }

    fn san(&mut self, san: &[u8]) -> Result<(), Reason> {
        if self.game.plies >= MAX_PLIES {
            return Err(Reason::TooLong { limit: MAX_PLIES });
        }
        let mv = dispatch!(&self.now, pos => resolve(pos, san)).map_err(|problem| bad_move(&self.now, san, problem))?;
        self.game.push(&self.now, mv, &self.keeps);
        self.now.play(mv);
        Ok(())
    }

    fn comment(&mut self, text: &[u8]) {
        if !self.keeps.comments {
            return;
        }
        let text = decode(text);
        let game = &mut self.game;
        let said = without_commands(&text);
        let Some(at) = game.plies.checked_sub(1) else {
            if !said.is_empty() {
                game.intro = Some(joined(game.intro.take(), said));
            }
            return;
        };
        if text.contains("[%") {
            if let Some(clock) = clock_ms(&text).and_then(|ms| i32::try_from(ms).ok()) {
                set(&mut game.clocks, at, i64::from(clock));
            }
            if let Some(eval) = eval(&text) {
                set(&mut game.evals, at, eval);
            }
        }
        if !said.is_empty() {
            let before = game.comments.get_mut(at).and_then(Option::take);
            set(&mut game.comments, at, joined(before, said));
        }
    }

    fn open_variation(&mut self) -> Result<bool, Reason> {
        if self.game.plies == 0 { Err(Reason::StrayVariation) } else { Ok(false) }
    }

    fn end(&mut self, result: Option<GameResult>) {
        self.game.result = match result {
            Some(GameResult::Unknown) | None => self.game.tags.result(),
            Some(result) => result,
        };
    }
}

fn joined(before: Option<String>, text: String) -> String {
    before.map_or_else(|| text.clone(), |before| format!("{before} {text}"))
}

/// A comment without `[%clk …]` and other commands, its white space made single blanks.
fn without_commands(text: &str) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[%") {
        said.push_str(&rest[..start]);
        said.push(' ');
        rest = rest[start..].split_once(']').map_or("", |(_, behind)| behind);
    }
    said.push_str(rest);
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

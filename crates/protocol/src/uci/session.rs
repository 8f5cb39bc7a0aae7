//! One dialogue with a GUI: the state, and what each command does to it.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rukh_core::{AnyGame, Color, Variant, dispatch};
use rukh_engine::{
    BENCH_DEPTH, Engine, EngineError, GoResult, Info, Limits, OptionKind, Options, SEARCH_STACK, Work, bench_until,
    lock,
};

use rukh_store::codes::resolve;

use super::command::{self, Command, GoSpec, PositionSpec};
use super::extras::{divide, flipped};
use super::info::write_info;
use super::queue::{Job, Kind, Turn, Waiting, turn};
use crate::game::{BoardStyle, OwnBook, OwnMemory, draw_board, evaluation};
use crate::{Output, guarded};

/// How long a search lasts whose limits could not be read.
pub(super) const UNREADABLE_MS: u64 = 1000;

/// One dialogue. Lines go in here; what is said comes out of its [`Output`].
pub struct Session {
    desk: Arc<Desk>,
}

/// What came of a line.
pub(super) enum Heard {
    /// It has been dealt with, as far as it is the reader's business.
    Done,
    /// A search began: somebody must run it.
    Search(Work),
    /// The end.
    Quit,
}

/// What the reader and the threads of searches share.
struct Desk {
    engine: Engine,
    output: Arc<Output>,
    // Never held while a search runs, only while a command is carried out.
    state: Mutex<State>,
    /// A job has ended.
    ended: Condvar,
}

struct State {
    game: AnyGame,
    /// Why the last `position` was refused.
    refused: Option<String>,
    job: Option<Job>,
    jobs: u64,
    /// A search that has been begun and needs a thread.
    errand: Option<Work>,
    waiting: VecDeque<Waiting>,
}

const HELP: &str = "\
uci                              names the engine and lists its options
isready                          answers readyok
setoption name N [value V]       sets an option
ucinewgame                       forgets everything about the last game
position startpos|fen F|code C [moves …]
go [depth|nodes|movetime|mate N] [wtime|btime|winc|binc MS] [movestogo N]
   [infinite] [ponder] [searchmoves …] [perft N]
stop, ponderhit, quit
d                                draws the board
eval                             explains the evaluation
flip                             turns the position round
perft N                          counts leaves
bench [depth]                    a fixed workload: nodes and speed";

impl Session {
    /// A new engine at the starting position.
    pub fn new(output: Arc<Output>) -> Result<Self, EngineError> {
        let engine = Engine::new(Options::default())?;
        engine.attach_book(OwnBook::default());
        engine.attach_memory_files(OwnMemory);
        let listener = Arc::clone(&output);
        engine.on_root_move(move |depth, mv, number| {
            listener.line(&format!("info depth {depth} currmove {mv} currmovenumber {number}"));
        });
        let state = State {
            game: AnyGame::new(Variant::Chess),
            refused: None,
            job: None,
            jobs: 0,
            errand: None,
            waiting: VecDeque::new(),
        };
        Ok(Self { desk: Arc::new(Desk { engine, output, state: Mutex::new(state), ended: Condvar::new() }) })
    }

    /// Acts on one line, without waiting for a search; false means `quit`.
    pub fn line(&self, line: &str) -> bool {
        match self.hear(line) {
            Heard::Quit => return false,
            Heard::Search(search) => self.desk.in_a_thread(search),
            Heard::Done => {}
        }
        true
    }

    /// Acts on one line. A search is left to the caller, who must run it.
    pub(super) fn hear(&self, line: &str) -> Heard {
        if self.desk.output.closed() {
            return Heard::Quit;
        }
        match command::parse(line) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => return Heard::Quit,
            Ok(Some(command)) => return self.desk.hear(command).map_or(Heard::Done, Heard::Search),
            Err(error) => self.desk.output.say(&error.to_string()),
        }
        Heard::Done
    }

    /// Whether nothing runs and nothing waits.
    pub fn is_idle(&self) -> bool {
        let state = self.desk.lock();
        state.job.is_none() && state.waiting.is_empty()
    }

    /// The end of input: ends searches and waits for their last lines. A count is allowed to finish, unless it was told to
    /// stop or nobody listens.
    pub fn finish(&self) {
        self.end(|kind| !kind.counts());
    }

    /// The command `quit`: ends all but a count of leaves.
    pub fn quit(&self) {
        self.end(|kind| kind != Kind::Perft);
    }

    fn end(&self, ends: impl Fn(Kind) -> bool) {
        let desk = &self.desk;
        let mut state = desk.lock();
        desk.stop(&mut state, |kind| desk.output.closed() || ends(kind));
        while let Some(job) = &state.job {
            if job.kind == Kind::Perft && job.told {
                break;
            }
            state = desk.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // What was learned is written before the process ends.
        desk.engine.close_memory();
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Carries a command out, now or when its turn has come; the search that began, if one did.
    fn hear(self: &Arc<Self>, command: Command) -> Option<Work> {
        let state = &mut *self.lock();
        match turn(&command, state.job.as_ref(), !state.waiting.is_empty()) {
            Turn::Now => self.act(state, command, false),
            Turn::Later => state.waiting.push_back(Waiting { command, stopped: false }),
            Turn::LaterAndEnd => {
                state.waiting.push_back(Waiting { command, stopped: false });
                self.end_job(state);
            }
        }
        state.errand.take()
    }

    /// Runs a search in a thread of its own; in this one, should there be none to be had.
    fn in_a_thread(&self, search: Work) {
        let slot = Arc::new(Mutex::new(Some(search)));
        let theirs = Arc::clone(&slot);
        let run = |slot: &Mutex<Option<Work>>| {
            let search = lock(slot).take();
            search.map(|search| search())
        };
        let builder = std::thread::Builder::new().name("search-0".into()).stack_size(SEARCH_STACK);
        if let Err(error) = builder.spawn(move || run(&theirs)) {
            self.output.say(&format!("cannot start a thread: {error}"));
            run(&slot);
        }
    }

    /// A job has ended: its last lines are said, and those that waited have their turn. Both under one lock: whoever has
    /// read `bestmove` may send a command, and that command must not find the job still there.
    fn done(self: &Arc<Self>, id: u64, last: &str) {
        let mut state = self.lock();
        self.output.line(last);
        if state.job.take_if(|job| job.id == id).is_some() {
            self.go_on(&mut state);
        }
        self.ended.notify_all();
        let next = state.errand.take();
        drop(state);
        if let Some(search) = next {
            self.in_a_thread(search);
        }
    }

    fn go_on(self: &Arc<Self>, state: &mut State) {
        while state.job.is_none()
            && let Some(next) = state.waiting.pop_front()
        {
            self.act(state, next.command, next.stopped);
        }
        // A search without a limit that had to wait is ended by what came after it, as if it had run by then.
        let ends = |waiting: &Waiting| turn(&waiting.command, state.job.as_ref(), true) == Turn::LaterAndEnd;
        if state.waiting.iter().any(ends) && state.job.as_ref().is_some_and(|job| !job.told) {
            self.end_job(state);
        }
    }

    /// `stop` means all that came before it, as far as `ends` says so.
    fn stop(self: &Arc<Self>, state: &mut State, ends: impl Fn(Kind) -> bool) {
        for waiting in &mut state.waiting {
            waiting.stopped |= ends(waiting.kind());
        }
        if state.job.as_ref().is_some_and(|job| ends(job.kind)) {
            self.end_job(state);
        }
    }

    fn end_job(self: &Arc<Self>, state: &mut State) {
        let Some(job) = &mut state.job else { return };
        job.tell();
        match job.kind {
            Kind::Nothing => {
                self.output.line("bestmove (none)");
                state.job = None;
                self.go_on(state);
            }
            Kind::Limited | Kind::Unlimited => self.engine.stop(),
            Kind::Perft | Kind::Bench => {}
        }
    }

    fn act(self: &Arc<Self>, state: &mut State, command: Command, stopped: bool) {
        let is_search = matches!(&command, Command::Go(spec) if spec.perft.is_none());
        let jobs = state.jobs;
        if let Err(message) = guarded(|| self.carry_out(state, command, stopped)) {
            self.output.say(&message);
            // Somebody waits for an answer, and no job has been started that will give one.
            if is_search && state.jobs == jobs {
                self.output.line(&match state.game.legal_moves().iter().next() {
                    Some(&mv) => format!("bestmove {}", state.game.uci(mv)),
                    None => "bestmove (none)".to_owned(),
                });
            }
        }
    }

    fn carry_out(self: &Arc<Self>, state: &mut State, command: Command, stopped: bool) -> Result<(), String> {
        match command {
            Command::IsReady => self.output.line("readyok"),
            Command::Stop => self.stop(state, |_| true),
            Command::PonderHit => self.ponderhit(state),
            Command::Debug(_) | Command::Quit => {}
            Command::Uci => self.output.line(&identity(&self.engine)),
            Command::Help => self.output.line(HELP),
            Command::Display => self.output.line(&display(&state.game)),
            Command::Eval => {
                let file = self.engine.options().eval_file;
                let table = dispatch!(&state.game, game => evaluation(game.position(), &file))?;
                self.output.line(table.trim_end());
            }
            Command::NewGame => {
                self.engine.new_game();
                self.set_game(state, AnyGame::new(state.game.variant()))?;
                state.refused = None;
            }
            Command::Position(spec) => {
                let read = read_position(state.game.variant(), &spec).and_then(|game| self.set_game(state, game));
                positioned(state, read)?;
            }
            Command::BadPosition(error) => positioned(state, Err(error.to_string()))?,
            Command::SetOption { name, value } => self.set_option(state, &name, value.as_deref())?,
            Command::Go(spec) => match spec.perft {
                Some(depth) => self.perft(state, depth, stopped),
                None => self.go(state, spec, stopped)?,
            },
            Command::Flip => {
                let flipped = flipped(&state.game).map_err(|error| error.to_string())?;
                self.set_game(state, flipped)?;
            }
            Command::Bench(depth) => self.bench(state, depth, stopped),
        }
        Ok(())
    }

    fn ponderhit(self: &Arc<Self>, state: &mut State) {
        self.engine.ponderhit();
        let Some(job) = &mut state.job else { return };
        match job.kind {
            Kind::Nothing if job.after_hit != Kind::Nothing => self.end_job(state),
            _ => job.kind = job.after_hit,
        }
    }

    fn set_game(&self, state: &mut State, game: AnyGame) -> Result<(), String> {
        self.engine.set_game(game.clone()).map_err(|error| error.to_string())?;
        state.game = game;
        Ok(())
    }

    fn set_option(&self, state: &mut State, name: &str, value: Option<&str>) -> Result<(), String> {
        let said = self.engine.configure(name, value.unwrap_or_default()).map_err(|error| error.to_string())?;
        said.iter().for_each(|said| self.output.say(said));
        let variant = self.engine.options().variant;
        if variant != state.game.variant() {
            // Chess and Chess960 differ in notation only; other rules need another board.
            let game = state.game.noted_as(variant).unwrap_or_else(|| AnyGame::new(variant));
            self.set_game(state, game)?;
        }
        Ok(())
    }

    fn go(self: &Arc<Self>, state: &mut State, spec: GoSpec, stopped: bool) -> Result<(), String> {
        for problem in &spec.problems {
            self.output.say(&format!("go: {problem}"));
        }
        if let Some(why) = &state.refused {
            self.output.say(&format!("no search, because the last position was refused: {why}"));
            self.answer_none(state, &spec, stopped);
            return Ok(());
        }
        if state.game.legal_moves().is_empty() {
            let score = if state.game.checked_king().is_some() { "mate 0" } else { "cp 0" };
            self.output.line(&format!("info depth 0 score {score}"));
            self.answer_none(state, &spec, stopped);
            return Ok(());
        }
        let (limits, kind, after_hit) = self.limits(state, spec);
        if let Some(mv) = self.engine.book_move(&limits) {
            self.output.line(&format!("info string book move\nbestmove {}", state.game.uci(mv)));
            return Ok(());
        }
        self.search(state, limits, kind, after_hit, stopped)
    }

    /// There is nothing to search: the answer, at once or when `stop` asks for it.
    fn answer_none(&self, state: &mut State, spec: &GoSpec, stopped: bool) {
        if (spec.limits.infinite || spec.limits.ponder || spec.says_nothing()) && !stopped {
            state.jobs += 1;
            let after_hit = if spec.limits.ponder { Kind::Limited } else { Kind::Nothing };
            state.job = Some(Job { after_hit, ..Job::new(state.jobs, Kind::Nothing) });
        } else {
            self.output.line("bestmove (none)");
        }
    }

    /// What is to be searched, as far as it was understood, and how it ends before and after a `ponderhit`.
    fn limits(&self, state: &State, spec: GoSpec) -> (Limits, Kind, Kind) {
        let (us, them) = (state.game.side_to_move().index(), (!state.game.side_to_move()).index());
        let nothing_said = spec.says_nothing();
        let GoSpec { mut limits, searchmoves, problems, .. } = spec;
        let infinite = limits.infinite;
        for mv in searchmoves {
            match state.game.parse_uci(&mv) {
                Ok(mv) => limits.searchmoves.push(mv),
                Err(error) => self.output.say(&format!("go: searchmoves: {error}")),
            }
        }
        let ends = |limits: &Limits| {
            limits.depth.is_some()
                || limits.nodes.is_some()
                || limits.movetime.is_some()
                || limits.mate.is_some()
                || limits.time[us].is_some()
        };
        if !ends(&limits) && !nothing_said && !infinite {
            if let Some(theirs) = limits.time[them] {
                (limits.time[us], limits.inc[us]) = (Some(theirs), limits.inc[us].max(limits.inc[them]));
            } else if !problems.is_empty() {
                self.output.say("go: no valid limit, searching for one second");
                limits.movetime = Some(UNREADABLE_MS);
            }
        }
        let after_hit = if ends(&limits) && !infinite { Kind::Limited } else { Kind::Unlimited };
        let kind = if limits.ponder { Kind::Unlimited } else { after_hit };
        limits.infinite |= kind == Kind::Unlimited && !limits.ponder;
        (limits, kind, after_hit)
    }

    fn search(
        self: &Arc<Self>,
        state: &mut State,
        limits: Limits,
        kind: Kind,
        after_hit: Kind,
        stopped: bool,
    ) -> Result<(), String> {
        let show_wdl = self.engine.options().show_wdl;
        let infos = Arc::clone(&self.output);
        let mut text = String::with_capacity(2048);
        let on_info = move |info: &Info| {
            text.clear();
            write_info(&mut text, info, show_wdl);
            infos.line(&text);
        };
        let id = state.jobs + 1;
        let desk = Arc::clone(self);
        let on_done = move |result: GoResult| {
            result.warnings.iter().chain(&result.error).for_each(|said| desk.output.say(said));
            let best = result.best_move.as_deref().unwrap_or("(none)");
            let ponder = result.ponder.map(|ponder| format!(" ponder {ponder}")).unwrap_or_default();
            desk.done(id, &format!("bestmove {best}{ponder}"));
        };
        state.errand = Some(self.engine.go_ready(limits, on_info, on_done).map_err(|error| error.to_string())?);
        state.jobs = id;
        state.job = Some(Job { after_hit, ..Job::new(id, kind) });
        if stopped {
            self.end_job(state);
        }
        Ok(())
    }

    fn perft(self: &Arc<Self>, state: &mut State, depth: u32, stopped: bool) {
        let game = state.game.clone();
        self.count(state, Kind::Perft, stopped, move |output, Job { stop, .. }| {
            let start = Instant::now();
            let total = divide(&game, depth, stop, |mv, nodes| output.line(&format!("{mv}: {nodes}")));
            let seconds = start.elapsed().as_secs_f64().max(1e-6);
            format!(
                "\nNodes searched: {total}\ninfo string perft {depth} nodes {total} time {} nps {}",
                (seconds * 1000.0) as u64,
                (total as f64 / seconds) as u64
            )
        });
    }

    fn bench(self: &Arc<Self>, state: &mut State, depth: Option<u32>, stopped: bool) {
        self.count(state, Kind::Bench, stopped, move |output, Job { control, .. }| {
            let result = bench_until(depth.unwrap_or(BENCH_DEPTH), control, &mut |fen, nodes| {
                output.line(&format!("{nodes:>10} nodes  {fen}"));
            });
            if control.is_over() {
                // No total that could be taken for the checksum.
                return format!("info string bench stopped after {} positions", result.positions);
            }
            format!("\n{result}")
        });
    }

    /// Runs a count beside the reader; what it returns is said last.
    fn count(
        self: &Arc<Self>,
        state: &mut State,
        kind: Kind,
        stopped: bool,
        work: impl FnOnce(&Output, &Job) -> String + Send + 'static,
    ) {
        state.jobs += 1;
        let mut job = Job::new(state.jobs, kind);
        if stopped {
            job.tell();
        }
        let (seen, desk, id) = (job.clone(), Arc::clone(self), job.id);
        let body = move || {
            let mut ends = Ends { desk, id, last: "info string the command crashed".to_owned() };
            ends.last = work(&ends.desk.output, &seen);
        };
        match std::thread::Builder::new().name("uci-job".into()).spawn(body) {
            Ok(_) => state.job = Some(job),
            Err(error) => self.output.say(&format!("cannot start a thread: {error}")),
        }
    }
}

/// Says that a count has ended, however it did.
struct Ends {
    desk: Arc<Desk>,
    id: u64,
    last: String,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.desk.done(self.id, &self.last);
    }
}

/// What has become of a `position`: without one that was accepted there is nothing to search.
fn positioned(state: &mut State, read: Result<(), String>) -> Result<(), String> {
    state.refused = read.as_ref().err().cloned();
    read.map_err(|why| format!("position refused: {why}"))
}

fn read_position(variant: Variant, spec: &PositionSpec) -> Result<AnyGame, String> {
    let mut game = match &spec.fen {
        None => AnyGame::new(variant),
        // A word of its own, not a FEN.
        Some(text) if text == "startpos" => return Err("'startpos' needs no 'fen'".to_owned()),
        Some(text) => {
            let fen = resolve(variant, text).map_err(|error| error.to_string())?;
            AnyGame::from_fen(variant, &fen).map_err(|error| error.to_string())?
        }
    };
    for (at, text) in spec.moves.iter().enumerate() {
        let mv = game.parse_uci(text).map_err(|error| format!("move {} of {}: {error}", at + 1, spec.moves.len()))?;
        game.play(mv);
    }
    Ok(game)
}

fn display(game: &AnyGame) -> String {
    let mut text = draw_board(game, Color::White, BoardStyle::Letters, None);
    text += &format!("\nFen: {}\nKey: {:016X}\nCheckers:", game.fen(), game.key());
    for square in game.checkers() {
        text += &format!(" {square}");
    }
    if let Some(count) = game.count() {
        text += &format!("\nCount: {} / {}", count.spoken(), count.last_number());
    }
    if let Some(outcome) = game.outcome() {
        text += &format!("\nResult: {}", outcome);
    }
    text
}

/// The answer to `uci`.
fn identity(engine: &Engine) -> String {
    let mut text = format!("id name Rukh {}\nid author the Rukh authors\n", env!("CARGO_PKG_VERSION"));
    for option in engine.option_list() {
        text += &format!("\noption name {} type ", option.name);
        text += &match &option.kind {
            OptionKind::Spin { default, min, max } => format!("spin default {default} min {min} max {max}"),
            OptionKind::Check { default } => format!("check default {default}"),
            OptionKind::Text { default } => {
                format!("string default {}", if default.is_empty() { "<empty>" } else { default })
            }
            OptionKind::Combo { default, choices } => {
                let values: String = choices.iter().map(|value| format!(" var {value}")).collect();
                format!("combo default {default}{values}")
            }
            OptionKind::Button => "button".to_owned(),
        };
    }
    text + "\nuciok"
}

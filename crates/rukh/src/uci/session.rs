//! One dialogue with a GUI: the state, and what each command does to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use rukh_core::{Color, Outcome, Variant};
use rukh_engine::{
    BENCH_DEPTH, Engine, EngineError, GoResult, Info, Limits, OptionKind, Options, bench_with, tables_in,
};

use super::command::{self, Command, GoSpec, PositionSpec};
use super::info::write_info;
use super::output::Output;
use crate::commands::bench;
use crate::game::{AnyGame, BoardStyle, OwnBook, OwnMemory, draw_board};

/// The state behind one pair of pipes.
pub struct Session {
    engine: Engine,
    output: Arc<Output>,
    game: AnyGame,
    book: OwnBook,
    memory: OwnMemory,
    job: Option<Job>,
}

/// What runs beside the reader.
struct Job {
    thread: JoinHandle<()>,
    kind: JobKind,
    /// Asks a count of leaves to end; a search is asked through the engine.
    stop: Arc<AtomicBool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobKind {
    /// A search that ends by itself.
    Limited,
    /// `go infinite` or `go ponder`: only `stop` (or `ponderhit`) ends it.
    Unlimited,
    /// `perft` or `bench`: a script expects its result even when `quit` follows at once.
    Count,
}

const HELP: &str = "\
uci                              names the engine and lists its options
isready                          answers readyok
setoption name N [value V]       sets an option
ucinewgame                       forgets everything about the last game
position startpos|fen F [moves …]
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
    pub fn new() -> Result<Self, EngineError> {
        let engine = Engine::new(Options::default())?;
        let output = Arc::new(Output::default());
        let listener = Arc::clone(&output);
        engine.on_root_move(move |depth, mv, number| {
            listener.line(&format!("info depth {depth} currmove {mv} currmovenumber {number}"));
        });
        Ok(Self {
            engine,
            output,
            game: AnyGame::new(Variant::Chess),
            book: OwnBook::default(),
            memory: OwnMemory::default(),
            job: None,
        })
    }

    /// Acts on one line; false means `quit`.
    pub fn handle(&mut self, line: &str) -> bool {
        if self.output.closed() {
            return false;
        }
        match command::parse(line) {
            Ok(None) => {}
            Ok(Some(Command::Quit)) => return false,
            Ok(Some(command)) => {
                if let Err(message) = self.act(command) {
                    self.output.say(&message);
                }
            }
            Err(error) => self.output.say(&error.to_string()),
        }
        true
    }

    /// Ends what runs and waits for its last line. A count is allowed to finish.
    pub fn finish(&mut self) {
        if self.job.as_ref().is_some_and(|job| job.kind != JobKind::Count) {
            self.engine.stop();
        }
        self.join();
    }

    fn act(&mut self, command: Command) -> Result<(), String> {
        match command {
            // These never wait.
            Command::IsReady => self.output.line("readyok"),
            Command::Stop => self.stop(),
            Command::PonderHit => {
                self.engine.ponderhit();
                if let Some(job) = self.job.as_mut().filter(|job| job.kind == JobKind::Unlimited) {
                    job.kind = JobKind::Limited;
                }
            }
            Command::Debug(_) => {}
            Command::Uci => self.output.line(&identity(&self.engine)),
            Command::Help => self.output.line(HELP),
            Command::Display => self.output.line(&self.display()),
            Command::Quit => unreachable!("handled by the caller"),
            // These need the engine idle.
            Command::NewGame => {
                self.idle();
                self.engine.new_game();
                self.set_game(AnyGame::new(self.game.variant()))?;
            }
            Command::Position(spec) => {
                self.idle();
                self.position(&spec)?;
            }
            Command::SetOption { name, value } => {
                self.idle();
                self.set_option(&name, value.as_deref())?;
            }
            Command::Go(spec) => {
                self.idle();
                self.go(spec)?;
            }
            Command::Flip => {
                self.idle();
                let flipped = self.game.flipped()?;
                self.set_game(flipped)?;
            }
            Command::Eval => {
                self.idle();
                self.output.line(self.game.eval_table().trim_end());
            }
            Command::Bench(depth) => {
                self.idle();
                self.bench(depth);
            }
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.engine.stop();
        if let Some(job) = &self.job {
            job.stop.store(true, Ordering::Relaxed);
        }
        // `bestmove` stands in the pipe before the next command is read.
        self.join();
    }

    fn join(&mut self) {
        if let Some(job) = self.job.take()
            && job.thread.join().is_err()
        {
            self.output.say("the search ended abnormally; the engine goes on");
        }
    }

    /// Waits for the running job; an unlimited one is ended first.
    fn idle(&mut self) {
        if self.job.as_ref().is_some_and(|job| job.kind == JobKind::Unlimited) {
            self.engine.stop();
        }
        self.join();
    }

    fn set_game(&mut self, game: AnyGame) -> Result<(), String> {
        let moves = game.moves_uci();
        self.engine.set_position_moves(&game.start_fen(), &moves).map_err(|error| error.to_string())?;
        self.game = game;
        Ok(())
    }

    fn position(&mut self, spec: &PositionSpec) -> Result<(), String> {
        let variant = self.game.variant();
        let mut game = match &spec.fen {
            None => AnyGame::new(variant),
            Some(fen) => AnyGame::from_fen(variant, fen).map_err(|error| format!("position refused: {error}"))?,
        };
        for (at, text) in spec.moves.iter().enumerate() {
            let mv = game
                .parse_uci(text)
                .map_err(|error| format!("position refused: move {} of {}: {error}", at + 1, spec.moves.len()))?;
            game.play(mv);
        }
        self.set_game(game)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let value = value.unwrap_or_default();
        if name.eq_ignore_ascii_case("BookFile") {
            let found = self.book.set(value)?;
            self.output.say(&found);
        }
        self.engine.set_option(name, value).map_err(|error| error.to_string())?;
        if name.eq_ignore_ascii_case("SyzygyPath")
            && !value.is_empty()
            && let Ok(found) = tables_in(value)
        {
            let (results, distances) = (found.results, found.distances);
            self.output
                .say(&format!("found {results} tables of results, {distances} of distances, up to {} men", found.men));
        }
        if name.eq_ignore_ascii_case("OwnBook") && self.engine.options().own_book && !self.book.is_named() {
            self.output.say(&OwnBook::about_own());
        }
        match self.memory.follow(&self.engine) {
            Ok(said) => said.iter().for_each(|said| self.output.say(said)),
            // Better to play without a memory than not at all.
            Err(error) => {
                let _ = self.engine.set_option("Learn", "false");
                self.output.say(&format!("Learn is off: {error}"));
            }
        }
        let variant = self.engine.options().variant;
        if variant != self.game.variant() {
            // Chess and Chess960 differ in notation only; other rules need another board.
            let game = AnyGame::from_fen(variant, &self.game.start_fen())
                .ok()
                .filter(|_| variant != Variant::Makruk && self.game.variant() != Variant::Makruk)
                .map(|mut game| {
                    self.game.moves().iter().for_each(|&mv| game.play(mv));
                    game
                })
                .unwrap_or_else(|| AnyGame::new(variant));
            self.set_game(game)?;
        }
        Ok(())
    }

    fn go(&mut self, spec: GoSpec) -> Result<(), String> {
        if !spec.ignored.is_empty() {
            self.output.say(&format!("go: ignored '{}'", spec.ignored.join("' '")));
        }
        for mv in &spec.searchmoves {
            self.game.parse_uci(mv).map_err(|error| format!("go refused: {error}"))?;
        }
        if let Some(depth) = spec.perft {
            self.perft(depth);
            return Ok(());
        }
        if let Some(outcome) = self.game.finished() {
            let score = if matches!(outcome, Outcome::Win(_)) { "mate 0" } else { "cp 0" };
            self.output.line(&format!("info depth 0 score {score}\nbestmove (none)"));
            return Ok(());
        }
        let unlimited = spec.infinite || spec.ponder || no_limit(&spec);
        // The book is for games: whoever analyses or restricts the moves wants a search.
        if self.engine.options().own_book
            && !unlimited
            && spec.searchmoves.is_empty()
            && let Some(mv) = self.book.pick(&self.game, &self.engine.options())
        {
            self.output.line(&format!("info string book move\nbestmove {}", self.game.uci(mv)));
            return Ok(());
        }
        let kind = if unlimited { JobKind::Unlimited } else { JobKind::Limited };
        let limits = Limits {
            depth: spec.depth,
            nodes: spec.nodes,
            movetime: spec.movetime,
            time: spec.time,
            inc: spec.inc,
            movestogo: spec.movestogo,
            mate: spec.mate,
            infinite: spec.infinite || (unlimited && !spec.ponder),
            ponder: spec.ponder,
            searchmoves: spec.searchmoves,
            ..Limits::default()
        };
        let show_wdl = self.engine.options().show_wdl;
        let (infos, output) = (Arc::clone(&self.output), Arc::clone(&self.output));
        let mut text = String::with_capacity(2048);
        let on_info = move |info: &Info| {
            text.clear();
            write_info(&mut text, info, show_wdl);
            infos.line(&text);
        };
        let on_done = move |result: GoResult| {
            result.warnings.iter().for_each(|warning| output.say(warning));
            let best = result.best_move.as_deref().unwrap_or("(none)");
            output.line(&match &result.ponder {
                Some(ponder) => format!("bestmove {best} ponder {ponder}"),
                None => format!("bestmove {best}"),
            });
        };
        let thread = self.engine.go_async(limits, on_info, on_done).map_err(|error| error.to_string())?;
        self.job = Some(Job { thread, kind, stop: Arc::default() });
        Ok(())
    }

    fn perft(&mut self, depth: u32) {
        let (game, output) = (self.game.clone(), Arc::clone(&self.output));
        self.start(move |stop| {
            let start = Instant::now();
            let total = game.divide(depth, |mv, nodes| {
                output.line(&format!("{mv}: {nodes}"));
                !stop.load(Ordering::Relaxed)
            });
            let seconds = start.elapsed().as_secs_f64().max(1e-6);
            output.line(&format!(
                "\nNodes searched: {total}\ninfo string perft {depth} nodes {total} time {} nps {}",
                (seconds * 1000.0) as u64,
                (total as f64 / seconds) as u64
            ));
        });
    }

    fn bench(&mut self, depth: Option<u32>) {
        let output = Arc::clone(&self.output);
        self.start(move |_| {
            let result = bench_with(depth.unwrap_or(BENCH_DEPTH), &mut |fen, nodes| {
                output.line(&format!("{nodes:>10} nodes  {fen}"));
            });
            output.line(&format!("\n{}", bench::summary(&result)));
        });
    }

    /// Runs a count beside the reader.
    fn start(&mut self, work: impl FnOnce(&AtomicBool) + Send + 'static) {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        match std::thread::Builder::new().name("uci-job".into()).spawn(move || work(&flag)) {
            Ok(thread) => self.job = Some(Job { thread, kind: JobKind::Count, stop }),
            Err(error) => self.output.say(&format!("cannot start a thread: {error}")),
        }
    }

    fn display(&self) -> String {
        let mut text = draw_board(&self.game, Color::White, BoardStyle::Letters, None);
        text += &format!("\nFen: {}\nKey: {:016X}\nCheckers:", self.game.fen(), self.game.key());
        for square in self.game.checkers() {
            text += &format!(" {square}");
        }
        if let Some(count) = self.game.count() {
            text += &format!("\nCount: {} / {}", count.spoken(), count.last_number());
        }
        if let Some(outcome) = self.game.outcome() {
            text += &format!("\nResult: {}", outcome);
        }
        text
    }
}

/// True when nothing but `stop` would end the search.
fn no_limit(spec: &GoSpec) -> bool {
    spec.depth.is_none()
        && spec.nodes.is_none()
        && spec.movetime.is_none()
        && spec.mate.is_none()
        && spec.time == [None, None]
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

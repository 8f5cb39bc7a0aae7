//! `Engine`: searches that other Python threads, `asyncio` and Ctrl-C live beside.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rukh_core::{AnyGame, AnyPosition, Move};
use rukh_engine::{
    Engine as Inner, EngineError, GoResult, Info as Report, Limits, Options, SEARCH_STACK, ScoreBound, lock,
};

use crate::errors;
use crate::position::position_of;

/// How long to wait before somebody looks whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);

fn failed(error: &EngineError) -> PyErr {
    errors::error("EngineError", error, None)
}

/// One report of a search: a line of play and its score for the side to move.
#[pyclass(frozen, module = "rukh")]
pub struct Info {
    report: Report,
    root: AnyPosition,
}

#[pymethods]
impl Info {
    /// The iteration.
    #[getter]
    fn depth(&self) -> u32 {
        self.report.depth
    }

    /// The deepest half-move looked at.
    #[getter]
    fn seldepth(&self) -> u32 {
        self.report.seldepth
    }

    /// Which line, from 1.
    #[getter]
    fn multipv(&self) -> usize {
        self.report.multipv
    }

    /// The score in centipawns, where 100 is an even chance to win; `None` for a mate.
    #[getter]
    fn cp(&self) -> Option<i32> {
        self.report.mate().is_none().then(|| self.report.centipawns())
    }

    /// Moves to mate, negative when being mated; `None` where there is none.
    #[getter]
    fn mate(&self) -> Option<i32> {
        self.report.mate()
    }

    /// Chances to win, draw and lose, in thousandths.
    #[getter]
    fn wdl(&self) -> (u16, u16, u16) {
        let chances = self.report.wdl();
        (chances.win, chances.draw, chances.loss)
    }

    /// `exact`, or `lower` or `upper` while the score is only a bound.
    #[getter]
    fn bound(&self) -> &'static str {
        match self.report.bound {
            ScoreBound::Exact => "exact",
            ScoreBound::Lower => "lower",
            ScoreBound::Upper => "upper",
        }
    }

    /// Positions looked at.
    #[getter]
    fn nodes(&self) -> u64 {
        self.report.nodes
    }

    /// Positions a second.
    #[getter]
    fn nps(&self) -> u64 {
        self.report.nps
    }

    /// Seconds since the start.
    #[getter]
    fn time(&self) -> f64 {
        self.report.time_ms as f64 / 1000.0
    }

    /// How full the table is, in thousandths.
    #[getter]
    fn hashfull(&self) -> u32 {
        self.report.hashfull
    }

    /// Positions found in end-game tables.
    #[getter]
    fn tbhits(&self) -> u64 {
        self.report.tbhits
    }

    /// The line of play in UCI notation.
    #[getter]
    fn pv(&self) -> Vec<String> {
        self.report.pv.uci().map(|mv| mv.to_string()).collect()
    }

    /// The line of play as people write it.
    #[getter]
    fn pv_san(&self) -> Vec<String> {
        let mut pos = self.root.clone();
        let mut line = Vec::new();
        for mv in self.pv() {
            let Ok(mv) = pos.parse_uci(&mv) else { break };
            line.push(pos.san(mv));
            pos.play(mv);
        }
        line
    }

    fn __repr__(&self) -> String {
        let score =
            self.report.mate().map_or_else(|| format!("cp={}", self.report.centipawns()), |m| format!("mate={m}"));
        format!("Info(depth={}, {score}, pv={:?})", self.report.depth, self.report.pv.to_string())
    }
}

/// The answer of a search.
#[pyclass(frozen, module = "rukh")]
pub struct Analysis {
    answer: GoResult,
    lines: Vec<Py<Info>>,
    root: AnyPosition,
}

impl Analysis {
    fn first<T>(&self, py: Python<'_>, of: impl Fn(&Info) -> T) -> Option<T> {
        self.lines.first().map(|info| of(info.bind(py).get()))
    }
}

#[pymethods]
impl Analysis {
    /// The move to play in UCI notation; `None` where the game is over.
    #[getter]
    fn best_move(&self) -> Option<&str> {
        self.answer.best_move.as_deref()
    }

    /// The move to play as people write it.
    #[getter]
    fn best_san(&self) -> Option<String> {
        let mv = self.root.parse_uci(self.answer.best_move.as_deref()?).ok()?;
        Some(self.root.san(mv))
    }

    /// The reply that is expected.
    #[getter]
    fn ponder(&self) -> Option<&str> {
        self.answer.ponder.as_deref()
    }

    /// The score of the best line in centipawns, for the side to move; `None` for a mate.
    #[getter]
    fn cp(&self, py: Python<'_>) -> Option<i32> {
        self.first(py, Info::cp).flatten()
    }

    /// Moves to mate, negative when being mated; `None` where there is none.
    #[getter]
    fn mate(&self) -> Option<i32> {
        self.answer.score.mate()
    }

    /// Chances to win, draw and lose of the best line, in thousandths.
    #[getter]
    fn wdl(&self, py: Python<'_>) -> Option<(u16, u16, u16)> {
        self.first(py, Info::wdl)
    }

    /// The last complete iteration.
    #[getter]
    fn depth(&self) -> u32 {
        self.answer.depth
    }

    /// Positions looked at.
    #[getter]
    fn nodes(&self) -> u64 {
        self.answer.nodes
    }

    /// The best line in UCI notation.
    #[getter]
    fn pv(&self, py: Python<'_>) -> Vec<String> {
        self.first(py, Info::pv).unwrap_or_default()
    }

    /// The lines, best first: as many as were asked for and there are.
    #[getter]
    fn lines(&self, py: Python<'_>) -> Vec<Py<Info>> {
        self.lines.iter().map(|info| info.clone_ref(py)).collect()
    }

    /// What one should know besides, such as end-game tables found damaged.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.answer.warnings.clone()
    }

    /// A row for a table: code, depth, nodes, cp, mate, move and line.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let row = PyDict::new(py);
        row.set_item("code", crate::codes::direct_code(&self.root))?;
        row.set_item("depth", self.depth())?;
        row.set_item("nodes", self.nodes())?;
        row.set_item("cp", self.cp(py))?;
        row.set_item("mate", self.mate())?;
        row.set_item("move", self.best_move())?;
        row.set_item("line", self.pv(py).join(" "))?;
        Ok(row)
    }

    fn __repr__(&self) -> String {
        format!("Analysis({}, depth={})", self.best_move().unwrap_or("no move"), self.depth())
    }
}

/// The reports of the last iteration of each line, from all reports of a search.
#[derive(Default)]
struct Lines(Vec<Report>);

impl Lines {
    fn add(&mut self, report: Report) {
        let at = report.multipv.saturating_sub(1);
        if at < self.0.len() {
            self.0[at] = report;
        } else if at == self.0.len() {
            self.0.push(report);
        }
    }

    fn analysis(&self, py: Python<'_>, answer: GoResult, root: &AnyPosition) -> PyResult<Analysis> {
        let answer = answer.sound().map_err(|error| failed(&error))?;
        let info = |report: &Report| Py::new(py, Info { report: *report, root: root.clone() });
        let lines = self.0.iter().map(info).collect::<PyResult<_>>()?;
        Ok(Analysis { answer, lines, root: root.clone() })
    }
}

enum Message {
    Report(Box<Report>),
    Done(Box<GoResult>),
}

/// What a search has said so far.
struct Heard {
    messages: Receiver<Message>,
    lines: Lines,
    answer: Option<GoResult>,
}

/// A running search: goes through its reports; `result` waits for the answer.
#[pyclass(frozen, module = "rukh")]
pub struct Search {
    engine: Inner,
    /// The search's number, and that of the engine's latest: only one's own search is stopped.
    number: usize,
    latest: Arc<AtomicUsize>,
    heard: Mutex<Heard>,
    root: AnyPosition,
}

impl Search {
    fn halt(&self) {
        if self.latest.load(Relaxed) == self.number {
            self.engine.stop();
        }
    }

    /// The next report; `None` when the answer is there. Ctrl-C stops the search.
    fn hear(&self, py: Python<'_>) -> PyResult<Option<Report>> {
        loop {
            let message = py.detach(|| {
                let mut heard = lock(&self.heard);
                if heard.answer.is_some() {
                    return Ok(None);
                }
                let message = heard.messages.recv_timeout(PATIENCE);
                match message {
                    Ok(Message::Report(report)) => {
                        heard.lines.add(*report);
                        Ok(Some(*report))
                    }
                    Ok(Message::Done(answer)) => {
                        heard.answer = Some(*answer);
                        Ok(None)
                    }
                    Err(why) => Err(why),
                }
            });
            match message {
                Ok(found) => return Ok(found),
                Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| self.halt())?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(errors::error("EngineError", "the search crashed", None));
                }
            }
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        // Nobody can ask for the answer any more.
        self.halt();
    }
}

#[pymethods]
impl Search {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Info>> {
        Ok(self.hear(py)?.map(|report| Info { report, root: self.root.clone() }))
    }

    /// The next report, or `None` at the end.
    fn _next(&self, py: Python<'_>) -> PyResult<Option<Info>> {
        self.__next__(py)
    }

    /// Stops the search; its answer comes at once.
    fn stop(&self) {
        self.halt();
    }

    /// Waits for the end and gives the answer.
    fn result(&self, py: Python<'_>) -> PyResult<Analysis> {
        while self.hear(py)?.is_some() {}
        let heard = py.detach(|| {
            let heard = lock(&self.heard);
            heard.answer.clone().map(|answer| (Lines(heard.lines.0.clone()), answer))
        });
        let (lines, answer) = heard.ok_or_else(|| errors::error("EngineError", "the search crashed", None))?;
        lines.analysis(py, answer, &self.root)
    }
}

/// The engine behind `rukh.Engine`.
#[pyclass(frozen, module = "rukh", name = "EngineCore")]
pub struct Engine {
    inner: Inner,
    /// A position and the search of it are set together.
    starting: Mutex<()>,
    searches: Arc<AtomicUsize>,
}

/// Position, moves that led on from it, and limits, as Python gives them.
fn task(position: &Bound<'_, PyAny>, moves: Vec<String>, limits: &Bound<'_, PyDict>) -> PyResult<(AnyGame, Limits)> {
    let mut game = AnyGame::from(&position_of(position, None)?);
    for (at, text) in moves.iter().enumerate() {
        let mv = game.parse_move(text);
        let mv = mv.map_err(|error| errors::error("MoveError", error, Some(format!("move {}", at + 1))))?;
        game.play(mv);
    }
    let limits = read_limits(limits, &game)?;
    Ok((game, limits))
}

fn read_limits(given: &Bound<'_, PyDict>, game: &AnyGame) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given {
        if value.is_none() {
            continue;
        }
        let name = name.extract::<String>()?;
        let refuse = |what: &str| errors::error("EngineError", format!("{name} is {what}"), None);
        let number = || value.extract::<u64>().ok().filter(|&n| n > 0).ok_or_else(|| refuse("a number from 1"));
        let small = || number().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        match name.as_str() {
            "depth" => limits.depth = Some(small()?),
            "nodes" => limits.nodes = Some(number()?),
            "mate" => limits.mate = Some(small()?),
            "multipv" => limits.multipv = number()?.min(256) as usize,
            "time" => {
                let seconds = value.extract::<f64>().ok().filter(|s| *s > 0.0 && *s < 1e9);
                limits.movetime = Some((seconds.ok_or_else(|| refuse("in seconds, above 0"))? * 1000.0).ceil() as u64);
            }
            "searchmoves" => limits.searchmoves = chosen(&value, game)?,
            other => return Err(PyTypeError::new_err(format!("there is no limit {other:?}"))),
        }
    }
    let none = limits.depth.is_none() && limits.nodes.is_none() && limits.mate.is_none() && limits.movetime.is_none();
    limits.infinite = none;
    Ok(limits)
}

fn chosen(value: &Bound<'_, PyAny>, game: &AnyGame) -> PyResult<Vec<Move>> {
    let mut moves = Vec::new();
    for text in value.try_iter()? {
        let text = text?.cast::<PyString>()?.to_string_lossy().into_owned();
        moves.push(game.parse_move(&text).map_err(|error| errors::moves(&error))?);
    }
    Ok(moves)
}

#[pymethods]
impl Engine {
    #[new]
    fn new(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut read = Options::default();
        for (name, value) in options {
            let (name, value) = (name.str()?, value.str()?);
            let set = read.set(&name.to_string_lossy(), &value.to_string_lossy());
            set.map_err(|error| errors::error("EngineError", error, None))?;
        }
        let inner = py.detach(|| Inner::new(read)).map_err(|error| failed(&error))?;
        Ok(Engine { inner, starting: Mutex::new(()), searches: Arc::default() })
    }

    fn set_option(&self, py: Python<'_>, name: &str, value: &str) -> PyResult<()> {
        py.detach(|| self.inner.set_option(name, value)).map_err(|error| failed(&error))
    }

    fn start(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        moves: Vec<String>,
        limits: &Bound<'_, PyDict>,
    ) -> PyResult<Search> {
        let (game, limits) = task(position, moves, limits)?;
        let root = game.position();
        let (send, messages) = channel();
        let done = send.clone();
        let started = py.detach(|| {
            let _starting = lock(&self.starting);
            if self.inner.is_searching() {
                return Err(EngineError::Busy);
            }
            self.inner.set_game(game)?;
            let report = move |info: &Report| drop(send.send(Message::Report(Box::new(*info))));
            let number = self.searches.fetch_add(1, Relaxed) + 1;
            let finish = move |answer| drop(done.send(Message::Done(Box::new(answer))));
            self.inner.go_async(limits, report, finish).map(|_| number)
        });
        let number = started.map_err(|error| failed(&error))?;
        let heard = Mutex::new(Heard { messages, lines: Lines::default(), answer: None });
        Ok(Search { engine: self.inner.clone(), number, latest: self.searches.clone(), heard, root })
    }

    /// Analyses many positions, each by an engine of one thread that knows nothing of the others, on `threads` cores.
    fn analyse_many(
        &self,
        py: Python<'_>,
        positions: &Bound<'_, PyAny>,
        limits: &Bound<'_, PyDict>,
        threads: Option<usize>,
        hash: usize,
    ) -> PyResult<Vec<Analysis>> {
        let mut tasks = Vec::new();
        for (at, position) in positions.try_iter()?.enumerate() {
            let read = task(&position?, Vec::new(), limits);
            let numbered = |error: &PyErr| drop(error.value(py).setattr("place", format!("item {at}")));
            tasks.push(read.inspect_err(numbered)?);
        }
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let count = threads.unwrap_or(cores).clamp(1, 512).min(tasks.len());
        let options = Options { threads: 1, hash: hash.max(1), ..self.inner.options() };
        let engines = (0..count).map(|_| Inner::new(options.clone())).collect::<Result<Vec<_>, _>>();
        let engines = engines.map_err(|error| failed(&error))?;
        let mut answers: Vec<Option<(Lines, GoResult)>> = Vec::new();
        answers.resize_with(tasks.len(), || None);
        let next = AtomicUsize::new(0);
        let mut interrupted = Ok(());
        let started = py.detach(|| {
            thread::scope(|scope| {
                let (send, answered) = channel();
                for engine in &engines {
                    let (tasks, next, send) = (&tasks, &next, send.clone());
                    let work = move || {
                        work_on(engine, tasks, next, |at, lines, answer| send.send((at, lines, answer)).is_ok())
                    };
                    let builder = thread::Builder::new().name("rukh-many".into()).stack_size(SEARCH_STACK);
                    builder.spawn_scoped(scope, work).map_err(|error| error.to_string())?;
                }
                drop(send);
                loop {
                    match answered.recv_timeout(PATIENCE) {
                        Ok((at, lines, answer)) => answers[at] = Some((lines, answer)),
                        Err(RecvTimeoutError::Disconnected) => return Ok(()),
                        Err(RecvTimeoutError::Timeout) => {}
                    }
                    interrupted = Python::attach(|py| py.check_signals());
                    if interrupted.is_err() {
                        next.store(usize::MAX / 2, Relaxed);
                        engines.iter().for_each(Inner::stop);
                        return Ok(());
                    }
                }
            })
        });
        interrupted?;
        started.map_err(|why: String| errors::error("EngineError", why, None))?;
        let finished = answers.into_iter().zip(&tasks).map(|(answer, (game, _))| {
            let (lines, answer) = answer.ok_or_else(|| errors::error("EngineError", "a search crashed", None))?;
            lines.analysis(py, answer, &game.position())
        });
        finished.collect()
    }

    fn stop(&self) {
        self.inner.stop();
    }

    fn new_game(&self, py: Python<'_>) {
        py.detach(|| self.inner.new_game());
    }

    #[getter]
    fn is_searching(&self) -> bool {
        self.inner.is_searching()
    }
}

/// Takes tasks until there are no more, or nobody wants answers.
fn work_on(
    engine: &Inner,
    tasks: &[(AnyGame, Limits)],
    next: &AtomicUsize,
    mut answered: impl FnMut(usize, Lines, GoResult) -> bool,
) {
    loop {
        let at = next.fetch_add(1, Relaxed);
        let Some((game, limits)) = tasks.get(at) else { return };
        engine.new_game();
        let mut lines = Lines::default();
        let answer = match engine.set_game(game.clone()) {
            Ok(()) => engine.go(limits.clone(), |report| lines.add(*report)),
            Err(_) => return,
        };
        if !answered(at, lines, answer) {
            return;
        }
    }
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Info>()?;
    module.add_class::<Analysis>()?;
    module.add_class::<Search>()?;
    module.add_class::<Engine>()
}

//! `Database`: games that are found by their positions.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rukh_core::{Position as Pos, dispatch};
use rukh_pgn::PgnError;
use rukh_store::db::{
    AnyDatabase, Database as Inner, DbError, Exploration, Figures, GameRef, ImportObserver, ImportOptions,
    ImportReport, Missing, Stored, import, open_any,
};

use crate::errors;
use crate::fields::{Game, OF_DATABASES};
use crate::games::{Reader, fields};
use crate::position::{position_of, variant_of};
use crate::reading::{Plan, Table, Tables};

/// Games in one table.
const BATCH: usize = 4096;

fn failed(error: &DbError) -> PyErr {
    errors::error("DatabaseError", error, None)
}

/// The database in a folder, opened anew for each question: an import may have changed it.
#[pyclass(frozen, module = "rukh", name = "DatabaseCore")]
pub struct Database(PathBuf);

impl Database {
    fn open(&self, py: Python<'_>) -> PyResult<AnyDatabase> {
        py.detach(|| open_any(&self.0)).map_err(|error| failed(&error))
    }
}

#[pymethods]
impl Database {
    #[new]
    fn new(path: PathBuf) -> Self {
        Database(path)
    }

    fn totals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let database = self.open(py)?;
        let totals = dispatch!(&database, database => database.totals());
        let answer = PyDict::new(py);
        answer.set_item("variant", totals.variant)?;
        answer.set_item("games", totals.games)?;
        answer.set_item("positions", totals.positions)?;
        answer.set_item("bytes", totals.bytes)?;
        answer.set_item("segments", totals.segments)?;
        answer.set_item("missing", missing(&totals.missing))?;
        Ok(answer)
    }

    fn explore<'py>(&self, py: Python<'py>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let database = self.open(py)?;
        let pos = position_of(position, None)?;
        dispatch!(&database, database => {
            let pos = pos.of().copied().ok_or_else(|| other_game(database.variant().name(), pos.variant().name()))?;
            let found = py.detach(|| database.explore(&pos)).map_err(|error| failed(&error))?;
            answer(py, database, &pos, &found)
        })
    }

    /// Games as tables: all, or the examples of a position.
    fn games(
        &self,
        py: Python<'_>,
        position: Option<&Bound<'_, PyAny>>,
        columns: Option<Vec<String>>,
        extra: Vec<String>,
    ) -> PyResult<Reader> {
        let fields = fields(columns, extra, &OF_DATABASES, false)?;
        let plan = Plan { fields, positions: false, batch: BATCH, threads: None };
        let database = self.open(py)?;
        let pos = position.map(|position| position_of(position, None)).transpose()?;
        let tables = dispatch!(database, database => {
            let chosen = match pos {
                None => None,
                Some(pos) => {
                    let here = pos.of().ok_or_else(|| other_game(database.variant().name(), pos.variant().name()))?;
                    Some(py.detach(|| database.explore(here)).map_err(|error| failed(&error))?.examples)
                }
            };
            let plan = plan.clone();
            Tables::made(move |tables| send(&database, chosen, &plan, |table| tables.send(table).is_ok()))
        });
        let tables = tables.map_err(|error| errors::error("DatabaseError", error, None))?;
        Ok(Reader::of(tables, plan, false))
    }

    /// Adds files; `progress` is called with a dict now and then, and whatever it raises ends the import.
    fn import_pgn<'py>(
        &self,
        py: Python<'py>,
        files: Vec<PathBuf>,
        variant: Option<&str>,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let variant = variant.map(variant_of).transpose()?;
        let options = ImportOptions { variant, threads, ..ImportOptions::default() };
        let mut watch = Watch { progress, raised: None, problems: Vec::new() };
        let done = py.detach(|| import(&self.0, &files, &options, &mut watch));
        if let Some(raised) = watch.raised {
            return Err(raised);
        }
        let answer = report(py, &done.map_err(|error| failed(&error))?)?;
        answer.set_item("errors", watch.problems)?;
        Ok(answer)
    }
}

fn other_game(is: &str, asked: &str) -> PyErr {
    errors::error("DatabaseError", format!("a database of {is}, not of {asked}"), None)
}

/// What an answer lacks: segments and games that could not be read.
fn missing(missing: &Missing) -> Option<(u64, u64)> {
    (!missing.is_empty()).then_some((missing.segments, missing.games))
}

fn figures<'py>(py: Python<'py>, figures: &Figures) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    let year = |year: u16| (year > 0).then_some(year);
    row.set_item("games", figures.games)?;
    row.set_item("white", figures.white)?;
    row.set_item("draws", figures.draws)?;
    row.set_item("black", figures.black)?;
    row.set_item("rating", figures.mean_rating())?;
    row.set_item("first_year", year(figures.first_year))?;
    row.set_item("last_year", year(figures.last_year))?;
    Ok(row)
}

fn answer<'py, R: Stored>(
    py: Python<'py>,
    database: &Inner<R>,
    pos: &Pos<R>,
    found: &Exploration,
) -> PyResult<Bound<'py, PyDict>> {
    let opening = |pos: &Pos<R>| R::opening(pos).map(|opening| (opening.eco(), opening.name));
    let answer = figures(py, &found.figures)?;
    answer.set_item("opening", opening(pos))?;
    let moves = PyList::empty(py);
    for explored in &found.moves {
        let row = PyDict::new(py);
        row.set_item("move", pos.uci(explored.mv, database.notation()))?;
        row.set_item("san", pos.san(explored.mv))?;
        row.update(figures(py, &explored.figures)?.as_mapping())?;
        row.set_item("opening", opening(&pos.after(explored.mv)))?;
        row.set_item("best", database.game_name(explored.best))?;
        row.set_item("latest", database.game_name(explored.latest))?;
        moves.append(row)?;
    }
    answer.set_item("moves", moves)?;
    let examples: Vec<String> = found.examples.iter().map(|&game| database.game_name(game)).collect();
    answer.set_item("examples", examples)?;
    answer.set_item("missing", missing(&found.missing))?;
    Ok(answer)
}

/// Sends games as tables until nobody takes them.
fn send<R: Stored>(
    database: &Inner<R>,
    chosen: Option<Vec<GameRef>>,
    plan: &Plan,
    mut take: impl FnMut(Result<Table, String>) -> bool,
) {
    let all = || {
        let segments = database.segments().iter();
        segments.flat_map(|segment| (0..segment.games.len()).map(|game| GameRef { segment: segment.id, game }))
    };
    let games: Box<dyn Iterator<Item = GameRef>> = match chosen {
        Some(games) => Box::new(games.into_iter()),
        None if !database.missing().is_empty() => {
            let (segments, games) = (database.missing().segments, database.missing().games);
            take(Err(format!("the database is damaged: {segments} segments with {games} games cannot be read")));
            return;
        }
        None => Box::new(all()),
    };
    let empty = || Table { columns: plan.empty(), games: 0, problems: Vec::new() };
    let mut table = empty();
    for name in games {
        match row(database, name, plan, &mut table) {
            Ok(()) if table.games >= plan.batch => {
                if !take(Ok(std::mem::replace(&mut table, empty()))) {
                    return;
                }
            }
            Ok(()) => {}
            Err(error) => {
                take(Err(error.to_string()));
                return;
            }
        }
    }
    take(Ok(table));
}

fn row<R: Stored>(database: &Inner<R>, name: GameRef, plan: &Plan, table: &mut Table) -> Result<(), DbError> {
    let stored = database.game(name)?;
    let keeps = plan.keeps();
    let mut game = Game { tags: stored.tags, result: stored.result, ..Game::default() };
    game.id = Some(database.game_name(name));
    let mut pos = stored.start.clone();
    game.start = stored.start;
    for mv in stored.moves {
        game.push(&pos, mv, &keeps);
        pos.play(mv);
    }
    plan.add(&mut game, &pos, table.games, &mut table.columns);
    table.games += 1;
    Ok(())
}

/// Tells Python how an import goes, and hears when it is to end.
struct Watch {
    progress: Option<Py<PyAny>>,
    raised: Option<PyErr>,
    problems: Vec<String>,
}

impl ImportObserver for Watch {
    fn problem(&mut self, error: &PgnError) {
        if self.problems.len() < 1000 {
            self.problems.push(error.to_string());
        }
    }

    fn progress(&mut self, so_far: &ImportReport, doing: &str) {
        let told = Python::attach(|py| {
            py.check_signals()?;
            let Some(progress) = &self.progress else { return Ok(()) };
            let report = report(py, so_far)?;
            report.set_item("doing", doing)?;
            progress.call1(py, (report,)).map(drop)
        });
        if let Err(error) = told {
            self.raised.get_or_insert(error);
        }
    }

    fn goes_on(&mut self) -> bool {
        self.raised.is_none()
    }
}

fn report<'py>(py: Python<'py>, report: &ImportReport) -> PyResult<Bound<'py, PyDict>> {
    let answer = PyDict::new(py);
    answer.set_item("games", report.games)?;
    answer.set_item("positions", report.positions)?;
    answer.set_item("duplicates", report.duplicates)?;
    answer.set_item("problems", report.problems)?;
    answer.set_item("resumed", report.resumed)?;
    answer.set_item("bytes", report.bytes)?;
    Ok(answer)
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Database>()
}

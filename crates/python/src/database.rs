//! `Database`: games that are found by their positions.

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rukh_core::{Position as Pos, dispatch};
use rukh_pgn::{PgnError, PgnWriter};
use rukh_store::db::{
    AnyDatabase, Database as Inner, DbError, Exploration, Figures, GameRef, ImportObserver, ImportOptions,
    ImportReport, Missing, Row, Stored, import, open_any,
};

use crate::columns::{Column, Kind};
use crate::errors;
use crate::fields::{Field, Game, OF_DATABASES};
use crate::games::{Reader, fields};
use crate::position::{position_of, variant_of};
use crate::reading::{Plan, Table, Tables};

/// Games in one table.
const BATCH: usize = 4096;

/// A database that cannot be opened, read or written; the place is the file or folder, in a PGN file also the line.
pub fn failed(error: &DbError) -> PyErr {
    let place = match error {
        DbError::Pgn(problem) => Some(format!("{}:{}", problem.file, problem.line)),
        _ => error.path().map(|path| path.display().to_string()),
    };
    let words = error.to_string();
    let reason = place.as_ref().and_then(|place| words.strip_prefix(place)?.strip_prefix(": "));
    errors::error("DatabaseError", reason.unwrap_or(&words), place.clone())
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

    /// The rows of all positions and moves: what `rukh db export` writes as Parquet.
    fn positions(&self, py: Python<'_>) -> PyResult<Reader> {
        let database = self.open(py)?;
        let fields = ROW.iter().map(|&(name, kind)| (name.to_owned(), Field::Given(kind))).collect();
        let plan = Plan { fields, positions: true, batch: BATCH, threads: None };
        let (empty, folder) = (plan.empty(), self.0.clone());
        let tables = dispatch!(database, database => Tables::made(move |tables| send_rows(&database, &empty, tables)));
        let tables =
            tables.map_err(|error| errors::error("DatabaseError", error, Some(folder.display().to_string())))?;
        Ok(Reader::of(tables, plan, false))
    }

    /// Adds files; `progress` is called with a dict now and then, and whatever it raises ends the import.
    fn import_pgn<'py>(
        &self,
        py: Python<'py>,
        files: Vec<PathBuf>,
        how: (Option<String>, usize, Option<usize>, Option<usize>),
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (variant, threads, memory, max_ply) = how;
        let mut options = options(variant.as_deref(), threads, memory)?;
        options.filter.max_ply = max_ply;
        let mut watch = Watch::new(progress);
        let done = py.detach(|| import(&self.0, &files, &options, &mut watch));
        if let Some(raised) = watch.raised {
            return Err(raised);
        }
        let answer = report(py, &done.map_err(|error| failed(&error))?)?;
        answer.set_item("errors", watch.problems)?;
        Ok(answer)
    }
}

/// Options of an import; `memory` in megabytes.
pub fn options(variant: Option<&str>, threads: usize, memory: Option<usize>) -> PyResult<ImportOptions> {
    let variant = variant.map(variant_of).transpose()?;
    let usual = ImportOptions::default();
    let memory = memory.map_or(usual.memory, |mb| mb.clamp(48, 1 << 20) << 20);
    Ok(ImportOptions { variant, threads: threads.min(256), memory, ..usual })
}

fn other_game(is: &str, asked: &str) -> PyErr {
    errors::error("DatabaseError", format!("a database of {is} games, not {asked}"), None)
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
    let (hash, stored) = database.archived(name)?;
    let keeps = plan.keeps();
    let mut game = Game { result: stored.result, hash: Some(signed(hash)), ..Game::default() };
    game.id = Some(database.game_name(name));
    if keeps.pgn {
        let mut text = PgnWriter::new(Vec::new());
        // Into memory: nothing can fail.
        let text = text.write_game(&stored).and_then(|()| text.finish()).unwrap_or_default();
        game.pgn = Some(String::from_utf8_lossy(&text).into_owned());
    }
    game.tags = stored.tags;
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

/// The columns of rows (docs/formats/parquet.md).
const ROW: [(&str, Kind); 18] = [
    ("key", Kind::Int64),
    ("code", Kind::Text),
    ("position", Kind::Text),
    ("uci", Kind::Text),
    ("games", Kind::Int64),
    ("white", Kind::Int64),
    ("draws", Kind::Int64),
    ("black", Kind::Int64),
    ("rated", Kind::Int64),
    ("rating_sum", Kind::Int64),
    ("first_year", Kind::Int32),
    ("last_year", Kind::Int32),
    ("first_game", Kind::Int64),
    ("first_ply", Kind::Int32),
    ("best_rating", Kind::Int32),
    ("best_game", Kind::Int64),
    ("latest_date", Kind::Int32),
    ("latest_game", Kind::Int64),
];

/// Rows in one table.
const ROWS: usize = 20_000;

/// Keys and hashes are stored so that the order of signed numbers is theirs.
fn signed(key: u64) -> i64 {
    (key ^ 1 << 63) as i64
}

/// Nobody takes any more, or the database is broken.
enum Stop {
    Unwanted,
    Broken(DbError),
}

impl From<DbError> for Stop {
    fn from(error: DbError) -> Self {
        Stop::Broken(error)
    }
}

type Taker = SyncSender<Result<Table, String>>;

/// Sends rows as tables until nobody takes them.
fn send_rows<R: Stored>(database: &Inner<R>, empty: &[Column], tables: &Taker) {
    let mut rows = Vec::with_capacity(ROWS);
    let done = database.each_row(&std::env::temp_dir(), |row| {
        rows.push(row);
        if rows.len() == ROWS {
            send_table(database, empty, &rows, tables)?;
            rows.clear();
        }
        Ok(())
    });
    match done.and_then(|()| send_table(database, empty, &rows, tables)) {
        Err(Stop::Broken(error)) => drop(tables.send(Err(error.to_string()))),
        Err(Stop::Unwanted) | Ok(()) => {}
    }
}

fn send_table<R: Stored>(database: &Inner<R>, empty: &[Column], rows: &[Row], tables: &Taker) -> Result<(), Stop> {
    let mut columns = empty.to_vec();
    for (row, code) in rows.iter().zip(database.codes_of(rows)) {
        let of = &row.figures;
        for (column, text) in columns[1..4].iter_mut().zip([&code, &row.position, &row.uci]) {
            column.text(Some(text));
        }
        let counts = [of.games, of.white, of.draws, of.black, of.rated, of.rating_sum].map(|count| count as i64);
        let years = [of.first_year.into(), of.last_year.into()];
        let first = [signed(row.first_game), row.first_ply.into()];
        let best = [row.best_rating.into(), signed(row.best_game)];
        let latest = [row.latest_date.into(), signed(row.latest_game)];
        columns[0].number(Some(signed(row.key)));
        let rest = counts.into_iter().chain(years).chain(first).chain(best).chain(latest);
        columns[4..].iter_mut().zip(rest).for_each(|(column, number)| column.number(Some(number)));
    }
    let table = Table { columns, games: rows.len(), problems: Vec::new() };
    tables.send(Ok(table)).map_err(|_| Stop::Unwanted)
}

/// Tells Python how an import goes, and hears when it is to end.
pub struct Watch {
    progress: Option<Py<PyAny>>,
    pub raised: Option<PyErr>,
    problems: Vec<String>,
}

impl Watch {
    /// Calls `progress` now and then.
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Watch { progress, raised: None, problems: Vec::new() }
    }
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

pub fn report<'py>(py: Python<'py>, report: &ImportReport) -> PyResult<Bound<'py, PyDict>> {
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

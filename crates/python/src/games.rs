//! Tables of games and positions for Python: `read_pgn` and `positions`.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyString};
use rukh_engine::lock;
use rukh_pgn::{Input, PgnError};

use crate::arrow::{self, Source};
use crate::columns::{Column, Values};
use crate::errors;
use crate::fields::{Field, OF_GAMES, OF_POSITIONS};
use crate::reading::{Next, Plan, Tables};

/// How long to wait before somebody looks whether Ctrl-C was pressed.
const PATIENCE: Duration = Duration::from_millis(50);
/// Broken games that are remembered.
const REMEMBERED: usize = 1000;

/// Some rows of a table: an Arrow record batch for anybody who understands `__arrow_c_array__` (pyarrow, polars, pandas, …).
#[pyclass(frozen, module = "rukh")]
pub struct RecordBatch(Vec<Column>);

#[pymethods]
impl RecordBatch {
    /// How many rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.first().map_or(0, Column::len)
    }

    /// The columns' names.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.0.iter().map(|column| column.name.as_str()).collect()
    }

    /// The columns as lists of Python's own values.
    fn to_pydict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let table = PyDict::new(py);
        for column in &self.0 {
            table.set_item(&column.name, column.to_list(py)?)?;
        }
        Ok(table)
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.0)
    }

    #[pyo3(signature = (requested_schema = None))]
    #[allow(unused_variables, reason = "the interface lets a producer ignore what is requested")]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        arrow::array_capsules(py, self.0.clone())
    }
}

/// A reader's state, shared with streams that others read.
struct Shared {
    tables: Option<Tables>,
    plan: Plan,
    skips: bool,
    games: u64,
    skipped: u64,
    remembered: Vec<(String, String)>,
    /// Why reading has ended early, for those whose streams could only be told in a text.
    fault: Option<PyErr>,
}

impl Shared {
    /// Waits for the next table without the interpreter's lock: a source in Python needs it to deliver.
    fn next(&mut self) -> PyResult<Option<Vec<Column>>> {
        loop {
            let Some(tables) = &mut self.tables else { return Ok(None) };
            let step = Python::attach(|py| {
                let step = py.detach(|| tables.next(PATIENCE));
                py.check_signals().map(|()| step)
            });
            let failed = match step {
                Ok(Next::Waiting) => continue,
                Ok(Next::End) => {
                    self.tables = None;
                    return Ok(None);
                }
                Ok(Next::Broken(fault)) => errors::error("Error", fault, None),
                Ok(Next::Table(mut table)) => match self.take(&table.problems) {
                    Ok(()) => {
                        self.number(&mut table.columns);
                        self.games += table.games as u64;
                        if table.games == 0 {
                            continue;
                        }
                        return Ok(Some(table.columns));
                    }
                    Err(error) => error,
                },
                Err(interrupted) => interrupted,
            };
            self.tables = None;
            self.fault = Some(Python::attach(|py| failed.clone_ref(py)));
            return Err(failed);
        }
    }

    fn take(&mut self, problems: &[PgnError]) -> PyResult<()> {
        for problem in problems {
            if !self.skips || problem.is_fatal() {
                return Err(errors::pgn(problem));
            }
            self.skipped += 1;
            if self.remembered.len() < REMEMBERED {
                self.remembered.push((format!("{}:{}", problem.file, problem.line), problem.reason.to_string()));
            }
        }
        Ok(())
    }

    /// Workers count games from 0 in each of their tables.
    fn number(&self, columns: &mut [Column]) {
        for ((_, field), column) in self.plan.fields.iter().zip(columns) {
            if let (Field::Game, Values::Int64(numbers)) = (field, &mut column.values) {
                numbers.iter_mut().for_each(|number| *number += self.games as i64);
            }
        }
    }
}

/// A stream for others.
struct Streamed(Arc<Mutex<Shared>>);

impl Source for Streamed {
    fn schema(&self) -> Vec<Column> {
        lock(&self.0).plan.empty()
    }

    fn next(&mut self) -> Result<Option<Vec<Column>>, String> {
        // The caller may hold the interpreter's lock; nobody waits for another one with it.
        Python::attach(|py| py.detach(|| lock(&self.0).next())).map_err(|error| error.to_string())
    }
}

/// Tables of a source, one after another; `rukh.Games` stands on it.
#[pyclass(frozen, subclass, module = "rukh")]
pub struct Reader(Arc<Mutex<Shared>>);

impl Reader {
    /// A reader of these tables.
    pub fn of(tables: Tables, plan: Plan, skips: bool) -> Self {
        let shared =
            Shared { tables: Some(tables), plan, skips, games: 0, skipped: 0, remembered: Vec::new(), fault: None };
        Reader(Arc::new(Mutex::new(shared)))
    }

    /// Columns without rows.
    #[cfg(feature = "parquet")]
    pub fn empty(&self, py: Python<'_>) -> Vec<Column> {
        self.locked(py, |shared| shared.plan.empty())
    }

    /// The next table.
    #[cfg(feature = "parquet")]
    pub fn next(&self, py: Python<'_>) -> PyResult<Option<Vec<Column>>> {
        self.locked(py, Shared::next)
    }

    /// Never waits for the lock with the interpreter's in hand: whoever holds it may need that one.
    fn locked<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut Shared) -> T + Send) -> T {
        py.detach(|| work(&mut lock(&self.0)))
    }
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (source, columns, extra, positions, errors, batch_size, threads))]
    fn new(
        source: &Bound<'_, PyAny>,
        columns: Option<Vec<String>>,
        extra: Vec<String>,
        positions: bool,
        errors: &str,
        batch_size: usize,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let skips = match errors {
            "raise" => false,
            "skip" => true,
            other => return Err(self::error(format!("errors is 'raise' or 'skip', not {other:?}"))),
        };
        let usual: &[&str] = if positions { &OF_POSITIONS } else { &OF_GAMES };
        let fields = fields(columns, extra, usual, positions)?;
        let plan = Plan { fields, positions, batch: batch_size.max(1), threads };
        let (name, input) = open(source)?;
        let tables = Tables::begin(&name, input, &plan).map_err(self::error)?;
        Ok(Reader::of(tables, plan, skips))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        Ok(self.locked(py, Shared::next)?.map(RecordBatch))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::schema_capsule(py, &self.locked(py, |shared| shared.plan.empty()))
    }

    #[pyo3(signature = (requested_schema = None))]
    #[allow(unused_variables, reason = "the interface lets a producer ignore what is requested")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        arrow::stream_capsule(py, Box::new(Streamed(self.0.clone())))
    }

    /// The columns' names.
    #[getter]
    fn column_names(&self, py: Python<'_>) -> Vec<String> {
        self.locked(py, |shared| shared.plan.fields.iter().map(|(name, _)| name.clone()).collect())
    }

    /// How many games have been delivered.
    #[getter]
    fn games_read(&self, py: Python<'_>) -> u64 {
        self.locked(py, |shared| shared.games)
    }

    /// How many broken games were left out (`errors="skip"`).
    #[getter]
    fn skipped(&self, py: Python<'_>) -> u64 {
        self.locked(py, |shared| shared.skipped)
    }

    /// Place and reason of the first thousand broken games that were left out.
    #[getter]
    fn problems(&self, py: Python<'_>) -> Vec<(String, String)> {
        self.locked(py, |shared| shared.remembered.clone())
    }

    /// Ends reading.
    fn close(&self, py: Python<'_>) {
        self.locked(py, |shared| shared.tables = None);
    }

    /// Raises what has ended the reading early, if anything.
    fn _raise_fault(&self, py: Python<'_>) -> PyResult<()> {
        self.locked(py, |shared| shared.fault.take()).map_or(Ok(()), Err)
    }
}

fn error(reason: impl std::fmt::Display) -> PyErr {
    errors::error("Error", reason, None)
}

/// The columns that were asked for.
pub fn fields(
    columns: Option<Vec<String>>,
    extra: Vec<String>,
    usual: &[&str],
    positions: bool,
) -> PyResult<Vec<(String, Field)>> {
    let mut names = columns.unwrap_or_else(|| usual.iter().map(|name| (*name).to_owned()).collect());
    names.extend(extra);
    let mut fields: Vec<(String, Field)> = Vec::new();
    for name in names {
        if fields.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let field = if positions { Field::of_position(&name) } else { Field::of_game(&name) };
        let field = field
            .ok_or_else(|| error(format!("there is no column {name:?}; tags have their own names (WhiteTitle)")))?;
        fields.push((name, field));
    }
    if fields.is_empty() { Err(error("a table needs a column")) } else { Ok(fields) }
}

/// A path, or an object with `read`.
fn open(source: &Bound<'_, PyAny>) -> PyResult<(String, Input)> {
    if source.hasattr("read")? {
        let name = source.getattr("name").ok().and_then(|name| name.extract::<String>().ok());
        let name = name.unwrap_or_else(|| "source".into());
        let file = PythonFile { file: source.clone().unbind(), rest: Vec::new(), at: 0 };
        // The first bytes are read here, with the interpreter's lock; the others by a thread that asks for it.
        let input = Input::new(file).map_err(|error| unreadable(&name, &error))?;
        return Ok((name, input));
    }
    let path: PathBuf = source.extract().map_err(|_| {
        let kind = source.get_type().name().map_or_else(|_| "that".into(), |name| name.to_string());
        PyTypeError::new_err(format!("expected a path or a file object, not {kind}"))
    })?;
    let name = path.display().to_string();
    // Directories open and then cannot be read.
    let input = Input::open(&path).map_err(|error| unreadable(&name, &error))?;
    Ok((name, input))
}

fn unreadable(name: &str, error: &io::Error) -> PyErr {
    errors::error("PgnError", format!("cannot read: {error}"), Some(name.to_owned()))
}

/// A file object of Python's, binary or text.
struct PythonFile {
    file: Py<PyAny>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            self.rest =
                Python::try_attach(|py| fetch(self.file.bind(py)).map_err(|error| io::Error::other(error.to_string())))
                    .unwrap_or_else(|| Err(io::Error::other("Python is going away")))?;
            self.at = 0;
        }
        let count = buffer.len().min(self.rest.len() - self.at);
        buffer[..count].copy_from_slice(&self.rest[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn fetch(file: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    const BYTES: usize = 1 << 18;
    let read = file.call_method1("read", (BYTES,))?;
    if let Ok(bytes) = read.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(text) = read.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned().into_bytes());
    }
    read.extract::<Vec<u8>>().map_err(|_| PyTypeError::new_err("read() gave neither bytes nor text"))
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RecordBatch>()?;
    module.add_class::<Reader>()
}

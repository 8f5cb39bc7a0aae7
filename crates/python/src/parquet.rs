//! Parquet files: any table written without another package, and a database built from a cluster's tables.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use rukh_scale::{Kind as Stored, Part, RowReader, ScaleError, TableWriter, Values as Laid, count_rows, files_of};
use rukh_store::db::build_from_rows;

use crate::columns::{Column, Values};
use crate::database::{Watch, failed, options, report};
use crate::errors;
use crate::games::Reader;

/// Rows and tables of one group: a unit of memory here and for whoever reads it.
const ROWS: usize = 100_000;
const TABLES: usize = 32;

fn unwritten(error: &ScaleError) -> PyErr {
    errors::error("Error", error, None)
}

fn kind(values: &Values) -> (Stored, bool) {
    match values {
        Values::Text(..) => (Stored::Text, false),
        Values::Int32(_) => (Stored::Int32, false),
        Values::Int64(_) => (Stored::Int64, false),
        Values::List(_, items) => (kind(&items.values).0, true),
    }
}

fn part(column: &Column) -> Part<'_> {
    let has = Box::new(|row| column.valid.has(row));
    match &column.values {
        Values::Text(ends, bytes) => Part { rows: column.len(), has, lists: None, values: Laid::Text(ends, bytes) },
        Values::Int32(numbers) => Part { rows: column.len(), has, lists: None, values: Laid::Int32(numbers) },
        Values::Int64(numbers) => Part { rows: column.len(), has, lists: None, values: Laid::Int64(numbers) },
        Values::List(ends, items) => {
            let Part { has: has_item, values, .. } = part(items);
            Part { rows: column.len(), has, lists: Some((ends, has_item)), values }
        }
    }
}

/// Writes all that a reader has left; returns how many rows. The file has its name when it is whole.
#[pyfunction]
fn write_parquet(py: Python<'_>, reader: &Bound<'_, Reader>, path: PathBuf) -> PyResult<u64> {
    let columns = reader.get().empty(py);
    let types = columns.iter().map(|column| {
        let (kind, lists) = kind(&column.values);
        (column.name.as_str(), kind, lists)
    });
    let mut writer = TableWriter::create(&path, types).map_err(|error| unwritten(&error))?;
    let (mut waiting, mut rows, mut written) = (Vec::new(), 0, 0);
    loop {
        let next = reader.get().next(py)?;
        let ended = next.is_none();
        rows += next.as_ref().and_then(|table| table.first()).map_or(0, Column::len);
        waiting.extend(next);
        if rows >= ROWS || waiting.len() >= TABLES || ended && rows > 0 {
            let parts: Vec<Vec<Part<'_>>> =
                (0..columns.len()).map(|at| waiting.iter().map(|table| part(&table[at])).collect()).collect();
            writer.write(&parts).map_err(|error| unwritten(&error))?;
            written += std::mem::take(&mut rows) as u64;
            drop(parts);
            waiting.clear();
        }
        if ended {
            break;
        }
    }
    writer.finish().map_err(|error| unwritten(&error))?;
    Ok(written)
}

/// A new database of games (PGN) and of the grouped rows of their positions (Parquet).
#[pyfunction]
fn build_database<'py>(
    py: Python<'py>,
    path: PathBuf,
    games: Vec<PathBuf>,
    positions: PathBuf,
    memory: Option<usize>,
    segment_mb: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut options = options(None, 0, memory)?;
    if let Some(most) = segment_mb {
        options.segment_bytes = most.clamp(1, 1 << 30) * 1_000_000;
    }
    let unread = |error: ScaleError| errors::error("DatabaseError", error, None);
    let files = files_of(&positions, "parquet").map_err(unread)?;
    let rows = count_rows(&files).map_err(unread)?;
    let mut watch = Watch::new(progress);
    let done = py.detach(|| build_from_rows(&path, &games, RowReader::new(files), rows, &options, &mut watch));
    if let Some(raised) = watch.raised {
        return Err(raised);
    }
    let (told, positions) = done.map_err(|error| failed(&error))?;
    let answer = report(py, &told)?;
    answer.set_item("positions", positions)?;
    Ok(answer)
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_parquet, module)?)?;
    module.add_function(wrap_pyfunction!(build_database, module)?)
}

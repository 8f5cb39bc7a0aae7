//! Games from rows back into PGN: `write_pgn`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rukh_core::AnyPosition;
use rukh_files::OutputFile;
use rukh_pgn::{GameResult, GameTree, NodeId, Packed, PgnWriter};

use crate::errors;
use crate::fields::Field;
use crate::position::{read, variant_of};

/// A row's value, unless it is missing: `None`, or pandas's `nan`.
fn value<'py>(row: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = row.get_item(name)?.filter(|value| !value.is_none());
    Ok(found.filter(|value| value.extract::<f64>().map_or(true, |number| !number.is_nan())))
}

fn text(row: &Bound<'_, PyDict>, name: &str) -> PyResult<Option<String>> {
    value(row, name)?.map(|value| Ok(value.str()?.to_string_lossy().into_owned())).transpose()
}

/// A list of a row: of texts, of numbers, or (moves) one text with blanks.
fn list<'py>(row: &Bound<'py, PyDict>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Some(found) = value(row, name)? else { return Ok(Vec::new()) };
    if let Ok(words) = found.cast::<PyString>() {
        let words = words.to_string_lossy();
        return Ok(words.split_whitespace().map(|word| PyString::new(row.py(), word).into_any()).collect());
    }
    found.try_iter()?.collect()
}

fn number(items: &[Bound<'_, PyAny>], at: usize) -> Option<i64> {
    let item = items.get(at)?;
    item.extract::<i64>().ok().or_else(|| item.extract::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64))
}

/// The game of a row, which is the number `at` of all.
fn game(row: &Bound<'_, PyDict>, at: usize) -> PyResult<GameTree> {
    let place = |what: &str| Some(format!("game {at}{what}"));
    let variant = match text(row, "variant")?.or(text(row, "Variant")?) {
        Some(name) => rukh_pgn::variant_named(&name).map_or_else(|| variant_of(&name), Ok)?,
        None => rukh_core::Variant::Chess,
    };
    let start = match text(row, "fen")?.or(text(row, "FEN")?) {
        Some(fen) => read(variant, &fen)?,
        None => AnyPosition::new(variant),
    };
    let mut tree = GameTree::new(start.clone());
    for name in row.keys() {
        let name = name.str()?.to_string_lossy().into_owned();
        // The game itself says these two.
        if matches!(name.as_str(), "FEN" | "SetUp" | "Variant" | "Result") {
            continue;
        }
        let tag = match Field::of_game(&name) {
            Some(Field::Tag(tag)) => tag,
            Some(Field::Rating(tag)) => tag.to_owned(),
            _ => continue,
        };
        if tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && let Some(value) = text(row, &name)?
        {
            // A rating in a column with gaps is a float in pandas.
            tree.tags.set(&tag, value.strip_suffix(".0").filter(|_| tag.ends_with("Elo")).unwrap_or(&value));
        }
    }
    let result = text(row, "result")?.or(text(row, "Result")?).unwrap_or_default();
    tree.result = GameResult::from_tag(result.as_bytes());
    if let Some(intro) = text(row, "intro")? {
        tree.node_mut(NodeId::ROOT).comments.push(intro);
    }
    let moves = match list(row, "moves")? {
        moves if moves.is_empty() => list(row, "san")?,
        moves => moves,
    };
    let [clocks, evals, mates] = [list(row, "clocks")?, list(row, "evals")?, list(row, "mates")?];
    let comments = list(row, "comments")?;
    let (mut pos, mut node) = (start, NodeId::ROOT);
    for (ply, written) in moves.iter().enumerate() {
        let written = written.str()?.to_string_lossy().into_owned();
        let mv = pos.parse_move(&written);
        let mv = mv.map_err(|error| errors::error("MoveError", error, place(&format!(", half-move {}", ply + 1))))?;
        node = tree.add(node, mv);
        pos.play(mv);
        let mut said = Vec::new();
        match (number(&mates, ply), number(&evals, ply)) {
            (Some(moves), _) => said.push(format!("[%eval #{moves}]")),
            (None, Some(eval)) => {
                let sign = if eval < 0 { "-" } else { "" };
                said.push(format!("[%eval {sign}{}.{:02}]", eval.unsigned_abs() / 100, eval.unsigned_abs() % 100));
            }
            (None, None) => {}
        }
        if let Some(ms) = number(&clocks, ply).filter(|&ms| ms >= 0) {
            let (seconds, rest) = (ms / 1000, ms % 1000);
            let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
            said.push(format!("[%clk {}:{:02}:{:02}{fraction}]", seconds / 3600, seconds / 60 % 60, seconds % 60));
        }
        if let Some(comment) = comments.get(ply).filter(|comment| !comment.is_none()) {
            said.push(comment.str()?.to_string_lossy().into_owned());
        }
        if !said.is_empty() {
            tree.node_mut(node).comments.push(said.join(" "));
        }
    }
    Ok(tree)
}

/// One game as PGN.
#[pyfunction]
fn pgn_text(row: &Bound<'_, PyDict>, number: usize) -> PyResult<String> {
    let mut writer = PgnWriter::new(Vec::new());
    let failed = |error: io::Error| errors::error("PgnError", error, Some(format!("game {number}")));
    writer.write_tree(&game(row, number)?).map_err(failed)?;
    Ok(String::from_utf8_lossy(&writer.finish().map_err(failed)?).into_owned())
}

/// Writes rows to a file, packed as its name says; nothing is left of it unless all could be written.
#[pyfunction]
fn write_pgn(rows: &Bound<'_, PyAny>, path: PathBuf) -> PyResult<usize> {
    let failed = |error: io::Error| errors::error("PgnError", error, None);
    let file = OutputFile::create(&path).map_err(failed)?;
    let mut writer = PgnWriter::new(packed(&path, file).map_err(failed)?);
    let mut games = 0;
    for row in rows.try_iter()? {
        let row = row?;
        writer.write_tree(&game(row.cast::<PyDict>()?, games)?).map_err(failed)?;
        games += 1;
        if games.is_multiple_of(1024) {
            rows.py().check_signals()?;
        }
    }
    let mut out = writer.finish().map_err(failed)?;
    out.flush().map_err(failed)?;
    let packed = out.into_inner().map_err(|error| failed(error.into_error()))?;
    packed.finish().and_then(OutputFile::commit).map_err(failed)?;
    Ok(games)
}

fn packed(path: &Path, file: OutputFile) -> io::Result<BufWriter<Packed<OutputFile>>> {
    Ok(BufWriter::with_capacity(1 << 16, Packed::new(path, file)?))
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(pgn_text, module)?)?;
    module.add_function(wrap_pyfunction!(write_pgn, module)?)
}

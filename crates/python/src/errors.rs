//! From our errors to Python's (`rukh/errors.py` has the classes).

use std::fmt::Display;

use pyo3::prelude::*;
use rukh_code::CodeError;
use rukh_core::{FenError, MoveError, VariantError};
use rukh_pgn::PgnError;
use rukh_store::codes::ArgumentError;

/// An exception of this class in `rukh.errors`.
pub fn error(class: &str, reason: impl Display, place: Option<String>) -> PyErr {
    Python::attach(|py| {
        let made =
            py.import("rukh.errors").and_then(|errors| errors.getattr(class)?.call1((reason.to_string(), place)));
        made.map_or_else(|broken| broken, PyErr::from_value)
    })
}

/// A FEN that is not a legal position; the place is the part of the text that is wrong.
pub fn fen(error_: &FenError) -> PyErr {
    let place = match (error_.start + 1, error_.end) {
        (start, end) if start < end => format!("characters {start} to {end}"),
        (start, _) => format!("character {start}"),
    };
    error("FenError", &error_.reason, Some(place))
}

/// A text that is no legal move.
pub fn moves(reason: &MoveError) -> PyErr {
    error("MoveError", reason, None)
}

/// A position without a code, or a code without a position.
pub fn code(reason: &CodeError) -> PyErr {
    error("CodeError", reason, None)
}

/// A text that is neither FEN nor code.
pub fn argument(reason: &ArgumentError) -> PyErr {
    let class = if matches!(reason, ArgumentError::Unknown) { "FenError" } else { "CodeError" };
    error(class, reason, None)
}

/// A variant that nobody plays here.
pub fn variant(reason: VariantError) -> PyErr {
    error("Error", reason, None)
}

/// A broken game or file; the place is its line.
pub fn pgn(problem: &PgnError) -> PyErr {
    error("PgnError", &problem.reason, Some(format!("{}:{}", problem.file, problem.line)))
}

//! Codes of many positions at once, on all cores, while other Python threads run.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyList, PyString};
use rukh_code::{CodeError, Coded, PositionCode, in_parallel};
use rukh_core::any::Any;
use rukh_core::{AnyPosition, FenError, Position as Pos, Variant, dispatch};
use rukh_store::codes::ArgumentError;

use crate::errors;
use crate::position::{Position, variant_of};

/// Inputs between two looks at whether somebody has pressed Ctrl-C.
const BLOCK: usize = 1 << 16;

/// A position as it comes from Python, taken without looking into it: that is done without the interpreter's lock.
enum Input {
    Ready(AnyPosition),
    Text(String),
    Code(i64),
}

/// Why an input has no code or is no position.
enum Fault {
    Fen(FenError),
    Argument(ArgumentError),
    Code(CodeError),
    /// A position of this variant where another is asked for: codes of two games in one array could not be told apart.
    Variant(Variant, Variant),
}

impl Fault {
    /// The exception, with the input's number in its place.
    fn raised(&self, number: usize) -> PyErr {
        let item = format!("item {number}");
        match self {
            Fault::Fen(error) => {
                let place = format!("{item}, characters {} to {}", error.start + 1, error.end.max(error.start + 1));
                errors::error("FenError", &error.reason, Some(place))
            }
            Fault::Argument(error) => errors::error("CodeError", error, Some(item)),
            Fault::Code(error) => errors::error("CodeError", error, Some(item)),
            Fault::Variant(is, asked) => {
                let reason =
                    format!("a position of {is} where one of {asked} is asked for: say variant={:?}", is.name());
                errors::error("Error", reason, Some(item))
            }
        }
    }
}

impl Input {
    fn of(object: &Bound<'_, PyAny>, number: usize) -> PyResult<Self> {
        if let Ok(position) = object.cast::<Position>() {
            Ok(Input::Ready(position.get().0.clone()))
        } else if let Ok(text) = object.cast::<PyString>() {
            Ok(Input::Text(text.to_string_lossy().into_owned()))
        } else if object.cast::<PyInt>().is_ok() {
            let raw = object.extract().map_err(|_| Fault::Code(CodeError::Reserved).raised(number))?;
            Ok(Input::Code(raw))
        } else {
            let kind = object.get_type().name()?;
            let reason = format!("item {number}: expected a Position, a FEN or a code, not {kind}");
            Err(pyo3::exceptions::PyTypeError::new_err(reason))
        }
    }

    fn position(&self, variant: Variant) -> Result<AnyPosition, Fault> {
        match self {
            Input::Ready(position) => checked(position, variant).cloned(),
            Input::Text(text) => {
                let fen = rukh_store::codes::resolve(variant, text).map_err(Fault::Argument)?;
                AnyPosition::from_fen(variant, &fen).map_err(Fault::Fen)
            }
            Input::Code(raw) => decoded(variant, *raw),
        }
    }
}

fn checked(position: &AnyPosition, asked: Variant) -> Result<&AnyPosition, Fault> {
    let is = position.variant();
    if is == asked { Ok(position) } else { Err(Fault::Variant(is, asked)) }
}

fn decoded(variant: Variant, raw: i64) -> Result<AnyPosition, Fault> {
    let code = PositionCode::from_raw(raw).map_err(Fault::Code)?;
    if code.is_direct() {
        let decoded = (|| Ok(dispatch!(any R of variant => R::codec(variant).decode(code)?)))();
        return decoded.map_err(Fault::Code);
    }
    // Tables and records: the reader of texts knows where they lie.
    Input::Text(code.to_string()).position(variant)
}

/// The positions of a block of inputs: direct codes many at once, all else one by one.
fn positions(variant: Variant, block: &[Input]) -> Vec<Result<AnyPosition, Fault>> {
    let direct = |input: &Input| match input {
        Input::Code(raw) => PositionCode::from_raw(*raw).ok().filter(|code| code.is_direct()),
        _ => None,
    };
    let codes: Vec<_> = block.iter().filter_map(direct).collect();
    let mut decoded = match dispatch!(any R of variant => R::codec(variant).decode_many(&codes)) {
        Any::Chess(all) => all.into_iter().map(|pos| pos.map(Any::Chess)).collect::<Vec<_>>(),
        Any::Chess960(all) => all.into_iter().map(|pos| pos.map(Any::Chess960)).collect(),
        Any::Makruk(all) => all.into_iter().map(|pos| pos.map(Any::Makruk)).collect(),
    }
    .into_iter();
    let others = in_parallel(block, |input| direct(input).is_none().then(|| input.position(variant)));
    let mut next = || decoded.next().unwrap_or(Err(CodeError::Reserved)).map_err(Fault::Code);
    others.into_iter().map(|other| other.unwrap_or_else(&mut next)).collect()
}

/// Positions that are remembered at most: about 10 MB.
const REMEMBERED: usize = 1 << 16;

/// The codes of positions that have come before. Games share their openings, and a code costs far more than a look.
#[derive(Default)]
pub struct Known {
    /// Where the latest position with a key stands.
    places: HashMap<u64, usize>,
    positions: Vec<AnyPosition>,
    codes: Vec<Option<i64>>,
}

impl Known {
    /// The 64-bit codes of positions of one variant, where they fit.
    pub fn codes(&mut self, positions: &[AnyPosition]) -> Vec<Option<i64>> {
        if self.positions.len() >= REMEMBERED {
            *self = Known::default();
        }
        let from = self.positions.len();
        let places: Vec<usize> = positions.iter().map(|pos| self.place(pos)).collect();
        self.codes.extend(direct_codes(&self.positions[from..]));
        places.into_iter().map(|at| self.codes[at]).collect()
    }

    /// Where a position stands, at the end if it is new.
    fn place(&mut self, pos: &AnyPosition) -> usize {
        // Keys may collide, positions do not.
        let known = self.places.get(&pos.key()).copied().filter(|&at| self.positions[at] == *pos);
        known.unwrap_or_else(|| {
            self.positions.push(pos.clone());
            self.places.insert(pos.key(), self.positions.len() - 1);
            self.positions.len() - 1
        })
    }
}

fn direct_codes(positions: &[AnyPosition]) -> Vec<Option<i64>> {
    fn direct<R: Coded>(variant: Variant, positions: &[AnyPosition]) -> Vec<Option<i64>> {
        let positions: Vec<Pos<R>> = positions.iter().filter_map(|pos| pos.of().copied()).collect();
        let codes = R::codec(variant).encode_many(&positions);
        codes.into_iter().map(|code| code.ok().map(PositionCode::raw)).collect()
    }
    let Some(first) = positions.first() else { return Vec::new() };
    let variant = first.variant();
    dispatch!(type R of variant => direct::<R>(variant, positions))
}

/// The 64-bit code of a position, if it fits.
pub fn direct_code(pos: &AnyPosition) -> Option<i64> {
    fn direct<R: Coded>(variant: Variant, pos: &Pos<R>) -> Option<i64> {
        R::codec(variant).encode(pos).ok().map(PositionCode::raw)
    }
    dispatch!(pos, inner => direct(pos.variant(), inner))
}

/// The code of a position as text, of any length.
pub fn code_text(pos: &AnyPosition) -> Result<String, CodeError> {
    fn text<R: Coded>(variant: Variant, pos: &Pos<R>) -> Result<String, CodeError> {
        R::codec(variant).encode_text(pos)
    }
    dispatch!(pos, inner => text(pos.variant(), inner))
}

/// Takes all inputs from Python.
fn inputs(objects: &Bound<'_, PyAny>) -> PyResult<Vec<Input>> {
    if let Ok(list) = objects.cast::<PyList>() {
        return list.iter().enumerate().map(|(number, object)| Input::of(&object, number)).collect();
    }
    objects.try_iter()?.enumerate().map(|(number, object)| Input::of(&object?, number)).collect()
}

/// The codes of a block of inputs: read one by one, coded many at once, equal ones once.
fn codes_of(variant: Variant, block: &[Input]) -> Vec<Result<Option<i64>, Fault>> {
    let read = in_parallel(block, |input| input.position(variant));
    let positions: Vec<AnyPosition> = read.iter().flatten().cloned().collect();
    let mut codes = Known::default().codes(&positions).into_iter();
    read.into_iter().map(|pos| pos.map(|_| codes.next().flatten())).collect()
}

/// Works on all inputs without the interpreter's lock, block by block.
fn worked<T: Sync, U: Send>(py: Python<'_>, from: &[T], work: impl Fn(&[T]) -> Vec<U> + Sync) -> PyResult<Vec<U>> {
    let mut done = Vec::with_capacity(from.len());
    for block in from.chunks(BLOCK) {
        done.extend(py.detach(|| work(block)));
        py.check_signals()?;
    }
    Ok(done)
}

/// Codes and whether each is one, as the bytes of two arrays.
#[pyfunction]
fn encode<'py>(
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    variant: &str,
    strict: bool,
) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
    let variant = variant_of(variant)?;
    let inputs = inputs(positions)?;
    let codes = worked(py, &inputs, |block| codes_of(variant, block))?;
    if strict && let Some((number, fault)) = codes.iter().enumerate().find_map(|(n, c)| Some((n, c.as_ref().err()?))) {
        return Err(fault.raised(number));
    }
    let found = |code: &Result<Option<i64>, Fault>| code.as_ref().ok().copied().flatten();
    let numbers = PyByteArray::new_with(py, 8 * codes.len(), |bytes| {
        for (place, code) in bytes.chunks_exact_mut(8).zip(&codes) {
            place.copy_from_slice(&found(code).unwrap_or(0).to_ne_bytes());
        }
        Ok(())
    })?;
    let mask = PyByteArray::new_with(py, codes.len(), |bytes| {
        for (place, code) in bytes.iter_mut().zip(&codes) {
            *place = u8::from(found(code).is_some());
        }
        Ok(())
    })?;
    Ok((numbers, mask))
}

/// Codes of any length as texts.
#[pyfunction]
fn encode_long(py: Python<'_>, positions: &Bound<'_, PyAny>, variant: &str) -> PyResult<Vec<String>> {
    let variant = variant_of(variant)?;
    let inputs = inputs(positions)?;
    let code = |input: &Input| code_text(&input.position(variant)?).map_err(Fault::Code);
    let codes = worked(py, &inputs, |block| in_parallel(block, code))?;
    codes.into_iter().enumerate().map(|(number, code)| code.map_err(|fault| fault.raised(number))).collect()
}

/// Positions (or their FENs) of codes: the bytes of an array of 64-bit numbers, or anything that can be gone through.
#[pyfunction]
fn decode<'py>(py: Python<'py>, codes: &Bound<'py, PyAny>, variant: &str, fens: bool) -> PyResult<Bound<'py, PyList>> {
    let variant = variant_of(variant)?;
    let inputs = match codes.cast::<PyBytes>() {
        Ok(bytes) => {
            let numbers =
                bytes.as_bytes().chunks_exact(8).map(|raw| i64::from_ne_bytes(raw.try_into().unwrap_or_default()));
            numbers.map(Input::Code).collect()
        }
        Err(_) => inputs(codes)?,
    };
    let list = PyList::empty(py);
    if fens {
        let texts =
            |block: &[Input]| positions(variant, block).into_iter().map(|pos| pos.map(|pos| pos.fen())).collect();
        for (number, text) in worked(py, &inputs, texts)?.into_iter().enumerate() {
            list.append(text.map_err(|fault: Fault| fault.raised(number))?)?;
        }
    } else {
        for (number, pos) in worked(py, &inputs, |block| positions(variant, block))?.into_iter().enumerate() {
            list.append(Py::new(py, Position(pos.map_err(|fault| fault.raised(number))?))?)?;
        }
    }
    Ok(list)
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encode, module)?)?;
    module.add_function(wrap_pyfunction!(encode_long, module)?)?;
    module.add_function(wrap_pyfunction!(decode, module)?)
}

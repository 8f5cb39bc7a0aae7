//! Tables as columns that grow row by row, laid out as Arrow has them.

use std::ffi::CStr;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

/// Which values of a column are there: one bit each, none at all while every value is.
#[derive(Debug, Default, Clone)]
pub struct Validity {
    pub bits: Vec<u8>,
    pub len: usize,
    pub missing: usize,
}

impl Validity {
    fn push(&mut self, there: bool) {
        if self.len.is_multiple_of(8) {
            self.bits.push(0);
        }
        self.bits[self.len / 8] |= u8::from(there) << (self.len % 8);
        self.len += 1;
        self.missing += usize::from(!there);
    }

    pub fn has(&self, row: usize) -> bool {
        self.bits[row / 8] >> (row % 8) & 1 == 1
    }
}

/// What a column holds.
#[derive(Debug, Clone)]
pub enum Values {
    /// Texts: offsets and bytes.
    Text(Vec<i32>, Vec<u8>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    /// Lists: offsets and the column of all their items.
    List(Vec<i32>, Box<Column>),
}

/// A column that grows row by row.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub values: Values,
    pub valid: Validity,
}

/// Types of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    Int32,
    Int64,
    Texts,
    Ints32,
    Ints64,
}

impl Kind {
    /// Lists of these.
    pub fn listed(self) -> Kind {
        match self {
            Kind::Int32 => Kind::Ints32,
            Kind::Int64 => Kind::Ints64,
            _ => Kind::Texts,
        }
    }
}

impl Column {
    /// An empty column.
    pub fn new(name: &str, kind: Kind) -> Column {
        let list = |item| Values::List(vec![0], Box::new(Column::new("item", item)));
        let values = match kind {
            Kind::Text => Values::Text(vec![0], Vec::new()),
            Kind::Int32 => Values::Int32(Vec::new()),
            Kind::Int64 => Values::Int64(Vec::new()),
            Kind::Texts => list(Kind::Text),
            Kind::Ints32 => list(Kind::Int32),
            Kind::Ints64 => list(Kind::Int64),
        };
        Column { name: name.to_owned(), values, valid: Validity::default() }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.valid.len
    }

    /// Adds a text, if this is a column of texts.
    pub fn text(&mut self, text: Option<&str>) {
        if let Values::Text(offsets, bytes) = &mut self.values {
            bytes.extend_from_slice(text.unwrap_or_default().as_bytes());
            offsets.push(bytes.len() as i32);
            self.valid.push(text.is_some());
        }
    }

    /// Adds a number, if this is a column of numbers.
    pub fn number(&mut self, number: Option<i64>) {
        match &mut self.values {
            Values::Int32(values) => values.push(number.unwrap_or_default() as i32),
            Values::Int64(values) => values.push(number.unwrap_or_default()),
            _ => return,
        }
        self.valid.push(number.is_some());
    }

    /// Adds a list, if this is a column of lists: `fill` adds its items to their column.
    pub fn list(&mut self, fill: impl FnOnce(&mut Column)) {
        if let Values::List(offsets, items) = &mut self.values {
            fill(items);
            offsets.push(items.len() as i32);
            self.valid.push(true);
        }
    }

    /// Adds the lack of a list, if this is a column of lists.
    pub fn no_list(&mut self) {
        if let Values::List(offsets, items) = &mut self.values {
            offsets.push(items.len() as i32);
            self.valid.push(false);
        }
    }

    /// The type in the letters of Arrow's C interface.
    pub fn format(&self) -> &'static CStr {
        match self.values {
            Values::Text(..) => c"u",
            Values::Int32(_) => c"i",
            Values::Int64(_) => c"l",
            Values::List(..) => c"+l",
        }
    }

    /// All rows as Python's own values.
    pub fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = (0..self.len()).map(|row| self.value(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, rows)
    }

    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if !self.valid.has(row) {
            return Ok(py.None().into_bound(py));
        }
        let range = |offsets: &[i32]| offsets[row] as usize..offsets[row + 1] as usize;
        Ok(match &self.values {
            Values::Text(offsets, bytes) => {
                PyString::new(py, &String::from_utf8_lossy(&bytes[range(offsets)])).into_any()
            }
            Values::Int32(values) => values[row].into_pyobject(py)?.into_any(),
            Values::Int64(values) => values[row].into_pyobject(py)?.into_any(),
            Values::List(offsets, items) => {
                let items = range(offsets).map(|item| items.value(py, item)).collect::<PyResult<Vec<_>>>()?;
                PyList::new(py, items)?.into_any()
            }
        })
    }
}

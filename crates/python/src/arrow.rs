//! Columns for others without copying: the Arrow C data interface
//! (<https://arrow.apache.org/docs/format/CDataInterface.html>). Three small structs of C and their releases; the Arrow
//! libraries for Rust would cost every build more than the rest of this crate.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::columns::{Column, Kind, Values};

/// `struct ArrowSchema` of the interface.
#[repr(C)]
pub struct ArrowSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ArrowSchema,
    dictionary: *mut ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray` of the interface.
#[repr(C)]
pub struct ArrowArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrowArray,
    dictionary: *mut ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream` of the interface.
#[repr(C)]
pub struct ArrowArrayStream {
    get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    private_data: *mut c_void,
}

const NULLABLE: i64 = 2;
/// `EIO`: the only thing that goes wrong here is reading.
const EIO: c_int = 5;

/// What a schema points to.
struct SchemaParts {
    _name: CString,
    children: Vec<*mut ArrowSchema>,
}

/// What an array points to.
struct ArrayParts {
    _values: Option<Values>,
    _valid: Vec<u8>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

impl ArrowSchema {
    /// The schema of a table with these columns.
    pub fn of_table(columns: &[Column]) -> ArrowSchema {
        ArrowSchema::new(c"+s", "", 0, columns.iter().map(ArrowSchema::of).collect())
    }

    fn of(column: &Column) -> ArrowSchema {
        let children = match &column.values {
            Values::List(_, items) => vec![ArrowSchema::of(items)],
            _ => Vec::new(),
        };
        ArrowSchema::new(column.format(), &column.name, NULLABLE, children)
    }

    fn new(format: &'static CStr, name: &str, flags: i64, children: Vec<ArrowSchema>) -> ArrowSchema {
        // A tag's name has no zero byte in it: the reader of names sees to that; one that had is cut before it.
        let name = CString::new(name.split('\0').next().unwrap_or_default()).unwrap_or_default();
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut parts = Box::new(SchemaParts { _name: name, children });
        ArrowSchema {
            format: format.as_ptr(),
            name: parts._name.as_ptr(),
            metadata: null(),
            flags,
            n_children: parts.children.len() as i64,
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private_data: Box::into_raw(parts).cast(),
        }
    }
}

impl ArrowArray {
    /// A table: all its columns go with it.
    pub fn of_table(columns: Vec<Column>) -> ArrowArray {
        let rows = columns.first().map_or(0, Column::len);
        let children = columns.into_iter().map(ArrowArray::of).collect();
        ArrowArray::new(rows, 0, None, Vec::new(), vec![null()], children)
    }

    fn of(column: Column) -> ArrowArray {
        let Column { mut values, valid, .. } = column;
        let mut children = Vec::new();
        let bits = if valid.missing == 0 { null() } else { valid.bits.as_ptr().cast() };
        let buffers = match &mut values {
            Values::Text(offsets, bytes) => vec![bits, offsets.as_ptr().cast(), bytes.as_ptr().cast()],
            Values::Int32(values) => vec![bits, values.as_ptr().cast()],
            Values::Int64(values) => vec![bits, values.as_ptr().cast()],
            Values::List(offsets, items) => {
                let items = std::mem::replace(&mut **items, Column::new("", Kind::Int32));
                children.push(ArrowArray::of(items));
                vec![bits, offsets.as_ptr().cast()]
            }
        };
        ArrowArray::new(valid.len, valid.missing, Some(values), valid.bits, buffers, children)
    }

    fn new(
        rows: usize,
        missing: usize,
        values: Option<Values>,
        valid: Vec<u8>,
        buffers: Vec<*const c_void>,
        children: Vec<ArrowArray>,
    ) -> ArrowArray {
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut parts = Box::new(ArrayParts { _values: values, _valid: valid, buffers, children });
        ArrowArray {
            length: rows as i64,
            null_count: missing as i64,
            offset: 0,
            n_buffers: parts.buffers.len() as i64,
            n_children: parts.children.len() as i64,
            buffers: parts.buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: Box::into_raw(parts).cast(),
        }
    }

    fn released() -> ArrowArray {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    // SAFETY: the interface passes the struct that `ArrowSchema::new` made (or a bitwise copy of it), once; its private data
    // and children are boxes of ours, and a child that was moved out has no release.
    unsafe {
        let parts = Box::from_raw((*schema).private_data.cast::<SchemaParts>());
        for &child in &parts.children {
            let mut child = Box::from_raw(child);
            if let Some(release) = child.release {
                release(&mut *child);
            }
        }
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    // SAFETY: as for schemas.
    unsafe {
        let parts = Box::from_raw((*array).private_data.cast::<ArrayParts>());
        for &child in &parts.children {
            let mut child = Box::from_raw(child);
            if let Some(release) = child.release {
                release(&mut *child);
            }
        }
        (*array).release = None;
    }
}

/// A struct of the interface that frees itself when nobody has taken it.
trait Released {
    fn release(&mut self);
}

macro_rules! released {
    ($($name:ident),*) => {$(
        impl Released for $name {
            fn release(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: it has not been released yet, and is ours until it is.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}
released!(ArrowSchema, ArrowArray, ArrowArrayStream);

/// Puts a struct of the interface into a capsule, from which a consumer moves it.
fn capsule<'py, T: Released>(py: Python<'py>, value: T, name: &'static CStr) -> PyResult<Bound<'py, PyCapsule>> {
    unsafe extern "C" fn free<T: Released>(object: *mut pyo3::ffi::PyObject) {
        // SAFETY: Python passes the capsule that is being freed; its name is the one it was made with, and its pointer the
        // box of below.
        unsafe {
            let name = pyo3::ffi::PyCapsule_GetName(object);
            let pointer = pyo3::ffi::PyCapsule_GetPointer(object, name);
            if !pointer.is_null() {
                Box::from_raw(pointer.cast::<T>()).release();
            }
        }
    }
    let pointer = NonNull::from(Box::leak(Box::new(value)));
    // SAFETY: the pointer is a box that the destructor takes back.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer.cast(), name, Some(free::<T>)) }
}

/// Capsules with the schema and the array of a table.
pub fn array_capsules<'py>(
    py: Python<'py>,
    columns: Vec<Column>,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let schema = capsule(py, ArrowSchema::of_table(&columns), c"arrow_schema")?;
    Ok((schema, capsule(py, ArrowArray::of_table(columns), c"arrow_array")?))
}

/// A capsule with the schema of a table.
pub fn schema_capsule<'py>(py: Python<'py>, columns: &[Column]) -> PyResult<Bound<'py, PyCapsule>> {
    capsule(py, ArrowSchema::of_table(columns), c"arrow_schema")
}

/// Where a stream's tables come from.
pub trait Source: Send {
    /// Empty columns, for the schema.
    fn schema(&self) -> Vec<Column>;
    /// The next table; `None` at the end.
    fn next(&mut self) -> Result<Option<Vec<Column>>, String>;
}

/// What a stream points to.
struct StreamParts {
    source: Box<dyn Source>,
    error: CString,
}

/// A capsule with a stream of tables.
pub fn stream_capsule<'py>(py: Python<'py>, source: Box<dyn Source>) -> PyResult<Bound<'py, PyCapsule>> {
    let parts = Box::new(StreamParts { source, error: CString::default() });
    let stream = ArrowArrayStream {
        get_schema: Some(stream_schema),
        get_next: Some(stream_next),
        get_last_error: Some(stream_error),
        release: Some(release_stream),
        private_data: Box::into_raw(parts).cast(),
    };
    capsule(py, stream, c"arrow_array_stream")
}

unsafe extern "C" fn stream_schema(stream: *mut ArrowArrayStream, out: *mut ArrowSchema) -> c_int {
    // SAFETY: the consumer passes the stream that we made and room for a schema; it does not call from two threads at once.
    unsafe {
        let parts = &*(*stream).private_data.cast::<StreamParts>();
        out.write(ArrowSchema::of_table(&parts.source.schema()));
    }
    0
}

unsafe extern "C" fn stream_next(stream: *mut ArrowArrayStream, out: *mut ArrowArray) -> c_int {
    // SAFETY: as above.
    let parts = unsafe { &mut *(*stream).private_data.cast::<StreamParts>() };
    let source = &mut parts.source;
    let next = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| source.next()));
    let (array, answer) = match next {
        Ok(Ok(Some(columns))) => (ArrowArray::of_table(columns), 0),
        Ok(Ok(None)) => (ArrowArray::released(), 0),
        Ok(Err(reason)) => {
            parts.error = CString::new(reason.replace('\0', " ")).unwrap_or_default();
            (ArrowArray::released(), EIO)
        }
        Err(_) => {
            parts.error = c"a fault in rukh: please report it".to_owned();
            (ArrowArray::released(), EIO)
        }
    };
    // SAFETY: as above.
    unsafe { out.write(array) };
    answer
}

unsafe extern "C" fn stream_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: as above.
    unsafe { (*(*stream).private_data.cast::<StreamParts>()).error.as_ptr() }
}

unsafe extern "C" fn release_stream(stream: *mut ArrowArrayStream) {
    // SAFETY: as for schemas.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamParts>()));
        (*stream).release = None;
    }
}

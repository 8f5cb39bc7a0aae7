//! The extension module behind the Python package `rukh`: a thin host. Rules, codes, games, search and databases live in
//! the crates below; here arguments become types and answers become Python's own objects. What is pleasant to say in Python
//! (numpy arrays, `asyncio`, one call into a data frame) is said there, in `python/rukh`.
//!
//! Nothing here blocks other Python threads while it works, and nothing from outside panics: every refusal is a
//! `rukh.Error` with its reason and, where there is one, its place.

mod arrow;
mod codes;
mod columns;
mod database;
mod engine;
mod errors;
mod fields;
mod games;
#[cfg(feature = "parquet")]
mod parquet;
mod position;
mod reading;
mod writing;

use pyo3::prelude::*;

#[pymodule]
fn _rukh(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    position::register(module)?;
    codes::register(module)?;
    games::register(module)?;
    writing::register(module)?;
    engine::register(module)?;
    database::register(module)?;
    #[cfg(feature = "parquet")]
    parquet::register(module)?;
    Ok(())
}

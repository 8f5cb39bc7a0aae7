//! Codes for every position: the tables behind `rukh-code` as they lie on the disk, and the one reader of position
//! arguments (`startpos`, FEN, code) that all commands and protocols share.

mod argument;
#[cfg(test)]
mod faults;
mod records;
mod tables;

pub use argument::{ArgumentError, is_code, read_code, resolve, resolve_or_moves, resolve_with};
pub use records::{RecordError, Records};
pub use tables::{EncodeError, OpenTables, Opened, StoreTables};

use std::path::PathBuf;

use rukh_core::Variant;

/// Where the records of a variant are kept unless somebody says otherwise.
pub fn default_records(variant: Variant) -> Option<PathBuf> {
    Some(rukh_files::data_folder()?.join(format!("positions.{variant}")))
}

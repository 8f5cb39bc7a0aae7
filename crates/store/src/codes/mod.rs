//! Codes for every position: the tables behind `rukh-code` as they lie on the disk, and the one reader of position
//! arguments (`startpos`, FEN, code) that all commands and protocols share.

mod argument;
mod records;
mod tables;

pub use argument::{ArgumentError, is_code, read_code, resolve};
pub use records::{RecordError, Records};
pub use tables::{EncodeError, Opened, StoreTables};

use std::path::PathBuf;

use rukh_core::Variant;

/// The user's folder for what the program keeps: `$RUKH_DATA`, else `rukh` in the system's place for such data
/// (`$XDG_DATA_HOME`, `~/.local/share`, …). None if the system names no place.
pub fn data_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(own) = folder("RUKH_DATA") {
        return Some(own);
    }
    let data = if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    Some(data?.join("rukh"))
}

/// Where the records of a variant are kept unless somebody says otherwise.
pub fn default_records(variant: Variant) -> Option<PathBuf> {
    Some(data_folder()?.join(format!("positions.{variant}")))
}

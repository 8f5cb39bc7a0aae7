//! Where a user's own files lie when no place is named; folders and names that survive a power failure.

use std::io;
use std::path::{Path, PathBuf};

use crate::output::folder_of;

/// Forces to the disk that there is a file of this name, and which: until then a power failure may take a new file back, with all
/// that was forced into it.
pub fn sync_name(file: &Path) -> io::Result<()> {
    sync_names(folder_of(file))
}

/// Forces the names in a folder to the disk.
#[cfg(unix)]
pub fn sync_names(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match std::fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        // A file system that cannot force names by themselves, or a folder that may be written to but not read.
        Err(e) if matches!(e.kind(), InvalidInput | PermissionDenied | Unsupported) => Ok(()),
        done => done,
    }
}

/// Forces the names in a folder to the disk: folders cannot be opened there, and the system sees to it.
#[cfg(not(unix))]
pub fn sync_names(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a folder and those above it, on the disk.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|d| !d.as_os_str().is_empty() && !d.exists()).collect();
    std::fs::create_dir_all(folder)?;
    missing.into_iter().try_for_each(sync_name)
}

/// The folder for what must not get lost: `$RUKH_DATA` if that is set, `$XDG_DATA_HOME/rukh`, `~/.local/share/rukh`, or what the system uses instead.
pub fn data_folder() -> Option<PathBuf> {
    if let Some(own) = std::env::var_os("RUKH_DATA").filter(|path| !path.is_empty()) {
        return Some(own.into());
    }
    folder("XDG_DATA_HOME", ".local/share", "Library/Application Support").map(|data| data.join("rukh"))
}

/// The folder for what can be made again: `$XDG_CACHE_HOME/rukh`, `~/.cache/rukh`, or what the system uses instead.
pub fn cache_folder() -> Option<PathBuf> {
    let rukh = folder("XDG_CACHE_HOME", ".cache", "Library/Caches")?.join("rukh");
    // Windows has one folder for both.
    Some(if cfg!(windows) { rukh.join("cache") } else { rukh })
}

fn folder(variable: &str, unix: &str, mac: &str) -> Option<PathBuf> {
    // A relative path in these variables counts as none (the XDG Base Directory Specification says so).
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let at_home = |below: &str| named("HOME").map(|home| home.join(below));
    if cfg!(windows) {
        named("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        at_home(mac)
    } else {
        named(variable).or_else(|| at_home(unix))
    }
}

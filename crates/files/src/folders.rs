//! Where a user's own files lie when no place is named.

use std::path::PathBuf;

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

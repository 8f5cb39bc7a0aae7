//! The map of the house as a check: which crate may depend on which (see ARCHITECTURE.md).

use crate::report::Outcome;
use crate::shell::{Result, root};

/// Folder in `crates/` and the workspace crates it may name, test-only ones apart.
const ROOMS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("files", &[]),
    ("range", &[]),
    ("mailbox", &[]),
    ("eval", &["rukh-core", "rukh-range"]),
    ("search", &["rukh-core", "rukh-eval"]),
    ("tables", &["rukh-core", "rukh-files"]),
    ("engine", &["rukh-core", "rukh-eval", "rukh-search", "rukh-tables"]),
    ("code", &["rukh-core"]),
    ("pgn", &["rukh-core"]),
    ("store", &["rukh-core", "rukh-code", "rukh-files", "rukh-pgn", "rukh-range"]),
    (
        "api",
        &["rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-tables", "rukh-code", "rukh-pgn", "rukh-store"],
    ),
    ("wasm", &["rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-api"]),
    ("scale", &["rukh-core", "rukh-files", "rukh-store"]),
    ("serve", &["rukh-core", "rukh-engine", "rukh-pgn", "rukh-store", "rukh-api"]),
    ("protocol", &["rukh-core", "rukh-eval", "rukh-engine", "rukh-code", "rukh-pgn", "rukh-store"]),
    ("arena", &["rukh-core"]),
    ("lab", &["rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-files", "rukh-pgn", "rukh-store"]),
    (
        "rukh",
        &[
            "rukh-core",
            "rukh-eval",
            "rukh-search",
            "rukh-engine",
            "rukh-arena",
            "rukh-lab",
            "rukh-protocol",
            "rukh-tables",
            "rukh-code",
            "rukh-files",
            "rukh-pgn",
            "rukh-store",
            "rukh-serve",
            "rukh-scale",
        ],
    ),
    (
        "bench",
        &[
            "rukh-core",
            "rukh-mailbox",
            "rukh-eval",
            "rukh-search",
            "rukh-engine",
            "rukh-code",
            "rukh-pgn",
            "rukh-store",
        ],
    ),
];

/// Reads every manifest and refuses an upward dependency.
pub fn check() -> Result<Outcome> {
    let folder = root().join("crates");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut rooms = 0;
    for entry in entries {
        let entry = entry.map_err(|error| error.to_string())?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Ok(manifest) = std::fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        let Some((_, allowed)) = ROOMS.iter().find(|(room, _)| *room == name) else {
            return Err(format!("crates/{name} is not on the map: add it to xtask/src/rooms.rs and ARCHITECTURE.md"));
        };
        if let Some(bad) = dependencies(&manifest).iter().find(|dependency| !allowed.contains(&dependency.as_str())) {
            return Err(format!("crates/{name} must not depend on {bad}: dependencies point downward only"));
        }
        rooms += 1;
    }
    Ok(Outcome::Ok(format!("{rooms} crates, dependencies point downward")))
}

/// The workspace crates in a manifest's `[dependencies]` (not `[dev-dependencies]`: tests may look anywhere).
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if inside && line.starts_with("rukh-") {
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(line.len());
            found.push(line[..end].to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_manifests() {
        let manifest = "[dependencies]\nrukh-core.workspace = true\nrukh-eval = { path = \"x\" }\nserde = \"1\"\n\
                        [dev-dependencies]\nrukh-mailbox.workspace = true\n";
        assert_eq!(dependencies(manifest), ["rukh-core", "rukh-eval"]);
    }

    #[test]
    fn the_house_stands() {
        check().unwrap();
    }
}

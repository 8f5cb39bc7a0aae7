//! The map of the house as a check: which crate may depend on which (see ARCHITECTURE.md).

use crate::report::Outcome;
use crate::shell::{Result, root};
use std::path::Path;

/// Folder in `crates/` and the workspace crates it may name, test-only ones apart.
const ROOMS: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("files", &[]),
    ("range", &[]),
    ("json", &[]),
    ("mailbox", &[]),
    ("testing", &[]),
    ("eval", &["rukh-core", "rukh-range"]),
    ("search", &["rukh-core", "rukh-eval"]),
    ("tables", &["rukh-core", "rukh-files"]),
    ("engine", &["rukh-core", "rukh-eval", "rukh-search", "rukh-tables"]),
    ("code", &["rukh-core"]),
    ("pgn", &["rukh-core", "rukh-files"]),
    ("svg", &["rukh-core"]),
    ("store", &["rukh-core", "rukh-code", "rukh-files", "rukh-json", "rukh-pgn", "rukh-range"]),
    (
        "api",
        &[
            "rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-tables", "rukh-code", "rukh-json",
            "rukh-pgn", "rukh-store", "rukh-arena", "rukh-coach",
        ],
    ),
    ("wasm", &["rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-api"]),
    ("scale", &["rukh-core", "rukh-files", "rukh-pgn", "rukh-store"]),
    ("serve", &["rukh-core", "rukh-engine", "rukh-code", "rukh-pgn", "rukh-store", "rukh-api", "rukh-arena"]),
    (
        "python",
        &["rukh-core", "rukh-engine", "rukh-code", "rukh-files", "rukh-pgn", "rukh-store", "rukh-svg", "rukh-scale"],
    ),
    ("protocol", &["rukh-core", "rukh-eval", "rukh-engine", "rukh-code", "rukh-files", "rukh-pgn", "rukh-store"]),
    ("arena", &["rukh-core", "rukh-files", "rukh-pgn"]),
    (
        "lab",
        &["rukh-core", "rukh-eval", "rukh-search", "rukh-engine", "rukh-code", "rukh-files", "rukh-pgn", "rukh-store"],
    ),
    (
        "coach",
        &[
            "rukh-core", "rukh-eval", "rukh-engine", "rukh-tables", "rukh-code", "rukh-files", "rukh-pgn",
            "rukh-store", "rukh-svg",
        ],
    ),
    (
        "rukh",
        &[
            "rukh-core", "rukh-eval", "rukh-engine", "rukh-api", "rukh-arena", "rukh-coach", "rukh-lab",
            "rukh-protocol", "rukh-tables", "rukh-code", "rukh-files", "rukh-pgn", "rukh-store", "rukh-serve",
            "rukh-scale",
        ],
    ),
    (
        "bench",
        &[
            "rukh-core", "rukh-mailbox", "rukh-eval", "rukh-search", "rukh-engine", "rukh-code", "rukh-pgn",
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
    let mut twice = Vec::new();
    second_homes(&folder, &mut twice)?;
    if let Some(place) = twice.first() {
        return Err(format!("{place}: the variant at run time is rukh_core::any (Any, dispatch!), nowhere else"));
    }
    Ok(Outcome::Ok(format!("{rooms} crates, dependencies point downward, one enum of the variants")))
}

/// Finds enums and macros over the variants outside `core/src/any.rs` and the list of variants itself.
fn second_homes(folder: &Path, found: &mut Vec<String>) -> Result<()> {
    const HOMES: [&str; 2] = ["core/src/any.rs", "core/src/types.rs"];
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                second_homes(&path, found)?;
            }
        } else if path.extension().is_some_and(|end| end == "rs") && !HOMES.iter().any(|home| path.ends_with(home)) {
            let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            found.extend(second_home(&text).map(|line| format!("{}:{line}", path.display())));
        }
    }
    Ok(())
}

/// The line of an enum with a value for chess and one for Makruk, or of a macro with a pattern for each.
fn second_home(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    (0..lines.len())
        .find(|&at| {
            let line = lines[at];
            let indent = line.len() - line.trim_start().len();
            let words = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
            // rustfmt ends both with a brace below their first letter.
            let inside = || lines[at + 1..].iter().take_while(|line| **line != format!("{:indent$}}}", ""));
            match words {
                _ if words.starts_with("enum ") => {
                    ["Chess(", "Makruk("].iter().all(|name| inside().any(|line| line.trim_start().starts_with(name)))
                }
                _ if words.starts_with("macro_rules!") => inside().any(|line| line.contains("Makruk(")),
                _ => false,
            }
        })
        .map(|at| at + 1)
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
    fn finds_a_second_enum_of_the_variants() {
        let plain = "enum Other {\n    Chess,\n}\nfn chess() {}\n";
        assert_eq!(second_home(plain), None);
        let second = "use x;\n\npub(crate) enum Board {\n    /// Chess.\n    Chess(u8),\n    Makruk(u8),\n}\n";
        assert_eq!(second_home(second), Some(3));
        let each = "macro_rules! each {\n    ($x:expr) => {\n        match $x {\n            A::Makruk($n) => 1,\n        }\n    };\n}\n";
        assert_eq!(second_home(each), Some(1));
        assert_eq!(second_home(&each.replace("$n", "game")), Some(1), "a pattern with a fixed name");
    }

    #[test]
    fn the_house_stands() {
        check().unwrap();
    }
}

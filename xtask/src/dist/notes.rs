//! What has changed in a version, for those who download it: its section of CHANGELOG.md.

use std::fs;

use crate::shell::{Result, root};

/// The notes of a version, or why a tag of it could not be released.
pub fn of(version: &str) -> Result<String> {
    let path = root().join("CHANGELOG.md");
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    section(&text, version)
}

fn section(changelog: &str, version: &str) -> Result<String> {
    let head = format!("## [{version}]");
    let lines = changelog.lines().skip_while(|line| !line.starts_with(&head)).skip(1);
    let notes = lines.take_while(|line| !line.starts_with("## ")).collect::<Vec<_>>().join("\n");
    let notes = notes.trim();
    if notes.is_empty() {
        return Err(format!("CHANGELOG.md says nothing about {version} (section \"{head}\")"));
    }
    Ok(format!("{notes}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_its_own_section() {
        let changelog = "# Changelog\n\n## [Unreleased]\n- new\n\n## [0.2.0] - 2027-01-01\n\n- two\n\n## [0.1.0]\n\n### Fixed\n- one\n";
        assert_eq!(section(changelog, "0.2.0").unwrap(), "- two\n");
        assert_eq!(section(changelog, "0.1.0").unwrap(), "### Fixed\n- one\n");
        assert!(section(changelog, "0.3.0").unwrap_err().contains("nothing about 0.3.0"));
        assert!(section("## [0.3.0]\n\n## [0.2.0]\n- two\n", "0.3.0").is_err());
    }

    /// A tag of this version can be released at any time: with notes that say what one gets and what to change.
    #[test]
    fn the_version_of_the_sources_has_notes() {
        let notes = of(&crate::dist::version().unwrap()).unwrap();
        for part in ["### The engine", "### Upgrading"] {
            assert!(notes.contains(part), "no {part} in the notes");
        }
        // The forge takes no more than this.
        assert!(notes.len() < 125_000);
    }
}

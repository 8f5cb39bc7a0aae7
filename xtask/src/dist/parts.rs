//! What the program is made of: other people's crates, their licences, and the list of all of it (SBOM).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::platform::Platform;
use crate::shell::{self, Result, capture, cargo, root};

/// A crate that is compiled in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    name: String,
    version: String,
    licence: String,
    /// One of the workspace's own.
    own: bool,
}

/// All parts of the program for `platform`, its own crates among them.
pub fn of(platform: &Platform) -> Result<Vec<Part>> {
    of_package("rukh", "parquet", platform.target())
}

/// Writes the licences of all that is in a library for others.
pub fn write_licences(package: &str, feature: &str, target: Option<&str>, file: &Path) -> Result {
    // Nothing may have been built yet.
    shell::run_quietly(cargo().args(["fetch", "--locked"]))?;
    let text = licences(&of_package(package, feature, target)?)?;
    fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

fn of_package(package: &str, feature: &str, target: Option<&str>) -> Result<Vec<Part>> {
    let mut tree = cargo();
    tree.args(["tree", "--package", package, "--features", feature, "--edges", "normal", "--prefix", "none"]);
    tree.args(["--no-dedupe", "--format", "{p}\t{l}", "--locked"]);
    if let Some(target) = target {
        tree.args(["--target", target]);
    }
    let mut parts: Vec<Part> = capture(&mut tree)?.0.lines().filter_map(part).collect();
    parts.sort();
    parts.dedup();
    Ok(parts)
}

/// `serde v1.0.1\tMIT OR Apache-2.0`; own crates have their folder in brackets.
fn part(line: &str) -> Option<Part> {
    let (package, licence) = line.split_once('\t')?;
    let mut words = package.split(' ');
    let (name, version) = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
    Some(Part {
        name,
        version,
        licence: licence.replace('/', " OR "),
        own: package.contains('(') && package.contains('/'),
    })
}

/// The texts of all licences, each with the crates that it belongs to.
pub fn licences(parts: &[Part]) -> Result<String> {
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let sources = sources()?;
    for part in parts.iter().filter(|part| !part.own) {
        let name = format!("{} {} ({})", part.name, part.version, part.licence);
        let folder = sources.iter().map(|source| source.join(format!("{}-{}", part.name, part.version)));
        let texts: Vec<String> = folder.filter(|folder| folder.is_dir()).flat_map(|folder| texts_in(&folder)).collect();
        if texts.is_empty() {
            by_text
                .entry("(no text in the package; the licence is named above)".into())
                .or_default()
                .push(name.clone());
        }
        for text in texts {
            by_text.entry(text).or_default().push(name.clone());
        }
    }
    // The page's letters.
    if parts.iter().any(|part| part.name == "rukh-serve") {
        let font = fs::read_to_string(root().join("web/src/fonts/OFL.txt"));
        let font = font.map_err(|error| format!("OFL.txt: {error}"))?;
        by_text.entry(font).or_default().push("Noto Sans Thai (OFL-1.1)".into());
    }
    let mut out = String::from("Rukh contains the following works of others.\n");
    for (text, names) in by_text {
        let _ = write!(out, "\n{}\n{}\n{}\n\n{}\n", "=".repeat(80), names.join("\n"), "-".repeat(80), text.trim_end());
    }
    Ok(out)
}

/// Licence files of a package.
fn texts_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_licence = |name: &str| {
        ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|word| name.to_uppercase().starts_with(word))
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| is_licence(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| fs::read(file).ok())
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .collect()
}

/// Where cargo has unpacked what it has downloaded.
pub fn sources() -> Result<Vec<PathBuf>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).ok_or("no home folder")?;
    let folder = home.join("registry/src");
    let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// The bill of materials: CycloneDX 1.5, with the checksums of Cargo.lock.
pub fn sbom(parts: &[Part]) -> Result<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let version = super::version()?;
    let mut out = String::from("{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n");
    let _ = writeln!(
        out,
        "  \"metadata\": {{ \"component\": {{ \"type\": \"application\", \"bom-ref\": \"rukh@{version}\", \"name\": \"rukh\", \"version\": \"{version}\", \
         \"licenses\": [{{ \"license\": {{ \"id\": \"MIT\" }} }}] }} }},\n  \"components\": ["
    );
    let others: Vec<&Part> = parts.iter().filter(|part| part.name != "rukh").collect();
    for (number, part) in others.iter().enumerate() {
        let Part { name, version, licence, .. } = part;
        let hash = checksum(&lock, name, version)
            .map(|sum| format!(", \"hashes\": [{{ \"alg\": \"SHA-256\", \"content\": \"{sum}\" }}]"))
            .unwrap_or_default();
        let licence = if licence.is_empty() {
            String::new()
        } else {
            format!(", \"licenses\": [{{ \"expression\": \"{licence}\" }}]")
        };
        let _ = writeln!(
            out,
            "    {{ \"type\": \"library\", \"bom-ref\": \"{name}@{version}\", \"name\": \"{name}\", \"version\": \"{version}\", \
             \"purl\": \"pkg:cargo/{name}@{version}\"{licence}{hash} }}{}",
            if number + 1 == others.len() { "" } else { "," }
        );
    }
    out += "  ]\n}\n";
    Ok(out)
}

/// The checksum that Cargo.lock has for a package.
fn checksum<'a>(lock: &'a str, name: &str, version: &str) -> Option<&'a str> {
    let head = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let rest = lock.split("[[package]]").find(|package| package.trim_start().starts_with(&head))?;
    rest.lines().find_map(|line| line.strip_prefix("checksum = \"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lines_of_cargo_tree() {
        let found = part("memchr v2.7.4\tUnlicense OR MIT").unwrap();
        assert_eq!((found.name.as_str(), found.version.as_str(), found.own), ("memchr", "2.7.4", false));
        assert!(part("rukh-core v0.1.0 (/a/crates/core)\tMIT").unwrap().own);
        assert!(!part("serde_derive v1.0.0 (proc-macro)\tMIT/Apache-2.0").unwrap().own);
        assert_eq!(part("serde v1.0.0\tMIT/Apache-2.0").unwrap().licence, "MIT OR Apache-2.0");
    }

    #[test]
    fn checksums_come_from_the_lock() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.0\"\nchecksum = \"ff\"\n";
        assert_eq!((checksum(lock, "a", "2.0"), checksum(lock, "a", "1.0")), (Some("ff"), None));
    }
}

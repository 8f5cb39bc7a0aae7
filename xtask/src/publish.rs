//! `cargo xtask publish`: the crates, packed and built as a registry's users would build them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dist::parts;
use crate::report::Outcome;
use crate::shell::{self, Result, cargo, root, target_dir};
use crate::web;

/// `cargo xtask publish --dry-run`: packs every crate that is published and builds it from the package, in the order of their
/// dependencies, which cargo knows. `--pack` leaves out the building. `--send` publishes them, for ever.
pub fn run(words: &[String]) -> Result {
    let mode = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--dry-run"] => &["publish", "--dry-run"][..],
        ["--pack"] => &["package", "--no-verify"],
        ["--send"] => &["publish"],
        _ => {
            return Err(
                "publish: --dry-run packs and builds, --pack packs; --send publishes, which cannot be undone".into()
            );
        }
    };
    check()?;
    let page = Page::lay_in()?;
    let names = published()?;
    forget(&names)?;
    let mut publish = cargo();
    // Not the flags for this machine's processor: others build it, too. The page lies there for the moment only.
    publish.args(mode).arg("--allow-dirty").env("RUSTFLAGS", "").env("CARGO_TARGET_DIR", place());
    for name in &names {
        publish.args(["--package", name]);
    }
    let outcome = shell::run(&mut publish);
    drop(page);
    outcome?;
    for name in &names {
        let file = packed(name)?;
        let size = fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?.len();
        // The registry's limit.
        if size > 10 << 20 {
            return Err(format!("{}: {size} bytes are more than a registry takes", file.display()));
        }
    }
    println!("{} crates in {}", names.len(), place().join("package").display());
    Ok(())
}

/// Of its own, because [`forget`] would have the workspace compiled again.
fn place() -> PathBuf {
    target_dir().join("publish")
}

/// Removes what an earlier run has unpacked and compiled of our crates: cargo takes packages of a registry for what they were, while the version is the
/// same, and would build a crate with last week's dependencies.
fn forget(names: &[String]) -> Result {
    let version = crate::dist::version()?;
    // Registries of the moment have no name before their number.
    let is_ours = |source: &PathBuf| source.file_name().is_some_and(|name| name.to_string_lossy().starts_with('-'));
    for source in parts::sources().unwrap_or_default().iter().filter(|source| is_ours(source)) {
        for name in names {
            let _ = fs::remove_dir_all(source.join(format!("{name}-{version}")));
        }
    }
    for entry in fs::read_dir(place().join("debug/.fingerprint")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("rukh") {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Where cargo has put a crate: `package` into its folder, `publish --dry-run` into a registry of the moment.
pub fn packed(name: &str) -> Result<PathBuf> {
    let file = format!("{name}-{}.crate", crate::dist::version()?);
    let places = ["package", "package/tmp-registry"].map(|folder| place().join(folder).join(&file));
    places.into_iter().find(|place| place.is_file()).ok_or_else(|| format!("cargo has packed no {file}"))
}

/// For `cargo xtask test --long`.
pub fn test() -> Result<Outcome> {
    run(&["--dry-run".into()])?;
    Ok(Outcome::Ok(format!("{} crates build from their packages", published()?.len())))
}

/// The names of the crates that are for others, as their manifests say.
pub fn published() -> Result<Vec<String>> {
    Ok(manifests()?.into_iter().filter_map(|(_, manifest)| value(&manifest, "name").map(str::to_owned)).collect())
}

/// What a registry or its users would miss.
pub fn check() -> Result {
    let licence = read(&root().join("LICENSE"))?;
    for (folder, manifest) in manifests()? {
        let missing = |what: &str| Err(format!("{}: no {what}", folder.display()));
        for field in ["description", "readme", "keywords", "categories"] {
            if value(&manifest, field).is_none_or(str::is_empty) {
                return missing(field);
            }
        }
        if read(&folder.join("README.md"))?.len() < 100 {
            return missing("README.md worth reading");
        }
        if read(&folder.join("LICENSE"))? != licence {
            return missing("LICENSE that is the workspace's");
        }
    }
    Ok(())
}

/// Folder and manifest of every crate that is published.
fn manifests() -> Result<Vec<(PathBuf, String)>> {
    let crates = root().join("crates");
    let entries = fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut found = Vec::new();
    for folder in entries.flatten().map(|entry| entry.path()) {
        if let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml"))
            && !manifest.contains("\npublish = false\n")
        {
            found.push((folder, manifest));
        }
    }
    found.sort();
    Ok(found)
}

/// A value of the manifest's `[package]`, without its quotes.
fn value<'a>(manifest: &'a str, field: &str) -> Option<&'a str> {
    let line = manifest.lines().find(|line| line.strip_prefix(field).is_some_and(|rest| rest.starts_with(" = ")))?;
    Some(line.split_once(" = ")?.1.trim_matches('"'))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The built page in `rukh-serve`'s folder, for as long as it is packed: `cargo install rukh` has no Node.
struct Page(PathBuf);

impl Page {
    fn lay_in() -> Result<Page> {
        let built = root().join("web/dist");
        if !built.join("index.html").is_file() {
            match web::missing() {
                None => web::build()?,
                Some(why) => eprintln!("without the page: {why}"),
            }
        }
        let page = Page(root().join("crates/serve/page"));
        if built.is_dir() {
            copy(&built, &page.0)?;
        }
        Ok(page)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A folder with all that is in it, but for what the page's build has packed beside the files themselves: both would be more than a registry takes.
fn copy(from: &Path, to: &Path) -> Result {
    let why = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(why)?;
    for entry in fs::read_dir(from).map_err(why)?.flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target)?;
        } else if source.extension().is_none_or(|end| end != "br") {
            fs::copy(&source, &target).map_err(|error| format!("{}: {error}", source.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_has_what_a_registry_wants() {
        check().unwrap();
        let names = published().unwrap();
        assert!(names.iter().any(|name| name == "rukh-core") && names.iter().any(|name| name == "rukh"), "{names:?}");
        assert!(!names.iter().any(|name| ["rukh-bench", "rukh-mailbox"].contains(&name.as_str())), "{names:?}");
    }

    /// docs/crates.md promises it.
    #[test]
    fn errors_may_gain_cases() {
        fn closed(folder: &Path, found: &mut Vec<String>) {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    closed(&path, found);
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap_or_default();
                let lines: Vec<&str> = text.lines().map(str::trim).collect();
                for (at, line) in lines.iter().enumerate() {
                    let name = line.strip_prefix("pub enum ").unwrap_or_default().trim_end_matches(" {");
                    let mut above = lines[..at].iter().rev().take_while(|line| line.starts_with(['#', '/']));
                    if name.ends_with("Error") && above.all(|line| *line != "#[non_exhaustive]") {
                        found.push(format!("{}: {name}", path.display()));
                    }
                }
            }
        }
        let mut found = Vec::new();
        manifests().unwrap().iter().for_each(|(folder, _)| closed(&folder.join("src"), &mut found));
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn values_of_a_manifest() {
        let manifest = "[package]\nname = \"x\"\nkeywords = [\"a\"]\n";
        assert_eq!((value(manifest, "name"), value(manifest, "keywords")), (Some("x"), Some("[\"a\"]")));
        assert_eq!(value(manifest, "key"), None);
    }
}

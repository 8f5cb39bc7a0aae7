//! `cargo xtask dist`: all that is handed out, in `target/dist`, with checksums.
//!
//! [`platform`] builds the program for one kind of machine, [`archive`] packs it with what belongs to it, [`parts`] knows what
//! it is made of (licences, SBOM), [`notes`] what has changed, [`install`] unpacks the results where nothing else is.

mod archive;
pub mod container;
pub mod install;
mod notes;
pub mod parts;
mod platform;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{self, Result, command, root, target_dir};
use crate::{pgo, publish, python, sha256, wasm, web};
use platform::{Effort, PLATFORMS};

/// What there is beside the program's archives.
const OTHERS: [&str; 3] = ["wheel", "npm", "crates"];

/// `cargo xtask dist [--quick] [name …]`: everything, or what is named. `--try` unpacks what is there and tries it out.
pub fn run(words: &[String]) -> Result {
    if words == ["--try"] {
        println!("work on a bare machine: {}", install::all()?.join(", "));
        return Ok(());
    }
    let quick = words.iter().any(|word| word == "--quick");
    let wanted: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "--quick").collect();
    let names: Vec<&str> = PLATFORMS.iter().map(|platform| platform.name).chain(OTHERS).collect();
    if let Some(other) = wanted.iter().find(|word| !names.contains(word)) {
        return Err(format!("dist: there is no '{other}'; there are {}, and --quick, --try", names.join(", ")));
    }
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name);
    let notes = notes::of(&version()?)?;
    let dist = folder();
    // What an earlier run has left would get a checksum of this one.
    let _ = fs::remove_dir_all(&dist);
    fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    // A page that lies here may be of last week: what is handed out has the one of today.
    if !quick || !root().join("web/dist/index.html").is_file() {
        match web::missing() {
            None => web::build()?,
            Some(why) => eprintln!("without the page: {why}"),
        }
    }
    let effort = if quick { Effort::Quick } else { Effort::Full };
    let mut left_out = Vec::new();
    let mut profiles = BTreeMap::new();
    for platform in PLATFORMS.iter().filter(|platform| is_wanted(platform.name)) {
        match platform.missing() {
            Some(why) => left_out.push(format!("{}: {why}", platform.name)),
            None => {
                let model = platform.model().filter(|_| !quick && pgo::missing().is_none());
                if let Some(model) = model
                    && !profiles.contains_key(model.name)
                {
                    profiles.insert(model.name, model.profile()?);
                }
                let program = platform.build(effort, model.and_then(|model| profiles.get(model.name)))?;
                archive::pack(platform, &program, &dist)?;
            }
        }
    }
    let mut also = |name: &'static str, make: &dyn Fn(&Path) -> Result| {
        if is_wanted(name)
            && let Err(why) = make(&dist)
        {
            left_out.push(format!("{name}: {why}"));
        }
    };
    also("wheel", &|dist| copy_into(&python::wheel(!quick)?, dist));
    also("npm", &npm);
    also("crates", &crates);
    sums(&dist)?;
    // Text of a release, not one of its files: it has no checksum.
    fs::write(dist.join("notes.md"), notes).map_err(|error| format!("notes.md: {error}"))?;
    for what in &left_out {
        eprintln!("left out: {what}");
    }
    // What was asked for by name must be there.
    if wanted.is_empty() || left_out.is_empty() { Ok(()) } else { Err("not everything could be made".into()) }
}

/// Where everything goes.
pub fn folder() -> PathBuf {
    target_dir().join("dist")
}

fn npm(dist: &Path) -> Result {
    wasm::package()?;
    let licences = wasm::package_dir().join("THIRD-PARTY-LICENSES.txt");
    parts::write_licences("rukh-wasm", "learn", Some("wasm32-unknown-unknown"), &licences)?;
    shell::run_quietly(command("npm").args(["pack", "--pack-destination"]).arg(dist).current_dir(wasm::package_dir()))
}

fn crates(dist: &Path) -> Result {
    publish::run(&["--pack".into()])?;
    let folder = dist.join("crates");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    publish::published()?.iter().try_for_each(|name| copy_into(&publish::packed(name)?, &folder))
}

fn copy_into(file: &Path, folder: &Path) -> Result {
    let name = file.file_name().unwrap_or_default();
    fs::copy(file, folder.join(name)).map(drop).map_err(|error| format!("{}: {error}", file.display()))
}

/// `SHA256SUMS` over everything in the folder, as `sha256sum --check` reads it.
fn sums(dist: &Path) -> Result {
    let mut names = Vec::new();
    for folder in ["", "crates/"] {
        let Ok(entries) = fs::read_dir(dist.join(folder)) else { continue };
        let files = entries.flatten().filter(|entry| entry.path().is_file());
        names.extend(files.map(|entry| format!("{folder}{}", entry.file_name().to_string_lossy())));
    }
    names.sort();
    let mut text = String::new();
    for name in names {
        let bytes = fs::read(dist.join(&name)).map_err(|error| format!("{name}: {error}"))?;
        println!("{:>8} kB  {name}", bytes.len() / 1000);
        text += &format!("{}  {name}\n", sha256::hex(&bytes));
    }
    fs::write(dist.join("SHA256SUMS"), text).map_err(|error| format!("SHA256SUMS: {error}"))
}

/// The version of the workspace, from the one place where it stands.
pub fn version() -> Result<String> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    manifest
        .lines()
        .find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned))
        .ok_or_else(|| "no version in Cargo.toml".into())
}

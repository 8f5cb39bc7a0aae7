//! The program with what belongs to it, as one file to unpack.

use std::fs;
use std::path::Path;

use super::parts;
use super::platform::Platform;
use crate::prepare;
use crate::shell::{self, Result, command, root, target_dir};

/// Completions by shell, and the names that the shells look for.
const SHELLS: [(&str, &str); 4] =
    [("bash", "rukh.bash"), ("zsh", "_rukh"), ("fish", "rukh.fish"), ("powershell", "_rukh.ps1")];

/// Files of the repository, and what they are called in an archive.
const FILES: [(&str, &str); 6] = [
    ("LICENSE", "LICENSE"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("packaging/INSTALL.md", "INSTALL.md"),
    ("packaging/rukh.desktop", "share/applications/rukh.desktop"),
    ("web/public/icon.svg", "share/icons/hicolor/scalable/apps/rukh.svg"),
    ("docs/strength.md", "share/doc/rukh/strength.md"),
];

/// Packs `program` for `platform` into `dist`.
pub fn pack(platform: &Platform, program: &Path, dist: &Path) -> Result {
    let name = format!("rukh-{}-{}", super::version()?, platform.name);
    let work = target_dir().join("dist-work");
    let folder = work.join(&name);
    let _ = fs::remove_dir_all(&folder);
    let put = |from: &Path, to: &str| {
        let to = folder.join(to);
        let parent = to.parent().unwrap_or(&folder);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        fs::copy(from, &to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
    };
    put(program, &format!("bin/{}", platform.program()))?;
    for (from, to) in FILES {
        put(&root().join(from), to)?;
    }
    let parts = parts::of(platform)?;
    write(&folder.join("THIRD-PARTY-LICENSES.txt"), &parts::licences(&parts)?)?;
    let sbom = parts::sbom(&parts)?;
    write(&folder.join("sbom.cdx.json"), &sbom)?;
    write(&dist.join(format!("{name}.cdx.json")), &sbom)?;
    described(platform, program, &folder)?;
    let archive = dist.join(platform.archive(&super::version()?));
    if platform.is_windows() {
        if !prepare::program("zip", "zip") {
            return Err("no zip".into());
        }
        return shell::run_quietly(command("zip").args(["-q", "-r"]).arg(&archive).arg(&name).current_dir(&work));
    }
    // The same bytes from the same files, whoever packs them and when.
    let same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=2026-01-01T00:00Z"];
    shell::run_quietly(command("tar").args(same).arg("-czf").arg(&archive).arg("-C").arg(&work).arg(&name))
}

/// Manual pages and completions, from the program itself; where it cannot run, from the one of this machine.
fn described(platform: &Platform, program: &Path, folder: &Path) -> Result {
    let neighbour = folder.with_file_name(format!("rukh-{}-linux-x86-64-v2/bin/rukh", super::version()?));
    let say = |words: &[&str]| {
        if let Some(said) = platform.start(program, words) {
            return said;
        }
        let own = if neighbour.is_file() { neighbour.clone() } else { shell::checked_rukh()? };
        shell::capture(command(own).args(words)).map(|(said, _)| said)
    };
    let man = folder.join("share/man/man1");
    fs::create_dir_all(&man).map_err(|error| format!("{}: {error}", man.display()))?;
    say(&["man", "--out", &man.to_string_lossy()])?;
    for (shell, file) in SHELLS {
        write(&folder.join("share/completions").join(file), &say(&["completions", shell])?)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result {
    let why = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(why)?;
    }
    fs::write(path, text).map_err(why)
}

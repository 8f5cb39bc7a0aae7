//! The WebAssembly toolchain, by either of two routes: rustup's target, or Debian's packages with a standard library
//! built from source.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::prepare;
use crate::shell::{self, Result, cargo, command, root, target_dir, which};

/// The target of the browser build.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// A cargo that can build for WebAssembly with the arguments it needs, or why there is none.
///
/// `RUKH_WASM_ROUTE=rustup` or `=debian` forces a route; otherwise the first that works is taken.
pub fn toolchain(task: &str) -> Result<Command> {
    let route = std::env::var("RUKH_WASM_ROUTE").unwrap_or_default();
    if matches!(route.as_str(), "" | "rustup") && prepare::rustup_target(TARGET) {
        let mut cargo = cargo();
        cargo.args([task, "--target", TARGET]);
        return Ok(cargo);
    }
    if matches!(route.as_str(), "" | "debian") && debian() {
        let mut cargo = command("/usr/bin/cargo");
        cargo
            .args([task, "--target", TARGET, "-Zbuild-std=std,panic_abort"])
            .env("RUSTC", "/usr/bin/rustc")
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
            // Another compiler than the one of the main build: keep its output apart.
            .env("CARGO_TARGET_DIR", target_dir().join("debian"));
        for inherited in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC_WRAPPER"] {
            cargo.env_remove(inherited);
        }
        return Ok(cargo);
    }
    Err(format!("no toolchain for {TARGET}: neither rustup nor Debian's rustc-web could provide it"))
}

fn debian() -> bool {
    let present = || which("wasm-ld-19").is_some() && std::path::Path::new("/usr/bin/cargo").is_file();
    present() || (prepare::packages(&["rustc-web", "cargo-web", "rust-web-src", "lld-19"]) && present())
}

/// Where the npm package has its files.
pub fn package_dir() -> PathBuf {
    root().join("web/engine")
}

/// The two modules: what a page loads first, and the larger one for the Learn chapters.
const MODULES: [(&str, &[&str]); 2] = [("rukh.wasm", &[]), ("rukh-learn.wasm", &["--features", "learn"])];

/// Builds both modules into `web/engine/dist`.
pub fn modules() -> Result {
    let dist = package_dir().join("dist");
    std::fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    for (name, features) in MODULES {
        let mut cargo = toolchain("build")?;
        cargo.args(["--quiet", "--profile", "wasm", "--package", "rukh-wasm"]).args(features);
        // The flags of .cargo/config.toml count only while this is not set.
        cargo.env_remove("RUSTFLAGS");
        shell::run(&mut cargo)?;
        let folder = cargo.get_envs().find(|(key, _)| *key == "CARGO_TARGET_DIR").and_then(|(_, dir)| dir);
        let folder = folder.map_or_else(target_dir, PathBuf::from);
        let built = folder.join(TARGET).join("wasm/rukh_wasm.wasm");
        let bytes = std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
        let small = without_custom_sections(&bytes).ok_or_else(|| format!("{} is no module", built.display()))?;
        write_if_changed(&dist.join(name), &small)?;
    }
    Ok(())
}

/// Builds the npm package: both modules, and the JavaScript from its TypeScript.
pub fn package() -> Result {
    modules()?;
    let Some(tsc) = prepare::typescript() else {
        return Err("no TypeScript compiler: npm install in web/ failed".into());
    };
    shell::run(command(tsc).arg("--project").arg(package_dir()))
}

/// `node --test` on the package.
pub fn test_package() -> Result {
    package()?;
    // One file after the other: some tests measure time.
    let files = test_files(&package_dir().join("test"))?;
    shell::run(command("node").args(["--test", "--test-concurrency=1"]).args(files))
}

/// The test files of a folder. Node would take every script in a folder of that name for one.
pub fn test_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    files.sort();
    Ok(files)
}

/// A file that stays as it is keeps its time, and whatever was built from it.
fn write_if_changed(path: &Path, bytes: &[u8]) -> Result {
    if std::fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    std::fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// The module without names and other notes, which no engine needs: they are a tenth of it.
fn without_custom_sections(module: &[u8]) -> Option<Vec<u8>> {
    const CUSTOM: u8 = 0;
    let (head, mut rest) = module.split_at_checked(8)?;
    let mut out = head.starts_with(b"\0asm").then(|| head.to_vec())?;
    while let Some(&id) = rest.first() {
        // The size is a LEB128 number.
        let (mut size, mut at) = (0usize, 1);
        loop {
            let byte = *rest.get(at)?;
            size |= usize::from(byte & 0x7F) << (7 * (at - 1));
            at += 1;
            if byte & 0x80 == 0 {
                break;
            }
            if at > 5 {
                return None;
            }
        }
        let (section, after) = rest.split_at_checked(at + size)?;
        if id != CUSTOM {
            out.extend_from_slice(section);
        }
        rest = after;
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::without_custom_sections;

    #[test]
    fn names_are_dropped_and_code_is_kept() {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let empty = module.clone();
        module.extend([0, 3, 1, b'n', 7]);
        let type_section = [1, 0x82, 0x00, 0xAA, 0xBB];
        module.extend(type_section);
        assert_eq!(without_custom_sections(&module), Some([&empty[..], &type_section].concat()));
        assert_eq!(without_custom_sections(b"ELF"), None);
        assert_eq!(without_custom_sections(&module[..module.len() - 1]), None);
    }
}

//! The WebAssembly toolchain, by either of two routes: rustup's target, or Debian's packages with a standard library
//! built from source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crate::bench::search::nodes_and_nps;
use crate::prepare;
use crate::report::Outcome;
use crate::shell::{self, Result, capture, cargo, command, root, target_dir, which};

/// The target of the browser build.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Where compiler and standard library come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Rustup,
    Debian,
}

const ROUTES: [(Route, &str); 2] = [(Route::Rustup, "rustup"), (Route::Debian, "debian")];

/// The first route that works, or the one that `RUKH_WASM_ROUTE=rustup` or `=debian` asks for.
fn route() -> Result<Route> {
    let wanted = std::env::var("RUKH_WASM_ROUTE").unwrap_or_default();
    let mut failures = Vec::new();
    for (route, name) in ROUTES {
        if wanted.is_empty() || wanted == name {
            match prepare_route(route) {
                Ok(()) => return Ok(route),
                Err(why) => failures.push(why),
            }
        }
    }
    if failures.is_empty() {
        return Err(format!("RUKH_WASM_ROUTE is '{wanted}': it can be rustup or debian"));
    }
    Err(format!("no toolchain for {TARGET}: {}", failures.join(", and ")))
}

/// Gets what a route needs, or says what is missing.
fn prepare_route(route: Route) -> Result {
    let (there, how) = match route {
        Route::Rustup => (prepare::rustup_target(TARGET), format!("`rustup target add {TARGET}`")),
        Route::Debian => (debian(), format!("`apt-get install {}`", DEBIAN.join(" "))),
    };
    if there { Ok(()) } else { Err(format!("{how} does not work here")) }
}

/// A cargo that can build for WebAssembly with the arguments it needs, or why there is none.
pub fn toolchain(task: &str) -> Result<Command> {
    route().map(|route| toolchain_by(route, task))
}

fn toolchain_by(route: Route, task: &str) -> Command {
    let mut cargo = cargo_by(route, task);
    if route == Route::Debian {
        std_from_source(&mut cargo);
    }
    cargo
}

/// The same for a module whose threads share memory: its standard library must be compiled for that.
fn toolchain_with_threads(task: &str) -> Result<Command> {
    let route = route()?;
    if route == Route::Rustup && !prepare::rustup_component("rust-src") {
        return Err("`rustup component add rust-src` failed".into());
    }
    let mut cargo = cargo_by(route, task);
    std_from_source(&mut cargo);
    let flags = "-C target-feature=+simd128,+atomics,+bulk-memory,+mutable-globals";
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags);
    let folder = out_dir(&cargo).join("threads");
    cargo.env("CARGO_TARGET_DIR", folder);
    Ok(cargo)
}

fn cargo_by(route: Route, task: &str) -> Command {
    let mut cargo = match route {
        Route::Rustup => cargo(),
        Route::Debian => command("/usr/bin/cargo"),
    };
    cargo.args([task, "--target", TARGET]);
    if route == Route::Debian {
        cargo
            .env("RUSTC", "/usr/bin/rustc")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld-19")
            // Another compiler than the one of the main build: keep its output apart.
            .env("CARGO_TARGET_DIR", target_dir().join("debian"));
        for inherited in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC_WRAPPER"] {
            cargo.env_remove(inherited);
        }
    }
    cargo
}

/// Has cargo compile the standard library, which a stable compiler does only when told that it is not one.
fn std_from_source(cargo: &mut Command) {
    cargo.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
}

/// Where that cargo puts what it builds.
fn out_dir(cargo: &Command) -> PathBuf {
    let set = cargo.get_envs().find(|(key, _)| *key == "CARGO_TARGET_DIR").and_then(|(_, folder)| folder);
    set.map_or_else(target_dir, PathBuf::from)
}

const DEBIAN: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];

fn debian() -> bool {
    let present = || {
        let files = ["/usr/bin/cargo", "/usr/lib/rustlib/src/rust/library/std/Cargo.toml"];
        which("wasm-ld-19").is_some() && files.iter().all(|file| Path::new(file).is_file())
    };
    prepare::found_or_installed(&DEBIAN, || present().then_some(())).is_some()
}

/// Where the npm package has its files.
pub fn package_dir() -> PathBuf {
    root().join("web/engine")
}

/// The two modules: what a page loads first, and the larger one for the Learn chapters.
const MODULES: [(&str, &[&str]); 2] = [("rukh.wasm", &[]), ("rukh-learn.wasm", &["--features", "learn"])];

/// The first of them again, for pages that share memory and want more than one thread.
const THREADED: &str = "rukh-threads.wasm";

/// Builds the modules into `web/engine/dist`, once in a run: cargo gives both the same name, and would link them anew each time.
pub fn modules() -> Result {
    // Whoever comes while another builds them waits for the files.
    static BUILT: Mutex<bool> = Mutex::new(false);
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if *built {
        return Ok(());
    }
    let dist = package_dir().join("dist");
    std::fs::create_dir_all(&dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    modules_by(route()?, &dist)?;
    let file = dist.join(THREADED);
    if let Err(why) = toolchain_with_threads("build").and_then(|mut cargo| module(&mut cargo, &file)) {
        eprintln!("no {THREADED}: {why}. The engine in the browser will have one thread, which is enough to play.");
        // An old one would not fit the others.
        let _ = std::fs::remove_file(file);
    }
    *built = true;
    Ok(())
}

fn modules_by(route: Route, folder: &Path) -> Result {
    for (name, features) in MODULES {
        module(toolchain_by(route, "build").args(features), &folder.join(name))?;
    }
    Ok(())
}

/// Builds both modules by both routes: all of them must search the same nodes.
pub fn routes_agree() -> Result<Outcome> {
    let mut runs = Vec::new();
    for (route, name) in ROUTES {
        if let Err(why) = prepare_route(route) {
            return Ok(Outcome::Skipped(why));
        }
        let folder = target_dir().join("routes").join(name);
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        modules_by(route, &folder)?;
        for (module, _) in MODULES {
            let script = package_dir().join("test/bench.mjs");
            let (out, _) = capture(command("node").arg(script).arg(folder.join(module)))?;
            let (nodes, _) = nodes_and_nps(&out).ok_or_else(|| format!("no bench of {name}'s {module}: {out}"))?;
            runs.push((name, module, nodes));
        }
    }
    let nodes = runs[0].2;
    if runs.iter().all(|run| run.2 == nodes) {
        Ok(Outcome::Ok(format!("{nodes} nodes by rustup's and by Debian's toolchain, both modules")))
    } else {
        Err(format!("the node counts differ: {runs:?}"))
    }
}

fn module(cargo: &mut Command, file: &Path) -> Result {
    cargo.args(["--quiet", "--profile", "wasm", "--package", "rukh-wasm"]);
    // The flags of .cargo/config.toml count only while this is not set.
    cargo.env_remove("RUSTFLAGS");
    // (The compiler warns that a standard library from source is not for everybody.)
    shell::run_quietly(cargo)?;
    let built = out_dir(cargo).join(TARGET).join("wasm/rukh_wasm.wasm");
    let bytes = std::fs::read(&built).map_err(|error| format!("{}: {error}", built.display()))?;
    let small = without_custom_sections(&bytes).ok_or_else(|| format!("{} is no module", built.display()))?;
    write_if_changed(file, &small)
}

/// `cargo xtask wasm`.
pub fn run(words: &[String]) -> Result {
    match words {
        [] => package(),
        [word] if word == "--both" => match routes_agree()? {
            Outcome::Ok(remark) => {
                println!("{remark}");
                Ok(())
            }
            Outcome::Skipped(why) | Outcome::Failed(why) => Err(why),
        },
        [other, ..] => Err(format!("wasm: unknown argument '{other}'")),
    }
}

/// Builds the npm package: the modules, and the JavaScript from its TypeScript.
pub fn package() -> Result {
    modules()?;
    let Some(tsc) = prepare::typescript() else {
        return Err("no TypeScript compiler: npm install in web/ failed".into());
    };
    shell::run(command(tsc).arg("--project").arg(package_dir()))
}

/// `node --test` on the package.
pub fn test_package(long: bool) -> Result {
    package()?;
    // One file after the other: some tests measure time.
    let files = test_files(&package_dir().join("test"))?;
    let mut node = command("node");
    if long {
        node.env("RUKH_LONG", "1");
    }
    shell::run(node.args(["--test", "--test-concurrency=1"]).args(files))
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

//! The archives, unpacked where nothing else is: what a bare machine would find (`--long`).

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::platform::{PLATFORMS, Platform};
use super::{folder, version};
use crate::prepare;
use crate::report::Outcome;
use crate::shell::{self, Result, capture, command, target_dir};

/// Makes the two archives that this machine can run by itself, quickly built, and tries them out.
pub fn test() -> Result<Outcome> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(Outcome::Skipped("is tried out on Linux".into()));
    }
    super::run(&["--quick", "linux-x86-64-v2", "linux-x86-64-static", "npm"].map(String::from))?;
    let tried = all()?;
    Ok(Outcome::Ok(tried.join(", ")))
}

/// Tries out every archive in `target/dist` that can run here, under an emulator too; returns their names.
pub fn all() -> Result<Vec<String>> {
    let mut tried = Vec::new();
    let mut counts = Vec::new();
    shell::run_quietly(command("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(folder()))?;
    for platform in PLATFORMS {
        let file = folder().join(platform.archive(&version()?));
        if !file.is_file() {
            continue;
        }
        let Some(bare) = Bare::unpack(&file, platform)? else {
            eprintln!("{}: cannot be tried out on this machine", platform.name);
            continue;
        };
        counts.push(try_out(&bare).map_err(|why| format!("{}: {why}", platform.name))?);
        tried.push(platform.name.to_owned());
    }
    if counts.windows(2).any(|two| two[0] != two[1]) {
        return Err(format!("they do not search alike: {tried:?} count {counts:?} nodes"));
    }
    if tried.is_empty() { Err("there is no archive to try out".into()) } else { Ok(tried) }
}

/// Tries out what people do first; returns the nodes of a short bench, which every build must agree on.
fn try_out(bare: &Bare) -> Result<u64> {
    let perft = bare.say(&["perft", "4"], "")?;
    if perft.lines().last().map(str::trim) != Some("197281") {
        return Err(format!("perft 4 says {perft}"));
    }
    let bench = bare.say(&["bench", "7"], "")?;
    let (nodes, _) = crate::bench::search::nodes_and_nps(&bench).ok_or_else(|| format!("bench says {bench}"))?;
    let game = bare.say(&[], "uci\nposition startpos moves e2e4\ngo nodes 5000\n")?;
    if !game.contains("uciok") || !game.contains("bestmove ") {
        return Err(format!("no move by UCI: {game}"));
    }
    let root = bare.top();
    let man = root.join("share/man/man1/rukh.1");
    let man = fs::read_to_string(&man).map_err(|error| format!("{}: {error}", man.display()))?;
    if !man.contains(".TH rukh 1") && !man.contains(".TH RUKH 1") {
        return Err("rukh.1 is no manual page".into());
    }
    let bash = root.join("share/completions/rukh.bash");
    capture(command("bash").arg("-n").arg(bash))?;
    let licences = fs::read_to_string(root.join("THIRD-PARTY-LICENSES.txt")).map_err(|error| error.to_string())?;
    for part in ["memchr ", "rustls ", "zstd ", "parquet ", "Noto Sans Thai"] {
        if !licences.contains(part) {
            return Err(format!("the licences do not name {part}"));
        }
    }
    // Parquet is in.
    fs::write(bare.folder.join("game.pgn"), "1. e4 e5 2. Nf3 *\n").map_err(|error| error.to_string())?;
    bare.say(&["db", "map", "--positions", "game.parquet", "game.pgn"], "")?;
    let table = fs::read(bare.folder.join("game.parquet")).map_err(|error| format!("game.parquet: {error}"))?;
    if !table.starts_with(b"PAR1") {
        return Err("game.parquet is no Parquet".into());
    }
    bare.serve()?;
    Ok(nodes)
}

/// What a server says to a question, with `more` lines in its head.
pub fn get(address: &str, path: &str, more: &str) -> Result<String> {
    let ask = || {
        let mut stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{more}\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map(|_| String::from_utf8_lossy(&answer).into_owned())
    };
    ask().map_err(|error: std::io::Error| format!("{address}{path}: {error}"))
}

/// An archive in a folder of its own; its program sees no variables and no other program, and the static one no other file.
struct Bare {
    folder: PathBuf,
    name: String,
    platform: &'static Platform,
    alone: bool,
}

impl Bare {
    /// Nothing where this machine cannot run its program.
    fn unpack(file: &Path, platform: &'static Platform) -> Result<Option<Bare>> {
        let folder = target_dir().join("bare").join(platform.name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("home")).map_err(|error| format!("{}: {error}", folder.display()))?;
        if platform.is_windows() {
            if !prepare::program("unzip", "unzip") {
                return Err("no unzip".into());
            }
            capture(command("unzip").arg("-q").arg(file).arg("-d").arg(&folder))?;
        } else {
            capture(command("tar").arg("-xzf").arg(file).arg("-C").arg(&folder))?;
        }
        let is_root = capture(command("id").arg("-u")).is_ok_and(|(id, _)| id.trim() == "0");
        let alone = platform.name.ends_with("static") && is_root;
        let bare = Bare { folder, name: format!("rukh-{}-{}", version()?, platform.name), platform, alone };
        Ok(platform.starter(&bare.file()).is_some().then_some(bare))
    }

    fn top(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    fn file(&self) -> PathBuf {
        self.top().join("bin").join(self.platform.program())
    }

    fn program(&self) -> Result<Command> {
        let mut program;
        if self.alone {
            program = command("chroot");
            program.arg(&self.folder).arg(format!("/{}/bin/rukh", self.name));
        } else {
            program = self.platform.starter(&self.file()).ok_or("cannot run here")??;
        }
        let home = if self.alone { PathBuf::from("/home") } else { self.folder.join("home") };
        // `chroot` itself must be found, and Wine is a script with helpers.
        let path = if self.alone || self.platform.is_windows() { "/usr/sbin:/usr/bin:/bin" } else { "/nonexistent" };
        program.env_clear().env("HOME", home).env("PATH", path).env("WINEDEBUG", "-all");
        program.current_dir(&self.folder);
        Ok(program)
    }

    fn say(&self, words: &[&str], input: &str) -> Result<String> {
        let why = |error: std::io::Error| format!("cannot start: {error}");
        let mut child = self
            .program()?
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(why)?;
        child.stdin.take().expect("is piped").write_all(input.as_bytes()).map_err(why)?;
        let output = child.wait_with_output().map_err(why)?;
        if !output.status.success() {
            return Err(format!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// `rukh serve` has the page.
    fn serve(&self) -> Result {
        let why = |error: std::io::Error| format!("serve: {error}");
        let mut child = self
            .program()?
            .args(["serve", "--port", "0", "--no-learn"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(why)?;
        let mut lines = BufReader::new(child.stdout.take().expect("is piped")).lines();
        let address = lines.by_ref().map_while(|line| line.ok()).find_map(|line| {
            let rest = line.split_once("http://")?.1;
            Some(rest.split('/').next().unwrap_or(rest).trim().to_owned())
        });
        let answer = address.ok_or("serve says no address".to_owned()).and_then(|address| get(&address, "/", ""));
        let _ = child.kill();
        let _ = child.wait();
        let answer = answer?;
        if answer.starts_with("HTTP/1.1 200") && answer.contains("<script") {
            Ok(())
        } else {
            Err(format!("serve gives no page: {}", answer.lines().next().unwrap_or_default()))
        }
    }
}

//! The image of `packaging/Containerfile`, built and used as its first lines say (`--long`, where there is podman).

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::install;
use crate::report::Outcome;
use crate::shell::{self, Result, capture, command, root, which};

const FILE: &str = "packaging/Containerfile";
/// The image, its container and its volume.
const NAME: &str = "rukh-xtask";

pub fn test() -> Result<Outcome> {
    if which("podman").is_none() {
        return Ok(Outcome::Skipped("podman is not installed".into()));
    }
    let text = fs::read_to_string(root().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    let bases = text.lines().filter_map(|line| line.strip_prefix("FROM ")?.split(' ').next());
    for base in bases.filter(|base| *base != "scratch") {
        if podman(&["image", "exists", base]).is_err() && podman(&["pull", "--quiet", base]).is_err() {
            return Ok(Outcome::Skipped(format!("{base} cannot be had")));
        }
    }
    shell::run(
        command("podman").args(["build", "--pull=never", "--file", FILE, "--tag", NAME, "."]).current_dir(root()),
    )?;
    let done = started();
    let _ = podman(&["rm", "--force", NAME]);
    let _ = podman(&["volume", "rm", NAME]);
    done.map(|()| Outcome::Ok("built, started, asked and stopped".into()))
}

/// It gives the page and answers questions with its token only, not as root, ends when it is told to, and leaves its data in the volume.
fn started() -> Result {
    let volume = format!("{NAME}:/data");
    podman(&["run", "--detach", "--name", NAME, "--publish", "127.0.0.1::8373", "--volume", &volume, NAME])?;
    let (address, begun) = (podman(&["port", NAME, "8373"])?, Instant::now());
    let token = loop {
        let said = podman(&["logs", NAME])?;
        if let Some(rest) = said.split("token=").nth(1) {
            break rest.lines().next().unwrap_or_default().to_owned();
        }
        if begun.elapsed() > Duration::from_secs(20) {
            return Err(format!("it prints no link: {said}"));
        }
        sleep(Duration::from_millis(100));
    };
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for (path, more, status, text) in [
        ("/", &*bearer, "200", "<script"),
        ("/api/status", &bearer, "200", "\"rukh\""),
        ("/api/status", "", "401", "token"),
    ] {
        let answer = install::get(&address, path, more)?;
        if !answer.starts_with(&format!("HTTP/1.1 {status}")) || !answer.contains(text) {
            return Err(format!("{path}: {answer:.300}"));
        }
    }
    let user = podman(&["top", NAME, "user"])?;
    if user.lines().last() != Some("1000") {
        return Err(format!("it runs as another user: {user}"));
    }
    podman(&["stop", "--time", "20", NAME])?;
    let ended = podman(&["inspect", "--format", "{{.State.ExitCode}}", NAME])?;
    let data = podman(&["volume", "inspect", "--format", "{{.Mountpoint}}", NAME])?;
    if ended != "0" || !Path::new(&data).join("rukh/learned.redb").is_file() {
        return Err(format!("stopped, it ends with {ended}; its volume is {data}"));
    }
    Ok(())
}

fn podman(words: &[&str]) -> Result<String> {
    capture(command("podman").args(words)).map(|(said, _)| said.trim().to_owned())
}

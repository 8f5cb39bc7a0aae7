//! `rukh serve`: the page, the databases and the native engine in a browser.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rukh_serve::{Config, Server};

use crate::cli::{Args, CliError};
use crate::outln;

pub const SUMMARY: &str = "play, analyse and explore in a browser, with this computer's engine";
pub const HELP: &str = "\
usage: rukh serve [options]

Serves the page, the games of a database and the native engine to the browsers of this computer, until Ctrl-C.

  --port <n>           port (default 8373; 0 takes a free one)
  --bind <address>     address to listen at (default 127.0.0.1: this computer only)
  --allow-host <name>  a further name that browsers may use for this server; may be repeated
  --db <dir>           a database made by 'rukh db import'
  --threads <n>        search threads of the engine (default: all cores)
  --page <dir>         a built page, instead of the one in this binary
  --open               open the page in the browser

Pages of other sites, and other names than 'localhost' and addresses, are refused. With --bind 0.0.0.0 everybody in your
network may use the engine: there are no passwords.
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let defaults = Config::default();
    let config = Config {
        port: args.parsed("--port")?.unwrap_or(defaults.port),
        bind: args.parsed::<IpAddr>("--bind")?.unwrap_or(defaults.bind),
        allowed_hosts: args.options("--allow-host")?,
        page: args.option("--page")?.map(PathBuf::from),
        database: args.option("--db")?.map(PathBuf::from),
        threads: args.parsed("--threads")?.unwrap_or(defaults.threads).clamp(1, 512),
    };
    let open = args.flag("--open");
    args.finish()?;
    let server = Server::bind(&config).map_err(CliError::new)?;
    let stopper = server.stopper();
    ctrlc::set_handler(move || stopper.stop()).map_err(CliError::new)?;
    let url = server.url();
    outln!("{url}");
    if !config.bind.is_loopback() {
        eprintln!("warning: other computers can use this server");
    }
    if open && !open_browser(&url) {
        eprintln!("no browser could be started: open {url} yourself");
    }
    server.run();
    Ok(())
}

fn open_browser(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let quiet = || Stdio::null();
    Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

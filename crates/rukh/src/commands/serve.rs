//! `rukh serve`: the page, the databases and the native engine in a browser.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rukh_core::{Chess, Makruk, Variant};
use rukh_serve::{Config, EngineConfig, Server};

use crate::cli::{Args, CliError};
use crate::game::{TableMemory, default_file, file_for};
use crate::outln;

pub const SUMMARY: &str = "play, analyse and explore in a browser, with this computer's engine";
pub const HELP: &str = "\
usage: rukh serve [options]

Serves the page, the games of a database and the native engine to the browsers of this computer, until Ctrl-C.

  --port <n>           port (default 8373; 0 takes a free one)
  --bind <address>     address to listen at (default 127.0.0.1: this computer only)
  --allow-host <name>  a further name that browsers may use for this server; may be repeated
  --db <dir>           a database made by 'rukh db import'; may be repeated, one for each variant
  --threads <n>        search threads of the engine (default: all cores)
  --hash <MB>          most memory for an engine's table (default 512; a page asks for less)
  --sessions <n>       most pages with an engine at one time (default 8)
  --max-time <s>       longest search, in seconds (default 600)
  --syzygy <path>      folders with Syzygy tables
  --makruk-tables <dir>  Makruk tables made by 'rukh tables makruk'
  --learn-file <file>  where the engine remembers positions (default: the user's own table)
  --no-learn           remember nothing
  --page <dir>         a built page, instead of the one in this binary
  --open               open the page in the browser

Pages of other sites, and other names than 'localhost' and addresses, are refused. With --bind 0.0.0.0 everybody in your
network may use the engine: there are no passwords.
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let defaults = Config::default();
    let engine = defaults.engine;
    let mut config = Config {
        port: args.parsed("--port")?.unwrap_or(defaults.port),
        bind: args.parsed::<IpAddr>("--bind")?.unwrap_or(defaults.bind),
        allowed_hosts: args.options("--allow-host")?,
        page: args.option("--page")?.map(PathBuf::from),
        databases: args.options("--db")?.into_iter().map(PathBuf::from).collect(),
        sessions: args.parsed("--sessions")?.unwrap_or(defaults.sessions),
        engine: EngineConfig {
            threads: args.parsed("--threads")?.unwrap_or(engine.threads).clamp(1, 512),
            hash: args.parsed("--hash")?.unwrap_or(engine.hash).clamp(1, 1 << 20),
            longest_search: args.parsed("--max-time")?.map_or(engine.longest_search, Duration::from_secs),
            syzygy: args.option("--syzygy")?.unwrap_or_default(),
            makruk_tables: args.option("--makruk-tables")?.unwrap_or_default(),
            ..engine
        },
    };
    let open = args.flag("--open");
    let learn_file = args.option("--learn-file")?.map(PathBuf::from);
    let learn = !args.flag("--no-learn");
    args.finish()?;
    if learn {
        give_memory(&mut config.engine, learn_file)?;
    }
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

/// Opens the tables to learn in. Those that a person named must open; without its own the server does.
fn give_memory(engine: &mut EngineConfig, named: Option<PathBuf>) -> Result<(), CliError> {
    let must = named.is_some();
    let Some(path) = named.or_else(default_file) else { return Ok(()) };
    let result = TableMemory::<Chess>::open(&file_for(&path, Variant::Chess)).and_then(|chess| {
        engine.chess_memory = Some(chess);
        engine.makruk_memory = Some(TableMemory::<Makruk>::open(&file_for(&path, Variant::Makruk))?);
        Ok(())
    });
    match result {
        Err(error) if must => Err(CliError::new(error)),
        Err(error) => {
            eprintln!("nothing will be learned: {error}");
            Ok(())
        }
        Ok(()) => Ok(()),
    }
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

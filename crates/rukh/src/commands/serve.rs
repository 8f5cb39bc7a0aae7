//! `rukh serve`: the page, the databases and the native engine in a browser.

use std::io::{IsTerminal, stderr};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Command;
use rukh_core::{Chess, Makruk, Variant};
use rukh_serve::{Bounds, Config, EngineConfig, Server, Tls, link_picture};
use tracing_subscriber::EnvFilter;

use crate::cli::define::{self, file, flag, many, opt};
use crate::cli::{Args, CliError};
use crate::game::{TableMemory, default_file, file_for};
use crate::outln;

pub fn command() -> Command {
    define::command("serve", "play, analyse and explore in a browser, with this computer's engine")
        .arg(opt("port", "N", "port (default 8373; 0 takes a free one)"))
        .arg(opt("bind", "ADDRESS", "address to listen at (default 127.0.0.1: this computer only); any other requires a token"))
        .arg(flag("token", "require a token on this computer too, as behind a proxy"))
        .arg(flag("tls", "encrypt, with a certificate made now; its fingerprint is printed"))
        .arg(file("cert", "FILE", "encrypt with this certificate (PEM) …"))
        .arg(file("key", "FILE", "… and its key"))
        .arg(many("allow-host", "NAME", "another name that browsers may use for this server; may be repeated"))
        .arg(opt("rate", "N", "requests per second from any one other computer (default 50)"))
        .arg(many("db", "DIR", "a database made by 'rukh db import'; may be repeated, one for each variant"))
        .arg(opt("cache", "MB", "memory for answers of the databases (default 64)"))
        .arg(opt("threads", "N", "search threads of the engine (default: all cores)"))
        .arg(opt("hash", "MB", "largest hash table of an engine (default 512; a page asks for less)"))
        .arg(opt("hash-total", "MB", "largest total of all hash tables (default: twice that of one)"))
        .arg(opt("sessions", "N", "most pages that may have an engine at once (default 8)"))
        .arg(opt("max-time", "S", "longest search, in seconds (default 600)"))
        .arg(opt("idle", "S", "a page that is silent for this long loses its engine until it asks again (default 1800)"))
        .arg(many(
            "engine",
            "SPEC",
            "a UCI engine for the page, spelled as for 'rukh match': 'name=SF cmd=stockfish'; repeatable",
        ))
        .arg(file("syzygy", "PATH", "folders with Syzygy tables"))
        .arg(file("makruk-tables", "DIR", "Makruk tables made by 'rukh tables makruk'"))
        .arg(file("learn-file", "FILE", "where the engine remembers positions (default: the user's own table)"))
        .arg(opt("learn-mb", "N", "megabytes that each table may take (default 1024)"))
        .arg(flag("no-learn", "remember nothing"))
        .arg(file("page", "DIR", "a built page, instead of the one in this binary"))
        .arg(flag("open", "open the page in the browser"))
        .arg(opt("log", "FILTER", "what to report: error, warn (default), info, debug, or by part: 'rukh_serve=debug'"))
        .arg(flag("log-json", "report as JSON, one object per line"))
        .after_help(
            "Serves the page, the games of a database and the native engine to the browsers of this computer, until Ctrl-C.\n\
             Pages of other sites, and other names than 'localhost' and addresses, are refused. With --bind 0.0.0.0 other\n\
             computers may use the engine if they have the token: it is new at every start and stands in the link that is\n\
             printed, which a browser opens once. Without --tls others in the network could read it. Nothing is learned from\n\
             their searches. Reports go to standard error; the variable RUKH_LOG is the same as --log.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let filter = args.option("--log")?.or_else(|| std::env::var("RUKH_LOG").ok());
    start_log(filter.as_deref().unwrap_or("warn"), args.flag("--log-json"))?;
    let defaults = Config::default();
    let (engine, bounds) = (defaults.engine, defaults.bounds);
    let hash = args.parsed("--hash")?.unwrap_or(engine.hash).clamp(1, 1 << 20);
    let mut config = Config {
        port: args.parsed("--port")?.unwrap_or(defaults.port),
        bind: args.parsed::<IpAddr>("--bind")?.unwrap_or(defaults.bind),
        allowed_hosts: args.options("--allow-host")?,
        tls: tls(&args)?,
        token: args.flag("--token"),
        page: args.path("--page"),
        databases: args.paths("--db"),
        sessions: args.parsed("--sessions")?.unwrap_or(defaults.sessions),
        engine: EngineConfig {
            threads: args.parsed("--threads")?.unwrap_or(engine.threads).clamp(1, 512),
            hash,
            hash_total: args.parsed("--hash-total")?.unwrap_or(2 * hash).clamp(1, 1 << 24),
            longest_search: args.parsed("--max-time")?.map_or(engine.longest_search, Duration::from_secs),
            syzygy: args.option("--syzygy")?.unwrap_or_default(),
            makruk_tables: args.option("--makruk-tables")?.unwrap_or_default(),
            guests: rukh_serve::guests(&args.options("--engine")?).map_err(CliError::new)?,
            ..engine
        },
        bounds: Bounds {
            rate: args.parsed("--rate")?.unwrap_or(bounds.rate),
            idle: args.parsed("--idle")?.map_or(bounds.idle, Duration::from_secs),
            cache: args.parsed::<usize>("--cache")?.map_or(bounds.cache, |n| n.min(1 << 20) << 20),
            ..bounds
        },
    };
    let open = args.flag("--open");
    let learn_file = args.path("--learn-file");
    let learn_mb: u64 = args.parsed("--learn-mb")?.unwrap_or(1024);
    let learn = !args.flag("--no-learn");
    if learn {
        give_memory(&mut config.engine, learn_file, learn_mb.saturating_mul(1 << 20))?;
    }
    let server = Server::bind(&config).map_err(CliError::new)?;
    let (stopper, asked) = (server.stopper(), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        stopper.stop();
        // Who asks twice does not want to wait for what is going on.
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    })
    .map_err(CliError::new)?;
    let url = server.url();
    outln!("{url}");
    tell_others(&server, &url);
    if open && !open_browser(&url) {
        eprintln!("no browser could be started: open {url} yourself");
    }
    server.run();
    Ok(())
}

/// What a person at another computer needs, and what the one at this computer should know.
fn tell_others(server: &Server, url: &str) {
    if server.token().is_some() && stderr().is_terminal() {
        eprintln!("{}", link_picture(url).unwrap_or_default());
    }
    if let Some(fingerprint) = server.fingerprint() {
        eprintln!("the certificate's SHA-256: {fingerprint}");
    }
    if !server.address().ip().is_loopback() {
        eprintln!("other computers can use this server with the link above: give it to nobody else");
        if server.fingerprint().is_none() {
            eprintln!("warning: without --tls, others in the network can read the link and all that is sent");
        }
    }
}

fn tls(args: &Args) -> Result<Tls, CliError> {
    let (cert, key) = (args.path("--cert"), args.path("--key"));
    match (cert, key, args.flag("--tls")) {
        (Some(cert), Some(key), _) => Ok(Tls::Files { cert, key }),
        (None, None, true) => Ok(Tls::SelfSigned),
        (None, None, false) => Ok(Tls::Off),
        _ => Err(CliError::new("--cert and --key belong together")),
    }
}

/// Sends what the server reports to standard error.
fn start_log(filter: &str, json: bool) -> Result<(), CliError> {
    let filter: EnvFilter = filter
        .parse()
        .map_err(|_| CliError::new(format!("--log: '{filter}' is no filter; try warn, info or debug")))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr);
    // A second server in one process would write to the log of the first.
    let _ = if json { log.json().try_init() } else { log.with_ansi(false).try_init() };
    Ok(())
}

/// Opens the tables to learn in. Those that a person named must open; without its own the server does.
fn give_memory(engine: &mut EngineConfig, named: Option<PathBuf>, limit: u64) -> Result<(), CliError> {
    let must = named.is_some();
    let Some(path) = named.or_else(default_file) else { return Ok(()) };
    let result = TableMemory::<Chess>::open(&file_for(&path, Variant::Chess), limit).and_then(|chess| {
        engine.chess_memory = Some(chess);
        engine.makruk_memory = Some(TableMemory::<Makruk>::open(&file_for(&path, Variant::Makruk), limit)?);
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
    std::process::Command::new(program).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
}

//! `rukh serve`: the page, the databases and the native engine in a browser.

use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Command;
use rukh_core::{Chess, Makruk, Variant};
use rukh_protocol::game::{TableMemory, default_file, file_for};
use rukh_serve::{Bounds, Config, EngineConfig, Server, Services, Tls, link_picture};
use tracing_subscriber::EnvFilter;

use crate::cli::define::{self, file, flag, many, opt};
use crate::cli::{Args, CliError, Result};

pub fn command() -> Command {
    define::command("serve", "play, analyse and explore in a browser, with the native engine")
        .arg(opt("port N", "port (default 8373; 0 picks a free one)"))
        .arg(opt("bind ADDRESS", "address to listen on (default 127.0.0.1: this computer only); any other requires a token"))
        .arg(flag("token", "require a token from this computer too, for example behind a proxy"))
        .arg(flag("tls", "HTTPS with a new self-signed certificate; prints its fingerprint"))
        .arg(file("cert FILE", "HTTPS with this certificate (PEM) …"))
        .arg(file("key FILE", "… and this private key"))
        .arg(many("allow-host NAME", "another host name that browsers may use for this server; may be repeated"))
        .arg(opt("rate N", "maximum requests per second from each other computer (default 50)"))
        .arg(many("db DIR", "a database made by 'rukh db import'; may be repeated, one for each variant"))
        .arg(opt("lichess URL", "use this server in place of lichess.org for 'Games of a user'"))
        .arg(opt("chesscom URL", "use this server in place of api.chess.com"))
        .arg(flag("no-users", "never download users' games from Lichess or chess.com"))
        .arg(opt("cache MB", "cache for database answers (default 64)"))
        .arg(opt("threads N", "search threads (default: all cores)"))
        .arg(opt("hash MB", "largest hash table of one engine (default 512; the page asks for less)"))
        .arg(opt("hash-total MB", "maximum for all hash tables together (default: twice --hash)"))
        .arg(opt("sessions N", "maximum number of pages using an engine at the same time (default 8)"))
        .arg(opt("max-time S", "longest search, in seconds (default 600)"))
        .arg(opt("idle S", "release the engine of a page that has been idle this long, in seconds (default 1800)"))
        .arg(many(
            "engine SPEC",
            "UCI engine for the page, as in 'rukh match': 'name=SF cmd=stockfish'; may be repeated",
        ))
        .arg(file("syzygy PATH", "folders with Syzygy tablebases"))
        .arg(file("makruk-tables DIR", "Makruk tablebases made by 'rukh tables'"))
        .arg(file("learn-file FILE", "table of learned positions (default: in your data folder)"))
        .arg(opt("learn-mb N", "maximum size of each table in megabytes (default 1024)"))
        .arg(flag("no-learn", "do not learn"))
        .arg(file("page DIR", "serve the page from this folder instead of the built-in one"))
        .arg(flag("open", "open the page in the browser"))
        .arg(opt("log FILTER", "log level: error, warn (default), info, debug, or per module: 'rukh_serve=debug'"))
        .arg(flag("log-json", "log as JSON, one object per line"))
        .after_help(
            "Serves the page, your game databases and the native engine to browsers on this computer until you press Ctrl-C.\n\
             Requests from other sites' pages are rejected, as are host names other than 'localhost' and IP addresses.\n\
             With --bind 0.0.0.0, other computers can use the engine if they have the token, which is new at every start\n\
             and part of the printed link; a browser only needs to open that link once. Without --tls, others on the\n\
             network could read the token. Nothing is learned from other computers' searches. Logs go to standard error;\n\
             the environment variable RUKH_LOG does the same as --log.",
        )
}

pub fn run(args: Args) -> Result {
    let filter = args.option("--log")?.or_else(|| std::env::var("RUKH_LOG").ok());
    start_log(filter.as_deref().unwrap_or("warn"), args.flag("--log-json"))?;
    let defaults = Config::default();
    let (engine, bounds) = (defaults.engine, defaults.bounds);
    let hash = args.within("--hash", engine.hash, 1..=1 << 20)?;
    let mut config = Config {
        port: args.or("--port", defaults.port)?,
        bind: args.or("--bind", defaults.bind)?,
        allowed_hosts: args.options("--allow-host")?,
        tls: tls(&args)?,
        token: args.flag("--token"),
        page: args.path("--page"),
        databases: args.paths("--db"),
        services: services(&args)?,
        sessions: args.or("--sessions", defaults.sessions)?,
        engine: EngineConfig {
            threads: args.within("--threads", engine.threads, 1..=512)?,
            hash,
            hash_total: args.within("--hash-total", 2 * hash, 1..=1 << 24)?,
            longest_search: args.positive("--max-time")?.map_or(engine.longest_search, Duration::from_secs),
            syzygy: args.option("--syzygy")?.unwrap_or_default(),
            makruk_tables: args.option("--makruk-tables")?.unwrap_or_default(),
            guests: rukh_serve::guests(&args.options("--engine")?).map_err(CliError::new)?,
            ..engine
        },
        bounds: Bounds {
            rate: args.positive("--rate")?.unwrap_or(bounds.rate),
            idle: args.positive("--idle")?.map_or(bounds.idle, Duration::from_secs),
            cache: args.parsed::<usize>("--cache")?.map_or(bounds.cache, |n| n.min(1 << 20) << 20),
            ..bounds
        },
    };
    let limit = args.positive("--learn-mb")?.unwrap_or(1024u64).saturating_mul(1 << 20);
    if !args.flag("--no-learn") {
        give_memory(&mut config.engine, args.path("--learn-file"), limit)?;
    }
    let server = Server::bind(&config)?;
    let (stopper, asked) = (server.stopper(), AtomicBool::new(false));
    ctrlc::set_handler(move || {
        stopper.stop();
        // Who asks twice does not want to wait for what is going on.
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    })?;
    let url = server.url();
    outln!("{url}");
    tell_others(&server, &url);
    if args.flag("--open") && !rukh_serve::open_browser(&url) {
        errln!("no browser could be started: open {url} yourself");
    }
    server.run();
    Ok(())
}

/// What a person at another computer needs, and what the one at this computer should know.
fn tell_others(server: &Server, url: &str) {
    if server.token().is_some() && stderr().is_terminal() {
        errln!("{}", link_picture(url).unwrap_or_default());
    }
    if let Some(fingerprint) = server.fingerprint() {
        errln!("the certificate's SHA-256: {fingerprint}");
    }
    if !server.address().ip().is_loopback() {
        errln!("anyone with the link above can use this server: do not share it");
        if server.fingerprint().is_none() {
            errln!("warning: without --tls, others on the network can read the link and everything that is sent");
        }
    }
}

/// Where the page may have users' games fetched from; the cache folder is that of `rukh source lichess-user`.
fn services(args: &Args) -> Result<Option<Services>> {
    let Some(folder) = rukh_files::cache_folder().filter(|_| !args.flag("--no-users")) else { return Ok(None) };
    let own = Services::in_folder(folder.join("users"));
    let address = |name: &str, own: String| match args.option(name)? {
        Some(url) => Services::address(&url).map_err(|error| CliError::new(format!("{name}: {error}"))),
        None => Ok(own),
    };
    let (lichess, chesscom) = (address("--lichess", own.lichess)?, address("--chesscom", own.chesscom)?);
    Ok(Some(Services { lichess, chesscom, token: args.lichess_token()?, folder: own.folder }))
}

fn tls(args: &Args) -> Result<Tls> {
    let tls = Tls::of(args.path("--cert"), args.path("--key"), args.flag("--tls"));
    tls.ok_or_else(|| CliError::new("--cert and --key must be given together"))
}

/// Sends what the server reports to standard error.
fn start_log(filter: &str, json: bool) -> Result {
    let filter: EnvFilter = filter
        .parse()
        .map_err(|_| CliError::new(format!("--log: '{filter}' is not a valid filter; try warn, info or debug")))?;
    // A log that nobody reads any more (`rukh serve 2>&1 | head`) must not cost the request that it is about.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).log_internal_errors(false);
    // A second server in one process would write to the log of the first.
    let _ = if json { log.json().try_init() } else { log.with_ansi(false).try_init() };
    Ok(())
}

/// Opens the tables to learn in. Those that a person named must open; without its own the server does.
fn give_memory(engine: &mut EngineConfig, named: Option<PathBuf>, limit: u64) -> Result {
    let must = named.is_some();
    let Some(path) = named.or_else(default_file) else { return Ok(()) };
    let result = TableMemory::<Chess>::open(&file_for(&path, Variant::Chess), limit).and_then(|chess| {
        engine.chess_memory = Some(chess);
        engine.makruk_memory = Some(TableMemory::<Makruk>::open(&file_for(&path, Variant::Makruk), limit)?);
        Ok(())
    });
    result.or_else(|error| {
        if must {
            return Err(CliError::new(error));
        }
        errln!("nothing will be learned: {error}");
        Ok(())
    })
}

//! `rukh source`: games and positions from files and services of many kinds, in one form.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Command;
use rukh_core::{Variant, dispatch};
use rukh_files::OutputFile;
use rukh_pgn::PgnWriter;
use rukh_store::source::{ADAPTERS, Access, Item, fetch_user_while, open};

use crate::cli::define::{self, file, flag, json, opt, place, variant, word, words};
use crate::cli::{Args, CliError, Problems, Progress, Result, percent, read_place};

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(flag("online", "allow network access; without it, nothing leaves your computer"))
            .arg(opt("token T", "API token for the Lichess explorer (or set LICHESS_TOKEN)"))
            .arg(file("cache DIR", "store answers and downloads here; interrupted downloads resume"))
            .arg(variant().help("chess (default), chess960 or makruk, for files that do not say which"))
            .arg(file(
                "ca-file PEM",
                "certificates to trust instead of the built-in ones (for a proxy or your own server)",
            ))
    };
    let actions = [
        define::command("list", "list all kinds of sources and how to name them"),
        action("games", "print the games of sources as PGN, for example for 'rukh db import --db <dir> -'")
            .arg(words("source", "see 'rukh source list'")),
        action("positions", "print the positions of sources as EPD; for games, every position")
            .arg(words("source", "see 'rukh source list'")),
        user("lichess-user", "download all games of a Lichess user as PGN"),
        user("chesscom-user", "download all games of a chess.com user as PGN"),
        action("ask", "look up a position in a book, the Lichess explorer or ChessDB")
            .arg(word("source", "see 'rukh source list'"))
            .args([place(), json()]),
    ];
    define::actions("source", "get games and positions from many kinds of files and services")
        .subcommands(actions)
        .after_help("Services are queried at most once every 1.1 seconds.")
}

/// Whoever names a user has asked for the network.
fn user(name: &'static str, about: &'static str) -> Command {
    define::command(name, about)
        .arg(word("name", "the user name"))
        .arg(file("out FILE", "output file (default: standard output)"))
        .arg(opt("token T", "API token, which makes Lichess faster (or set LICHESS_TOKEN)"))
        .arg(file(
            "cache DIR",
            "store downloads here; the next run asks only for newer games (default: your cache folder)",
        ))
        .arg(flag("offline", "use only what was downloaded before"))
        .arg(file("ca-file PEM", "certificates to trust instead of the built-in ones"))
}

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let access = Access {
        online: args.flag("--online"),
        token: args.lichess_token()?,
        cache: args.path("--cache"),
        variant: args.or::<Variant>("--variant", Variant::Chess)?,
        certificates: args.path("--ca-file"),
        ..Access::default()
    };
    match action {
        "lichess-user" | "chesscom-user" => {
            let name: String = args.required("name")?;
            let cache = access.cache.clone().or_else(|| Some(rukh_files::cache_folder()?.join("users")));
            let access = Access { online: !args.flag("--offline"), cache, ..access };
            let mut progress = Progress::new("source", None);
            let mut tell = |count| {
                progress.set(count, "games");
                true
            };
            let files = fetch_user_while(&format!("{action}:{name}"), &access, &mut tell)?;
            progress.finish();
            let mut out = OutputFile::create_or_stdout(args.path("--out").as_deref())?;
            for file in files {
                std::io::copy(&mut std::fs::File::open(&file)?, &mut out)?;
                writeln!(out, "\n")?;
            }
            Ok(out.commit()?)
        }
        "list" => {
            for adapter in ADAPTERS {
                outln!("{:<18} {}", adapter.name, adapter.usage);
            }
            Ok(())
        }
        "ask" => {
            ask(&args.required_path("source")?, &args.position()?.unwrap_or_default(), &access, args.flag("--json"))
        }
        _ => stream(&args.paths("source"), action == "games", &access),
    }
}

fn ask(what: &Path, text: &str, access: &Access, json: bool) -> Result {
    let position = dispatch!(any R of access.variant => read_place::<R>(access.variant, Default::default(), text)?);
    let mut source = open(what, access)?;
    let found = source.ask(&position)?;
    if json {
        outln!("{}", rukh_api::reports::source(source.name(), &position, found.as_ref()));
        return Ok(());
    }
    let Some(entry) = found else {
        outln!("this position is not in {}", source.name());
        return Ok(());
    };
    if let Some(name) = &entry.name {
        outln!("{name}");
    }
    outln!("{:<7} {:>8} {:>12} {:>6} {:>6} {:>6} {:>7}", "move", "weight", "games", "white", "draw", "black", "score");
    for m in &entry.moves {
        let share = |n: u64| if m.games == 0 { "–".into() } else { format!("{:.0} %", percent(n, m.games)) };
        let score = m.score.map_or("–".into(), |score| score.to_string());
        outln!(
            "{:<7} {:>8} {:>12} {:>6} {:>6} {:>6} {score:>7}",
            entry.position.san(m.mv),
            m.weight,
            m.games,
            share(m.white),
            share(m.draws),
            share(m.black)
        );
    }
    Ok(())
}

fn stream(sources: &[PathBuf], games: bool, access: &Access) -> Result {
    let mut out = OutputFile::create_or_stdout(None)?;
    let mut progress = Progress::new("source", None);
    let (mut count, mut problems) = (0u64, Problems::new(20));
    for what in sources {
        let mut source = open(what, access)?;
        while let Some(item) = source.next() {
            match item {
                Ok(Item::Game(game)) if games => {
                    if count > 0 {
                        writeln!(out)?;
                    }
                    PgnWriter::standard(&mut out).write_game(&game)?;
                    count += 1;
                }
                Ok(Item::Position(_)) if games => {
                    return Err(CliError::new(format!("{} contains positions, not games", source.name())));
                }
                Ok(item) => {
                    for line in item.epd() {
                        writeln!(out, "{line}")?;
                        count += 1;
                    }
                }
                Err(error) => problems.add(error),
            }
            progress.set(count, if games { "games" } else { "positions" });
        }
    }
    out.commit()?;
    progress.finish();
    problems.verdict()
}

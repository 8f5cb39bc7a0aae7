//! `rukh source`: games and positions from files and services of many kinds, in one form.

use std::io::Write;

use clap::Command;
use rukh_core::{Move, Position, Rules, Variant, dispatch};
use rukh_files::OutputFile;
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::source::{ADAPTERS, Access, Entry, Item, fetch_user, open};

use crate::cli::define::{self, file, flag, opt, place, variant, word, words};
use crate::cli::{Args, CliError, Progress, counted, read_place};
use crate::outln;

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(flag("online", "the network may be used; without it nothing leaves this computer"))
            .arg(opt("token", "T", "for the Lichess explorer (or the variable LICHESS_TOKEN)"))
            .arg(file("cache", "DIR", "keeps answers and downloads; a broken download goes on where it stopped"))
            .arg(variant().help("chess (default), chess960 or makruk, for files that do not say it"))
            .arg(file(
                "ca-file",
                "PEM",
                "certificates to trust instead of the built-in ones (a proxy's, a service of one's own)",
            ))
    };
    define::actions("source", "games and positions from files and services of many kinds")
        .subcommand(define::command("list", "the kinds of sources and how to name them"))
        .subcommand(
            action("games", "the games of sources as PGN, for 'rukh db import --db <dir> -'")
                .arg(words("source", "as 'rukh source list' says")),
        )
        .subcommand(
            action("positions", "the positions of sources as EPD; of games all of them, from the first to the last")
                .arg(words("source", "as 'rukh source list' says")),
        )
        .subcommand(user("lichess-user", "all games of a user of Lichess as PGN; asks lichess.org"))
        .subcommand(user("chesscom-user", "all games of a user of chess.com as PGN; asks api.chess.com"))
        .subcommand(
            action("ask", "what a book, the Lichess explorer or ChessDB knows about a position")
                .arg(word("source", "as 'rukh source list' says"))
                .arg(place()),
        )
        .after_help("Services are queried at most once every 1.1 seconds.")
}

/// Whoever names a user has asked for the network.
fn user(name: &'static str, about: &'static str) -> Command {
    define::command(name, about)
        .arg(word("name", "the user"))
        .arg(file("out", "FILE", "the games (default: standard output)"))
        .arg(opt("token", "T", "Lichess answers faster with one (or the variable LICHESS_TOKEN)"))
        .arg(file(
            "cache",
            "DIR",
            "keeps what was fetched: the next time only newer games are asked for (default: the cache folder)",
        ))
        .arg(flag("offline", "only what was fetched before"))
        .arg(file("ca-file", "PEM", "certificates to trust instead of the built-in ones"))
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let token = args.option("--token")?.or_else(|| std::env::var("LICHESS_TOKEN").ok()).filter(|t| !t.is_empty());
    let access = Access {
        online: args.flag("--online"),
        token,
        cache: args.path("--cache"),
        variant: args.parsed::<Variant>("--variant")?.unwrap_or(Variant::Chess),
        certificates: args.path("--ca-file"),
        ..Access::default()
    };
    match action {
        "lichess-user" | "chesscom-user" => {
            let name: String = args.required("name")?;
            let cache = access.cache.clone().or_else(|| Some(rukh_files::cache_folder()?.join("users")));
            let access = Access { online: !args.flag("--offline"), cache, ..access };
            let files = fetch_user(&format!("{action}:{name}"), &access).map_err(CliError::new)?;
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
        "ask" => ask(&args.required::<String>("source")?, &args.position()?.unwrap_or_default(), &access),
        _ => stream(&args.options("source")?, action == "games", &access),
    }
}

fn ask(what: &str, text: &str, access: &Access) -> Result<(), CliError> {
    let position = dispatch!(any R of access.variant => read_place::<R>(access.variant, text)?);
    let mut source = open(what, access).map_err(CliError::new)?;
    let Some(entry) = source.ask(&position).map_err(CliError::new)? else {
        outln!("{} does not know this position", source.name());
        return Ok(());
    };
    if let Some(name) = &entry.name {
        outln!("{name}");
    }
    outln!("{:<7} {:>8} {:>12} {:>6} {:>6} {:>6} {:>7}", "move", "weight", "games", "white", "draw", "black", "score");
    for m in &entry.moves {
        let share =
            |n: u64| if m.games == 0 { "–".into() } else { format!("{:.0} %", 100.0 * n as f64 / m.games as f64) };
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

fn stream(sources: &[String], games: bool, access: &Access) -> Result<(), CliError> {
    let mut out = OutputFile::create_or_stdout(None)?;
    let mut progress = Progress::new("source", None);
    let (mut count, mut problems) = (0u64, 0u64);
    for what in sources {
        let mut source = open(what, access).map_err(CliError::new)?;
        while let Some(item) = source.next() {
            match (item, games) {
                (Ok(Item::Game(game)), true) => {
                    if count > 0 {
                        writeln!(out)?;
                    }
                    PgnWriter::standard(&mut out).write_game(&game)?;
                }
                (Ok(Item::Position(entry)), false) => writeln!(out, "{}", epd(&entry))?,
                (Ok(Item::Game(game)), false) => {
                    for epd in positions_of(&game) {
                        writeln!(out, "{epd}")?;
                        count += 1;
                    }
                    progress.set(count, "positions");
                    continue;
                }
                (Ok(Item::Position(_)), true) => {
                    return Err(CliError::new(format!("{} holds positions, not games", source.name())));
                }
                (Err(error), _) => {
                    problems += 1;
                    if problems <= 20 {
                        eprintln!("{error}");
                    }
                    continue;
                }
            }
            count += 1;
            progress.set(count, if games { "games" } else { "positions" });
        }
    }
    out.commit()?;
    progress.finish();
    if problems > 0 {
        Err(CliError::new(format!("{}; {count} were read", counted(problems, "problem"))))
    } else {
        Ok(())
    }
}

/// The start of a game and the position after each of its moves, as EPD.
fn positions_of(game: &PgnGame) -> Vec<String> {
    fn all<R: Rules>(start: &Position<R>, moves: &[Move]) -> Vec<String> {
        let mut pos = *start;
        let mut list = vec![board_of(&pos.fen())];
        for &mv in moves {
            pos = pos.after(mv);
            list.push(board_of(&pos.fen()));
        }
        list
    }
    dispatch!(&game.start, start => all(start, &game.moves))
}

/// The first four fields of a FEN.
fn board_of(fen: &str) -> String {
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn epd(entry: &Entry) -> String {
    let mut line = board_of(&entry.position.fen());
    if let Some(best) = entry.moves.first() {
        line += &format!(" bm {};", entry.position.san(best.mv));
    }
    if let Some(name) = &entry.name {
        line += &format!(" id \"{}\";", name.replace('"', "'"));
    }
    line
}

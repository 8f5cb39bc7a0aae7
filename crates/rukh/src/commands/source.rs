//! `rukh source`: games and positions from files and services of many kinds, in one form.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use rukh_core::{Move, Position, Rules, Variant, dispatch};
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::source::{ADAPTERS, Access, Entry, Item, open};

use crate::cli::{Args, CliError, Progress, counted, read_place};
use crate::outln;

pub const SUMMARY: &str = "games and positions from files and services of many kinds";
pub const HELP: &str = "\
usage: rukh source list
       rukh source games <source>...
       rukh source positions <source>...
       rukh source ask <source> [position]

list       the kinds of sources and how to name them
games      the games of sources as PGN, for 'rukh db import --db <dir> -'
positions  the positions of sources as EPD; of games all of them, from the first to the last
ask        what a book, the Lichess explorer or ChessDB knows of a position

A position is a FEN, a code, or moves from the initial position (\"e4 e5 Nf3\" or \"e2e4 e7e5\").

  --online         the network may be used; without it nothing leaves this computer
  --token <t>      for the Lichess explorer (or the variable LICHESS_TOKEN)
  --cache <dir>    keeps answers and downloads; a broken download goes on where it stopped
  --variant <v>    chess (default), chess960 or makruk, for files that do not say it
  --ca-file <pem>  certificates to trust instead of the built-in ones (a proxy's, a service of one's own)

Services are asked at most once in 1.1 seconds.
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let token = args.option("--token")?.or_else(|| std::env::var("LICHESS_TOKEN").ok()).filter(|t| !t.is_empty());
    let access = Access {
        online: args.flag("--online"),
        token,
        cache: args.option("--cache")?.map(PathBuf::from),
        variant: args.parsed::<Variant>("--variant")?.unwrap_or(Variant::Chess),
        certificates: args.option("--ca-file")?.map(PathBuf::from),
        ..Access::default()
    };
    let action: String = args.required("list|games|positions|ask")?;
    match action.as_str() {
        "list" => {
            args.finish()?;
            for adapter in ADAPTERS {
                outln!("{:<18} {}", adapter.name, adapter.usage);
            }
            Ok(())
        }
        "ask" => {
            let what: String = args.required("source")?;
            ask(&what, args.rest()?.as_deref().unwrap_or_default(), &access)
        }
        "games" | "positions" => {
            let mut sources = vec![args.required::<String>("source")?];
            while let Some(more) = args.positional()? {
                sources.push(more);
            }
            stream(&sources, action == "games", &access)
        }
        other => Err(CliError::input("expected list, games, positions or ask", other)),
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
    let mut out = BufWriter::new(std::io::stdout().lock());
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
                    PgnWriter::new(&mut out).write_game(&game)?;
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
    out.flush()?;
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

//! `rukh book`: make, inspect and query opening books.

use std::path::{Path, PathBuf};

use clap::{Arg, Command, ValueHint};
use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Position, Rules, Variant, dispatch};
use rukh_files::OutputFile;
use rukh_pgn::PgnReader;
use rukh_store::book::{self, Book, BookMaker, MakeOptions, write_entries};
use rukh_store::db::Database;

use crate::cli::define::{self, choice, file, files, flag, json, opt, place, variant, word};
use crate::cli::{Args, CliError, Progress, counted, not_an_input, read_place};
use crate::game::random_u64;
use crate::outln;

pub fn command() -> Command {
    define::actions("book", "make, inspect and query opening books")
        .subcommand(
            define::command("make", "a Polyglot book from game files, or from a database of 'rukh db import'")
                .arg(files("games.pgn", "plain or packed; '-' is standard input").required(false))
                .arg(file("out", "BOOK.bin", "the book to write").required(true))
                .arg(file("db", "DIR", "take the games of this database"))
                .arg(opt("plies", "N", "half-moves of each game to take (default 40)"))
                .arg(opt("min-games", "N", "least games of a move (default 3)"))
                .arg(opt("min-elo", "N", "only games whose mean rating is at least N"))
                .arg(choice("color", "C", &["white", "black"], "only moves of 'white' or 'black'"))
                .arg(flag("uniform", "weigh all games alike, not 2 for a win and 1 for a draw"))
                .arg(opt(
                    "within",
                    "N",
                    "only moves that score at most N thousandths of a point less than the best (for games with\n\
                     random openings: what was played often need not be good)",
                )),
        )
        .subcommand(
            define::command("show", "the lines of a book as a tree, with weights")
                .args([book(), place(), variant()])
                .arg(opt("depth", "N", "half-moves to show (default 4)"))
                .arg(opt("least", "N", "hide moves under N per mille of their position (default 20)")),
        )
        .subcommand(
            define::command("probe", "the moves a book knows in a position, and the one it would play")
                .args([book(), place(), variant()])
                .arg(flag("best", "always the heaviest move, not one drawn by weight"))
                .arg(opt("seed", "N", "for a repeatable draw"))
                .arg(json()),
        )
        .after_help("Reads Polyglot (.bin), Arena (.abk) and Amundsen (.bok) books.")
}

fn book() -> Arg {
    word("book", "the book").value_hint(ValueHint::FilePath)
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let defaults = MakeOptions::default();
    let options = MakeOptions {
        plies: args.parsed("--plies")?.unwrap_or(defaults.plies),
        min_games: args.parsed("--min-games")?.unwrap_or(defaults.min_games),
        color: match args.option("--color")?.as_deref() {
            None => None,
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            Some(other) => return Err(CliError::input("--color: expected white or black", other)),
        },
        uniform: args.flag("--uniform"),
        within: args.parsed("--within")?,
    };
    let database = args.path("--db");
    let min_elo: u16 = args.parsed("--min-elo")?.unwrap_or(0);
    let depth: usize = args.parsed("--depth")?.unwrap_or(4);
    let least: u64 = args.parsed("--least")?.unwrap_or(20);
    let best = args.flag("--best");
    let seed: Option<u64> = args.parsed("--seed")?;
    let json = args.flag("--json");
    if action == "make" {
        let out = args.path("--out").unwrap_or_default();
        return make(&args.paths("games.pgn"), database.as_deref(), &out, options, min_elo);
    }
    let book = open(&args.path("book").unwrap_or_default())?;
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let text = args.position()?.unwrap_or_default();
    dispatch!(type R of variant => {
        let pos = read_place::<R>(variant, &text)?;
        if action == "show" { show(&book, &pos, depth, least) } else { probe(&book, &pos, best, seed, json) }
    })
}

fn open(path: &Path) -> Result<Book, CliError> {
    book::open(path).map_err(|e| CliError::new(format!("{}: {e}", path.display())))
}

fn make(
    files: &[PathBuf],
    database: Option<&Path>,
    out: &Path,
    options: MakeOptions,
    min_elo: u16,
) -> Result<(), CliError> {
    if files.is_empty() && database.is_none() {
        return Err(CliError::usage("<games.pgn> or --db <dir> is missing; '-' reads standard input"));
    }
    not_an_input(out, files)?;
    let mut maker = BookMaker::new(options);
    let mut progress = Progress::new("book", None);
    let mut problems = 0u64;
    if let Some(dir) = database {
        let db = Database::<Chess>::open(dir).and_then(Database::whole).map_err(CliError::new)?;
        super::db::each_game(&db, |game| {
            if game.tags.mean_elo().unwrap_or(0) >= min_elo {
                maker.add(game);
            }
            Ok(())
        })?;
    }
    for file in files {
        let mut reader = PgnReader::open(file).map_err(CliError::new)?;
        if min_elo > 0 {
            reader = reader.with_filter(Box::new(move |tags| tags.mean_elo().is_some_and(|elo| elo >= min_elo)));
        }
        while let Some(game) = reader.next_game() {
            match game {
                Ok(game) => maker.add(game),
                Err(e) if e.is_fatal() => return Err(CliError::new(e)),
                Err(e) => {
                    problems += 1;
                    if problems <= 20 {
                        eprintln!("{e}");
                    }
                }
            }
            progress.set(maker.games(), "games");
        }
    }
    progress.finish();
    let games = maker.games();
    let entries = maker.finish();
    // Aside and renamed: an engine may have the old book open.
    let mut sink = OutputFile::create(out)?;
    write_entries(&entries, &mut sink)?;
    sink.commit()?;
    let positions = entries.chunk_by(|a, b| a.key == b.key).count();
    outln!("{}: {} moves of {positions} positions from {games} games", out.display(), entries.len());
    if problems > 0 {
        eprintln!("left out: {}", counted(problems, "broken game"));
    }
    Ok(())
}

fn show<R: Rules>(book: &Book, pos: &Position<R>, depth: usize, least: u64) -> Result<(), CliError> {
    outln!("{} book, {} entries", book.format(), book.len());
    branch(book, pos, depth, least, 0)
}

fn branch<R: Rules>(book: &Book, pos: &Position<R>, depth: usize, least: u64, level: usize) -> Result<(), CliError> {
    // A book with a cycle could be shown for ever; nobody reads more than this.
    if depth == 0 || level >= 60 {
        return Ok(());
    }
    let moves = book.probe(pos);
    let total: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
    for m in &moves {
        let weight = u64::from(m.weight);
        if weight * 1000 < least * total.max(1) {
            continue;
        }
        let share = 100.0 * weight as f64 / total.max(1) as f64;
        outln!("{}{:<7} {weight:>6}  {share:5.1} %", "  ".repeat(level), pos.san(m.mv));
        branch(book, &pos.after(m.mv), depth - 1, least, level + 1)?;
    }
    Ok(())
}

fn probe<R: Rules>(book: &Book, pos: &Position<R>, best: bool, seed: Option<u64>, json: bool) -> Result<(), CliError> {
    let random = seed.map_or_else(random_u64, spread);
    let moves = book.probe(pos);
    let choice = book.choose(pos, best, random);
    let uci = |mv| pos.uci(mv, rukh_core::Notation::Standard);
    let total: u64 = moves.iter().map(|m| u64::from(m.weight)).sum();
    if json {
        outln!("{}", rukh_api::reports::book(pos, &moves, choice));
        return Ok(());
    }
    for m in &moves {
        let share = 100.0 * f64::from(m.weight) / total.max(1) as f64;
        outln!("{:<7} {:<5} {:>6}  {share:5.1} %", pos.san(m.mv), uci(m.mv), m.weight);
    }
    match choice {
        Some(mv) => outln!("plays {}", pos.san(mv)),
        None => outln!("not in the book"),
    }
    Ok(())
}

/// Spreads a small seed over all 64 bits.
fn spread(seed: u64) -> u64 {
    Rng::plain(seed).next_u64()
}

//! `rukh book`: make, inspect and query opening books.

use clap::{Arg, Command, ValueHint};
use rukh_api::reports;
use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Notation, Position, Rules, Variant, dispatch};
use rukh_files::OutputFile;
use rukh_pgn::{PgnReader, Tags};
use rukh_protocol::game::random_u64;
use rukh_store::book::{self, Book, BookMaker, MakeOptions, write_entries};
use rukh_store::db::Database;

use crate::cli::define::{self, choice, file, files, flag, json, opt, place, variant, word};
use crate::cli::{Args, CliError, Problems, Progress, Result, counted, not_an_input, read_place};

pub fn command() -> Command {
    let actions = [
        define::command("make", "make a Polyglot book from PGN files or a database of 'rukh db import'")
            .arg(files("games.pgn", "PGN files, plain or compressed; '-' is standard input").required(false))
            .arg(file("out BOOK.bin", "the book to write").required(true))
            .arg(file("db DIR", "use the games in this database"))
            .arg(opt("plies N", "plies to take from each game (default 40)"))
            .arg(opt("min-games N", "only moves played in at least N games (default 3)"))
            .arg(opt("min-elo N", "only games with an average rating of at least N"))
            .arg(choice("color C", &["white", "black"], "only moves by white or black"))
            .arg(flag("uniform", "give all games the same weight (default: 2 for a win, 1 for a draw)"))
            .arg(opt(
                "within N",
                "only moves that score at most N thousandths of a point less than the best (for games with\n\
                     random openings, where a frequent move need not be a good one)",
            )),
        define::command("show", "show the lines of a book as a tree, with weights")
            .args([book(), place(), variant()])
            .arg(opt("depth N", "plies to show (default 4)"))
            .arg(opt("least N", "hide moves with less than N per mille of the weight in their position (default 20)"))
            .arg(json()),
        define::command("probe", "show the book moves in a position, and pick one")
            .args([book(), place(), variant()])
            .arg(flag("best", "always pick the move with the highest weight (default: random, by weight)"))
            .arg(opt("seed N", "random seed, for a repeatable choice"))
            .arg(json()),
    ];
    define::actions("book", "make, inspect and query opening books")
        .subcommands(actions)
        .after_help("Reads Polyglot (.bin), Arena (.abk) and Amundsen (.bok) books.")
}

fn book() -> Arg {
    word("book", "the book").value_hint(ValueHint::FilePath)
}

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    if action == "make" {
        return make(&args);
    }
    let path = args.path("book").unwrap_or_default();
    let book = book::open(&path).map_err(|e| CliError::new(format!("{}: {e}", path.display())))?;
    let variant: Variant = args.or("--variant", Variant::Chess)?;
    dispatch!(type R of variant => {
        let pos = read_place::<R>(variant, Default::default(), &args.position()?.unwrap_or_default())?;
        let notation = variant.notation();
        if action == "show" { show(&book, &pos, notation, &args) } else { probe(&book, &pos, notation, &args) }
    })
}

fn make(args: &Args) -> Result {
    let (files, out) = (args.inputs("games.pgn")?, args.path("--out").unwrap_or_default());
    let usual = MakeOptions::default();
    let min_games = args.positive("--min-games")?.unwrap_or(usual.min_games);
    let mut maker = BookMaker::new(MakeOptions {
        plies: args.positive("--plies")?.unwrap_or(usual.plies),
        min_games,
        color: args.one_of("--color", &[("white", Color::White), ("black", Color::Black)])?,
        uniform: args.flag("--uniform"),
        within: args.parsed("--within")?,
    });
    let min_elo: u16 = args.or("--min-elo", 0)?;
    let wanted = move |tags: &Tags| tags.mean_elo().unwrap_or(0) >= min_elo;
    if files.is_empty() && args.path("--db").is_none() {
        return Err(CliError::usage("<games.pgn> or --db <dir> is missing; '-' reads standard input"));
    }
    not_an_input(&out, files.iter().chain(&args.path("--db")))?;
    let mut progress = Progress::new("book", None);
    let mut problems = Problems::new(20);
    if let Some(dir) = args.path("--db") {
        let db = Database::<Chess>::open(&dir).and_then(Database::whole)?;
        super::db::each_game(&db, |game| {
            if wanted(&game.tags) {
                maker.add(game);
            }
            Ok(())
        })?;
    }
    for file in &files {
        let mut reader = PgnReader::open(file)?.with_filter(Box::new(wanted));
        while let Some(game) = reader.next_game() {
            match game {
                Ok(game) => maker.add(game),
                Err(e) if e.is_fatal() => return Err(CliError::new(e)),
                Err(e) => problems.add(&e),
            }
            progress.set(maker.games(), "games");
        }
    }
    progress.finish();
    let games = maker.games();
    let entries = maker.finish();
    if entries.is_empty() {
        return Err(CliError::new(format!(
            "no move occurs in at least {} (--min-games; {} read{}), so {} is not written",
            counted(min_games.into(), "game"),
            counted(games, "game"),
            if args.flag("--uniform") { "" } else { ", without those that have no result" },
            out.display()
        )));
    }
    // Aside and renamed: an engine may have the old book open.
    let mut sink = OutputFile::create(&out)?;
    write_entries(&entries, &mut sink)?;
    sink.commit()?;
    let positions = entries.chunk_by(|a, b| a.key == b.key).count();
    let (moves, positions) = (counted(entries.len() as u64, "move"), counted(positions as u64, "position"));
    outln!("{}: {moves} of {positions} from {}", out.display(), counted(games, "game"));
    problems.verdict()
}

/// A book with a cycle could be shown for ever; nobody reads more than this.
const DEEPEST: usize = 60;

fn show<R: Rules>(book: &Book, pos: &Position<R>, notation: Notation, args: &Args) -> Result {
    let (depth, least) = (args.within("--depth", 4, 1..=DEEPEST)?, args.or("--least", 20)?);
    if args.flag("--json") {
        outln!("{}", reports::book_tree(book, pos, notation, depth, least));
        return Ok(());
    }
    outln!("{} book, {}", book.format(), counted(book.len() as u64, "entry"));
    branch(book, pos, depth, least, 0)
}

fn branch<R: Rules>(book: &Book, pos: &Position<R>, depth: usize, least: u64, level: usize) -> Result {
    if depth == 0 {
        return Ok(());
    }
    for (mv, weight, share) in book.main_moves(pos, least) {
        outln!("{}{:<7} {weight:>6}  {share:5.1} %", "  ".repeat(level), pos.san(mv));
        branch(book, &pos.after(mv), depth - 1, least, level + 1)?;
    }
    Ok(())
}

fn probe<R: Rules>(book: &Book, pos: &Position<R>, notation: Notation, args: &Args) -> Result {
    // A small seed is spread over all 64 bits.
    let random = args.parsed("--seed")?.map_or_else(random_u64, |seed| Rng::plain(seed).next_u64());
    let moves = book.probe(pos);
    let choice = book.choose(pos, args.flag("--best"), random);
    if args.flag("--json") {
        outln!("{}", reports::book(pos, notation, &moves, choice));
        return Ok(());
    }
    for (mv, weight, share) in book.main_moves(pos, 0) {
        outln!("{:<7} {:<5} {weight:>6}  {share:5.1} %", pos.san(mv), pos.uci(mv, notation));
    }
    match choice {
        Some(mv) => outln!("plays {}", pos.san(mv)),
        None => outln!("not in the book"),
    }
    Ok(())
}

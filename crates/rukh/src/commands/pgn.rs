//! `rukh pgn`: look at, check and clean game files, choose among games.

mod select;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Command;
use rukh_api::reports;
use rukh_core::Writing;
use rukh_files::{OutputFile, same_file};
use rukh_pgn::{Packed, PgnGame, PgnReader, PgnWriter, Reason, Totals, TreeReader};

use crate::cli::define::{self, file, files, flag, json, opt};
use crate::cli::{Args, CliError, Problems, Progress, counted};
use crate::outln;

pub fn command() -> Command {
    let input = || files("file", "plain or packed (.zst, .gz, .bz2); '-' is standard input");
    let errors = || opt("max-errors", "N", "show at most N problems (default 20, 0 for all)");
    define::actions("pgn", "count, check and clean game files; filter, join, split, sort, dedupe, sample")
        .subcommand(define::command("stats", "games, half-moves, results, length, ratings, years").args([
            input(),
            json(),
            errors(),
        ]))
        .subcommand(
            define::command("check", "replay every game and list what is wrong: file, line, reason")
                .args([input(), errors()]),
        )
        .subcommand(
            define::command("clean", "rewrite the good games: 80 columns, UTF-8, proper notation")
                .arg(input())
                .arg(flag("main-line", "without variations and comments"))
                .arg(define::notation())
                .arg(file(
                    "out",
                    "FILE",
                    "write there instead of standard output, packed if it is called .zst, .gz or .bz2;\n\
                     it may be one of the files that are read, if these have no problems",
                ))
                .arg(errors()),
        )
        .subcommands(select::commands())
        .after_help("Speed goes to stderr. The exit status is 1 when a game was broken or a file could not be read.")
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let json = args.flag("--json");
    let main_line = args.flag("--main-line");
    let out: Option<PathBuf> = args.path("--out");
    let max_errors: Option<u64> = args.parsed("--max-errors")?;
    let writing: Writing = args.parsed("--notation")?.unwrap_or_default();
    let files = args.paths("file");
    let mut problems = Problems::new(max_errors.unwrap_or(20));
    match action {
        "stats" => stats(&files, json, &mut problems)?,
        "check" => check(&files, &mut problems)?,
        "clean" => clean(&files, main_line, writing, out.as_deref(), &mut problems)?,
        action => select::run(action, &args, &mut problems)?,
    }
    problems.verdict()
}

/// Shows the main line of every game of a file; what is wrong with the others is noted.
fn each_game(
    file: &Path,
    problems: &mut Problems,
    mut visit: impl FnMut(&PgnGame, &mut Problems) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut reader = match PgnReader::open(file) {
        Ok(reader) => reader,
        Err(error) => {
            problems.add(&error);
            return Ok(());
        }
    };
    while let Some(game) = reader.next_game() {
        match game {
            Ok(game) => visit(game, problems)?,
            Err(error) => problems.add(&error),
        }
        reader.take_notes().iter().for_each(|note| problems.add(note));
    }
    Ok(())
}

/// Reads the main lines of all files.
fn read(files: &[PathBuf], problems: &mut Problems) -> Totals {
    let mut totals = Totals::default();
    let start = Instant::now();
    let mut progress = Progress::new("pgn", None);
    for file in files {
        // Whatever a visitor does here succeeds.
        let _ = each_game(file, problems, |game, _| {
            totals.add(game);
            if totals.games.is_multiple_of(256) {
                progress.set(totals.games, "games");
            }
            Ok(())
        });
    }
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{} games, {} plies in {seconds:.2} s: {:.2} M plies/s",
        totals.games,
        totals.plies,
        totals.plies as f64 / seconds.max(1e-9) / 1e6
    );
    totals
}

fn stats(files: &[PathBuf], json: bool, problems: &mut Problems) -> Result<(), CliError> {
    let t = read(files, problems);
    if json {
        outln!("{}", reports::pgn(&t, problems.count()));
        return Ok(());
    }
    let share = |n: u64| 100.0 * n as f64 / t.games.max(1) as f64;
    outln!("games       {:>12}", t.games);
    outln!("half-moves  {:>12}   mean {:.1}, longest {}", t.plies, t.plies as f64 / t.games.max(1) as f64, t.longest);
    for (name, count) in [("1-0", t.white), ("1/2-1/2", t.draws), ("0-1", t.black), ("no result", t.unknown)] {
        outln!("{name:<11} {count:>12}   {:5.1} %", share(count));
    }
    if let Some(rating) = t.mean_rating() {
        outln!("rated       {:>12}   mean {rating}", t.rated);
    }
    if let Some((first, last)) = t.years {
        outln!("years       {:>12}", format!("{first}–{last}"));
    }
    outln!("problems    {:>12}", problems.count());
    Ok(())
}

fn check(files: &[PathBuf], problems: &mut Problems) -> Result<(), CliError> {
    let t = read(files, problems);
    outln!("{}, {}", counted(t.games, "good game"), counted(problems.count(), "problem"));
    Ok(())
}

fn clean(
    files: &[PathBuf],
    main_line: bool,
    writing: Writing,
    out: Option<&Path>,
    problems: &mut Problems,
) -> Result<(), CliError> {
    let sink = Packed::new(out.unwrap_or("-".as_ref()), OutputFile::create_or_stdout(out)?)?;
    let mut writer = PgnWriter::standard(sink).with_writing(writing);
    for file in files {
        if main_line {
            each_game(file, problems, |game, problems| written(writer.write_game(game), file, problems))?;
        } else {
            match TreeReader::open(file) {
                Ok(mut reader) => {
                    while let Some(tree) = reader.next() {
                        match tree {
                            Ok(tree) => written(writer.write_tree(&tree), file, problems)?,
                            Err(e) => problems.add(&e),
                        }
                        reader.take_notes().iter().for_each(|note| problems.add(note));
                    }
                }
                Err(e) => problems.add(&e),
            }
        }
    }
    let whole = writer.finish()?.finish()?;
    not_in_place(out, files, problems)?;
    whole.commit()?;
    Ok(())
}

/// What could not be read would be gone with the file that it is in.
fn not_in_place(out: Option<&Path>, files: &[PathBuf], problems: &Problems) -> Result<(), CliError> {
    let replaced = out.filter(|out| problems.count() > 0 && files.iter().any(|file| same_file(out, file)));
    replaced.map_or(Ok(()), |out| {
        let (out, problems) = (out.display(), counted(problems.count(), "problem"));
        Err(CliError::new(format!("{problems}: {out} is left as it is; write to another file to have the rest")))
    })
}

/// A game that would be too large to be read again is a problem of that game; any other error is one of the output.
fn written(result: std::io::Result<()>, file: &Path, problems: &mut Problems) -> Result<(), CliError> {
    match result {
        Err(error) if error.get_ref().is_some_and(|inner| inner.is::<Reason>()) => {
            problems.add(format_args!("{}: {error}", file.display()));
            Ok(())
        }
        other => Ok(other?),
    }
}

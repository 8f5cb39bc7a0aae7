//! `rukh pgn`: look at, check and clean game files, choose among games.

mod select;

pub use select::RESULTS;

use std::time::Instant;

use clap::{Arg, Command};
use rukh_api::reports;
use rukh_pgn::select::{Shown, each_game};
use rukh_pgn::{PgnError, Totals};

use crate::cli::define::{self, file, files, flag, json, opt};
use crate::cli::{Args, Problems, Progress, Result, counted, percent};

fn input() -> Arg {
    files("file", "PGN files, plain or compressed (.zst, .gz, .bz2); '-' is standard input")
}

fn errors() -> Arg {
    opt("max-errors N", "show at most N errors (default 20, 0 for all)")
}

fn main_line() -> Arg {
    flag("main-line", "without variations and comments")
}

pub fn command() -> Command {
    let actions = [
        define::command("stats", "count games and plies; results, lengths, ratings, years").args([
            input(),
            json(),
            errors(),
        ]),
        define::command("check", "replay every game and list the errors with file, line and reason").args([
            input(),
            json(),
            errors(),
        ]),
        define::command("clean", "rewrite the valid games: 80 columns, UTF-8, standard notation")
            .arg(input())
            .arg(main_line())
            .arg(define::notation())
            .arg(file(
                "out FILE",
                "output file (default: standard output), compressed if it ends in .zst, .gz or .bz2;\n\
                     may be one of the input files if they have no errors",
            ))
            .arg(errors()),
    ];
    define::actions("pgn", "check, clean, filter, join, split, sort, dedupe and sample PGN files")
        .subcommands(actions)
        .subcommands(select::commands())
        .after_help(
            "The speed is printed on stderr. The exit status is 1 if a game was broken or a file could not be read.",
        )
}

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let mut problems = Problems::new(args.or("--max-errors", 20)?);
    match action {
        "stats" => stats(&args, &mut problems)?,
        "check" => check(&args, &mut problems)?,
        action => select::run(action, &args, &mut problems)?,
    }
    problems.verdict()
}

/// Reads the main lines of all files.
fn read(args: &Args, problems: &mut Problems, mut shown: impl FnMut(PgnError)) -> Totals {
    let mut totals = Totals::default();
    let start = Instant::now();
    let mut progress = Progress::new("pgn", None);
    for file in args.paths("file") {
        let Ok(()) = each_game(&file, true, Box::new(|_| true), |game| {
            match game {
                Ok(Shown::Line(game)) => totals.add(game),
                Ok(Shown::Tree(_)) => {}
                Err(problem) => {
                    let show = problems.shows_another();
                    problems.add(&problem);
                    if show {
                        shown(problem);
                    }
                }
            }
            if totals.games.is_multiple_of(256) {
                progress.set(totals.games, "games");
            }
            Ok::<(), std::convert::Infallible>(())
        });
    }
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    errln!(
        "{}, {} in {seconds:.2} s: {:.2} million a second",
        counted(totals.games, "game"),
        counted(totals.plies, "half-move"),
        totals.plies as f64 / seconds.max(1e-9) / 1e6
    );
    totals
}

fn check(args: &Args, problems: &mut Problems) -> Result {
    let (json, mut shown) = (args.flag("--json"), Vec::new());
    let t = read(args, problems, |problem| {
        if json {
            shown.push(problem)
        }
    });
    if json {
        outln!("{}", reports::checked(t.games, problems.count(), &shown));
    } else {
        outln!("{}, {}", counted(t.games, "good game"), counted(problems.count(), "problem"));
    }
    Ok(())
}

fn stats(args: &Args, problems: &mut Problems) -> Result {
    let t = read(args, problems, |_| ());
    if args.flag("--json") {
        outln!("{}", reports::pgn(&t, problems.count()));
        return Ok(());
    }
    outln!("games       {:>12}", t.games);
    outln!("half-moves  {:>12}   mean {:.1}, longest {}", t.plies, t.plies as f64 / t.games.max(1) as f64, t.longest);
    for (name, count) in [("1-0", t.white), ("1/2-1/2", t.draws), ("0-1", t.black), ("no result", t.unknown)] {
        outln!("{name:<11} {count:>12}   {:5.1} %", percent(count, t.games));
    }
    if let Some(rating) = t.mean_rating() {
        outln!("rated       {:>12}   mean {rating}", t.rated);
    }
    if let Some((first, last)) = t.years {
        let years = if first == last { first.to_string() } else { format!("{first}–{last}") };
        outln!("years       {years:>12}");
    }
    outln!("problems    {:>12}", problems.count());
    Ok(())
}

//! `rukh pgn filter`, `join`, `split`, `sort`, `dedupe` and `sample`: arguments and files of [`rukh_pgn::select`].

use clap::{Arg, Command};
use rukh_core::{AnyPosition, Variant};
use rukh_pgn::GameResult;
use rukh_pgn::select::{Facts, Filter, Same, Selection, Sift, Target, Told};
use rukh_store::openings::openings;

use super::{errors, input, main_line};
use crate::cli::define::{self, choice, file, flag, many, opt};
use crate::cli::{Args, CliError, Problems, Progress, Result, counted, read_game};

pub fn commands() -> [Command; 6] {
    let split_by =
        opt("by WHAT", "a number of games per file, or year, white, black, event, site, round, eco, result or a tag");
    let sort_by = "date, elo, plies, white, black, event, site, round, eco, result or tags, such as 'date,round'";
    let sort_by = opt("by KEYS", sort_by);
    let same = "game (default): same players, result and moves; moves: same moves only";
    let same = choice("by WHAT", &["game", "moves"], same);
    let sample = [opt("count N", "number of games to pick").required(true), opt("seed N", "random seed (default 1)")];
    [
        command("filter", "write the games that match the filters", &[]),
        command("join", "join the games of several files into one", &[]),
        command("split", "split games into several files", &[split_by.required(true)]),
        command("sort", "sort games (they must fit into memory)", &[sort_by.required(true)]),
        command("dedupe", "remove duplicate games", &[same]),
        command("sample", "pick games at random, keeping their order", &sample),
    ]
}

/// An action with options of its own, and those that all of them have.
fn command(name: &'static str, about: &'static str, own: &[Arg]) -> Command {
    let out = match name {
        "split" => file("out FOLDER", "output folder; existing files are not overwritten").required(true),
        _ => file(
            "out FILE",
            "output file (default: standard output), compressed if it ends in .zst, .gz or .bz2;\n\
             may be one of the input files if they have no errors",
        ),
    };
    define::command(name, about)
        .args(own)
        .args([input(), out, main_line()])
        .arg(flag("reverse", "in reverse order"))
        .args([define::notation(), errors()])
        .next_help_heading("Filters (a game must match all of them)")
        .arg(opt("player NAME", "either player; part of the name is enough, upper or lower case"))
        .arg(opt("white NAME", "the player with White"))
        .arg(opt("black NAME", "the player with Black"))
        .arg(many("tag NAME=TEXT", "any tag containing this text; may be repeated"))
        .arg(opt("min-elo N", "minimum average rating"))
        .arg(opt("max-elo N", "maximum average rating"))
        .arg(choice("result R", &["1-0", "0-1", "1/2-1/2", "*"], "1-0, 0-1, 1/2-1/2 or *"))
        .arg(opt("since DATE", "earliest date: 2024, 2024.05 or 2024.05.31"))
        .arg(opt("until DATE", "latest date"))
        .arg(opt("eco CLASSES", "ECO code: B33, B or B20-B99; looked up for games without the tag"))
        .arg(define::variant().help("chess, chess960 or makruk (default: all)"))
        .arg(opt("min-ply N", "at least N plies"))
        .arg(opt("max-ply N", "at most N plies"))
        .arg(opt("material MEN", "a position with exactly this material, either colour: KRPKR"))
        .arg(opt("position POSITION", "this position: a FEN, startpos or a code"))
        .arg(opt(
            "pattern BOARD",
            "board pattern written like a FEN: ? is any square, A and a any white or black piece,\n\
             ! any piece, * the rest of a rank: '*/*/*/*/*/??N*'",
        ))
        .after_help(
            "Writes standard PGN: the Seven Tag Roster first, SetUp along with FEN, adjacent comments merged. Actions can be\n\
             piped: rukh pgn filter --player Tal g.pgn | rukh pgn sort --by date -",
        )
}

/// The results of games.
pub const RESULTS: [GameResult; 4] = [GameResult::White, GameResult::Black, GameResult::Draw, GameResult::Unknown];

fn filter(args: &Args) -> Result<Filter> {
    let variant: Option<Variant> = args.parsed("--variant")?;
    let tag = |text: String| match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(CliError::input("--tag: expected NAME=TEXT", &text)),
    };
    let place = args.option("--position")?;
    let place = place.map(|text| read_game(variant.unwrap_or(Variant::Chess), &text)).transpose()?;
    Ok(Filter {
        player: args.option("--player")?,
        white: args.option("--white")?,
        black: args.option("--black")?,
        tags: args.options("--tag")?.into_iter().map(tag).collect::<Result<_, _>>()?,
        min_elo: args.parsed("--min-elo")?,
        max_elo: args.parsed("--max-elo")?,
        result: args.one_of("--result", &RESULTS.map(|result| (result.as_str(), result)))?,
        since: args.date("--since", 0)?,
        until: args.date("--until", u8::MAX)?,
        eco: args.parsed("--eco")?,
        variant,
        min_plies: args.parsed("--min-ply")?,
        max_plies: args.parsed("--max-ply")?,
        material: args.parsed("--material")?,
        position: place.map(|game| game.position()),
        pattern: args.parsed("--pattern")?,
    })
}

fn selection(action: &str, args: &Args) -> Result<Selection> {
    let mut selection = Selection { reverse: args.flag("--reverse"), ..Selection::default() };
    match action {
        "sort" => {
            for key in args.option("--by")?.unwrap_or_default().split(',') {
                let key = key.parse().map_err(|error| CliError::input(format!("--by: {error}"), key))?;
                selection.sort.push(key);
            }
        }
        "dedupe" => selection.dedupe = Some(args.or("--by", Same::Game)?),
        "sample" => selection.sample = Some((args.positive("--count")?.unwrap_or(1), args.or("--seed", 1)?)),
        _ => {}
    }
    Ok(selection)
}

/// `rukh pgn clean` is the same without a choice, and in silence.
pub fn run(action: &str, args: &Args, problems: &mut Problems) -> Result {
    let (out, summary) = (args.path("--out"), action != "clean");
    let sift = Sift {
        filter: filter(args)?,
        selection: selection(action, args)?,
        main_line: args.flag("--main-line"),
        writing: args.parsed("--notation")?.unwrap_or_default(),
        class,
    };
    let target = match action {
        "split" => Target::folder(out.clone().unwrap_or_default(), args.required("--by")?)?,
        _ => Target::file(out.as_deref())?,
    };
    let mut progress = Progress::new("pgn", None);
    let done = sift.run(&args.paths("file"), target, |told| match told {
        Told::Read(games) if summary => progress.set(games, "games"),
        Told::Read(_) => {}
        Told::Problem(problem) => problems.add(problem),
    })?;
    let (games, seconds) = (counted(done.written, "game"), progress.elapsed().as_secs_f64());
    progress.finish();
    if let (Some(files), Some(folder)) = (done.files, out) {
        errln!("{games} in {} in {}", counted(files, "file"), folder.display());
    }
    let dropped = match done.duplicates {
        0 => String::new(),
        n => format!(", {} dropped", counted(n, "duplicate")),
    };
    if summary {
        errln!("{} of {} written{dropped}, {seconds:.2} s", done.written, counted(done.read, "game"));
    }
    Ok(())
}

/// The class of an opening that the game itself does not name.
fn class(game: &Facts<'_>) -> Option<String> {
    let AnyPosition::Chess(start) = game.start else { return None };
    openings().classify(start, &game.moves).map(|opening| opening.eco())
}

//! `rukh pgn`: look at, check and clean game files.

use std::path::{Path, PathBuf};
use std::time::Instant;

use rukh_core::Writing;
use rukh_files::OutputFile;
use rukh_pgn::{GameResult, Packed, PgnGame, PgnReader, PgnWriter, Reason, TreeReader};

use crate::cli::{Args, CliError, Problems, Progress, counted};
use crate::outln;

pub const SUMMARY: &str = "count, check or clean game files";
pub const HELP: &str = "\
usage: rukh pgn stats [--json] <file>...
       rukh pgn check [--max-errors <n>] <file>...
       rukh pgn clean [--main-line] [--notation <n>] [--out <file>] <file>...

Files may be plain or packed (.zst, .gz, .bz2); '-' is standard input.

stats   games, half-moves, results, length, ratings, years
check   replays every game and lists what is wrong: file, line, reason
clean   writes the good games anew: 80 columns, UTF-8, proper notation

  --json            one JSON object
  --max-errors <n>  show at most n problems (default 20, 0 for all)
  --main-line       without variations and comments
  --notation <n>    moves as san (default), lan, and for Makruk thai or thai-lan (which `rukh` reads too)
  --out <file>      write there instead of standard output, packed if it is called .zst, .gz or .bz2;
                    it may be one of the files that are read

Speed goes to stderr. The exit status is 1 when a game was broken or a file could not be read.
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let json = args.flag("--json");
    let main_line = args.flag("--main-line");
    let out: Option<PathBuf> = args.option("--out")?.map(PathBuf::from);
    let max_errors: Option<u64> = args.parsed("--max-errors")?;
    let writing: Writing = args.parsed("--notation")?.unwrap_or_default();
    let action: String = args.required("stats|check|clean")?;
    let mut files = Vec::new();
    while let Some(file) = args.positional()? {
        files.push(PathBuf::from(file));
    }
    if files.is_empty() {
        return Err(CliError::usage("<file> is missing; '-' reads standard input"));
    }
    let mut problems = Problems::new(max_errors.unwrap_or(20));
    match action.as_str() {
        "stats" => stats(&files, json, &mut problems)?,
        "check" => check(&files, &mut problems)?,
        "clean" => clean(&files, main_line, writing, out.as_deref(), &mut problems)?,
        other => return Err(CliError::input("expected stats, check or clean", other)),
    }
    problems.verdict()
}

#[derive(Default)]
struct Totals {
    games: u64,
    plies: u64,
    longest: usize,
    /// White, Black, draw, unknown.
    results: [u64; 4],
    unfinished: u64,
    rated: u64,
    rating_sum: u64,
    years: Option<(u16, u16)>,
}

impl Totals {
    fn add(&mut self, game: &PgnGame) {
        self.games += 1;
        self.plies += game.moves.len() as u64;
        self.longest = self.longest.max(game.moves.len());
        self.results[match game.result {
            GameResult::White => 0,
            GameResult::Black => 1,
            GameResult::Draw => 2,
            GameResult::Unknown => 3,
        }] += 1;
        self.unfinished += u64::from(!game.terminated);
        if let Some(elo) = game.tags.mean_elo() {
            self.rated += 1;
            self.rating_sum += u64::from(elo);
        }
        if let Some((year, ..)) = game.tags.date() {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }
}

/// Reads the main lines of all files.
fn read(files: &[PathBuf], problems: &mut Problems) -> Totals {
    let mut totals = Totals::default();
    let start = Instant::now();
    let mut progress = Progress::new("pgn", None);
    for file in files {
        let mut reader = match PgnReader::open(file) {
            Ok(reader) => reader,
            Err(e) => {
                problems.add(&e);
                continue;
            }
        };
        while let Some(game) = reader.next_game() {
            let game = match game {
                Ok(game) => game,
                Err(e) => {
                    problems.add(&e);
                    continue;
                }
            };
            totals.add(game);
            if totals.games.is_multiple_of(256) {
                progress.set(totals.games, "games");
            }
            reader.take_notes().iter().for_each(|note| problems.add(note));
        }
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
    let [white, black, draws, unknown] = t.results;
    let mean_rating = t.rating_sum.checked_div(t.rated);
    if json {
        let years = t.years.map_or("null".into(), |(a, b)| format!("[{a}, {b}]"));
        let rating = mean_rating.map_or("null".into(), |r| r.to_string());
        outln!(
            "{{\"games\": {}, \"plies\": {}, \"longest\": {}, \"white\": {white}, \"draws\": {draws}, \"black\": {black}, \
             \"unknown\": {unknown}, \"no_result_token\": {}, \"rated\": {}, \"mean_rating\": {rating}, \"years\": {years}, \
             \"problems\": {}}}",
            t.games,
            t.plies,
            t.longest,
            t.unfinished,
            t.rated,
            problems.count()
        );
        return Ok(());
    }
    let share = |n: u64| 100.0 * n as f64 / t.games.max(1) as f64;
    outln!("games       {:>12}", t.games);
    outln!("half-moves  {:>12}   mean {:.1}, longest {}", t.plies, t.plies as f64 / t.games.max(1) as f64, t.longest);
    outln!("1-0         {white:>12}   {:5.1} %", share(white));
    outln!("1/2-1/2     {draws:>12}   {:5.1} %", share(draws));
    outln!("0-1         {black:>12}   {:5.1} %", share(black));
    outln!("no result   {unknown:>12}   {:5.1} %", share(unknown));
    if let Some(rating) = mean_rating {
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
    let mut writer = PgnWriter::new(sink).with_writing(writing);
    for file in files {
        if main_line {
            let mut reader = match PgnReader::open(file) {
                Ok(reader) => reader,
                Err(e) => {
                    problems.add(&e);
                    continue;
                }
            };
            while let Some(game) = reader.next_game() {
                match game {
                    Ok(game) => written(writer.write_game(game), file, problems)?,
                    Err(e) => problems.add(&e),
                }
                reader.take_notes().iter().for_each(|note| problems.add(note));
            }
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
    writer.finish()?.finish()?.commit()?;
    Ok(())
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

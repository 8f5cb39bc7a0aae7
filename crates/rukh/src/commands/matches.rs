//! `rukh match`: reads the command line, plays the match, prints and writes the results.

mod extras;
mod learn;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Command;
use rukh_arena::adjudicate::{DrawRule, ResignRule, Rules};
use rukh_arena::course::{Course, SPRT_GAMES};
use rukh_arena::fake::{self, Fault};
use rukh_arena::game::Record;
use rukh_arena::journal::{Journal, Played};
use rukh_arena::limits::EngineLimits;
use rukh_arena::log::Log;
use rukh_arena::openings::{self, Book};
use rukh_arena::process::Patience;
use rukh_arena::runner::{self, Plan};
use rukh_arena::schedule::{Format, Job, Schedule};
use rukh_arena::spec::{self, EngineSpec};
use rukh_arena::stats::Sprt;
use rukh_arena::{pgn, roster, selftest, spelling};
use rukh_core::Variant;
use rukh_pgn::AppendFile;

use crate::cli::define::{self, choice, file, flag, many, opt, variant};
use crate::cli::{Args, CliError, Result, counted, each_its_own, printable};

pub fn command() -> Command {
    let heading = Command::next_help_heading;
    let command = define::command("match", "play UCI engines against each other and measure the difference");
    let command = heading(command, "Engines")
        .arg(many(
            "engine SPEC",
            "'cmd=PATH [args=\"…\"] [dir=…] [name=…] [option.NAME=VALUE …] [LIMIT] [timemargin=MS]\n\
             [restart=on]'; quote words with spaces; '_' in an option's name stands for a space",
        ))
        .arg(many("each SPEC", "settings for every engine; an engine's own settings take precedence"));
    let command = heading(command, "Limits, here or in a SPEC")
        .arg(opt("tc [N/]S[+I]", "S seconds (M:S) for the game or for N moves, plus I per move: 8+0.08, 40/10+0.1"))
        .arg(opt("nodes N", "nodes per move"))
        .arg(opt("depth N", "depth per move"))
        .arg(opt("movetime MS", "time per move"));
    let command = heading(command, "Match")
        .arg(variant())
        .arg(opt("games N", "games per pairing, rounded up to pairs (default 100; no limit with --sprt)"))
        .arg(opt("concurrency N", "games played at the same time (default 1)"))
        .arg(flag("gauntlet", "the first engine plays all others (default: round robin)"))
        .arg(file(
            "openings FILE",
            "one FEN, EPD or move list per line, or PGN (compressed too); default: random moves",
        ))
        .arg(opt(
            "plies N",
            "opening length in plies: random moves (default 8), or moves from each PGN game (default all)",
        ))
        .arg(choice("order O", &["random", "sequential"], "random (default) or sequential"))
        .arg(opt("start N", "start with the Nth opening"))
        .arg(opt("seed N", "random seed; it is printed, so that you can repeat a match"))
        .arg(opt(
            "sprt SPEC",
            "'elo0=0 elo1=5 alpha=0.05 beta=0.05 [model=normalised]': stop when decided (pentanomial)",
        ));
    let command = heading(command, "Adjudication")
        .arg(opt("resign SPEC", "'moves=3 score=800 [twosided=1]'"))
        .arg(opt("draw SPEC", "'movenumber=40 movecount=8 score=8'"))
        .arg(opt("max-moves N", "declare a draw after N moves"))
        .arg(file("syzygy PATH", "adjudicate games with these tablebases (after a capture or pawn move)"));
    let command = heading(command, "Timeouts")
        .arg(opt("timemargin MS", "how far an engine may overstep its time (default 10)"))
        .arg(opt(
            "grace MS",
            "how long to wait for a move after time is up before the engine counts as hung (default 5000)",
        ))
        .arg(opt("stall S", "maximum time per move without a clock (default 120)"))
        .arg(opt("start-timeout S", "maximum time from start to uciok, and from isready to readyok (default 10)"));
    heading(command, "Output")
        .arg(file("state FILE", "store the results here; after an interruption, the same command resumes the match"))
        .arg(file("pgn FILE", "append every game to this PGN file"))
        .arg(opt("event NAME", "the Event tag of the games"))
        .arg(file(
            "learn-file FILE",
            "add what the engines found (position, depth, score, move) to this table of 'rukh learn'",
        ))
        .arg(
            file("json FILE", "results as JSON on stdout (everything else then goes to stderr), or in a file")
                .num_args(0..=1)
                .default_missing_value("-"),
        )
        .arg(file("html FILE", "web page with results and plots, updated every few seconds"))
        .arg(file("log FILE", "append all UCI traffic to this file"))
        .arg(opt("status N", "print the score every N games (default 10; 0 for never)"))
        .arg(flag("quiet", "no line per game"))
        .arg(flag("strict", "exit status 1 if any engine failed"))
        .arg(flag("selftest", "test the runner with fake engines that fail in known ways"))
        .arg(opt("fake-engine FAULT", "be one of them").hide(true))
        .after_help(
            "Plays every opening twice with reversed colours and prints Elo with 95 % bounds. An engine that crashes, hangs,\n\
             makes an illegal move or runs out of time loses that game and is restarted. Command lines of cutechess-cli and\n\
             fastchess (-engine cmd=… -each tc=… -rounds N …) work too.",
        )
}

/// Raised by Ctrl-C or a request to terminate.
static STOP: AtomicBool = AtomicBool::new(false);

/// Games per pairing when neither `--games` nor `--sprt` is given.
const GAMES: usize = 100;

/// The page is written this often while games are played.
const REDRAW: Duration = Duration::from_secs(5);

/// How results are shown.
struct Output {
    status: usize,
    quiet: bool,
    strict: bool,
    pgn: Option<AppendFile>,
    learn: Option<learn::Table>,
    event: String,
    json: Option<PathBuf>,
    html: Option<PathBuf>,
    journal: Option<Journal>,
}

/// Everything that the command line says.
struct Asked {
    plan: Plan,
    output: Output,
    sprt: Option<Sprt>,
    seed: u64,
    /// Games of an earlier run.
    played: Played,
}

pub fn run(args: Args) -> Result {
    if let Some(fault) = args.parsed::<Fault>("--fake-engine")? {
        return Ok(fake::run(fault, std::io::stdin().lock(), std::io::stdout())?);
    }
    if args.flag("--selftest") {
        return run_selftest();
    }
    let mut asked = read_arguments(&args)?;
    catch_signals();
    let plan = &mut asked.plan;
    let found = roster::inspect(&plan.engines, plan.variant, plan.patience, &STOP).map_err(CliError::new)?;
    for remark in found.remarks {
        errln!("rukh: {remark}");
    }
    plan.names = found.names;
    play(asked)
}

fn run_selftest() -> Result {
    catch_signals();
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or_else(|| CliError::new("the path of this program is not valid Unicode"))?;
    let mut lines = Vec::new();
    let result = selftest::run(program, &STOP, |line| lines.push(line));
    for line in lines {
        outln!("{line}");
    }
    result.map_err(CliError::new)
}

/// The words of other match runners in ours.
pub fn translated(words: Vec<OsString>) -> Result<Vec<OsString>> {
    let text: Option<Vec<String>> = words[1..].iter().map(|word| word.to_str().map(str::to_owned)).collect();
    match text {
        Some(text) if words[0] == "match" && spelling::is_foreign(&text) => {
            let ours = spelling::translated(&text).map_err(CliError::usage)?;
            Ok(std::iter::once("match".to_owned()).chain(ours).map(OsString::from).collect())
        }
        _ => Ok(words),
    }
}

/// First Ctrl-C: drop the games under way and print the results. Another one later: leave at once. `timeout` and shells send
/// the same signal to the process and to its group: what comes within half a second is the first one again.
fn catch_signals() {
    let mut first: Option<Instant> = None;
    let caught = ctrlc::set_handler(move || {
        STOP.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > Duration::from_millis(500) {
            std::process::exit(130);
        }
    });
    if let Err(error) = caught {
        errln!("rukh: Ctrl-C will not print results: {error}");
    }
}

fn read_arguments(args: &Args) -> Result<Asked> {
    let usage = |what: &'static str| move |error: String| CliError::usage(format!("{what}: {error}"));
    let mut common = EngineLimits::default();
    for key in ["tc", "nodes", "depth", "movetime"] {
        if let Some(value) = args.option(&format!("--{key}"))? {
            common.set(key, &value).map_err(|error| CliError::input(format!("--{key}: {error}"), &value))?;
        }
    }
    let each = args.options("--each")?.join(" ");
    let engines = spec::opponents(&args.options("--engine")?, &each, common).map_err(CliError::usage)?;
    let variant = args.or("--variant", Variant::Chess)?;
    let sprt = args.option("--sprt")?.map(|text| Sprt::parse(&text)).transpose().map_err(usage("--sprt"))?;
    if sprt.is_some() && engines.len() > 2 {
        return Err(CliError::usage("--sprt compares two engines, not more"));
    }
    let games = args.positive("--games")?.unwrap_or(if sprt.is_some() { SPRT_GAMES } else { GAMES });
    let concurrency = args.positive("--concurrency")?.unwrap_or(1);
    let format = if args.flag("--gauntlet") { Format::Gauntlet } else { Format::RoundRobin };
    let schedule = Schedule::new(engines.len(), format, games);
    let rules = Rules {
        resign: args.option("--resign")?.map(|text| ResignRule::parse(&text)).transpose().map_err(usage("--resign"))?,
        draw: args.option("--draw")?.map(|text| DrawRule::parse(&text)).transpose().map_err(usage("--draw"))?,
        max_moves: args.positive("--max-moves")?,
    };
    let patience = Patience {
        start: Duration::from_secs(args.positive("--start-timeout")?.unwrap_or(10u32).into()),
        stall: Duration::from_secs(args.positive("--stall")?.unwrap_or(120u32).into()),
        grace: Duration::from_millis(args.or("--grace", 5000u32)?.into()),
    };
    let time_margin = args.or("--timemargin", 10u32)?.into();
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let state = args.path("--state");
    // A match that is gone on with has its seed already.
    let known = state.as_deref().and_then(Journal::seed_of);
    let seed = args.parsed("--seed")?.or(known).unwrap_or(clock % 1_000_000_007);
    let book = read_book(args, variant, seed, schedule.rounds())?;
    let mut output = Output {
        status: args.or("--status", 10)?,
        quiet: args.flag("--quiet"),
        strict: args.flag("--strict"),
        pgn: None,
        learn: None,
        event: args.or("--event", "rukh match".to_owned())?,
        json: args.path("--json"),
        html: args.path("--html"),
        journal: None,
    };
    // Files last: a mistake elsewhere in the line leaves none behind.
    let at = |path: &Path, error: std::io::Error| CliError::input(error, &path.to_string_lossy());
    // No file may be two things at once: the report would replace the games.
    each_its_own(args, &["--openings", "--pgn", "--log", "--json", "--learn-file", "--html", "--state"])?;
    output.learn = args.path("--learn-file").map(|path| learn::Table::open(variant, &path)).transpose()?;
    output.pgn = args.path("--pgn").map(|path| AppendFile::open(&path).map_err(|e| at(&path, e))).transpose()?;
    let log = args.path("--log").map(|path| Log::append(&path).map_err(|e| at(&path, e))).transpose()?.map(Arc::new);
    let names = engines.iter().map(EngineSpec::fallback_name).collect();
    let tables = args.path("--syzygy").map(|path| extras::tables(&path)).transpose()?;
    let done = HashSet::new();
    let mut plan =
        Plan { engines, names, variant, schedule, book, concurrency, rules, patience, time_margin, log, tables, done };
    let mut played = Vec::new();
    if let Some(path) = &state {
        let (journal, earlier) = Journal::open(path, seed, &plan.identity(format)).map_err(CliError::new)?;
        plan.done = earlier.iter().map(|(number, _)| *number).collect();
        (output.journal, played) = (Some(journal), earlier);
    }
    Ok(Asked { plan, output, sprt, seed, played })
}

fn read_book(args: &Args, variant: Variant, seed: u64, rounds: usize) -> Result<Book> {
    let plies = args.parsed::<u16>("--plies")?;
    let start: usize = args.positive("--start")?.unwrap_or(1);
    let random = args.one_of("--order", &[("random", true), ("sequential", false)])?.unwrap_or(true);
    let Some(path) = args.path("--openings") else {
        return Ok(Book::Random { seed, plies: plies.unwrap_or(8).min(200).into(), variant });
    };
    let name = &*path.to_string_lossy();
    if plies.is_some() && !openings::is_pgn(&path) {
        return Err(CliError::usage("--plies is for PGN files and for matches without --openings"));
    }
    let read = openings::read_file(&path, variant, plies.map(usize::from));
    let (mut list, skipped) = read.map_err(|error| CliError::input(error, name))?;
    if let Some(skipped) = skipped {
        errln!("rukh: {name}: skipped {skipped}");
    }
    openings::arrange(&mut list, random, seed, start);
    if rounds > list.len() && rounds < SPRT_GAMES / 2 {
        let (openings, pairs) = (counted(list.len() as u64, "opening"), counted(rounds as u64, "pair"));
        errln!("rukh: {openings} for {pairs}: some will be played again");
    }
    Ok(Book::List(list))
}

/// Plays and reports.
fn play(asked: Asked) -> Result {
    let Asked { plan, mut output, sprt, seed, played } = asked;
    let begin = Instant::now();
    // With JSON on stdout, people read stderr.
    let to_stderr = output.json.as_deref() == Some(Path::new("-"));
    let mut closed: Option<std::io::Error> = None;
    let mut say = |text: &str| {
        let text = printable(&text);
        let result =
            if to_stderr { writeln!(std::io::stderr(), "{text}") } else { writeln!(std::io::stdout(), "{text}") };
        // Nobody reads any more: end the match rather than play it for nobody.
        if let Err(error) = result {
            STOP.store(true, Ordering::Relaxed);
            closed.get_or_insert(error);
        }
    };
    let mut course = Course::new(&plan, sprt, seed, played);
    say(&course.head);
    let mut live = extras::Live::new(to_stderr || output.quiet);
    if live.is_on() {
        output.status = 0;
    }
    if course.results.games > 0 {
        say(&format!("{} of an earlier run", counted(course.results.games as u64, "game")));
        if course.is_decided() {
            STOP.store(true, Ordering::Relaxed);
        }
    }
    let mut drawn = Instant::now();
    let mut unwritten = None;
    runner::run(&plan, &STOP, |job, record| {
        course.add(job, record);
        output.keep(&plan, job, record, &mut unwritten);
        live.wipe();
        show(&course, job, record, &output, &mut say);
        live.draw(|| course.standing());
        if let Some(path) = output.html.as_deref().filter(|_| drawn.elapsed() >= REDRAW) {
            drawn = Instant::now();
            // What goes wrong here shows at the end, when it is written once more.
            let _ = rukh_files::replace(path, course.page().as_bytes());
        }
        !course.is_decided()
    });
    live.wipe();
    let finished = course.is_finished();
    say(if finished { "\nFinished." } else { "\nInterrupted: games under way are not counted." });
    say(&course.summary());
    if let Some(path) = &output.json {
        let seconds = begin.elapsed().as_secs_f64();
        let text = rukh_api::reports::match_result(&plan, &course.results, sprt.as_ref(), seed, seconds, finished);
        if path.as_os_str() == "-" {
            outln!("{text}");
        } else {
            rukh_files::replace(path, (text + "\n").as_bytes())?;
        }
    }
    if let Some(path) = &output.html {
        rukh_files::replace(path, course.page().as_bytes())?;
    }
    if let Some(error) = closed {
        return Err(error.into());
    }
    if let Some(error) = unwritten {
        return Err(CliError::new(format!("not all games could be written: {error}")));
    }
    match course.results.failures() {
        failures if output.strict && failures > 0 => {
            Err(CliError::new(format!("engines failed in {}", counted(failures, "game"))))
        }
        _ => Ok(()),
    }
}

impl Output {
    /// Writes down a game. The match is worth more than a file: it goes on without one, and says so once.
    fn keep(&mut self, plan: &Plan, job: &Job, record: &Record, unwritten: &mut Option<std::io::Error>) {
        if let Some(file) = &mut self.pgn {
            let mut tags = plan.tags(&self.event, job, SystemTime::now());
            tags.opening = extras::opening(plan.variant, record);
            if let Err(error) = pgn::render(record, &tags).and_then(|game| file.add(&game)) {
                if unwritten.is_none() {
                    errln!("rukh: the games cannot be written: {error}");
                }
                *unwritten = Some(error);
            }
        }
        if let Some(table) = &self.learn
            && let Err(error) = table.add(plan.variant, record)
        {
            errln!("rukh: learning stopped: {error}");
            self.learn = None;
        }
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.add(job.number, record)
        {
            errln!("rukh: the state cannot be saved: {error}");
            self.journal = None;
        }
    }
}

/// A line per game, and the standing now and then.
fn show(course: &Course, job: &Job, record: &Record, output: &Output, say: &mut impl FnMut(&str)) {
    if !output.quiet || record.ending.cause.is_failure() {
        say(&course.game_line(job, record));
    }
    let games = course.results.games;
    if output.status > 0 && games.is_multiple_of(output.status) && Some(games) != course.total {
        course.duels().for_each(|lines| say(lines.trim_end()));
    }
}

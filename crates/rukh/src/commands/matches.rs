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
use rukh_core::Variant;
use rukh_files::{read_text_at_most, same_file};

use crate::cli::define::{self, choice, file, flag, many, opt, variant};
use crate::cli::{Args, CliError, counted};
use crate::outln;
use rukh_arena::adjudicate::{DrawRule, ResignRule, Rules};
use rukh_arena::fake::{self, Fault};
use rukh_arena::game::Record;
use rukh_arena::journal::{Journal, Played};
use rukh_arena::limits::EngineLimits;
use rukh_arena::log::Log;
use rukh_arena::openings::{self, Book};
use rukh_arena::page::{self, History};
use rukh_arena::pgn;
use rukh_arena::process::Patience;
use rukh_arena::results::Results;
use rukh_arena::runner::{self, Plan};
use rukh_arena::schedule::{Format, Job, Schedule};
use rukh_arena::spec::EngineSpec;
use rukh_arena::stats::{Sprt, SprtVerdict};
use rukh_arena::{report, roster, selftest, spelling};
use rukh_pgn::{AppendFile, PgnReader};

pub fn command() -> Command {
    let heading = Command::next_help_heading;
    let command = define::command("match", "play UCI engines against each other and measure the difference");
    let command = heading(command, "Engines")
        .arg(many(
            "engine",
            "SPEC",
            "'cmd=PATH [args=\"…\"] [dir=…] [name=…] [option.NAME=VALUE …] [LIMIT] [timemargin=MS]\n\
             [restart=on]'; quote words with spaces; '_' in an option's name stands for a space",
        ))
        .arg(many("each", "SPEC", "settings for every engine; an engine's own settings take precedence"));
    let command = heading(command, "Limits, here or in a SPEC")
        .arg(opt("tc", "[N/]S[+I]", "S seconds (M:S) for the game or for N moves, plus I per move: 8+0.08, 40/10+0.1"))
        .arg(opt("nodes", "N", "nodes per move"))
        .arg(opt("depth", "N", "depth per move"))
        .arg(opt("movetime", "MS", "time per move"));
    let command = heading(command, "Match")
        .arg(variant())
        .arg(opt("games", "N", "games per pairing, rounded up to pairs (default 100; no limit with --sprt)"))
        .arg(opt("concurrency", "N", "games played at the same time (default 1)"))
        .arg(flag("gauntlet", "the first engine plays all others (default: round robin)"))
        .arg(file(
            "openings",
            "FILE",
            "one FEN, EPD or move list per line, or PGN (also packed); default: random moves",
        ))
        .arg(opt(
            "plies",
            "N",
            "moves of an opening: random ones (default 8), or of each game of a PGN file (default all)",
        ))
        .arg(choice("order", "O", &["random", "sequential"], "random (default) or sequential"))
        .arg(opt("start", "N", "start with the Nth opening"))
        .arg(opt("seed", "N", "seed of the random order; it is printed, so that a match can be repeated"))
        .arg(opt(
            "sprt",
            "SPEC",
            "'elo0=0 elo1=5 alpha=0.05 beta=0.05 [model=normalised]': stop when decided (pentanomial)",
        ));
    let command = heading(command, "Adjudication")
        .arg(opt("resign", "SPEC", "'moves=3 score=800 [twosided=1]'"))
        .arg(opt("draw", "SPEC", "'movenumber=40 movecount=8 score=8'"))
        .arg(opt("max-moves", "N", "declare a draw after N moves"))
        .arg(file("syzygy", "PATH", "end games whose result these tables know (after a capture or pawn move)"));
    let command = heading(command, "Timeouts")
        .arg(opt("timemargin", "MS", "accepted time overrun (default 10)"))
        .arg(opt(
            "grace",
            "MS",
            "how long an engine may go on after its time is up before it counts as hung (default 5000)",
        ))
        .arg(opt("stall", "S", "longest time for a move without a clock (default 120)"))
        .arg(opt("start-timeout", "S", "from start to uciok, from isready to readyok (default 10)"));
    heading(command, "Output")
        .arg(file("state", "FILE", "keep the results here; after a kill the same command goes on"))
        .arg(file("pgn", "FILE", "append every game"))
        .arg(opt("event", "NAME", "the Event tag of the games"))
        .arg(file(
            "learn-file",
            "FILE",
            "what the engines found (position, depth, score, move) goes into this table of 'rukh learn'",
        ))
        .arg(
            file("json", "FILE", "results as JSON to stdout (everything else then goes to stderr), or to a file")
                .num_args(0..=1)
                .default_missing_value("-"),
        )
        .arg(file("html", "FILE", "a page with the results and plots, rewritten every few seconds"))
        .arg(file("log", "FILE", "append the UCI traffic of all engines"))
        .arg(opt("status", "N", "print the score every N games (default 10; 0 for never)"))
        .arg(flag("quiet", "no line per game"))
        .arg(flag("strict", "exit status 1 if any engine failed"))
        .arg(flag("selftest", "test the runner with fake engines that fail in known ways"))
        .arg(opt("fake-engine", "FAULT", "be one of them").hide(true))
        .after_help(
            "Plays UCI engines in pairs of games with the same opening and reversed colours; prints Elo with 95 % bounds. An\n\
             engine that crashes, hangs, makes an illegal move or exceeds its time loses that game and is restarted.\n\
             Command lines of cutechess-cli and fastchess (-engine cmd=… -each tc=… -rounds N …) are understood, too.",
        )
}

/// Raised by Ctrl-C or a request to terminate.
static STOP: AtomicBool = AtomicBool::new(false);

/// Games per pairing when neither `--games` nor `--sprt` is given.
const GAMES: usize = 100;
/// "Without limit": a sequential test ends long before.
const SPRT_GAMES: usize = 1_000_000;
/// Largest list of openings: some millions of them.
const MOST_OPENINGS: u64 = 256 << 20;

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
    played: Played,
    sprt: Option<Sprt>,
    seed: u64,
}

pub fn run(args: Args) -> Result<(), CliError> {
    if let Some(fault) = args.parsed::<Fault>("--fake-engine")? {
        return Ok(fake::run(fault, std::io::stdin().lock(), std::io::stdout())?);
    }
    if args.flag("--selftest") {
        return run_selftest();
    }
    let (mut plan, mut output) = read_arguments(&args)?;
    catch_signals();
    let found = roster::inspect(&plan.engines, plan.variant, plan.patience, &STOP).map_err(CliError::new)?;
    for remark in found.remarks {
        eprintln!("rukh: {remark}");
    }
    plan.names = found.names;
    play(&plan, &mut output)
}

fn run_selftest() -> Result<(), CliError> {
    catch_signals();
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or("the path of this program is not valid Unicode")?;
    let mut lines = Vec::new();
    let result = selftest::run(program, &STOP, |line| lines.push(line));
    for line in lines {
        outln!("{line}");
    }
    result.map_err(CliError::new)
}

/// The words of other match runners in ours.
pub fn translated(words: Vec<OsString>) -> Result<Vec<OsString>, CliError> {
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
        eprintln!("rukh: Ctrl-C will not print results: {error}");
    }
}

fn read_arguments(args: &Args) -> Result<(Plan, Output), CliError> {
    let usage = |what: &'static str| move |error: String| CliError::usage(format!("{what}: {error}"));
    let mut common = EngineLimits::default();
    for key in ["tc", "nodes", "depth", "movetime"] {
        if let Some(value) = args.option(&format!("--{key}"))? {
            common.set(key, &value).map_err(|error| CliError::input(format!("--{key}: {error}"), &value))?;
        }
    }
    let each = args.options("--each")?.join(" ");
    let mut engines = Vec::new();
    for text in args.options("--engine")? {
        let mut spec = EngineSpec::parse(&text, &each).map_err(usage("--engine"))?;
        spec.limits = spec.limits.or(common);
        if spec.limits == EngineLimits::default() {
            return Err(CliError::usage(format!(
                "engine {} has no limit: give --tc, --nodes, --depth or --movetime",
                spec.fallback_name()
            )));
        }
        engines.push(spec);
    }
    if engines.len() < 2 {
        return Err(CliError::usage("a match needs two engines or more: --engine 'cmd=…' --engine 'cmd=…'"));
    }
    let variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let sprt = args.option("--sprt")?.map(|text| Sprt::parse(&text)).transpose().map_err(usage("--sprt"))?;
    if sprt.is_some() && engines.len() > 2 {
        return Err(CliError::usage("--sprt compares two engines, not more"));
    }
    let games = args.parsed("--games")?.unwrap_or(if sprt.is_some() { SPRT_GAMES } else { GAMES });
    let concurrency = args.parsed("--concurrency")?.unwrap_or(1);
    if games == 0 || concurrency == 0 {
        return Err(CliError::usage("--games and --concurrency must be at least 1"));
    }
    let format = if args.flag("--gauntlet") { Format::Gauntlet } else { Format::RoundRobin };
    let schedule = Schedule::new(engines.len(), format, games);
    let rules = Rules {
        resign: args.option("--resign")?.map(|text| ResignRule::parse(&text)).transpose().map_err(usage("--resign"))?,
        draw: args.option("--draw")?.map(|text| DrawRule::parse(&text)).transpose().map_err(usage("--draw"))?,
        max_moves: args.parsed("--max-moves")?,
    };
    let patience = Patience {
        start: seconds(args, "--start-timeout", 10)?,
        stall: seconds(args, "--stall", 120)?,
        grace: Duration::from_millis(args.parsed::<u32>("--grace")?.unwrap_or(5000).into()),
    };
    let time_margin = args.parsed::<u32>("--timemargin")?.unwrap_or(10).into();
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let state = args.path("--state");
    // A match that is gone on with has its seed already.
    let known = state.as_deref().and_then(Journal::seed_of);
    let seed = args.parsed("--seed")?.or(known).unwrap_or(clock % 1_000_000_007);
    let openings = args.path("--openings");
    let book = read_book(args, openings.as_deref(), variant, seed, schedule.rounds())?;
    let output_paths = (args.path("--pgn"), args.path("--log"));
    let learn = args.path("--learn-file");
    let mut output = Output {
        status: args.parsed("--status")?.unwrap_or(10),
        quiet: args.flag("--quiet"),
        strict: args.flag("--strict"),
        pgn: None,
        learn: None,
        event: args.option("--event")?.unwrap_or_else(|| "rukh match".to_owned()),
        json: args.path("--json"),
        html: args.path("--html"),
        journal: None,
        played: Vec::new(),
        sprt,
        seed,
    };
    // Files last: a mistake elsewhere in the line leaves none behind.
    let at = |path: &Path, error: std::io::Error| CliError::input(error, &path.to_string_lossy());
    let named = [
        ("--openings", &openings),
        ("--pgn", &output_paths.0),
        ("--log", &output_paths.1),
        ("--json", &output.json),
        ("--learn-file", &learn),
        ("--html", &output.html),
        ("--state", &state),
    ];
    each_its_own(&named)?;
    output.learn = learn.map(|path| learn::Table::open(variant, &path).map_err(CliError::new)).transpose()?;
    output.pgn = output_paths.0.map(|path| AppendFile::open(&path).map_err(|e| at(&path, e))).transpose()?;
    let log = output_paths.1.map(|path| Log::append(&path).map_err(|e| at(&path, e))).transpose()?.map(Arc::new);
    let names = engines.iter().map(EngineSpec::fallback_name).collect();
    let tables = args.path("--syzygy").map(|path| extras::tables(&path)).transpose()?;
    let done = HashSet::new();
    let mut plan =
        Plan { engines, names, variant, schedule, book, concurrency, rules, patience, time_margin, log, tables, done };
    if let Some(path) = &state {
        let identity = extras::identity(&plan, format);
        let (journal, played) = Journal::open(path, seed, &identity).map_err(CliError::new)?;
        plan.done = played.iter().map(|(number, _)| *number).collect();
        (output.journal, output.played) = (Some(journal), played);
    }
    Ok((plan, output))
}

/// No file of a match may be two things at once: the report would replace the games.
fn each_its_own(named: &[(&str, &Option<PathBuf>)]) -> Result<(), CliError> {
    for (at, (first, path)) in named.iter().enumerate() {
        let Some(path) = path.as_deref().filter(|path| path.as_os_str() != "-") else { continue };
        let same = |other: &Path| other == path || same_file(path, other);
        if let Some((second, _)) = named[at + 1..].iter().find(|(_, other)| other.as_deref().is_some_and(same)) {
            return Err(CliError::input(format!("{first} and {second} name the same file"), &path.to_string_lossy()));
        }
    }
    Ok(())
}

fn seconds(args: &Args, name: &str, default: u32) -> Result<Duration, CliError> {
    Ok(Duration::from_secs(args.parsed::<u32>(name)?.unwrap_or(default).into()))
}

fn read_book(
    args: &Args,
    openings: Option<&Path>,
    variant: Variant,
    seed: u64,
    rounds: usize,
) -> Result<Book, CliError> {
    let plies = args.parsed::<u16>("--plies")?;
    let start: usize = args.parsed("--start")?.unwrap_or(1);
    let order = args.option("--order")?.unwrap_or_else(|| "random".to_owned());
    if !matches!(order.as_str(), "random" | "sequential") {
        return Err(CliError::input("--order: expected random or sequential", &order));
    }
    let Some(path) = openings else {
        return Ok(Book::Random { seed, plies: plies.unwrap_or(8).min(200).into(), variant });
    };
    let name = &*path.to_string_lossy();
    let (mut list, complaints) = if extras::is_pgn(path) {
        let games = PgnReader::open(path).map_err(CliError::new)?;
        openings::read_games(games, variant, plies.map(usize::from))
    } else if plies.is_some() {
        return Err(CliError::usage("--plies is for PGN files and for matches without --openings"));
    } else {
        let text = read_text_at_most(path, MOST_OPENINGS).map_err(|error| CliError::input(error, name))?;
        openings::read_list(&text, variant)
    };
    if let Some(first) = complaints.first() {
        let more = if complaints.len() > 1 { format!(" (and {} more)", complaints.len() - 1) } else { String::new() };
        if list.is_empty() {
            return Err(CliError::input(format!("no opening can be used: {first}{more}"), name));
        }
        eprintln!("rukh: {name}: skipped {first}{more}");
    }
    if list.is_empty() {
        return Err(CliError::input("there is no opening in this file", name));
    }
    openings::arrange(&mut list, order == "random", seed, start);
    if rounds > list.len() && rounds < SPRT_GAMES / 2 {
        eprintln!("rukh: {} openings for {rounds} pairs: some will be played again", list.len());
    }
    Ok(Book::List(list))
}

/// Plays and reports.
fn play(plan: &Plan, output: &mut Output) -> Result<(), CliError> {
    let begin = Instant::now();
    // With JSON on stdout, people read stderr.
    let to_stderr = output.json.as_deref() == Some(Path::new("-"));
    let mut closed: Option<std::io::Error> = None;
    let mut say = |text: &str| {
        let result =
            if to_stderr { writeln!(std::io::stderr(), "{text}") } else { writeln!(std::io::stdout(), "{text}") };
        // Nobody reads any more: end the match rather than play it for nobody.
        if let Err(error) = result {
            STOP.store(true, Ordering::Relaxed);
            closed.get_or_insert(error);
        }
    };
    let total = (plan.schedule.games() < SPRT_GAMES).then_some(plan.schedule.games());
    say(&report::header(plan, output.seed, total));
    let mut results = Results::new(&plan.names, &plan.schedule);
    let mut verdict = SprtVerdict::Open;
    let (mut history, mut live) = (History::default(), extras::Live::new(to_stderr || output.quiet));
    if live.is_on() {
        output.status = 0;
    }
    for (number, record) in std::mem::take(&mut output.played) {
        if let Some(job) = plan.schedule.job(number) {
            results.add(&job, &record);
            history.note(&results, output.sprt.as_ref());
        }
    }
    if results.games > 0 {
        say(&format!("{} of an earlier run", counted(results.games as u64, "game")));
        verdict = output.sprt.map_or(SprtVerdict::Open, |sprt| sprt.verdict(results.duels[0].pairs));
        if verdict != SprtVerdict::Open {
            STOP.store(true, Ordering::Relaxed);
        }
    }
    let head = report::header(plan, output.seed, total);
    let mut drawn = Instant::now();
    let mut pgn_error = None;
    runner::run(plan, &STOP, |job, record| {
        results.add(job, record);
        if let Some(file) = &mut output.pgn {
            let mut tags = plan.tags(&output.event, job, SystemTime::now());
            tags.opening = extras::opening(plan.variant, record);
            if let Err(error) = file.add(&pgn::render(record, &tags)) {
                // The match is worth more than the file: go on, and say so at the end.
                if pgn_error.is_none() {
                    eprintln!("rukh: the games cannot be written: {error}");
                }
                pgn_error = Some(error);
            }
        }
        if let Some(table) = &output.learn
            && let Err(error) = table.add(plan.variant, record)
        {
            // The same holds for what is learned: once is enough.
            eprintln!("rukh: nothing more is learned: {error}");
            output.learn = None;
        }
        if let Some(journal) = &mut output.journal
            && let Err(error) = journal.add(job.number, record)
        {
            eprintln!("rukh: the state cannot be kept: {error}");
            output.journal = None;
        }
        live.wipe();
        show(&results, job, record, total, output, &mut say);
        live.draw(|| report::standing(&results, output.sprt.as_ref()));
        history.note(&results, output.sprt.as_ref());
        if let Some(path) = output.html.as_deref().filter(|_| drawn.elapsed() >= REDRAW) {
            drawn = Instant::now();
            // What goes wrong here shows at the end, when it is written once more.
            let _ = rukh_files::replace(path, page::render(&head, &results, output.sprt.as_ref(), &history).as_bytes());
        }
        verdict = output.sprt.map_or(SprtVerdict::Open, |sprt| sprt.verdict(results.duels[0].pairs));
        verdict == SprtVerdict::Open
    });
    live.wipe();
    let finished = verdict != SprtVerdict::Open || results.games == plan.schedule.games();
    say(if finished { "\nFinished." } else { "\nInterrupted: games under way are not counted." });
    say(&report::summary(&results, output.sprt.as_ref()));
    if let Some(path) = &output.json {
        let seconds = begin.elapsed().as_secs_f64();
        let text =
            rukh_api::reports::match_result(plan, &results, output.sprt.as_ref(), output.seed, seconds, finished);
        if path.as_os_str() == "-" {
            outln!("{text}");
        } else {
            rukh_files::replace(path, (text + "\n").as_bytes())?;
        }
    }
    if let Some(path) = &output.html {
        let page = page::render(&head, &results, output.sprt.as_ref(), &history);
        rukh_files::replace(path, page.as_bytes())?;
    }
    if let Some(error) = closed {
        return Err(error.into());
    }
    if let Some(error) = pgn_error {
        return Err(CliError::new(format!("not all games could be written: {error}")));
    }
    match results.failures() {
        failures if output.strict && failures > 0 => Err(CliError::new(format!("engines failed in {failures} games"))),
        _ => Ok(()),
    }
}

/// A line per game, and the standing now and then.
fn show(
    results: &Results,
    job: &Job,
    record: &Record,
    total: Option<usize>,
    output: &Output,
    say: &mut impl FnMut(&str),
) {
    if !output.quiet || record.ending.cause.is_failure() {
        say(&report::game_line(results, job, record, total));
    }
    if output.status > 0 && results.games.is_multiple_of(output.status) && Some(results.games) != total {
        for duel in results.duels.iter().filter(|duel| duel.games.games() > 0) {
            say(report::duel_lines(results, duel, output.sprt.as_ref()).trim_end());
        }
    }
}

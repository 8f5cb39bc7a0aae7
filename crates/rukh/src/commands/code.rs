//! `rukh code`: positions as 64-bit codes.

mod extract;
mod stats;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Command;
use rukh_api::reports;
use rukh_code::{AnyCode, Codec, Coded, PositionCode};
use rukh_core::{Position, Variant, dispatch};
use rukh_files::{Lines, read_at_most};
use rukh_store::codes::{ArgumentError, OpenTables, Opened, default_records};
use rukh_store::db::{Database, Stored};
use rukh_store::learn::{DEFAULT_LIMIT, LearnStore};

use crate::cli::define::{self, file, files, flag, json, opt, position, variant, words};
use crate::cli::{Args, CliError, Problems, Result, read_position};

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(variant())
            .arg(file("model FILE", "use this model instead of the embedded one"))
            .arg(
                opt("version N", "older code version: 2 for chess, 2 or 3 for Makruk and Chess960")
                    .conflicts_with("model"),
            )
            .arg(file("db FOLDER", "look up positions without a direct code in this database and in the openings"))
    };
    let coding = |command: Command| {
        command
            .arg(flag("number", "codes as signed 64-bit integers"))
            .arg(file("positions FILE", "record file to use instead of your own"))
            .arg(file(
                "learned FILE",
                "number positions without a direct code in this table of 'rukh learn', not as records",
            ))
    };
    let encoded = "a FEN (quoted or not), startpos or another code; '-' reads one per line from standard input";
    let actions = [
        coding(action("encode", "the code of a position"))
            .arg(json().help("one JSON object for each: fen, code, number, format").conflicts_with("clocks"))
            .arg(position().required(true).help(encoded))
            .arg(flag("long", "use no table; positions that do not fit in 13 characters get 14 to 35"))
            .arg(flag("clocks", "the same, with half-move clock and move number after a dot")),
        coding(action("decode", "the FEN of a code"))
            .arg(json().help("one JSON object for each: code, fen"))
            .arg(words("code", "codes; '-' reads one per line from standard input")),
        stats::describe(action("stats", "show which code format the positions in games need")),
        // For the trainer; see training/code/README.md.
        define::command("extract", "games as the trainer reads them")
            .hide(true)
            .arg(variant())
            .arg(file("out FILE", "the file to write").required(true))
            .arg(files("file", "games")),
    ];
    define::actions("code", "turn positions into 64-bit codes and back")
        .subcommands(actions)
        .after_help(
            "A code is the position itself: board, side to move, castling, en passant and Makruk's count, but no clocks.\n\
             Every position has a code of 13 characters. Most are direct and need no table; the others refer to the built-in\n\
             openings, a database, or a record in a file ('positions.<variant>' in your data folder, or in $RUKH_DATA).\n\
             Bad lines on standard input are reported on stderr.\n\n\
             Examples:\n  \
             rukh code encode rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n  \
             rukh code stats games.pgn.zst",
        )
}

/// Largest model that is read: a hundred times the embedded ones.
const MOST_MODEL: u64 = 64 << 20;

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let variant: Variant = args.or("--variant", Variant::Chess)?;
    let unread = |path: &Path, error| CliError::input(format!("--model: {error}"), &path.to_string_lossy());
    let model = args.path("--model").map(|path| read_at_most(&path, MOST_MODEL).map_err(|error| unread(&path, error)));
    let (model, version) = (model.transpose()?, args.parsed("--version")?);
    if action == "extract" {
        return extract::run(variant, &args);
    }
    dispatch!(type R of variant => {
        let own;
        let codec = match (&model, version) {
            (None, None) => R::codec(variant),
            (None, Some(version)) => R::codec_of_version(variant, version)?,
            (Some(model), _) => {
                own = Codec::<R>::with_model(variant, model)?;
                &own
            }
        };
        match action {
            "encode" => encode(codec, &args),
            "decode" => decode(codec, &args),
            _ => stats::run(codec, &args),
        }
    })
}

/// The database of `--db`, which must be whole and of the codec's variant.
fn database<R: Stored>(codec: &Codec<R>, args: &Args) -> Result<Option<Database<R>>> {
    let Some(dir) = args.path("--db") else { return Ok(None) };
    let db = Database::<R>::open(&dir)?.whole()?;
    if db.variant() == codec.variant() {
        return Ok(Some(db));
    }
    Err(CliError::usage(format!("--db: a database of {} games, not {}", db.variant(), codec.variant())))
}

/// Where records are kept.
fn records(variant: Variant, args: &Args) -> Option<PathBuf> {
    args.path("--positions").or_else(|| default_records(variant))
}

/// The table of `--learned`. Only to encode a new one is begun: elsewhere it is a slip.
fn learned<R: Stored>(args: &Args, may_begin: bool) -> Result<Option<LearnStore<R>>> {
    let Some(path) = args.path("--learned") else { return Ok(None) };
    if !may_begin && !path.exists() {
        return Err(CliError::new(format!("there is no table {}", path.display())));
    }
    Ok(Some(LearnStore::open(&path, DEFAULT_LIMIT)?))
}

/// Prints what `work` makes of the words, or of the lines of standard input for a single `-`. A bad line is named with its
/// number and costs itself only; the exit status tells of it.
fn each(words: &[String], work: impl Fn(&str) -> Result<String>) -> Result {
    if words != ["-"] {
        for word in words {
            outln!("{}", work(word)?);
        }
        return Ok(());
    }
    let mut problems = Problems::new(0);
    for (number, line) in Lines::new(std::io::stdin().lock()) {
        let Some(line) = problems.good("-", number, line).filter(|line| !line.trim().is_empty()) else { continue };
        if let Some(answer) = problems.good("-", number, work(line.trim())) {
            outln!("{answer}");
        }
    }
    problems.verdict()
}

fn encode<R: Stored>(codec: &Codec<R>, args: &Args) -> Result {
    let (number, long, clocks) = (args.flag("--number"), args.flag("--long"), args.flag("--clocks"));
    let json = args.flag("--json");
    let (games, learned, records) = (database(codec, args)?, learned(args, true)?, records(codec.variant(), args));
    let open = OpenTables { games: games.as_ref(), learned: learned.as_ref() };
    let opened = RefCell::new(Opened::reading(codec, open, records.as_deref())?);
    each(&[args.position()?.unwrap_or_default()], |text| {
        let pos: Position<R> = read_position(codec.variant(), open, text)?;
        let wrong = |error: &dyn std::error::Error| CliError::input(error, text);
        let code = if clocks {
            return Ok(codec.text(codec.extended(&pos, 0).map_err(|error| wrong(&error))?));
        } else if long {
            codec.encode_any(&pos).map_err(|error| wrong(&error))?
        } else {
            opened.borrow_mut().encode(&pos, records.as_deref()).map_err(|error| wrong(&error))?
        };
        match code {
            code if json => Ok(reports::named(codec, &pos, code)),
            AnyCode::Short(code) if number => Ok(code.raw().to_string()),
            AnyCode::Long(_) if number => Err(CliError::input("a long code is not a 64-bit number", text)),
            code => Ok(codec.text(code)),
        }
    })
}

fn decode<R: Stored>(codec: &Codec<R>, args: &Args) -> Result {
    let (games, learned, records) = (database(codec, args)?, learned(args, false)?, records(codec.variant(), args));
    let open = OpenTables { games: games.as_ref(), learned: learned.as_ref() };
    let (number, opened) = (args.flag("--number"), Opened::reading(codec, open, records.as_deref())?);
    each(&args.options("code")?, |word| {
        let found = if number {
            let raw = word.parse().map_err(|_| CliError::input("not a signed 64-bit integer", word))?;
            PositionCode::from_raw(raw).and_then(|code| opened.decode(AnyCode::Short(code).into()))
        } else {
            opened.decode_text(word)
        };
        let wrong = |error| ArgumentError::Code { error, variant: codec.variant(), records: records.clone() };
        let (pos, _) = found.map_err(|e| CliError::input(wrong(e), word))?;
        for (older, other) in codec.readings(word).unwrap_or_default().into_iter().skip(1) {
            if let Ok((other, _)) = older.decode_extended(other)
                && other != pos
            {
                let version = older.stamp().version;
                errln!("{word}: if it was made by version {version} of the codes it is {}", other.fen());
            }
        }
        Ok(if args.flag("--json") { reports::decoded(word, &pos) } else { pos.fen() })
    })
}

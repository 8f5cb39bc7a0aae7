//! `rukh code`: positions as 64-bit codes.

mod extract;
mod stats;

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Command;
use rukh_code::{AnyCode, CodeError, Codec, Coded, MemoryTables, PositionCode, Tables};
use rukh_core::{Position, Variant, dispatch};
use rukh_files::{Lines, read_at_most};
use rukh_store::codes::{ArgumentError, Opened, StoreTables, default_records};
use rukh_store::db::{Database, Stored};
use rukh_store::learn::{DEFAULT_LIMIT, LearnStore};

use crate::cli::define::{self, file, files, flag, opt, position, variant, words};
use crate::cli::{Args, CliError, Problems, read_position};
use crate::outln;

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(variant())
            .arg(file("model", "FILE", "use this model instead of the embedded one"))
            .arg(
                opt("version", "N", "codes of an older version: version 2 of Makruk or Chess960")
                    .conflicts_with("model"),
            )
            .arg(file(
                "db",
                "FOLDER",
                "what does not fit is looked up in this database ('rukh db import') and in the openings",
            ))
    };
    let coding = |command: Command| {
        command
            .arg(flag("number", "codes as signed 64-bit integers"))
            .arg(file("positions", "FILE", "the file of records instead of the user's own"))
            .arg(file(
                "learned",
                "FILE",
                "a table of 'rukh learn': what does not fit gets a number there instead of a record",
            ))
    };
    define::actions("code", "turn positions into 64-bit codes and back")
        .subcommand(
            coding(action("encode", "the code of a position"))
                .arg(position().required(true).help(
                    "a FEN (quoted or not), startpos or another code; '-' reads one a line from standard input",
                ))
                .arg(flag("long", "no table at all; what 13 characters cannot hold has 14 to 35"))
                .arg(flag("clocks", "the same, with half-move clock and move number behind a point")),
        )
        .subcommand(
            coding(action("decode", "the FEN of a code"))
                .arg(words("code", "codes; '-' reads one a line from standard input")),
        )
        .subcommand(stats::describe(action("stats", "which format the positions of games need")))
        .subcommand(
            // For the trainer; see training/code/README.md.
            action("extract", "games as the trainer reads them")
                .hide(true)
                .arg(file("o", "FILE", "the file to write").long(None).short('o').required(true))
                .arg(files("file", "games")),
        )
        .after_help(
            "A code is the position itself: board, side to move, castling, en passant, Makruk's count; no clocks. Every\n\
             position has one of 13 characters. Most are direct and need no table; the others are an entry of the built-in\n\
             openings, of a database, or a record that is kept in a file ('positions.<variant>' in the user's data folder;\n\
             $RUKH_DATA names another folder). Bad lines of standard input are named on stderr.\n\n\
             Examples:\n  \
             rukh code encode rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n  \
             rukh code stats games.pgn.zst",
        )
}

/// Largest model that is read: a hundred times the embedded ones.
const MOST_MODEL: u64 = 64 << 20;

/// What all actions share.
struct Common {
    variant: Variant,
    model: Option<Vec<u8>>,
    version: Option<u16>,
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let variant: Variant = args.parsed("--variant")?.unwrap_or(Variant::Chess);
    let unread = |path: &Path, error| CliError::input(format!("--model: {error}"), &path.to_string_lossy());
    let model = args.path("--model").map(|path| read_at_most(&path, MOST_MODEL).map_err(|error| unread(&path, error)));
    let common = Common { variant, model: model.transpose()?, version: args.parsed("--version")? };
    let number = args.flag("--number");
    let database = args.path("--db");
    let positions = args.path("--positions").or_else(|| default_records(variant));
    let files = Files { database, positions, learned: args.path("--learned") };
    match action {
        "encode" => {
            let form = match (args.flag("--long"), args.flag("--clocks")) {
                (_, true) => Form::Clocks,
                (true, false) => Form::Long,
                (false, false) => Form::Short,
            };
            common.run(Encode { what: args.position()?.unwrap_or_default(), number, form, files })
        }
        "decode" => common.run(Decode { codes: args.options("code")?, number, files }),
        "stats" => common.run(stats::Stats::from_args(&args)?),
        _ => extract::run(variant, &args),
    }
}

/// An action that is the same for all variants.
trait Action {
    fn run<R: Stored>(self, codec: &Codec<R>) -> Result<(), CliError>;
}

/// The tables of a variant, with an optional database and room for this many learned positions.
fn tables<'a, R: Stored>(
    variant: Variant,
    database: Option<&'a Database<R>>,
    room: usize,
) -> Result<Box<dyn Tables<R> + 'a>, CliError> {
    match database {
        Some(db) if db.variant() != variant => {
            Err(CliError::usage(format!("--db: a database of {}, not of {variant}", db.variant())))
        }
        Some(_) => Ok(Box::new(StoreTables::new(database, room))),
        None => Ok(Box::new(MemoryTables::new(room))),
    }
}

impl Common {
    fn run(&self, action: impl Action) -> Result<(), CliError> {
        let failed = |error: CodeError| CliError::new(error);
        dispatch!(type R of self.variant => match (&self.model, self.version) {
            (None, None) => action.run(<R as Coded>::codec(self.variant)),
            (None, Some(version)) => action.run(R::codec_of_version(self.variant, version).map_err(failed)?),
            (Some(model), _) => action.run(&Codec::<R>::with_model(self.variant, model).map_err(failed)?),
        })
    }
}

/// Prints what `work` makes of the words, or of the lines of standard input for a single `-`. A bad line is named with its
/// number and costs itself only; the exit status tells of it.
fn each(words: &[String], work: impl Fn(&str) -> Result<String, CliError>) -> Result<(), CliError> {
    if words != ["-"] {
        for word in words {
            outln!("{}", work(word)?);
        }
        return Ok(());
    }
    let mut problems = Problems::new(0);
    for (number, line) in Lines::new(std::io::stdin().lock()) {
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => match work(line.trim()) {
                Ok(answer) => outln!("{answer}"),
                Err(error) => problems.at_line("-", number, error),
            },
            Err(error) => problems.at_line("-", number, error),
        }
    }
    problems.verdict()
}

/// The files of `--db`, `--positions` and `--learned`.
struct Files {
    database: Option<PathBuf>,
    positions: Option<PathBuf>,
    learned: Option<PathBuf>,
}

impl Files {
    fn open<'c, R: Stored>(&self, codec: &'c Codec<R>) -> Result<Opened<'c, R>, CliError> {
        let games = self.database.as_deref().map(|dir| Database::<R>::open(dir)?.whole());
        let games = games.transpose().map_err(CliError::new)?;
        if let Some(db) = games.as_ref().filter(|db| db.variant() != codec.variant()) {
            return Err(CliError::usage(format!("--db: a database of {}, not of {}", db.variant(), codec.variant())));
        }
        let learned = self.learned.as_deref().map(|path| LearnStore::<R>::open(path, DEFAULT_LIMIT));
        let learned = learned.transpose().map_err(CliError::new)?;
        Ok(Opened::reading(codec, games, self.positions.as_deref()).map_err(CliError::new)?.with_learned(learned))
    }
}

/// Which code is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Short,
    Long,
    Clocks,
}

struct Encode {
    what: String,
    number: bool,
    form: Form,
    files: Files,
}

impl Action for Encode {
    fn run<R: Stored>(self, codec: &Codec<R>) -> Result<(), CliError> {
        let opened = RefCell::new(self.files.open(codec)?);
        each(&[self.what], |text| {
            let pos: Position<R> = read_position(codec.variant(), text)?;
            let wrong = |error: &dyn std::error::Error| CliError::input(error, text);
            let code = match self.form {
                Form::Clocks => return Ok(codec.text(codec.extended(&pos, 0).map_err(|error| wrong(&error))?)),
                Form::Long => codec.encode_any(&pos).map_err(|error| wrong(&error))?,
                Form::Short => {
                    opened.borrow_mut().encode(&pos, self.files.positions.as_deref()).map_err(|error| wrong(&error))?
                }
            };
            Ok(match code {
                AnyCode::Short(code) if self.number => code.raw().to_string(),
                AnyCode::Long(_) if self.number => {
                    return Err(CliError::input("a long code is no 64-bit number", text));
                }
                code => codec.text(code),
            })
        })
    }
}

struct Decode {
    codes: Vec<String>,
    number: bool,
    files: Files,
}

impl Action for Decode {
    fn run<R: Stored>(self, codec: &Codec<R>) -> Result<(), CliError> {
        let opened = self.files.open(codec)?;
        each(&self.codes, |word| {
            let found = if self.number {
                let raw = word.parse().map_err(|_| CliError::input("not a signed 64-bit integer", word))?;
                PositionCode::from_raw(raw).and_then(|code| opened.decode(AnyCode::Short(code).into()))
            } else {
                opened.decode_text(word)
            };
            let wrong = |error| ArgumentError::Code { error, variant: codec.variant() };
            let (pos, _) = found.map_err(|e| CliError::input(wrong(e), word))?;
            for (older, other) in codec.readings(word).unwrap_or_default().into_iter().skip(1) {
                if let Ok((other, _)) = older.decode_extended(other)
                    && other != pos
                {
                    let version = older.stamp().version;
                    eprintln!("{word}: if it was made by version {version} of the codes it is {}", other.fen());
                }
            }
            Ok(pos.fen())
        })
    }
}

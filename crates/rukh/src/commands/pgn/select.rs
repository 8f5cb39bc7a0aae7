//! `rukh pgn filter`, `join`, `split`, `sort`, `dedupe` and `sample`: arguments and files of [`rukh_pgn::select`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use clap::Command;
use rukh_core::{AnyPosition, Variant, Writing};
use rukh_files::OutputFile;
use rukh_pgn::select::{Facts, Filter, Same, Selection, Selector, SplitNames};
use rukh_pgn::{GameResult, Packed, PgnReader, PgnWriter, TagFilter, TreeReader};
use rukh_store::openings::openings;

use super::super::db::date;
use super::{not_in_place, written};
use crate::cli::define::{self, choice, file, files, flag, many, opt};
use crate::cli::{Args, CliError, Problems, Progress, counted, read_game};

/// More files than this are a mistake.
const MOST_FILES: usize = 1000;

pub fn commands() -> [Command; 6] {
    [
        command("filter", "write the games that pass the filters"),
        command("join", "write the games of several files into one"),
        command("split", "write games into several files").arg(
            opt("by", "WHAT", "a number of games, or year, white, black, event, site, round, eco, result or a tag")
                .required(true),
        ),
        command("sort", "put games in order (they must fit into memory)").arg(
            opt("by", "KEYS", "date, elo, plies, white, black, event, site, round, eco, result or tags: 'date,round'")
                .required(true),
        ),
        command("dedupe", "drop duplicate games").arg(choice(
            "by",
            "WHAT",
            &["game", "moves"],
            "game (default): the same players, result and moves; moves: these alone",
        )),
        command("sample", "pick games at random; they stay in order")
            .arg(opt("count", "N", "how many").required(true))
            .arg(opt("seed", "N", "another seed gives another sample (default 1)")),
    ]
}

fn command(name: &'static str, about: &'static str) -> Command {
    let out = match name {
        "split" => file("out", "FOLDER", "where the files go; none that is there is written over").required(true),
        _ => file(
            "out",
            "FILE",
            "instead of standard output, packed if it is called .zst, .gz or .bz2;\n\
             it may be one of the files, if these have no problems",
        ),
    };
    define::command(name, about)
        .arg(files("file", "plain or packed (.zst, .gz, .bz2); '-' is standard input"))
        .arg(out)
        .arg(flag("main-line", "without variations and comments"))
        .arg(flag("reverse", "the other way round"))
        .arg(define::notation())
        .arg(opt("max-errors", "N", "show at most N problems (default 20, 0 for all)"))
        .next_help_heading("Filters, all of which must hold")
        .arg(opt("player", "NAME", "one of the players; a part of the name is enough, capitals do not matter"))
        .arg(opt("white", "NAME", "the player of the white pieces"))
        .arg(opt("black", "NAME", "the player of the black pieces"))
        .arg(many("tag", "NAME=TEXT", "another tag that contains this text; may be repeated"))
        .arg(opt("min-elo", "N", "least mean rating"))
        .arg(opt("max-elo", "N", "greatest mean rating"))
        .arg(choice("result", "R", &["1-0", "0-1", "1/2-1/2", "*"], "1-0, 0-1, 1/2-1/2 or *"))
        .arg(opt("since", "DATE", "first date: 2024, 2024.05 or 2024.05.31"))
        .arg(opt("until", "DATE", "last date"))
        .arg(opt("eco", "CLASSES", "B33, B or B20-B99; games without the tag are looked up"))
        .arg(define::variant().help("chess, chess960 or makruk (default: all)"))
        .arg(opt("min-ply", "N", "at least N half-moves"))
        .arg(opt("max-ply", "N", "at most N half-moves"))
        .arg(opt("material", "MEN", "exactly these men at some time, whoever has which: KRPKR"))
        .arg(opt("position", "POSITION", "this position occurs: a FEN, startpos or a code"))
        .arg(opt(
            "pattern",
            "BOARD",
            "squares as in a FEN, with ? for whatever, A and a for any white or black man, ! for any\n\
             man, * for the rest of a rank: '*/*/*/*/*/??N*'",
        ))
        .after_help(
            "Standard PGN comes out: the seven tags first, SetUp with FEN, one comment at a place. Options of the other\n\
             actions can be had by a pipe: rukh pgn filter --player Tal g.pgn | rukh pgn sort --by date -",
        )
}

fn filter(args: &Args) -> Result<Filter, CliError> {
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
        result: match args.option("--result")?.as_deref() {
            None => None,
            Some("1-0") => Some(GameResult::White),
            Some("0-1") => Some(GameResult::Black),
            Some("1/2-1/2") => Some(GameResult::Draw),
            Some("*") => Some(GameResult::Unknown),
            Some(other) => return Err(CliError::input("--result: expected 1-0, 0-1, 1/2-1/2 or *", other)),
        },
        since: args.option("--since")?.map(|text| date(&text, "--since", 0)).transpose()?,
        until: args.option("--until")?.map(|text| date(&text, "--until", u8::MAX)).transpose()?,
        eco: args.parsed("--eco")?,
        variant,
        min_plies: args.parsed("--min-ply")?,
        max_plies: args.parsed("--max-ply")?,
        material: args.parsed("--material")?,
        position: place.map(|game| game.position()),
        pattern: args.parsed("--pattern")?,
    })
}

fn selection(action: &str, args: &Args) -> Result<Selection, CliError> {
    let mut selection = Selection { reverse: args.flag("--reverse"), ..Selection::default() };
    match action {
        "sort" => {
            for key in args.option("--by")?.unwrap_or_default().split(',') {
                let key = key.parse().map_err(|error| CliError::input(format!("--by: {error}"), key))?;
                selection.sort.push(key);
            }
        }
        "dedupe" => selection.dedupe = Some(args.parsed("--by")?.unwrap_or(Same::Game)),
        "sample" => {
            let seed = args.parsed("--seed")?.unwrap_or(1);
            selection.sample = Some((args.parsed("--count")?.unwrap_or(1), seed));
        }
        _ => {}
    }
    Ok(selection)
}

/// Where chosen games go: one file, or many by name.
enum Out {
    One(PgnWriter<Packed<OutputFile>>),
    Many { folder: PathBuf, names: SplitNames, open: BTreeMap<String, PgnWriter<OutputFile>>, games: u64 },
}

impl Out {
    fn open(action: &str, args: &Args) -> Result<Out, CliError> {
        let path = args.path("--out");
        if action == "split" {
            let folder = path.unwrap_or_default();
            std::fs::create_dir_all(&folder)
                .map_err(|error| CliError::new(format!("{}: {error}", folder.display())))?;
            let names = SplitNames::new(args.required("--by")?);
            return Ok(Out::Many { folder, names, open: BTreeMap::new(), games: 0 });
        }
        let sink = OutputFile::create_or_stdout(path.as_deref())?;
        Ok(Out::One(PgnWriter::standard(Packed::new(path.as_deref().unwrap_or("-".as_ref()), sink)?)))
    }

    fn write(&mut self, name: &str, text: &[u8]) -> Result<(), CliError> {
        match self {
            Out::One(writer) => writer.write_text(text)?,
            Out::Many { folder, open, games, .. } => {
                *games += 1;
                if open.len() == MOST_FILES && !open.contains_key(name) {
                    return Err(CliError::new(format!(
                        "this would be more than {MOST_FILES} files; nothing was written"
                    )));
                }
                if !open.contains_key(name) {
                    let path = folder.join(format!("{name}.pgn"));
                    // Its name was not chosen by the user, so neither is what would be lost.
                    if path.exists() {
                        let path = path.display();
                        return Err(CliError::new(format!("{path} is there already; nothing was written")));
                    }
                    open.insert(name.to_owned(), PgnWriter::standard(OutputFile::create(path)?));
                }
                if let Some(writer) = open.get_mut(name) {
                    writer.write_text(text)?;
                }
            }
        }
        Ok(())
    }

    /// The name of the file of a game; empty where there is one only.
    fn name(&mut self, at: u64, game: &Facts<'_>) -> String {
        match self {
            Out::One(_) => String::new(),
            Out::Many { names, .. } => names.name(at, game),
        }
    }

    fn finish(self) -> Result<(), CliError> {
        match self {
            Out::One(writer) => writer.finish()?.finish()?.commit()?,
            Out::Many { open, folder, games, .. } => {
                let files = open.len() as u64;
                for writer in open.into_values() {
                    writer.finish()?.commit()?;
                }
                eprintln!("{} in {} in {}", counted(games, "game"), counted(files, "file"), folder.display());
            }
        }
        Ok(())
    }
}

/// The work of one call.
struct Work {
    filter: Filter,
    selector: Selector<(String, Vec<u8>)>,
    out: Out,
    writing: Writing,
    /// Games so far, with those that their tags ruled out.
    read: Arc<AtomicU64>,
    written: u64,
    progress: Progress,
}

pub fn run(action: &str, args: &Args, problems: &mut Problems) -> Result<(), CliError> {
    let inputs = args.paths("file");
    let mut work = Work {
        filter: filter(args)?,
        selector: Selector::new(selection(action, args)?),
        writing: args.parsed("--notation")?.unwrap_or_default(),
        out: Out::open(action, args)?,
        read: Arc::default(),
        written: 0,
        progress: Progress::new("pgn", None),
    };
    for path in &inputs {
        if args.flag("--main-line") { work.main_lines(path, problems)? } else { work.trees(path, problems)? }
    }
    work.finish(|| not_in_place(args.path("--out").as_deref(), &inputs, problems))
}

impl Work {
    /// What the tags alone can tell, and the count of games.
    fn by_tags(&self) -> TagFilter {
        let (filter, read) = (self.filter.clone(), Arc::clone(&self.read));
        Box::new(move |tags| {
            read.fetch_add(1, Relaxed);
            filter.tags_pass(tags)
        })
    }

    fn trees(&mut self, path: &Path, problems: &mut Problems) -> Result<(), CliError> {
        let by_tags = self.by_tags();
        let mut reader = match TreeReader::open(path) {
            Ok(reader) => reader.with_filter(by_tags),
            Err(error) => {
                problems.add(&error);
                return Ok(());
            }
        };
        while let Some(tree) = reader.next() {
            match tree {
                Ok(tree) => self.game(&Facts::from(&tree), path, problems, |writer| writer.write_tree(&tree))?,
                Err(error) => problems.add(&error),
            }
            reader.take_notes().iter().for_each(|note| problems.add(note));
        }
        Ok(())
    }

    fn main_lines(&mut self, path: &Path, problems: &mut Problems) -> Result<(), CliError> {
        let by_tags = self.by_tags();
        let mut reader = match PgnReader::open(path) {
            Ok(reader) => reader.with_filter(by_tags),
            Err(error) => {
                problems.add(&error);
                return Ok(());
            }
        };
        while let Some(game) = reader.next_game() {
            match game {
                Ok(game) => self.game(&Facts::from(game), path, problems, |writer| writer.write_game(game))?,
                Err(error) => problems.add(&error),
            }
            reader.take_notes().iter().for_each(|note| problems.add(note));
        }
        Ok(())
    }

    fn game(
        &mut self,
        facts: &Facts<'_>,
        path: &Path,
        problems: &mut Problems,
        write: impl FnOnce(&mut PgnWriter<Vec<u8>>) -> std::io::Result<()>,
    ) -> Result<(), CliError> {
        self.progress.set(self.read.load(Relaxed), "games");
        if !self.filter.game_passes(facts, || class(facts)) {
            return Ok(());
        }
        let mut text = Ok(());
        let (writing, name) = (self.writing, self.out.name(self.written, facts));
        let chosen = self.selector.take(facts, || {
            let mut writer = PgnWriter::standard(Vec::new()).with_writing(writing);
            text = write(&mut writer);
            (name, writer.finish().unwrap_or_default())
        });
        if text.is_err() {
            return written(text, path, problems);
        }
        if let Some((name, text)) = chosen {
            self.written += 1;
            self.out.write(&name, &text)?;
        }
        Ok(())
    }

    /// `agree` is asked before anything is put in its place.
    fn finish(self, agree: impl FnOnce() -> Result<(), CliError>) -> Result<(), CliError> {
        let Work { selector, mut out, mut written, progress, read, .. } = self;
        let duplicates = selector.duplicates;
        for (name, text) in selector.rest() {
            written += 1;
            out.write(&name, &text)?;
        }
        agree()?;
        out.finish()?;
        let seconds = progress.elapsed().as_secs_f64();
        progress.finish();
        let dropped = match duplicates {
            0 => String::new(),
            n => format!(", {} dropped", counted(n, "duplicate")),
        };
        eprintln!("{} written of {}{dropped}, {seconds:.2} s", counted(written, "game"), read.load(Relaxed));
        Ok(())
    }
}

/// The class of an opening that the game itself does not name.
fn class(game: &Facts<'_>) -> Option<String> {
    let AnyPosition::Chess(start) = game.start else { return None };
    openings().classify(start, &game.moves).map(|opening| opening.eco())
}

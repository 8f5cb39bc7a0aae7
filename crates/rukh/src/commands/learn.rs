//! `rukh learn`: look after the table of learned positions.

use std::path::{Path, PathBuf};

use clap::{Command, ValueHint};
use rukh_api::reports;
use rukh_code::Coded;
use rukh_core::{Position, Variant, dispatch};
use rukh_store::learn::{DEFAULT_LIMIT, LearnStore};

use super::known;
use crate::cli::define::{self, choice, file, flag, json, opt, position, word};
use crate::cli::{Args, CliError, Problems, Progress, not_an_input, read_position};
use crate::game::{default_file, file_for};
use crate::outln;

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(file(
                "file",
                "TABLE",
                "the table (default: the user's own, which 'rukh serve' and option 'Learn' fill)",
            ))
            .arg(choice("variant", "V", &["chess", "makruk"], "chess (default) or makruk"))
            .arg(opt(
                "limit-mb",
                "N",
                "megabytes that the table may take (default 1024); a full one drops what is worth least",
            ))
    };
    define::actions("learn", "inspect and maintain the table of learned positions")
        .subcommand(action("stats", "counts and depths").arg(json()))
        .subcommand(action("show", "what is known about a position").arg(position().required(true)))
        .subcommand(
            action("prune", "keep the most useful positions: searched deeply, visited often or recently")
                .arg(opt("keep", "N", "how many").required(true)),
        )
        .subcommand(
            action("export", "as text, separated by tabs: FEN, depth, score, bound, best move, visits; or as Parquet")
                .arg(flag("codes", "codes instead of FENs"))
                .arg(file("out", "FILE", "where to write, .tsv or .parquet (default: standard output)")),
        )
        .subcommand(
            action("import", "add such a file, or one of 'rukh analyse --save-hash'")
                .arg(word("file.tsv", "or .parquet").value_hint(ValueHint::FilePath))
                .after_help("Deeper results win, visits add up; every 1000 lines are committed together."),
        )
        .after_help(
            "The table holds positions from the engine's games and analyses with depth, score, bound, best move and\n\
             visits: about 20 bytes each, since a position is its code.",
        )
}

pub fn run(args: Args) -> Result<(), CliError> {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let variant = args.parsed::<Variant>("--variant")?.unwrap_or(Variant::Chess);
    let named = args.path("--file");
    let file = named.or_else(|| Some(file_for(&default_file()?, variant)));
    let file = file.ok_or_else(|| CliError::usage("--file <table> is missing"))?;
    let job = Job {
        file,
        limit: args.parsed("--limit-mb")?.unwrap_or(DEFAULT_LIMIT >> 20).saturating_mul(1 << 20),
        codes: args.flag("--codes"),
        out: args.path("--out"),
        keep: args.parsed("--keep")?,
        json: args.flag("--json"),
    };
    dispatch!(type R of variant => job.run::<R>(action, &args))
}

struct Job {
    file: PathBuf,
    limit: u64,
    codes: bool,
    out: Option<PathBuf>,
    keep: Option<u64>,
    json: bool,
}

impl Job {
    fn run<R: Coded>(&self, action: &str, args: &Args) -> Result<(), CliError> {
        if action != "import" && !self.file.exists() {
            return Err(CliError::new(format!("there is no table {}", self.file.display())));
        }
        // Before the table is opened, which alone changes its bytes.
        if let Some(out) = &self.out {
            not_an_input(out, [&self.file])?;
        }
        let store = LearnStore::<R>::open(&self.file, self.limit).map_err(CliError::new)?;
        match action {
            "stats" => self.stats(&store),
            "show" => show(&store, &args.position()?.unwrap_or_default()),
            "prune" => {
                let gone = store.prune(self.keep.unwrap_or(u64::MAX)).map_err(CliError::new)?;
                outln!("{gone} positions removed");
                Ok(())
            }
            "export" => self.export(&store),
            _ => import(&store, &args.path("file.tsv").unwrap_or_default()),
        }
    }

    fn stats<R: Coded>(&self, store: &LearnStore<R>) -> Result<(), CliError> {
        let s = store.stats().map_err(CliError::new)?;
        let bytes = s.bytes;
        if self.json {
            outln!("{}", reports::learned(&s, bytes));
            return Ok(());
        }
        outln!("positions     {:>12}", s.positions);
        outln!("  with score  {:>12}   mean depth {:.1}, deepest {}", s.scored, s.mean_depth(), s.deepest);
        outln!("visits        {:>12}", s.visits);
        outln!("codes given   {:>12}", s.numbers);
        let each = bytes as f64 / s.positions.max(1) as f64;
        outln!("bytes         {bytes:>12}   {each:.1} a position, at most {} MB", self.limit >> 20);
        Ok(())
    }

    fn export<R: Coded>(&self, store: &LearnStore<R>) -> Result<(), CliError> {
        let mut sink = known::Sink::create(self.out.as_deref(), self.codes, &[&self.file])?;
        let mut result = Ok(());
        store
            .each(|variant, code, learned| {
                if result.is_ok() {
                    let pos = R::codec(variant).decode_any(code).map_err(CliError::new);
                    result = pos.and_then(|pos| sink.push(&pos, learned));
                }
            })
            .map_err(CliError::new)?;
        result?;
        let count = sink.finish()?;
        if self.out.as_ref().is_some_and(|path| path.as_os_str() != "-") {
            outln!("{count} positions written");
        }
        Ok(())
    }
}

fn show<R: Coded>(store: &LearnStore<R>, fen: &str) -> Result<(), CliError> {
    let pos: Position<R> = read_position(R::VARIANT, fen)?;
    match store.get(&pos).map_err(CliError::new)? {
        None => outln!("not known"),
        Some(l) => {
            let best = known::best(&pos, l.best).unwrap_or_else(|| "-".into());
            outln!("depth {}, score {} ({}), best {best}, {} visits", l.depth, l.score, l.bound.name(), l.visits);
        }
    }
    Ok(())
}

fn import<R: Coded>(store: &LearnStore<R>, path: &Path) -> Result<(), CliError> {
    const AT_ONCE: usize = 1000;
    let mut progress = Progress::new("learn", None);
    let (mut batch, mut problems, mut count) = (Vec::new(), Problems::new(20), 0u64);
    known::read::<R>(path, &mut problems, |pos, learned| {
        batch.push((pos, learned));
        if batch.len() == AT_ONCE {
            store.record(&batch).map_err(CliError::new)?;
            count += batch.len() as u64;
            batch.clear();
            progress.set(count, "positions");
        }
        Ok(())
    })?;
    store.record(&batch).map_err(CliError::new)?;
    count += batch.len() as u64;
    progress.finish();
    let wrong = problems.count();
    outln!("{count} positions read, {wrong} lines refused");
    if wrong == 0 { Ok(()) } else { Err(CliError::new(format!("{wrong} lines were refused"))) }
}

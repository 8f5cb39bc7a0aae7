//! `rukh learn`: look after the table of learned positions.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use rukh_api::reports;
use rukh_code::Coded;
use rukh_core::{Notation, Position, Variant, dispatch};
use rukh_files::{Lines, OutputFile};
use rukh_store::learn::{Bound, LearnStore, Learned};

use crate::cli::{Args, CliError, Problems, Progress, not_an_input, read_position};
use crate::game::{default_file, file_for};
use crate::outln;

pub const SUMMARY: &str = "inspect and maintain the table of learned positions";
pub const HELP: &str = "\
usage: rukh learn stats [--file <table>] [--json]
       rukh learn show [--file <table>] <fen | code>
       rukh learn prune [--file <table>] --keep <n>
       rukh learn export [--file <table>] [--out <file.tsv>]
       rukh learn import [--file <table>] <file.tsv>

The table holds positions from the engine's games and analyses with depth, score, bound, best move and visits.

stats    counts and depths
show     what is known about a position
prune    keep the n most useful positions: searched deeply, visited often or recently
export   as text: FEN, depth, score, bound, best move, visits, separated by tabs
import   add such a text; deeper results win, visits add up; every 1000 lines are committed together

  --file <table>  the table (default: the user's own, which 'rukh serve' and option 'Learn' fill)
  --out <file>    where to write (default: standard output)
  --variant <v>   chess (default) or makruk
  --capacity <n>  maximum number of positions (default 1000000)
  --json          one JSON object
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let variant = args.parsed::<Variant>("--variant")?.unwrap_or(Variant::Chess);
    let named = args.option("--file")?.map(PathBuf::from);
    let file = named.or_else(|| Some(file_for(&default_file()?, variant)));
    let file = file.ok_or_else(|| CliError::usage("--file <table> is missing"))?;
    let job = Job {
        file,
        capacity: args.parsed("--capacity")?.unwrap_or(1_000_000),
        out: args.option("--out")?.map(PathBuf::from),
        keep: args.parsed("--keep")?,
        json: args.flag("--json"),
    };
    dispatch!(type R of variant => job.run::<R>(args))
}

struct Job {
    file: PathBuf,
    capacity: u64,
    out: Option<PathBuf>,
    keep: Option<u64>,
    json: bool,
}

impl Job {
    fn run<R: Coded>(&self, mut args: Args) -> Result<(), CliError> {
        let action: String = args.required("stats|show|prune|export|import")?;
        if action != "import" && !self.file.exists() {
            return Err(CliError::new(format!("there is no table {}", self.file.display())));
        }
        // Before the table is opened, which alone changes its bytes.
        if let Some(out) = &self.out {
            not_an_input(out, [&self.file])?;
        }
        let mut store = LearnStore::<R>::open(&self.file, self.capacity).map_err(CliError::new)?;
        match action.as_str() {
            "stats" => self.stats(&store),
            "show" => show(&store, &args.rest()?.ok_or_else(|| CliError::usage("a position is missing"))?),
            "prune" => {
                let keep = self.keep.ok_or_else(|| CliError::usage("--keep <n> is missing"))?;
                let gone = store.prune(keep).map_err(CliError::new)?;
                store.compact().map_err(CliError::new)?;
                outln!("{gone} positions removed");
                Ok(())
            }
            "export" => export(&store, self.out.as_deref()),
            "import" => import(&store, args.required::<String>("file.tsv")?.as_ref()),
            other => Err(CliError::input("expected stats, show, prune, export or import", other)),
        }
    }

    fn stats<R: Coded>(&self, store: &LearnStore<R>) -> Result<(), CliError> {
        let s = store.stats().map_err(CliError::new)?;
        let bytes = std::fs::metadata(&self.file).map_or(0, |m| m.len());
        if self.json {
            outln!("{}", reports::learned(&s, bytes));
            return Ok(());
        }
        outln!("positions     {:>12}   of at most {}", s.positions, self.capacity);
        outln!("  with score  {:>12}   mean depth {:.1}, deepest {}", s.scored, s.mean_depth(), s.deepest);
        outln!("visits        {:>12}", s.visits);
        outln!("codes given   {:>12}", s.numbers);
        outln!("bytes         {bytes:>12}");
        Ok(())
    }
}

fn show<R: Coded>(store: &LearnStore<R>, fen: &str) -> Result<(), CliError> {
    let pos: Position<R> = read_position(R::VARIANT, fen)?;
    match store.get(&pos).map_err(CliError::new)? {
        None => outln!("not known"),
        Some(l) => {
            let best = best(&pos, l.best).unwrap_or_else(|| "-".into());
            outln!("depth {}, score {} ({}), best {best}, {} visits", l.depth, l.score, l.bound.name(), l.visits);
        }
    }
    Ok(())
}

fn best<R: Coded>(pos: &Position<R>, bits: u16) -> Option<String> {
    let mv = pos.move_from_u16(bits).filter(|_| bits != 0)?;
    Some(pos.uci(mv, Notation::Standard))
}

fn export<R: Coded>(store: &LearnStore<R>, path: Option<&Path>) -> Result<(), CliError> {
    let mut out = OutputFile::create_or_stdout(path)?;
    let mut result = Ok(());
    let mut count = 0u64;
    store
        .each(|fen, l| {
            let best = Position::<R>::from_fen(fen).ok().and_then(|pos| best(&pos, l.best)).unwrap_or("-".into());
            if result.is_ok() {
                result = writeln!(out, "{fen}\t{}\t{}\t{}\t{best}\t{}", l.depth, l.score, l.bound.name(), l.visits);
                count += 1;
            }
        })
        .map_err(CliError::new)?;
    result?;
    out.commit()?;
    if path.is_some_and(|path| path.as_os_str() != "-") {
        outln!("{count} positions written");
    }
    Ok(())
}

fn import<R: Coded>(store: &LearnStore<R>, path: &Path) -> Result<(), CliError> {
    let failed = |e: std::io::Error| CliError::new(format!("cannot read {}: {e}", path.display()));
    let mut progress = Progress::new("learn", None);
    let mut batch = Vec::new();
    let mut problems = Problems::new(20);
    let mut count = 0u64;
    let name = path.to_string_lossy();
    for (number, line) in Lines::new(File::open(path).map_err(failed)?) {
        match line.map(|line| parse::<R>(&line)) {
            Ok(Some(news)) => batch.push(news),
            Ok(None) => problems.at_line(&name, number, "expected FEN, depth, score, bound, best move, visits"),
            Err(error) => problems.at_line(&name, number, error),
        }
        if batch.len() == 1000 {
            store.record(&batch).map_err(CliError::new)?;
            count += batch.len() as u64;
            batch.clear();
            progress.set(count, "positions");
        }
    }
    store.record(&batch).map_err(CliError::new)?;
    count += batch.len() as u64;
    progress.finish();
    let wrong = problems.count();
    outln!("{count} positions read, {wrong} lines refused");
    if wrong == 0 { Ok(()) } else { Err(CliError::new(format!("{wrong} lines were refused"))) }
}

fn parse<R: Coded>(line: &str) -> Option<(Position<R>, Learned)> {
    let mut fields = line.split('\t');
    let pos = Position::<R>::from_fen(fields.next()?).ok()?;
    let (depth, score) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    let bound = Bound::named(fields.next()?)?;
    let best = match fields.next()? {
        "-" => 0,
        uci => pos.parse_uci(uci).ok()?.to_u16(),
    };
    let visits = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some((pos, Learned { depth, score, bound, best, visits }))
}

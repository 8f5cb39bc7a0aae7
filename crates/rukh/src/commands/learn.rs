//! `rukh learn`: look after the table of learned positions.

use std::path::{Path, PathBuf};

use rukh_api::reports;
use rukh_code::Coded;
use rukh_core::{Position, Variant, dispatch};
use rukh_store::learn::{DEFAULT_LIMIT, LearnStore};

use super::known;
use crate::cli::{Args, CliError, Problems, Progress, not_an_input, read_position};
use crate::game::{default_file, file_for};
use crate::outln;

pub const SUMMARY: &str = "inspect and maintain the table of learned positions";
pub const HELP: &str = "\
usage: rukh learn stats [--file <table>] [--json]
       rukh learn show [--file <table>] <fen | code>
       rukh learn prune [--file <table>] --keep <n>
       rukh learn export [--file <table>] [--codes] [--out <file.tsv | file.parquet>]
       rukh learn import [--file <table>] <file.tsv | file.parquet>

The table holds positions from the engine's games and analyses with depth, score, bound, best move and visits: about
20 bytes each, since a position is its code.

stats    counts and depths
show     what is known about a position
prune    keep the n most useful positions: searched deeply, visited often or recently
export   as text: FEN (or code), depth, score, bound, best move, visits, separated by tabs; or as Parquet
import   add such a file, or one of 'rukh analyse --save-hash'; deeper results win, visits add up; every 1000 lines
         are committed together

  --file <table>  the table (default: the user's own, which 'rukh serve' and option 'Learn' fill)
  --out <file>    where to write (default: standard output)
  --variant <v>   chess (default) or makruk
  --codes         codes instead of FENs
  --limit-mb <n>  megabytes that the table may take (default 1024); a full one drops what is worth least
  --json          one JSON object
";

pub fn run(mut args: Args) -> Result<(), CliError> {
    let variant = args.parsed::<Variant>("--variant")?.unwrap_or(Variant::Chess);
    let named = args.option("--file")?.map(PathBuf::from);
    let file = named.or_else(|| Some(file_for(&default_file()?, variant)));
    let file = file.ok_or_else(|| CliError::usage("--file <table> is missing"))?;
    let job = Job {
        file,
        limit: args.parsed("--limit-mb")?.unwrap_or(DEFAULT_LIMIT >> 20).saturating_mul(1 << 20),
        codes: args.flag("--codes"),
        out: args.option("--out")?.map(PathBuf::from),
        keep: args.parsed("--keep")?,
        json: args.flag("--json"),
    };
    dispatch!(type R of variant => job.run::<R>(args))
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
    fn run<R: Coded>(&self, mut args: Args) -> Result<(), CliError> {
        let action: String = args.required("stats|show|prune|export|import")?;
        if action != "import" && !self.file.exists() {
            return Err(CliError::new(format!("there is no table {}", self.file.display())));
        }
        // Before the table is opened, which alone changes its bytes.
        if let Some(out) = &self.out {
            not_an_input(out, [&self.file])?;
        }
        let store = LearnStore::<R>::open(&self.file, self.limit).map_err(CliError::new)?;
        match action.as_str() {
            "stats" => self.stats(&store),
            "show" => show(&store, &args.rest()?.ok_or_else(|| CliError::usage("a position is missing"))?),
            "prune" => {
                let keep = self.keep.ok_or_else(|| CliError::usage("--keep <n> is missing"))?;
                let gone = store.prune(keep).map_err(CliError::new)?;
                outln!("{gone} positions removed");
                Ok(())
            }
            "export" => self.export(&store),
            "import" => import(&store, args.required::<String>("file.tsv")?.as_ref()),
            other => Err(CliError::input("expected stats, show, prune, export or import", other)),
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

//! `rukh learn`: look after the table of learned positions.

use std::path::Path;

use clap::{Command, ValueHint};
use rukh_api::reports;
use rukh_code::Coded;
use rukh_core::{Position, Variant, dispatch};
use rukh_protocol::game::{default_file, file_for};
use rukh_store::db::Stored;
use rukh_store::learn::{DEFAULT_LIMIT, LearnStore, best_move};

use super::known;
use crate::cli::define::{self, choice, file, flag, json, opt, position, word};
use crate::cli::{Args, CliError, Problems, Progress, Result, counted, not_an_input, read_position};

pub fn command() -> Command {
    let action = |name, about| {
        define::command(name, about)
            .arg(file("file TABLE", "the table (default: your own, filled by 'rukh serve' and the UCI option Learn)"))
            .arg(choice("variant V", &["chess", "makruk"], "chess (default) or makruk"))
            .arg(opt(
                "limit-mb N",
                "maximum size in megabytes (default 1024); a full table drops the least useful positions",
            ))
    };
    let actions = [
        action("stats", "show counts and depths").arg(json()),
        action("show", "show what is known about a position").arg(position().required(true)).arg(json()),
        action("prune", "keep only the most useful positions: searched deeply, visited often or recently")
            .arg(opt("keep N", "number of positions to keep").required(true)),
        action("export", "export as tab-separated text (FEN, depth, score, bound, best move, visits) or Parquet")
            .arg(flag("codes", "codes instead of FENs"))
            .arg(file("out FILE", "output file, .tsv or .parquet (default: standard output)")),
        action("import", "import such a file, or one from 'rukh analyse --save-hash'")
            .arg(word("file.tsv", "the file, .tsv or .parquet").value_hint(ValueHint::FilePath))
            .after_help("Deeper results replace shallower ones and visits add up. Committed every 1000 lines."),
    ];
    define::actions("learn", "inspect and manage the table of learned positions").subcommands(actions).after_help(
        "The table holds positions from the engine's games and analysis, with depth, score, bound, best move and\n\
             visits, in about 20 bytes each.",
    )
}

pub fn run(args: Args) -> Result {
    let Some((action, args)) = args.action() else { return Ok(()) };
    let variant = args.or::<Variant>("--variant", Variant::Chess)?;
    let named = args.path("--file");
    let file = named.or_else(|| Some(file_for(&default_file()?, variant)));
    let file = file.ok_or_else(|| CliError::usage("--file <table> is missing"))?;
    let limit = args.positive("--limit-mb")?.unwrap_or(DEFAULT_LIMIT >> 20).saturating_mul(1 << 20);
    if action != "import" && !file.exists() {
        return Err(CliError::new(format!("there is no table {}", file.display())));
    }
    // Before the table is opened, which alone changes its bytes.
    if let Some(out) = args.path("--out") {
        not_an_input(&out, [&file])?;
    }
    if action == "import" {
        not_an_input(&file, args.path("file.tsv"))?;
    }
    dispatch!(type R of variant => {
        let store = LearnStore::<R>::open(&file, limit)?;
        match action {
            "stats" => stats(&store, limit, args.flag("--json")),
            "show" => show(&store, &args.position()?.unwrap_or_default(), args.flag("--json")),
            "prune" => {
                outln!("{} removed", counted(store.prune(args.or("--keep", u64::MAX)?)?, "position"));
                Ok(())
            }
            "export" => export(&store, args.path("--out").as_deref(), args.flag("--codes")),
            _ => import(&store, &args.path("file.tsv").unwrap_or_default()),
        }
    })
}

fn stats<R: Coded>(store: &LearnStore<R>, limit: u64, json: bool) -> Result {
    let s = store.stats()?;
    let bytes = s.bytes;
    if json {
        outln!("{}", reports::learned(&s, bytes));
        return Ok(());
    }
    outln!("positions     {:>12}", s.positions);
    outln!("  with score  {:>12}   mean depth {:.1}, deepest {}", s.scored, s.mean_depth(), s.deepest);
    outln!("visits        {:>12}", s.visits);
    outln!("codes given   {:>12}", s.numbers);
    let each = bytes as f64 / s.positions.max(1) as f64;
    outln!("bytes         {bytes:>12}   {each:.1} a position, at most {} MB", limit >> 20);
    Ok(())
}

fn export<R: Coded>(store: &LearnStore<R>, out: Option<&Path>, codes: bool) -> Result {
    let (mut sink, mut count) = (known::Sink::create(out, codes)?, 0);
    let mut result = Ok(());
    store.each(|variant, code, learned| {
        if result.is_ok() {
            let pos = R::codec(variant).decode_any(code).map_err(CliError::from);
            result = pos.and_then(|pos| sink.push(&pos, learned));
            count += 1;
        }
    })?;
    result?;
    sink.finish()?;
    if out.is_some_and(|path| path.as_os_str() != "-") {
        outln!("{} written", counted(count, "position"));
    }
    Ok(())
}

fn show<R: Stored>(store: &LearnStore<R>, fen: &str, json: bool) -> Result {
    let pos: Position<R> = read_position(R::VARIANT, store.into(), fen)?;
    match store.get(&pos)? {
        found if json => outln!("{}", reports::learned_position(&pos, found.as_ref())),
        None => outln!("not known"),
        Some(l) => {
            let best = best_move(&pos, l.best);
            let visits = counted(l.visits.into(), "visit");
            outln!("depth {}, score {} ({}), best {best}, {visits}", l.depth, l.score, l.bound.name());
        }
    }
    Ok(())
}

fn import<R: Coded>(store: &LearnStore<R>, path: &Path) -> Result {
    const AT_ONCE: usize = 1000;
    let mut progress = Progress::new("learn", None);
    let (mut batch, mut problems, mut count) = (Vec::new(), Problems::new(20), 0u64);
    known::read::<R>(path, &mut problems, |pos, learned| {
        batch.push((pos, learned));
        if batch.len() == AT_ONCE {
            store.record(&batch)?;
            count += batch.len() as u64;
            batch.clear();
            progress.set(count, "positions");
        }
        Ok(())
    })?;
    store.record(&batch)?;
    count += batch.len() as u64;
    progress.finish();
    let wrong = problems.count();
    let refused = counted(wrong, "line");
    outln!("{} read, {refused} rejected", counted(count, "position"));
    if wrong == 0 { Ok(()) } else { Err(CliError::new(format!("not everything was imported: {refused} rejected"))) }
}

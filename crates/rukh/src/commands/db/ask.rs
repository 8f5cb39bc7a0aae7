//! Questions to a database: tables for people, `--json` for programs.

use std::io::BufWriter;

use rukh_api::reports;
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::db::{Database, Figures, GameRef, Missing, Stored};

use crate::cli::{CliError, Progress, Result, counted, percent, read_place};

/// An answer that lacks games ends with an error, after it was given: a script must not take it for the whole.
pub fn complete(missing: &Missing) -> Result {
    if missing.is_empty() {
        return Ok(());
    }
    missing.why.iter().for_each(|why| errln!("{why}"));
    let (segments, games) = (counted(missing.segments, "segment"), counted(missing.games, "game"));
    Err(CliError::new(format!(
        "the database is damaged: {segments} could not be read, {games} are missing from the answer"
    )))
}

pub fn explore<R: Stored>(db: &Database<R>, text: &str, json: bool) -> Result {
    let pos = &read_place(db.variant(), db.into(), text)?;
    let found = db.explore(pos)?;
    if json {
        outln!("{}", reports::explored(db, pos, &found, db.notation())?);
        return complete(&found.missing);
    }
    if let Some(opening) = R::opening(pos) {
        outln!("{} {}", opening.eco(), opening.name);
    }
    if found.figures.games == 0 {
        outln!("not in the database");
        return complete(&found.missing);
    }
    outln!("{:<7} {:>10}  {:>5} {:>5} {:>5}   {:>6}  years", "move", "games", "white", "draw", "black", "rating");
    for m in &found.moves {
        let name = R::opening(&pos.after(m.mv)).map_or(String::new(), |o| format!("   {}", o.name));
        outln!("{:<7} {}{name}", pos.san(m.mv), row(&m.figures));
    }
    outln!("{:<7} {}", "all", row(&found.figures));
    outln!("");
    for &game in &found.examples {
        let g = db.game(game)?;
        let year = g.tags.date().map_or("?".into(), |d| d.0.to_string());
        let elo = |e: Option<u16>| e.map_or(String::new(), |e| format!(" ({e})"));
        outln!(
            "{}{} – {}{}  {}  {year}  [{}]",
            g.tags.white(),
            elo(g.tags.white_elo()),
            g.tags.black(),
            elo(g.tags.black_elo()),
            g.result,
            db.game_name(game)
        );
    }
    complete(&found.missing)
}

fn row(f: &Figures) -> String {
    let share = |n: u64| format!("{:.0} %", percent(n, f.games));
    let rating = f.mean_rating().map_or("–".into(), |r| r.to_string());
    let years = match (f.first_year, f.last_year) {
        (0, 0) => "–".into(),
        (a, b) if a == b => a.to_string(),
        (a, b) => format!("{a}–{b}"),
    };
    format!(
        "{:>10}  {:>5} {:>5} {:>5}   {rating:>6}  {years:<9}",
        f.games,
        share(f.white),
        share(f.draws),
        share(f.black)
    )
}

/// One game by its name, or the example games of a position.
pub fn games<R: Stored>(db: &Database<R>, text: &str, id: Option<&str>, json: bool) -> Result {
    let (wanted, missing) = match id {
        Some(name) => {
            let (variant, game) = GameRef::named(name)
                .ok_or_else(|| CliError::input("--id: expected segment/game, as in 1/250", name))?;
            if variant.is_some_and(|variant| variant != db.variant()) {
                return Err(CliError::input(format!("this is a database of {} games", db.variant()), name));
            }
            // The game is there or it is not: what else is missing does not matter.
            (vec![game], Missing::default())
        }
        None => {
            let found = db.explore(&read_place(db.variant(), db.into(), text)?)?;
            (found.examples, found.missing)
        }
    };
    let found: Vec<(GameRef, PgnGame)> =
        wanted.into_iter().map(|game| Ok((game, db.game(game)?))).collect::<Result<_>>()?;
    if json {
        outln!("{}", reports::games(db, &found, &missing));
        return complete(&missing);
    }
    let mut writer = PgnWriter::standard(BufWriter::new(std::io::stdout().lock()));
    for (_, game) in &found {
        writer.write_game(game)?;
    }
    writer.finish()?;
    complete(&missing)
}

pub fn stats<R: Stored>(db: &Database<R>, json: bool) -> Result {
    let t = db.totals();
    let per = |bytes: u64| bytes as f64 / t.positions.max(1) as f64;
    if json {
        outln!("{}", reports::totals(&t));
        return complete(&t.missing);
    }
    outln!("variant            {:>14}", t.variant);
    outln!("segments           {:>14}", t.segments);
    outln!("games              {:>14}", t.games);
    outln!("positions          {:>14}", t.positions);
    outln!("  of several games {:>14}", t.repeated);
    outln!("bytes              {:>14}   {:5.2} a position", t.bytes, per(t.bytes));
    outln!("  code both ways   {:>14}   {:5.2}", t.code_bytes, per(t.code_bytes));
    outln!("  figures          {:>14}   {:5.2}", t.stats_bytes, per(t.stats_bytes));
    let rest = t.bytes.saturating_sub(t.code_bytes).saturating_sub(t.stats_bytes);
    outln!("  headers, checks  {rest:>14}   {:5.2}", per(rest));
    complete(&t.missing)
}

pub fn verify<R: Stored>(db: &Database<R>, deep: bool, json: bool) -> Result {
    let mut progress = Progress::new("verify", Some(db.totals().games));
    let v = db.verify(deep, |games| progress.set(games, "games"));
    progress.finish();
    if json {
        outln!("{}", reports::verification(&v));
    } else {
        for problem in &v.problems {
            outln!("{problem}");
        }
        let problems = counted(v.problems.len() as u64, "problem");
        let (games, positions) = (counted(v.games, "game"), counted(v.positions, "position"));
        outln!("{games} replayed, {positions} looked up, {problems}");
    }
    if v.problems.is_empty() { Ok(()) } else { Err(CliError::new("the database is damaged")) }
}

//! The results in words and tables.

use std::fmt::Write;

use super::game::Record;
use super::results::{Duel, Results};
use super::runner::Plan;
use super::schedule::Job;
use super::stats::{Sprt, SprtVerdict};

/// The first line of a match: who plays whom, how and from where.
pub fn header(plan: &Plan, seed: u64, total: Option<usize>) -> String {
    let engines: Vec<String> =
        plan.names.iter().zip(&plan.engines).map(|(name, spec)| format!("{name} ({})", spec.limits)).collect();
    let book = plan.book.count().map_or("random openings".to_owned(), |count| counted(count, "opening"));
    format!(
        "{}: {}; {}, {book}, seed {}, {} at a time",
        plan.variant.name(),
        engines.join(" vs "),
        total.map_or("until decided".to_owned(), |total| format!("{total} games")),
        seed,
        plan.concurrency
    )
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// One line for a finished game; `done` and `total` count games.
pub fn game_line(results: &Results, job: &Job, record: &Record, total: Option<usize>) -> String {
    let (white, black) = (&results.engines[job.white].name, &results.engines[job.black].name);
    let total = total.map_or_else(String::new, |total| format!("/{total}"));
    let mark = if record.ending.cause.is_failure() { "!! " } else { "" };
    format!(
        "{}{total} {white} - {black} {}  {mark}{} ({}, {:.1} s)",
        results.games,
        record.ending.result(),
        record.ending.text,
        counted(record.plies.len().div_ceil(2), "move"),
        record.duration.as_secs_f64()
    )
}

/// The state of one pairing: score, Elo, pairs and the sequential test.
pub fn duel_lines(results: &Results, duel: &Duel, sprt: Option<&Sprt>) -> String {
    let name = |engine: usize| &results.engines[engine].name;
    let games = duel.games;
    let mut text = format!(
        "Score of {} vs {}: +{} ={} -{}  {:.1}/{} ({})\n",
        name(duel.engines.0),
        name(duel.engines.1),
        games.wins,
        games.draws,
        games.losses,
        games.points(),
        games.games(),
        percent(games.score())
    );
    if let Some(e) = duel.estimate() {
        let _ = writeln!(
            text,
            "  Elo {} ± {} [{}, {}]  nElo {} ± {}  LOS {}  draws {}",
            signed(e.elo),
            plain(e.margin()),
            signed(e.interval.0),
            signed(e.interval.1),
            signed(e.nelo),
            plain(e.nelo_margin),
            percent(e.los),
            percent(games.draw_ratio())
        );
    }
    let _ = writeln!(text, "  pairs 0 ½ 1 1½ 2: {:?}", duel.pairs.0);
    if let Some(sprt) = sprt {
        let _ = writeln!(text, "  {}", sprt_line(sprt, duel));
    }
    text
}

/// `SPRT [0, 5]: LLR 1.23 (-2.94, 2.94)`.
fn sprt_line(sprt: &Sprt, duel: &Duel) -> String {
    let (low, high) = sprt.bounds();
    let verdict = match sprt.verdict(duel.pairs) {
        SprtVerdict::Open => "",
        SprtVerdict::AcceptH0 => "  H0 accepted",
        SprtVerdict::AcceptH1 => "  H1 accepted",
    };
    let unit = if sprt.normalised { " nElo" } else { "" };
    format!("SPRT [{}, {}]{unit}: LLR {:.2} ({low:.2}, {high:.2}){verdict}", sprt.elo0, sprt.elo1, sprt.llr(duel.pairs))
}

/// The state of a match in a few lines, for a terminal.
pub fn standing(results: &Results, sprt: Option<&Sprt>) -> String {
    match results.duels.as_slice() {
        [duel] => duel_lines(results, duel, sprt),
        _ => cross_table(results),
    }
}

/// The final report.
pub fn summary(results: &Results, sprt: Option<&Sprt>) -> String {
    let mut text = String::new();
    for duel in &results.duels {
        text += &duel_lines(results, duel, sprt);
    }
    if results.engines.len() > 2 {
        text += "\n";
        text += &cross_table(results);
    }
    text += "\n";
    text += &engine_table(results);
    if !results.endings.is_empty() {
        let mut endings = results.endings.clone();
        endings.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let parts: Vec<String> = endings.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let _ = writeln!(text, "\nGames ended by: {}", parts.join(", "));
    }
    text
}

/// Everybody against everybody, best first: `points/games` of the row's engine against the column's.
fn cross_table(results: &Results) -> String {
    let count = results.engines.len();
    let mut order: Vec<usize> = (0..count).collect();
    let score = |engine: usize| {
        let total = results.engines[engine].total();
        if total.games() == 0 { 0.0 } else { total.score() }
    };
    order.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
    let mut rows =
        vec![vec!["".to_owned(), "engine".to_owned(), "Elo".to_owned(), "±".to_owned(), "points".to_owned()]];
    rows[0].extend((1..=count).map(|rank| rank.to_string()));
    for (rank, &engine) in order.iter().enumerate() {
        let standing = &results.engines[engine];
        let estimate = standing.estimate();
        let total = standing.total();
        let mut row = vec![
            (rank + 1).to_string(),
            standing.name.clone(),
            estimate.map_or("-".to_owned(), |e| signed(e.elo)),
            estimate.map_or("-".to_owned(), |e| plain(e.margin())),
            format!("{:.1}/{}", total.points(), total.games()),
        ];
        for &other in &order {
            let games = results.duels.iter().find_map(|duel| match duel.engines {
                (a, b) if (a, b) == (engine, other) => Some(duel.games),
                (a, b) if (b, a) == (engine, other) => Some(duel.games.reversed()),
                _ => None,
            });
            row.push(games.map_or("·".to_owned(), |games| format!("{:.1}/{}", games.points(), games.games())));
        }
        rows.push(row);
    }
    table(&rows)
}

/// What each engine did and what went wrong with it.
fn engine_table(results: &Results) -> String {
    let head = [
        "engine", "games", "White +=-", "Black +=-", "time", "crash", "hang", "illegal", "start", "depth", "knps",
        "ms/move",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for engine in &results.engines {
        let triple = |tally: super::stats::Tally| format!("{} {} {}", tally.wins, tally.draws, tally.losses);
        let number = |value: Option<f64>, digits: usize| value.map_or("-".to_owned(), |v| format!("{v:.digits$}"));
        let failures = engine.failures;
        rows.push(vec![
            engine.name.clone(),
            engine.total().games().to_string(),
            triple(engine.white),
            triple(engine.black),
            failures.time.to_string(),
            failures.crashes.to_string(),
            failures.hangs.to_string(),
            failures.illegal.to_string(),
            failures.starts.to_string(),
            number(engine.effort.depth(), 1),
            number(engine.effort.speed().map(|speed| speed / 1000.0), 0),
            number(engine.effort.milliseconds(), 1),
        ]);
    }
    table(&rows)
}

/// Columns of equal width; text to the left, numbers to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[column] - cell.chars().count());
            let left = rows[0][column] == "engine";
            let _ = if left { write!(line, "  {cell}{pad}") } else { write!(line, "  {pad}{cell}") };
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn signed(value: f64) -> String {
    if value.is_finite() { format!("{value:+.1}") } else { plain(value) }
}

fn plain(value: f64) -> String {
    match value {
        v if v.is_nan() => "?".to_owned(),
        f64::INFINITY => "inf".to_owned(),
        f64::NEG_INFINITY => "-inf".to_owned(),
        v => format!("{v:.1}"),
    }
}

fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_owned() } else { format!("{:.1} %", share * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Standing;
    use crate::stats::{Penta, Tally};

    pub fn example(engines: usize) -> Results {
        let names = ["new", "old", "other"];
        let games = Tally { wins: 136, draws: 111, losses: 97 };
        let pairs = Penta([34, 30, 44, 40, 24]);
        let standing = |name: &str| Standing { name: name.to_owned(), white: games, pairs, ..Standing::default() };
        let mut results = Results::default();
        results.engines = names[..engines].iter().map(|name| standing(name)).collect();
        for a in 0..engines {
            for b in a + 1..engines {
                results.duels.push(Duel { engines: (a, b), games, pairs });
            }
        }
        results.endings = vec![("mate".to_owned(), 3), ("repetition".to_owned(), 9)];
        results
    }

    #[test]
    fn duels() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, normalised: false };
        let text = summary(&example(2), Some(&sprt));
        assert!(text.contains("Score of new vs old: +136 =111 -97  191.5/344 (55.7 %)"), "{text}");
        assert!(text.contains("SPRT [0, 5]: LLR"), "{text}");
        assert!(text.contains("pairs 0 ½ 1 1½ 2: [34, 30, 44, 40, 24]"), "{text}");
        assert!(text.contains("Games ended by: repetition 9, mate 3"), "{text}");
    }

    #[test]
    fn cross_tables() {
        let text = summary(&example(3), None);
        let row = text.lines().find(|line| line.trim_start().starts_with("2  old")).unwrap();
        assert!(row.contains("191.5/344") && row.contains("152.5/344") && row.contains('·'), "{text}");
    }

    #[test]
    fn nothing_played() {
        let mut results = example(2);
        results.duels[0] = Duel { engines: (0, 1), ..Duel::default() };
        let text = summary(&results, None);
        assert!(text.contains("+0 =0 -0  0.0/0 (-)"), "{text}");
        assert!(!text.contains("NaN"), "{text}");
    }

    #[test]
    fn clean_sweeps() {
        let mut results = example(2);
        results.duels[0].pairs = Penta([0, 0, 0, 0, 5]);
        results.duels[0].games = Tally { wins: 10, draws: 0, losses: 0 };
        let text = summary(&results, None);
        assert!(text.contains("Elo inf ± ? [?, ?]"), "{text}");
    }
}

//! `rukh suite`: solves a file of test positions.

use std::fs::File;
use std::time::Instant;

use rukh_core::{AnyGame, AnyPosition};
use rukh_engine::{Engine, Limits, ScoreBound};
use rukh_files::Lines;

use crate::cli::{Args, CliError, Problems, Progress};
use crate::game::EngineArgs;
use crate::outln;

pub const SUMMARY: &str = "solve a file of test positions (best move, avoid move, mate distance)";
pub const HELP: &str = "\
usage: rukh suite <file.epd> [--movetime MS | --nodes N | --depth N] [options]

Searches every position of an EPD file and counts those solved:
  bm MOVES   the move played is one of these        am MOVES   the move played is none of these
  dm N       mate in N is announced with exactly that distance (negative: the side to move is mated);
             the search is told to prove it, like `go mate N`

  --movetime MS    time for each position (default 1000)
  --nodes N        nodes for each position; the result can be repeated exactly
  --depth N        depth for each position
  --first N        only the first N positions
  --max-mate N     only positions with a mate in at most N
  --hold N         end a search early once the solution has stood for N iterations
  --quiet          only the summary
  --threads N, --hash MB, --syzygy PATH, --eval-file FILE, --variant chess|chess960|makruk";

/// What must be found.
struct Task {
    best: Vec<String>,
    avoid: Vec<String>,
    mate: Option<i32>,
}

impl Task {
    fn new(game: &AnyPosition, operations: &[(String, Vec<String>)]) -> Result<Self, String> {
        let operands = |code: &str| {
            operations.iter().find(|(name, _)| name == code).map_or(&[][..], |(_, operands)| operands.as_slice())
        };
        let moves = |code: &str| -> Result<Vec<String>, String> {
            operands(code)
                .iter()
                .map(|san| game.parse_move(san).map(|mv| game.uci(mv)).map_err(|e| e.to_string()))
                .collect()
        };
        let mate = match operands("dm").first() {
            Some(text) => Some(text.parse().map_err(|_| format!("dm '{text}' is no number"))?),
            None => None,
        };
        let task = Self { best: moves("bm")?, avoid: moves("am")?, mate };
        if task.best.is_empty() && task.avoid.is_empty() && task.mate.is_none() {
            return Err("no bm, am or dm operation".into());
        }
        Ok(task)
    }

    fn wanted(&self, game: &AnyPosition) -> String {
        let sans = |list: &[String]| {
            let words = list.iter().filter_map(|uci| game.parse_uci(uci).ok().map(|mv| game.san(mv)));
            words.collect::<Vec<_>>().join(" ")
        };
        match (self.best.is_empty(), self.avoid.is_empty(), self.mate) {
            (_, _, Some(mate)) => format!("dm {mate}"),
            (false, _, None) => format!("bm {}", sans(&self.best)),
            _ => format!("am {}", sans(&self.avoid)),
        }
    }

    fn solved(&self, played: &str, mate: Option<i32>) -> bool {
        (self.best.is_empty() || self.best.iter().any(|mv| mv == played))
            && !self.avoid.iter().any(|mv| mv == played)
            && self.mate.is_none_or(|wanted| mate == Some(wanted))
    }
}

pub fn run(mut args: Args) -> Result<(), CliError> {
    let movetime: Option<u64> = args.parsed("--movetime")?;
    let nodes: Option<u64> = args.parsed("--nodes")?;
    let depth: Option<u32> = args.parsed("--depth")?;
    let first: usize = args.parsed("--first")?.unwrap_or(usize::MAX);
    let max_mate: Option<i32> = args.parsed("--max-mate")?;
    let hold: Option<u32> = args.parsed("--hold")?;
    let quiet = args.flag("--quiet");
    let setup = EngineArgs::take(&mut args)?;
    let file: String = args.required("file.epd")?;
    args.finish()?;
    let movetime = if nodes.is_none() && depth.is_none() { Some(movetime.unwrap_or(1000)) } else { movetime };
    let limits = Limits { movetime, nodes, depth, ..Limits::default() };

    let source = File::open(&file).map_err(|error| CliError::new(format!("cannot read {file}: {error}")))?;
    let mut tasks = Vec::new();
    let mut problems = Problems::new(20);
    for (number, line) in Lines::new(source) {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                problems.at_line(&file, number, error);
                continue;
            }
        };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let read = AnyPosition::from_epd(setup.variant, &line).map_err(|error| error.to_string());
        let task = read.and_then(|(game, operations)| {
            let task = Task::new(&game, &operations)?;
            let id = operations.iter().find(|(name, _)| name == "id").and_then(|(_, operands)| operands.first());
            let name = id.cloned().unwrap_or_else(|| format!("line {number}"));
            Ok((name, game, task))
        });
        match task {
            Ok(task) if max_mate.is_none_or(|max| task.2.mate.is_some_and(|mate| mate.abs() <= max)) => {
                tasks.push(task)
            }
            Ok(_) => {}
            Err(error) => problems.at_line(&file, number, CliError::input(error, &line)),
        }
    }
    tasks.truncate(first);
    if tasks.is_empty() {
        return Err(CliError::new(format!("{file} holds no test position")));
    }

    let engine = setup.engine()?;
    let start = Instant::now();
    let mut progress = Progress::new("suite", Some(tasks.len() as u64));
    let (mut solved, mut nodes_total) = (0, 0);
    for (at, (name, game, task)) in tasks.iter().enumerate() {
        progress.set(at as u64, &format!("{solved} solved, now {name}"));
        let mate = task.mate.map(i32::unsigned_abs);
        let found = solve(&engine, game, task, Limits { mate, ..limits.clone() }, hold)?;
        nodes_total += found.nodes;
        if found.solved {
            solved += 1;
        } else if !quiet {
            let played = game.parse_uci(&found.played).map_or("nothing".to_owned(), |mv| game.san(mv));
            outln!("failed  {name}: {}, played {played} ({})  {}", task.wanted(game), found.score, game.fen());
        }
    }
    progress.finish();
    outln!("{solved} of {} solved, {nodes_total} nodes, {:.1} s", tasks.len(), start.elapsed().as_secs_f64());
    problems.verdict()
}

struct Found {
    solved: bool,
    played: String,
    score: String,
    nodes: u64,
}

fn solve(
    engine: &Engine,
    game: &AnyPosition,
    task: &Task,
    limits: Limits,
    hold: Option<u32>,
) -> Result<Found, CliError> {
    engine.new_game();
    engine.set_game(AnyGame::from(game)).map_err(CliError::new)?;
    let (mut mate, mut nodes, mut score) = (None, 0, String::new());
    // The iteration since which the solution has stood.
    let mut since = None;
    let result = engine
        .go(limits, |info| {
            nodes = info.nodes;
            if info.multipv > 1 || info.bound != ScoreBound::Exact {
                return;
            }
            mate = info.mate();
            score = match mate {
                Some(moves) => format!("mate {moves}"),
                None => format!("{:+.2}", f64::from(info.centipawns()) / 100.0),
            };
            // The right distance is proven: no need to use up the time.
            if task.mate.is_some() && mate == task.mate {
                engine.stop();
            }
            let first = info.pv.uci().next().map(|mv| mv.to_string()).unwrap_or_default();
            since = if task.solved(&first, mate) { since.or(Some(info.depth)) } else { None };
            if let (Some(hold), Some(since)) = (hold, since)
                && info.depth >= since + hold
            {
                engine.stop();
            }
        })
        .sound()
        .map_err(CliError::new)?;
    let played = result.best_move.unwrap_or_default();
    Ok(Found { solved: task.solved(&played, mate), played, score, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Variant;

    #[test]
    fn judging() {
        let of = |operations: &str| {
            let line = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {operations}");
            let (game, operations) = AnyPosition::from_epd(Variant::Chess, &line).map_err(|error| error.to_string())?;
            Task::new(&game, &operations)
        };
        let best = of("bm e4 d4;").unwrap();
        assert!(best.solved("e2e4", None) && !best.solved("c2c4", None));
        assert_eq!(best.wanted(&AnyPosition::new(Variant::Chess)), "bm e4 d4");
        let avoid = of("am f3;").unwrap();
        assert!(avoid.solved("e2e4", None) && !avoid.solved("f2f3", None));
        let mate = of("dm 3;").unwrap();
        assert!(mate.solved("e2e4", Some(3)) && !mate.solved("e2e4", Some(4)) && !mate.solved("e2e4", None));
        assert!(of("id \"nothing\";").is_err() && of("bm e5;").is_err() && of("dm x;").is_err());
    }
}

//! Test positions: what must be found, and whether the engine finds it.

use rukh_core::{AnyGame, AnyPosition, Variant};
use rukh_engine::{Engine, Limits, ScoreBound};

use crate::LabError;

/// What must be found.
pub struct Task {
    /// `bm`: one of these, in UCI notation.
    pub best: Vec<String>,
    /// `am`: none of these.
    pub avoid: Vec<String>,
    /// `dm`: mate in so many moves, announced exactly; negative where the side to move is mated.
    pub mate: Option<i32>,
}

impl Task {
    /// Reads an EPD line: its `id`, the position, and what must be found there.
    pub fn read(variant: Variant, line: &str) -> Result<(Option<String>, AnyPosition, Task), String> {
        let (game, operations) = AnyPosition::from_epd(variant, line).map_err(|error| error.to_string())?;
        let task = Task::new(&game, &operations)?;
        let id = operations.iter().find(|(name, _)| name == "id").and_then(|(_, operands)| operands.first());
        Ok((id.cloned(), game, task))
    }

    /// Reads the operations of an EPD line.
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

    /// The task as EPD writes it.
    pub fn wanted(&self, game: &AnyPosition) -> String {
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

    /// Whether a move and the mate that was announced are the solution.
    pub fn solved(&self, played: &str, mate: Option<i32>) -> bool {
        (self.best.is_empty() || self.best.iter().any(|mv| mv == played))
            && !self.avoid.iter().any(|mv| mv == played)
            && self.mate.is_none_or(|wanted| mate == Some(wanted))
    }
}

/// What a search found.
pub struct Found {
    /// Whether that is the solution.
    pub solved: bool,
    /// The move, in UCI notation; empty without one.
    pub played: String,
    /// The last score, for people.
    pub score: String,
    /// Nodes of the search.
    pub nodes: u64,
}

/// Searches a position with an empty table. With `hold` the search ends once the solution has stood for so many iterations.
pub fn solve(
    engine: &Engine,
    game: &AnyPosition,
    task: &Task,
    limits: Limits,
    hold: Option<u32>,
) -> Result<Found, LabError> {
    engine.new_game();
    engine.set_game(AnyGame::from(game)).map_err(LabError::new)?;
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
        .map_err(LabError::new)?;
    let played = result.best_move.unwrap_or_default();
    Ok(Found { solved: task.solved(&played, mate), played, score, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judging() {
        let of = |operations: &str| {
            let line = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {operations}");
            Task::read(Variant::Chess, &line).map(|(_, _, task)| task)
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

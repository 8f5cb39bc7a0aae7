//! What other people's UCI engines say, as a page reads it. They may say anything: moves are checked, the rest is bounded.

use rukh_core::AnyPosition;
use rukh_engine::{Scale, ScoreBound, Wdl};
use rukh_json::object;

use crate::chances::score_of;
use crate::told::{Answer, Lines, Report, ShownScore};

/// Most lines of a search, and most moves of a line.
const MOST_LINES: usize = 32;
const MOST_MOVES: usize = 64;
/// No engine means more than that.
const MOST_CP: i64 = 100_000;
const MOST_MATE: i64 = 1000;

/// The answer to `hello`: `elo` is the range of its levels, if it has any.
pub fn greeting(name: &str, threads: usize, hash: usize, elo: Option<(i64, i64)>) -> String {
    object(|out| {
        out.str("name", name);
        out.str("kind", "native");
        out.num("threads", threads);
        out.num("hash", hash);
        match elo {
            Some((least, most)) => out.obj("elo", |out| {
                out.num("least", least);
                out.num("most", most);
            }),
            None => out.null("elo"),
        }
    })
}

/// The reports of one search, and its answer.
pub struct GuestReporter {
    root: AnyPosition,
    lines: Lines,
    best: Said,
}

/// What an `info` line says.
#[derive(Debug, Clone)]
struct Said {
    depth: u64,
    seldepth: u64,
    multipv: usize,
    score: Option<ShownScore>,
    bound: ScoreBound,
    wdl: Option<Wdl>,
    nodes: u64,
    nps: u64,
    hashfull: u64,
    tbhits: u64,
    time: u64,
}

impl Default for Said {
    fn default() -> Said {
        Said {
            depth: 0,
            seldepth: 0,
            multipv: 1,
            score: None,
            bound: ScoreBound::Exact,
            wdl: None,
            nodes: 0,
            nps: 0,
            hashfull: 0,
            tbhits: 0,
            time: 0,
        }
    }
}

impl GuestReporter {
    /// For a search of this position.
    pub fn new(root: AnyPosition) -> GuestReporter {
        GuestReporter { root, lines: Lines::default(), best: Said::default() }
    }

    /// A line of the engine as a report with the number of its variation; None where it says nothing about one.
    pub fn info(&mut self, line: &str) -> Option<(usize, String)> {
        let (said, pv) = read(line)?;
        let score = said.score?;
        // A line that comes before those above it has nothing to stand on.
        if said.multipv > self.lines.len() + 1 || said.multipv > MOST_LINES {
            return None;
        }
        let mut pos = self.root.clone();
        let (mut moves, mut san) = (Vec::new(), Vec::new());
        for word in pv.split_ascii_whitespace().take(MOST_MOVES) {
            let Ok(mv) = pos.parse_uci(word) else { break };
            moves.push(pos.uci(mv));
            san.push(pos.san(mv));
            pos.play(mv);
        }
        if moves.is_empty() {
            return None;
        }
        let text = self.lines.report(&Report {
            depth: said.depth,
            seldepth: said.seldepth.max(said.depth),
            multipv: said.multipv,
            score: (score, said.bound),
            wdl: said.wdl.unwrap_or_else(|| self.chances(score)),
            turn: self.root.side_to_move(),
            nodes: said.nodes,
            nps: said.nps,
            hashfull: said.hashfull,
            tbhits: said.tbhits,
            time: said.time,
            pv: &moves,
            san: &san,
        });
        let number = said.multipv;
        if number == 1 {
            self.best = said;
        }
        Some((number, text))
    }

    /// The answer, from what stands behind `bestmove`. A move that cannot be played is an error.
    pub fn result(&self, answer: &str) -> Result<String, String> {
        let mut words = answer.split_ascii_whitespace();
        let word = words.next().unwrap_or_default();
        let shown: String = word.chars().take(20).collect();
        let over = self.root.legal_moves().is_empty();
        let best = match self.root.parse_uci(word) {
            Ok(mv) => Some(mv),
            Err(_) if over => None,
            Err(_) if word.is_empty() => return Err("answered `bestmove` without a move".into()),
            Err(_) => return Err(format!("answered `{shown}`, which is not a legal move here")),
        };
        let ponder = best.and_then(|mv| {
            let mut after = self.root.clone();
            after.play(mv);
            let word = words.next().filter(|&word| word == "ponder").and_then(|_| words.next())?;
            after.parse_uci(word).ok().map(|mv| after.uci(mv))
        });
        Ok(self.lines.answer(&Answer {
            best: best.map(|mv| self.root.uci(mv)),
            san: best.map(|mv| self.root.san(mv)),
            ponder,
            score: self.best.score.unwrap_or(ShownScore::Cp(0)),
            depth: self.best.depth,
            nodes: self.best.nodes,
        }))
    }

    /// By the model of our own scores, where the engine says nothing about chances.
    fn chances(&self, score: ShownScore) -> Wdl {
        let variant = self.root.variant();
        Wdl::of(
            match score {
                ShownScore::Cp(cp) => score_of(Some(cp as f64), None, Scale::typical(variant)),
                ShownScore::Mate(mate) => score_of(None, Some(mate as f64), Scale::typical(variant)),
            }
            .unwrap_or_default(),
            variant,
        )
    }
}

/// Reads `info …`; the moves of its line come apart.
fn read(line: &str) -> Option<(Said, &str)> {
    let rest = line.trim_start().strip_prefix("info ")?;
    let (head, pv) = rest.split_once(" pv ")?;
    if head.split_ascii_whitespace().any(|word| word == "string") {
        return None;
    }
    let mut said = Said::default();
    let mut words = head.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).unwrap_or(0).min(1 << 53);
        match word {
            "depth" => said.depth = number().min(1000),
            "seldepth" => said.seldepth = number().min(1000),
            "multipv" => said.multipv = number().clamp(1, 1000) as usize,
            "nodes" => said.nodes = number(),
            "nps" => said.nps = number(),
            "hashfull" => said.hashfull = number().min(1000),
            "tbhits" => said.tbhits = number(),
            "time" => said.time = number(),
            "wdl" => said.wdl = wdl([number(), number(), number()]),
            "lowerbound" => said.bound = ScoreBound::Lower,
            "upperbound" => said.bound = ScoreBound::Upper,
            "score" => {
                let (kind, value) = (words.next(), words.next().and_then(|word| word.parse::<i64>().ok()));
                said.score = match (kind, value) {
                    (Some("cp"), Some(cp)) => Some(ShownScore::Cp(cp.clamp(-MOST_CP, MOST_CP))),
                    (Some("mate"), Some(mate)) => Some(ShownScore::Mate(mate.clamp(-MOST_MATE, MOST_MATE))),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    Some((said, pv))
}

/// Chances as the engine gives them: of a thousand, or they are not believed.
fn wdl([win, draw, loss]: [u64; 3]) -> Option<Wdl> {
    let fits = win <= 1000 && draw <= 1000 && loss <= 1000 && (998..=1002).contains(&(win + draw + loss));
    fits.then_some(Wdl { win: win as _, draw: draw as _, loss: loss as _ })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Variant;

    fn reporter() -> GuestReporter {
        GuestReporter::new(AnyPosition::new(Variant::Chess))
    }

    #[test]
    fn a_search_is_told() {
        let mut told = reporter();
        assert!(told.info("info string NNUE pv e2e4").is_none());
        assert!(told.info("info depth 3 currmove e2e4 currmovenumber 1").is_none());
        let (line, text) = told
            .info("info depth 12 seldepth 18 multipv 1 score cp 31 nodes 5000 nps 100000 hashfull 7 tbhits 0 time 50 pv e2e4 e7e5 e1e8")
            .unwrap();
        assert_eq!(line, 1);
        assert!(text.contains(r#""pv":["e2e4","e7e5"],"san":["e4","e5"]"#), "{text}");
        assert!(text.contains(r#""score":{"cp":31,"bound":"exact"}"#), "{text}");
        let (_, text) = told.info("info depth 12 multipv 2 score mate -3 upperbound wdl 0 1 999 pv d2d4").unwrap();
        assert!(text.contains(r#""score":{"mate":-3,"bound":"upper"},"wdl":{"win":0,"draw":1,"loss":999}"#), "{text}");
        let result = told.result("e2e4 ponder e7e5").unwrap();
        assert!(result.starts_with(r#"{"bestMove":"e2e4","san":"e4","ponder":"e7e5","score":{"cp":31,"#), "{result}");
    }

    #[test]
    fn nonsense_is_not_believed() {
        let mut told = reporter();
        for line in [
            "",
            "info",
            "info pv",
            "info depth 1 score cp 1 pv",
            "info depth 1 pv e2e4",
            "info score cp x pv e2e4",
            "info depth 1 score cp 1 pv e2e5",
            "info depth 1 multipv 9 score cp 1 pv e2e4",
            "info depth 1 score cp 1 pv \u{1F3B2}",
        ] {
            assert!(told.info(line).is_none(), "{line}");
        }
        let flood = format!(
            "info depth 99999999999999999999 score cp -99999999999 wdl 5 5 5 pv {}",
            "g1f3 g8f6 f3g1 f6g8 ".repeat(999)
        );
        let (_, text) = told.info(&flood).unwrap();
        assert!(text.len() < 4000 && text.contains(r#""cp":-100000"#), "{text}");
        for (answer, words) in [("e2e5", "`e2e5`"), ("", "without a move"), ("0000", "`0000`"), ("(none)", "`(none)`")]
        {
            assert!(told.result(answer).unwrap_err().contains(words), "{answer}");
        }
        let mated = AnyPosition::from_fen(Variant::Chess, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").unwrap();
        assert!(GuestReporter::new(mated).result("(none)").unwrap().contains(r#""bestMove":null"#));
    }
}

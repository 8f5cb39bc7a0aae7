//! The lines of the UCI protocol that the runner reads: `option` and `info`.

use std::fmt;

use super::spec::same_name;

/// An option that an engine offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UciOption {
    /// As the engine calls it.
    pub name: String,
    /// `check`, `spin`, `combo`, `button` or `string`.
    pub kind: String,
    /// Its value before anybody sets it.
    pub default: String,
    /// For `spin`.
    pub range: Option<(i64, i64)>,
    /// For `combo`.
    pub values: Vec<String>,
}

impl UciOption {
    /// Reads `option name Move Overhead type spin default 10 min 0 max 5000`.
    pub fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix("option name ")?;
        let (name, rest) = rest.split_once(" type ")?;
        let mut words = rest.split_whitespace();
        let kind = words.next()?.to_owned();
        let mut option =
            Self { name: name.trim().to_owned(), kind, default: String::new(), range: None, values: Vec::new() };
        let (mut min, mut max) = (None, None);
        let mut key = "";
        for word in words {
            match word {
                "default" | "min" | "max" => key = word,
                "var" => {
                    key = word;
                    option.values.push(String::new());
                }
                _ => match key {
                    "default" => append(&mut option.default, word),
                    "min" => min = word.parse().ok(),
                    "max" => max = word.parse().ok(),
                    "var" => {
                        if let Some(value) = option.values.last_mut() {
                            append(value, word);
                        }
                    }
                    _ => {}
                },
            }
        }
        option.range = min.zip(max);
        Some(option)
    }

    /// Says what is wrong with a value, if something is.
    pub fn reject(&self, value: &str) -> Option<String> {
        match self.kind.as_str() {
            // What follows would be a command of its own.
            _ if value.contains(['\n', '\r']) => Some("expected one line".to_owned()),
            "check" if !matches!(value, "true" | "false") => Some("expected true or false".to_owned()),
            "spin" => {
                let Ok(number) = value.parse::<i64>() else { return Some("expected a whole number".to_owned()) };
                let (min, max) = self.range?;
                (!(min..=max).contains(&number)).then(|| format!("expected {min} to {max}"))
            }
            "combo" if !self.values.iter().any(|known| same_name(known, value)) => {
                Some(format!("expected one of {}", self.values.join(", ")))
            }
            _ => None,
        }
    }
}

fn append(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// A score as an engine reports it, from the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate, negative when getting mated.
    Mate(i32),
}

impl Score {
    /// Centipawns; mates are far beyond every threshold.
    pub fn centipawns(self) -> i32 {
        match self {
            Self::Cp(cp) => cp.clamp(-90_000, 90_000),
            Self::Mate(moves) if moves > 0 => 100_000 - moves.min(1000),
            Self::Mate(moves) => -100_000 - moves.max(-1000),
        }
    }
}

impl fmt::Display for Score {
    /// As PGN comments have it: `+0.35`, `-M5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(0) => f.write_str("0.00"),
            Self::Cp(cp) => write!(f, "{:+.2}", f64::from(*cp) / 100.0),
            Self::Mate(moves) => write!(f, "{}M{}", if *moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
        }
    }
}

/// What an engine said about a search: the latest value of each field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchInfo {
    pub depth: Option<u32>,
    pub score: Option<Score>,
    pub nodes: Option<u64>,
}

impl SearchInfo {
    /// Takes over what an `info` line says; lines about other than the best variation say nothing here.
    pub fn update(&mut self, line: &str) {
        let mut words = line.split_ascii_whitespace().skip(1);
        let mut new = *self;
        while let Some(word) = words.next() {
            match word {
                // Free text, or a list of moves: nothing of ours after it.
                "string" | "pv" | "refutation" | "currline" => break,
                "multipv" if words.next() != Some("1") => return,
                "depth" => new.depth = words.next().and_then(|n| n.parse().ok()).or(new.depth),
                "nodes" => new.nodes = words.next().and_then(|n| n.parse().ok()).or(new.nodes),
                "score" => {
                    let (kind, number) = (words.next(), words.next().and_then(|n| n.parse().ok()));
                    new.score = match (kind, number) {
                        (Some("cp"), Some(number)) => Some(Score::Cp(number)),
                        (Some("mate"), Some(number)) => Some(Score::Mate(number)),
                        _ => new.score,
                    };
                }
                _ => {}
            }
        }
        // The depth being looked at is not the depth reached: `info depth 20 currmove …` has no score.
        if new.score == self.score && !line.contains(" score ") {
            new.depth = self.depth;
        }
        *self = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options() {
        let spin = UciOption::parse("option name Move Overhead type spin default 10 min 0 max 5000").unwrap();
        assert_eq!((spin.name.as_str(), spin.range), ("Move Overhead", Some((0, 5000))));
        assert_eq!(spin.reject("10"), None);
        assert_eq!(spin.reject("5001").as_deref(), Some("expected 0 to 5000"));
        assert!(spin.reject("x").is_some());
        let combo = UciOption::parse("option name UCI_Variant type combo default chess var chess var makruk").unwrap();
        assert_eq!(combo.values, ["chess", "makruk"]);
        assert_eq!(combo.reject("Makruk"), None);
        assert!(combo.reject("xiangqi").is_some());
        let check = UciOption::parse("option name Ponder type check default false").unwrap();
        assert!(check.reject("on").is_some() && check.reject("true").is_none());
        let string = UciOption::parse("option name SyzygyPath type string default <empty>").unwrap();
        assert_eq!((string.default.as_str(), string.reject("a b")), ("<empty>", None));
        assert!(string.reject("a\nsetoption name Other value b").is_some(), "one command becomes two");
        assert_eq!(UciOption::parse("option name Broken"), None);
        assert_eq!(UciOption::parse("id name x"), None);
    }

    #[test]
    fn infos() {
        let mut info = SearchInfo::default();
        info.update("info depth 8 seldepth 11 multipv 1 score cp -35 nodes 1200 nps 100000 time 12 pv e2e4 score cp 9");
        assert_eq!(info, SearchInfo { depth: Some(8), score: Some(Score::Cp(-35)), nodes: Some(1200) });
        info.update("info depth 9 currmove d2d4 currmovenumber 2");
        assert_eq!(info.depth, Some(8));
        info.update("info depth 9 multipv 2 score cp -80");
        info.update("info string score cp 5");
        info.update("info score");
        info.update("info depth x score cp y");
        assert_eq!(info.score, Some(Score::Cp(-35)));
        info.update("info depth 9 score mate -3 upperbound nodes 5000");
        assert_eq!(info, SearchInfo { depth: Some(9), score: Some(Score::Mate(-3)), nodes: Some(5000) });
    }

    #[test]
    fn scores() {
        let shown = [Score::Cp(35), Score::Cp(-120), Score::Cp(0), Score::Mate(5), Score::Mate(-2)];
        assert_eq!(shown.map(|score| score.to_string()), ["+0.35", "-1.20", "0.00", "+M5", "-M2"]);
        assert!(Score::Mate(3).centipawns() > Score::Mate(5).centipawns());
        assert!(Score::Mate(-3).centipawns() > Score::Mate(-1).centipawns());
        assert!(Score::Mate(0).centipawns() < -99_000, "mate 0 is said by the side that is mated");
        assert_eq!(Score::Cp(i32::MIN).centipawns(), -90_000);
        assert!(Score::Mate(i32::MIN).centipawns() < -90_000);
    }
}

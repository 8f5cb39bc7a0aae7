//! The words of the Universal Chess Interface, read without touching any state.
//!
//! [`parse`] turns one line into a [`Command`] or a [`ParseError`] whose text goes to the GUI as `info string`.
//! Whatever depends on the position (is the move legal, does the option exist) is decided by the session.

use rukh_engine::Limits;
use thiserror::Error;

use crate::input::MAX_LINE;

/// One line from the GUI, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `uci`: say who you are and list the options.
    Uci,
    /// `debug on|off`.
    Debug(bool),
    /// `isready`.
    IsReady,
    /// `ucinewgame`.
    NewGame,
    /// `position …`.
    Position(PositionSpec),
    /// A `position` that cannot be read: what the GUI's board shows is not known any more.
    BadPosition(ParseError),
    /// `go …`.
    Go(GoSpec),
    /// `stop`.
    Stop,
    /// `ponderhit`.
    PonderHit,
    /// `setoption name … [value …]`.
    SetOption {
        /// The option's name as typed; compared without regard to case.
        name: String,
        /// The text after `value`, absent for buttons.
        value: Option<String>,
    },
    /// `d`: draw the board.
    Display,
    /// `eval`: the table of evaluation terms.
    Eval,
    /// `bench [depth]`.
    Bench(Option<u32>),
    /// `flip`: the same position seen by the other side.
    Flip,
    /// `help`.
    Help,
    /// `quit`.
    Quit,
}

/// Where a game starts and what was played since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionSpec {
    /// A FEN or a position code; `None` is the variant's starting position.
    pub fen: Option<String>,
    /// Moves in UCI notation.
    pub moves: Vec<String>,
}

/// Everything that may follow `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoSpec {
    /// When to stop; the moves are still text, below.
    pub limits: Limits,
    /// Only these root moves.
    pub searchmoves: Vec<String>,
    /// Count leaves instead of searching.
    pub perft: Option<u32>,
    /// What could not be understood: reported and skipped, as the protocol asks.
    pub problems: Vec<String>,
}

/// Why a line was refused. The message is written for the person who reads the GUI's log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The first word is no command.
    #[error("unknown command '{0}'; 'help' lists the commands")]
    Unknown(String),
    /// A word that must be followed by something was not.
    #[error("'{0}' needs {1}")]
    Missing(&'static str, &'static str),
    /// A value that cannot be read.
    #[error("'{0}' needs {1}, not '{2}'")]
    Bad(&'static str, &'static str, String),
    /// A line longer than any honest game.
    #[error("line of {0} bytes rejected (maximum {MAX_LINE})")]
    TooLong(usize),
}

/// How much of an unknown word is quoted back.
const QUOTE: usize = 60;

/// Depths beyond this mean "as deep as you can".
const MAX_DEPTH: u32 = 1_000;

/// `go perft` beyond this would outlive the user.
const MAX_PERFT: u32 = 20;
const PERFT: &str = "a depth from 1 to 20";

fn quote(word: &str) -> String {
    let clean: String = word.chars().take(QUOTE).map(|c| if c.is_control() { '?' } else { c }).collect();
    if word.chars().count() > QUOTE { clean + "…" } else { clean }
}

/// Reads one line. A blank line or a comment (`#`) is `Ok(None)`.
pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(None) };
    if line.len() > MAX_LINE {
        let error = ParseError::TooLong(line.len());
        return match first {
            "position" => Ok(Some(Command::BadPosition(error))),
            "go" => Ok(Some(Command::Go(GoSpec { problems: vec![error.to_string()], ..GoSpec::default() }))),
            _ => Err(error),
        };
    }
    if first.starts_with('#') {
        return Ok(None);
    }
    let command = match first {
        "uci" => Command::Uci,
        "debug" => match words.next() {
            Some("on") => Command::Debug(true),
            Some("off") => Command::Debug(false),
            Some(word) => return Err(ParseError::Bad("debug", "'on' or 'off'", quote(word))),
            None => return Err(ParseError::Missing("debug", "'on' or 'off'")),
        },
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "position" => position(words).map_or_else(Command::BadPosition, Command::Position),
        "go" => Command::Go(go(words)?),
        "perft" => {
            let depth = number("perft", PERFT, words.next())?;
            Command::Go(GoSpec { perft: Some(perft_depth(depth)?), ..GoSpec::default() })
        }
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "setoption" => set_option(line)?,
        // Registration is never needed; the word is part of the protocol all the same.
        "register" => return Ok(None),
        "d" | "display" => Command::Display,
        "eval" => Command::Eval,
        "bench" => Command::Bench(match words.next() {
            None => None,
            some => Some(number("bench", "a depth", some)?),
        }),
        "flip" => Command::Flip,
        "help" | "?" => Command::Help,
        "quit" | "exit" => Command::Quit,
        other => return Err(ParseError::Unknown(quote(other))),
    };
    Ok(Some(command))
}

fn number<T: std::str::FromStr>(key: &'static str, wanted: &'static str, word: Option<&str>) -> Result<T, ParseError> {
    let word = word.ok_or(ParseError::Missing(key, wanted))?;
    word.parse().map_err(|_| ParseError::Bad(key, wanted, quote(word)))
}

fn perft_depth(depth: u32) -> Result<u32, ParseError> {
    if (1..=MAX_PERFT).contains(&depth) { Ok(depth) } else { Err(ParseError::Bad("perft", PERFT, depth.to_string())) }
}

fn position<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<PositionSpec, ParseError> {
    const WANTED: &str = "'startpos', 'fen <position>' or 'code <code>'";
    let (fen, next) = match words.next() {
        Some("startpos") => (None, words.next()),
        // An extension: a position code instead of a FEN.
        Some("code") => {
            let code = words.next().ok_or(ParseError::Missing("position code", "a code"))?;
            ((code != "startpos").then(|| code.to_owned()), words.next())
        }
        Some("fen") => {
            let mut fen = String::new();
            let mut next = None;
            for word in words.by_ref() {
                if word == "moves" {
                    next = Some(word);
                    break;
                }
                if !fen.is_empty() {
                    fen.push(' ');
                }
                fen.push_str(word);
            }
            if fen.is_empty() {
                return Err(ParseError::Missing("position fen", "a position"));
            }
            (Some(fen), next)
        }
        Some(word) => return Err(ParseError::Bad("position", WANTED, quote(word))),
        None => return Err(ParseError::Missing("position", WANTED)),
    };
    match next {
        None => Ok(PositionSpec { fen, moves: Vec::new() }),
        Some("moves") => Ok(PositionSpec { fen, moves: words.map(str::to_owned).collect() }),
        Some(word) => Err(ParseError::Bad("position startpos", "'moves'", quote(word))),
    }
}

/// Words that end a list of `searchmoves`.
const GO_WORDS: [&str; 13] = [
    "searchmoves", "ponder", "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime",
    "infinite", "perft",
];

fn go<'a>(words: impl Iterator<Item = &'a str>) -> Result<GoSpec, ParseError> {
    let mut spec = GoSpec::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "searchmoves" => {
                while let Some(mv) = words.next_if(|w| !GO_WORDS.contains(w)) {
                    spec.searchmoves.push(mv.to_owned());
                }
                if spec.searchmoves.is_empty() {
                    spec.problems.push(ParseError::Missing("searchmoves", "at least one move").to_string());
                }
            }
            "ponder" => spec.limits.ponder = true,
            "infinite" => spec.limits.infinite = true,
            // A GUI waits for this one's numbers, not for a move: it may as well be told.
            "perft" => spec.perft = Some(perft_depth(number("perft", PERFT, words.next())?)?),
            other if GO_WORDS.contains(&other) => {
                let value = words.next_if(|w| !GO_WORDS.contains(w));
                if let Err(problem) = spec.limit(other, value) {
                    spec.problems.push(problem.to_string());
                }
            }
            other => spec.problems.push(format!("ignored '{}'", quote(other))),
        }
    }
    Ok(spec)
}

impl GoSpec {
    /// Reads one limit with its value.
    fn limit(&mut self, word: &str, value: Option<&str>) -> Result<(), ParseError> {
        const MS: &str = "a time in milliseconds";
        const MOVES: &str = "a number of moves";
        // A clock that has run out arrives as a negative number from some GUIs: one millisecond is left.
        let clock = |key| Ok(Some(number::<i64>(key, MS, value)?.max(1) as u64));
        let increment = |key| Ok(number::<i64>(key, MS, value)?.max(0) as u64);
        let limits = &mut self.limits;
        match word {
            "wtime" => limits.time[0] = clock("wtime")?,
            "btime" => limits.time[1] = clock("btime")?,
            "winc" => limits.inc[0] = increment("winc")?,
            "binc" => limits.inc[1] = increment("binc")?,
            "movetime" => limits.movetime = clock("movetime")?,
            // Zero means sudden death in some GUIs.
            "movestogo" => limits.movestogo = Some(number("movestogo", MOVES, value)?).filter(|&n: &u32| n > 0),
            "depth" => limits.depth = Some(number::<u32>("depth", "a number of plies", value)?.clamp(1, MAX_DEPTH)),
            "nodes" => limits.nodes = Some(number::<u64>("nodes", "a number of nodes", value)?.max(1)),
            _ => limits.mate = Some(number::<u32>("mate", MOVES, value)?.clamp(1, MAX_DEPTH)),
        }
        Ok(())
    }

    /// A plain `go`: nothing but `stop` is meant to end it.
    pub fn says_nothing(&self) -> bool {
        self.limits == Limits::default() && self.perft.is_none() && self.problems.is_empty()
    }
}

/// Names and values may both hold spaces, so the line is cut at its first separate `value`.
fn set_option(line: &str) -> Result<Command, ParseError> {
    let rest = line.trim_start().strip_prefix("setoption").unwrap_or_default().trim();
    if rest.is_empty() {
        return Err(ParseError::Missing("setoption", "'name <option>'"));
    }
    let Some(rest) = rest.strip_prefix("name").filter(|r| r.is_empty() || r.starts_with(char::is_whitespace)) else {
        let word = rest.split_whitespace().next().unwrap_or_default();
        return Err(ParseError::Bad("setoption", "'name <option>'", quote(word)));
    };
    let mut name = String::new();
    let mut value = None;
    let mut tail = rest;
    loop {
        tail = tail.trim_start();
        let end = tail.find(char::is_whitespace).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        if word.is_empty() {
            break;
        }
        if word == "value" {
            value = Some(after.trim().to_owned());
            break;
        }
        if !name.is_empty() {
            name.push(' ');
        }
        name.push_str(word);
        tail = after;
    }
    if name.is_empty() {
        return Err(ParseError::Missing("setoption name", "the name of an option"));
    }
    Ok(Command::SetOption { name, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(line: &str) -> Command {
        parse(line).expect(line).expect(line)
    }

    fn err(line: &str) -> String {
        parse(line).expect_err(line).to_string()
    }

    fn go(line: &str) -> GoSpec {
        match ok(line) {
            Command::Go(spec) => spec,
            other => panic!("{line}: {other:?}"),
        }
    }

    /// The one thing that is wrong with a `go`.
    fn problem(line: &str) -> String {
        let spec = go(line);
        assert!(spec.problems.len() == 1 && !spec.says_nothing(), "{line}: {spec:?}");
        spec.problems[0].clone()
    }

    #[test]
    fn single_words() {
        assert_eq!(ok("uci"), Command::Uci);
        assert_eq!(ok("  isready \r"), Command::IsReady);
        assert_eq!(ok("ucinewgame"), Command::NewGame);
        assert_eq!(ok("stop"), Command::Stop);
        assert_eq!(ok("ponderhit"), Command::PonderHit);
        assert_eq!(ok("quit"), Command::Quit);
        assert_eq!(ok("d"), Command::Display);
        assert_eq!(ok("eval"), Command::Eval);
        assert_eq!(ok("flip"), Command::Flip);
        assert_eq!(ok("debug\ton"), Command::Debug(true));
        assert_eq!(ok("bench"), Command::Bench(None));
        assert_eq!(ok("bench 9"), Command::Bench(Some(9)));
        assert_eq!(parse("").unwrap(), None);
        assert_eq!(parse("   \t ").unwrap(), None);
        assert_eq!(parse("register later").unwrap(), None);
    }

    #[test]
    fn positions() {
        let spec = |fen: Option<&str>, moves: &[&str]| {
            Command::Position(PositionSpec {
                fen: fen.map(str::to_owned),
                moves: moves.iter().map(|m| (*m).to_owned()).collect(),
            })
        };
        assert_eq!(ok("position startpos"), spec(None, &[]));
        assert_eq!(ok("position startpos moves"), spec(None, &[]));
        assert_eq!(ok("position code fdc_yeyowhwg- moves e2e4"), spec(Some("fdc_yeyowhwg-"), &["e2e4"]));
        assert_eq!(ok("position code startpos moves e2e4"), spec(None, &["e2e4"]));
        assert_eq!(ok("position startpos moves e2e4 e7e5"), spec(None, &["e2e4", "e7e5"]));
        let fen = "8/8/8/8/8/8/8/K1k5 w - - 0 1";
        assert_eq!(ok(&format!("position fen {fen}")), spec(Some(fen), &[]));
        assert_eq!(ok(&format!("position  fen   {fen} moves a1a2")), spec(Some(fen), &["a1a2"]));
        let bad = |line: &str| match ok(line) {
            Command::BadPosition(error) => error.to_string(),
            other => panic!("{line}: {other:?}"),
        };
        assert!(bad("position").contains("startpos"));
        assert!(bad("position code").contains("a code"));
        assert!(bad("position fen").contains("needs a position"));
        assert!(bad("position fen moves e2e4").contains("needs a position"));
        assert!(bad("position startpos e2e4").contains("moves"));
        assert!(bad("position e2e4").contains("e2e4"));
        assert!(bad(&format!("position {}", "x".repeat(MAX_LINE))).contains("rejected"));
    }

    #[test]
    fn every_limit() {
        assert_eq!(go("go depth 7").limits.depth, Some(7));
        assert_eq!(go("go depth 0").limits.depth, Some(1));
        assert_eq!(go("go depth 4000000000").limits.depth, Some(MAX_DEPTH));
        assert_eq!(go("go nodes 12345678901").limits.nodes, Some(12_345_678_901));
        assert_eq!(go("go movetime 250").limits.movetime, Some(250));
        assert_eq!(go("go mate 3").limits.mate, Some(3));
        assert_eq!(go("go perft 4").perft, Some(4));
        assert_eq!(go("perft 4").perft, Some(4));
        assert!(go("go infinite").limits.infinite);
        let clocks = go("go wtime 1000 btime 2000 winc 10 binc 20 movestogo 30 ponder").limits;
        assert_eq!(clocks.time, [Some(1000), Some(2000)]);
        assert_eq!(clocks.inc, [10, 20]);
        assert_eq!(clocks.movestogo, Some(30));
        assert!(clocks.ponder);
        assert_eq!(go("go wtime -50 btime 0").limits.time, [Some(1), Some(1)]);
        assert_eq!(go("go movestogo 0").limits.movestogo, None);
    }

    #[test]
    fn searchmoves_stop_at_a_keyword() {
        let spec = go("go searchmoves e2e4 d2d4 depth 5");
        assert_eq!(spec.searchmoves, ["e2e4", "d2d4"]);
        assert_eq!(spec.limits.depth, Some(5));
        assert!(problem("go searchmoves").contains("at least one move"));
        let spec = go("go searchmoves depth 5");
        assert!(spec.limits.depth == Some(5) && spec.problems[0].contains("at least one move"));
    }

    #[test]
    fn bad_limits_are_named_and_the_others_kept() {
        assert!(problem("go depth").contains("depth"));
        assert!(problem("go depth x").contains("'x'"));
        assert!(problem("go nodes -3").contains("'-3'"));
        assert!(problem("go wtime 99999999999999999999").contains("wtime"));
        let spec = go("go wtime 1e3 btime 2000 depth movetime 30 nodes 5 joho");
        let read = Limits { time: [None, Some(2000)], movetime: Some(30), nodes: Some(5), ..Limits::default() };
        assert_eq!(spec.limits, read);
        assert_eq!(spec.problems.len(), 3, "{:?}", spec.problems);
        assert_eq!(go("go joho depth 3").problems, ["ignored 'joho'"]);
        assert!(go("go").says_nothing() && go("go searchmoves e2e4").says_nothing());
        assert!(!go("go infinite").says_nothing() && !go("go winc 5").says_nothing());
        assert!(err("go perft 0").contains("1 to 20"));
        assert!(err("perft").contains("1 to 20"));
    }

    #[test]
    fn options() {
        let set = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(ok("setoption name Hash value 64"), set("Hash", Some("64")));
        assert_eq!(ok("setoption name Clear Hash"), set("Clear Hash", None));
        assert_eq!(ok("setoption name Move   Overhead value 30"), set("Move Overhead", Some("30")));
        assert_eq!(ok("setoption name SyzygyPath value /a b/value c"), set("SyzygyPath", Some("/a b/value c")));
        assert_eq!(ok("setoption name SyzygyPath value"), set("SyzygyPath", Some("")));
        assert!(err("setoption").contains("name"));
        assert!(err("setoption Hash 64").contains("Hash"));
        assert!(err("setoption name").contains("name"));
        assert!(err("setoption name value 3").contains("name"));
        assert!(err("setoption nameHash value 3").contains("nameHash"));
    }

    #[test]
    fn nonsense_is_quoted_in_short() {
        assert!(err("xyzzy").contains("'xyzzy'"));
        assert!(err("debug").contains("on"));
        assert!(err("debug maybe").contains("maybe"));
        assert!(err("bench x").contains("'x'"));
        let long = err(&"y".repeat(500));
        assert!(long.len() < 150, "{long}");
        assert!(err(&"z".repeat(MAX_LINE + 1)).contains("rejected"));
    }

    /// Any mixture of the protocol's own words, numbers and rubbish parses or is refused; it never panics.
    #[test]
    fn random_lines_never_panic() {
        const WORDS: [&str; 26] = [
            "go", "position", "fen", "startpos", "moves", "setoption", "name", "value", "depth", "nodes", "wtime",
            "-1", "99999999999999999999999", "\u{0}", "é", "searchmoves", "infinite", "e2e4", "perft", "debug", "on",
            "bench", "ponder", "mate", "0", "\t",
        ];
        let mut rng = rukh_core::rng::Rng::plain(1);
        for _ in 0..20_000 {
            let words: Vec<&str> = (0..rng.below(9)).map(|_| WORDS[rng.below(WORDS.len())]).collect();
            let _ = parse(&words.join(" "));
        }
    }
}

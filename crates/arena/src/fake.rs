//! Pretended engines with known faults, to try the runner on: `rukh match --fake-engine KIND`.

use std::io::{BufRead, Write};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use rukh_core::rng::Rng;
use rukh_core::{Chess, Game, Makruk, Notation, Position, Rules};

/// What the engine does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing: random legal moves.
    None,
    /// Ends with status 3 at its third move.
    Crash,
    /// Says nothing any more from its third move on.
    Hang,
    /// An illegal third move.
    Illegal,
    /// Thinks longer than its clock allows.
    Slow,
    /// Never says `uciok`.
    Mute,
    /// Writes without end instead of moving.
    Flood,
    /// Random moves, each called lost.
    Hopeless,
    /// Answers `bestmove` without a move.
    Empty,
}

impl Fault {
    /// Every kind with its name.
    pub const ALL: [(&'static str, Self); 9] = [
        ("random", Self::None),
        ("crash", Self::Crash),
        ("hang", Self::Hang),
        ("illegal", Self::Illegal),
        ("slow", Self::Slow),
        ("mute", Self::Mute),
        ("flood", Self::Flood),
        ("hopeless", Self::Hopeless),
        ("empty", Self::Empty),
    ];
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, fault)| *fault).ok_or_else(|| "there is no such fake engine".to_owned())
    }
}

/// Speaks UCI until `quit` or the end of input.
pub fn run(fault: Fault, input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let (mut makruk, mut chess960) = (false, false);
    let mut position = String::new();
    let mut moves_made = 0;
    for line in input.lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first().copied().unwrap_or("") {
            "uci" if fault == Fault::Mute => {}
            "uci" => {
                let name = Fault::ALL.iter().find(|(_, known)| *known == fault).map_or("", |(name, _)| name);
                writeln!(output, "id name fake {name}\nid author Rukh")?;
                writeln!(output, "option name UCI_Chess960 type check default false")?;
                writeln!(output, "option name UCI_Variant type combo default chess var chess var makruk\nuciok")?;
            }
            "isready" => writeln!(output, "readyok")?,
            "setoption" => {
                makruk |= line.contains("UCI_Variant value makruk");
                chess960 |= line.contains("UCI_Chess960 value true");
            }
            "ucinewgame" => moves_made = 0,
            "position" => position = line,
            "go" => {
                moves_made += 1;
                let notation = if chess960 { Notation::Chess960 } else { Notation::Standard };
                let best =
                    if makruk { pick::<Makruk>(&position, notation) } else { pick::<Chess>(&position, notation) };
                let score = if fault == Fault::Hopeless { -1500 } else { 0 };
                match fault {
                    Fault::Crash if moves_made == 3 => {
                        eprintln!("fake engine: on purpose");
                        std::process::exit(3);
                    }
                    Fault::Hang if moves_made >= 3 => continue,
                    Fault::Illegal if moves_made == 3 => writeln!(output, "bestmove a1a1")?,
                    Fault::Empty if moves_made == 3 => writeln!(output, "bestmove")?,
                    Fault::Flood if moves_made == 3 => loop {
                        writeln!(output, "info string {}", "flood ".repeat(1000))?;
                    },
                    Fault::Slow => {
                        let value = |name| words.iter().skip_while(|word| **word != name).nth(1)?.parse::<u64>().ok();
                        let time = value("wtime").into_iter().chain(value("btime")).chain(value("movetime")).max();
                        thread::sleep(Duration::from_millis(time.unwrap_or(0) + 100));
                        writeln!(output, "bestmove {best}")?;
                    }
                    _ => writeln!(output, "info depth 1 score cp {score} nodes 20 time 1 pv {best}\nbestmove {best}")?,
                }
            }
            "quit" => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}

/// A move that looks random but is always the same in the same position.
fn pick<R: Rules>(command: &str, notation: Notation) -> String {
    let (start, moves) = command.split_once(" moves ").unwrap_or((command, ""));
    let fen = start.strip_prefix("position fen ");
    let Ok(start) = fen.map_or_else(|| Ok(Position::<R>::startpos()), Position::from_fen) else {
        return "(none)".to_owned();
    };
    let mut game = Game::new(start);
    for text in moves.split_whitespace() {
        match game.position().parse_uci(text) {
            Ok(mv) => game.play(mv),
            Err(_) => return "(none)".to_owned(),
        }
    }
    let list = game.position().legal_moves();
    if list.is_empty() {
        return "(none)".to_owned();
    }
    let mv = list[Rng::new(game.position().key(), u64::from(game.position().ply())).below(list.len())];
    game.position().uci(mv, notation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(fault: Fault, input: &str) -> String {
        let mut output = Vec::new();
        run(fault, input.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn random_mover() {
        let text = talk(Fault::None, "uci\nisready\nposition startpos moves e2e4\ngo nodes 1\nquit\n");
        assert!(text.contains("uciok\nreadyok\n"), "{text}");
        let best = text.rsplit("bestmove ").next().unwrap().trim();
        let position = Position::<Chess>::startpos();
        let position = position.after(position.parse_uci("e2e4").unwrap());
        assert!(position.parse_uci(best).is_ok(), "{best}");
    }

    #[test]
    fn faults() {
        assert!(!talk(Fault::Mute, "uci\nisready\n").contains("uciok"));
        let go = "position startpos\ngo nodes 1\n".repeat(3);
        assert_eq!(talk(Fault::Hang, &go).matches("bestmove").count(), 2);
        assert!(talk(Fault::Illegal, &go).ends_with("bestmove a1a1\n"));
        assert!(talk(Fault::Hopeless, &go).contains("score cp -1500"));
        assert!("nonsense".parse::<Fault>().is_err());
    }
}

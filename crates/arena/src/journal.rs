//! What a match has played so far, in a file: a match that was killed goes on with the same command.
//!
//! The first line tells which match it is; every finished game is one more line, written at once. A line that was cut by a
//! power failure is dropped.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::time::Duration;

use rukh_core::Color;
use rukh_files::LockedFile;

use super::game::{Cause, Ending, Ply, Record};
use super::uci::{Score, SearchInfo};

const HEAD: &str = "rukh match 1";

/// The open file.
pub struct Journal {
    file: LockedFile,
}

/// A match that is gone on with: the numbers of its games and how they went.
pub type Played = Vec<(usize, Record)>;

impl Journal {
    /// The seed of the match that a file belongs to, if there is one.
    pub fn seed_of(path: &Path) -> Option<u64> {
        let mut head = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(File::open(path).ok()?), &mut head).ok()?;
        head.strip_prefix(HEAD)?.trim_start_matches('\t').split('\t').next()?.trim_end().parse().ok()
    }

    /// Opens the file of the match with this seed and `identity` (one line), and reads what is in it.
    pub fn open(path: &Path, seed: u64, identity: &str) -> Result<(Journal, Played), String> {
        let said = |error: io::Error| format!("{}: {error}", path.display());
        let how = OpenOptions::new().create(true).append(true).read(true).to_owned();
        let (mut file, lock) = rukh_files::open_locked(path, &how).map_err(said)?;
        if let Err(TryLockError::WouldBlock) = lock {
            return Err(format!("{}: another match is being played with it", path.display()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(said)?;
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let mut lines = whole.lines();
        let head = format!("{HEAD}\t{seed}\t{identity}");
        match lines.next() {
            // New, or killed while it was begun; a line that is not whole may be somebody's.
            None if HEAD.starts_with(&text) || text.strip_prefix(HEAD).is_some_and(|rest| rest.starts_with('\t')) => {}
            None => return Err(format!("{}: not the state of a match", path.display())),
            Some(known) if known == head => {}
            Some(known) if known.starts_with(HEAD) => {
                return Err(format!(
                    "{}: this is the state of another match (other engines, limits or openings)",
                    path.display()
                ));
            }
            Some(_) => return Err(format!("{}: not the state of a match", path.display())),
        }
        let mut played = Played::new();
        for (number, line) in lines.enumerate() {
            let game = read(line).ok_or_else(|| format!("{}:{}: damaged", path.display(), number + 2))?;
            played.push(game);
        }
        file.set_len(whole.len() as u64).map_err(said)?;
        if whole.is_empty() {
            file.write_all(format!("{head}\n").as_bytes()).map_err(said)?;
        }
        Ok((Journal { file }, played))
    }

    /// Adds a finished game.
    pub fn add(&mut self, number: usize, record: &Record) -> io::Result<()> {
        self.file.write_all(written(number, record).as_bytes())?;
        self.file.flush()
    }
}

/// Fields by tabs; what comes from outside has none.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn written(number: usize, record: &Record) -> String {
    let cause = CAUSES.iter().find(|(_, cause)| *cause == record.ending.cause).map_or("rules", |(name, _)| name);
    let mut line = format!(
        "{number}\t{}\t{cause}\t{}\t{}\t{}\t{}\t{}\t",
        record.ending.result(),
        clean(&record.ending.text),
        record.fen.as_deref().unwrap_or("-"),
        record.first_move,
        if record.first_color == Color::White { 'w' } else { 'b' },
        record.duration.as_millis()
    );
    for ply in &record.plies {
        line += &ply.san.replace(' ', "_");
        if let Some((info, used)) = &ply.search {
            let number = |value: Option<u64>| value.map_or("-".to_owned(), |n| n.to_string());
            let score = info.score.map_or("-".to_owned(), |score| match score {
                Score::Cp(cp) => cp.to_string(),
                Score::Mate(moves) => format!("M{moves}"),
            });
            line +=
                &format!(",{},{score},{},{}", number(info.depth.map(u64::from)), number(info.nodes), used.as_micros());
        }
        line.push(' ');
    }
    line.push('\n');
    line
}

const CAUSES: [(&str, Cause); 7] = [
    ("rules", Cause::Rules),
    ("adjudication", Cause::Adjudication),
    ("time", Cause::Time),
    ("crash", Cause::Crash),
    ("hang", Cause::Hang),
    ("illegal", Cause::Illegal),
    ("start", Cause::Start),
];

fn read(line: &str) -> Option<(usize, Record)> {
    let mut fields = line.split('\t');
    let mut next = || fields.next();
    let number = next()?.parse().ok()?;
    let winner = match next()? {
        "1-0" => Some(Color::White),
        "0-1" => Some(Color::Black),
        "1/2-1/2" => None,
        _ => return None,
    };
    let cause = next()?;
    let cause = CAUSES.iter().find(|(name, _)| *name == cause)?.1;
    let text = next()?.to_owned();
    let fen = Some(next()?).filter(|fen| *fen != "-").map(str::to_owned);
    let first_move = next()?.parse().ok()?;
    let first_color = if next()? == "w" { Color::White } else { Color::Black };
    let duration = Duration::from_millis(next()?.parse().ok()?);
    let plies = next()?.split_whitespace().map(ply).collect::<Option<_>>()?;
    let ending = Ending { winner, cause, text };
    Some((number, Record { fen, first_move, first_color, plies, duration, ending }))
}

fn ply(word: &str) -> Option<Ply> {
    let mut parts = word.split(',');
    let san = parts.next()?.replace('_', " ");
    let Some(depth) = parts.next() else { return Some(Ply { san, search: None }) };
    let score = match parts.next()? {
        "-" => None,
        score => Some(match score.strip_prefix('M') {
            Some(moves) => Score::Mate(moves.parse().ok()?),
            None => Score::Cp(score.parse().ok()?),
        }),
    };
    let info = SearchInfo { depth: depth.parse().ok(), score, nodes: parts.next()?.parse().ok() };
    Some(Ply { san, search: Some((info, Duration::from_micros(parts.next()?.parse().ok()?))) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_testing::NewFile;

    fn record() -> Record {
        let info = SearchInfo { depth: Some(12), score: Some(Score::Mate(-3)), nodes: Some(4567) };
        let bare = SearchInfo { depth: None, score: Some(Score::Cp(-35)), nodes: None };
        Record {
            fen: Some("8/8/8/8/8/8/8/K1k5 b - - 0 9".to_owned()),
            first_move: 9,
            first_color: Color::Black,
            plies: vec![
                Ply { san: "e4".to_owned(), search: None },
                Ply { san: "Nf3+".to_owned(), search: Some((info, Duration::from_micros(1234))) },
                Ply { san: "O-O".to_owned(), search: Some((bare, Duration::ZERO)) },
            ],
            duration: Duration::from_millis(77),
            ending: Ending::failure(Color::White, Cause::Crash, "crashed (exit status: 1)"),
        }
    }

    #[test]
    fn a_match_goes_on_after_a_kill() {
        let path = NewFile::new("journal");
        let (mut journal, played) = Journal::open(&path, 7, "a b").unwrap();
        assert!(played.is_empty());
        journal.add(3, &record()).unwrap();
        journal.add(0, &record()).unwrap();
        drop(journal);
        // Cut in the middle of a line at every place: what was whole stays, and the file can be gone on with.
        let text = std::fs::read_to_string(&path).unwrap();
        let second = text.trim_end().rfind('\n').unwrap() + 1;
        for cut in second..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            let (mut journal, played) = Journal::open(&path, 7, "a b").unwrap();
            assert_eq!(played, [(3, record())], "{cut}");
            assert!(Journal::open(&path, 7, "a b").err().unwrap().contains("another match is being played"));
            journal.add(0, &record()).unwrap();
            drop(journal);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(Journal::open(&path, 7, "a b").unwrap().1, [(3, record()), (0, record())]);
        assert_eq!(Journal::seed_of(&path), Some(7));
        assert!(Journal::open(&path, 7, "a c").err().unwrap().contains("another match"));
        for foreign in ["[Event \"x\"]\n", "a line without an end", "rukh match 12"] {
            std::fs::write(&path, foreign).unwrap();
            assert!(Journal::open(&path, 7, "a b").err().unwrap().contains("not the state"), "{foreign}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign, "left alone");
        }
        // Killed while it was begun.
        for begun in ["", "rukh ma", "rukh match 1\t7\ta"] {
            std::fs::write(&path, begun).unwrap();
            assert!(Journal::open(&path, 8, "a b").unwrap().1.is_empty(), "{begun}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), "rukh match 1\t8\ta b\n");
        }
    }
}

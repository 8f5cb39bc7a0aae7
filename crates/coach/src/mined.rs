//! Puzzles as they are found, in a file beside the one that is asked for: a kill at any moment costs the games that were being
//! looked at. docs/formats/puzzles.md has the layout.

use std::collections::{BTreeSet, HashSet};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rukh_files::{LockedFile, OutputFile};

use crate::error::CoachError;
use crate::puzzles::Puzzle;

const HEAD: &str = "rukh-puzzles-part 2 ";
/// Of games it knew only how many bytes they had.
const HEAD_1: &str = "rukh-puzzles-part 1 ";
/// A line that ends what one game brought.
const DONE: &str = "#";
/// A file that is larger is none of ours.
const MOST_BYTES: u64 = 8 << 30;

/// What was mined so far.
pub struct Mined {
    file: LockedFile,
    path: PathBuf,
    games: BTreeSet<u64>,
    rows: Vec<String>,
}

impl Mined {
    /// The file beside an output.
    pub fn beside(out: &Path) -> PathBuf {
        let mut name = out.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    /// Opens what an earlier run with the same `task` left, or begins anew. What a kill has cut short is cut off.
    pub fn open(path: &Path, task: &str) -> Result<Mined, CoachError> {
        let failed = CoachError::file(path);
        let how = OpenOptions::new().create(true).append(true).read(true).to_owned();
        let (mut file, lock) = rukh_files::open_locked(path, &how).map_err(&failed)?;
        if matches!(lock, Err(std::fs::TryLockError::WouldBlock)) {
            return Err(CoachError::Refused(format!("{} is in use by another run", path.display())));
        }
        if file.metadata().map_err(&failed)?.len() > MOST_BYTES {
            return Err(CoachError::Refused(format!("{} is too large for puzzles", path.display())));
        }
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes)).map_err(&failed)?;
        let task: String = task.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let head = format!("{HEAD}{task}\n");
        let mut mined = Mined { file, path: path.to_owned(), games: BTreeSet::new(), rows: Vec::new() };
        if head.as_bytes().starts_with(&bytes) {
            // New, or killed while it was begun.
            mined.cut(0)?;
            mined.write(&head)?;
            return Ok(mined);
        }
        if bytes.starts_with(HEAD_1.as_bytes()) {
            return Err(CoachError::Refused(format!(
                "{} was begun by an earlier version of Rukh: finish it with that one, or remove the file",
                path.display()
            )));
        }
        let Some(body) = bytes.strip_prefix(head.as_bytes()) else {
            return Err(CoachError::Refused(format!(
                "{} is what a run with other games or other options has left: finish that one, or remove the file",
                path.display()
            )));
        };
        let whole = mined.read(body)?;
        mined.cut((head.len() + whole) as u64)?;
        Ok(mined)
    }

    /// Takes over what games have brought; returns how many bytes of it are whole.
    fn read(&mut self, body: &[u8]) -> Result<usize, CoachError> {
        let (mut whole, mut at, mut rows) = (0, 0, Vec::new());
        for line in body.split_inclusive(|&byte| byte == b'\n') {
            at += line.len();
            let Some(line) = line.strip_suffix(b"\n") else { break };
            let damaged = || CoachError::Refused(format!("{} is damaged: remove it", self.path.display()));
            let line = std::str::from_utf8(line).map_err(|_| damaged())?;
            match line.strip_prefix(DONE) {
                Some(game) => {
                    self.games.insert(game.parse().map_err(|_| damaged())?);
                    self.rows.append(&mut rows);
                    whole = at;
                }
                None => rows.push(line.to_owned()),
            }
        }
        Ok(whole)
    }

    /// Writes what a game has brought, all at once.
    pub fn add(&mut self, game: u64, rows: Vec<String>) -> Result<(), CoachError> {
        let mut text = String::new();
        for row in &rows {
            text.push_str(row);
            text.push('\n');
        }
        text.push_str(&format!("{DONE}{game}\n"));
        self.write(&text)?;
        self.games.insert(game);
        self.rows.extend(rows);
        Ok(())
    }

    /// The games that are done, from 0 in the order of the files.
    pub fn games(&self) -> &BTreeSet<u64> {
        &self.games
    }

    /// The rows of all puzzles.
    pub fn rows(&self) -> &[String] {
        &self.rows
    }

    /// The codes of all puzzles.
    pub fn codes(&self) -> HashSet<String> {
        self.rows.iter().filter_map(|row| row.split(',').next()).map(str::to_owned).collect()
    }

    /// The puzzles are where they belong: this is not needed any more.
    pub fn remove(self) -> Result<(), CoachError> {
        std::fs::remove_file(&self.path).map_err(CoachError::file(&self.path))
    }

    fn write(&mut self, text: &str) -> Result<(), CoachError> {
        self.file.write_all(text.as_bytes()).map_err(CoachError::file(&self.path))
    }

    fn cut(&mut self, length: u64) -> Result<(), CoachError> {
        self.file.set_len(length).map_err(CoachError::file(&self.path))
    }
}

/// Where puzzles go.
pub enum Harvest {
    /// Into a file that is written at the end, all at once; until then they are beside it.
    Aside(Mined, PathBuf),
    /// To standard output or a device, every one at once.
    Direct(OutputFile),
}

impl Harvest {
    /// For an output, or standard output without one, and what [`Mining::task`](crate::puzzles::Mining::task) says.
    pub fn open(out: Option<&Path>, task: &str) -> Result<Harvest, CoachError> {
        match out {
            // A device has no place beside it.
            Some(out) if !out.exists() || out.is_file() => {
                Ok(Harvest::Aside(Mined::open(&Mined::beside(out), task)?, out.to_owned()))
            }
            _ => {
                let begun = OutputFile::create_or_stdout(out).and_then(|mut direct| {
                    writeln!(direct, "{}", Puzzle::HEAD)?;
                    Ok(direct)
                });
                begun.map(Harvest::Direct).map_err(CoachError::Output)
            }
        }
    }

    /// The codes of the puzzles of an earlier run, and its games.
    pub fn earlier(&self) -> (HashSet<String>, BTreeSet<u64>) {
        match self {
            Harvest::Aside(mined, _) => (mined.codes(), mined.games().clone()),
            Harvest::Direct(_) => Default::default(),
        }
    }

    /// What a game has brought.
    pub fn add(&mut self, game: u64, puzzles: &[Puzzle]) -> Result<(), CoachError> {
        let rows: Vec<String> = puzzles.iter().map(Puzzle::row).collect();
        match self {
            Harvest::Aside(mined, _) => mined.add(game, rows),
            Harvest::Direct(out) => rows.iter().try_for_each(|row| writeln!(out, "{row}")).map_err(CoachError::Output),
        }
    }

    /// Puts the puzzles in their place. Where not all is `done` the file beside them stays, to go on from, and is named.
    pub fn finish(self, done: bool) -> Result<Option<PathBuf>, CoachError> {
        let (mined, out) = match self {
            Harvest::Aside(mined, out) => (mined, out),
            Harvest::Direct(out) => return out.commit().map(|()| None).map_err(CoachError::Output),
        };
        let mut text = format!("{}\n", Puzzle::HEAD);
        for row in mined.rows() {
            text.push_str(row);
            text.push('\n');
        }
        rukh_files::replace(&out, text.as_bytes()).map_err(CoachError::Output)?;
        if done { mined.remove().map(|()| None) } else { Ok(Some(mined.path)) }
    }
}

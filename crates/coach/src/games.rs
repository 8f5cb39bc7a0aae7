//! The games of one player.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use rukh_core::{AnyPosition, Color, Move};
use rukh_pgn::{GameResult, GameTree, Tags, TreeReader};

use crate::error::CoachError;

/// A game as the coach needs it.
#[derive(Clone, Debug)]
pub struct PlayerGame {
    /// Its tags.
    pub tags: Tags,
    /// The first position.
    pub start: AnyPosition,
    /// The main line.
    pub moves: Vec<Move>,
    /// Milliseconds on the clock after each move, where the game says it.
    pub clocks: Vec<Option<u64>>,
    /// The result.
    pub result: GameResult,
    /// The player's side.
    pub color: Color,
}

impl PlayerGame {
    /// The main line of a game, with the player on one side.
    pub fn of(tree: &GameTree, color: Color) -> PlayerGame {
        let line: Vec<_> = tree.main_line().collect();
        let moves = line.iter().map(|&id| tree.node(id).mv).collect();
        let clocks = line.iter().map(|&id| tree.node(id).clock_ms()).collect();
        PlayerGame { moves, clocks, color, result: tree.result, start: tree.start.clone(), tags: tree.tags.clone() }
    }

    /// The opponent's name.
    pub fn opponent(&self) -> String {
        match self.color {
            Color::White => self.tags.black().into_owned(),
            Color::Black => self.tags.white().into_owned(),
        }
    }

    /// The opponent's rating.
    pub fn opponent_rating(&self) -> Option<u16> {
        match self.color {
            Color::White => self.tags.black_elo(),
            Color::Black => self.tags.white_elo(),
        }
    }

    /// The player's points; none if the result is not known.
    pub fn points(&self) -> Option<f64> {
        match (self.result, self.color) {
            (GameResult::Draw, _) => Some(0.5),
            (GameResult::White, Color::White) | (GameResult::Black, Color::Black) => Some(1.0),
            (GameResult::White | GameResult::Black, _) => Some(0.0),
            _ => None,
        }
    }

    /// The player's points in sums beside a count of games: one without a result says nothing for or against a move.
    pub fn points_or_half(&self) -> f64 {
        self.points().unwrap_or(0.5)
    }

    fn identity(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.start.fen(), &self.moves, self.tags.white(), self.tags.black(), self.tags.get_raw("UTCTime"))
            .hash(&mut hash);
        (self.tags.date(), self.tags.get_raw("Round"), self.color).hash(&mut hash);
        hash.finish()
    }
}

/// What was found in files of games.
#[derive(Debug, Default)]
pub struct Found {
    /// The player, as the files spell the name.
    pub player: String,
    /// The player's games, each once.
    pub games: Vec<PlayerGame>,
    /// Games that came a second time.
    pub twice: usize,
    /// Games of others.
    pub others: usize,
    /// Games that could not be read, with file and line.
    pub problems: Vec<String>,
}

/// Stands for both players of every game.
pub const EVERYBODY: &str = "*";

/// Reads the games of `player` (of whoever is in most games, if nobody is named; [`EVERYBODY`]'s) from files or folders of PGN.
pub fn read(paths: &[impl AsRef<Path>], player: Option<&str>) -> Result<Found, CoachError> {
    let mut found = Found::default();
    // By their small letters: the spelling met first, and how often.
    let mut names: HashMap<String, (String, usize)> = HashMap::new();
    let mut trees = Vec::new();
    for file in files(paths)? {
        for game in TreeReader::open(&file)? {
            match game {
                Ok(tree) => {
                    for name in [tree.tags.white(), tree.tags.black()] {
                        names.entry(small(&name)).or_insert_with(|| (name.into_owned(), 0)).1 += 1;
                    }
                    let ours = |name: &str| player.is_none_or(|player| player == EVERYBODY || same(name, player));
                    if ours(&tree.tags.white()) || ours(&tree.tags.black()) {
                        trees.push(tree);
                    } else {
                        found.others += 1;
                    }
                }
                Err(error) if error.is_fatal() => return Err(error.into()),
                Err(error) => found.problems.push(error.to_string()),
            }
        }
    }
    names.remove("?");
    names.remove("");
    let mut most: Vec<(String, usize)> = names.into_values().collect();
    most.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let everybody = (EVERYBODY.to_owned(), trees.len());
    let chosen = match player {
        Some(EVERYBODY) if !trees.is_empty() => Some(&everybody),
        Some(player) => most.iter().find(|(name, _)| same(name, player)),
        None => most.first(),
    };
    let Some((player, _)) = chosen else {
        let names: Vec<&str> = most.iter().take(5).map(|(name, _)| name.as_str()).collect();
        let known =
            if names.is_empty() { "no player is named".into() } else { format!("there are {}", names.join("; ")) };
        // Who is missing may be in a game that is.
        let unread = match &found.problems[..] {
            [] => String::new(),
            [problem] => format!("; a game was skipped: {problem}"),
            [first, ..] => format!("; {} games were skipped, the first: {first}", found.problems.len()),
        };
        return Err(CoachError::Refused(match player {
            Some(player) => format!("no game of {player} was found: {known}{unread}"),
            None => format!("no game was found: {known}{unread}"),
        }));
    };
    found.player = player.clone();
    let mut seen = HashSet::new();
    for tree in trees {
        let colors: &[Color] = if found.player == EVERYBODY {
            &Color::ALL
        } else if same(&tree.tags.white(), &found.player) {
            &[Color::White]
        } else if same(&tree.tags.black(), &found.player) {
            &[Color::Black]
        } else {
            found.others += 1;
            continue;
        };
        for &color in colors {
            let game = PlayerGame::of(&tree, color);
            if seen.insert(game.identity()) {
                found.games.push(game);
            } else {
                found.twice += 1;
            }
        }
    }
    Ok(found)
}

/// The first game of a text, as the game of `player`.
pub fn parse(text: &str, player: &str) -> Result<PlayerGame, CoachError> {
    let reader = TreeReader::new("the game", std::io::Cursor::new(text.to_owned().into_bytes()))?;
    // As far as the page shows it.
    let Some(tree) = reader.with_cut_games().next() else {
        return Err(CoachError::Refused("there is no game in this text".into()));
    };
    let tree = tree?;
    let color = match (same(&tree.tags.white(), player), same(&tree.tags.black(), player)) {
        (true, _) => Color::White,
        (_, true) => Color::Black,
        _ => return Err(CoachError::Refused(format!("{player} did not play this game"))),
    };
    Ok(PlayerGame::of(&tree, color))
}

/// Names are the same whatever their letters' case.
fn same(a: &str, b: &str) -> bool {
    small(a) == small(b)
}

fn small(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The files themselves, and those in folders, and in the folders there, that look like games.
pub fn files(paths: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>, CoachError> {
    let mut list = Vec::new();
    for path in paths {
        let path = path.as_ref();
        if !path.is_dir() {
            list.push(path.to_owned());
            continue;
        }
        let before = list.len();
        of_folder(path, &mut list)?;
        if list.len() == before {
            return Err(CoachError::Refused(format!("{}: no PGN files in this folder", path.display())));
        }
    }
    list.sort();
    Ok(list)
}

fn of_folder(folder: &Path, list: &mut Vec<PathBuf>) -> Result<(), CoachError> {
    let failed = CoachError::file(folder);
    for entry in std::fs::read_dir(folder).map_err(&failed)? {
        let entry = entry.map_err(&failed)?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().to_lowercase());
        // Not by links, which may lead back.
        if entry.file_type().map_err(&failed)?.is_dir() {
            of_folder(&path, list)?;
        } else if path.is_file() && [".pgn", ".pgn.zst", ".pgn.gz", ".pgn.bz2"].iter().any(|end| name.ends_with(end)) {
            list.push(path);
        }
    }
    Ok(())
}

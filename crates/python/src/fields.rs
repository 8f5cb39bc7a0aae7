//! The columns of tables of games and of positions.

use rukh_core::{AnyPosition, Move};
use rukh_pgn::{Eval, GameResult, Tags};

use crate::codes::{Known, code_text};
use crate::columns::{Column, Kind};

/// One game as it was read.
#[derive(Default)]
pub struct Game {
    pub tags: Tags,
    pub start: AnyPosition,
    pub result: GameResult,
    pub line: u64,
    /// Its name in a database, the hash of what makes two games the same, and its text.
    pub id: Option<String>,
    pub hash: Option<i64>,
    pub pgn: Option<String>,
    pub plies: usize,
    /// Moves in UCI notation, one behind the other, and where each ends.
    pub uci: String,
    pub ends: Vec<usize>,
    /// Positions before each move and at the end, their codes, and the moves as people write them: only where a column asks for them.
    pub positions: Vec<AnyPosition>,
    pub codes: Vec<Option<i64>>,
    /// Codes of games before this one.
    pub known: Known,
    pub san: Vec<String>,
    /// What comments say about each move, as far as there are any.
    pub clocks: Vec<Option<i64>>,
    pub evals: Vec<Option<Eval>>,
    pub comments: Vec<Option<String>>,
    /// The comment before the first move.
    pub intro: Option<String>,
}

impl Game {
    pub fn clear(&mut self, line: u64) {
        self.tags.clear();
        self.result = GameResult::Unknown;
        (self.line, self.plies, self.id, self.hash, self.pgn) = (line, 0, None, None, None);
        self.uci.clear();
        self.ends.clear();
        self.positions.clear();
        self.codes.clear();
        self.san.clear();
        self.clocks.clear();
        self.evals.clear();
        self.comments.clear();
        self.intro = None;
    }

    /// Adds a move that is played in the position.
    pub fn push(&mut self, before: &AnyPosition, mv: Move, keeps: &Keeps) {
        if keeps.san {
            self.san.push(before.san(mv));
        }
        if keeps.positions {
            self.positions.push(before.clone());
        }
        if keeps.moves {
            if mv.is_castle() || mv.is_promotion() {
                self.uci.push_str(&before.uci(mv));
            } else {
                for square in [mv.from(), mv.to()] {
                    self.uci.push(square.file().char());
                    self.uci.push(square.rank().char());
                }
            }
            self.ends.push(self.uci.len());
        }
        self.plies += 1;
    }

    /// Ends the game with its last position.
    pub fn end(&mut self, last: &AnyPosition, keeps: &Keeps) {
        if keeps.positions {
            self.positions.push(last.clone());
        }
        if keeps.codes {
            self.codes = self.known.codes(&self.positions);
        }
    }

    fn uci(&self, ply: usize) -> Option<&str> {
        let end = *self.ends.get(ply)?;
        let start = if ply == 0 { 0 } else { self.ends[ply - 1] };
        self.uci.get(start..end)
    }

    fn eval(&self, ply: usize) -> Option<i64> {
        match self.evals.get(ply)?.as_ref()? {
            Eval::Centipawns(value) => Some(i64::from(*value)),
            Eval::Mate(_) => None,
        }
    }

    fn mate(&self, ply: usize) -> Option<i64> {
        match self.evals.get(ply)?.as_ref()? {
            Eval::Mate(moves) => Some(i64::from(*moves)),
            Eval::Centipawns(_) => None,
        }
    }

    fn comment(&self, ply: usize) -> Option<&str> {
        self.comments.get(ply)?.as_deref()
    }
}

/// What games are to keep for the columns that are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keeps {
    pub positions: bool,
    pub codes: bool,
    pub san: bool,
    pub moves: bool,
    pub comments: bool,
    pub pgn: bool,
}

impl Keeps {
    /// What these fields need.
    pub fn of<'a>(fields: impl Iterator<Item = &'a Field>) -> Keeps {
        let mut keeps = Keeps::default();
        for field in fields {
            match field {
                Field::Code => (keeps.positions, keeps.codes) = (true, true),
                Field::LongCode | Field::Position => keeps.positions = true,
                Field::San => keeps.san = true,
                Field::Move => keeps.moves = true,
                Field::Pgn => keeps.pgn = true,
                Field::Clock | Field::Eval | Field::Mate | Field::Comment | Field::Intro => keeps.comments = true,
                _ => {}
            }
        }
        keeps
    }
}

/// What a column is made of; those of the second half have one value for each move or position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A tag as it is.
    Tag(String),
    /// A tag that is a number.
    Rating(&'static str),
    Result,
    Variant,
    Fen,
    Line,
    /// The game's name in a database, the hash by which databases know it again, and its text.
    Id,
    Hash,
    Pgn,
    Plies,
    Intro,
    /// Tables of positions: the number of the game, and how many moves before.
    Game,
    Ply,
    /// What others fill.
    Given(Kind),

    Move,
    San,
    Clock,
    Eval,
    Mate,
    Comment,
    Code,
    LongCode,
    Position,
}

/// Columns that are the same in both tables.
const HEADS: [(&str, &str); 10] = [
    ("event", "Event"),
    ("site", "Site"),
    ("date", "Date"),
    ("round", "Round"),
    ("white", "White"),
    ("black", "Black"),
    ("eco", "ECO"),
    ("opening", "Opening"),
    ("time_control", "TimeControl"),
    ("termination", "Termination"),
];

/// Columns of a table of games that come unasked.
pub const OF_GAMES: [&str; 23] = [
    "event", "site", "date", "round", "white", "black", "result", "white_elo", "black_elo", "eco", "opening",
    "time_control", "termination", "variant", "fen", "line", "plies", "moves", "clocks", "evals", "mates", "comments",
    "intro",
];

/// Columns of a table of a database's games that come unasked: it keeps no comments.
pub const OF_DATABASES: [&str; 16] = [
    "id", "event", "site", "date", "round", "white", "black", "result", "white_elo", "black_elo", "eco",
    "time_control", "variant", "fen", "plies", "moves",
];

/// Columns of a table of positions that come unasked.
pub const OF_POSITIONS: [&str; 5] = ["game", "ply", "code", "move", "result"];

impl Field {
    /// The field of a column of games.
    pub fn of_game(name: &str) -> Option<Field> {
        Some(match name {
            "fen" => Field::Fen,
            "moves" => Field::Move,
            "san" => Field::San,
            "clocks" => Field::Clock,
            "evals" => Field::Eval,
            "mates" => Field::Mate,
            "comments" => Field::Comment,
            "codes" => Field::Code,
            "long_codes" => Field::LongCode,
            _ => return Field::of_head(name),
        })
    }

    /// The field of a column of positions.
    pub fn of_position(name: &str) -> Option<Field> {
        Some(match name {
            "game" => Field::Game,
            "ply" => Field::Ply,
            "fen" => Field::Position,
            "move" => Field::Move,
            "san" => Field::San,
            "clock" => Field::Clock,
            "eval" => Field::Eval,
            "mate" => Field::Mate,
            "comment" => Field::Comment,
            "code" => Field::Code,
            "long_code" => Field::LongCode,
            _ => return Field::of_head(name),
        })
    }

    fn of_head(name: &str) -> Option<Field> {
        if let Some((_, tag)) = HEADS.iter().find(|(column, _)| *column == name) {
            return Some(Field::Tag((*tag).to_owned()));
        }
        Some(match name {
            "result" => Field::Result,
            "white_elo" => Field::Rating("WhiteElo"),
            "black_elo" => Field::Rating("BlackElo"),
            "variant" => Field::Variant,
            "line" => Field::Line,
            "id" => Field::Id,
            "hash" => Field::Hash,
            "pgn" => Field::Pgn,
            "plies" => Field::Plies,
            "intro" => Field::Intro,
            // Any other tag by its own name, which has a capital: `WhiteTitle`.
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains('\0') => {
                Field::Tag(name.to_owned())
            }
            _ => return None,
        })
    }

    /// The type of its values.
    fn kind(&self) -> Kind {
        match self {
            Field::Rating(_) | Field::Plies | Field::Ply | Field::Clock | Field::Eval | Field::Mate => Kind::Int32,
            Field::Line | Field::Game | Field::Code | Field::Hash => Kind::Int64,
            Field::Given(kind) => *kind,
            _ => Kind::Text,
        }
    }

    /// Whether a game has many of them.
    fn is_many(&self) -> bool {
        matches!(
            self,
            Field::Move
                | Field::San
                | Field::Clock
                | Field::Eval
                | Field::Mate
                | Field::Comment
                | Field::Code
                | Field::LongCode
                | Field::Position
        )
    }

    /// Whether it has one value more than the game has moves.
    fn is_of_positions(&self) -> bool {
        matches!(self, Field::Code | Field::LongCode | Field::Position)
    }

    /// An empty column in a table of games.
    pub fn game_column(&self, name: &str) -> Column {
        Column::new(name, if self.is_many() { self.kind().listed() } else { self.kind() })
    }

    /// An empty column in a table of positions.
    pub fn position_column(&self, name: &str) -> Column {
        Column::new(name, self.kind())
    }

    /// Adds a game to its column.
    pub fn add_game(&self, game: &Game, column: &mut Column) {
        if !self.is_many() {
            return self.add(game, 0, column);
        }
        let nothing = match self {
            Field::Clock => game.clocks.is_empty(),
            Field::Eval | Field::Mate => game.evals.is_empty(),
            Field::Comment => game.comments.is_empty(),
            _ => false,
        };
        if nothing {
            return column.no_list();
        }
        let count = game.plies + usize::from(self.is_of_positions());
        column.list(|items| (0..count).for_each(|at| self.add(game, at, items)));
    }

    /// Adds what a game has at a move or position to a column.
    pub fn add(&self, game: &Game, at: usize, column: &mut Column) {
        match self {
            // Files of Lichess may say the day in this tag only.
            Field::Tag(tag) if tag == "Date" => {
                column.text(game.tags.known(tag).or_else(|| game.tags.known("UTCDate")).as_deref());
            }
            Field::Tag(tag) => column.text(game.tags.known(tag).as_deref()),
            Field::Rating(tag) => column.number(game.tags.number(tag).map(i64::from)),
            Field::Result => column.text(Some(game.result.as_str())),
            Field::Variant => column.text(Some(game.start.variant().name())),
            Field::Fen => {
                let set_up = game.tags.get("FEN").is_some_and(|fen| !fen.trim().is_empty());
                column.text(set_up.then(|| game.start.fen()).as_deref());
            }
            Field::Line => column.number(Some(game.line as i64)),
            Field::Id => column.text(game.id.as_deref()),
            Field::Hash => column.number(game.hash),
            Field::Pgn => column.text(game.pgn.as_deref()),
            Field::Given(_) => {}
            Field::Plies => column.number(Some(game.plies as i64)),
            Field::Intro => column.text(game.intro.as_deref()),
            Field::Game => column.number(Some(0)),
            Field::Ply => column.number(Some(at as i64)),
            Field::Move => column.text(game.uci(at)),
            Field::San => column.text(game.san.get(at).map(String::as_str)),
            Field::Clock => column.number(game.clocks.get(at).copied().flatten()),
            Field::Eval => column.number(game.eval(at)),
            Field::Mate => column.number(game.mate(at)),
            Field::Comment => column.text(game.comment(at)),
            Field::Code => column.number(game.codes.get(at).copied().flatten()),
            Field::LongCode => {
                let code = game.positions.get(at).and_then(|pos| code_text(pos).ok());
                column.text(code.as_deref());
            }
            Field::Position => column.text(game.positions.get(at).map(AnyPosition::fen).as_deref()),
        }
    }
}

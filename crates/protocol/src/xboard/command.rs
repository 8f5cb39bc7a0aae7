//! The words of the Chess Engine Communication Protocol (XBoard, WinBoard), read without touching any state.

use thiserror::Error;

/// One line from the GUI, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `xboard`: nothing to do, but no error either.
    XBoard,
    /// `protover N`: list the features.
    ProtoVer(u32),
    /// Words we know and need not act on (`accepted`, `random`, `computer`, `name` …).
    Ignored,
    /// `new`.
    New,
    /// `variant NAME`.
    Variant(String),
    /// `quit`.
    Quit,
    /// `force`: play neither side.
    Force,
    /// `go`: play the side to move.
    Go,
    /// `playother`: play the side that is not to move.
    PlayOther,
    /// `white` or `black` of protocol 1: set the side to move's opponent; true is White.
    SideToMove(bool),
    /// `level MPS BASE INC`: moves per session (0: whole game), base and increment in milliseconds.
    Level {
        /// Moves in each session, 0 for all.
        moves: u32,
        /// Base time in milliseconds.
        base: u64,
        /// Increment in milliseconds.
        inc: u64,
    },
    /// `st`: milliseconds for each move.
    MoveTime(u64),
    /// `sd`: depth limit.
    Depth(u32),
    /// `nps`: treated as a node rate; we only accept and forget it.
    NodeRate(u64),
    /// `time`: the engine's clock in milliseconds.
    Time(u64),
    /// `otim`: the opponent's clock in milliseconds.
    OppTime(u64),
    /// `usermove M` or a bare move.
    Move(String),
    /// `?`: move now.
    MoveNow,
    /// `ping N`.
    Ping(String),
    /// `draw`: the opponent offers one.
    Draw,
    /// `result …`: the game is over.
    Result(String),
    /// `setboard FEN`.
    SetBoard(String),
    /// `hint`.
    Hint,
    /// `bk`: show book moves.
    Book,
    /// `undo`: take back one ply.
    Undo,
    /// `remove`: take back a move of each side.
    Remove,
    /// `hard` / `easy`: pondering on or off.
    Ponder(bool),
    /// `post` / `nopost`: thinking output on or off.
    Post(bool),
    /// `analyze`.
    Analyze,
    /// `.`: report the state of the analysis.
    Status,
    /// `exit`: leave analysis.
    Exit,
    /// `memory N`: megabytes.
    Memory(u64),
    /// `cores N`.
    Cores(u64),
    /// `egtpath TYPE PATH`.
    TablePath(String, String),
    /// `option NAME[=VALUE]`.
    Option(String, Option<String>),
}

/// Why a line was refused; printed as `Error (…): line`, as the protocol asks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// No such command.
    #[error("unknown command")]
    Unknown,
    /// The command needs something after it.
    #[error("too few parameters")]
    Missing,
    /// A parameter that cannot be read.
    #[error("bad parameter '{0}'")]
    Bad(String),
    /// Known, but not offered (we sent the feature that says so).
    #[error("command not supported")]
    Unsupported,
}

/// Longest clock in seconds; beyond this it is a mistake, and milliseconds stay far from overflow.
const MAX_SECONDS: f64 = 1e9;

/// Reads one line. A blank line is `Ok(None)`.
pub fn parse(line: &str) -> Result<Option<Command>, ParseError> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(None);
    }
    let (word, rest) = match line.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (line, ""),
    };
    let needed = || if rest.is_empty() { Err(ParseError::Missing) } else { Ok(rest) };
    let command = match word {
        "xboard" => Command::XBoard,
        "protover" => Command::ProtoVer(number(needed()?)?),
        "accepted" | "rejected" | "random" | "computer" | "name" | "rating" | "ics" | "pause" | "resume"
        | "pondering" | "partner" | "holding" | "lift" | "put" | "hover" => Command::Ignored,
        "new" => Command::New,
        "variant" => Command::Variant(needed()?.to_owned()),
        "quit" => Command::Quit,
        "force" => Command::Force,
        "go" => Command::Go,
        "playother" => Command::PlayOther,
        "white" => Command::SideToMove(true),
        "black" => Command::SideToMove(false),
        "level" => level(needed()?)?,
        "st" => Command::MoveTime(millis(seconds(needed()?)?).max(1)),
        "sd" => Command::Depth(number::<u32>(needed()?)?.max(1)),
        "nps" => Command::NodeRate(number(needed()?)?),
        // Centiseconds; a clock that has run out is negative.
        "time" => Command::Time(number::<i64>(needed()?)?.clamp(0, 1 << 40) as u64 * 10),
        "otim" => Command::OppTime(number::<i64>(needed()?)?.clamp(0, 1 << 40) as u64 * 10),
        "usermove" => Command::Move(needed()?.to_owned()),
        "?" => Command::MoveNow,
        "ping" => Command::Ping(needed()?.to_owned()),
        "draw" => Command::Draw,
        "result" => Command::Result(rest.to_owned()),
        "setboard" => Command::SetBoard(needed()?.to_owned()),
        "edit" => return Err(ParseError::Unsupported),
        "hint" => Command::Hint,
        "bk" => Command::Book,
        "undo" => Command::Undo,
        "remove" => Command::Remove,
        "hard" => Command::Ponder(true),
        "easy" => Command::Ponder(false),
        "post" => Command::Post(true),
        "nopost" => Command::Post(false),
        "analyze" | "analyse" => Command::Analyze,
        "." => Command::Status,
        "exit" => Command::Exit,
        "memory" => Command::Memory(number(needed()?)?),
        "cores" => Command::Cores(number(needed()?)?),
        "egtpath" => {
            let (kind, path) = needed()?.split_once(char::is_whitespace).ok_or(ParseError::Missing)?;
            Command::TablePath(kind.to_owned(), path.trim().to_owned())
        }
        "option" => match needed()?.split_once('=') {
            Some((name, value)) => Command::Option(name.trim().to_owned(), Some(value.trim().to_owned())),
            None => Command::Option(rest.to_owned(), None),
        },
        // Protocol 1 sends moves without `usermove`.
        mv if rest.is_empty() && looks_like_move(mv) => Command::Move(mv.to_owned()),
        _ => return Err(ParseError::Unknown),
    };
    Ok(Some(command))
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, ParseError> {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.parse().map_err(|_| ParseError::Bad(word.chars().take(40).collect()))
}

fn seconds(text: &str) -> Result<f64, ParseError> {
    let value: f64 = number(text)?;
    if (0.0..=MAX_SECONDS).contains(&value) { Ok(value) } else { Err(ParseError::Bad(text.chars().take(40).collect())) }
}

fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

/// `level 40 5 0`, `level 0 2:30 12`, with decimals in the increment from some GUIs.
fn level(text: &str) -> Result<Command, ParseError> {
    let mut words = text.split_whitespace();
    let mut next = || words.next().ok_or(ParseError::Missing);
    let moves = number(next()?)?;
    let base = next()?;
    let base = match base.split_once(':') {
        Some((m, s)) => seconds(m)? * 60.0 + seconds(s)?,
        None => seconds(base)? * 60.0,
    };
    let inc = seconds(next()?)?;
    Ok(Command::Level { moves, base: millis(base), inc: millis(inc) })
}

/// Coordinates (`e2e4`, `e7e8q`, `g5g6m`) or castling (`O-O`).
fn looks_like_move(word: &str) -> bool {
    let bytes = word.as_bytes();
    let square = |at: usize| (b'a'..=b'h').contains(&bytes[at]) && (b'1'..=b'8').contains(&bytes[at + 1]);
    matches!(word, "O-O" | "O-O-O" | "0-0" | "0-0-0")
        || ((4..=5).contains(&bytes.len()) && square(0) && square(2) && bytes[4..].iter().all(u8::is_ascii_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ok(line: &str) -> Command {
        parse(line).expect(line).expect(line)
    }

    #[test]
    fn plain_words() {
        assert_eq!(ok("xboard"), Command::XBoard);
        assert_eq!(ok("protover 2"), Command::ProtoVer(2));
        assert_eq!(ok("new"), Command::New);
        assert_eq!(ok("variant fischerandom"), Command::Variant("fischerandom".into()));
        assert_eq!(ok("hard"), Command::Ponder(true));
        assert_eq!(ok("nopost"), Command::Post(false));
        assert_eq!(ok("analyze"), Command::Analyze);
        assert_eq!(ok("."), Command::Status);
        assert_eq!(ok("?"), Command::MoveNow);
        assert_eq!(ok("accepted setboard"), Command::Ignored);
        assert_eq!(parse("   ").unwrap(), None);
    }

    #[test]
    fn clocks() {
        assert_eq!(ok("level 40 5 0"), Command::Level { moves: 40, base: 300_000, inc: 0 });
        assert_eq!(ok("level 0 2:30 12"), Command::Level { moves: 0, base: 150_000, inc: 12_000 });
        assert_eq!(ok("level 0 0:08 0.08"), Command::Level { moves: 0, base: 8_000, inc: 80 });
        assert_eq!(ok("st 5"), Command::MoveTime(5_000));
        assert_eq!(ok("st 0.25"), Command::MoveTime(250));
        assert_eq!(ok("sd 8"), Command::Depth(8));
        assert_eq!(ok("time 1234"), Command::Time(12_340));
        assert_eq!(ok("otim -5"), Command::OppTime(0));
        assert_eq!(parse("level 40"), Err(ParseError::Missing));
        assert_eq!(parse("level x 5 0"), Err(ParseError::Bad("x".into())));
        assert!(parse("st -1").is_err() && parse("st nan").is_err() && parse("st inf").is_err());
    }

    #[test]
    fn moves_with_and_without_usermove() {
        assert_eq!(ok("usermove e2e4"), Command::Move("e2e4".into()));
        assert_eq!(ok("e7e8q"), Command::Move("e7e8q".into()));
        assert_eq!(ok("g5g6m"), Command::Move("g5g6m".into()));
        assert_eq!(ok("O-O-O"), Command::Move("O-O-O".into()));
        assert_eq!(parse("e2e4 e7e5"), Err(ParseError::Unknown));
        assert_eq!(parse("i2i4"), Err(ParseError::Unknown));
    }

    #[test]
    fn parameters() {
        assert_eq!(ok("ping 7"), Command::Ping("7".into()));
        assert_eq!(
            ok("setboard 8/8/8/8/8/8/8/K1k5 w - - 0 1"),
            Command::SetBoard("8/8/8/8/8/8/8/K1k5 w - - 0 1".into())
        );
        assert_eq!(ok("result 1-0 {White mates}"), Command::Result("1-0 {White mates}".into()));
        assert_eq!(ok("egtpath syzygy /a b"), Command::TablePath("syzygy".into(), "/a b".into()));
        assert_eq!(ok("option Skill Level=3"), Command::Option("Skill Level".into(), Some("3".into())));
        assert_eq!(ok("option Clear Hash"), Command::Option("Clear Hash".into(), None));
        assert_eq!(parse("ping"), Err(ParseError::Missing));
        assert_eq!(parse("egtpath syzygy"), Err(ParseError::Missing));
        assert_eq!(parse("memory lots"), Err(ParseError::Bad("lots".into())));
        assert_eq!(parse("edit"), Err(ParseError::Unsupported));
        assert_eq!(parse("xyzzy"), Err(ParseError::Unknown));
        assert!(parse("é2e4").is_err() && parse("a1é").is_err());
    }
}

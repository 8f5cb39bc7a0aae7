//! What can go wrong while reading PGN, in the words of the person who has to mend the file.

use std::fmt;
use std::sync::Arc;

use rukh_core::Variant;

use super::input::Packing;

/// One problem in a PGN source: which file, which line, and why.
///
/// Only [`Reason::Io`] and [`Reason::Compression`] end the reading; after every other problem the reader goes on with
/// the next game.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {reason}", place(*line))]
pub struct PgnError {
    /// Name of the source as given by the caller (`-` for standard input).
    pub file: Arc<str>,
    /// Line of the problem, counted from 1; 0 where no line was read.
    pub line: u64,
    /// What is wrong.
    pub reason: Reason,
}

fn place(line: u64) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

impl PgnError {
    /// Whether reading stopped here because the bytes themselves could not be had.
    pub fn is_fatal(&self) -> bool {
        matches!(self.reason, Reason::Io(_) | Reason::Compression { .. })
    }
}

/// The kinds of problem a game can have.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The operating system could not deliver the bytes.
    #[error("cannot read: {0}")]
    Io(std::io::Error),
    /// The compressed stream is damaged, truncated, or of a kind this build cannot read.
    #[error("cannot decompress {format} data: {detail}")]
    Compression {
        /// `zstd`, `gzip` or `bzip2`.
        format: &'static str,
        /// The decoder's own words.
        detail: String,
    },
    /// A single game larger than the limit; it was skipped without being kept in memory.
    #[error("game larger than {limit} bytes, skipped")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// More half-moves than any real game.
    #[error("game longer than {limit} half-moves")]
    TooLong {
        /// The limit in half-moves.
        limit: usize,
    },
    /// Variations inside variations beyond the limit.
    #[error("variations nested deeper than {limit}")]
    TooDeep {
        /// The deepest nesting accepted.
        limit: usize,
    },
    /// `{` without `}`.
    #[error("comment is never closed")]
    OpenComment,
    /// `(` without `)`.
    #[error("variation is never closed")]
    OpenVariation,
    /// `)` without `(`.
    #[error("')' without '('")]
    StrayParenthesis,
    /// A variation before the first move.
    #[error("variation before any move")]
    StrayVariation,
    /// A tag pair that is not `[Name "value"]`.
    #[error("malformed tag {0:?}, expected [Name \"value\"]")]
    BadTag(String),
    /// A tag whose name has more than letters, digits and `_`. The game was read all the same.
    #[error("tag name {0:?} has characters other than letters, digits and '_'; the game was read anyway")]
    OddTagName(String),
    /// A variation with something in it that cannot be read. The game was read with what stands before it.
    #[error("{0}; the variation was cut there")]
    CutVariation(String),
    /// A game with something in it that cannot be read. It was read up to there, and has the rest as a comment.
    #[error("{0}; the game was cut there, and the rest is in a comment")]
    CutGame(String),
    /// Moves without tags that do not begin at move 1. They were read as a game all the same.
    #[error("a game without tags begins at move {number}: it may be the rest of the game before it")]
    Continued {
        /// The move number it begins with.
        number: u32,
    },
    /// A tag value longer than any real one.
    #[error("value of tag {name} longer than {limit} bytes")]
    TagTooLong {
        /// The tag's name.
        name: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// More tag pairs than any real game.
    #[error("more than {limit} tags")]
    TooManyTags {
        /// The limit.
        limit: usize,
    },
    /// Something in the move text that is neither move, comment, NAG, variation nor result.
    #[error("{0:?} is not chess notation")]
    BadToken(String),
    /// Bytes that are no text at all.
    #[error("not PGN text (binary data?)")]
    Binary,
    /// A move that the position does not allow, or that fits several moves.
    #[error("move {number}{dots} {san}: {problem}")]
    BadMove {
        /// Full move number as in the score sheet.
        number: u32,
        /// `.` for White, `...` for Black.
        dots: &'static str,
        /// The move as written.
        san: String,
        /// Illegal, ambiguous or unreadable.
        problem: SanProblem,
    },
    /// The `FEN` tag does not hold a position.
    #[error("FEN tag: {0}")]
    BadFen(String),
    /// The `Variant` tag names a game that is not played here.
    #[error("variant {0:?} is not supported (chess, Chess960 and Makruk are)")]
    UnknownVariant(String),
    /// A game of one variant on its way into a database of another.
    #[error("a {game} game, but this is a {database} database")]
    OtherVariant {
        /// What the game is.
        game: Variant,
        /// What the database holds.
        database: Variant,
    },
}

impl Reason {
    /// A read error, which for a packed source means that the packing is damaged.
    pub fn from_read(packing: Packing, error: std::io::Error) -> Reason {
        match packing {
            Packing::Plain | Packing::Utf16(_) => Reason::Io(error),
            packed => Reason::Compression { format: packed.name(), detail: error.to_string() },
        }
    }
}

/// Why a move in algebraic notation was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SanProblem {
    /// Not readable as a move.
    Unreadable,
    /// No piece can go there.
    Illegal,
    /// More than one piece can go there.
    Ambiguous,
}

impl fmt::Display for SanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SanProblem::Unreadable => "not a move",
            SanProblem::Illegal => "illegal move",
            SanProblem::Ambiguous => "ambiguous move",
        })
    }
}

/// The start of `bytes` for an error message: garbage must not flood a log.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    const CHARS: usize = 40;
    let text = super::text::decode(&bytes[..bytes.len().min(4 * CHARS)]);
    let mut short: String = text.chars().take(CHARS).collect();
    if short.len() < text.len() || bytes.len() > 4 * CHARS {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn only_what_is_left_out_is_marked() {
        for whole in ["e4".to_owned(), "x".repeat(40), "ü".repeat(40)] {
            assert_eq!(excerpt(whole.as_bytes()), whole);
        }
        let cut = |sign: &str| format!("{}…", sign.repeat(40));
        assert_eq!(excerpt("x".repeat(41).as_bytes()), cut("x"));
        assert_eq!(excerpt("ü".repeat(41).as_bytes()), cut("ü"));
        assert_eq!(excerpt("ü".repeat(500).as_bytes()), cut("ü"));
    }
}

//! The one error type of this crate.

use rukh_core::{FenReason, Variant};

use crate::Table;

/// Why a position has no code, or a code no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// The text is too short or too long.
    #[error("a position code has 13 characters, a long one 14 to 35; this has {0}")]
    TextLength(usize),
    /// A character that codes do not use.
    #[error("`{0}` is not a character of position codes (0–9, a–z, `_`, `~`, `-`)")]
    TextCharacter(char),
    /// The check character does not fit the rest: a typing error.
    #[error("the check character is wrong: a character was mistyped or two were swapped")]
    TextCheck,
    /// The same, but of digits only: perhaps the number of a code, which would be read as one with a sign.
    #[error(
        "the check character is wrong: a character was mistyped or two were swapped (if this is an integer, it needs a sign: +{0})"
    )]
    Unsigned(i64),
    /// A valid text for a number that is no code.
    #[error("the code is out of range")]
    TextRange,

    /// What follows the point of an extended code is none.
    #[error(
        "what follows the dot is not a half-move clock (up to 9999), move number (up to 99999) and number of repetitions (up to 2)"
    )]
    Clocks,

    /// The direct code is inside its space but belongs to no legal position.
    #[error("this code does not belong to any position")]
    NoPosition,
    /// The direct code is an illegal position, for this reason.
    #[error("this code does not belong to any position: {0}")]
    Illegal(FenReason),
    /// A non-negative code with reserved bits set.
    #[error("this code is outside the code space: reserved bits are set")]
    Reserved,

    /// A code of a table that is not at hand.
    #[error("this code needs the {0} table, which is not available")]
    NoTable(Table),
    /// A code made with another edition of a table.
    #[error("this code was made with edition {code} of the {table} table, but this is edition {ours}")]
    TableVersion {
        /// The table.
        table: Table,
        /// The edition in the code.
        code: u8,
        /// The edition at hand.
        ours: u8,
    },
    /// An index beyond the table's end.
    #[error("the {table} table has no entry {index}")]
    NoEntry {
        /// The table.
        table: Table,
        /// The index that was asked for.
        index: u64,
    },

    /// The position needs more than 63 bits; a table or a record must take it.
    #[error("this position does not fit a direct code")]
    DoesNotFit,
    /// The position has a direct code, so no record of it is kept.
    #[error("this position has a direct code and needs no record")]
    Direct,
    /// Neither a table nor a record had room.
    #[error("this position does not fit a direct code, and no table or record store took it")]
    NoRoom,
    /// Castling that standard chess does not have.
    #[error("these castling rights are not those of standard chess: encode it as Chess960")]
    Castling,
    /// A Makruk count past the end of all counting.
    #[error("the count has run past its limit")]
    Count,

    /// Codes of a version that this build does not know.
    #[error("unknown version {1} of the position codes for {0}")]
    Version(Variant, u16),
    /// A version that is known, but with other model data.
    #[error("the position model of {0} version {1} differs from the one that made these codes")]
    Checksum(Variant, u16),
    /// A model file that cannot be used.
    #[error("position model: {0}")]
    Model(&'static str),
}

//! What is known of a mistake, as values. Every sentence ([`Fact::sentence`]) comes from one of them.

use rukh_core::{Color, Kind, Move, Piece, Square, Variant};
use rukh_eval::layout;

/// A tactical motif, found by rule on a line of play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Theme {
    /// Mate by a rook or queen along the back rank, the king shut in by its own men.
    BackRankMate,
    /// One piece attacks two, and takes one of them.
    Fork,
    /// A piece in front of its king cannot move, and is taken; or it cannot take back.
    Pin,
    /// A piece must leave the line, and what stood behind it is taken.
    Skewer,
    /// A move opens the line of another piece.
    DiscoveredAttack,
    /// The same, with check.
    DiscoveredCheck,
    /// A piece has no safe square, and is taken.
    TrappedPiece,
    /// A guard is led away from what it guards.
    Deflection,
    /// A guard is taken, then what it guarded.
    RemovedGuard,
    /// A piece stands unprotected and is taken.
    HangingPiece,
    /// A piece is attacked more often, or by less, than it is protected.
    LosingExchange,
    /// A pawn promotes.
    Promotion,
    /// Mate by any other means.
    Mate,
}

impl Theme {
    /// All of them, the most telling first.
    pub const ALL: [Theme; 13] = [
        Theme::BackRankMate,
        Theme::Skewer,
        Theme::Fork,
        Theme::DiscoveredCheck,
        Theme::DiscoveredAttack,
        Theme::RemovedGuard,
        Theme::Deflection,
        Theme::Pin,
        Theme::TrappedPiece,
        Theme::HangingPiece,
        Theme::LosingExchange,
        Theme::Promotion,
        Theme::Mate,
    ];

    /// Its name in files: one word.
    pub const fn name(self) -> &'static str {
        match self {
            Theme::BackRankMate => "backRankMate",
            Theme::Fork => "fork",
            Theme::Pin => "pin",
            Theme::Skewer => "skewer",
            Theme::DiscoveredAttack => "discoveredAttack",
            Theme::DiscoveredCheck => "discoveredCheck",
            Theme::TrappedPiece => "trappedPiece",
            Theme::Deflection => "deflection",
            Theme::RemovedGuard => "removedGuard",
            Theme::HangingPiece => "hangingPiece",
            Theme::LosingExchange => "exchange",
            Theme::Promotion => "promotion",
            Theme::Mate => "mate",
        }
    }

    /// Its name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Theme::BackRankMate => "Back-rank mate",
            Theme::Fork => "Fork",
            Theme::Pin => "Pin",
            Theme::Skewer => "Skewer",
            Theme::DiscoveredAttack => "Discovered attack",
            Theme::DiscoveredCheck => "Discovered check",
            Theme::TrappedPiece => "Trapped piece",
            Theme::Deflection => "Deflection",
            Theme::RemovedGuard => "Removal of the guard",
            Theme::HangingPiece => "Hanging piece",
            Theme::LosingExchange => "Losing exchange",
            Theme::Promotion => "Promotion",
            Theme::Mate => "Mate",
        }
    }
}

/// A piece on its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    /// What it is.
    pub piece: Piece,
    /// Where it stands.
    pub square: Square,
    /// Which game's names it has.
    pub variant: Variant,
}

/// A motif as it occurs in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tactic {
    /// Which.
    pub theme: Theme,
    /// Who uses it.
    pub side: Color,
    /// Its place in the line.
    pub ply: usize,
    /// The move that does it.
    pub mv: Move,
    /// The move with its number.
    pub written: String,
    /// The piece that does it: the forking, pinning, discovered or promoting one.
    pub by: Option<Man>,
    /// The pieces that suffer it, the most telling first.
    pub targets: Vec<Man>,
    /// Expected from the rules of the board alone, not only from the engine's line: a pawn that no king can catch.
    pub certain: bool,
}

impl Tactic {
    /// Whether the other does the same to the same pieces, by whatever move. Mates are told apart by how soon they come.
    pub fn is_same(&self, other: &Tactic) -> bool {
        let same = self.theme == other.theme && self.side == other.side && self.targets == other.targets;
        match self.theme {
            Theme::Mate | Theme::BackRankMate => false,
            Theme::Promotion => same && self.by == other.by,
            _ => same,
        }
    }
}

/// What a player sees in a line in which nothing is won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// A piece is attacked and must move: a tempo.
    Chase,
    /// A move threatens mate.
    MateThreat,
    /// A piece is pinned to its king, and stays so.
    Pin,
    /// The king loses the right to castle.
    Uncastled,
    /// Pawns come to stand behind each other.
    Doubled,
    /// A bishop of two is given for a knight.
    BishopPair,
}

/// Such a thing as it occurs in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub sight: Sight,
    /// Whom it serves.
    pub side: Color,
    /// Its place in the line.
    pub ply: usize,
    /// The move that does it.
    pub mv: Move,
    /// The move with its number.
    pub written: String,
    /// The piece that does it.
    pub by: Option<Man>,
    /// The pieces that suffer it.
    pub men: Vec<Man>,
    /// The file or the mating move that it is about.
    pub place: Option<String>,
}

/// A result that tables prove, for the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Proven {
    Win,
    Draw,
    Loss,
}

/// One thing that is known of a move and of the better one.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// The move allows mate in so many moves.
    AllowsMate {
        /// The opponent's moves.
        moves: u32,
        /// Mate could not be avoided before either.
        lost_before: bool,
    },
    /// Mate in so many moves was there.
    MissesMate {
        /// The player's moves.
        moves: u32,
    },
    /// The opponent draws by checks that do not end.
    AllowsPerpetual,
    /// The player could have drawn by such checks.
    MissesPerpetual,
    /// End-game tables: what the position was, and is.
    Table {
        /// With the best move.
        before: Proven,
        /// With the move played.
        after: Proven,
    },
    /// Makruk: mate takes more moves than the count leaves.
    CountTooShort {
        /// The better move wins; else it is only better than a draw.
        won: bool,
        /// The move takes something: the count begins anew.
        capture: bool,
        /// Moves that mate takes.
        needed: u32,
        /// Moves that the count leaves.
        left: u32,
    },
    /// Makruk: the better move mates within the count.
    CountLongEnough {
        /// Moves that mate takes after it.
        needed: u32,
        /// Moves that the count leaves.
        left: u32,
    },
    /// A motif that the refutation uses.
    Against(Tactic),
    /// A motif that the better move uses.
    Missed(Tactic),
    /// What the other side gets in a quiet line, and not after the better move.
    Allows(Sighting),
    /// What the better move brings in a quiet line, and the move played does not.
    Misses(Sighting),
    /// What the refutation wins: taken from the player, and given for it.
    Loses {
        /// The trade.
        trade: Trade,
        /// What the better line loses, too.
        less: Option<Trade>,
    },
    /// What the better line wins.
    Forgoes {
        /// The trade.
        trade: Trade,
        /// What the line of the move played wins, too.
        less: Option<Trade>,
    },
    /// In a quiet position: the term of the evaluation that tells the two lines apart, against the player.
    Term {
        /// Which game's names it has.
        variant: Variant,
        /// The term.
        line: layout::Line,
        /// Whose king, pawns or pieces it is about.
        whose: Color,
        /// The player's own, which are worse; else the other side's, which are better.
        own: bool,
        /// How much, in centipawns.
        change: i32,
    },
    /// The line that refutes the move.
    Refutation {
        /// With move numbers.
        text: String,
    },
    /// What the better move keeps.
    Keeps {
        /// The better line, with move numbers.
        text: String,
        /// Expected points of a hundred with it, and with the move played.
        points: (f64, f64),
    },
}

/// Material that changes hands in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Which game's names the pieces have.
    pub variant: Variant,
    /// Kinds that one side wins, the dearest first; what was exchanged evenly is left out.
    pub won: Vec<Kind>,
    /// Kinds that it gives for them.
    pub given: Vec<Kind>,
}

impl Fact {
    /// The motif, where it is one.
    pub fn tactic(&self) -> Option<&Tactic> {
        match self {
            Fact::Against(tactic) | Fact::Missed(tactic) => Some(tactic),
            _ => None,
        }
    }

    /// Its kind in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Fact::AllowsMate { .. } => "allowsMate",
            Fact::MissesMate { .. } => "missesMate",
            Fact::AllowsPerpetual => "allowsPerpetual",
            Fact::MissesPerpetual => "missesPerpetual",
            Fact::Table { .. } => "table",
            Fact::CountTooShort { .. } => "countTooShort",
            Fact::CountLongEnough { .. } => "countLongEnough",
            Fact::Against(_) => "against",
            Fact::Missed(_) => "missed",
            Fact::Allows(_) => "allows",
            Fact::Misses(_) => "misses",
            Fact::Loses { .. } => "loses",
            Fact::Forgoes { .. } => "forgoes",
            Fact::Term { .. } => "term",
            Fact::Refutation { .. } => "refutation",
            Fact::Keeps { .. } => "keeps",
        }
    }

    /// The move of the line that does it, and its ply, where a move does.
    pub fn deed(&self) -> Option<(usize, Move)> {
        match self {
            Fact::Against(tactic) | Fact::Missed(tactic) => Some((tactic.ply, tactic.mv)),
            Fact::Allows(seen) | Fact::Misses(seen) => Some((seen.ply, seen.mv)),
            _ => None,
        }
    }

    /// Squares to show on the board: the piece that acts, then those it acts on.
    pub fn squares(&self) -> Vec<Square> {
        let (by, men) = match self {
            Fact::Against(tactic) | Fact::Missed(tactic) => (&tactic.by, &tactic.targets),
            Fact::Allows(seen) | Fact::Misses(seen) => (&seen.by, &seen.men),
            _ => return Vec::new(),
        };
        by.iter().chain(men).map(|man| man.square).collect()
    }
}

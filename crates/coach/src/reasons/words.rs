//! Facts as sentences. Nothing is said here that is not in the fact.

use std::fmt;

use rukh_core::{Color, Kind, Variant};
use rukh_eval::layout;

use super::fact::{Fact, Man, Proven, Tactic, Theme, Trade};

/// The name of a kind of piece.
pub fn kind_name(variant: Variant, kind: Kind) -> &'static str {
    match variant {
        Variant::Makruk => ["Bia", "Ma", "Thon", "Rua", "Met", "Khun"][kind.index()],
        _ => ["pawn", "knight", "bishop", "rook", "queen", "king"][kind.index()],
    }
}

/// `the rook on f1`, `the king`.
impl fmt::Display for Man {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = self.piece.kind();
        let name = if self.piece.is_promoted() { "Bia-ngai" } else { kind_name(self.variant, kind) };
        match kind {
            Kind::King => write!(f, "the {name}"),
            _ => write!(f, "the {name} on {}", self.square),
        }
    }
}

/// `a rook and a pawn for a bishop`.
impl fmt::Display for Trade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.variant, &self.won))?;
        if !self.given.is_empty() {
            write!(f, " for {}", counted(self.variant, &self.given))?;
        }
        Ok(())
    }
}

/// `a rook and two pawns`.
fn counted(variant: Variant, kinds: &[Kind]) -> String {
    const NUMBERS: [&str; 9] = ["no", "a", "two", "three", "four", "five", "six", "seven", "eight"];
    let mut words: Vec<String> = Vec::new();
    for kind in Kind::ALL.into_iter().rev() {
        let n = kinds.iter().filter(|&&k| k == kind).count();
        if n > 0 {
            // Thai names have no plural.
            let ending = if n > 1 && variant != Variant::Makruk { "s" } else { "" };
            words.push(format!("{} {}{ending}", NUMBERS.get(n).unwrap_or(&"many"), kind_name(variant, kind)));
        }
    }
    join(&words)
}

/// `x`, `x and y`, `x, y and z`.
fn join(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

const fn moves(n: u32) -> &'static str {
    if n == 1 { "move" } else { "moves" }
}

const fn proven(result: Proven) -> &'static str {
    match result {
        Proven::Win => "won",
        Proven::Draw => "drawn",
        Proven::Loss => "lost",
    }
}

/// The name of a term of the evaluation.
pub const fn term_name(line: layout::Line) -> &'static str {
    match line {
        layout::Line::Material => "material",
        layout::Line::Placement => "the placing of the pieces",
        layout::Line::Mobility => "mobility",
        layout::Line::Pawns => "pawn structure",
        layout::Line::Passed => "passed pawns",
        layout::Line::Knights => "the knights",
        layout::Line::Bishops => "the bishops",
        layout::Line::Rooks => "the rooks",
        layout::Line::Queens => "the queens",
        layout::Line::King => "king safety",
        layout::Line::Threats => "threats",
        layout::Line::Space => "space",
        layout::Line::Tempo => "tempo",
        layout::Line::Complexity => "how much there is left to play for",
    }
}

impl Tactic {
    /// What the motif does, as a sentence about its move.
    pub fn sentence(&self) -> String {
        let Tactic { written, by, targets, .. } = self;
        let target = |at: usize| targets.get(at).map_or_else(String::new, Man::to_string);
        let all: Vec<String> = targets.iter().map(Man::to_string).collect();
        let by = by.as_ref().map_or_else(|| "a piece".to_owned(), Man::to_string);
        let side = if self.side == Color::White { "White" } else { "Black" };
        match self.theme {
            Theme::BackRankMate => format!("{written} is mate on the back rank: its own men shut the king in."),
            Theme::Fork => format!("{written} forks {}.", join(&all)),
            Theme::Pin => format!("{written} uses a pin: {} is pinned to {} by {by}.", target(0), target(1)),
            Theme::Skewer => format!("{written} is a skewer: when {} moves, {} behind it falls.", target(0), target(1)),
            Theme::DiscoveredAttack => format!("{written} opens the line of {by}, which attacks {}.", target(0)),
            Theme::DiscoveredCheck => format!("{written} opens the line of {by}: a discovered check."),
            Theme::TrappedPiece => format!("After {written} {} has no safe square.", target(0)),
            Theme::Deflection => match targets.len() {
                2 => format!("{written} leads {} away from guarding {}.", target(0), target(1)),
                _ => format!("{written} leads {} away from its guard.", target(0)),
            },
            Theme::RemovedGuard => match targets.len() {
                2 => format!("{written} takes {}, the guard of {}.", target(0), target(1)),
                _ => format!("{written} takes {}, a guard.", target(0)),
            },
            Theme::HangingPiece => format!("{written} takes {}, which nothing protects.", target(0)),
            Theme::LosingExchange => format!("{written} wins the exchange of pieces on {}.", self.mv.to()),
            Theme::Promotion if self.certain => format!("The king cannot catch {by}: it promotes with {written}."),
            Theme::Promotion => format!("{by} of {side} promotes with {written}.").replacen("the ", "The ", 1),
            Theme::Mate => format!("{written} is mate."),
        }
    }
}

impl Fact {
    /// The fact as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Fact::AllowsMate { moves: n, lost_before: false } => format!("It allows mate in {n} {}.", moves(*n)),
            Fact::AllowsMate { moves: n, .. } => format!("It shortens the way to mate to {n} {}.", moves(*n)),
            Fact::MissesMate { moves: n } => format!("There was a mate in {n} {}.", moves(*n)),
            Fact::Table { before, after } => {
                format!("By the end-game tables the position was {} and is now {}.", proven(*before), proven(*after))
            }
            Fact::CountTooShort { needed, left } => {
                format!("This loses the win: mate takes {needed} {}, and the count leaves {left}.", moves(*needed))
            }
            Fact::CountLongEnough { needed, left } => {
                format!("The better move mates in {needed} {}, with {left} left in the count.", moves(*needed))
            }
            Fact::Against(tactic) => tactic.sentence(),
            Fact::Missed(tactic) => format!("Missed: {}", tactic.sentence()),
            Fact::Loses(trade) => format!("It loses {trade}."),
            Fact::Forgoes(trade) => format!("The better line wins {trade}."),
            Fact::Term { line, change } => {
                let pawns = f64::from(*change) / 100.0;
                format!("What moves most between the two lines is {}: {pawns:.1} pawns worse.", term_name(*line))
            }
            Fact::Refutation { text } => format!("The answer is {text}."),
            Fact::Keeps { text, points: (better, played) } => {
                format!("Better was {text}, which keeps {better:.0} % of the points instead of {played:.0} %.")
            }
        }
    }
}

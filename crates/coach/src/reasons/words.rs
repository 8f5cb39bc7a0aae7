//! Facts as sentences. Nothing is said here that is not in the fact.

use std::fmt;

use rukh_core::{Color, Kind, Variant};
use rukh_eval::layout;

use super::fact::{Fact, Man, Proven, Sight, Sighting, Tactic, Theme, Trade};

/// The name of a kind of piece.
pub fn kind_name(variant: Variant, kind: Kind) -> &'static str {
    match variant {
        Variant::Makruk => ["Bia", "Ma", "Khon", "Rua", "Met", "Khun"][kind.index()],
        Variant::Chess | Variant::Chess960 => ["pawn", "knight", "bishop", "rook", "queen", "king"][kind.index()],
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

const fn proven(result: Proven) -> &'static str {
    match result {
        Proven::Win => "won",
        Proven::Draw => "drawn",
        Proven::Loss => "lost",
    }
}

/// The name of a term of the evaluation, with the pieces as the game calls them.
pub const fn term_name(variant: Variant, line: layout::Line) -> &'static str {
    let thai = matches!(variant, Variant::Makruk);
    match line {
        layout::Line::Material => "material",
        layout::Line::Placement => "piece placement",
        layout::Line::Mobility => "mobility",
        layout::Line::Pawns if thai => "Bia structure",
        layout::Line::Pawns => "pawn structure",
        layout::Line::Passed if thai => "passed Bia",
        layout::Line::Passed => "passed pawns",
        layout::Line::Knights if thai => "Ma activity",
        layout::Line::Knights => "knight activity",
        layout::Line::Bishops if thai => "Khon activity",
        layout::Line::Bishops => "bishop activity",
        layout::Line::Rooks if thai => "Rua activity",
        layout::Line::Rooks => "rook activity",
        layout::Line::Queens if thai => "Met activity",
        layout::Line::Queens => "queen activity",
        layout::Line::King if thai => "Khun safety",
        layout::Line::King => "king safety",
        layout::Line::Threats => "threats",
        layout::Line::Space => "space",
        layout::Line::Tempo => "tempo",
        layout::Line::Complexity => "winning potential",
    }
}

/// A sentence with holes, and what stands in them: whoever speaks another language has a sentence of his own with the same holes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// `{move} forks {targets}.`
    pub template: &'static str,
    /// The holes by name.
    pub values: Vec<(&'static str, String)>,
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.template;
        while let Some((before, hole)) = rest.split_once('{') {
            let (name, after) = hole.split_once('}').unwrap_or((hole, ""));
            let value = self.values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
            write!(f, "{before}{value}")?;
            rest = after;
        }
        f.write_str(rest)
    }
}

/// Whole per cent, by way of the tenths that messages carry: the same number stands above a reason and in it.
pub(crate) fn percent(points: f64) -> i64 {
    ((points * 10.0).round() / 10.0).round() as i64
}

/// With a capital at its beginning.
fn begun(mut sentence: String) -> String {
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

impl Tactic {
    /// What the motif does, as a sentence about its move.
    pub fn sentence(&self) -> String {
        begun(self.words().to_string())
    }

    /// The sentence and what stands in its holes.
    pub fn words(&self) -> Words {
        let Tactic { written, by, targets, .. } = self;
        let target = |at: usize| targets.get(at).map_or_else(String::new, Man::to_string);
        let by = by.as_ref().map_or_else(|| "a piece".to_owned(), Man::to_string);
        let two = targets.len() == 2;
        let template = match self.theme {
            Theme::BackRankMate => "{move} is a back-rank mate: {first} is shut in by its own men.",
            Theme::Fork => "{move} forks {targets}.",
            Theme::Pin => "{move} exploits a pin: {first} is pinned to {second} by {by}.",
            Theme::Skewer => "{move} is a skewer: when {first} moves, {second} behind it falls.",
            Theme::DiscoveredAttack => "{move} is a discovered attack: {by} now attacks {first}.",
            Theme::DiscoveredCheck => "{move} is a discovered check from {by}.",
            Theme::TrappedPiece => "{move} traps {first}: it has no safe square.",
            Theme::Deflection if two => "{move} draws {first} away from the defence of {second}.",
            Theme::Deflection => "{move} draws {first} away from its post.",
            Theme::RemovedGuard if two => "{move} removes {first}, which defends {second}.",
            Theme::RemovedGuard => "{move} removes {first}, a defender.",
            Theme::HangingPiece => "{move} takes {first}, which is undefended.",
            Theme::LosingExchange => "{move} takes {first}, which is not defended well enough.",
            Theme::Promotion if self.certain => "The king cannot catch {by}: it promotes with {move}.",
            Theme::Promotion => "{by} promotes with {move}.",
            Theme::Mate => "{move} is mate.",
        };
        let all: Vec<String> = targets.iter().map(Man::to_string).collect();
        let values = [
            ("move", written.clone()),
            ("targets", join(&all)),
            ("first", target(0)),
            ("second", target(1)),
            ("by", by),
        ];
        let holes = |(name, _): &(&str, String)| template.contains(&format!("{{{name}}}"));
        Words { template, values: values.into_iter().filter(holes).collect() }
    }
}

impl Sighting {
    /// The sentence and what stands in its holes.
    fn words(&self) -> Words {
        let man = |at: usize| self.men.get(at).map_or_else(String::new, Man::to_string);
        let side = |side| if side == Color::White { "White" } else { "Black" }.to_owned();
        let men: Vec<String> = self.men.iter().map(Man::to_string).collect();
        let place = self.place.clone().unwrap_or_default();
        let (template, mut values) = match self.sight {
            Sight::Chase => ("{move} gains a tempo: it attacks {targets}.", vec![("targets", join(&men))]),
            Sight::MateThreat => ("{move} threatens {mate}.", vec![("mate", place)]),
            Sight::Pin => ("{move} pins {first} to {second}.", vec![("first", man(0)), ("second", man(1))]),
            Sight::Uncastled => ("After {move} {side} can no longer castle.", vec![("side", side(!self.side))]),
            Sight::Doubled => {
                ("{move} doubles {side}'s pawns on the {file}-file.", vec![("side", side(!self.side)), ("file", place)])
            }
            Sight::BishopPair => ("{move} costs {side} the bishop pair.", vec![("side", side(!self.side))]),
        };
        values.insert(0, ("move", self.written.clone()));
        Words { template, values }
    }
}

impl Fact {
    /// The fact as a sentence.
    pub fn sentence(&self) -> String {
        let words = self.words().to_string();
        match (self, words.strip_prefix("The ")) {
            (Fact::Missed(_) | Fact::Misses(_), Some(rest)) => format!("Missed: the {rest}"),
            (Fact::Missed(_) | Fact::Misses(_), None) => format!("Missed: {words}"),
            _ => begun(words),
        }
    }

    /// The sentence and what stands in its holes. A motif that was missed is said as one that was used.
    pub fn words(&self) -> Words {
        let n = |n: &u32| ("n", n.to_string());
        let left = |left: &u32| ("left", left.to_string());
        let (template, values) = match self {
            Fact::AllowsMate { moves: 1, lost_before: false } => ("It allows mate in 1 move.", vec![]),
            Fact::AllowsMate { moves, lost_before: false } => ("It allows mate in {n} moves.", vec![n(moves)]),
            Fact::AllowsMate { moves: 1, .. } => ("Mate could not be avoided, but now it comes in 1 move.", vec![]),
            Fact::AllowsMate { moves, .. } => {
                ("Mate could not be avoided, but now it comes in {n} moves.", vec![n(moves)])
            }
            Fact::MissesMate { moves: 1 } => ("There was a mate in 1 move.", vec![]),
            Fact::MissesMate { moves } => ("There was a mate in {n} moves.", vec![n(moves)]),
            Fact::AllowsPerpetual => ("It allows perpetual check: a draw.", vec![]),
            Fact::MissesPerpetual => ("There was perpetual check: a draw.", vec![]),
            Fact::Table { before, after } => (
                "According to the tablebases, the position was {before} and is now {after}.",
                vec![("before", proven(*before).to_owned()), ("after", proven(*after).to_owned())],
            ),
            Fact::CountTooShort { won, capture, needed, left: moves } => {
                let template = match (capture, needed) {
                    (_, 1) if !won => "This only draws: mate takes 1 move, and the count leaves {left}.",
                    _ if !won => "This only draws: mate takes {n} moves, and the count leaves {left}.",
                    (false, 1) => "This loses the win: mate takes 1 move, and the count leaves {left}.",
                    (false, _) => "This loses the win: mate takes {n} moves, and the count leaves {left}.",
                    (true, 1) => "This capture loses the win: mate takes 1 move, and the count leaves {left}.",
                    (true, _) => "This capture loses the win: mate takes {n} moves, and the count leaves {left}.",
                };
                (template, vec![n(needed), left(moves)])
            }
            Fact::CountLongEnough { needed: 1, left: moves } => {
                ("After the better move mate takes 1 move, and the count leaves {left}.", vec![left(moves)])
            }
            Fact::CountLongEnough { needed, left: moves } => (
                "After the better move mate takes {n} moves, and the count leaves {left}.",
                vec![n(needed), left(moves)],
            ),
            Fact::Against(tactic) | Fact::Missed(tactic) => return tactic.words(),
            Fact::Allows(seen) | Fact::Misses(seen) => return seen.words(),
            Fact::Loses { trade, less: None } => ("It loses {trade}.", vec![("trade", trade.to_string())]),
            Fact::Loses { trade, less: Some(less) } => (
                "It loses {trade}; the better move loses only {less}.",
                vec![("trade", trade.to_string()), ("less", less.to_string())],
            ),
            Fact::Forgoes { trade, less: None } => {
                ("The better line wins {trade}.", vec![("trade", trade.to_string())])
            }
            Fact::Forgoes { trade, less: Some(less) } => (
                "The better line wins {trade}; the move played wins only {less}.",
                vec![("trade", trade.to_string()), ("less", less.to_string())],
            ),
            Fact::Term { variant, line, whose, own, change } => (
                match (variant, own) {
                    (Variant::Makruk, true) => {
                        "The main difference from the better move is {side}'s {term}: {pawns} Bia worse."
                    }
                    (Variant::Makruk, false) => {
                        "The main difference from the better move is {side}'s {term}: {pawns} Bia better."
                    }
                    (_, true) => "The main difference from the better move is {side}'s {term}: {pawns} pawns worse.",
                    (_, false) => "The main difference from the better move is {side}'s {term}: {pawns} pawns better.",
                },
                vec![
                    ("side", if *whose == Color::White { "White" } else { "Black" }.to_owned()),
                    ("term", term_name(*variant, *line).to_owned()),
                    ("pawns", format!("{:.1}", f64::from(*change) / 100.0)),
                ],
            ),
            Fact::Refutation { text } => ("It is answered by {line}.", vec![("line", text.clone())]),
            Fact::Keeps { text, points: (better, played) } => (
                "Better was {line}, with an expected score of {better} % instead of {played} %.",
                vec![
                    ("line", text.clone()),
                    ("better", percent(*better).to_string()),
                    ("played", percent(*played).to_string()),
                ],
            ),
        };
        Words { template, values }
    }
}

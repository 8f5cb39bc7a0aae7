//! What all games together say: accuracy by circumstance, what mistakes cost, and everything joined by position.

use std::collections::{BTreeMap, HashMap};

use rukh_core::{AnyPosition, Color, Move, dispatch};
use rukh_engine::{Judgement, Phase};
use rukh_pgn::days_since_1970;

use crate::gaps::Gap;
use crate::reasons::{Fact, Theme};
use crate::review::{Judged, Reviewed};
use crate::tree::Node;

/// A game that was won for the player at some moment has at least so many points of a hundred; a lost one at most the rest.
pub const WINNING: f64 = 85.0;

/// Moves and games of one kind.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Judged moves; those of the opening table are not.
    pub moves: u32,
    /// Inaccuracies, mistakes, blunders.
    pub slips: [u32; 3],
    /// Games with such moves.
    pub games: u32,
    /// Points scored in them, and games whose result is known.
    pub points: (f64, u32),
    sum: f64,
    squares: f64,
    last_game: Option<usize>,
}

impl Tally {
    fn add(&mut self, at: usize, game: &Reviewed, judged: &Judged) {
        if self.last_game != Some(at) {
            self.last_game = Some(at);
            self.games += 1;
            if let Some(points) = game.game.points() {
                self.points = (self.points.0 + points, self.points.1 + 1);
            }
        }
        if judged.book {
            return;
        }
        self.moves += 1;
        self.sum += judged.accuracy;
        self.squares += judged.accuracy * judged.accuracy;
        if let Some(judgement) = judged.judgement {
            self.slips[judgement as usize] += 1;
        }
    }

    /// Mean accuracy of the moves, 0 to 100.
    pub fn accuracy(&self) -> f64 {
        if self.moves == 0 { 0.0 } else { self.sum / f64::from(self.moves) }
    }

    /// The same in words: games that never left the book have none.
    pub fn accuracy_text(&self) -> String {
        if self.moves == 0 { "–".to_owned() } else { format!("{:.1}", self.accuracy()) }
    }

    /// Half the width of its 95 % interval.
    pub fn margin(&self) -> f64 {
        let n = f64::from(self.moves);
        if n < 2.0 {
            return 50.0;
        }
        let variance = (self.squares / n - self.accuracy().powi(2)).max(0.0) * n / (n - 1.0);
        1.96 * (variance / n).sqrt()
    }

    /// Share of the points, 0 to 1.
    pub fn score(&self) -> Option<f64> {
        (self.points.1 > 0).then(|| self.points.0 / f64::from(self.points.1))
    }
}

/// One way to look at the moves: a row for each circumstance.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// `phase`, `opening` …: its name in JSON.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// In a natural order.
    pub rows: Vec<(String, Tally)>,
}

/// Games that were won (or lost) at some moment, and what became of them.
#[derive(Clone, Debug, Default)]
pub struct Held {
    /// Games with a known result.
    pub games: u32,
    /// Won, drawn, lost.
    pub results: [u32; 3],
}

impl Held {
    fn add(&mut self, points: f64) {
        self.games += 1;
        self.results[if points > 0.75 {
            0
        } else if points > 0.25 {
            1
        } else {
            2
        }] += 1;
    }
}

/// What mistakes with one reason cost.
#[derive(Clone, Debug)]
pub struct Cost {
    /// The motif.
    pub theme: Theme,
    /// Used by the opponent, or missed by the player.
    pub missed: bool,
    /// How often.
    pub times: u32,
    /// Points lost, of a game's one.
    pub points: f64,
}

/// A mistake, however often it was made.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The variant and the code of the position.
    pub code: String,
    /// The position.
    pub position: AnyPosition,
    /// The move.
    pub mv: Move,
    /// The better line.
    pub best: Vec<Move>,
    /// What it is called.
    pub judgement: Judgement,
    /// Points of a hundred before and after.
    pub points: (f64, f64),
    /// Why.
    pub facts: Vec<Fact>,
    /// The games in which it was made, as indices.
    pub games: Vec<usize>,
    /// Half-moves before it in each of them.
    pub plies: Vec<usize>,
    /// The motif that explains it, and whether the player missed it.
    pub theme: Option<(Theme, bool)>,
}

/// A position that the player met several times.
#[derive(Clone, Debug)]
pub struct Met {
    /// The variant and the code.
    pub code: String,
    /// The position.
    pub position: AnyPosition,
    /// Move, how often, points scored, what it lost on average (of a hundred); the most frequent first.
    pub moves: Vec<(Move, u32, f64, f64)>,
    /// The engine's move.
    pub best: Option<Move>,
    /// Games with it.
    pub times: u32,
    last_game: Option<usize>,
}

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct Insights {
    /// The player.
    pub player: String,
    /// All moves.
    pub total: Tally,
    /// Won, drawn, lost.
    pub results: [u32; 3],
    /// Accuracy by circumstance; without rows where no game tells it.
    pub groupings: Vec<Grouping>,
    /// Games that were won at some moment.
    pub conversion: Held,
    /// Games that were lost at some moment.
    pub defence: Held,
    /// The dearest first.
    pub costs: Vec<Cost>,
    /// The dearest first.
    pub mistakes: Vec<Mistake>,
    /// Positions met several times and answered differently, the most frequent first.
    pub met: Vec<Met>,
    /// Where the openings part from what masters play; none where nobody asked a database.
    pub gaps: Option<Vec<Gap>>,
    /// The trees of the openings with White and with Black; empty where nobody has made them ([`crate::tree::tree()`]).
    pub openings: [Vec<Node>; 2],
}

/// Joins the reviews of one player's games.
pub fn insights(player: &str, games: &[Reviewed]) -> Insights {
    let mut total = Tally::default();
    let mut results = Held::default();
    let (mut conversion, mut defence) = (Held::default(), Held::default());
    let mut rows: BTreeMap<(usize, usize, String), Tally> = BTreeMap::new();
    let mut mistakes: HashMap<(String, Move), Mistake> = HashMap::new();
    let mut met: HashMap<String, Met> = HashMap::new();
    let mut costs: HashMap<(Theme, bool), Cost> = HashMap::new();
    for (at, game) in games.iter().enumerate() {
        if let Some(points) = game.game.points() {
            results.add(points);
            let best = game.moves.iter().map(|judged| judged.points.0).fold(0.0, f64::max);
            let worst = game.moves.iter().map(|judged| judged.points.1).fold(100.0, f64::min);
            if best >= WINNING {
                conversion.add(points);
            }
            if worst <= 100.0 - WINNING {
                defence.add(points);
            }
        }
        for judged in &game.moves {
            total.add(at, game, judged);
            for (view, (order, name)) in circumstances(game, judged).into_iter().enumerate() {
                if let Some(name) = name {
                    rows.entry((view, order, name)).or_default().add(at, game, judged);
                }
            }
            meet(&mut met, at, game, judged);
            if let Some(judgement) = judged.judgement {
                let mistake = note(&mut mistakes, at, judged, judgement);
                if let Some((theme, missed)) = mistake.theme {
                    let cost = costs.entry((theme, missed)).or_insert(Cost { theme, missed, times: 0, points: 0.0 });
                    cost.times += 1;
                    cost.points += judged.loss / 100.0;
                }
            }
        }
    }
    let groupings = VIEWS.iter().enumerate().map(|(view, &(name, title))| {
        let own = rows.iter().filter(|((of, ..), _)| *of == view);
        let mut rows: Vec<(String, Tally)> = own.map(|((.., name), tally)| (name.clone(), tally.clone())).collect();
        if name == "opening" {
            rows.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.games));
        }
        Grouping { name, title, rows }
    });
    let mut mistakes: Vec<Mistake> = mistakes.into_values().collect();
    let price = |mistake: &Mistake| (mistake.points.0 - mistake.points.1) * mistake.games.len() as f64;
    // To the last detail, so that the same games always give the same report.
    let place = |mistake: &Mistake| (mistake.code.clone(), mistake.mv.raw());
    mistakes.sort_by(|a, b| {
        price(b).total_cmp(&price(a)).then_with(|| a.games.cmp(&b.games)).then_with(|| place(a).cmp(&place(b)))
    });
    let mut costs: Vec<Cost> = costs.into_values().collect();
    costs.sort_by(|a, b| b.points.total_cmp(&a.points).then((a.theme, a.missed).cmp(&(b.theme, b.missed))));
    let mut met: Vec<Met> = met.into_values().filter(|met| met.moves.len() > 1).collect();
    for met in &mut met {
        met.moves.sort_by_key(|(mv, times, ..)| (std::cmp::Reverse(*times), mv.raw()));
        for (_, times, _, loss) in &mut met.moves {
            *loss /= f64::from(*times);
        }
    }
    met.sort_by(|a, b| b.times.cmp(&a.times).then_with(|| a.code.cmp(&b.code)));
    Insights {
        player: player.to_owned(),
        total,
        results: results.results,
        groupings: groupings.collect(),
        conversion,
        defence,
        costs,
        mistakes,
        met,
        gaps: None,
        openings: Default::default(),
    }
}

/// The ways to look at moves: name and title.
const VIEWS: [(&str, &str); 7] = [
    ("variant", "Accuracy by game"),
    ("phase", "Accuracy by phase"),
    ("colour", "Accuracy by colour"),
    ("opening", "Accuracy by opening"),
    ("rating", "Accuracy by opponent's rating"),
    ("clock", "Accuracy by time left"),
    ("weekday", "Accuracy by day of the week"),
];

/// Where a move belongs in each of the [`VIEWS`]: its place in the order, and its name if it is known.
fn circumstances(game: &Reviewed, judged: &Judged) -> [(usize, Option<String>); 7] {
    let phase = match dispatch!(&judged.position, pos => Phase::of(pos, judged.ply)) {
        Phase::Opening => (0, "Opening"),
        Phase::Middle => (1, "Middle game"),
        Phase::Ending => (2, "Ending"),
    };
    let colour = match game.game.color {
        Color::White => (0, "White"),
        Color::Black => (1, "Black"),
    };
    let opening = game.opening.as_ref().map(|(_, name)| name.split(':').next().unwrap_or(name).to_owned());
    let band = game.game.opponent_rating().map(|rating| usize::from(rating) / 200 * 200);
    let clock = judged.clock.map(|ms| match ms / 1000 {
        0..10 => (0, "below 10 s"),
        10..30 => (1, "10 to 30 s"),
        30..60 => (2, "30 s to 1 min"),
        60..180 => (3, "1 to 3 min"),
        180..600 => (4, "3 to 10 min"),
        _ => (5, "above 10 min"),
    });
    let weekday = game.game.tags.date().and_then(weekday);
    const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let variant = game.game.start.variant();
    [
        (variant as usize, Some(variant.title().to_owned())),
        (phase.0, Some(phase.1.to_owned())),
        (colour.0, Some(colour.1.to_owned())),
        (0, opening),
        (band.unwrap_or(0), band.map(|band| format!("{band} to {}", band + 199))),
        (clock.map_or(0, |(order, _)| order), clock.map(|(_, name)| name.to_owned())),
        (weekday.unwrap_or(0), weekday.map(|day| DAYS[day].to_owned())),
    ]
}

/// 0 for Monday; none for a date that is not whole.
fn weekday((year, month, day): (u16, u8, u8)) -> Option<usize> {
    // 1 January 1970 was a Thursday.
    Some((days_since_1970(year, month, day)? + 3).rem_euclid(7) as usize)
}

/// Adds a meeting with a position; who comes back to it in the same game scores but once.
fn meet(met: &mut HashMap<String, Met>, at: usize, game: &Reviewed, judged: &Judged) {
    let entry = met.entry(judged.code.clone()).or_insert_with(|| Met {
        code: judged.code.clone(),
        position: judged.position.clone(),
        moves: Vec::new(),
        best: judged.best.first().copied(),
        times: 0,
        last_game: None,
    });
    if entry.last_game.replace(at) == Some(at) {
        return;
    }
    entry.times += 1;
    let points = game.game.points_or_half();
    match entry.moves.iter_mut().find(|(mv, ..)| *mv == judged.mv) {
        Some((_, times, sum, loss)) => {
            *times += 1;
            *sum += points;
            *loss += judged.loss;
        }
        None => entry.moves.push((judged.mv, 1, points, judged.loss)),
    }
}

/// Adds a mistake; the same one in another game is one entry.
fn note<'a>(
    mistakes: &'a mut HashMap<(String, Move), Mistake>,
    game: usize,
    judged: &Judged,
    judgement: Judgement,
) -> &'a Mistake {
    let entry = mistakes.entry((judged.code.clone(), judged.mv)).or_insert_with(|| Mistake {
        code: judged.code.clone(),
        position: judged.position.clone(),
        mv: judged.mv,
        best: judged.best.clone(),
        judgement,
        points: judged.points,
        facts: judged.facts.clone(),
        games: Vec::new(),
        plies: Vec::new(),
        theme: theme_of(&judged.facts),
    });
    if entry.games.last() != Some(&game) {
        entry.games.push(game);
        entry.plies.push(judged.ply);
    }
    entry
}

/// The motif that explains a mistake: what the opponent does comes before what the player missed.
fn theme_of(facts: &[Fact]) -> Option<(Theme, bool)> {
    facts.iter().find_map(|fact| Some((fact.tactic()?.theme, matches!(fact, Fact::Missed(_)))))
}

#[cfg(test)]
mod tests {
    use super::weekday;

    #[test]
    fn days_of_the_week() {
        assert_eq!(weekday((2024, 2, 29)), Some(3), "a Thursday");
        assert_eq!(weekday((2000, 1, 1)), Some(5), "a Saturday");
        assert_eq!(weekday((1972, 7, 11)), Some(1), "a Tuesday");
        assert_eq!(weekday((2024, 0, 0)), None);
    }
}

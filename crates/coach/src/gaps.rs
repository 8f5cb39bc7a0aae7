//! Gaps of a repertoire: where one's own openings part from what masters play, and what masters play that one has never met.

use std::collections::HashSet;

use rukh_core::{Color, Move};
#[cfg(feature = "database")]
use rukh_store::db::AnyDatabase;

use crate::error::CoachError;
use crate::spot::Spot;
use crate::tree::Node;

/// A move that masters make, and their games with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habit {
    /// The move.
    pub mv: Move,
    /// Games with it.
    pub games: u64,
}

/// What masters play in a spot, the most frequent move first; none if that is not to be had now. Makruk and Chess960 have databases,
/// too: a spot tells its variant.
pub type Masters<'a> = dyn FnMut(&Spot) -> Result<Option<Vec<Habit>>, CoachError> + 'a;

/// What kind of gap it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapKind {
    /// The player's own move is one that masters hardly make.
    Unusual,
    /// The opponent's move is frequent among masters, and the player has never met it.
    Unmet,
}

impl GapKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            GapKind::Unusual => "unusual",
            GapKind::Unmet => "unmet",
        }
    }
}

/// A gap.
#[derive(Clone, Debug)]
pub struct Gap {
    /// Which kind.
    pub kind: GapKind,
    /// The player's side.
    pub side: Color,
    /// Where the two part: the player is to move if the gap is `Unusual`, the opponent if it is `Unmet`.
    pub node: Spot,
    /// Half-moves from the start.
    pub ply: usize,
    /// The player's games through the node, with the unusual move where there is one, and the points in them.
    pub games: u32,
    /// Points of those games.
    pub points: f64,
    /// The unusual move, or the one never met.
    pub mv: Move,
    /// Masters' games in the node, and with that move.
    pub masters: (u64, u64),
    /// Where the player has to know a move: the node, or what the move never met leads to.
    pub ask: Spot,
    /// What masters play there, the most frequent first; only moves that one may call usual.
    pub answers: Vec<Habit>,
    /// Their games there.
    pub asked: u64,
    /// Points of a hundred that the engine expects for the player at the node, where it was searched.
    pub expected: Option<f64>,
}

/// Nodes of one side that are looked up, those of most games first.
const MOST_NODES: usize = 400;
/// Own games through a node, at least; a single game is no repertoire.
const OWN: u32 = 2;
/// Masters' games in a position, at least: fewer have no habits.
const GAMES: u64 = 20;
/// Of a hundred: a move with fewer is unusual, one with more is usual, one with more yet must be expected.
const UNUSUAL: u64 = 2;
const USUAL: u64 = 10;
const EXPECTED: u64 = 15;

/// The gaps of one side's tree, those of most games first. Where masters are not known everywhere yet, the answer is not whole:
/// `masters` has been asked for all that is wanted next.
pub fn gaps(tree: &[Node], side: Color, masters: &mut Masters<'_>) -> Result<Vec<Gap>, CoachError> {
    let mut nodes: Vec<&Node> = tree.iter().filter(|node| node.games >= OWN).collect();
    nodes.sort_by_key(|node| (std::cmp::Reverse(node.games), node.ply));
    nodes.truncate(MOST_NODES);
    // By another order of moves something may have been met.
    let met: HashSet<String> = tree.iter().map(|node| node.spot.name()).collect();
    let mut found = Vec::new();
    let mut asked = HashSet::new();
    for node in nodes {
        let Some(habits) = masters(&node.spot)? else { continue };
        let all = total(&habits);
        if all < GAMES {
            continue;
        }
        let one = Gap {
            kind: GapKind::Unusual,
            side,
            node: node.spot.clone(),
            ply: node.ply,
            games: node.games,
            points: node.points,
            mv: Move::default(),
            masters: (all, 0),
            ask: node.spot.clone(),
            answers: usual(&habits),
            asked: all,
            expected: node.opinion.map(|(points, _)| points),
        };
        if node.spot.position.side_to_move() == side {
            // A slip that was made once is no habit, and against the engine masters are no authority.
            let best = node.opinion.and_then(|(_, best)| best);
            let own = node.branches.iter().filter(|branch| branch.games >= OWN && Some(branch.mv) != best);
            for branch in own {
                let with = games_with(&habits, branch.mv);
                if with * 100 < UNUSUAL * all && !one.answers.is_empty() && asked.insert((node.spot.name(), branch.mv))
                {
                    let masters = (all, with);
                    found.push(Gap {
                        mv: branch.mv,
                        games: branch.games,
                        points: branch.points,
                        masters,
                        ..one.clone()
                    });
                }
            }
            continue;
        }
        for habit in habits.iter().filter(|habit| habit.games * 100 >= EXPECTED * all) {
            if node.branches.iter().any(|branch| branch.mv == habit.mv) {
                continue;
            }
            let mut next = node.spot.position.clone();
            next.play(habit.mv);
            let ask = Spot::new(&next);
            if met.contains(&ask.name()) {
                continue;
            }
            let Some(answers) = masters(&ask)? else { continue };
            let (there, usual) = (total(&answers), usual(&answers));
            if there < GAMES || usual.is_empty() || !asked.insert((ask.name(), habit.mv)) {
                continue;
            }
            let masters = (all, habit.games);
            let gap =
                Gap { kind: GapKind::Unmet, mv: habit.mv, masters, ask, answers: usual, asked: there, ..one.clone() };
            found.push(gap);
        }
    }
    found.sort_by_key(|gap| (std::cmp::Reverse(gap.games), gap.ply, gap.node.code.clone()));
    Ok(found)
}

/// The gaps of both sides' openings against the games of a database; games of other rules than the database's have none.
#[cfg(feature = "database")]
pub fn gaps_against(database: &AnyDatabase, openings: &[Vec<Node>; 2]) -> Result<Vec<Gap>, CoachError> {
    let mut habits = |spot: &Spot| {
        let found = rukh_core::dispatch!(database, db => match spot.position.of() {
            Some(pos) => db.explore(pos),
            None => return Ok(Some(Vec::new())),
        });
        let moves = found.map_err(|error| CoachError::Refused(error.to_string()))?.moves;
        Ok(Some(moves.iter().map(|explored| Habit { mv: explored.mv, games: explored.figures.games }).collect()))
    };
    let mut found = Vec::new();
    for (side, nodes) in Color::ALL.into_iter().zip(openings) {
        found.extend(gaps(nodes, side, &mut habits)?);
    }
    found.sort_by_key(|gap| std::cmp::Reverse(gap.games));
    Ok(found)
}

fn total(habits: &[Habit]) -> u64 {
    habits.iter().map(|habit| habit.games).sum()
}

fn games_with(habits: &[Habit], mv: Move) -> u64 {
    habits.iter().find(|habit| habit.mv == mv).map_or(0, |habit| habit.games)
}

fn usual(habits: &[Habit]) -> Vec<Habit> {
    let all = total(habits);
    habits.iter().filter(|habit| habit.games * 100 >= USUAL * all).copied().collect()
}

/// Whole per cent.
fn share(part: u64, all: u64) -> String {
    format!("{} %", (part * 100 + all / 2) / all.max(1))
}

impl Gap {
    /// What masters play where the player has to know a move: `8. Nc3 (62 %), 8. c4 (30 %)`.
    pub fn answers_text(&self) -> String {
        let ply = self.ply + usize::from(self.kind == GapKind::Unmet);
        let written =
            |habit: &Habit| format!("{} ({})", numbered(&self.ask, ply, habit.mv), share(habit.games, self.asked));
        self.answers.iter().map(written).collect::<Vec<_>>().join(", ")
    }

    /// The gap in a sentence or two.
    pub fn sentence(&self) -> String {
        let (mv, answers) = (numbered(&self.node, self.ply, self.mv), self.answers_text());
        let (all, with) = self.masters;
        let games = self.games;
        match self.kind {
            GapKind::Unusual => {
                format!(
                    "You played {mv} in {games} games. Masters play {answers}, and your move in {with} of {all} games."
                )
            }
            GapKind::Unmet => {
                let share = share(with, all);
                format!(
                    "Masters play {mv} in {share} of their games, and you have not met it in {games}. They answer {answers}."
                )
            }
        }
    }
}

/// `24... Ne3`; a spot has no clock, so the way to it counts.
fn numbered(spot: &Spot, ply: usize, mv: Move) -> String {
    let pos = &spot.position;
    let dots = if pos.side_to_move() == Color::White { "." } else { "..." };
    format!("{}{dots} {}", ply / 2 + 1, pos.san(mv))
}

//! The openings of one player's games as a tree: transpositions are one node.

use std::collections::{HashMap, HashSet};

use rukh_core::{AnyPosition, Color, Move};
use rukh_engine::Scale;

use crate::journal::Journal;
use crate::review::Reviewed;
use crate::spot::Spot;

/// Half-moves from the start that are looked at.
const FAR: usize = 40;

/// A position of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// The position without clocks, and its code.
    pub spot: Spot,
    /// Games that came here; a game that came twice counts once.
    pub games: u32,
    /// The player's points in them.
    pub points: f64,
    /// The moves made here, the most frequent first.
    pub branches: Vec<Branch>,
    /// Expected points of a hundred for the player, and the engine's move, where it was searched.
    pub opinion: Option<(f64, Option<Move>)>,
    /// Half-moves from the start when it was first met.
    pub ply: usize,
    last: Option<usize>,
}

impl Node {
    /// A position that no game has come to.
    pub fn new(spot: Spot, ply: usize) -> Node {
        Node { spot, games: 0, points: 0.0, branches: Vec::new(), opinion: None, ply, last: None }
    }
}

/// A move of the tree.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The move.
    pub mv: Move,
    /// Where it leads: variant and code.
    pub to: String,
    /// Games with it.
    pub games: u32,
    /// The player's points in them.
    pub points: f64,
}

/// The tree of the games that the player had one side in: positions of at least two games, and those on the way to them.
pub fn tree(games: &[Reviewed], side: Color, journal: &Journal) -> Vec<Node> {
    let mut nodes: HashMap<String, Node> = HashMap::new();
    for (at, Reviewed { game, .. }) in games.iter().enumerate().filter(|(_, game)| game.game.color == side) {
        let points = game.points_or_half();
        let mut position = game.start.clone();
        let mut spot = Spot::new(&position);
        for (ply, &mv) in game.moves.iter().enumerate().take(FAR) {
            position.play(mv);
            let next = Spot::new(&position);
            let node = nodes.entry(spot.name()).or_insert_with(|| {
                let opinion = opinion(&spot, side, journal);
                Node { opinion, ..Node::new(spot.clone(), ply) }
            });
            if node.last != Some(at) {
                node.last = Some(at);
                node.games += 1;
                node.points += points;
                let to = next.name();
                match node.branches.iter_mut().find(|branch| branch.mv == mv) {
                    Some(branch) => {
                        branch.games += 1;
                        branch.points += points;
                    }
                    None => node.branches.push(Branch { mv, to, games: 1, points }),
                }
            }
            spot = next;
        }
    }
    let shared = |name: &str| nodes.get(name).is_some_and(|node| node.games > 1 || node.ply == 0);
    let mut kept: HashSet<String> = nodes.keys().filter(|name| shared(name)).cloned().collect();
    // What leads to a position of several games is on the way to it, deepest first.
    let mut ways: Vec<(&String, &Node)> = nodes.iter().collect();
    ways.sort_by_key(|(_, node)| std::cmp::Reverse(node.ply));
    for (name, node) in ways {
        if node.branches.iter().any(|branch| kept.contains(&branch.to)) {
            kept.insert(name.clone());
        }
    }
    let mut nodes: Vec<Node> =
        nodes.into_iter().filter(|(name, _)| kept.contains(name)).map(|(_, node)| node).collect();
    for node in &mut nodes {
        node.branches.sort_by_key(|branch| (std::cmp::Reverse(branch.games), branch.mv.raw()));
    }
    nodes.sort_by(|a, b| a.ply.cmp(&b.ply).then(b.games.cmp(&a.games)).then_with(|| a.spot.code.cmp(&b.spot.code)));
    nodes
}

fn opinion(spot: &Spot, side: Color, journal: &Journal) -> Option<(f64, Option<Move>)> {
    let pos: &AnyPosition = &spot.position;
    let seen = journal.known(spot, None, 1)?;
    let points = Scale::of(pos.variant(), pos.men()).for_marks(pos.variant()).wdl(seen.score).expectation();
    Some((if pos.side_to_move() == side { points } else { 100.0 - points }, seen.line.first().copied()))
}

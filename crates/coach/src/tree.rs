//! The openings of one player's games as a tree: transpositions are one node.

use std::collections::{HashMap, HashSet};

use rukh_core::{AnyPosition, Color, Move, Variant};
use rukh_engine::Scale;
use rukh_json::{Json, Out};

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
        let points = game.points().unwrap_or(0.5);
        let mut position = game.start.clone();
        let mut spot = Spot::new(&position);
        for (ply, &mv) in game.moves.iter().enumerate().take(FAR) {
            position.play(mv);
            let next = Spot::new(&position);
            let node = nodes.entry(spot.name()).or_insert_with(|| Node {
                opinion: opinion(&spot, side, journal),
                spot: spot.clone(),
                games: 0,
                points: 0.0,
                branches: Vec::new(),
                ply,
                last: None,
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

/// The tree as a list in JSON.
pub fn write(out: &mut Out<'_>, name: &str, nodes: &[Node]) {
    out.list(name, |out| {
        for Node { spot, games, points, branches, opinion, ply, .. } in nodes {
            out.item_obj(|out| {
                out.str("key", &spot.name());
                out.str("fen", &spot.position.fen());
                out.num("ply", ply);
                out.num("games", games);
                out.tenths("points", *points);
                out.opt_num("expected", opinion.map(|(points, _)| format!("{points:.1}")));
                out.opt("best", opinion.and_then(|(_, best)| Some(spot.position.san(best?))));
                out.list("moves", |out| {
                    for Branch { mv, to, games, points } in branches {
                        out.item_obj(|out| {
                            out.str("uci", &spot.position.uci(*mv));
                            out.str("san", &spot.position.san(*mv));
                            out.str("to", to);
                            out.num("games", games);
                            out.tenths("points", *points);
                        });
                    }
                });
            });
        }
    });
}

/// A tree as [`write()`] has written it; moves that are not legal are left out.
pub fn read(list: &[Json]) -> Result<Vec<Node>, String> {
    let count = |json: &Json, name| u32::try_from(json.uint(name).unwrap_or(0)).unwrap_or(u32::MAX);
    let points = |json: &Json| json.get("points").and_then(Json::number).unwrap_or(0.0);
    let mut nodes = Vec::new();
    for json in list {
        let key = json.str("key").ok_or("a node has no `key`")?;
        let variant: Variant = key.split(':').next().unwrap_or_default().parse().map_err(|e| format!("{e}"))?;
        let fen = json.str("fen").ok_or("a node has no `fen`")?;
        let position = AnyPosition::from_fen(variant, fen).map_err(|e| e.to_string())?;
        let branch = |json: &Json| {
            let mv = position.parse_uci(json.str("uci")?).ok()?;
            let to = json.str("to").unwrap_or_default().to_owned();
            Some(Branch { mv, to, games: count(json, "games"), points: points(json) })
        };
        nodes.push(Node {
            branches: json.get("moves").map_or(&[][..], Json::list).iter().filter_map(branch).collect(),
            spot: Spot::new(&position),
            games: count(json, "games"),
            points: points(json),
            opinion: json
                .get("expected")
                .and_then(Json::number)
                .map(|points| (points, json.str("best").and_then(|san| position.parse_move(san).ok()))),
            ply: count(json, "ply") as usize,
            last: None,
        });
    }
    Ok(nodes)
}

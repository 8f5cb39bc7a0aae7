//! The tree of the player's openings as tables: a line without forks is one row, a transposition is told once.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use rukh_core::{AnyPosition, Color, Move, Variant};

use super::{escaped, score_sheet};
use crate::reasons::percent;
use crate::tree::{Branch, Node};

/// Trees of one side: the first positions of Chess960 are many.
const TREES: usize = 6;
/// Rows of a tree.
const ROWS: usize = 60;
/// Games that a row needs.
const LEAST: u32 = 2;

/// One line of the tree, from one fork to the next.
struct Row<'a> {
    depth: usize,
    moves: String,
    games: u32,
    points: f64,
    /// Where it leads, if several games came there.
    to: Option<&'a Node>,
    /// It was told above, by another order of moves.
    again: bool,
}

/// The tables of both sides; nothing where no position was met twice.
pub fn section(out: &mut String, trees: &[Vec<Node>; 2]) {
    let mut tables = String::new();
    for (side, nodes) in Color::ALL.into_iter().zip(trees) {
        let by_name: HashMap<String, &Node> = nodes.iter().map(|node| (node.spot.name(), node)).collect();
        let roots = nodes.iter().filter(|node| node.ply == 0 && node.games >= LEAST);
        for root in roots.take(TREES) {
            let mut rows = Vec::new();
            walk(root, 0, &by_name, &mut HashSet::new(), &mut rows);
            if !rows.is_empty() {
                table(&mut tables, side, root, &rows);
            }
        }
    }
    if !tables.is_empty() {
        let _ = writeln!(out, "<section><h2>Openings</h2>{tables}</section>");
    }
}

fn walk<'a>(
    node: &'a Node,
    depth: usize,
    nodes: &HashMap<String, &'a Node>,
    seen: &mut HashSet<String>,
    rows: &mut Vec<Row<'a>>,
) {
    for branch in node.branches.iter().filter(|branch| branch.games >= LEAST) {
        let mut moves = numbered(node, branch.mv, true);
        let mut last = branch;
        let mut to = nodes.get(&branch.to).copied();
        while let Some(next) = to
            && !seen.contains(&last.to)
            && next.games == branch.games
            && let [only @ Branch { games, .. }] = next.branches.as_slice()
            && *games == branch.games
        {
            let _ = write!(moves, " {}", numbered(next, only.mv, false));
            last = only;
            to = nodes.get(&only.to).copied();
        }
        let again = to.is_some() && !seen.insert(last.to.clone());
        rows.push(Row { depth, moves, games: branch.games, points: branch.points, to, again });
        if let Some(next) = to.filter(|_| !again) {
            walk(next, depth + 1, nodes, seen, rows);
        }
    }
}

fn table(out: &mut String, side: Color, root: &Node, rows: &[Row<'_>]) {
    let start = &root.spot.position;
    let what = match start.variant() {
        Variant::Chess if *start == AnyPosition::new(Variant::Chess) => None,
        variant if *start == AnyPosition::new(variant) => Some(variant.title().to_owned()),
        variant => Some(format!("{}, {}", variant.title(), start.fen())),
    };
    let what = what.map_or_else(String::new, |what| format!(", {}", escaped(&what)));
    let _ = write!(
        out,
        "<table class=\"tree\"><caption>With {side}{what}: {games} games, {} of {games} points</caption><thead><tr><th scope=\"col\">Moves</th>\
         <th scope=\"col\">Games</th><th scope=\"col\">Points</th><th scope=\"col\">Score</th><th scope=\"col\">Expected score</th>\
         <th scope=\"col\">Engine’s move</th></tr></thead><tbody>",
        score_sheet(root.points),
        games = root.games
    );
    for Row { depth, moves, games, points, to, again } in rows.iter().take(ROWS) {
        let opinion = to.and_then(|node| Some((node, node.opinion?)));
        let expected = opinion.map_or_else(|| "–".to_owned(), |(_, (points, _))| format!("{} %", percent(points)));
        let best = opinion.and_then(|(node, (_, best))| Some(node.spot.position.san(best?)));
        let best = if *again { "as above".to_owned() } else { best.unwrap_or_else(|| "–".to_owned()) };
        let _ = write!(
            out,
            "<tr><th scope=\"row\" style=\"padding-left:{:.1}rem\">{}</th><td>{games}</td><td>{}</td><td>{} %</td><td>{expected}</td><td>{}</td></tr>",
            0.7 + 1.1 * (*depth).min(8) as f64,
            escaped(moves),
            score_sheet(*points),
            percent(100.0 * points / f64::from(*games)),
            escaped(&best)
        );
    }
    *out += "</tbody></table>";
    if rows.len() > ROWS {
        let _ = write!(out, "<p class=\"where\">The first {ROWS} of {} lines.</p>", rows.len());
    }
}

/// `3. Bb5`, `3... a6`, and in the middle of a line `a6`. The position of a node has no clocks: its place in the games counts.
fn numbered(node: &Node, mv: Move, first: bool) -> String {
    let black = node.spot.position.side_to_move() == Color::Black;
    // Games from a position may begin with Black.
    let ply = node.ply + usize::from(black != (node.ply % 2 == 1));
    let san = node.spot.position.san(mv);
    match (black, first) {
        (false, _) => format!("{}. {san}", ply / 2 + 1),
        (true, true) => format!("{}... {san}", ply / 2 + 1),
        (true, false) => san,
    }
}

//! PGN for a page: whole games with variations in, annotated games out.

use crate::spec::start;
use rukh_core::{Alphabet, AnyPosition, Move, Variant, Writing};
use rukh_json::{Json, Out, object};
use rukh_pgn::{Eval, GameResult, GameTree, Node, NodeId, PgnWriter, Tags, TreeReader};
use rukh_store::openings::openings;
use std::io::Cursor;

/// Commands in comments that have a field of their own.
const COMMANDS: [&str; 4] = ["clk", "eval", "cal", "csl"];
/// A page does not want more games than this at once.
const MAX_GAMES: usize = 2000;
/// What a move that passes is called.
const NULL_MOVE: &str = "0000";
/// Makruk's moves as Thais write them.
const THAI: Writing = Writing { alphabet: Alphabet::Thai, long: false };

/// `parsePgn`
pub(crate) fn parse(question: &Json) -> Result<String, String> {
    games(question, game_out)
}

/// `indexPgn`: what a list of games needs to know, without the moves.
pub(crate) fn index(question: &Json) -> Result<String, String> {
    games(question, index_out)
}

fn games(question: &Json, game: impl Fn(&mut Out<'_>, &GameTree)) -> Result<String, String> {
    let text = question.str("text").ok_or("the question has no `text`")?.to_owned();
    let reader = TreeReader::new("text", Cursor::new(text.into_bytes())).map_err(|e| e.reason.to_string())?;
    let mut reader = reader.with_passes().with_cut_games();
    let (mut errors, mut notes) = (Vec::new(), Vec::new());
    let mut games = String::new();
    let mut count = 0;
    for number in 1..=MAX_GAMES {
        let Some(read) = reader.next() else { break };
        match read {
            Ok(tree) => {
                if count > 0 {
                    games.push(',');
                }
                count += 1;
                games.push_str(&object(|out| game(out, &tree)));
            }
            Err(error) => {
                errors.push((number, error.line, error.reason.to_string()));
                if error.is_fatal() {
                    break;
                }
            }
        }
        notes.extend(reader.take_notes().into_iter().map(|note| (number, note.line, note.reason.to_string())));
    }
    Ok(object(|out| {
        out.raw("games", &format!("[{games}]"));
        for (name, problems) in [("errors", &errors), ("notes", &notes)] {
            out.list(name, |out| {
                for (game, line, reason) in problems {
                    out.item_obj(|out| {
                        out.num("game", game);
                        out.num("line", line);
                        out.str("reason", reason);
                    });
                }
            });
        }
    }))
}

/// The positions of a game with the nodes they belong to, parents before children: node, index of the parent, position.
fn positions(tree: &GameTree) -> Vec<(NodeId, usize, AnyPosition)> {
    let mut all = vec![(NodeId::ROOT, 0, tree.start.clone())];
    let mut at = 0;
    while at < all.len() {
        for &child in tree.node(all[at].0).children() {
            let mut after = all[at].2.clone();
            after.play(tree.node(child).mv);
            all.push((child, at, after));
        }
        at += 1;
    }
    all
}

fn index_out(out: &mut Out<'_>, tree: &GameTree) {
    head_out(out, tree);
    let line: Vec<_> = tree.main_line().map(|id| tree.node(id).mv).collect();
    out.num("plies", line.len());
    let passes = line.iter().any(|mv| mv.is_none());
    let chess = tree.start.chess().filter(|_| tree.start.variant() == Variant::Chess && !passes);
    match chess.and_then(|start| openings().classify(start, &line)) {
        Some(opening) => out.obj("opening", |out| {
            out.show("eco", opening.eco());
            out.str("name", opening.name);
        }),
        None => out.null("opening"),
    }
    // Half a key each: a list of games wants to be small, and whoever opens a game sees whether it was the other half.
    let keys: String = positions(tree).iter().map(|(_, _, pos)| format!("{:08x}", pos.key() as u32)).collect();
    out.str("keys", &keys);
}

fn head_out(out: &mut Out<'_>, tree: &GameTree) {
    out.list("tags", |out| {
        for (name, value) in tree.tags.iter() {
            out.item_list(|out| {
                out.item(name);
                out.item(value);
            });
        }
    });
    out.str("variant", tree.start.variant().name());
    out.show("start", tree.start.fen());
    out.str("result", tree.result.as_str());
}

fn game_out(out: &mut Out<'_>, tree: &GameTree) {
    head_out(out, tree);
    out.list("nodes", |out| {
        let nodes = positions(tree);
        // Children follow one another, in the order of their parents.
        let mut first = 1;
        for (at, (id, parent, pos)) in nodes.iter().enumerate() {
            let node = tree.node(*id);
            let children = first..first + node.children().len();
            first = children.end;
            out.item_obj(|out| {
                out.num("id", at);
                out.num("parent", parent);
                out.list("children", |out| children.for_each(|i| out.item_num(i)));
                let before = &nodes[*parent].2;
                out.show("uci", if at == 0 { String::new() } else { before.uci(node.mv) });
                out.show("san", if at == 0 { String::new() } else { before.san(node.mv) });
                if at > 0 && pos.variant() == Variant::Makruk {
                    out.str("thai", &before.written(node.mv, THAI));
                }
                out.show("fen", pos.fen());
                annotations(out, node);
            });
        }
    });
}

fn annotations(out: &mut Out<'_>, node: &Node) {
    out.strings("before", node.opening_comments.iter().map(|c| plain(c)).filter(|c| !c.is_empty()));
    out.strings("comments", node.comments.iter().map(|c| plain(c)).filter(|c| !c.is_empty()));
    out.list("nags", |out| node.nags.iter().for_each(|nag| out.item_num(nag)));
    match node.clock_ms() {
        Some(ms) => out.num("clock", ms),
        None => out.null("clock"),
    }
    match node.eval() {
        Some(Eval::Centipawns(cp)) => out.obj("eval", |out| out.num("cp", cp)),
        Some(Eval::Mate(mate)) => out.obj("eval", |out| out.num("mate", mate)),
        None => out.null("eval"),
    }
    out.list("shapes", |out| {
        for comment in &node.comments {
            for (name, value) in commands(comment) {
                if matches!(name, "cal" | "csl") {
                    value.split(',').for_each(|shape| shape_out(out, shape.trim()));
                }
            }
        }
    });
}

fn shape_out(out: &mut Out<'_>, shape: &str) {
    let color = match shape.get(..1) {
        Some("G") => "green",
        Some("R") => "red",
        Some("B") => "blue",
        Some("Y") => "yellow",
        _ => return,
    };
    let (from, to) = (shape.get(1..3), shape.get(3..5));
    let is_square = |s: &str| s.parse::<rukh_core::Square>().is_ok();
    if let Some(from) = from.filter(|s| is_square(s)) {
        out.item_obj(|out| {
            out.str("color", color);
            out.str("from", from);
            if let Some(to) = to.filter(|s| is_square(s)) {
                out.str("to", to);
            }
        });
    }
}

/// The commands `[%name value]` of a comment.
fn commands(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    comment.split("[%").skip(1).filter_map(|part| part.split(']').next()?.split_once(char::is_whitespace))
}

/// The comment without the commands that have a field of their own.
fn plain(comment: &str) -> String {
    let mut text = String::new();
    for (i, part) in comment.split("[%").enumerate() {
        let name = part.split(|c: char| c.is_whitespace() || c == ']').next().unwrap_or_default();
        match part.split_once(']') {
            Some((_, rest)) if i > 0 && COMMANDS.contains(&name) => text.push_str(rest),
            _ => {
                text.push_str(if i > 0 { "[%" } else { "" });
                text.push_str(part);
            }
        }
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `writePgn`
pub(crate) fn write(question: &Json) -> Result<String, String> {
    let game = question.get("game").ok_or("the question has no `game`")?;
    let start = start(game, "start")?;
    let mut tree = GameTree::new(start.clone());
    let mut tags = Tags::default();
    for pair in game.get("tags").map_or(&[][..], Json::list) {
        if let [Json::Text(name), Json::Text(value)] = pair.list() {
            let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if !is_name {
                return Err(format!("`{}` cannot be the name of a tag", name.chars().take(40).collect::<String>()));
            }
            tags.set(name, value);
        }
    }
    tree.result = GameResult::from_tag(game.str("result").unwrap_or("*").as_bytes());
    tree.tags = tags;
    let nodes = game.get("nodes").map_or(&[][..], Json::list);
    let mut made: Vec<(NodeId, AnyPosition)> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        if i == 0 {
            made.push((NodeId::ROOT, start.clone()));
        } else {
            let parent = node.uint("parent").unwrap_or(0) as usize;
            let (above, pos) = made.get(parent).ok_or_else(|| format!("node {i} comes before its parent"))?.clone();
            let text = node.str("uci").unwrap_or_default();
            let mv = match text {
                NULL_MOVE if pos.in_check() => Err("nobody may pass while in check".to_owned()),
                NULL_MOVE => Ok(Move::NONE),
                _ => pos.parse_uci(text).map_err(|error| error.to_string()),
            };
            let mv = mv.map_err(|e| format!("node {i}: {e}"))?;
            let mut after = pos;
            after.play(mv);
            made.push((tree.add(above, mv), after));
        }
        annotate(tree.node_mut(made[i].0), node);
    }
    let mut writer = PgnWriter::new(Vec::new());
    writer.write_tree(&tree).map_err(|e| e.to_string())?;
    let bytes = writer.finish().map_err(|e| e.to_string())?;
    Ok(object(|out| out.str("text", &String::from_utf8_lossy(&bytes))))
}

fn annotate(node: &mut Node, given: &Json) {
    let texts = |name: &str| -> Vec<String> {
        let list = given.get(name).map_or(&[][..], Json::list);
        list.iter().filter_map(|c| c.text().map(str::to_owned)).collect()
    };
    node.opening_comments = texts("before");
    node.comments = texts("comments");
    let nags = given.get("nags").map_or(&[][..], Json::list);
    node.nags = nags.iter().filter_map(|n| n.number()).filter(|n| (0.0..256.0).contains(n)).map(|n| n as u8).collect();
    let mut commands = String::new();
    if let Some(eval) = given.get("eval") {
        if let Some(mate) = eval.get("mate").and_then(Json::number) {
            commands.push_str(&format!("[%eval #{}]", mate as i32));
        } else if let Some(cp) = eval.get("cp").and_then(Json::number) {
            let (sign, size) = (if cp < 0.0 { "-" } else { "" }, cp.abs().min(9_999_900.0).round() as u32);
            commands.push_str(&format!("[%eval {sign}{}.{:02}]", size / 100, size % 100));
        }
    }
    if let Some(ms) = given.uint("clock") {
        let (seconds, tenths) = (ms / 1000, ms % 1000 / 100);
        let fraction = if tenths > 0 { format!(".{tenths}") } else { String::new() };
        commands.push_str(&format!("[%clk {}:{:02}:{:02}{fraction}]", seconds / 3600, seconds / 60 % 60, seconds % 60));
    }
    let shapes = given.get("shapes").map_or(&[][..], Json::list);
    for (name, arrows) in [("csl", false), ("cal", true)] {
        let mut words = Vec::new();
        for shape in shapes.iter().filter(|s| s.str("to").is_some() == arrows) {
            let color = shape.str("color").unwrap_or("green").chars().take(1).map(|c| c.to_ascii_uppercase());
            let squares = [shape.str("from").unwrap_or_default(), shape.str("to").unwrap_or_default()];
            let squares = squares.iter().flat_map(|s| s.chars().take(2)).filter(char::is_ascii_alphanumeric);
            words.push(color.chain(squares).collect::<String>());
        }
        if !words.is_empty() {
            commands.push_str(&format!("[%{name} {}]", words.join(",")));
        }
    }
    if !commands.is_empty() {
        let commands = commands.replace("][", "] [");
        match node.comments.first_mut() {
            Some(comment) => *comment = format!("{commands} {comment}"),
            None => node.comments.push(commands),
        }
    }
}

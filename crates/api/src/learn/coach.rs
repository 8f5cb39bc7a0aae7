//! `explain`, `coachStep`, `insights` and `repertoire`: why a move was bad, and a player's games reviewed by questions.

use std::collections::HashMap;

use rukh_coach::step::{Step, step};
use rukh_coach::{Choice, Journal, Reviewed, Spot, explain as reasons, games, gaps, insights as join, tree};
use rukh_core::{AnyPosition, Color, Move, Variant};
use rukh_engine::Scale;
use rukh_json::{Json, object};

use crate::chances::score_by;
use crate::coach as wire;
use crate::spec::any_game;

/// More games than this are refused: a page asks for those of one player.
const MOST_GAMES: usize = 200_000;
/// Nodes where a question names none.
const NODES: u64 = 60_000;

/// `explain`
pub(super) fn explain(question: &Json) -> Result<String, String> {
    let pos = any_game(question)?.position();
    let scale = Scale::of(pos.variant(), pos.men());
    let choice = |name: &str| {
        let part = question.get(name).ok_or_else(|| format!("the question has no `{name}`"))?;
        let score = part.get("score").and_then(|s| score_by(s, scale)).ok_or("`score` must have `cp` or `mate`")?;
        Ok::<_, String>(Choice { score, line: line(&pos, part.get("line").map_or(&[], Json::list)) })
    };
    let facts = reasons(&pos, &choice("played")?, &choice("best")?);
    Ok(object(|out| wire::facts(out, &facts)))
}

/// The moves of a line, as far as they are legal.
fn line(pos: &AnyPosition, words: &[Json]) -> Vec<Move> {
    let mut at = pos.clone();
    let legal = |word: &Json| {
        let mv = at.parse_uci(word.text()?).ok()?;
        at.play(mv);
        Some(mv)
    };
    words.iter().map_while(legal).collect()
}

/// The searches that the asker has kept.
fn journal(question: &Json) -> Result<Journal, String> {
    let journal = Journal::in_memory();
    for row in question.get("searches").map_or(&[][..], Json::list) {
        let key = row.str("key").ok_or("a search has no `key`")?;
        let variant = key.split(':').next().unwrap_or_default().parse::<Variant>().map_err(|e| e.to_string())?;
        let scale = match row.uint("men") {
            Some(men) => Scale::of(variant, men.min(64) as u32),
            None => Scale::typical(variant),
        };
        let score = row.get("score").and_then(|s| score_by(s, scale)).ok_or("`score` must have `cp` or `mate`")?;
        let depth = row.uint("depth").unwrap_or(0).min(255) as u32;
        journal.remember(key, (score, depth, row.uint("nodes").unwrap_or(0)), row.str("line").unwrap_or_default());
    }
    Ok(journal)
}

fn nodes(question: &Json) -> u64 {
    question.uint("nodes").unwrap_or(NODES)
}

fn player(question: &Json) -> Result<&str, String> {
    question.str("player").ok_or_else(|| "the question has no `player`".to_owned())
}

/// `coachStep`: what must be searched before a game is reviewed.
pub(super) fn coach_step(question: &Json) -> Result<String, String> {
    let pgn = question.str("pgn").ok_or("the question has no `pgn`")?;
    let game = games::parse(pgn, player(question)?).map_err(|e| e.to_string())?;
    let wanted = match step(&game, nodes(question), &journal(question)?).map_err(|e| e.to_string())? {
        Step::Done(_) => Vec::new(),
        Step::Search(wanted) => wanted,
    };
    Ok(object(|out| {
        out.list("wanted", |out| {
            for search in &wanted {
                out.item_obj(|out| {
                    out.str("key", &search.key);
                    out.str("variant", search.position.variant().name());
                    out.str("fen", &search.position.fen());
                    out.num("men", search.position.men());
                    out.num("nodes", search.nodes);
                    out.opt("only", search.only.map(|mv| search.position.uci(mv)));
                });
            }
        });
    }))
}

/// `insights`: what a player's games say together. Games that are not wholly known are left out.
pub(super) fn insights(question: &Json) -> Result<String, String> {
    let player = player(question)?;
    let texts = question.get("games").map_or(&[][..], Json::list);
    if texts.len() > MOST_GAMES {
        return Err(format!("more than {MOST_GAMES} games"));
    }
    let journal = journal(question)?;
    let mut places = Vec::new();
    let mut reviewed: Vec<Reviewed> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let Ok(game) = games::parse(text.text().ok_or("a game must be text")?, player) else { continue };
        if let Ok(Step::Done(done)) = step(&game, nodes(question), &journal) {
            places.push(at);
            reviewed.push(*done);
        }
    }
    let joined = join::insights(player, &reviewed);
    Ok(object(|out| {
        out.obj("insights", |out| wire::write(out, &joined, &reviewed));
        // Which of the games asked about they are.
        out.list("places", |out| places.iter().for_each(|at| out.item_num(at)));
        for (name, side) in [("white", Color::White), ("black", Color::Black)] {
            wire::tree(out, name, &tree::tree(&reviewed, side, &journal));
        }
    }))
}

/// `repertoire`: the gaps of one side's openings against what masters play, as far as the asker knows that; `wanted` are the
/// positions to ask a database about before the next time.
pub(super) fn repertoire(question: &Json) -> Result<String, String> {
    let side = match question.str("side") {
        Some("white") => Color::White,
        Some("black") => Color::Black,
        _ => return Err("`side` must be white or black".to_owned()),
    };
    let nodes = read_tree(question.get("nodes").map_or(&[], Json::list))?;
    let known = question.get("masters").map_or(&[][..], Json::list);
    let known: HashMap<&str, &Json> = known.iter().filter_map(|row| Some((row.str("key")?, row))).collect();
    let mut wanted = Vec::new();
    let found = gaps::gaps(&nodes, side, &mut |spot| {
        let Some(row) = known.get(spot.name().as_str()) else {
            wanted.push(spot.clone());
            return Ok(None);
        };
        let habit = |row: &Json| {
            let mv = spot.position.parse_uci(row.str("uci")?).ok()?;
            // No database has more, and sums of them stay numbers.
            Some(gaps::Habit { mv, games: row.uint("games")?.min(u32::MAX.into()) })
        };
        Ok(Some(row.get("moves").map_or(&[][..], Json::list).iter().filter_map(habit).collect()))
    });
    let found = found.map_err(|e| e.to_string())?;
    Ok(object(|out| {
        out.list("wanted", |out| {
            for spot in &wanted {
                out.item_obj(|out| {
                    out.str("key", &spot.name());
                    out.str("variant", spot.position.variant().name());
                    out.str("fen", &spot.position.fen());
                });
            }
        });
        wire::gaps(out, "gaps", &found);
    }))
}

/// A tree as [`wire::tree`] has written it; moves that are not legal are left out.
fn read_tree(list: &[Json]) -> Result<Vec<tree::Node>, String> {
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
            Some(tree::Branch { mv, to, games: count(json, "games"), points: points(json) })
        };
        let best = json.str("best").and_then(|san| position.parse_move(san).ok());
        let mut node = tree::Node::new(Spot::new(&position), count(json, "ply") as usize);
        node.branches = json.get("moves").map_or(&[][..], Json::list).iter().filter_map(branch).collect();
        (node.games, node.points) = (count(json, "games"), points(json));
        node.opinion = json.get("expected").and_then(Json::number).map(|points| (points, best));
        nodes.push(node);
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_coach::{Effort, review_all};
    use std::sync::atomic::AtomicBool;

    /// Two games of one kind and one of another: what is written says both trees, and a tree that is read is the same.
    #[test]
    fn openings_there_and_back() {
        let pgn = |tags: &str, moves: &str| format!("[White \"A\"]\n{tags}\n{moves} *\n");
        let texts = ["1. e4 e5 2. Nf3 Nc6 3. Bb5", "1. Nf3 Nc6 2. e4 e5 3. d4"].map(|moves| pgn("", moves));
        let texts = [&texts[..], &[pgn("[Variant \"Makruk\"]\n", "1. e4 e5")]].concat();
        let games: Vec<_> = texts.iter().map(|text| games::parse(text, "A").unwrap()).collect();
        let effort = Effort { nodes: 100, threads: 1, options: vec![("Hash".into(), "1".into())] };
        let journal = Journal::in_memory();
        let reviewed = review_all(&games, &effort, &journal, &AtomicBool::new(false), |_| ()).unwrap();
        let mut found = join::insights("A", &reviewed);
        found.openings = Color::ALL.map(|side| tree::tree(&reviewed, side, &journal));
        let value = Json::parse(&wire::report(&found, &reviewed)).unwrap();
        assert_eq!(value.get("reviewed").unwrap().list().len(), 3);
        let white = value.get("openings").and_then(|openings| openings.get("white")).unwrap().list();
        assert_eq!(white.iter().filter(|node| node.uint("ply") == Some(0)).count(), 2, "a tree for each kind of game");
        let text = |nodes: &[tree::Node]| object(|out| wire::tree(out, "white", nodes));
        assert!(white.len() > 4 && text(&found.openings[0]).contains("\"san\":\"Nf3\""));
        assert_eq!(text(&read_tree(white).unwrap()), text(&found.openings[0]));
    }
}

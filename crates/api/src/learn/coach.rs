//! `explain`, `coachStep`, `insights` and `repertoire`: why a move was bad, and a player's games reviewed by questions.

use std::collections::HashMap;

use rukh_coach::report::json;
use rukh_coach::step::{Step, step};
use rukh_coach::{Choice, Journal, Reviewed, explain as reasons, games, gaps, insights as join, tree};
use rukh_core::{AnyPosition, Color, Move, Variant};
use rukh_engine::Scale;
use rukh_json::{Json, object};

use crate::chances::score_by;
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
    Ok(object(|out| json::facts(out, &facts)))
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
        out.obj("insights", |out| json::write(out, &joined, &reviewed));
        // Which of the games asked about they are.
        out.list("places", |out| places.iter().for_each(|at| out.item_num(at)));
        for (name, side) in [("white", Color::White), ("black", Color::Black)] {
            tree::write(out, name, &tree::tree(&reviewed, side, &journal));
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
    let nodes = tree::read(question.get("nodes").map_or(&[], Json::list))?;
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
        gaps::write(out, "gaps", &found);
    }))
}

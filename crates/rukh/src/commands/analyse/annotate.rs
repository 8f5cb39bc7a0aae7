//! Whole games: evaluations after every move, glyphs and better lines where a move lost winning chances.

use std::io::Write as _;
use std::path::Path;

use rukh_core::{Color, Variant, Writing};
use rukh_engine::{Engine, Judgement, Limits};
use rukh_pgn::{GameTree, NodeId, PgnWriter, TreeReader};

use super::{Verdict, verdict};
use crate::cli::{CliError, Progress, counted};
use crate::game::{AnyGame, EngineArgs};

/// Plies of the better line that are shown.
const LINE: usize = 8;

/// What one player did wrong in a game.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    moves: u32,
    slips: [u32; 3],
    /// Sum of the losses of expected score.
    loss: f64,
}

/// Annotates every game of a file.
pub fn annotate(
    setup: &EngineArgs,
    file: &Path,
    limits: &Limits,
    only: Option<usize>,
    writing: Writing,
) -> Result<(), CliError> {
    let reader = TreeReader::open(file).map_err(CliError::new)?;
    let file = file.display();
    let mut found = 0;
    let mut engines: Vec<(Variant, Engine)> = Vec::new();
    for game in reader {
        found += 1;
        if only.is_some_and(|only| only != found) {
            continue;
        }
        let game = match game {
            Ok(game) => game,
            Err(error) if error.is_fatal() => return Err(CliError::new(error)),
            Err(error) => {
                eprintln!("rukh: skipped: {error}");
                continue;
            }
        };
        let variant = game.start.variant();
        if !engines.iter().any(|(of, _)| *of == variant) {
            engines.push((variant, EngineArgs { variant, ..setup.clone() }.engine()?));
        }
        let engine = engines.iter().find(|(of, _)| *of == variant).map(|(_, engine)| engine);
        if let Some(engine) = engine {
            one(engine, game, limits, writing)?;
        }
    }
    match (found, only) {
        (0, _) => Err(CliError::new(format!("{file} holds no game"))),
        (_, Some(only)) if only == 0 || only > found => {
            Err(CliError::new(format!("{file} holds {found} games, there is no game {only}")))
        }
        _ => Ok(()),
    }
}

fn one(engine: &Engine, mut tree: GameTree, limits: &Limits, writing: Writing) -> Result<(), CliError> {
    let mut game = AnyGame::from(&tree.start);
    let line: Vec<NodeId> = tree.main_line().collect();
    let mut progress = Progress::new("analyse", Some(line.len() as u64 + 1));
    engine.new_game();
    let mut tallies = [Tally::default(); 2];
    let mut before = judge(engine, &game, limits)?;
    for (at, &id) in line.iter().enumerate() {
        let mv = tree.node(id).mv;
        let mover = game.side_to_move();
        let san = game.written(mv, writing);
        let better = if before.line.first() == Some(&game.uci(mv)) { None } else { before.line.first() };
        let better = better.and_then(|uci| game.parse_uci(uci).ok()).map(|mv| game.written(mv, writing));
        let earlier = game.clone();
        game.play(mv);
        progress.set(at as u64 + 1, &san);
        let after = judge(engine, &game, limits)?;
        let loss = if better.is_none() { 0.0 } else { (before.chance - (1.0 - after.chance)).max(0.0) };
        let tally = &mut tallies[mover.index()];
        tally.moves += 1;
        tally.loss += loss;
        let slip = Judgement::of(100.0 * loss);
        let remark = comment(slip, &after, !mover, better.as_deref());
        let node = tree.node_mut(id);
        // An older verdict gives way to ours; other remarks stay.
        node.comments.retain(|comment| !comment.starts_with("[%eval"));
        if !remark.is_empty() {
            node.comments.insert(0, remark);
        }
        if let Some(slip) = slip {
            tally.slips[slip as usize] += 1;
            node.nags.retain(|nag| *nag > 6);
            node.nags.insert(0, slip.nag());
            add_line(&mut tree, id, earlier, &before.line);
        }
        before = after;
    }
    progress.finish();
    tree.tags.set("Annotator", &format!("Rukh {}", env!("CARGO_PKG_VERSION")));
    let mut writer = PgnWriter::new(Vec::new()).with_writing(writing);
    writer.write_tree(&tree)?;
    let mut text = writer.finish()?;
    text.push(b'\n');
    std::io::stdout().write_all(&text)?;
    for (color, tally) in Color::ALL.into_iter().zip(tallies) {
        let name = match color {
            Color::White => tree.tags.white(),
            Color::Black => tree.tags.black(),
        };
        let slips = ["inaccuracy", "mistake", "blunder"].into_iter().zip(tally.slips);
        let slips: Vec<String> = slips.map(|(what, n)| counted(n.into(), what)).collect();
        let kept = 100.0 * (1.0 - tally.loss / f64::from(tally.moves.max(1)));
        eprintln!(
            "{color} ({name}): {}, {}, {kept:.1} % of the chances kept",
            counted(tally.moves.into(), "move"),
            slips.join(", ")
        );
    }
    Ok(())
}

/// Adds the engine's line as a variation beside the move of `id`.
fn add_line(tree: &mut GameTree, id: NodeId, mut game: AnyGame, line: &[String]) {
    let mut parent = tree.parent(id);
    for uci in line.iter().take(LINE) {
        let Ok(mv) = game.parse_uci(uci) else { break };
        parent = tree.add(parent, mv);
        game.play(mv);
    }
}

/// The engine's opinion of the current position, finished games included.
fn judge(engine: &Engine, game: &AnyGame, limits: &Limits) -> Result<Verdict, CliError> {
    if let Some(outcome) = game.finished() {
        let lost = matches!(outcome, rukh_core::Outcome::Win(_));
        return Ok(Verdict { mate: lost.then_some(0), chance: if lost { 0.0 } else { 0.5 }, ..Verdict::default() });
    }
    engine.set_game(game.clone()).map_err(CliError::new)?;
    let mut last = Verdict::default();
    engine.go(limits.clone(), |info| last = verdict(info)).sound().map_err(CliError::new)?;
    Ok(last)
}

/// `[%eval 0.34] Mistake. Nf3 was best.`
fn comment(slip: Option<Judgement>, after: &Verdict, mover: Color, better: Option<&str>) -> String {
    // After mate there is nothing to evaluate.
    let mut text = match after.mate {
        Some(0) => String::new(),
        _ => format!("[%eval {}]", after.for_white(mover).trim_start_matches('+')),
    };
    if let (Some(slip), Some(better)) = (slip, better) {
        let gap = if text.is_empty() { "" } else { " " };
        let word = match slip {
            Judgement::Inaccuracy => "Inaccuracy",
            Judgement::Mistake => "Mistake",
            Judgement::Blunder => "Blunder",
        };
        text += &format!("{gap}{word}. {better} was best.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_tell_the_better_move() {
        let after = Verdict { cp: 250, ..Verdict::default() };
        assert_eq!(comment(None, &after, Color::Black, Some("e4")), "[%eval -2.50]");
        let bad = comment(Some(Judgement::Blunder), &after, Color::White, Some("e4"));
        assert_eq!(bad, "[%eval 2.50] Blunder. e4 was best.");
        let mated = Verdict { mate: Some(0), ..Verdict::default() };
        assert_eq!(comment(None, &mated, Color::White, None), "");
    }

    #[test]
    fn the_better_line_becomes_a_variation() {
        let game = AnyGame::new(Variant::Chess);
        let mut tree = GameTree::new(game.start());
        let played = tree.add(NodeId::ROOT, game.parse_move("f3").unwrap());
        add_line(&mut tree, played, game, &["e2e4".into(), "e7e5".into(), "e1e8".into()]);
        let mut writer = PgnWriter::new(Vec::new());
        writer.write_tree(&tree).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        assert!(text.contains("1. f3 (1. e4 e5) *"), "{text}");
    }
}

//! Whole games: evaluations after every move, glyphs and better lines where a move lost winning chances.

use std::sync::atomic::AtomicBool;

use rukh_core::{AnyGame, Color, Outcome, Writing};
use rukh_engine::{Engine, Info, Judgement, Limits, Scale};
use rukh_pgn::{GameTree, NodeId};

use crate::error::CoachError;
use crate::games::PlayerGame;
use crate::journal::Journal;
use crate::review::{Effort, Judged, Reviewed, review_all};

/// Plies of the better line that are shown.
const LINE: usize = 8;

/// What the engine thinks of a position, for the side to move.
#[derive(Clone, Debug, Default)]
pub struct Opinion {
    /// The score in centipawns.
    pub cp: i32,
    /// Moves to mate; negative where the side to move is mated.
    pub mate: Option<i32>,
    /// Expected score, 0 to 1.
    pub chance: f64,
    /// Depth of the search.
    pub depth: u32,
    /// The best line in UCI notation.
    pub line: Vec<String>,
}

impl Opinion {
    /// What a report of a search says.
    pub fn of(info: &Info) -> Opinion {
        Opinion {
            cp: info.centipawns(),
            mate: info.mate(),
            chance: info.scale.for_marks(info.variant).wdl(info.score).expectation() / 100.0,
            depth: info.depth,
            line: info.pv.uci().map(|mv| mv.to_string()).collect(),
        }
    }

    /// `+0.34`, `#5`, `#-3` as White sees it.
    pub fn for_white(&self, mover: Color) -> String {
        let sign = if mover == Color::White { 1 } else { -1 };
        match self.mate {
            Some(mate) => format!("#{}", mate * sign),
            None => format!("{:+.2}", f64::from(self.cp * sign) / 100.0),
        }
    }
}

/// What one player did wrong in a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Moves that were judged.
    pub moves: u32,
    /// Those that were bad, in the order of [`Judgement::ALL`].
    pub slips: [u32; 3],
    /// Sum of the losses of expected score.
    pub loss: f64,
}

impl Tally {
    /// The share of the winning chances that was kept, 0 to 1.
    pub fn kept(&self) -> f64 {
        1.0 - self.loss / f64::from(self.moves.max(1))
    }
}

/// What is known of one move.
#[derive(Clone, Debug, Default)]
pub struct Remark {
    /// Of the position behind it, for the side to move there.
    pub after: Opinion,
    /// Expected score that it lost, 0 to 1.
    pub loss: f64,
    /// What it is called, if it deserves a name.
    pub slip: Option<Judgement>,
    /// The engine's line in UCI notation, where it begins with another move.
    pub better: Vec<String>,
}

/// What the coach says of both sides of games; `on_side` hears how many sides are done.
pub fn review(
    games: &[GameTree],
    effort: &Effort,
    journal: &Journal,
    on_side: impl FnMut(usize),
) -> Result<Vec<Vec<Remark>>, CoachError> {
    let sides = games.iter().flat_map(|game| Color::ALL.map(|color| PlayerGame::of(game, color)));
    let sides: Vec<PlayerGame> = sides.collect();
    let found = review_all(&sides, effort, journal, &AtomicBool::new(false), on_side)?;
    Ok(found.chunks(2).map(remarks).collect())
}

/// The moves of both sides in their order.
fn remarks(sides: &[Reviewed]) -> Vec<Remark> {
    let mut moves: Vec<&Judged> = sides.iter().flat_map(|side| &side.moves).collect();
    moves.sort_by_key(|judged| judged.ply);
    moves.into_iter().map(Remark::of).collect()
}

impl Remark {
    fn of(judged: &Judged) -> Remark {
        let mut next = judged.position.clone();
        next.play(judged.mv);
        let scale = Scale::of(next.variant(), next.men());
        let after = Opinion { cp: scale.centipawns(judged.after), mate: judged.after.mate(), ..Opinion::default() };
        let better = if judged.best.first() == Some(&judged.mv) { &[] } else { judged.best.as_slice() };
        Remark { after, loss: judged.loss / 100.0, slip: judged.judgement, better: judged.position.uci_line(better) }
    }
}

/// Judges the moves of a main line by searches within `limits`; `heard` is told each move, as it is written, before it is judged.
pub fn judge(
    engine: &Engine,
    tree: &GameTree,
    limits: &Limits,
    writing: Writing,
    mut heard: impl FnMut(usize, &str),
) -> Result<Vec<Remark>, CoachError> {
    let mut game = AnyGame::from(&tree.start);
    engine.new_game();
    let mut before = search(engine, &game, limits)?;
    let mut remarks = Vec::new();
    for (at, id) in tree.main_line().enumerate() {
        let mv = tree.node(id).mv;
        let better = if before.line.first() == Some(&game.uci(mv)) { Vec::new() } else { before.line };
        let san = game.written(mv, writing);
        game.play(mv);
        heard(at + 1, &san);
        let after = search(engine, &game, limits)?;
        let loss = if better.is_empty() { 0.0 } else { (before.chance - (1.0 - after.chance)).max(0.0) };
        remarks.push(Remark { after: after.clone(), loss, slip: Judgement::of(100.0 * loss), better });
        before = after;
    }
    Ok(remarks)
}

/// Writes what is known of the moves into the main line of a game. Returns what White and Black did wrong.
pub fn annotate(tree: &mut GameTree, remarks: &[Remark], writing: Writing) -> [Tally; 2] {
    let mut game = AnyGame::from(&tree.start);
    let line: Vec<NodeId> = tree.main_line().collect();
    let mut tallies = [Tally::default(); 2];
    for (&id, Remark { after, loss, slip, better }) in line.iter().zip(remarks) {
        let mover = game.side_to_move();
        let best = better.first().and_then(|uci| game.parse_uci(uci).ok()).map(|mv| game.written(mv, writing));
        let tally = &mut tallies[mover.index()];
        tally.moves += 1;
        tally.loss += loss;
        let remark = comment(*slip, after, !mover, best.as_deref());
        let earlier = game.clone();
        game.play(tree.node(id).mv);
        let node = tree.node_mut(id);
        // An older verdict of an engine gives way to this one; what a person wrote stays, signs included.
        for older in node.comments.iter_mut().filter_map(take_verdict) {
            node.nags.retain(|nag| *nag != older.nag());
        }
        node.comments.retain(|comment| !comment.is_empty());
        if !remark.is_empty() {
            node.comments.insert(0, remark);
        }
        if let Some(slip) = slip {
            tally.slips[*slip as usize] += 1;
            if node.nags.iter().all(|nag| *nag > 6) {
                node.nags.insert(0, slip.nag());
            }
            add_line(tree, id, earlier, better);
        }
    }
    tree.tags.set("Annotator", &format!("Rukh {}", env!("CARGO_PKG_VERSION")));
    tallies
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
fn search(engine: &Engine, game: &AnyGame, limits: &Limits) -> Result<Opinion, CoachError> {
    if let Some(outcome) = game.finished() {
        let lost = matches!(outcome, Outcome::Win(_));
        return Ok(Opinion { mate: lost.then_some(0), chance: if lost { 0.0 } else { 0.5 }, ..Opinion::default() });
    }
    engine.set_game(game.clone())?;
    let mut last = Opinion::default();
    engine.go(limits.clone(), |info| last = Opinion::of(info)).sound()?;
    Ok(last)
}

/// `[%eval 0.34] Mistake. Nf3 was best.`
fn comment(slip: Option<Judgement>, after: &Opinion, mover: Color, better: Option<&str>) -> String {
    // After mate there is nothing to evaluate.
    let mut text = match after.mate {
        Some(0) => String::new(),
        _ => format!("[%eval {}]", after.for_white(mover).trim_start_matches('+')),
    };
    if let (Some(slip), Some(better)) = (slip, better) {
        let gap = if text.is_empty() { "" } else { " " };
        text += &format!("{gap}{} {better} was best.", word(slip));
    }
    text
}

const fn word(slip: Judgement) -> &'static str {
    match slip {
        Judgement::Inaccuracy => "Inaccuracy.",
        Judgement::Mistake => "Mistake.",
        Judgement::Blunder => "Blunder.",
    }
}

/// Takes what [`comment`] writes out of a comment, and leaves the rest. Returns what the move was called, if it was.
fn take_verdict(text: &mut String) -> Option<Judgement> {
    if let Some(from) = text.find("[%eval ")
        && let Some(length) = text[from..].find(']')
    {
        text.replace_range(from..=from + length, "");
        *text = text.trim().to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let verdict =
        |four: &&[&str]| four[2..] == ["was", "best."] && Judgement::ALL.iter().any(|&slip| word(slip) == four[0]);
    let at = words.windows(4).position(|four| verdict(&four))?;
    let slip = Judgement::ALL.into_iter().find(|&slip| word(slip) == words[at]);
    *text = [&words[..at], &words[at + 4..]].concat().join(" ");
    slip
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::Variant;
    use rukh_engine::Options;
    use rukh_pgn::{PgnWriter, TreeReader};

    fn written(tree: &GameTree) -> String {
        let mut writer = PgnWriter::new(Vec::new());
        writer.write_tree(tree).unwrap();
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn comments_tell_the_better_move() {
        let after = Opinion { cp: 250, ..Opinion::default() };
        assert_eq!(comment(None, &after, Color::Black, Some("e4")), "[%eval -2.50]");
        let bad = comment(Some(Judgement::Blunder), &after, Color::White, Some("e4"));
        assert_eq!(bad, "[%eval 2.50] Blunder. e4 was best.");
        let mated = Opinion { mate: Some(0), ..Opinion::default() };
        assert_eq!(comment(None, &mated, Color::White, None), "");
    }

    #[test]
    fn the_better_line_becomes_a_variation() {
        let game = AnyGame::new(Variant::Chess);
        let mut tree = GameTree::new(game.start());
        let played = tree.add(NodeId::ROOT, game.parse_move("f3").unwrap());
        add_line(&mut tree, played, game, &["e2e4".into(), "e7e5".into(), "e1e8".into()]);
        let text = written(&tree);
        assert!(text.contains("1. f3 (1. e4 e5) *"), "{text}");
    }

    /// A queen given away: who did what, and what stands in the game.
    #[test]
    fn a_game_with_a_blunder() {
        let pgn = "1. e4 e5 2. Qh5 {[%eval 0.1] my idea} Nc6 3. Qxh7 $1 Rxh7 *";
        let mut tree = TreeReader::new("game", pgn.as_bytes()).unwrap().next().unwrap().unwrap();
        let engine = Engine::new(Options::default()).unwrap();
        let mut said = Vec::new();
        let mut annotated = |tree: &mut GameTree, nodes| {
            let heard = |_, san: &str| said.push(san.to_owned());
            let remarks = judge(&engine, tree, &Limits::nodes(nodes), Writing::default(), heard).unwrap();
            annotate(tree, &remarks, Writing::default())
        };
        let [white, black] = annotated(&mut tree, 3_000);
        assert_eq!((white.moves, black.moves), (3, 3));
        assert!(white.slips[2] == 1 && black.slips == [0; 3], "{white:?} {black:?}");
        assert!(white.kept() < black.kept() && black.kept() <= 1.0);
        let text = written(&tree).replace('\n', " ");
        assert!(text.contains("} {my idea}") && !text.contains("[%eval 0.1]"), "{text}");
        // A person's sign stays; the words say what the engine thinks.
        assert!(text.contains("3. Qxh7 $1 {[%eval -") && text.contains("Blunder. "), "{text}");
        // Annotated again, with other nodes: one verdict, one sign of the engine's, and still the person's words.
        annotated(&mut tree, 2_000);
        assert_eq!(said[..7], ["e4", "e5", "Qh5", "Nc6", "Qxh7", "Rxh7", "e4"]);
        let again = written(&tree).replace('\n', " ");
        assert_eq!(again.matches("my idea").count(), 1, "{again}");
        let of_the_blunder = again.split("Qxh7").nth(1).unwrap();
        assert_eq!(of_the_blunder.matches("was best.").count(), 1, "{again}");
        assert!(again.matches("[%eval").count() == 6 && again.contains("Qxh7 $1"), "{again}");
    }

    #[test]
    fn a_verdict_is_taken_out_and_nothing_else() {
        for (before, after, slip) in [
            ("[%eval 0.1] my idea", "my idea", None),
            ("[%eval -0.4] Mistake. Nf3 was best.", "", Some(Judgement::Mistake)),
            ("so [%eval #3] Blunder. Qxf7# was best. I saw it", "so I saw it", Some(Judgement::Blunder)),
            ("[%clk 0:01:00] a Blunder. That was best.", "[%clk 0:01:00] a", Some(Judgement::Blunder)),
            ("This was best.", "This was best.", None),
            ("[%eval 0.1", "[%eval 0.1", None),
        ] {
            let mut text = before.to_owned();
            assert_eq!((take_verdict(&mut text), text.as_str()), (slip, after), "{before}");
        }
    }
}

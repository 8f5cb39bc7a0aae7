//! `trace`: the real search of a position, recorded.

use crate::spec::any_game;
use crate::told::ShownScore;
use rukh_core::{Game, Move, Notation, Position, dispatch};
use rukh_engine::{Limits, ScoreBound};
use rukh_eval::Terms;
use rukh_eval::nnue::Evaluation;
use rukh_json::{Json, Out, object};
use rukh_search::trace::{Part, Recorded, Recorder, Skip, Stage, Why};
use rukh_search::{Info, RootPosition, Searcher, Shared, Turn};
use std::sync::Arc;

/// Most nodes that a trace may search, and keep.
const MAX_NODES: u64 = 20_000_000;
const MAX_KEPT: u64 = 200_000;
const KEPT: u64 = 20_000;
/// The recorded search has a small table of its own.
const HASH_MIB: usize = 8;

const PARTS: [(&str, Part); 6] = [
    ("ordering", Part::Ordering),
    ("table", Part::Table),
    ("nullMove", Part::NullMove),
    ("reductions", Part::Reductions),
    ("pruning", Part::Pruning),
    ("extensions", Part::Extensions),
];

pub(super) fn trace(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let depth = question.uint("depth").ok_or("the question has no `depth`")?.clamp(1, 40) as u32;
    let nodes = question.uint("nodes").unwrap_or(2_000_000).clamp(1, MAX_NODES);
    let kept = question.uint("limit").unwrap_or(KEPT).clamp(1, MAX_KEPT) as usize;
    let is_off = |name: &str| question.get("off").and_then(|off| off.flag(name)) == Some(true);
    let off: Vec<Part> = PARTS.iter().filter(|(name, _)| is_off(name)).map(|&(_, part)| part).collect();
    let limits = Limits { depth: Some(depth), nodes: Some(nodes), ..Limits::default() };
    dispatch!(&any, game => run(game, &limits, Recorder::new(kept, &off), any.variant().notation(), any.variant()))
}

/// `ordering`: the moves of a position in the order in which the search tries them, after a search of so many plies.
pub(super) fn ordering(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let depth = question.uint("depth").unwrap_or(0).min(20) as u32;
    dispatch!(&any, game => order(game, depth, any.variant().notation()))
}

fn order<R: Terms>(game: &Game<R>, depth: u32, notation: Notation) -> Result<String, String> {
    let shared = Arc::new(Shared::new(HASH_MIB, 1).map_err(|e| e.to_string())?);
    let mut searcher = Searcher::new(0, shared, Evaluation::<R>::default());
    let pos = game.position();
    let mut nodes = 0;
    if depth > 0 && pos.has_legal_move() {
        let limits = Limits { depth: Some(depth), nodes: Some(MAX_NODES / 10), ..Limits::default() };
        let root = RootPosition { position: pos, keys: game.keys() };
        nodes = searcher.search(root, &limits, &mut |_| {}).nodes;
    }
    Ok(object(|out| {
        out.num("nodes", nodes);
        out.list("moves", |out| {
            for (mv, turn, score) in searcher.order(pos) {
                out.item_obj(|out| {
                    out.str("uci", &pos.uci(mv, notation));
                    out.show("san", pos.san(mv));
                    out.str("stage", turn_name(turn));
                    match score {
                        Some(score) => out.num("score", score),
                        None => out.null("score"),
                    }
                });
            }
        });
    }))
}

fn turn_name(turn: Turn) -> &'static str {
    match turn {
        Turn::Table => "table",
        Turn::GoodCapture => "good capture",
        Turn::Quiet => "quiet",
        Turn::BadCapture => "bad capture",
        Turn::Evasion => "evasion",
    }
}

fn run<R: Terms>(
    game: &Game<R>,
    limits: &Limits,
    recorder: Recorder,
    notation: Notation,
    variant: rukh_core::Variant,
) -> Result<String, String> {
    let shared = Arc::new(Shared::new(HASH_MIB, 1).map_err(|e| e.to_string())?);
    let mut searcher = Searcher::new(0, shared, Evaluation::<R>::default());
    let root = RootPosition { position: game.position(), keys: game.keys() };
    let mut iterations = Vec::new();
    let mut pv: Vec<Move> = Vec::new();
    let (result, recorder) = searcher.search_traced(root, limits, recorder, &mut |info: &Info<'_>| {
        if info.bound == ScoreBound::Exact {
            iterations.push((info.depth, info.nodes, info.score.value(), info.pv.first().copied()));
            pv = info.pv.to_vec();
        }
    });
    let pos = game.position();
    let uci = |mv: Move| pos.uci(mv, notation);
    Ok(object(|out| {
        out.list("nodes", |out| {
            for (id, node) in recorder.nodes().iter().enumerate() {
                out.item_obj(|out| node_out(out, id, node, pos, notation));
            }
        });
        out.flag("truncated", recorder.is_truncated());
        out.list("iterations", |out| {
            for (depth, nodes, score, best) in &iterations {
                out.item_obj(|out| {
                    out.num("depth", depth);
                    out.num("nodes", nodes);
                    out.num("score", score);
                    out.opt("best", best.map(uci));
                });
            }
        });
        out.num("total", result.nodes);
        out.opt("bestMove", result.best.map(uci));
        let scale = rukh_engine::Scale::of(variant, pos.occupied().count());
        ShownScore::of(result.score, scale).write(out, ScoreBound::Exact);
        out.strings("pv", pv.iter().map(|&mv| uci(mv)));
    }))
}

/// A move of the tree. Rooks that may castle have not moved, so the root knows where they stand.
fn uci<R: Terms>(mv: Move, root: &Position<R>, notation: Notation) -> String {
    if mv.is_none() { "0000".into() } else { root.uci(mv, notation) }
}

fn node_out<R: Terms>(out: &mut Out<'_>, id: usize, node: &Recorded, root: &Position<R>, notation: Notation) {
    let entered = &node.entered;
    out.num("id", id);
    out.num("parent", node.parent);
    out.num("ply", entered.ply);
    out.opt("uci", (entered.ply > 0 && !node.same_position).then(|| uci(entered.mv, root, notation)));
    out.num("depth", entered.depth);
    out.num("alpha", entered.alpha);
    out.num("beta", entered.beta);
    out.num("value", node.value);
    out.num("nodes", node.nodes);
    let kind = if entered.pv {
        "pv"
    } else if node.value >= entered.beta {
        "cut"
    } else {
        "all"
    };
    out.str("kind", kind);
    out.str("stage", stage_name(node.stage));
    out.str("reason", why_name(node.why));
    out.num("order", entered.order);
    out.list("pruned", |out| {
        for &(skip, mv) in &node.skipped {
            out.item_obj(|out| {
                out.str("reason", skip_name(skip));
                out.show("uci", uci(mv, root, notation));
            });
        }
    });
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Main => "main",
        Stage::Quiescence => "quiescence",
        Stage::NullMove => "null move",
        Stage::ProbCut => "probcut",
        Stage::Verify => "verification",
        Stage::Reduced => "reduced",
        Stage::Again => "again",
    }
}

fn skip_name(skip: Skip) -> &'static str {
    match skip {
        Skip::LateMove => "late move",
        Skip::History => "history",
        Skip::Futility => "futility",
        Skip::Exchange => "exchange",
    }
}

fn why_name(why: Why) -> &'static str {
    match why {
        Why::Searched => "searched",
        Why::Cutoff => "cutoff",
        Why::Table => "table",
        Why::NullMove => "null move",
        Why::ReverseFutility => "reverse futility",
        Why::Razoring => "razoring",
        Why::ProbCut => "probcut",
        Why::StandPat => "stand pat",
        Why::MateDistance => "mate distance",
        Why::Draw => "draw",
        Why::Repetition => "repetition",
        Why::Checkmate => "checkmate",
        Why::Stalemate => "stalemate",
        Why::DepthLimit => "depth limit",
        Why::EndgameTable => "end-game table",
        Why::MultiCut => "multicut",
        Why::Stopped => "stopped",
    }
}

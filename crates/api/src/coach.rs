//! What the coach says: a player's games, reasons, openings and their gaps.

use rukh_coach::gaps::Gap;
use rukh_coach::insights::{Held, Insights, Tally};
use rukh_coach::tree::{Branch, Node};
use rukh_coach::{Fact, Reviewed};
use rukh_core::{AnyPosition, Color};
use rukh_json::{Out, object};

/// What `rukh coach --json` prints: everything, mistakes and positions included.
pub fn report(insights: &Insights, games: &[Reviewed]) -> String {
    object(|out| write(out, insights, games))
}

/// The same into an object that others write to.
pub(crate) fn write(out: &mut Out<'_>, insights: &Insights, games: &[Reviewed]) {
    out.str("player", &insights.player);
    out.num("games", games.len());
    out.obj("total", |out| tally(out, &insights.total));
    out.obj("results", |out| results(out, insights.results));
    for grouping in &insights.groupings {
        out.list(grouping.name, |out| {
            for (name, row) in &grouping.rows {
                out.item_obj(|out| {
                    out.str("name", name);
                    tally(out, row);
                });
            }
        });
    }
    for (name, Held { games, results: found }) in [("conversion", &insights.conversion), ("defence", &insights.defence)]
    {
        out.obj(name, |out| {
            out.num("games", games);
            results(out, *found);
        });
    }
    out.list("costs", |out| {
        for cost in &insights.costs {
            out.item_obj(|out| {
                out.str("theme", cost.theme.name());
                out.flag("missed", cost.missed);
                out.num("times", cost.times);
                out.tenths("points", cost.points);
            });
        }
    });
    out.list("mistakes", |out| {
        for mistake in &insights.mistakes {
            out.item_obj(|out| {
                place(out, &mistake.code, &mistake.position);
                out.str("played", &mistake.position.uci(mistake.mv));
                out.str("san", &mistake.position.san(mistake.mv));
                out.strings("best", mistake.position.uci_line(&mistake.best));
                out.str("judgement", mistake.judgement.name());
                out.tenths("before", mistake.points.0);
                out.tenths("after", mistake.points.1);
                out.opt("theme", mistake.theme.map(|(theme, _)| theme.name()));
                facts(out, &mistake.facts);
                out.list("games", |out| mistake.games.iter().for_each(|game| out.item_num(game)));
                out.list("plies", |out| mistake.plies.iter().for_each(|ply| out.item_num(ply)));
            });
        }
    });
    if let Some(found) = &insights.gaps {
        gaps(out, "gaps", found);
    }
    if insights.openings.iter().any(|nodes| !nodes.is_empty()) {
        out.obj("openings", |out| {
            for (name, nodes) in ["white", "black"].into_iter().zip(&insights.openings) {
                tree(out, name, nodes);
            }
        });
    }
    out.list("met", |out| {
        for met in &insights.met {
            out.item_obj(|out| {
                place(out, &met.code, &met.position);
                out.num("times", met.times);
                out.opt("best", met.best.map(|mv| met.position.uci(mv)));
                out.list("moves", |out| {
                    for (mv, times, points, loss) in &met.moves {
                        out.item_obj(|out| {
                            out.str("move", &met.position.uci(*mv));
                            out.str("san", &met.position.san(*mv));
                            out.num("times", times);
                            out.tenths("points", *points);
                            out.tenths("loss", *loss);
                        });
                    }
                });
            });
        }
    });
    out.list("reviewed", |out| {
        for game in games {
            out.item_obj(|out| {
                out.str("colour", if game.game.color == Color::White { "white" } else { "black" });
                out.str("opponent", &game.game.opponent());
                out.opt("opening", game.opening.as_ref().map(|(eco, name)| format!("{eco} {name}")));
                out.list("losses", |out| {
                    game.moves.iter().for_each(|judged| out.item_num(format!("{:.1}", judged.loss)));
                });
            });
        }
    });
}

/// `facts`: for each its kind, the squares to show, and the sentence, whole and with holes.
pub(crate) fn facts(out: &mut Out<'_>, facts: &[Fact]) {
    out.list("facts", |out| {
        for fact in facts {
            out.item_obj(|out| {
                out.str("kind", fact.kind());
                out.opt("theme", fact.tactic().map(|tactic| tactic.theme.name()));
                // The motif's place in its line, and its squares: of the move, of who acts, of those acted upon.
                out.opt_num("ply", fact.deed().map(|(ply, _)| ply));
                out.opt("from", fact.deed().map(|(_, mv)| mv.from()));
                out.opt("to", fact.deed().map(|(_, mv)| mv.to()));
                out.strings("squares", fact.squares());
                out.str("text", &fact.sentence());
                let words = fact.words();
                out.str("template", words.template);
                out.obj("values", |out| words.values.iter().for_each(|(name, value)| out.str(name, value)));
            });
        }
    });
}

fn place(out: &mut Out<'_>, code: &str, position: &AnyPosition) {
    let (variant, code) = code.split_once(':').unwrap_or(("", code));
    out.str("variant", variant);
    out.str("code", code);
    out.str("fen", &position.fen());
}

fn tally(out: &mut Out<'_>, tally: &Tally) {
    let [inaccuracies, mistakes, blunders] = tally.slips;
    out.num("moves", tally.moves);
    out.num("games", tally.games);
    out.tenths("accuracy", tally.accuracy());
    out.tenths("margin", tally.margin());
    match tally.score() {
        Some(score) => out.tenths("score", 100.0 * score),
        None => out.null("score"),
    }
    out.num("inaccuracies", inaccuracies);
    out.num("mistakes", mistakes);
    out.num("blunders", blunders);
}

fn results(out: &mut Out<'_>, [won, drawn, lost]: [u32; 3]) {
    out.num("won", won);
    out.num("drawn", drawn);
    out.num("lost", lost);
}

/// Gaps of a repertoire as a list.
pub(crate) fn gaps(out: &mut Out<'_>, name: &str, gaps: &[Gap]) {
    out.list(name, |out| {
        for gap in gaps {
            out.item_obj(|out| {
                out.str("kind", gap.kind.name());
                out.str("side", if gap.side == Color::White { "white" } else { "black" });
                out.str("variant", gap.node.position.variant().name());
                out.str("fen", &gap.node.position.fen());
                out.num("ply", gap.ply);
                out.num("games", gap.games);
                out.tenths("points", gap.points);
                out.str("uci", &gap.node.position.uci(gap.mv));
                out.str("san", &gap.node.position.san(gap.mv));
                out.num("masters", gap.masters.0);
                out.num("with", gap.masters.1);
                // The position to be known, and what masters play in it.
                out.str("key", &gap.ask.name());
                out.str("ask", &gap.ask.position.fen());
                out.list("answers", |out| {
                    for habit in &gap.answers {
                        out.item_obj(|out| {
                            out.str("uci", &gap.ask.position.uci(habit.mv));
                            out.str("san", &gap.ask.position.san(habit.mv));
                            out.num("games", habit.games);
                        });
                    }
                });
                out.num("answered", gap.asked);
                out.opt_num("expected", gap.expected.map(|points| format!("{points:.1}")));
                out.str("text", &gap.sentence());
            });
        }
    });
}

/// A tree of openings as a list.
pub(crate) fn tree(out: &mut Out<'_>, name: &str, nodes: &[Node]) {
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

//! The same as JSON.

use rukh_core::{AnyPosition, Move};
use rukh_json::{Out, object};

use crate::gaps;
use crate::insights::{Held, Insights, Tally};
use crate::reasons::Fact;
use crate::review::Reviewed;

/// Everything, mistakes and positions included.
pub fn json(insights: &Insights, games: &[Reviewed]) -> String {
    object(|out| write(out, insights, games))
}

/// The same into an object that others write to.
pub fn write(out: &mut Out<'_>, insights: &Insights, games: &[Reviewed]) {
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
                out.strings("best", uci(&mistake.position, &mistake.best));
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
        gaps::write(out, "gaps", found);
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
                out.str("colour", if game.game.color == rukh_core::Color::White { "white" } else { "black" });
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
pub fn facts(out: &mut Out<'_>, facts: &[Fact]) {
    out.list("facts", |out| {
        for fact in facts {
            out.item_obj(|out| {
                out.str("kind", fact.kind());
                out.opt("theme", fact.tactic().map(|tactic| tactic.theme.name()));
                // The motif's place in its line, and its squares: of the move, of who acts, of those acted upon.
                out.opt_num("ply", fact.tactic().map(|tactic| tactic.ply));
                out.opt("from", fact.tactic().map(|tactic| tactic.mv.from()));
                out.opt("to", fact.tactic().map(|tactic| tactic.mv.to()));
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

fn uci(position: &AnyPosition, line: &[Move]) -> Vec<String> {
    let mut at = position.clone();
    line.iter()
        .map(|&mv| {
            let text = at.uci(mv);
            at.play(mv);
            text
        })
        .collect()
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

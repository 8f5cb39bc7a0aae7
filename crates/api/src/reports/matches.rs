//! The results of a match.

use rukh_arena::limits::EngineLimits;
use rukh_arena::results::{Duel, Results, Standing};
use rukh_arena::runner::Plan;
use rukh_arena::stats::{Sprt, SprtVerdict, Tally};
use rukh_json::{Out, object};

/// The whole match. `finished` is false when it was interrupted.
pub fn result(plan: &Plan, results: &Results, sprt: Option<&Sprt>, seed: u64, seconds: f64, finished: bool) -> String {
    object(|out| {
        out.str("variant", plan.variant.name());
        out.flag("finished", finished);
        out.num("games", results.games);
        out.float("seconds", (seconds * 10.0).round() / 10.0);
        // 64 bits: more than a number carries.
        out.show("seed", seed);
        out.num("failures", results.failures());
        out.list("engines", |out| {
            for (engine, spec) in results.engines.iter().zip(&plan.engines) {
                out.item_obj(|out| standing(out, engine, &spec.limits));
            }
        });
        out.list("pairings", |out| {
            for duel in &results.duels {
                out.item_obj(|out| pairing(out, results, duel, sprt));
            }
        });
        out.list("endings", |out| {
            for (kind, count) in &results.endings {
                out.item_obj(|out| {
                    out.str("kind", kind);
                    out.num("games", count);
                });
            }
        });
    })
}

fn tally(out: &mut Out<'_>, games: Tally) {
    out.num("wins", games.wins);
    out.num("draws", games.draws);
    out.num("losses", games.losses);
}

fn standing(out: &mut Out<'_>, engine: &Standing, limits: &EngineLimits) {
    let (failures, effort) = (engine.failures, &engine.effort);
    out.str("name", &engine.name);
    out.show("limits", limits);
    tally(out, engine.total());
    out.obj("white", |out| tally(out, engine.white));
    out.obj("black", |out| tally(out, engine.black));
    out.num("timeLosses", failures.time);
    out.num("crashes", failures.crashes);
    out.num("hangs", failures.hangs);
    out.num("illegalMoves", failures.illegal);
    out.num("startFailures", failures.starts);
    out.opt_num("meanDepth", effort.depth());
    out.opt_num("nps", effort.speed().map(f64::round));
    out.opt_num("msPerMove", effort.milliseconds());
}

fn pairing(out: &mut Out<'_>, results: &Results, duel: &Duel, sprt: Option<&Sprt>) {
    out.str("first", &results.engines[duel.engines.0].name);
    out.str("second", &results.engines[duel.engines.1].name);
    tally(out, duel.games);
    out.list("pentanomial", |out| duel.pairs.0.iter().for_each(|pairs| out.item_num(pairs)));
    if let Some(e) = duel.estimate() {
        out.float("score", duel.games.score());
        out.float("elo", e.elo);
        out.float("eloLow", e.interval.0);
        out.float("eloHigh", e.interval.1);
        out.float("nelo", e.nelo);
        out.float("los", e.los);
    }
    if let Some(sprt) = sprt {
        let (low, high) = sprt.bounds();
        out.obj("sprt", |out| {
            out.float("elo0", sprt.elo0);
            out.float("elo1", sprt.elo1);
            out.float("llr", sprt.llr(duel.pairs));
            out.float("low", low);
            out.float("high", high);
            out.str(
                "verdict",
                match sprt.verdict(duel.pairs) {
                    SprtVerdict::Open => "open",
                    SprtVerdict::AcceptH0 => "H0",
                    SprtVerdict::AcceptH1 => "H1",
                },
            );
        });
    }
}

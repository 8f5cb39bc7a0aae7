//! Tables: the transposition table of an engine, and Makruk's end games.

use crate::spec::any_game;
use rukh_core::{Makruk, Position, Variant, dispatch};
use rukh_engine::Engine;
use rukh_json::{Json, object};
use rukh_search::{Bound, TranspositionTable, score};
use rukh_tables::{Distance, Tables, Verdict};

/// `hashProbe`: what the engine's table holds where a position belongs.
pub(crate) fn hash_probe(engine: &Engine, question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let key = dispatch!(&any, game => game.position().key());
    let move_name = |bits: u16| {
        dispatch!(&any, game => {
            let pos = game.position();
            pos.legal_from_u16(bits).map(|m| pos.uci(m, any.variant().notation()))
        })
    };
    let look = |tt: &TranspositionTable| {
        let cluster = tt.cluster_of(key);
        let slots = tt.slots(cluster);
        object(|out| {
            out.hex("key", key);
            out.num("clusters", tt.clusters());
            out.num("entriesPerCluster", TranspositionTable::ENTRIES);
            out.num("cluster", cluster);
            out.show("key16", format_args!("{:04x}", key as u16));
            out.num("age", tt.age());
            out.list("entries", |out| {
                for (i, slot) in slots.iter().enumerate() {
                    out.item_obj(|out| {
                        out.num("slot", i);
                        out.flag("empty", slot.is_none());
                        let key16 = slot.map_or(0, |s| s.key16);
                        out.show("key16", format_args!("{key16:04x}"));
                        let matches = slot.is_some_and(|s| s.key16 == key as u16);
                        out.flag("matches", matches);
                        let entry = slot.map(|s| s.entry);
                        out.opt("move", entry.filter(|_| matches).and_then(|e| move_name(e.mv)));
                        let known = |v: i32| (v != score::NONE).then_some(v);
                        out.num("value", entry.and_then(|e| known(e.value)).unwrap_or(0));
                        match entry.and_then(|e| known(e.eval)) {
                            Some(eval) => out.num("eval", eval),
                            None => out.null("eval"),
                        }
                        out.num("depth", entry.map_or(0, |e| e.depth));
                        out.str("bound", bound_name(entry.map_or(Bound::None, |e| e.bound)));
                        out.flag("pv", entry.is_some_and(|e| e.pv));
                        out.num("age", slot.map_or(0, |s| s.age));
                        out.hex("word", slot.map_or(0, |s| s.word));
                    });
                }
            });
            match slots.iter().position(|s| s.is_some_and(|s| s.key16 == key as u16)) {
                Some(hit) => out.num("hit", hit),
                None => out.null("hit"),
            }
        })
    };
    engine.with_table(look).map_err(|e| e.to_string())
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::None => "none",
        Bound::Upper => "upper",
        Bound::Lower => "lower",
        Bound::Exact => "exact",
    }
}

/// `hashMap`: the whole table in a few thousand cells.
pub(crate) fn hash_map(engine: &Engine, question: &Json) -> Result<String, String> {
    let wanted = question.uint("cells").unwrap_or(1024).clamp(1, 65_536) as usize;
    let look = |tt: &TranspositionTable| {
        let per_cell = tt.clusters().div_ceil(wanted);
        let cells = tt.clusters().div_ceil(per_cell);
        let (mut used, mut fresh, mut depth) = (vec![0u64; cells], vec![0u64; cells], vec![0i64; cells]);
        for cluster in 0..tt.clusters() {
            let cell = cluster / per_cell;
            for slot in tt.slots(cluster).into_iter().flatten() {
                used[cell] += 1;
                fresh[cell] += u64::from(slot.age == tt.age());
                depth[cell] += i64::from(slot.entry.depth);
            }
        }
        object(|out| {
            out.num("clusters", tt.clusters());
            out.num("cells", cells);
            out.num("clustersPerCell", per_cell);
            let room = |cell: usize| {
                let clusters = per_cell.min(tt.clusters() - cell * per_cell);
                (clusters * TranspositionTable::ENTRIES) as u64
            };
            out.list("used", |out| (0..cells).for_each(|i| out.item_num(used[i] * 1000 / room(i))));
            out.list("fresh", |out| (0..cells).for_each(|i| out.item_num(fresh[i] * 1000 / room(i))));
            out.list("depth", |out| (0..cells).for_each(|i| out.item_num(depth[i] / used[i].max(1) as i64)));
        })
    };
    engine.with_table(look).map_err(|e| e.to_string())
}

fn verdict_name(verdict: Verdict) -> (&'static str, Option<u32>) {
    match verdict {
        Verdict::Mate(plies) => ("win", Some(plies)),
        Verdict::Mated(plies) => ("loss", Some(plies)),
        Verdict::Draw => ("draw", None),
    }
}

/// `tables`: what Makruk's exact tables say. The first call makes them.
pub(super) fn makruk(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let Some(game) = any.makruk() else { return Err("only Makruk has tables here".into()) };
    let pos = game.position();
    let few = pos.occupied().count() <= 4;
    let verdict = few.then(|| Tables::four_men().verdict(pos)).flatten();
    let Some(verdict) = verdict else { return Ok(object(|out| out.null("probe"))) };
    let tables = Tables::four_men();
    let mate_in = |pos: &Position<Makruk>| match tables.distance(pos) {
        Some(Distance::Mate(n)) => Some(n),
        _ => None,
    };
    Ok(object(|out| {
        out.obj("probe", |out| {
            let number = |out: &mut rukh_json::Out<'_>, name: &str, value: Option<u32>| match value {
                Some(value) => out.num(name, value),
                None => out.null(name),
            };
            let (name, plies) = verdict_name(verdict);
            number(out, "mateIn", mate_in(pos).map(u32::from));
            out.str("verdict", name);
            number(out, "plies", plies);
            out.list("moves", |out| {
                for &mv in pos.legal_moves().iter() {
                    let next = pos.after_unchecked(mv);
                    // From the mover's side: the other's win is our loss. Two Khun alone are a draw.
                    let (name, plies) = match tables.verdict(&next) {
                        Some(Verdict::Mate(n)) => ("loss", Some(n + 1)),
                        Some(Verdict::Mated(n)) => ("win", Some(n + 1)),
                        Some(Verdict::Draw) | None => ("draw", None),
                    };
                    out.item_obj(|out| {
                        out.show("uci", pos.uci(mv, Variant::Makruk.notation()));
                        out.show("san", pos.san(mv));
                        out.str("verdict", name);
                        number(out, "plies", plies);
                        number(out, "mateIn", mate_in(&next).map(u32::from));
                    });
                }
            });
            match tables.table_of(pos) {
                Some(table) => out.obj("material", |out| {
                    let census = table.census();
                    out.show("name", table.material());
                    out.num("won", census.won());
                    out.num("total", census.attacker_positions);
                    out.num("longest", census.longest().0);
                }),
                None => out.null("material"),
            }
        });
    }))
}

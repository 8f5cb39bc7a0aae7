//! `collisions`: what happens when less of a key is kept. Real positions, walked breadth first from the one asked about.

use crate::spec::any_game;
use rukh_core::{Move, Position, Rules, dispatch};
use rukh_json::{Json, Out, object};
use std::collections::HashSet;

/// Positions that are walked at most, and if the question does not say.
const MAX_POSITIONS: u64 = 100_000;
const POSITIONS: u64 = 30_000;
/// The shortest key that is looked at: shorter ones collide all the time.
const LEAST_BITS: u32 = 8;
/// Pairs that are shown.
const PAIRS: usize = 4;

pub(super) fn collisions(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let most = question.uint("positions").unwrap_or(POSITIONS).clamp(2, MAX_POSITIONS) as usize;
    let bits = question.uint("bits").unwrap_or(24).clamp(u64::from(LEAST_BITS), 64) as u32;
    dispatch!(&any, game => Ok(object(|out| write(out, &walk(game.position(), most), bits))))
}

/// A position on the walk and how it was reached.
struct Visited<R: Rules> {
    position: Position<R>,
    parent: usize,
    mv: Move,
}

/// Different positions, each once. They are told apart by what stands on the board, not by their keys.
fn walk<R: Rules>(start: &Position<R>, most: usize) -> Vec<Visited<R>> {
    let mut seen = HashSet::from([identity(start)]);
    let mut list = vec![Visited { position: *start, parent: 0, mv: Move::NONE }];
    let mut next = 0;
    while next < list.len() && list.len() < most {
        for &mv in list[next].position.legal_moves().iter() {
            let position = list[next].position.after(mv);
            if list.len() < most && seen.insert(identity(&position)) {
                list.push(Visited { position, parent: next, mv });
            }
        }
        next += 1;
    }
    list
}

/// All that a key stands for: a FEN without clocks, but with Makruk's count. A Bia-ngai is a Met, for keys as for repetition.
fn identity<R: Rules>(pos: &Position<R>) -> String {
    let fen = pos.fen().replace('~', "");
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields.truncate(if pos.count().is_some() { 5 } else { 4 });
    fields.join(" ")
}

fn write<R: Rules>(out: &mut Out<'_>, list: &[Visited<R>], bits: u32) {
    // Sorted by the lowest bit first, those that share their low bits stand together whatever the number of bits.
    let mut order: Vec<(u64, usize)> =
        list.iter().enumerate().map(|(i, v)| (v.position.key().reverse_bits(), i)).collect();
    order.sort_unstable();
    let same = |a: u64, b: u64, bits: u32| a >> (64 - bits) == b >> (64 - bits);
    out.num("positions", list.len());
    out.list("pairs", |out| {
        for bits in LEAST_BITS..=64 {
            let groups = order.chunk_by(|a, b| same(a.0, b.0, bits));
            out.item_obj(|out| {
                out.num("bits", bits);
                out.num("count", groups.map(|g| g.len() * (g.len() - 1) / 2).sum::<usize>());
            });
        }
    });
    let mut pairs: Vec<(usize, usize)> = order
        .chunk_by(|a, b| same(a.0, b.0, bits))
        .filter(|group| group.len() > 1)
        .map(|group| (group[0].1.min(group[1].1), group[0].1.max(group[1].1)))
        .collect();
    pairs.sort_unstable_by_key(|&(a, b)| (b, a));
    out.list("examples", |out| {
        for &(a, b) in pairs.iter().take(PAIRS) {
            out.item_list(|out| {
                for at in [a, b] {
                    out.item_obj(|out| {
                        out.str("fen", &list[at].position.fen());
                        out.hex("key", list[at].position.key());
                        out.strings("line", line(list, at));
                    });
                }
            });
        }
    });
}

/// The moves that led to a position, in SAN.
fn line<R: Rules>(list: &[Visited<R>], mut at: usize) -> Vec<String> {
    let mut moves = Vec::new();
    while at != 0 {
        let visited = &list[at];
        moves.push(list[visited.parent].position.san(visited.mv).to_string());
        at = visited.parent;
    }
    moves.reverse();
    moves
}

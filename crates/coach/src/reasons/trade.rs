//! What one line wins and another does not, as a sentence may say it.

use rukh_core::{Color, Kind, Rules};

use super::fact::Trade;
use super::line::Line;
use super::tactics::{WON, reach};

/// A pawn that comes back later makes a win less, and does not undo it.
const LESS: i32 = 60;
/// So many quiet positions tell what a line comes to.
const ENOUGH: usize = 4;

/// What a line wins.
pub(super) struct Won {
    /// What changes hands.
    pub(super) trade: Trade,
    /// What the other line wins, too, where that is less.
    pub(super) less: Option<Trade>,
    /// Moves of the line that show it.
    pub(super) shown: usize,
}

/// The most that `side` gains in a line, within the plies in which material must change hands.
pub(super) fn gain<R: Rules>(line: &Line<R>, side: Color) -> i32 {
    line.gain(side, reach(line, side) + 4)
}

/// What `side` wins in a line, if it wins less in the other. The scores of the lines differ by `change`.
pub(super) fn won<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color, change: i32) -> Option<Won> {
    let start = line.balance(0, side);
    let (mut gained, mut least) = (gain(line, side), WON);
    if gained - gain(other, side).max(0) < WON {
        return None;
    }
    let first = line.plies_of(side).find(|&ply| line.kept(ply, side) - start == gained)?;
    // What is lost again, and taken back, belongs to it.
    let mut shown =
        (first + 1..=line.moves().len()).find(|&at| line.balance(at, side) - start == gained).unwrap_or(first + 2);
    // In doubt a line wins more, and the other one less.
    let others = comes_to(other, side, first, 1).filter(|it| it.seen >= ENOUGH);
    let anyhow = others.as_ref().map_or(0, |it| it.gain.max(0));
    // Where the scores speak of less, what counts is what is left when nothing hangs any more, if it agrees with them.
    if gained > change
        && let Some(quiet) = comes_to(line, side, first, 2)
        && quiet.gain.min(gained) - anyhow + WON >= change
    {
        if quiet.gain.min(gained) - anyhow < LESS {
            return None;
        }
        if quiet.gain + WON <= gained {
            (gained, shown, least) = (quiet.gain, quiet.at, LESS);
        }
    }
    let less = others.filter(|it| it.gain >= WON && gained - it.gain >= WON);
    let less = less.and_then(|it| trade(other, side, it.at, WON));
    Some(Won { trade: trade(line, side, shown, least)?, less, shown })
}

/// What a line comes to for one side.
struct ComesTo {
    gain: i32,
    /// Where that is seen first.
    at: usize,
    /// Quiet positions that there were to tell.
    seen: usize,
}

/// What is gained at quiet positions behind the move at `ply`, so that one or two `thirds` of them have less; without any, at
/// the end, unless that is in the middle of an exchange.
fn comes_to<R: Rules>(line: &Line<R>, side: Color, ply: usize, thirds: usize) -> Option<ComesTo> {
    let start = line.balance(0, side);
    let end = line.moves().len();
    let mut gains: Vec<_> =
        (ply + 1..=end).filter(|&at| line.is_quiet(at)).map(|at| (line.balance(at, side) - start, at)).collect();
    let seen = gains.len();
    if seen == 0 && line.moves().last().is_some_and(|mv| !mv.is_capture()) {
        gains.push((line.balance(end, side) - start, end));
    }
    gains.sort_unstable();
    let (gain, _) = *gains.get(gains.len() * thirds / 3)?;
    let &(gain, at) = gains.iter().find(|(other, _)| *other == gain)?;
    Some(ComesTo { gain, at, seen })
}

/// What `side` wins in as many moves of a line, if it wins so much.
fn trade<R: Rules>(line: &Line<R>, side: Color, shown: usize, least: i32) -> Option<Trade> {
    let (mut won, mut given) = (Vec::new(), Vec::new());
    for (ply, mv) in line.moves().iter().enumerate().take(shown) {
        if let Some(piece) = mv.captured() {
            if line.mover(ply) == side { won.push(piece.kind()) } else { given.push(piece.kind()) }
        }
    }
    even_out::<R>(&mut won, &mut given);
    // A queen that was a pawn of the line costs no more than that when it is taken.
    for (ply, mv) in line.moves().iter().enumerate().take(shown) {
        let lost = if line.mover(ply) == side { &mut given } else { &mut won };
        if let Some(at) = mv.promotion().and_then(|kind| lost.iter().position(|&other| other == kind)) {
            lost[at] = Kind::Pawn;
        }
    }
    even_out::<R>(&mut won, &mut given);
    let worth = |kinds: &[Kind]| kinds.iter().map(|kind| R::VALUES[kind.index()]).sum::<i32>();
    // A promotion wins without taking anything, and is named as one.
    let taken = worth(&won) - worth(&given) >= least;
    taken.then_some(Trade { variant: R::VARIANT, won, given })
}

/// Kinds whose values differ by less are alike: bishop and knight of chess, Ma and Khon.
const ALIKE: u32 = 60;

/// Leaves out what was exchanged like for like, which says nothing: a knight for a knight before a knight for a bishop. The dearest
/// come first.
fn even_out<R: Rules>(won: &mut Vec<Kind>, given: &mut Vec<Kind>) {
    won.sort_by_key(|kind| std::cmp::Reverse(R::VALUES[kind.index()]));
    for alike in [0, ALIKE] {
        let alike = |a: Kind, b: Kind| a == b || R::VALUES[a.index()].abs_diff(R::VALUES[b.index()]) < alike;
        won.retain(|&kind| match given.iter().position(|&other| alike(kind, other)) {
            Some(at) => {
                given.remove(at);
                false
            }
            None => true,
        });
    }
    given.sort_by_key(|kind| std::cmp::Reverse(R::VALUES[kind.index()]));
}

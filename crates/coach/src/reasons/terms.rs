//! Which term of the classical evaluation tells two quiet lines apart, where the network's word supports it.

use rukh_core::{Color, Kind, Position};
use rukh_engine::{Scale, Score};
use rukh_eval::nnue::embedded_for_pages;
use rukh_eval::score::Pair;
use rukh_eval::trace::{Coefficients, PHASE_MAX};
use rukh_eval::{Classical, Terms, layout, report};

use super::line::Line;

/// Plies of a line that are believed, and of both lines at least: an answer and what it changes.
const PLIES: usize = 10;
const FEWEST: usize = 4;
/// A smaller difference, in centipawns, tells nothing.
const LEAST: i32 = 55;

/// The terms that a player can see on the board and that last. Material has words of its own, a place on the board is a number in
/// a table, and what is threatened at the end of a line is the next move's business.
const LASTING: [layout::Line; 9] = [
    layout::Line::Mobility,
    layout::Line::Pawns,
    layout::Line::Passed,
    layout::Line::Knights,
    layout::Line::Bishops,
    layout::Line::Rooks,
    layout::Line::Queens,
    layout::Line::King,
    layout::Line::Space,
];

/// What tells the lines apart: a term, whose it is, and how much it costs the player in centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub line: layout::Line,
    pub whose: Color,
    pub change: i32,
}

/// The main difference between two quiet lines for `side`, if one is well founded. The classical terms did not choose the move, the
/// network did, so a term is believed only where
/// - it is read off positions of both lines with the same men, so that no exchange is taken for a term;
/// - every such position of the better line has more of it than every one of the other;
/// - neither the other side's share nor any other term is larger, and all terms together agree;
/// - the network sees a difference between these positions, too, of half the term's size at least and three times at most.
pub fn main_difference<R: Terms>(played: &Line<R>, best: &Line<R>, side: Color) -> Option<Difference> {
    let network = embedded_for_pages::<R>()?;
    let (played, best) = comparable(played, best)?;
    let opinion = |pos: &&Position<R>| {
        let value = network.reference(pos);
        let own = if pos.side_to_move() == side { value } else { -value };
        Scale::of(R::VARIANT, pos.occupied().count()).centipawns(Score(own))
    };
    let (seen, other) = (best.iter().map(opinion).sum::<i32>(), played.iter().map(opinion).sum::<i32>());
    let network = seen / best.len() as i32 - other / played.len() as i32;

    let shares =
        |positions: &[&Position<R>]| -> Option<Vec<Shares>> { positions.iter().map(|pos| shares(pos, side)).collect() };
    let (with, without) = (shares(&best)?, shares(&played)?);
    let mean = |list: &[Shares], line: usize, whose: usize| {
        list.iter().map(|shares| shares[line][whose]).sum::<i32>() / list.len() as i32
    };
    let changes: [[i32; 2]; TERMS] = core::array::from_fn(|line| {
        core::array::from_fn(|whose| mean(&with, line, whose) - mean(&without, line, whose))
    });
    // Without queens (in Makruk Rua) on the other side a king's shelter is nothing that a player would speak of.
    let heavy = R::BY_VALUE[4];
    let attacked = |whose: Color| played.iter().chain(&best).all(|pos| pos.colored(!whose, heavy).any());
    let (line, whose, change) = LASTING
        .into_iter()
        .flat_map(|line| [side, !side].map(|whose| (line, whose, changes[line as usize][usize::from(whose != side)])))
        .filter(|&(line, whose, _)| line != layout::Line::King || attacked(whose))
        .max_by_key(|(_, _, change)| *change)?;

    let (of_line, of_side) = (line as usize, usize::from(whose != side));
    let both = |line: usize| changes[line][0] + changes[line][1];
    let together: i32 = (0..TERMS).filter(|&line| line != layout::Line::Tempo as usize).map(both).sum();
    let largest = (0..TERMS).filter(|&line| line != of_line).map(both).max()?;
    let least = with.iter().map(|shares| shares[of_line][of_side]).min()?;
    let most = without.iter().map(|shares| shares[of_line][of_side]).max()?;
    let founded = change >= LEAST
        && least >= most
        && 2 * both(of_line) >= change
        && largest <= change
        && 2 * together >= change
        && (change..=6 * change).contains(&(2 * network));
    founded.then_some(Difference { line, whose, change })
}

const TERMS: usize = layout::Line::ALL.len();
/// What every term is worth to the player, by the share of his own side and of the other.
type Shares = [[i32; 2]; TERMS];

/// The quiet positions of both lines that have the same men, as late as there are any: the later half of them, where what the first
/// moves change has come to light.
type Both<'a, R> = (Vec<&'a Position<R>>, Vec<&'a Position<R>>);

fn comparable<'a, R: Terms>(played: &'a Line<R>, best: &'a Line<R>) -> Option<Both<'a, R>> {
    let (played, best) = (quiet(played), quiet(best));
    let last = |list: &[(usize, &Position<R>)], men| {
        list.iter().rev().find(|(_, pos)| men_of(pos) == men).map(|(ply, _)| *ply)
    };
    let reach = |men| Some(last(&played, men)?.min(last(&best, men)?));
    let (ply, men) =
        played.iter().filter_map(|(_, pos)| Some((reach(men_of(pos))?, men_of(pos)))).max_by_key(|(ply, _)| *ply)?;
    let later = |list: &[(usize, &'a Position<R>)]| {
        let same: Vec<_> = list.iter().map(|(_, pos)| *pos).filter(|pos| men_of(pos) == men).collect();
        same[same.len() / 2..].to_vec()
    };
    (ply >= FEWEST).then(|| (later(&played), later(&best)))
}

/// How many men of each kind there are on either side.
fn men_of<R: Terms>(pos: &Position<R>) -> [[u32; 5]; 2] {
    Color::ALL.map(|color| core::array::from_fn(|kind| pos.colored(color, Kind::ALL[kind]).count()))
}

/// The positions of a line, behind the answer, that are not in the middle of something, and their plies.
fn quiet<R: Terms>(line: &Line<R>) -> Vec<(usize, &Position<R>)> {
    let still = |pos: &Position<R>| {
        !pos.in_check() && pos.legal_moves().iter().all(|&mv| !mv.is_capture() || !pos.see_ge(mv, 1))
    };
    let plies = 2..=line.moves().len().min(PLIES);
    plies.map(|ply| (ply, line.at(ply))).filter(|(_, pos)| still(pos)).collect()
}

/// The terms of a position as `side` sees them; none where a special rule decides.
fn shares<R: Terms>(pos: &Position<R>, side: Color) -> Option<Shares> {
    let mut found = Coefficients::default();
    Classical::<R>::new().trace(pos, &mut found);
    if found.special.is_some() {
        return None;
    }
    let blended = |total: Pair| (total.mg() * found.phase + total.eg() * (PHASE_MAX - found.phase)) / PHASE_MAX;
    let mut shares = [[0; 2]; TERMS];
    for sum in report::lines::<R>(&found) {
        let Some(line) = layout::Line::ALL.into_iter().find(|line| line.name() == sum.name) else { continue };
        let own = [sum.side[side.index()], sum.side[(!side).index()]].map(blended);
        // What belongs to neither side is counted with the player's.
        let rest = blended(sum.total - (sum.side[0] - sum.side[1]));
        shares[line as usize] = [own[0] + if side == Color::White { rest } else { -rest }, -own[1]];
    }
    Some(shares)
}

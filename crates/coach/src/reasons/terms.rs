//! Which term of the classical evaluation tells two quiet lines apart.

use rukh_core::{Color, Position};
use rukh_eval::trace::{Coefficients, PHASE_MAX};
use rukh_eval::{Classical, Terms, layout, report};

use super::line::Line;

/// Plies of a line that are believed.
const PLIES: usize = 10;
/// A smaller difference, in centipawns, tells nothing.
const LEAST: i32 = 25;

/// The term that is worse for `side` in the quiet positions of the first line than in those of the second, by most, and by how
/// much; twice as much is asked for where the terms together do not find the second line better. Material has words of its own,
/// and what is threatened at the end of a line is the next move's business.
pub fn most_changed<R: Terms>(played: &Line<R>, best: &Line<R>, side: Color) -> Option<(layout::Line, i32)> {
    let (played, best) = (quiet(played), quiet(best));
    // Without queens (in Makruk Rua) a king's shelter is nothing that a player would speak of.
    let heavy = R::BY_VALUE[4];
    let attacked = [played.last()?, best.last()?].iter().any(|pos| pos.pieces(heavy).any());
    let lasting = |line: &layout::Line| match line {
        layout::Line::Material | layout::Line::Tempo | layout::Line::Complexity | layout::Line::Threats => false,
        layout::Line::King => attacked,
        _ => true,
    };
    let (played, best) = (mean(&played, side)?, mean(&best, side)?);
    let changes: Vec<(layout::Line, i32)> = layout::Line::ALL
        .into_iter()
        .filter(lasting)
        .map(|line| (line, best[line as usize] - played[line as usize]))
        .collect();
    let together: i32 = changes.iter().map(|(_, change)| change).sum();
    let most = changes.into_iter().max_by_key(|(_, change)| *change)?;
    let least = if together >= LEAST { LEAST } else { 2 * LEAST };
    (most.1 >= least).then_some(most)
}

/// The positions behind the first move that are not in the middle of something, the later half of them: what the first moves
/// change comes to light there.
fn quiet<R: Terms>(line: &Line<R>) -> Vec<&Position<R>> {
    let still = |pos: &&Position<R>| {
        !pos.in_check() && pos.legal_moves().iter().all(|&mv| !mv.is_capture() || !pos.see_ge(mv, 1))
    };
    let found: Vec<_> = (1..=line.moves().len().min(PLIES)).map(|ply| line.at(ply)).filter(still).collect();
    found[found.len() / 2..].to_vec()
}

/// The mean of every term in these positions.
fn mean<R: Terms>(positions: &[&Position<R>], side: Color) -> Option<[i32; layout::Line::ALL.len()]> {
    let mut sums = [0; layout::Line::ALL.len()];
    let mut count = 0;
    for pos in positions {
        if let Some(list) = terms(pos, side) {
            list.iter().for_each(|&(line, value)| sums[line as usize] += value);
            count += 1;
        }
    }
    (count > 0).then(|| sums.map(|sum| sum / count))
}

/// The terms of a position as `side` sees them; none where a special rule decides.
fn terms<R: Terms>(pos: &Position<R>, side: Color) -> Option<Vec<(layout::Line, i32)>> {
    let mut found = Coefficients::default();
    Classical::<R>::new().trace(pos, &mut found);
    if found.special.is_some() {
        return None;
    }
    let sign = if side == Color::White { 1 } else { -1 };
    let blended = |total: rukh_eval::score::Pair| {
        (total.mg() * found.phase + total.eg() * (PHASE_MAX - found.phase)) / PHASE_MAX * sign
    };
    let named = |name: &str| layout::Line::ALL.into_iter().find(|line| line.name() == name);
    Some(report::lines::<R>(&found).iter().filter_map(|sum| Some((named(sum.name)?, blended(sum.total)))).collect())
}

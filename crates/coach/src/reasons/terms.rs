//! Which term of the classical evaluation tells two quiet lines apart.

use rukh_core::{Color, Position};
use rukh_eval::trace::{Coefficients, PHASE_MAX};
use rukh_eval::{Classical, Terms, layout, report};

use super::line::Line;

/// Plies of a line that are believed.
const PLIES: usize = 10;
/// A smaller difference, in centipawns, tells nothing.
const LEAST: i32 = 20;

/// The term that is worse for `side` at the end of the first line than at the end of the second, by most, and by how much.
pub fn most_changed<R: Terms>(played: &Line<R>, best: &Line<R>, side: Color) -> Option<(layout::Line, i32)> {
    let (played, best) = (terms(quiet_end(played)?, side)?, terms(quiet_end(best)?, side)?);
    let of = |list: &[(layout::Line, i32)], line| list.iter().find(|(l, _)| *l == line).map_or(0, |(_, value)| *value);
    layout::Line::ALL
        .into_iter()
        .filter(|line| !matches!(line, layout::Line::Tempo | layout::Line::Complexity))
        .map(|line| (line, of(&best, line) - of(&played, line)))
        .max_by_key(|(_, change)| *change)
        .filter(|(_, change)| *change >= LEAST)
}

/// The last position of a line that is not in the middle of something.
fn quiet_end<R: Terms>(line: &Line<R>) -> Option<&Position<R>> {
    (1..=line.moves().len().min(PLIES))
        .rev()
        .map(|ply| line.at(ply))
        .find(|pos| !pos.in_check() && pos.legal_moves().iter().all(|&mv| !mv.is_capture() || !pos.see_ge(mv, 1)))
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

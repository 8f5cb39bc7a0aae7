//! The table that `rukh eval` prints: every group of terms by side.

use core::fmt::Write;

use rukh_core::{Color, Position};

use crate::layout::{Line, Role};
use crate::score::Pair;
use crate::sum::{blend, complexity_value, danger_value};
use crate::trace::{Coefficients, PHASE_MAX, SCALE_MAX};
use crate::{Classical, Evaluator, Terms};

/// The value of a traced position from White's view, put together again from its coefficients.
pub fn recompute<R: Terms>(c: &Coefficients) -> i32 {
    let w = R::weights();
    let mut score = Pair::ZERO;
    for &(color, index, n) in &c.terms {
        score += w[index] * if color == Color::White { n } else { -n };
    }
    for (king, sign) in [(Color::White, 1), (Color::Black, -1)] {
        score += danger_value(danger_units::<R>(c, king)) * sign;
    }
    let size = c.complexity.iter().map(|&(i, n)| w[i].eg() * n).sum();
    blend(score.mg(), complexity_value(score.eg(), size), c.phase, c.scale)
}

fn danger_units<R: Terms>(c: &Coefficients, king: Color) -> i32 {
    c.danger.iter().filter(|d| d.0 == king).map(|&(_, i, n)| R::weights()[i].mg() * n).sum()
}

/// One line of the table: a group of terms, by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summed {
    /// The group.
    pub name: &'static str,
    /// White's and Black's share, each from its own view.
    pub side: [Pair; 2],
    /// What the line adds for White. More than the difference of the sides for the last line, which belongs to neither.
    pub total: Pair,
}

const COMPLEXITY: &str = "Complexity";

/// The traced terms summed up by group, without the groups that say nothing.
pub fn lines<R: Terms>(c: &Coefficients) -> Vec<Summed> {
    let group_of = |index: usize| R::GROUPS.iter().find(|g| (g.start..g.start + g.len).contains(&index));
    let mut found = Vec::new();
    let mut total = Pair::ZERO;
    for line in Line::ALL {
        if line == Line::Complexity {
            let size: i32 = c.complexity.iter().map(|&(i, n)| R::weights()[i].eg() * n).sum();
            let change = Pair::new(0, complexity_value(total.eg(), size) - total.eg());
            found.push(Summed { name: COMPLEXITY, side: [Pair::ZERO; 2], total: change });
            continue;
        }
        let mut side = [Pair::ZERO; 2];
        for &(color, index, n) in &c.terms {
            if group_of(index).is_some_and(|g| g.line == line && g.role == Role::Linear) {
                side[color.index()] += R::weights()[index] * n;
            }
        }
        if line == Line::King {
            for king in Color::ALL {
                side[king.index()] += danger_value(danger_units::<R>(c, king));
            }
        }
        total += side[0] - side[1];
        if side != [Pair::ZERO; 2] {
            found.push(Summed { name: line.name(), side, total: side[0] - side[1] });
        }
    }
    found
}

/// Prints the terms of `pos`, in pawns (hundredths of the evaluation's unit), middle game and end game apart.
pub fn table<R: Terms>(pos: &Position<R>) -> String {
    let mut eval = Classical::<R>::new();
    let mut c = Coefficients::default();
    let white = eval.trace(pos, &mut c);
    let mut out = String::new();
    if let Some(name) = c.special {
        let _ = writeln!(out, "Special rule: {name}");
    } else {
        let _ = writeln!(out, "{:>12} |     White     |     Black     |     Total", "Term");
        let _ = writeln!(out, "{:>12} |   MG     EG   |   MG     EG   |   MG     EG", "");
        let _ = writeln!(out, "{:->13}+{:->15}+{:->15}+{:->15}", "", "", "", "");
        let mut total = Pair::ZERO;
        for line in lines::<R>(&c) {
            total += line.total;
            let name = line.name;
            let sides = match line.name {
                COMPLEXITY => format!(" {:^13} | {:^13} ", "----", "----"),
                _ => format!("{} |{} ", pair(line.side[0]), pair(line.side[1])),
            };
            let _ = writeln!(out, "{name:>12} |{sides}|{}", pair(line.total));
        }
        let _ = writeln!(out, "{:->13}+{:->15}+{:->15}+{:->15}", "", "", "", "");
        let _ = writeln!(out, "{:>12} | {:^13} | {:^13} |{}", "Sum", "", "", pair(total));
        let _ =
            writeln!(out, "Phase {} of {PHASE_MAX} (middle game), end-game scale {} of {SCALE_MAX}", c.phase, c.scale);
    }
    let stm = eval.evaluate(pos);
    let damped = if pos.side_to_move() == Color::White { stm } else { -stm };
    let _ = writeln!(out, "Value {:+.2} for White", f64::from(white) / 100.0);
    if damped != white {
        let _ = writeln!(out, "Value {:+.2} for White with the clock or count", f64::from(damped) / 100.0);
    }
    out
}

fn pair(p: Pair) -> String {
    format!(" {:>6.2} {:>6.2}", f64::from(p.mg()) / 100.0, f64::from(p.eg()) / 100.0)
}

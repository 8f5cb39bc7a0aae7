//! The shares of formats as a table with bars.

use std::fmt::{self, Display, Formatter};

use rukh_code::{Coded, FormatCounts};

use super::{MAX_PLY, Tally};

/// Bars of the plot.
const BAR: usize = 50;
/// The last plies of the rows.
const PLIES: [usize; 13] = [10, 20, 30, 40, 50, 60, 70, 80, 100, 120, 160, 200, MAX_PLY];

impl<R: Coded> Display for Tally<'_, R> {
    /// All positions, those of searches, then by ply and by number of men.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let all = self.all();
        heading(f, "all")?;
        row(f, "", &all)?;
        row(f, "lines", &self.by_origin[1])?;
        row(f, "tree", &self.by_origin[2])?;
        if all.format1 + all.aux > 0 {
            let [opening, game, reachability, record] = self.by_table;
            write!(f, "not direct: opening {opening}, game {game}, reachability {reachability}, ")?;
            writeln!(f, "auxiliary record {record}")?;
        }
        heading(f, "\nply")?;
        let mut from = 1;
        for to in PLIES {
            let label = if to == MAX_PLY { format!("{from}+") } else { format!("{from}–{to}") };
            row(f, &label, &sum(&self.by_ply[from..=to]))?;
            from = to + 1;
        }
        heading(f, "\nmen")?;
        for (men, counts) in self.by_men.iter().enumerate() {
            row(f, &men.to_string(), counts)?;
        }
        Ok(())
    }
}

pub(super) fn sum(counts: &[FormatCounts]) -> FormatCounts {
    let mut all = FormatCounts::default();
    counts.iter().for_each(|counts| all.add(counts));
    all
}

fn heading(f: &mut Formatter<'_>, name: &str) -> fmt::Result {
    let (line, name) = name.strip_prefix('\n').map_or(("", name), |name| ("\n", name));
    writeln!(
        f,
        "{line}{name:>8} {:>10} {:>8} {:>8} {:>8}  █ direct ▒ table · record",
        "positions", "format 2", "format 1", "aux"
    )
}

/// One line: numbers and a bar; none where there is nothing.
fn row(f: &mut Formatter<'_>, label: &str, counts: &FormatCounts) -> fmt::Result {
    if counts.positions == 0 && !label.is_empty() {
        return Ok(());
    }
    let share = |n: u64| 100.0 * n as f64 / counts.positions.max(1) as f64;
    let (direct, table, record) = (share(counts.format2), share(counts.format1), share(counts.aux));
    write!(f, "{label:>8} {:>10} {direct:>7.2}% {table:>7.2}% {record:>7.2}%  ", counts.positions)?;
    let width = |percent: f64| (percent * BAR as f64 / 100.0).round() as usize;
    let (first, second) = (width(direct), width(direct + table));
    writeln!(f, "{}{}{}", "█".repeat(first), "▒".repeat(second - first), "·".repeat(BAR - second))
}

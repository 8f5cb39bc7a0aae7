//! What scores are worth: the win, draw and loss model of the engine, fitted to games.

use rukh_core::Rules;
use rukh_store::selfplay::{SelfPlay, SelfPlayResult, score};

/// Scores with results: how often each quantised score (White's view) was followed by a loss, a draw, a win.
pub struct Table(Vec<[u64; 3]>);

/// Quantised scores lie in ±this.
const REACH: i16 = score::DECIDED as i16;

/// The largest numbers of a model, in centipawns.
const MOST: f64 = 5_000.0;

impl Table {
    pub(super) fn new() -> Self {
        Self(vec![[0; 3]; 2 * REACH as usize + 1])
    }

    /// Counts one score. Proven results say nothing about scores.
    fn note(&mut self, q: i16, verdict: SelfPlayResult) {
        if score::centipawns(q).is_none() {
            return;
        }
        let result = match verdict {
            SelfPlayResult::BlackWins => 0,
            SelfPlayResult::Draw => 1,
            SelfPlayResult::WhiteWins => 2,
        };
        self.0[(q + REACH) as usize][result] += 1;
    }

    /// Scores counted.
    fn len(&self) -> u64 {
        self.0.iter().flatten().sum()
    }

    /// The likeliest `(a, b)`: a win has the chance 1 / (1 + exp((a − x) / b)) at the score x, a loss that of −x.
    pub fn fit(&self) -> (f64, f64) {
        let rows: Vec<(f64, [f64; 3])> = (-REACH..=REACH)
            .zip(&self.0)
            .filter_map(|(q, counts)| Some((f64::from(score::centipawns(q)?), counts.map(|n| n as f64))))
            .filter(|(_, counts)| counts.iter().any(|&n| n > 0.0))
            .collect();
        let misfit = |(a, b): (f64, f64)| -> f64 {
            let chance = |x: f64| 1.0 / (1.0 + ((a - x) / b).exp());
            rows.iter()
                .map(|&(x, [losses, draws, wins])| {
                    let (win, loss) = (chance(x), chance(-x));
                    let log = |p: f64| p.max(1e-9).ln();
                    -(wins * log(win) + losses * log(loss) + draws * log(1.0 - win - loss))
                })
                .sum()
        };
        // Downhill in steps that shrink: two numbers need nothing cleverer.
        let (mut at, mut step) = ((150.0, 80.0), 64.0);
        let mut best = misfit(at);
        while step > 0.05 {
            let around = [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
            // A few games that were all drawn are likeliest with numbers without end.
            let tries = around.map(|(da, db)| ((at.0 + da).clamp(1.0, MOST), (at.1 + db).clamp(5.0, MOST)));
            match tries.into_iter().map(|next| (misfit(next), next)).min_by(|x, y| x.0.total_cmp(&y.0)) {
                Some((value, next)) if value < best => (best, at) = (value, next),
                _ => step /= 2.0,
            }
        }
        at
    }
}

/// The same by the number of men on the board, eight at a time, and for all together.
pub struct Tables {
    /// All positions.
    pub all: Table,
    by_men: [Table; 4],
}

impl Tables {
    pub(super) fn new() -> Self {
        Self { all: Table::new(), by_men: core::array::from_fn(|_| Table::new()) }
    }

    /// Counts every searched position of a game.
    pub(super) fn add<R: Rules>(&mut self, game: &SelfPlay) {
        let mut pos = game.start::<R>();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if let Some(&q) = ply.checked_sub(game.opening).and_then(|at| game.scores.get(at)) {
                self.all.note(q, game.verdict);
                self.by_men[(pos.occupied().count() as usize).saturating_sub(1).min(31) / 8].note(q, game.verdict);
            }
            pos = pos.after_unchecked(mv);
        }
    }

    /// For each band of men: the fewest, the most, scores, and the fit.
    pub fn by_men(&self) -> impl Iterator<Item = (usize, usize, u64, (f64, f64))> + '_ {
        let band = |i: usize, table: &Table| ((8 * i + 1).max(2), 8 * i + 8, table.len(), table.fit());
        self.by_men.iter().enumerate().filter(|(_, table)| table.len() > 0).map(move |(i, table)| band(i, table))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_alone_have_a_model_too() {
        let mut table = Table::new();
        (-50..=50).for_each(|q| table.note(q, SelfPlayResult::Draw));
        let (a, b) = table.fit();
        assert!((1.0..=MOST).contains(&a) && (5.0..=MOST).contains(&b), "{a} {b}");
    }

    #[test]
    fn a_known_model_is_found_again() {
        let mut table = Table::new();
        let (a, b) = (140.0, 90.0);
        for q in -300..=300i16 {
            let x = f64::from(score::centipawns(q).unwrap());
            let chance = |x: f64| 1.0 / (1.0 + ((a - x) / b).exp());
            let counts = [chance(-x), 1.0 - chance(x) - chance(-x), chance(x)].map(|p| (p * 1e5) as u64);
            table.0[(q + REACH) as usize] = counts;
        }
        let (found_a, found_b) = table.fit();
        assert!((found_a - a).abs() < 1.0 && (found_b - b).abs() < 1.0, "{found_a} {found_b}");
    }
}

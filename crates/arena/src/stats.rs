//! What a result is worth: Elo with error bars, likelihood of superiority, and the sequential test.
//!
//! Every opening is played twice with colours reversed, so the unit of the statistics is the *pair* of games: its five
//! possible scores (0, ½, 1, 1½, 2) form the pentanomial. Within a pair the opening's advantage cancels, which makes
//! the variance of pairs smaller than that of twice as many independent games; treating games as independent would
//! overstate the error.

use super::spec::numbers;

/// Two-sided 95 % quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Elo points per unit of normalised strength: 800 / ln 10.
const NELO_SCALE: f64 = 347.435_585_522_603_3;

/// Games by result, from one side's view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    /// Adds one game worth `half_points` (0, 1 or 2).
    pub fn add(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }

    /// Number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points, a draw counting one half.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of points, 0 to 1. NaN without games.
    pub fn score(self) -> f64 {
        self.points() / self.games() as f64
    }

    /// Share of draws, 0 to 1. NaN without games.
    pub fn draw_ratio(self) -> f64 {
        self.draws as f64 / self.games() as f64
    }

    /// The other side's view.
    pub fn reversed(self) -> Self {
        Self { wins: self.losses, losses: self.wins, ..self }
    }

    /// The estimate that treats every game as independent; for when there are no whole pairs.
    pub fn estimate(self) -> Option<Estimate> {
        Estimate::new(&[self.losses, self.draws, self.wins], 1.0)
    }
}

/// Pairs by score: index = half points of both games together (0 to 4), from one side's view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Penta(pub [u64; 5]);

impl Penta {
    /// Adds a pair worth `half_points` (0 to 4).
    pub fn add(&mut self, half_points: u8) {
        self.0[usize::from(half_points.min(4))] += 1;
    }

    /// Number of pairs.
    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }

    /// Elo and its error from whole pairs. None without pairs.
    pub fn estimate(self) -> Option<Estimate> {
        Estimate::new(&self.0, 2.0)
    }
}

/// Strength difference with its uncertainty. Elo values are infinite for a clean sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean score, 0 to 1.
    pub score: f64,
    /// Standard error of the score.
    pub error: f64,
    /// Logistic Elo of the score.
    pub elo: f64,
    /// Ends of the 95 % interval, in Elo; NaN while all outcomes were alike, which says nothing about the spread.
    pub interval: (f64, f64),
    /// Normalised Elo: the score's distance from ½ in standard deviations of one game, times 800 / ln 10.
    pub nelo: f64,
    /// Half the 95 % interval of `nelo`.
    pub nelo_margin: f64,
    /// Likelihood of superiority: the probability that the true score is above ½.
    pub los: f64,
}

impl Estimate {
    /// From outcome counts with equally spaced scores from 0 to 1; each outcome stands for `games` games.
    fn new(counts: &[u64], games: f64) -> Option<Self> {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return None;
        }
        let n = total as f64;
        let step = 1.0 / (counts.len() - 1) as f64;
        let weighted = || counts.iter().enumerate().map(|(i, &count)| (i as f64 * step, count as f64 / n));
        let score: f64 = weighted().map(|(value, p)| value * p).sum();
        let variance: f64 = weighted().map(|(value, p)| p * (value - score).powi(2)).sum();
        let error = (variance / n).sqrt();
        let edge = score - 0.5;
        let sigmas = if error > 0.0 { edge / error } else { sign(edge) * f64::INFINITY };
        let deviation = (variance * games).sqrt();
        let nelo = if deviation > 0.0 { NELO_SCALE * edge / deviation } else { sign(edge) * f64::INFINITY };
        let unknown = (f64::NAN, f64::NAN);
        Some(Self {
            score,
            error,
            elo: elo(score),
            interval: if error > 0.0 { (elo(score - Z95 * error), elo(score + Z95 * error)) } else { unknown },
            nelo: if edge == 0.0 { 0.0 } else { nelo },
            nelo_margin: Z95 * NELO_SCALE / (n * games).sqrt(),
            los: if edge == 0.0 { 0.5 } else { normal_cdf(sigmas) },
        })
    }

    /// Half the width of the 95 % interval, in Elo.
    pub fn margin(&self) -> f64 {
        (self.interval.1 - self.interval.0) / 2.0
    }
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// Logistic Elo of a score; infinite at and beyond 0 and 1.
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// Expected score of an Elo difference.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The standard normal distribution function, to about 1e-12.
pub fn normal_cdf(x: f64) -> f64 {
    if x.is_infinite() {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x.abs() < 4.0 {
        // Φ(x) = ½ + φ(x) · (x + x³/3 + x⁵/(3·5) + …)
        let (mut term, mut sum, mut odd) = (x, x, 1.0);
        while term.abs() > 1e-16 * sum.abs() {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        0.5 + density * sum
    } else {
        // The tail as a continued fraction: φ(x) / (x + 1/(x + 2/(x + 3/(x + …)))).
        let a = x.abs();
        let tail = density / (1..=60).rev().fold(a, |below, k| a + f64::from(k) / below);
        if x > 0.0 { 1.0 - tail } else { tail }
    }
}

/// What the sequential test says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SprtVerdict {
    /// Neither bound reached yet.
    Open,
    /// The lower bound was crossed: no better than `elo0`.
    AcceptH0,
    /// The upper bound was crossed: at least `elo1`.
    AcceptH1,
}

/// A generalised sequential probability ratio test of two logistic Elo hypotheses on the pentanomial.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// H0: the difference is not more than this.
    pub elo0: f64,
    /// H1: the difference is at least this.
    pub elo1: f64,
    /// Probability of accepting H1 when H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 when H1 is true.
    pub beta: f64,
    /// The hypotheses are in normalised Elo, which needs about as many games whatever the share of draws.
    pub normalised: bool,
}

/// A category never seen gets this many pairs, so that the likelihoods stay finite.
const PRIOR: f64 = 1e-3;

impl Sprt {
    /// Reads `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic`; missing keys have these values.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut sprt = Self { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, normalised: false };
        let words: Vec<&str> = text.split([',', ' ']).filter(|word| !word.is_empty()).collect();
        if let Some(model) = words.iter().find_map(|word| word.strip_prefix("model=")) {
            sprt.normalised = match model {
                "normalised" | "normalized" => true,
                "logistic" => false,
                other => return Err(format!("model: '{other}' is not normalised or logistic")),
            };
        }
        let text: Vec<&str> = words.into_iter().filter(|word| !word.starts_with("model=")).collect();
        for (key, value) in numbers(&text.join(" "), &["elo0", "elo1", "alpha", "beta"])? {
            match key.as_str() {
                "elo0" => sprt.elo0 = value,
                "elo1" => sprt.elo1 = value,
                "alpha" => sprt.alpha = value,
                _ => sprt.beta = value,
            }
        }
        if sprt.elo0 >= sprt.elo1 || sprt.elo0.abs().max(sprt.elo1.abs()) > 1000.0 {
            return Err("elo0 must be below elo1, both within ±1000".to_owned());
        }
        let share = 0.0001..0.5;
        if share.contains(&sprt.alpha) && share.contains(&sprt.beta) {
            Ok(sprt)
        } else {
            Err("alpha and beta must be between 0.0001 and 0.5".to_owned())
        }
    }

    /// The log-likelihood ratios at which the test ends: (accept H0, accept H1).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 against H0, each represented by the most likely distribution with its score
    /// (Li, Liu, Ying: "Generalized sequential probability ratio test for separate families of hypotheses").
    pub fn llr(&self, pairs: Penta) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| if count == 0 { PRIOR } else { count as f64 });
        let n: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / n);
        let likely = |elo: f64| match self.normalised {
            true => most_likely_normalised(observed, elo / NELO_SCALE * std::f64::consts::SQRT_2),
            false => most_likely(observed, scores().map(|score| score - expected_score(elo))),
        };
        let (h0, h1) = (likely(self.elo0), likely(self.elo1));
        n * (0..5).map(|i| observed[i] * (h1[i] / h0[i]).ln()).sum::<f64>()
    }

    /// Whether the test has ended.
    pub fn verdict(&self, pairs: Penta) -> SprtVerdict {
        let (low, high) = self.bounds();
        let llr = self.llr(pairs);
        if llr >= high {
            SprtVerdict::AcceptH1
        } else if llr <= low {
            SprtVerdict::AcceptH0
        } else {
            SprtVerdict::Open
        }
    }
}

/// The scores of a pair, as shares of its two points.
fn scores() -> [f64; 5] {
    std::array::from_fn(|i| i as f64 / 4.0)
}

/// The distribution with Σ pᵢbᵢ = 0 under which `observed` is most likely; with bᵢ = aᵢ − s it has the mean score s.
///
/// Lagrange multipliers give pᵢ = oᵢ / (1 + t·bᵢ) with t the root of Σ oᵢbᵢ/(1 + t·bᵢ), a decreasing function between the
/// poles at −1/max b and −1/min b: bisection cannot miss it.
fn most_likely(observed: [f64; 5], offsets: [f64; 5]) -> [f64; 5] {
    let most = offsets.iter().copied().fold(f64::MIN, f64::max);
    let least = offsets.iter().copied().fold(f64::MAX, f64::min);
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let t = (low + high) / 2.0;
        let slope: f64 = (0..5).map(|i| observed[i] * offsets[i] / (1.0 + t * offsets[i])).sum();
        if slope > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = (low + high) / 2.0;
    std::array::from_fn(|i| observed[i] / (1.0 + t * offsets[i]))
}

/// The same for distributions whose mean lies `t` standard deviations of a pair above one half.
///
/// The condition μ − ½ = tσ is not linear in p. Around a distribution it is, with the offsets
/// bᵢ = aᵢ − ½ − tσ/2 · (1 + ((aᵢ − μ)/σ)²), for which Σ pᵢbᵢ = μ − ½ − tσ; a few rounds settle it.
fn most_likely_normalised(observed: [f64; 5], t: f64) -> [f64; 5] {
    let a = scores();
    let mut p = observed;
    for _ in 0..50 {
        let mean: f64 = (0..5).map(|i| p[i] * a[i]).sum();
        let spread = (0..5).map(|i| p[i] * (a[i] - mean).powi(2)).sum::<f64>().sqrt().max(1e-9);
        let offsets = a.map(|a| a - 0.5 - t * spread / 2.0 * (1.0 + ((a - mean) / spread).powi(2)));
        // Both signs are needed for a solution; beyond that the hypothesis is out of reach of any distribution near this one.
        if !offsets.iter().any(|b| *b > 0.0) || !offsets.iter().any(|b| *b < 0.0) {
            break;
        }
        let next = most_likely(observed, offsets);
        let moved: f64 = (0..5).map(|i| (next[i] - p[i]).abs()).sum();
        p = next;
        if moved < 1e-12 {
            break;
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} is not {expected} ± {tolerance}");
    }

    #[test]
    fn elo_of_scores() {
        close(elo(0.5), 0.0, 1e-12);
        close(elo(0.75), 190.848_501_887_864, 1e-9);
        close(elo(0.64), 99.95, 0.01);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        for x in [-300.0, -5.0, 0.0, 2.5, 800.0] {
            close(elo(expected_score(x)), x, 1e-9);
        }
    }

    #[test]
    fn normal_distribution() {
        close(normal_cdf(0.0), 0.5, 1e-15);
        close(normal_cdf(1.0), 0.841_344_746_068_543, 1e-12);
        close(normal_cdf(-Z95), 0.025, 1e-12);
        close(normal_cdf(3.999), 0.999_968_194_659_946, 1e-12);
        close(normal_cdf(4.001), 0.999_968_462_321_067, 1e-12);
        close(normal_cdf(5.0), 0.999_999_713_348_428, 1e-12);
        close(normal_cdf(-6.0) * 1e9, 0.986_587_645, 1e-6);
        assert_eq!(normal_cdf(f64::INFINITY), 1.0);
    }

    /// Figures that other match runners publish for the same counts.
    #[test]
    fn trinomial_estimates() {
        let e = Tally { wins: 136, losses: 96, draws: 111 }.estimate().unwrap();
        close(e.elo, 40.70, 0.01);
        close(e.margin(), 30.43, 0.01);
        close(e.nelo, 49.77, 0.01);
        close(e.nelo_margin, 36.77, 0.01);
        close(e.los, 0.9960, 5e-5);
        let e = Tally { wins: 76, losses: 89, draws: 123 }.estimate().unwrap();
        close(e.nelo, -20.76, 0.01);
        close(e.los, 0.1553, 5e-5);
    }

    #[test]
    fn pentanomial_estimates() {
        let e = Penta([34, 54, 31 + 32, 64, 75]).estimate().unwrap();
        close(e.elo, 55.58, 0.01);
        close(e.margin(), 27.65, 0.01);
        close(e.nelo, 57.94, 0.01);
        close(e.nelo_margin, 28.28, 0.01);
        let e = Penta([332, 433, 457 + 41, 333, 334]).estimate().unwrap();
        close(e.elo, -8.64, 0.01);
        close(e.margin(), 10.33, 0.01);
        close(e.nelo, -9.17, 0.01);
        close(e.los, 0.0505, 5e-5);
        let e = Penta([7895, 8757, 5485 + 200, 568, 9999]).estimate().unwrap();
        close(e.elo, -21.04, 0.01);
        close(e.margin(), 2.95, 0.01);
    }

    /// By hand: 0, ½, 1, 1, 2 of 2 → scores 0, ¼, ½, ½, 1; mean 0.45, variance 0.11.
    #[test]
    fn pentanomial_variance() {
        let e = Penta([1, 1, 2, 0, 1]).estimate().unwrap();
        close(e.score, 0.45, 1e-12);
        close(e.error, (0.11f64 / 5.0).sqrt(), 1e-12);
    }

    /// Pairs that cancel exactly say more than the same games taken as independent.
    #[test]
    fn pairs_tighten_the_interval() {
        let pairs = Penta([1, 0, 98, 0, 1]).estimate().unwrap();
        let games = Tally { wins: 100, draws: 0, losses: 100 }.estimate().unwrap();
        assert!(pairs.margin() < games.margin() / 4.0);
    }

    #[test]
    fn extremes_do_not_break() {
        assert_eq!(Penta::default().estimate(), None);
        assert_eq!(Tally::default().estimate(), None);
        let sweep = Penta([0, 0, 0, 0, 10]).estimate().unwrap();
        assert_eq!((sweep.elo, sweep.los), (f64::INFINITY, 1.0));
        let drawn = Penta([0, 0, 10, 0, 0]).estimate().unwrap();
        assert_eq!((drawn.elo, drawn.los, drawn.nelo), (0.0, 0.5, 0.0));
        assert!(drawn.margin().is_nan(), "ten equal pairs do not make certainty");
        let loss = Penta([3, 0, 0, 0, 0]).estimate().unwrap();
        assert_eq!((loss.elo, loss.los), (f64::NEG_INFINITY, 0.0));
    }

    /// Log-likelihood ratios that other implementations of the logistic pentanomial test publish.
    #[test]
    fn llr_figures() {
        let sprt = Sprt { elo0: 0.5, elo1: 2.5, alpha: 0.05, beta: 0.05, normalised: false };
        close(sprt.llr(Penta([223, 9863, 20279 + 1000, 10037, 246])), -3.07, 0.03);
        let sprt = Sprt { elo0: 0.0, elo1: 2.0, ..sprt };
        close(sprt.llr(Penta([871, 26175, 55003 + 980, 26678, 821])), -4.98, 0.05);
        let (low, high) = sprt.bounds();
        close(low, -2.944, 0.001);
        close(high, 2.944, 0.001);
    }

    /// Near ½ and with small bounds the exact ratio approaches N (s₁−s₀)(2s̄−s₀−s₁) / 2σ².
    #[test]
    fn llr_approaches_the_normal_formula() {
        let sprt = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, normalised: false };
        let pairs = Penta([100, 500, 900, 560, 120]);
        let e = pairs.estimate().unwrap();
        let (s0, s1) = (expected_score(0.0), expected_score(5.0));
        let approximation = (s1 - s0) * (2.0 * e.score - s0 - s1) / (2.0 * e.error * e.error);
        close(sprt.llr(pairs), approximation, 0.02 * approximation.abs());
    }

    #[test]
    fn most_likely_distributions_are_distributions() {
        for score in [0.2, 0.5, 0.507, 0.9] {
            let p = most_likely([0.1, 0.2, 0.4, 0.2, 0.1], scores().map(|a| a - score));
            close(p.iter().sum(), 1.0, 1e-9);
            close((0..5).map(|i| p[i] * i as f64 / 4.0).sum(), score, 1e-9);
        }
    }

    #[test]
    fn verdicts() {
        let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05, normalised: false };
        assert_eq!(sprt.llr(Penta::default()), 0.0);
        assert_eq!(sprt.verdict(Penta([10, 20, 40, 20, 10])), SprtVerdict::Open);
        assert_eq!(sprt.verdict(Penta([100, 300, 800, 600, 200])), SprtVerdict::AcceptH1);
        assert_eq!(sprt.verdict(Penta([200, 600, 800, 300, 100])), SprtVerdict::AcceptH0);
        close(sprt.llr(Penta([0, 0, 0, 0, 0])), 0.0, 0.0);
        assert!(sprt.llr(Penta([0, 0, 0, 0, 30])).is_finite());
    }

    #[test]
    fn normalised_hypotheses() {
        let sprt = Sprt::parse("elo0=0 elo1=5 model=normalized").unwrap();
        assert!(sprt.normalised && !Sprt::parse("elo1=5").unwrap().normalised);
        assert!(Sprt::parse("model=bayesian").is_err());
        let pairs = Penta([30, 220, 480, 240, 30]);
        let n = pairs.pairs() as f64;
        let observed = pairs.0.map(|count| count as f64 / n);
        let a = scores();
        let moments = |p: [f64; 5]| {
            let mean: f64 = (0..5).map(|i| p[i] * a[i]).sum();
            (mean, (0..5).map(|i| p[i] * (a[i] - mean).powi(2)).sum::<f64>().sqrt())
        };
        for t in [-0.05, 0.0, 0.02, 0.1] {
            let p = most_likely_normalised(observed, t);
            let (mean, spread) = moments(p);
            close(p.iter().sum(), 1.0, 1e-9);
            close((mean - 0.5) / spread, t, 1e-9);
        }
        // Near the middle the ratio is that of a t-test: n/2 · ln((1 + (s − t0)²) / (1 + (s − t1)²)).
        let (mean, spread) = moments(observed);
        let (s, t1) = ((mean - 0.5) / spread, 5.0 / NELO_SCALE * std::f64::consts::SQRT_2);
        let wanted = n / 2.0 * ((1.0 + s * s) / (1.0 + (s - t1).powi(2))).ln();
        close(sprt.llr(pairs), wanted, 0.01 * wanted.abs().max(0.1));
        // Twice as many drawn pairs on both sides leave its verdict about where it was, as the logistic one does not.
        assert_eq!(sprt.verdict(Penta([0; 5])), SprtVerdict::Open);
        assert_eq!(sprt.verdict(Penta([0, 900, 3000, 1500, 0])), SprtVerdict::AcceptH1);
        assert_eq!(sprt.verdict(Penta([0, 1500, 3000, 900, 0])), SprtVerdict::AcceptH0);
        for sweep in [Penta([9, 0, 0, 0, 0]), Penta([0, 0, 9, 0, 0]), Penta([0, 0, 0, 0, 9])] {
            assert!(sprt.llr(sweep).is_finite(), "{sweep:?}");
        }
    }
}

//! The results as a page with plots, for a browser: one file that needs nothing else.

use std::fmt::Write;

use super::report;
use super::results::Results;
use super::stats::Sprt;

/// What the plots are drawn from: the state after some of the games.
#[derive(Debug, Clone, Default)]
pub struct History {
    points: Vec<Point>,
    /// Every so many games one is noted; doubled when there are many.
    step: usize,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    games: usize,
    elo: f64,
    interval: (f64, f64),
    llr: f64,
}

/// Points of a plot; more do not show.
const MOST: usize = 600;

impl History {
    /// Notes the state of the first pairing.
    pub fn note(&mut self, results: &Results, sprt: Option<&Sprt>) {
        let step = self.step.max(1);
        let (true, Some(duel)) = (results.games.is_multiple_of(step), results.duels.first()) else { return };
        let Some(estimate) = duel.pairs.estimate() else { return };
        let llr = sprt.map_or(0.0, |sprt| sprt.llr(duel.pairs));
        self.points.push(Point { games: results.games, elo: estimate.elo, interval: estimate.interval, llr });
        if self.points.len() > MOST {
            self.step = 2 * step;
            let step = self.step;
            self.points.retain(|point| point.games.is_multiple_of(step));
        }
    }
}

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; background: #fff }
pre { background: #f4f4f2; padding: .8rem; overflow-x: auto }
svg { width: 100%; height: auto; background: #fafaf8; border: 1px solid #ddd }
text { font: 12px system-ui, sans-serif; fill: #555 }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818 } pre, svg { background: #222; border-color: #444 } text { fill: #aaa } }";

/// The whole page. `head` is the line that begins the report.
pub fn render(head: &str, results: &Results, sprt: Option<&Sprt>, history: &History) -> String {
    let title = results.engines.iter().map(|engine| escaped(&engine.name)).collect::<Vec<_>>().join(" – ");
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}\n</style></head><body>\n<h1>{title}</h1>\n<p>{}</p>\n",
        escaped(head)
    );
    let _ = writeln!(page, "<pre>{}</pre>", escaped(report::summary(results, sprt).trim_end()));
    let games: Vec<f64> = history.points.iter().map(|point| point.games as f64).collect();
    if games.len() > 1 {
        let finite = |value: f64| if value.is_finite() { value.clamp(-1000.0, 1000.0) } else { f64::NAN };
        let of = |f: &dyn Fn(&Point) -> f64| -> Vec<f64> { history.points.iter().map(|p| finite(f(p))).collect() };
        let lines =
            [(of(&|p| p.elo), "#1f6f5c"), (of(&|p| p.interval.0), "#b9b29f"), (of(&|p| p.interval.1), "#b9b29f")];
        let _ = writeln!(page, "<h2>Elo by games, with its 95 % interval</h2>\n{}", plot(&games, &lines, &[0.0]));
        if let Some(sprt) = sprt {
            let (low, high) = sprt.bounds();
            let lines = [(of(&|p| p.llr), "#1f6f5c")];
            let _ =
                writeln!(page, "<h2>Log-likelihood ratio by games</h2>\n{}", plot(&games, &lines, &[low, 0.0, high]));
        }
    }
    for duel in results.duels.iter().filter(|duel| duel.pairs.pairs() > 0) {
        let names = [duel.engines.0, duel.engines.1].map(|engine| escaped(&results.engines[engine].name));
        let _ = writeln!(page, "<h2>Pairs of {} against {}</h2>\n{}", names[0], names[1], bars(duel.pairs.0));
    }
    page + "</body></html>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 260.0;
const LEFT: f64 = 46.0;
const BELOW: f64 = 22.0;
/// The height of a line of text.
const LETTERS: f64 = 14.0;

/// Lines over games, with marked heights. What is not a number breaks a line.
fn plot(games: &[f64], lines: &[(Vec<f64>, &str)], marks: &[f64]) -> String {
    let values = || {
        lines.iter().flat_map(|(line, _)| line.iter().copied()).filter(|v| v.is_finite()).chain(marks.iter().copied())
    };
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let room = ((high - low) * 0.05).max(0.5);
    let (low, high) = (low - room, high + room);
    let last = games.last().copied().unwrap_or(1.0).max(1.0);
    let x = |game: f64| LEFT + game / last * (WIDTH - LEFT - 8.0);
    let y = |value: f64| (high - value) / (high - low) * (HEIGHT - BELOW);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    for &mark in marks {
        let at = y(mark);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>"
        );
    }
    // Marks first; an end that would be written over one of them goes without.
    let mut written: Vec<f64> = Vec::new();
    for &value in marks.iter().chain(&[low + room, high - room]) {
        let at = (y(value) + 4.0).clamp(10.0, HEIGHT - BELOW);
        if written.iter().all(|other| (other - at).abs() >= LETTERS) {
            let _ = write!(svg, "<text x=\"4\" y=\"{at:.1}\">{}</text>", (10.0 * value).round() / 10.0);
            written.push(at);
        }
    }
    for (line, colour) in lines {
        let mut path = String::new();
        let mut pen_down = false;
        for (&game, &value) in games.iter().zip(line) {
            if value.is_finite() {
                let _ = write!(path, "{}{:.1} {:.1} ", if pen_down { 'L' } else { 'M' }, x(game), y(value));
            }
            pen_down = value.is_finite();
        }
        let _ = write!(svg, "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", path.trim_end());
    }
    let _ = write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{0}\">0</text><text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">{last} games</text>",
        HEIGHT - 6.0,
        WIDTH - 4.0
    );
    svg + "</svg>"
}

/// How many pairs brought 0, ½, 1, 1½ and 2 points.
fn bars(pairs: [u64; 5]) -> String {
    let most = pairs.iter().copied().max().unwrap_or(1).max(1) as f64;
    let (height, width) = (HEIGHT - 2.0 * BELOW, WIDTH / 5.0);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    for (at, (&count, name)) in pairs.iter().zip(["0", "½", "1", "1½", "2"]).enumerate() {
        let (x, tall) = (at as f64 * width + 0.15 * width, count as f64 / most * height);
        let top = HEIGHT - BELOW - tall;
        let middle = x + 0.35 * width;
        let _ = write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"#1f6f5c\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{count}</text>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
            0.7 * width,
            top - 4.0,
            HEIGHT - 6.0
        );
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Cause, Ending, Record};
    use crate::schedule::{Format, Schedule};
    use rukh_core::Color;
    use std::time::Duration;

    #[test]
    fn a_page_of_a_long_match() {
        let schedule = Schedule::new(2, Format::RoundRobin, 4000);
        let mut results = Results::new(&["a <b>".to_owned(), "c & d".to_owned()], &schedule);
        let sprt = Sprt::parse("elo0=0 elo1=5").unwrap();
        let mut history = History::default();
        for number in 0..schedule.games() {
            let winner = [Some(Color::White), None, Some(Color::Black), None, Some(Color::White)][number % 5];
            let ending = Ending { winner, cause: Cause::Rules, text: "x".to_owned() };
            let record = Record {
                fen: None,
                first_move: 1,
                first_color: Color::White,
                plies: vec![],
                duration: Duration::ZERO,
                ending,
            };
            results.add(&schedule.job(number).unwrap(), &record);
            history.note(&results, Some(&sprt));
        }
        assert!(history.points.len() <= MOST && history.points.len() > MOST / 3, "{}", history.points.len());
        let page = render("chess: a vs b", &results, Some(&sprt), &history);
        assert!(page.contains("<h1>a &lt;b&gt; – c &amp; d</h1>") && !page.contains("<b>"));
        assert_eq!(page.matches("<svg").count(), 3);
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        assert!(!page.contains("NaN") && !page.contains("inf"), "only numbers are drawn");
        assert!(page.contains("4000 games"));
    }

    /// An interval that ends just below nothing was written over the zero.
    #[test]
    fn labels_stand_apart() {
        let svg = plot(&[1.0, 2.0], &[(vec![-33.6, 1000.0], "red")], &[0.0]);
        let heights: Vec<f64> = svg
            .split("<text x=\"4\" y=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 2, "{svg}");
        assert!((heights[0] - heights[1]).abs() >= LETTERS && svg.contains(">0<") && svg.contains(">1000<"), "{svg}");
    }
}

//! Plots as inline SVG, in the colours of the page around them. Each has its numbers in a table beside it.

use std::fmt::Write as _;

use super::escaped;

const WIDTH: f64 = 620.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 56.0;
const ROW: f64 = 26.0;

/// A row: name, value, half the width of its interval, what to say on hover.
pub type Row = (String, f64, f64, String);

/// Values with their intervals, as dots on lines.
pub fn dots(rows: &[Row], title: &str) -> String {
    let low = rows.iter().map(|row| row.1 - row.2).fold(100.0, f64::min).max(0.0);
    let low = ((low - 1.0) / 10.0).floor().max(0.0) * 10.0;
    let x = |value: f64| LEFT + (WIDTH - LEFT - RIGHT) * ((value - low) / (100.0 - low)).clamp(0.0, 1.0);
    frame(rows, title, |out| {
        let bottom = ROW * rows.len() as f64 + 8.0;
        for tick in (0..=10).map(|tick| f64::from(tick) * 10.0).filter(|&tick| tick >= low) {
            let at = x(tick);
            let _ = write!(out, r#"<line class="grid" x1="{at:.1}" x2="{at:.1}" y1="4" y2="{bottom:.0}"/>"#);
            let _ = write!(out, r#"<text class="tick" x="{at:.1}" y="{:.0}">{tick:.0}</text>"#, bottom + 14.0);
        }
        for (at, (name, value, margin, hover)) in rows.iter().enumerate() {
            let y = ROW * at as f64 + 20.0;
            let (from, to) = (x(value - margin), x(value + margin));
            let _ = write!(
                out,
                r#"<g><title>{}</title><text class="name" x="{:.0}" y="{:.0}">{}</text><line class="span" x1="{from:.1}" x2="{to:.1}" y1="{y:.0}" y2="{y:.0}"/><circle cx="{:.1}" cy="{y:.0}" r="5.5"/><text class="value" x="{:.0}" y="{:.0}">{value:.1}</text></g>"#,
                escaped(hover),
                LEFT - 12.0,
                y + 5.0,
                escaped(&shortened(name)),
                x(*value),
                WIDTH - 4.0,
                y + 5.0
            );
        }
    })
}

/// Values as bars from zero.
pub fn bars(rows: &[Row], title: &str) -> String {
    let most = rows.iter().map(|row| row.1).fold(0.0, f64::max).max(1e-9);
    frame(rows, title, |out| {
        for (at, (name, value, _, hover)) in rows.iter().enumerate() {
            let y = ROW * at as f64 + 8.0;
            let width = (WIDTH - LEFT - RIGHT) * value / most;
            let _ = write!(
                out,
                r#"<g><title>{}</title><text class="name" x="{:.0}" y="{:.0}">{}</text><rect x="{LEFT}" y="{y:.0}" width="{width:.1}" height="18" rx="3"/><text class="value" x="{:.0}" y="{:.0}">{value:.1}</text></g>"#,
                escaped(hover),
                LEFT - 12.0,
                y + 14.0,
                escaped(&shortened(name)),
                WIDTH - 4.0,
                y + 14.0
            );
        }
    })
}

fn frame(rows: &[Row], title: &str, fill: impl FnOnce(&mut String)) -> String {
    let height = ROW * rows.len() as f64 + 30.0;
    let mut out =
        format!(r#"<svg class="plot" viewBox="0 0 {WIDTH} {height:.0}" role="img" aria-label="{}">"#, escaped(title));
    fill(&mut out);
    out + "</svg>"
}

fn shortened(name: &str) -> String {
    const MOST: usize = 26;
    if name.chars().count() <= MOST { name.to_owned() } else { name.chars().take(MOST - 1).chain(['…']).collect() }
}

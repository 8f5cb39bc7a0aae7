//! Plots of boxes and lines that fit any window, in the colours of the page around them. Each has its numbers in a table beside it.

use std::fmt::Write as _;

use super::escaped;

/// A row: name, value, half the width of its interval, what to say on hover.
pub type Row = (String, f64, f64, String);

/// Values with their intervals, as dots on lines.
pub fn dots(rows: &[Row], title: &str) -> String {
    let low = rows.iter().map(|row| row.1 - row.2).fold(100.0, f64::min).max(0.0);
    let low = ((low - 1.0) / 10.0).floor().max(0.0) * 10.0;
    let place = |value: f64| 100.0 * ((value - low) / (100.0 - low)).clamp(0.0, 1.0);
    let ticks: Vec<f64> = (0..=10).map(|tick| f64::from(tick) * 10.0).filter(|&tick| tick >= low).collect();
    let lines: String =
        ticks.iter().map(|&tick| format!(r#"<i class="grid" style="left:{:.1}%"></i>"#, place(tick))).collect();
    let mut out = begin(title);
    for (name, value, margin, hover) in rows {
        let (from, to) = (place(value - margin), 100.0 - place(value + margin));
        let dot = format!(
            r#"{lines}<i class="span" style="left:{from:.1}%;right:{to:.1}%"></i><i class="dot" style="left:{:.1}%"></i>"#,
            place(*value)
        );
        row(&mut out, name, &dot, *value, hover);
    }
    out += r#"<div class="row scale"><span></span><span class="track">"#;
    // Many numbers would touch each other on a phone.
    for &tick in ticks.iter().rev().step_by(ticks.len().div_ceil(6)) {
        let _ = write!(out, r#"<span class="tick" style="left:{:.1}%">{tick:.0}</span>"#, place(tick));
    }
    out + "</span><span></span></div></div>"
}

/// Values as bars from zero.
pub fn bars(rows: &[Row], title: &str) -> String {
    let most = rows.iter().map(|row| row.1).fold(0.0, f64::max).max(1e-9);
    let mut out = begin(title);
    for (name, value, _, hover) in rows {
        let bar = format!(r#"<i class="bar" style="width:{:.1}%"></i>"#, 100.0 * value / most);
        row(&mut out, name, &bar, *value, hover);
    }
    out + "</div>"
}

fn begin(title: &str) -> String {
    format!(r#"<div class="plot" role="img" aria-label="{}">"#, escaped(title))
}

fn row(out: &mut String, name: &str, drawn: &str, value: f64, hover: &str) {
    let _ = write!(
        out,
        r#"<div class="row" title="{}"><span class="name">{}</span><span class="track">{drawn}</span><span class="value">{value:.1}</span></div>"#,
        escaped(hover),
        escaped(name)
    );
}

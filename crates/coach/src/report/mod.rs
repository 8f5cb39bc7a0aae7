//! A report: one file of HTML that needs nothing else.

mod html;
mod openings;
mod plot;

pub use html::{is_report, page};

/// How many mistakes and positions a report shows.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Mistakes.
    pub mistakes: usize,
    /// Positions met several times.
    pub met: usize,
    /// Gaps in your repertoire.
    pub gaps: usize,
}

impl Default for Most {
    fn default() -> Most {
        Most { mistakes: 60, met: 30, gaps: 40 }
    }
}

/// Text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A sentence whose numbers stay with what they count when it is broken into lines: `17. Qd3`, `53 %`.
fn sentence(text: &str) -> String {
    let mut out = String::new();
    for word in escaped(text).split(' ') {
        let numbered = out.ends_with('.') && out.trim_end_matches('.').ends_with(|c: char| c.is_ascii_digit());
        let gap = if numbered || word.starts_with('%') { "&nbsp;" } else { " " };
        out += if out.is_empty() { "" } else { gap };
        out += word;
    }
    out
}

/// Points as they are written on score sheets: `2½`.
fn score_sheet(points: f64) -> String {
    let whole = points.floor();
    match (points - whole >= 0.5, whole as u64) {
        (true, 0) => "½".to_owned(),
        (true, whole) => format!("{whole}½"),
        (false, whole) => whole.to_string(),
    }
}

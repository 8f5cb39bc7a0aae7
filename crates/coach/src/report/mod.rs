//! A report: one file of HTML that needs nothing else, or JSON.

mod html;
pub mod json;
mod plot;

pub use html::page;
pub use json::json;

/// How many mistakes and positions a report shows.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Mistakes.
    pub mistakes: usize,
    /// Positions met several times.
    pub met: usize,
    /// Gaps of the repertoire.
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

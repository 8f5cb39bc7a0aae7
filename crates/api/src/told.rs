//! What a search tells a page: reports of its lines, and the answer. Our own engine and other people's are told in the same words.

use rukh_core::Color;
use rukh_engine::{Scale, Score, ScoreBound, Wdl};
use rukh_json::{Out, object};

use crate::spec::color_name;

/// A score as pages read it, for the side to move.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShownScore {
    Cp(i64),
    Mate(i64),
}

impl ShownScore {
    pub fn of(score: Score, scale: Scale) -> ShownScore {
        match score.mate() {
            Some(mate) => ShownScore::Mate(mate.into()),
            None => ShownScore::Cp(scale.centipawns(score).into()),
        }
    }

    pub fn write(self, out: &mut Out<'_>, bound: ScoreBound) {
        out.obj("score", |out| {
            match self {
                ShownScore::Cp(cp) => out.num("cp", cp),
                ShownScore::Mate(mate) => out.num("mate", mate),
            }
            out.str(
                "bound",
                match bound {
                    ScoreBound::Exact => "exact",
                    ScoreBound::Lower => "lower",
                    ScoreBound::Upper => "upper",
                },
            );
        });
    }
}

/// What is said of one line.
pub(crate) struct Report<'a> {
    pub depth: u64,
    pub seldepth: u64,
    /// From 1.
    pub multipv: usize,
    pub score: (ShownScore, ScoreBound),
    pub wdl: Wdl,
    pub turn: Color,
    pub nodes: u64,
    pub nps: u64,
    pub hashfull: u64,
    pub tbhits: u64,
    pub time: u64,
    pub pv: &'a [String],
    pub san: &'a [String],
}

/// What is said at the end.
pub(crate) struct Answer {
    pub best: Option<String>,
    pub san: Option<String>,
    pub ponder: Option<String>,
    pub score: ShownScore,
    pub depth: u64,
    pub nodes: u64,
}

/// The last report of every line of a search.
#[derive(Default)]
pub(crate) struct Lines(Vec<String>);

impl Lines {
    #[cfg(feature = "reports")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes a report and gives it back as it is sent.
    pub fn report(&mut self, report: &Report<'_>) -> String {
        let text = object(|out| {
            out.num("depth", report.depth);
            out.num("seldepth", report.seldepth);
            out.num("multipv", report.multipv);
            report.score.0.write(out, report.score.1);
            let Wdl { win, draw, loss } = report.wdl;
            out.obj("wdl", |out| {
                out.num("win", win);
                out.num("draw", draw);
                out.num("loss", loss);
            });
            out.str("turn", color_name(report.turn));
            out.num("nodes", report.nodes);
            out.num("nps", report.nps);
            out.num("hashfull", report.hashfull);
            out.num("tbhits", report.tbhits);
            out.num("time", report.time);
            out.strings("pv", report.pv);
            out.strings("san", report.san);
        });
        match self.0.get_mut(report.multipv.saturating_sub(1)) {
            Some(line) => line.clone_from(&text),
            None => self.0.push(text.clone()),
        }
        text
    }

    pub fn answer(&self, answer: &Answer) -> String {
        object(|out| {
            out.opt("bestMove", answer.best.as_deref());
            out.opt("san", answer.san.as_deref());
            out.opt("ponder", answer.ponder.as_deref());
            answer.score.write(out, ScoreBound::Exact);
            out.num("depth", answer.depth);
            out.num("nodes", answer.nodes);
            out.raw("lines", &format!("[{}]", self.0.join(",")));
        })
    }
}

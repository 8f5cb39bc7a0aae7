//! `info` lines: what the search says, in the protocol's words.

use std::fmt::Write as _;

use rukh_engine::{Info, ScoreBound};

/// Appends one `info` line (without the line break) for a report of the search.
pub fn write_info(out: &mut String, info: &Info, show_wdl: bool) {
    let _ = write!(out, "info depth {} seldepth {} multipv {}", info.depth, info.seldepth, info.multipv.max(1));
    let _ = match info.mate() {
        Some(moves) => write!(out, " score mate {moves}"),
        None => write!(out, " score cp {}", info.centipawns()),
    };
    out.push_str(match info.bound {
        ScoreBound::Exact => "",
        ScoreBound::Lower => " lowerbound",
        ScoreBound::Upper => " upperbound",
    });
    if show_wdl {
        let wdl = info.wdl();
        let _ = write!(out, " wdl {} {} {}", wdl.win, wdl.draw, wdl.loss);
    }
    let _ = write!(
        out,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        info.nodes, info.nps, info.hashfull, info.tbhits, info.time_ms
    );
    if !info.pv.moves().is_empty() {
        let _ = write!(out, " pv {}", info.pv);
    }
}

//! The parameters on their way, as one page without anything else: rewritten while the tuner runs, it reloads itself.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::State;

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 72.0;

const BEGIN: &str = "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"10\">\
    <title>rukh tune search: ";

/// Whether a file begins as a plot does; another one is somebody's own.
pub fn is_plot(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(BEGIN.len() as u64).read_to_end(&mut start)?;
    Ok(start == BEGIN.as_bytes())
}

/// The page.
pub fn page(state: &State) -> String {
    let plan = &state.plan;
    let [won, drawn, lost] = state.score;
    let mut out = format!(
        "{BEGIN}{done} of {all}</title>\n<style>body{{font:14px system-ui,sans-serif;margin:1.5em;\
         color-scheme:light dark}}main{{display:flex;flex-wrap:wrap;gap:14px}}figure{{margin:0}}svg{{display:block;\
         border:1px solid #8886}}polyline{{fill:none;stroke:#2a7de1;stroke-width:1.5}}line{{stroke:#888;\
         stroke-dasharray:3 3}}</style>\n<h1>Iteration {done} of {all}</h1>\n<p>{games} games at {nodes} nodes, \
         raised values +{won} ={drawn} −{lost}. Each curve spans the parameter's range; the dashed line is where it \
         started.</p>\n<main>\n",
        done = state.done,
        all = plan.iterations,
        games = state.games(),
        nodes = plan.nodes,
    );
    for (at, knob) in plan.knobs.iter().enumerate() {
        let x = |iteration: u64| WIDTH * iteration as f64 / plan.iterations.max(1) as f64;
        let y = |value: f64| HEIGHT * (knob.max - value) / (knob.max - knob.min);
        let mut curve = String::new();
        for (iteration, values) in &state.points {
            let _ = write!(curve, "{:.1},{:.1} ", x(*iteration), y(values[at]));
        }
        let now = state.values()[at];
        let _ = write!(curve, "{:.1},{:.1}", x(state.done), y(now));
        let start = y(knob.start);
        let _ = writeln!(
            out,
            "<figure><figcaption>{} <b>{now:.1}</b> ({}, {} to {})</figcaption><svg width=\"{WIDTH}\" \
             height=\"{HEIGHT}\"><line x1=\"0\" x2=\"{WIDTH}\" y1=\"{start:.1}\" y2=\"{start:.1}\"/><polyline \
             points=\"{curve}\"/></svg></figure>",
            knob.name, knob.start, knob.min, knob.max
        );
    }
    out + "</main></html>\n"
}

#[cfg(test)]
mod tests {
    use super::super::{Knob, Plan};
    use super::*;

    #[test]
    fn every_parameter_has_its_curve() {
        let knob = |name: &str| Knob { name: name.into(), start: 5.0, min: 0.0, max: 10.0 };
        let knobs = vec![knob("rfp_margin"), knob("lmr_base")];
        let plan =
            Plan { knobs, iterations: 4, pairs: 1, nodes: 10, clock: None, seed: 1, rate: 0.1, perturbation: 0.1 };
        let mut state = State::new(plan);
        while let Some(job) = state.take() {
            state.report(job, 1);
        }
        let page = page(&state);
        assert_eq!((page.matches("<polyline").count(), page.matches("lmr_base").count()), (2, 1));
        assert!(page.contains("Iteration 4 of 4") && page.contains("+8 =0 −0") && page.ends_with("</html>\n"));
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing from elsewhere");
    }
}

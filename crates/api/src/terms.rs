//! The classical evaluation as JSON: what `rukh eval --json` and the chapters show.

use rukh_core::Position;
use rukh_eval::report::{self, Summed};
use rukh_eval::score::Pair;
use rukh_eval::trace::{Coefficients, PHASE_MAX, SCALE_MAX};
use rukh_eval::{Classical, Terms};
use rukh_json::Out;

/// A position's classical value for White, with what it is made of.
pub(crate) struct Traced {
    pub value: i32,
    pub lines: Vec<Summed>,
    pub coefficients: Coefficients,
}

impl Traced {
    pub(crate) fn of<R: Terms>(pos: &Position<R>) -> Traced {
        let mut coefficients = Coefficients::default();
        let value = Classical::<R>::new().trace(pos, &mut coefficients);
        Traced { value, lines: report::lines::<R>(&coefficients), coefficients }
    }

    pub(crate) fn write(&self, out: &mut Out<'_>) {
        out.num("classical", self.value);
        out.list("terms", |out| {
            for line in &self.lines {
                out.item_obj(|out| {
                    out.str("name", line.name);
                    pair(out, "white", line.side[0]);
                    pair(out, "black", line.side[1]);
                    pair(out, "total", line.total);
                });
            }
        });
        out.num("phase", self.coefficients.phase);
        out.num("phaseMax", PHASE_MAX);
        out.num("scale", self.coefficients.scale);
        out.num("scaleMax", SCALE_MAX);
        out.opt("special", self.coefficients.special);
    }
}

fn pair(out: &mut Out<'_>, name: &str, pair: Pair) {
    out.obj(name, |out| {
        out.num("mg", pair.mg());
        out.num("eg", pair.eg());
    });
}

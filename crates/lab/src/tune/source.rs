//! Writes the weights as Rust source.

use std::fmt::Write as _;
use std::path::Path;

use super::data::Game;
use crate::LabError;

/// Replaces `path` in one step: a broken run never leaves half a table.
pub fn write<R: Game>(path: &Path, weights: &[[f32; 2]], loss: [f64; 2]) -> Result<(), LabError> {
    Ok(rukh_files::replace(path, text::<R>(weights, loss).as_bytes())?)
}

fn text<R: Game>(weights: &[[f32; 2]], loss: [f64; 2]) -> String {
    let (game, module) = (R::TITLE, R::TITLE.to_lowercase());
    let mut out = format!(
        "//! Weights of the {game} evaluation, `(middle game, end game)`, in the order of `{module}::terms`.\n\
         //!\n\
         //! Written by `rukh tune`; edit a number here only to start a new term.\n\
         //! Last validation loss: {:.6}, before {:.6}.\n\n\
         use crate::score::Pair;\n\n\
         const fn p(mg: i32, eg: i32) -> Pair {{\n    Pair::new(mg, eg)\n}}\n\n\
         /// The table.\n#[rustfmt::skip]\npub static {}: [Pair; crate::{module}::terms::COUNT] = [\n",
        loss[1],
        loss[0],
        module.to_uppercase()
    );
    for group in R::GROUPS {
        let _ = writeln!(out, "    // {}", group.name);
        for row in weights[group.start..group.start + group.len].chunks(8) {
            let cells: Vec<String> = row.iter().map(|w| format!("p({},{}),", w[0] as i32, w[1] as i32)).collect();
            let _ = writeln!(out, "    {}", cells.join(" "));
        }
    }
    out.push_str("];\n");
    out
}

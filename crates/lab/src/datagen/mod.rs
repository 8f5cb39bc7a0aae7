//! Training games and the records made of them: `rukh datagen`.
//!
//! [`Run`] plays games into a file of blocks; [`read`] takes such files, [`Job`] makes training records of them,
//! [`figures`] counts, and [`repair`] saves what is good in a damaged one.

mod expand;
mod repair;
mod run;
mod wdl;

pub use expand::{Block, Figures, Job, Kind, Written, figures, read};
pub use repair::{Repaired, repair};
pub use run::{Plan, Run, Totals, openings};
pub use wdl::{Table, Tables};

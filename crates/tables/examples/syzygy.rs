//! What Syzygy tables say: a FEN per line on stdin, the FEN with result (−2 to 2) and distance on stdout. For comparing
//! with other probing code: `cargo run -p rukh-tables --example syzygy FOLDER < positions.fen`.

use std::io::{BufRead, Write};

use rukh_core::{Chess, Position};
use rukh_tables::syzygy::Tables;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder of the tables")?;
    let tables = Tables::open([folder])?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let pos = Position::<Chess>::from_fen(&line)?;
        let (wdl, dtz) = (tables.wdl(&pos)?, tables.dtz(&pos)?);
        writeln!(out, "{line};{};{dtz}", wdl as i32 - 2)?;
    }
    Ok(out.flush()?)
}

//! `values NET FENS`: a network's value of each chess or Makruk position, one `fen;value` a line, to be compared with what
//! `training/nnue/reference.py NET FENS` says.

use rukh_core::{Chess, Makruk, Position, Variant};
use rukh_eval::nnue::Network;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [net, fens] = &arguments[..] else { return Err("usage: values NET FENS".into()) };
    let network = Network::parse(&std::fs::read(net)?)?;
    for line in std::fs::read_to_string(fens)?.lines() {
        let fen = line.split(';').next().unwrap_or("").trim();
        if fen.is_empty() || fen.starts_with('#') {
            continue;
        }
        let value = match network.variant() {
            Variant::Makruk => network.reference(&Position::<Makruk>::from_fen(fen)?),
            _ => network.reference(&Position::<Chess>::from_fen(fen)?),
        };
        println!("{fen};{value}");
    }
    Ok(())
}

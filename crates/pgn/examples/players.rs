//! Counts the games of every player in a file of any size: `cargo run --example players games.pgn.zst`.

use rukh_pgn::PgnReader;
use std::collections::BTreeMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("which file?")?;
    let mut players = BTreeMap::<String, u32>::new();
    for game in PgnReader::open(path.as_ref())? {
        match game {
            Ok(game) => {
                for name in [game.tags.white(), game.tags.black()] {
                    *players.entry(name.to_string()).or_default() += 1;
                }
            }
            // One broken game does not end the file.
            Err(problem) => eprintln!("{problem}"),
        }
    }
    for (name, games) in players {
        println!("{games:8} {name}");
    }
    Ok(())
}

//! A walk through the rules: `cargo run --example tour`.

use rukh_core::{Chess, Game, Makruk, Notation, Position, perft};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A position is legal or does not exist; errors say what is wrong, and where.
    let pos: Position<Chess> = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1".parse()?;
    println!("{} legal moves, {} leaves at depth 4", pos.legal_moves().len(), perft(&pos, 4));
    if let Err(error) = Position::<Chess>::from_fen("8/8/8/8/8/8/8/K7 w - - 0 1") {
        println!("refused: {error}");
    }

    // Moves are read in SAN or UCI and written in either; castling in the notation of Chess960, too.
    let castle = pos.parse_san("O-O")?;
    println!(
        "{} is {} or {}",
        pos.san(castle),
        pos.uci(castle, Notation::Standard),
        pos.uci(castle, Notation::Chess960)
    );

    // A game remembers its positions: repetition, the fifty moves and the end are its business.
    let mut game = Game::new(Position::<Chess>::startpos());
    for san in ["f3", "e5", "g4", "Qh4"] {
        let mv = game.position().parse_san(san)?;
        game.try_play(mv)?;
    }
    println!("{}: {:?}", game.position(), game.outcome());

    // Makruk is another type, with the same methods.
    let start = Position::<Makruk>::startpos();
    println!("Makruk: {} moves from {start}", start.legal_moves().len());
    Ok(())
}

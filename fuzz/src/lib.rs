//! What the fuzz targets share.
#![forbid(unsafe_code)]

use rukh_core::{Position, Rules, perft};

/// What must hold for every position that a reader accepts, whatever text it came from.
pub fn check_position<R: Rules>(position: &Position<R>) {
    let fen = position.fen();
    let again = Position::<R>::from_fen(&fen).unwrap_or_else(|error| panic!("own FEN '{fen}' refused: {error}"));
    assert_eq!(*position, again, "'{fen}' reads back as another position");
    let moves = position.legal_moves();
    assert_eq!(moves.len() as u64, perft(position, 1), "'{fen}': counted and listed moves differ");
    for &mv in &moves {
        let next = position.after(mv);
        let fen = next.fen();
        assert!(
            !next.is_attacked(next.king(!next.side_to_move()), next.side_to_move()),
            "'{fen}': the king can be taken"
        );
        assert_eq!(Position::<R>::from_fen(&fen).map(|read| read.key()), Ok(next.key()), "'{fen}': kept key differs");
    }
}

/// The first line as a FEN and the rest as the text under test.
pub fn position_and_text<R: Rules>(input: &str) -> Option<(Position<R>, &str)> {
    let (fen, text) = input.split_once('\n')?;
    Some((Position::from_fen(fen).ok()?, text))
}

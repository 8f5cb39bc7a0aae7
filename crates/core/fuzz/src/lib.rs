//! What the fuzz targets check about a position that a reader has accepted.
#![forbid(unsafe_code)]

use rukh_core::{Notation, Position, Rules};
use rukh_mailbox as mailbox;

/// The position is written and read back unchanged, and the independent generator finds the same moves in it.
pub fn check_position<R: Rules>(game: mailbox::Game, position: &Position<R>) {
    let fen = position.fen();
    let again = Position::<R>::from_fen(&fen).expect("a written FEN can be read");
    assert_eq!(again.fen(), fen);
    assert_eq!(again.key(), position.key());
    let theirs = mailbox::Position::from_fen(game, &fen).expect("the mailbox reads it too");
    let mut ours: Vec<String> = position.legal_moves().iter().map(|&m| position.uci(m, Notation::Chess960)).collect();
    let mut names = theirs.legal_moves(true);
    ours.sort();
    names.sort();
    assert_eq!(ours, names, "{fen}");
    for &m in position.legal_moves().iter() {
        let after = position.after(m);
        assert_eq!(position.gives_check(m), after.in_check(), "{fen} {m:?}");
        assert_eq!(after.repetition_key(), after.key_from_scratch(), "{fen} {m:?}");
        position.see(m);
    }
}

/// A text of the form `FEN|rest`: the position, or the start position if there is none, and the rest.
pub fn split_position<R: Rules>(text: &str) -> (Position<R>, &str) {
    match text.split_once('|') {
        Some((fen, rest)) => (Position::from_fen(fen).unwrap_or_else(|_| Position::startpos()), rest),
        None => (Position::startpos(), text),
    }
}

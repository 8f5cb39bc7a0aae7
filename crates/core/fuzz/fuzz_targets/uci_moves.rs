//! Any text as a game of UCI moves from any position (`FEN|move move …`), checked after each move.
#![no_main]

use rukh_core::{Chess, Makruk, Rules};
use rukh_core_fuzz::{check_position, split_position};
use rukh_fuzz::fuzz_target;
use rukh_mailbox::Game;

fn check<R: Rules>(game: Game, text: &str) {
    let (mut position, moves) = split_position::<R>(text);
    for name in moves.split_whitespace().take(64) {
        if let Ok(m) = position.parse_uci(name) {
            let before = position;
            let undo = position.make(m);
            let mut back = position;
            back.unmake(undo);
            assert!(back == before);
        }
        // A count that has run out ends the game, and what would follow has no FEN.
        if position.is_count_draw() {
            return;
        }
    }
    check_position(game, &position);
}

fuzz_target!(|text: &str| {
    check::<Chess>(Game::Chess, text);
    check::<Makruk>(Game::Makruk, text);
});

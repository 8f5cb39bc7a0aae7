//! The mailbox: a board with guard squares around it, walked step by step beside the bitboard's one look-up.

use crate::spec::{any_game, letter, square};
use rukh_core::{Bitboard, Position, Rules, Square, dispatch};
use rukh_json::{Json, object};

/// Two guard rows above and below stop a knight, one guard column at each side does, because a row's right one is next to the
/// following row's left one.
const WIDTH: i32 = 10;
const HEIGHT: i32 = 12;

fn cell_of(square: Square) -> i32 {
    (square.rank().index() as i32 + 2) * WIDTH + square.file().index() as i32 + 1
}

/// `mailbox`
pub(super) fn walk(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let square = square(question, "square")?;
    dispatch!(&any, game => walk_from(game.position(), square))
}

fn walk_from<R: Rules>(pos: &Position<R>, from: Square) -> Result<String, String> {
    let piece = pos.piece_at(from).ok_or_else(|| format!("nothing stands on {from}"))?;
    let (kind, side) = (piece.kind(), piece.color());
    // On a full board everybody sees one step, on an empty one those who slide see more: that is all a walk has to know.
    let steps = R::attacks(kind, side, Square::D4, Bitboard::ALL);
    let slides = R::attacks(kind, side, Square::D4, Bitboard::EMPTY) != steps;
    let mut cells = vec!["#".to_owned(); (WIDTH * HEIGHT) as usize];
    let mut square_at = vec![None; cells.len()];
    for square in Square::all() {
        let at = cell_of(square) as usize;
        cells[at] = pos.piece_at(square).map_or_else(|| ".".into(), letter::<R>);
        square_at[at] = Some(square);
    }
    Ok(object(|out| {
        out.show("square", from);
        out.show("piece", letter::<R>(piece));
        out.num("width", WIDTH);
        out.strings("cells", &cells);
        out.list("steps", |out| {
            for step in steps {
                let step = cell_of(step) - cell_of(Square::D4);
                let mut at = cell_of(from);
                loop {
                    let next = at + step;
                    let found = square_at[next as usize].map(|square| pos.piece_at(square));
                    let word = match found {
                        None => "guard",
                        Some(None) => "empty",
                        Some(Some(there)) if there.color() == side => "own",
                        Some(Some(_)) => "enemy",
                    };
                    out.item_obj(|out| {
                        out.num("from", at);
                        out.num("to", next);
                        out.str("found", word);
                    });
                    if !slides || word != "empty" {
                        break;
                    }
                    at = next;
                }
            }
        });
        out.hex("attacks", R::attacks(kind, side, from, pos.occupied()).0);
    }))
}

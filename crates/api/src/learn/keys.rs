//! `zobrist`: a key as the XOR of its terms.

use crate::spec::{any_game, color_name, letter};
use rukh_core::{Color, Position, Rules, castling_key, count_key, dispatch, en_passant_key, piece_key, side_key};
use rukh_json::{Json, Out, object};

pub(super) fn zobrist(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    Ok(object(|out| {
        dispatch!(&any, game => {
            out.hex("key", game.position().key());
            out.list("terms", |out| terms(out, game.position()));
        });
    }))
}

fn terms<R: Rules>(out: &mut Out<'_>, pos: &Position<R>) {
    let mut term = |kind: &str, label: String, value: u64, rest: &dyn Fn(&mut Out<'_>)| {
        out.item_obj(|out| {
            out.str("kind", kind);
            out.str("label", &label);
            rest(out);
            out.hex("value", value);
        });
    };
    for square in pos.occupied() {
        let Some(piece) = pos.piece_at(square) else { continue };
        let name = letter::<R>(piece);
        term("piece", format!("{name} {square}"), piece_key(piece, square), &|out| {
            out.show("square", square);
            out.str("piece", &name);
        });
    }
    for color in Color::ALL {
        for (kingside, wing) in [(true, "kingside"), (false, "queenside")] {
            if pos.castling().has(color, kingside) {
                let label = format!("{} {wing}", color_name(color));
                term("castling", label, castling_key(color, kingside), &|_| {});
            }
        }
    }
    if let Some(square) = pos.ep_square() {
        let label = format!("{} file", square.file().char());
        term("en passant", label, en_passant_key(square), &|out| out.show("square", square));
    }
    if pos.side_to_move() == Color::White {
        term("side", "white to move".into(), side_key(), &|_| {});
    }
    if let Some(count) = pos.count() {
        let label = format!("count {} of {}", count.spoken(), count.last_number());
        term("count", label, count_key(count), &|_| {});
    }
}

//! `opening`: the name of what was played.

use crate::spec::any_game;
use rukh_core::any::Any;
use rukh_json::{Json, object};
use rukh_store::openings::openings;

pub(crate) fn opening(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let mut found = None;
    if let Any::Chess(game) = &any {
        for (ply, pos) in game.positions().iter().enumerate() {
            if let Some(opening) = openings().find(pos) {
                found = Some((opening, ply));
            }
        }
    }
    Ok(object(|out| match found {
        Some((opening, ply)) => out.obj("opening", |out| {
            out.show("eco", opening.eco());
            out.str("name", opening.name);
            out.num("ply", ply);
        }),
        None => out.null("opening"),
    }))
}

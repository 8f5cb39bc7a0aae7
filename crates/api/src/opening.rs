//! `opening`: the name of what was played.

use crate::json::Json;
use crate::out::object;
use crate::spec::{AnyGame, Spec};
use rukh_core::Variant;
use rukh_store::openings::openings;

pub(crate) fn opening(question: &Json) -> Result<String, String> {
    let spec = Spec::read(question)?;
    let mut found = None;
    if let (AnyGame::Chess(game), Variant::Chess) = (&spec.game, spec.variant) {
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

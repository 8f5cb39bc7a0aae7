//! Guards that are led away or taken.

use rukh_core::{Bitboard, Position, Rules, Square};

use super::fact::{Tactic, Theme};
use super::tactics::{Look, WON};

/// A guard must leave what it guards, because it takes or because of a check; then that is taken, or mate is given there.
pub(super) fn deflection<R: Rules>(look: &Look<'_, R>) -> Option<Tactic> {
    let moves = look.line.moves();
    let (reply, blow) = (moves.get(look.ply + 1)?, moves.get(look.ply + 2)?);
    let pos = look.after();
    let (guard, goal) = (reply.from(), blow.to());
    // A king that steps out of a check is driven, not led away.
    let steps_aside = guard == pos.king(!look.side);
    let forced = reply.to() == look.to() || pos.in_check() && !steps_aside;
    // What is taken must have stood there, guarded by the piece that left and by no other that matters.
    let led_away =
        goal != reply.to() && guards(pos, guard).has(goal) && !guards(look.line.at(look.ply + 2), reply.to()).has(goal);
    if !forced || !led_away {
        return None;
    }
    let now = look.line.at(look.ply + 2);
    let works = match blow.captured() {
        Some(victim) => {
            let before = Look::best_exchange(pos, look.side, goal);
            let after = now.see(*blow);
            pos.piece_at(goal) == Some(victim) && before < WON && after >= WON && look.pays(look.ply + 2)
        }
        // Mate on a square that it guarded.
        None => look.line.at(look.ply + 3).is_checkmate() && look.line.moves().len() == look.ply + 3,
    };
    let man = look.man(pos, guard)?;
    works.then(|| {
        look.tactic(
            Theme::Deflection,
            look.man(pos, look.to()),
            vec![man].into_iter().chain(look.man(pos, goal)).collect(),
        )
    })
}

/// A guard is taken, and what it guarded falls.
pub(super) fn removed_guard<R: Rules>(look: &Look<'_, R>) -> Option<Tactic> {
    let moves = look.line.moves();
    let (capture, blow) = (moves.get(look.ply)?, moves.get(look.ply + 2)?);
    let pos = look.before();
    let (guard, goal) = (capture.to(), blow.to());
    if !capture.is_capture() || capture.is_en_passant() || goal == guard || !guards(pos, guard).has(goal) {
        return None;
    }
    let even = look.line.settled(look.ply, look.side) - look.line.balance(look.ply, look.side) < WON;
    let now = look.line.at(look.ply + 2);
    let works = match blow.captured() {
        Some(victim) => {
            let before = Look::best_exchange(pos, look.side, goal);
            pos.piece_at(goal) == Some(victim) && before < WON && now.see(*blow) >= WON && look.pays(look.ply + 2)
        }
        None => look.line.at(look.ply + 3).is_checkmate() && moves.len() == look.ply + 3,
    };
    let man = look.man(pos, guard)?;
    let by = look.man(look.after(), look.to());
    (even && works)
        .then(|| look.tactic(Theme::RemovedGuard, by, vec![man].into_iter().chain(look.man(pos, goal)).collect()))
}

/// The squares that the piece on `square` protects or attacks.
fn guards<R: Rules>(pos: &Position<R>, square: Square) -> Bitboard {
    pos.piece_at(square)
        .map_or(Bitboard::EMPTY, |piece| R::attacks(piece.kind(), piece.color(), square, pos.occupied()))
}

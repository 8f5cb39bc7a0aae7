//! What the rules of the board prove in endings, without a search.

use rukh_core::{Bitboard, Color, Count, Kind, Makruk, Position, Rules};
use rukh_tables::{Distance, Tables, Verdict};

use super::fact::Fact;

/// The pawns of `side` that nobody can catch: the other side has nothing but king and pawns, the way is free, and its king is
/// outside the square. In Makruk none: a Met wins nothing by itself.
pub fn uncatchable<R: Rules>(pos: &Position<R>, side: Color) -> Bitboard {
    let enemy = !side;
    let men = pos.colored(enemy, Kind::Pawn) | pos.colored(enemy, Kind::King);
    if !R::slides(R::PROMOTIONS[0]) || men != pos.colors(enemy) {
        return Bitboard::EMPTY;
    }
    let mut found = Bitboard::EMPTY;
    for pawn in pos.colored(side, Kind::Pawn) {
        let mut way = Bitboard::EMPTY;
        let mut steps = 0;
        let mut at = pawn.bb();
        while (at & R::PROMOTION_ZONE[side.index()]).is_empty() {
            at = at.forward(side);
            way |= at;
            steps += 1;
        }
        if R::DOUBLE_STEP && pawn.relative(side).rank().index() == 1 {
            steps -= 1;
        }
        // The king may step onto the promotion square with the move after the promotion at the earliest.
        let head_start = u32::from(pos.side_to_move() == enemy);
        let caught = pos.king(enemy).distance(at.lsb()) <= steps + head_start;
        if (way & pos.occupied()).is_empty() && !caught {
            found |= pawn.bb();
        }
    }
    found
}

/// Makruk: what the tables say of the count after the move played, by which a mate comes too late, and after the better one
/// where that keeps a bare Khun, too. `winning`: the better move wins, whether tables know it or not.
pub fn count(pos: &Position<Makruk>, played: rukh_core::Move, best: rukh_core::Move, winning: bool) -> Vec<Fact> {
    let tables = Tables::four_men();
    let (after, better) = (pos.after(played), pos.after(best));
    let mates = matches!(tables.verdict(&better), Some(Verdict::Mated(_)));
    let mut facts = Vec::new();
    let bare = after.colors(after.side_to_move()).count() == 1;
    if !bare || tables.verdict(&after) != Some(Verdict::Draw) || tables.verdict(&better) == Some(Verdict::Draw) {
        return facts;
    }
    if let (Some(Distance::Mate(needed)), Some(count)) = (tables.distance(&after), after.count()) {
        facts.push(Fact::CountTooShort {
            won: winning || mates,
            capture: played.is_capture(),
            needed: needed.into(),
            left: moves_left(count),
        });
    }
    if let (true, Some(Distance::Mate(needed)), Some(count)) = (mates, tables.distance(&better), better.count()) {
        facts.push(Fact::CountLongEnough { needed: needed.into(), left: moves_left(count) });
    }
    facts
}

/// The attacker's moves before the count ends, when the bare Khun is to move.
fn moves_left(count: Count) -> u32 {
    // The position before the mating move must be within the limit (`Tables::verdict`).
    (u32::from(count.limit) + 1).saturating_sub(u32::from(count.plies)) / 2
}

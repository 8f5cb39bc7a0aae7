//! What the tables say of a position. Tables leave out what captures and en passant decide, so those are looked at first.

use rukh_core::{AnyPosition, CastlingRights, Chess, Color, Move, MoveList, Position};

use super::material::Material;
use super::set::Tables;
use super::table::Distance;
use super::{Miss, Wdl};

/// What the tables say of a move, from the mover's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The result with the clock of the fifty moves counted in.
    pub wdl: Wdl,
    /// Plies to the next capture, pawn move or mate, this move included; negative when losing, nought when drawn. Beyond
    /// 100 the fifty-move rule spoils the result.
    pub dtz: i32,
}

/// The distance when the next move is a capture or a pawn move that keeps the result.
const fn before_zeroing(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Win => 1,
        Wdl::CursedWin => 101,
        Wdl::Draw => 0,
        Wdl::BlessedLoss => -101,
        Wdl::Loss => -1,
    }
}

impl Tables {
    /// Win, draw or loss for the side to move, as if the clock of the fifty moves stood at nought.
    pub fn wdl(&self, pos: &Position<Chess>) -> Result<Wdl, Miss> {
        self.covers(pos)?;
        self.result(pos, Wdl::Loss, Wdl::Win)
    }

    /// The winner with best play, or a draw, where that is certain: the tables count the fifty moves from a capture or pawn move on, so
    /// only there are they the whole truth.
    pub fn certain(&self, pos: &AnyPosition) -> Option<Option<Color>> {
        let (AnyPosition::Chess(pos) | AnyPosition::Chess960(pos)) = pos else { return None };
        if pos.halfmove_clock() > 0 || pos.occupied().count() > self.men() {
            return None;
        }
        let side = pos.side_to_move();
        Some(match self.wdl(pos).ok()? {
            Wdl::Win => Some(side),
            Wdl::Loss => Some(!side),
            Wdl::Draw | Wdl::CursedWin | Wdl::BlessedLoss => None,
        })
    }

    /// Plies to the next capture, pawn move or mate with best play, positive when winning; 100 more for results that the
    /// fifty-move rule spoils. May be one ply too long where the tables count moves.
    pub fn dtz(&self, pos: &Position<Chess>) -> Result<i32, Miss> {
        self.covers(pos)?;
        self.distance(pos, true)
    }

    /// What the tables say of each of `moves`, which must be legal.
    pub fn root(&self, pos: &Position<Chess>, moves: &[Move]) -> Result<Vec<RootMove>, Miss> {
        self.covers(pos)?;
        let clock = i32::from(pos.halfmove_clock()).min(100);
        let look = |&mv: &Move| {
            let after = pos.after_unchecked(mv);
            let dtz = if is_zeroing(mv) {
                before_zeroing(-self.result(&after, Wdl::Loss, Wdl::Win)?)
            } else if after.is_checkmate() {
                1
            } else {
                let dtz = -self.distance(&after, true)?;
                dtz + dtz.signum()
            };
            let wdl = match dtz {
                0 => Wdl::Draw,
                1.. if dtz + clock <= 100 => Wdl::Win,
                1.. => Wdl::CursedWin,
                _ if clock - dtz <= 100 => Wdl::Loss,
                _ => Wdl::BlessedLoss,
            };
            Ok(RootMove { mv, wdl, dtz })
        };
        moves.iter().map(look).collect()
    }

    fn covers(&self, pos: &Position<Chess>) -> Result<(), Miss> {
        if pos.occupied().count() <= self.men() && pos.castling() == CastlingRights::NONE {
            Ok(())
        } else {
            Err(Miss::Unknown)
        }
    }

    /// The result, if it lies between the bounds; else a bound. Every capture takes a man, so this ends.
    fn result(&self, pos: &Position<Chess>, mut least: Wdl, most: Wdl) -> Result<Wdl, Miss> {
        let mut captures = MoveList::new();
        pos.generate_captures(&mut captures);
        let mut en_passant = 0;
        for &mv in captures.iter().filter(|mv| mv.is_capture() && pos.leaves_king_safe(**mv)) {
            en_passant += usize::from(mv.is_en_passant());
            let value = -self.result(&pos.after_unchecked(mv), -most, -least)?;
            if value >= most {
                return Ok(value);
            }
            least = least.max(value);
        }
        // The tables know no en passant: where there is nothing else they would see a stalemate.
        if en_passant > 0 && pos.count_legal() == en_passant {
            return Ok(least);
        }
        Ok(least.max(self.table_result(pos)?))
    }

    /// The result, and whether a capture or pawn move reaches it: then the tables of distances need not know.
    fn result_by_zeroing(&self, pos: &Position<Chess>) -> Result<(Wdl, bool), Miss> {
        let moves = pos.legal_moves();
        let mut best = None;
        let mut zeroing = 0;
        for &mv in moves.iter().filter(|&&mv| is_zeroing(mv)) {
            zeroing += 1;
            let value = -self.result(&pos.after_unchecked(mv), Wdl::Loss, Wdl::Win)?;
            if value == Wdl::Win {
                return Ok((value, true));
            }
            best = best.max(Some(value));
        }
        match best {
            Some(best) if zeroing == moves.len() => Ok((best, true)),
            _ => {
                let best = best.unwrap_or(Wdl::Loss);
                let value = self.table_result(pos)?;
                Ok(if best >= value { (best, best > Wdl::Draw) } else { (value, false) })
            }
        }
    }

    /// The signed distance. Half of the tables keep one side to move only; for the other all moves are tried, once.
    fn distance(&self, pos: &Position<Chess>, may_search: bool) -> Result<i32, Miss> {
        let (wdl, by_zeroing) = self.result_by_zeroing(pos)?;
        if wdl == Wdl::Draw || by_zeroing {
            return Ok(before_zeroing(wdl));
        }
        match self.table_distance(pos, wdl)? {
            Distance::Plies(plies) => {
                let spoiled = if matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss) { 100 } else { 0 };
                Ok((plies + spoiled) * before_zeroing(wdl).signum())
            }
            Distance::OtherSide if may_search => self.distance_by_search(pos, wdl),
            Distance::OtherSide => Err(Miss::Unknown),
        }
    }

    /// The least distance among the moves that keep the result (or, losing, the greatest).
    fn distance_by_search(&self, pos: &Position<Chess>, wdl: Wdl) -> Result<i32, Miss> {
        let sign = before_zeroing(wdl).signum();
        let mut best = None;
        for &mv in &pos.legal_moves() {
            let after = pos.after_unchecked(mv);
            let plies = if is_zeroing(mv) {
                before_zeroing(-self.result(&after, Wdl::Loss, Wdl::Win)?)
            } else if after.is_checkmate() {
                1
            } else {
                let plies = -self.distance(&after, false)?;
                plies + plies.signum()
            };
            if plies.signum() == sign {
                best = Some(best.map_or(plies, |best: i32| best.min(plies)));
            }
        }
        // Without a move it is mate.
        Ok(best.unwrap_or(-1))
    }

    #[inline]
    fn table_result(&self, pos: &Position<Chess>) -> Result<Wdl, Miss> {
        let material = Material::of(pos);
        if material == Material::BARE_KINGS {
            return Ok(Wdl::Draw);
        }
        let (slot, swapped) = self.results(material).ok_or(Miss::Unknown)?;
        slot.ask(|table| table.result(pos, swapped))
    }

    fn table_distance(&self, pos: &Position<Chess>, wdl: Wdl) -> Result<Distance, Miss> {
        let (slot, swapped) = self.distances(Material::of(pos)).ok_or(Miss::Unknown)?;
        slot.ask(|table| table.distance(pos, swapped, wdl))
    }
}

fn is_zeroing(mv: Move) -> bool {
    mv.is_capture() || mv.piece().kind() == rukh_core::Kind::Pawn
}

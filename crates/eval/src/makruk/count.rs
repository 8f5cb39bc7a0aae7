//! The count: how much of an advantage can still become mate.
//!
//! No count runs while a Bia is on the board, so the last Bia is worth keeping: it buys time to drive the Khun first.

use rukh_core::{Color, Kind, Makruk, Position};

use crate::geometry::{DARK, distance, edge};
use crate::trace::SCALE_MAX;

/// Material of one side.
#[derive(Clone, Copy)]
struct Force {
    bia: i32,
    ma: i32,
    thon: i32,
    rua: i32,
    met: i32,
    /// Mets on both shades, or Bia that can still become what is missing.
    both_shades: bool,
}

impl Force {
    #[inline(always)]
    fn of(pos: &Position<Makruk>, us: Color) -> Self {
        let n = |k| pos.colored(us, k).count() as i32;
        let mets = pos.colored(us, Kind::Queen);
        let bia = n(Kind::Pawn);
        Self {
            bia,
            ma: n(Kind::Knight),
            thon: n(Kind::Bishop),
            rua: n(Kind::Rook),
            met: mets.count() as i32,
            both_shades: bia > 0 || ((mets & DARK).any() && (mets - DARK).any()),
        }
    }

    fn material(self) -> i32 {
        100 * self.bia + 320 * self.ma + 260 * self.thon + 600 * self.rua + 170 * self.met
    }

    /// Moves that mate of a bare Khun takes from bad squares, or `None` where it cannot be forced. After the exact
    /// tables of all endings with up to three pieces; more pieces are quicker.
    #[inline(always)]
    fn moves_to_mate(self) -> Option<i32> {
        let met = self.met + self.bia;
        let Self { ma, thon, rua, .. } = self;
        let helpers = ma + thon + met;
        if rua >= 2 {
            return Some(7);
        }
        if rua == 1 {
            return Some(if helpers >= 2 { 13 } else { 16 });
        }
        let moves = match (thon, ma, met) {
            (0, 0, m) if m >= 3 && self.both_shades => 44,
            (0, 1, m) if m >= 2 && self.both_shades => 44,
            (0, 2, m) if m >= 1 => 40,
            (0, n, _) if n >= 3 => 40,
            (1, 0, m) if m >= 1 => 50,
            (1, n, _) if n >= 1 => 40,
            (s, _, _) if s >= 2 => 40,
            _ => return None,
        };
        Some((moves - 6 * (helpers - 3).max(0)).max(14))
    }

    /// The count's limit against a bare Khun.
    fn limit(self) -> i32 {
        match self {
            Force { rua: 2.., .. } => 8,
            Force { rua: 1, .. } => 16,
            Force { thon: 2.., .. } => 22,
            Force { ma: 2.., .. } => 32,
            Force { thon: 1, .. } => 44,
            _ => 64,
        }
    }
}

/// Value from White's view when one side has only the Khun.
#[inline(always)]
pub(super) fn bare_khun(pos: &Position<Makruk>) -> Option<(&'static str, i32)> {
    let weak = if !pos.colors(Color::Black).more_than_one() {
        Color::Black
    } else if !pos.colors(Color::White).more_than_one() {
        Color::White
    } else {
        return None;
    };
    let strong = !weak;
    let value = hunt(pos, strong);
    Some(("bare Khun", if strong == Color::White { value } else { -value }))
}

#[cold]
fn hunt(pos: &Position<Makruk>, strong: Color) -> i32 {
    let force = Force::of(pos, strong);
    let (hunter, hunted) = (pos.king(strong), pos.king(!strong));
    let gap = distance(hunter, hunted) as i32;
    let inward = (edge(hunted.file().index()) + edge(hunted.rank().index())) as i32;
    // The pieces must come along: the further they are, the longer it takes.
    let pieces = pos.colors(strong) - pos.colored(strong, Kind::King) - pos.colored(strong, Kind::Pawn);
    let away: i32 = pieces.into_iter().map(|s| distance(s, hunted) as i32 - 1).sum();
    let progress = 30 * (6 - inward) + 20 * (7 - gap) - 5 * away;
    let material = force.material();
    let Some(full) = force.moves_to_mate() else {
        // Nothing to play for but a blunder in the corner.
        return material / 20 + progress / 10;
    };
    if force.bia > 0 {
        return 2000 + material + progress;
    }
    let left = match pos.count() {
        Some(c) => (i32::from(c.limit) - i32::from(c.plies)) / 2,
        None => force.limit() - pos.occupied().count() as i32,
    };
    let need = full * (4 + 2 * inward + gap) / 22;
    // Full value with time to spare, next to nothing when even half of the usual way is too long.
    let chance = (2 * (left - need) + full).clamp(1, 2 * full);
    (1500 + material + progress) * chance / (2 * full)
}

/// How much of the end-game half the stronger side can hope for, of [`SCALE_MAX`].
#[inline(always)]
pub(super) fn scale(pos: &Position<Makruk>, strong: Color) -> i32 {
    let force = Force::of(pos, strong);
    match force.moves_to_mate() {
        None => 8,
        Some(_) if force.bia == 0 => 48,
        Some(_) => SCALE_MAX,
    }
}

/// Fades the value as the board's count runs out. Against a bare Khun the value has the count in it already.
#[inline(always)]
pub(super) fn damp(pos: &Position<Makruk>, value: i32) -> i32 {
    let Some(count) = pos.count() else { return value };
    if !pos.colors(Color::White).more_than_one() || !pos.colors(Color::Black).more_than_one() {
        return value;
    }
    let limit = i32::from(count.limit).max(1);
    let left = (limit - i32::from(count.plies)).clamp(0, limit);
    value * (left + 8) / (limit + 8)
}

//! From a position to its distance, and from distance and count to the result.

use rukh_core::{BoardHonour, Kind, Makruk, Position};

use crate::board::{Camp, bit, king};
use crate::material::{KINDS, MAX_PIECES, Material, fill_slots};
use crate::set::{Tables, row_number};

/// What a table says, the count aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Nobody can force mate.
    Draw,
    /// The attacker mates with this many of its own moves. 0: it is mate.
    Mate(u8),
}

/// The exact result of a position with best play, for the side to move, the count included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The side to move mates in so many plies, before the count ends.
    Mate(u32),
    /// The side to move is mated in so many plies, before the count ends.
    Mated(u32),
    /// A draw, by count or otherwise.
    Draw,
}

/// A position as the tables see it: attacker white, its Khun on files a to d.
struct View {
    material: Material,
    khun: usize,
    bare: usize,
    slots: [u8; MAX_PIECES],
    attacker_moves: bool,
}

impl View {
    #[inline]
    fn new(pos: &Position<Makruk>) -> Option<View> {
        let (material, attacker) = Material::of(pos)?;
        // Upside down when Black attacks (the Thon has a direction), mirrored when its Khun is on the right.
        let mut turn = if attacker == rukh_core::Color::Black { 56 } else { 0 };
        let khun = pos.king(attacker).index();
        if khun & 4 != 0 {
            turn |= 7;
        }
        let mut slots = [0; MAX_PIECES];
        let mut at = 0;
        for kind in KINDS {
            let mut pieces = pos.colored(attacker, kind);
            if turn & 56 != 0 {
                pieces = pieces.flip_ranks();
            }
            if turn & 7 != 0 {
                pieces = pieces.flip_files();
            }
            fill_slots(pieces, &mut slots, &mut at);
        }
        let bare = pos.king(!attacker).index() ^ turn;
        Some(View { material, khun: khun ^ turn, bare, slots, attacker_moves: pos.side_to_move() == attacker })
    }
}

impl Tables {
    /// The table of the position's material.
    pub fn table_of(&self, pos: &Position<Makruk>) -> Option<&crate::Table> {
        self.table(Material::of(pos)?.0)
    }

    /// The distance to mate, the count aside; `None` where there is no table.
    pub fn distance(&self, pos: &Position<Makruk>) -> Option<Distance> {
        self.view_distance(&View::new(pos)?)
    }

    #[inline]
    fn view_distance(&self, view: &View) -> Option<Distance> {
        match view.material.pieces() {
            1 => self.typed_distance::<1>(view),
            2 => self.typed_distance::<2>(view),
            _ => self.typed_distance::<3>(view),
        }
    }

    fn typed_distance<const N: usize>(&self, view: &View) -> Option<Distance> {
        let row = self.table(view.material)?.row(row_number(view.material, view.khun, &view.slots[..N])?)?;
        let value = |d: u8| if d == 0 { Distance::Draw } else { Distance::Mate(d) };
        if view.attacker_moves {
            return Some(value(row.distance(view.bare)));
        }
        let kinds = view.material.slots::<N>();
        let p: [u8; N] = view.slots[..N].try_into().ok()?;
        let camp = Camp::new(view.khun, &kinds, &p)?;
        let steps = king(view.bare) & camp.safe;
        if steps == 0 {
            let mated = camp.safe & (1 << view.bare) == 0;
            return Some(if mated { Distance::Mate(0) } else { Distance::Draw });
        }
        let mut longest = 0;
        for to in rukh_core::Bitboard(steps) {
            let distance = match p.iter().position(|&square| bit(square) == to.bb().0) {
                Some(i) => self.after_capture(view.material, view.khun, &kinds, &p, i)?,
                None => row.distance(to.index()),
            };
            if distance == 0 {
                return Some(Distance::Draw);
            }
            longest = longest.max(distance);
        }
        Some(value(longest))
    }

    /// The result, the count included; `None` where there is no table, or where the attacker himself claims a count
    /// (then his mate would be a draw). Repetition aside: a shortest mate repeats nothing.
    #[inline]
    pub fn verdict(&self, pos: &Position<Makruk>) -> Option<Verdict> {
        let view = View::new(pos)?;
        if let BoardHonour::Claimed(color) = pos.board_honour()
            && (color == pos.side_to_move()) == view.attacker_moves
        {
            return None;
        }
        let mate = |n: u8| {
            let plies = 2 * u32::from(n);
            if view.attacker_moves { Verdict::Mate(plies - 1) } else { Verdict::Mated(plies) }
        };
        let Some(count) = pos.count() else { return self.before_the_count(pos, &view) };
        Some(match self.view_distance(&view)? {
            Distance::Draw => Verdict::Draw,
            Distance::Mate(0) => Verdict::Mated(0),
            Distance::Mate(n) => {
                // The position before the mating move must still be within the count; mate itself beats it.
                let last = u32::from(count.plies) + 2 * u32::from(n) - if view.attacker_moves { 2 } else { 1 };
                if last <= u32::from(count.limit) { mate(n) } else { Verdict::Draw }
            }
        })
    }

    /// A bare Khun whose count has not begun: it begins after the attacker's next move, with the men then on the board.
    #[cold]
    fn before_the_count(&self, pos: &Position<Makruk>, view: &View) -> Option<Verdict> {
        if view.attacker_moves {
            return Some(match self.view_distance(view)? {
                // One move is free: the count begins behind it.
                Distance::Mate(n) if n == 1 || u16::from(n) - 1 <= view.material.moves_allowed() => {
                    Verdict::Mate(2 * u32::from(n) - 1)
                }
                _ => Verdict::Draw,
            });
        }
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return Some(if pos.in_check() { Verdict::Mated(0) } else { Verdict::Draw });
        }
        let mut longest = 0;
        for &mv in moves.iter() {
            let next = pos.after_unchecked(mv);
            match next.pieces(Kind::King) == next.occupied() {
                true => return Some(Verdict::Draw),
                false => match self.verdict(&next)? {
                    Verdict::Mate(plies) => longest = longest.max(plies + 1),
                    _ => return Some(Verdict::Draw),
                },
            }
        }
        Some(Verdict::Mated(longest))
    }
}

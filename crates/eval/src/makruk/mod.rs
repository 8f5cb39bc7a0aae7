//! The Makruk evaluation.
//!
//! Most pieces are short-ranged, so structure and the squares where Bia turn over matter more than open lines. The
//! count is part of the value: an advantage that cannot be turned into mate in time fades to a draw.

mod count;
mod king;
mod pieces;
pub(crate) mod terms;

use rukh_core::{Bitboard, Color, Kind, Makruk, Position, Rules, Square};

use crate::Terms;
use crate::geometry::pawn_attack_sides;
use crate::layout::Group;
use crate::score::Pair;
use crate::sum::{Sum, blend};
use crate::trace::{PHASE_MAX, Trace};
use crate::weights::MAKRUK;

type Total<'t, T> = Sum<'t, T, { terms::COUNT }>;

/// Everything that more than one group of terms needs.
struct Board<'p> {
    pos: &'p Position<Makruk>,
    occ: Bitboard,
    bia: [Bitboard; 2],
    khun: [Square; 2],
    ring: [Bitboard; 2],
    pinned: [Bitboard; 2],
    bia_attacks: [Bitboard; 2],
    area: [Bitboard; 2],
    attacks: [[Bitboard; 6]; 2],
    all: [Bitboard; 2],
    twice: [Bitboard; 2],
    attackers: [[i32; 4]; 2],
    ring_hits: [i32; 2],
    own_turn: [usize; 2],
    their_turn: [usize; 2],
}

impl<'p> Board<'p> {
    #[inline(always)]
    fn new(pos: &'p Position<Makruk>) -> Self {
        let occ = pos.occupied();
        let mut b = Board {
            pos,
            occ,
            bia: [pos.colored(Color::White, Kind::Pawn), pos.colored(Color::Black, Kind::Pawn)],
            khun: [pos.king(Color::White), pos.king(Color::Black)],
            ring: [Bitboard(0); 2],
            pinned: [pos.pinned(Color::White), pos.pinned(Color::Black)],
            bia_attacks: [Bitboard(0); 2],
            area: [Bitboard(0); 2],
            attacks: [[Bitboard(0); 6]; 2],
            all: [Bitboard(0); 2],
            twice: [Bitboard(0); 2],
            attackers: [[0; 4]; 2],
            ring_hits: [0; 2],
            own_turn: [0; 2],
            their_turn: [0; 2],
        };
        for us in Color::ALL {
            let u = us.index();
            let (left, right) = pawn_attack_sides(us, b.bia[u]);
            let khun_attacks = Makruk::attacks(Kind::King, us, b.khun[u], occ);
            b.bia_attacks[u] = left | right;
            b.attacks[u][Kind::Pawn.index()] = left | right;
            b.attacks[u][Kind::King.index()] = khun_attacks;
            b.all[u] = left | right | khun_attacks;
            b.twice[u] = (left & right) | ((left | right) & khun_attacks);
            let mirror = if b.khun[u].file().index() < 4 { 7 } else { 0 };
            b.own_turn[u] = (u * 56) ^ mirror;
            b.their_turn[(!us).index()] = ((!us).index() * 56) ^ mirror;
            // Pieces are slow: the ring reaches one rank further ahead than the Khun's own moves.
            b.ring[u] = khun_attacks | khun_attacks.forward(us);
        }
        for us in Color::ALL {
            let u = us.index();
            b.area[u] = !((b.bia[u] & occ.forward(!us)) | pos.colored(us, Kind::King) | b.bia_attacks[(!us).index()]);
        }
        b
    }
}

impl Terms for Makruk {
    type Cache = ();
    const COUNT: usize = terms::COUNT;
    const GROUPS: &'static [Group] = terms::GROUPS;

    fn weights() -> &'static [Pair] {
        &MAKRUK
    }

    fn evaluate<T: Trace>(pos: &Position<Makruk>, (): &mut (), trace: &mut T) -> i32 {
        if let Some((name, value)) = count::bare_khun(pos) {
            trace.special(name);
            return value;
        }
        let mut sum = Sum::new(&MAKRUK, trace);
        let mut b = Board::new(pos);
        // Full board: 4 Rua, 4 Ma, 4 Thon, 2 Met. Mets change little and come and go, so they do not count.
        let mut phase = 0;
        for us in Color::ALL {
            for (kind, weight) in
                [(Kind::Pawn, 0), (Kind::Knight, 2), (Kind::Bishop, 1), (Kind::Rook, 3), (Kind::Queen, 0)]
            {
                let n = pos.colored(us, kind).count() as i32;
                sum.add(us, terms::MATERIAL + kind.index(), n);
                phase += n * weight;
            }
        }
        let phase = phase.min(PHASE_MAX);
        pieces::pieces(&mut b, &mut sum, Color::White);
        pieces::pieces(&mut b, &mut sum, Color::Black);
        for us in Color::ALL {
            pieces::bia(&b, &mut sum, us);
            king::khun(&b, &mut sum, us);
            pieces::threats(&b, &mut sum, us);
        }
        sum.one(pos.side_to_move(), terms::TEMPO);
        sum.settle_danger();

        let strong = if sum.score.eg() >= 0 { Color::White } else { Color::Black };
        let all_bia = b.bia[0] | b.bia[1];
        let c = terms::COMPLEXITY;
        let eg = sum.complex_eg(&[
            (c, 1),
            (c + 1, all_bia.count() as i32),
            (c + 2, i32::from(b.bia[strong.index()].is_empty())),
            (c + 3, i32::from(all_bia.is_empty())),
        ]);
        let scale = count::scale(pos, strong);
        sum.trace.taper(phase, scale);
        blend(sum.score.mg(), eg, phase, scale)
    }

    fn damp(pos: &Position<Makruk>, value: i32) -> i32 {
        count::damp(pos, value)
    }
}

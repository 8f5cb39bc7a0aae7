//! The numbering is a bijection: every number below the size is some placement's, and reflections share a number.

use std::collections::HashMap;

use rukh_core::{Color, Kind};

use super::super::layout::{Layout, Man, Men, Order};
use super::super::material::Material;
use super::Dice;

/// Men on squares, legal or not.
#[derive(Clone)]
struct Placed(HashMap<Man, u64>);

impl Men for Placed {
    fn men(&self, man: Man) -> u64 {
        self.0.get(&man).copied().unwrap_or(0)
    }
}

impl Placed {
    fn map(&self, square: impl Fn(u32) -> u32) -> Self {
        let set = |set: u64| (0..64).filter(|at| set >> at & 1 != 0).fold(0, |all, at| all | 1_u64 << square(at));
        Self(self.0.iter().map(|(&man, &men)| (man, set(men))).collect())
    }
}

const W: Color = Color::White;
const B: Color = Color::Black;

/// Every placement of three different men: 31,332 numbers, each of them used, the same for all eight reflections.
#[test]
fn three_men() {
    let layout =
        Layout::new(Material::from_name("KRvK").unwrap(), Order { men: &[6, 4, 14], lead: 0, pawns: 15 }, 0).unwrap();
    let mut seen = vec![false; layout.size() as usize];
    for a in 0..64 {
        for b in (0..64).filter(|&b| b != a) {
            for c in (0..64).filter(|&c| c != a && c != b) {
                let men = [((W, Kind::King), 1 << a), ((W, Kind::Rook), 1 << b), ((B, Kind::King), 1 << c)];
                let placed = Placed(HashMap::from(men));
                let number = layout.number(&placed).unwrap();
                seen[number as usize] = true;
                if (a + b + c) % 7 == 0 {
                    for turn in 0..8 {
                        let turned = placed.map(|at| {
                            let at = at ^ (turn & 1) * 7 ^ (turn >> 1 & 1) * 56;
                            if turn & 4 == 0 { at } else { (at >> 3 | at << 3) & 63 }
                        });
                        assert_eq!(layout.number(&turned), Some(number));
                    }
                }
            }
        }
    }
    assert_eq!(seen.len(), 31_332);
    assert!(seen.iter().all(|&seen| seen));
}

/// Larger classes: numbers stay below the size, different placements of the men behind fixed leading men have different
/// numbers, and there are as many as there should be.
#[test]
fn groups() {
    // KQQQvK: the kings lead (462), then C(62, 3) places of three queens.
    let material = Material::from_name("KQQQvK").unwrap();
    let layout = Layout::new(material, Order { men: &[6, 14, 5, 5, 5], lead: 0, pawns: 15 }, 0).unwrap();
    assert_eq!(layout.size(), 462 * 37_820);
    for (white, black) in [(1, 40), (0, 63), (27, 13), (2, 16)] {
        let mut seen = vec![false; layout.size() as usize];
        let mut count = 0;
        for a in 0..64_u64 {
            for b in a + 1..64 {
                for c in b + 1..64 {
                    let queens = 1_u64 << a | 1 << b | 1 << c;
                    if queens & (1 << white | 1 << black) == 0 {
                        let men = [((W, Kind::King), 1 << white), ((B, Kind::King), 1 << black)];
                        let mut placed = Placed(HashMap::from(men));
                        placed.0.insert((W, Kind::Queen), queens);
                        let number = layout.number(&placed).unwrap() as usize;
                        assert!(!std::mem::replace(&mut seen[number], true));
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(count, 37_820);
    }
}

/// Five to seven men with pawns: no two placements that differ otherwise than by left and right share a number.
#[test]
fn pawns() {
    let mut dice = Dice::new(99);
    for (name, men, leading) in [
        ("KPPvK", &[1, 1, 6, 14][..], (W, Kind::Pawn)),
        ("KPPPvK", &[1, 1, 1, 6, 14], (W, Kind::Pawn)),
        ("KPPvKP", &[9, 1, 1, 14, 6], (B, Kind::Pawn)),
        ("KRPPvKPP", &[1, 1, 9, 9, 4, 6, 14], (W, Kind::Pawn)),
    ] {
        let material = Material::from_name(name).unwrap();
        let orders = Order { men, lead: 1, pawns: if material.pawns().1 > 0 { 0 } else { 15 } };
        let layouts = [0, 1, 2, 3].map(|file| Layout::new(material, orders, file).unwrap());
        let mut seen: HashMap<(usize, u64), Vec<(Man, u64)>> = HashMap::new();
        for _ in 0..100_000 {
            let pos = dice.position(name);
            let mut placed = Placed(HashMap::new());
            for color in [W, B] {
                for kind in Kind::ALL {
                    let white = pos.colored(W, Kind::Pawn).count() as usize == material.count(W, Kind::Pawn)
                        && pos.colored(W, Kind::Rook).count() as usize == material.count(W, Kind::Rook);
                    let set = if white { pos.colored(color, kind) } else { pos.colored(!color, kind).flip_ranks() };
                    placed.0.insert((color, kind), set.0);
                }
            }
            let file = super::super::layout::leading_file(placed.men(leading)).unwrap();
            let number = layouts[file].number(&placed).unwrap();
            // Two leading pawns face to face have no left and right: such positions have two numbers.
            let leader = super::super::layout::leading_pawn(placed.men(leading)).unwrap();
            if placed.men(leading) >> (leader ^ 7) & 1 == 0 {
                assert_eq!(layouts[file].number(&placed.map(|at| at ^ 7)), Some(number));
            }
            let canonical = |placed: &Placed| {
                let mut men = placed.0.iter().map(|(&man, &set)| (man, set)).collect::<Vec<_>>();
                men.sort_by_key(|&((color, kind), _)| (color as u8, kind as u8));
                men
            };
            let this = canonical(&placed).min(canonical(&placed.map(|at| at ^ 7)));
            assert_eq!(*seen.entry((file, number)).or_insert_with(|| this.clone()), this, "{name}");
        }
    }
}

/// Orders that no table has are refused.
#[test]
fn orders() {
    let layout = |name, men: &[u8], lead, pawns| {
        Layout::new(Material::from_name(name).unwrap(), Order { men, lead, pawns }, 0).is_ok()
    };
    assert!(layout("KRvKN", &[6, 4, 14, 10], 0, 15));
    assert!(layout("KRvKN", &[6, 4, 14, 10], 1, 15));
    assert!(!layout("KRvKN", &[6, 4, 14, 10], 2, 15)); // its turn never comes
    assert!(!layout("KRvKN", &[6, 4, 14, 2], 0, 15)); // White's knight
    assert!(!layout("KRvKN", &[6, 4, 14, 7], 0, 15));
    assert!(!layout("KRvKN", &[6, 4, 14, 0], 0, 15));
    assert!(!layout("KRvKN", &[6, 4, 14], 0, 15));
    assert!(!layout("KRRvKN", &[6, 4, 4, 14, 10], 0, 15)); // one of a pair among the leading men
    assert!(layout("KRRvKN", &[6, 10, 14, 4, 4], 0, 15));
    assert!(!layout("KRRvKNN", &[6, 14, 4, 10, 4, 10], 0, 15)); // torn apart
    assert!(layout("KPvKP", &[1, 9, 6, 14], 0, 1));
    assert!(!layout("KPvKP", &[1, 9, 6, 14], 0, 0));
    assert!(!layout("KPvKP", &[1, 6, 9, 14], 0, 1));
    for name in ["", "K", "KvK", "KQ", "QvK", "KQvKx", "KPQvK", "KQQQQQQvK", "KQvKvK"] {
        assert!(Material::from_name(name).is_none(), "{name}");
    }
}

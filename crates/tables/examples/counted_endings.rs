//! Prints the list of 100 counted endings that matches are played from (`crates/rukh/tests/data/makruk_counted.epd`):
//! `cargo run --release -p rukh-tables --example counted_endings FOLDER > list`, with the tables of KSSM, KRMM, KRSM and
//! KSMM in the folder. Always the same list.
//!
//! Every ending is won by the attacker, and none with more than one move of the count to spare:
//! 60 bare-Khun endings of 3 and 4 men and 20 of 5 men, won by the tables; 20 of 5 and 6 men with board's honour running, where the
//! other side's last piece has to be won before it ends and the bare Khun then mated within the new count, proved by search down to the
//! tables.

use rukh_core::rng::Rng;
use rukh_core::{Color, Kind, Makruk, Position, Setup, Square};
use rukh_tables::{Distance, Material, Tables, Verdict};

/// Random squares for the men.
fn place(dice: &mut Rng, men: &[(Color, Kind)], side: Color) -> Option<Position<Makruk>> {
    let mut setup = Setup::new(side);
    let mut taken = 0u64;
    for &(color, kind) in men {
        let at = loop {
            let at = dice.below(64);
            if taken >> at & 1 == 0 {
                break at;
            }
        };
        taken |= 1 << at;
        setup.put(color, kind, Square::from_index(at as u8)?);
    }
    let pos = Position::<Makruk>::from_setup(&setup).ok()?;
    // Nothing hangs, nobody is in check: the ending starts quietly.
    let quiet = |pos: &Position<Makruk>| !pos.in_check() && pos.legal_moves().iter().all(|mv| mv.is_quiet());
    (quiet(&pos) && quiet(&pos.after_null())).then_some(pos)
}

const KINDS: [Kind; 4] = [Kind::Queen, Kind::Bishop, Kind::Knight, Kind::Rook];

fn men(material: Material, attacker: Color) -> Vec<(Color, Kind)> {
    let mut men = vec![(attacker, Kind::King), (!attacker, Kind::King)];
    for (kind, n) in KINDS.into_iter().zip(material.counts()) {
        men.extend((0..n).map(|_| (attacker, kind)));
    }
    men
}

/// The position with a count of so many plies of a limit (in plies).
fn counted(pos: &Position<Makruk>, limit: u32, plies: u32) -> Position<Makruk> {
    let fen = pos.fen();
    let mut fields = fen.split(' ');
    let (board, side) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    Position::from_fen(&format!("{board} {side} - {limit} {plies} 1")).expect("a legal count")
}

/// A bare Khun to move, lost in `n` moves with `spare` moves of the count left over.
fn bare(dice: &mut Rng, tables: &Tables, name: &str, attacker: Color, spare: u32) -> Position<Makruk> {
    let material: Material = name.parse().expect("an ending");
    let allowed = u32::from(material.moves_allowed());
    // What the count always allows is hard where the way is long, and is met with the count far on.
    let shortest = match name {
        "KNM" => 20,
        "KNS" => 30,
        _ => allowed - 3,
    };
    loop {
        if let Some(pos) = place(dice, &men(material, attacker), !attacker)
            && let Some(Distance::Mate(n)) = tables.distance(&pos)
            && (shortest..=allowed - spare).contains(&u32::from(n))
        {
            let limit = 2 * u32::from(material.limit());
            let pos = counted(&pos, limit, limit + 1 - 2 * u32::from(n) - 2 * spare - 1);
            assert_eq!(tables.verdict(&pos), Some(Verdict::Mated(2 * u32::from(n))));
            return pos;
        }
    }
}

/// Whether the side to move can win the last piece of the other side within `moves` moves, for an ending that the tables
/// call won within its count.
fn converts(tables: &Tables, pos: &Position<Makruk>, moves: u32) -> bool {
    moves > 0
        && pos.legal_moves().iter().any(|&mv| {
            let next = pos.after(mv);
            if !next.colors(next.side_to_move()).more_than_one() {
                return matches!(tables.verdict(&next), Some(Verdict::Mated(_)));
            }
            if next.is_count_draw() || moves == 1 {
                return false;
            }
            let answers = next.legal_moves();
            !answers.is_empty()
                && answers.iter().all(|&answer| {
                    let after = next.after(answer);
                    !answer.is_capture() && !after.is_count_draw() && converts(tables, &after, moves - 1)
                })
        })
}

/// The attacker to move with board's honour running, `spare` moves more left than winning the last piece takes, which is not
/// won before the third move.
fn honour(dice: &mut Rng, tables: &Tables, strong: &str, weak: Kind, attacker: Color, spare: u32) -> Position<Makruk> {
    const MOVES: u32 = 3;
    let material: Material = strong.parse().expect("an ending");
    let mut all = men(material, attacker);
    all.push((!attacker, weak));
    loop {
        let Some(pos) = place(dice, &all, attacker) else { continue };
        let pos = counted(&pos, 128, 128 - 2 * (MOVES - 1) - 2 * spare);
        if !converts(tables, &pos, MOVES - 1) && converts(tables, &pos, MOVES) {
            return pos;
        }
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder with the tables");
    let (tables, errors) = Tables::open(std::path::Path::new(&folder));
    assert!(errors.is_empty(), "{errors:?}");
    let mut dice = Rng::plain(2026);
    let mut turn = 0;
    // White and Black attack in turn, and in turn there is no move to spare and one.
    let mut next = || {
        turn += 1;
        (if turn % 2 == 1 { Color::White } else { Color::Black }, turn / 2 % 2)
    };
    let bare_khun = [
        ("KR", 8),
        ("KRM", 8),
        ("KRS", 8),
        ("KRN", 8),
        ("KSS", 8),
        ("KSM", 8),
        ("KNM", 6),
        ("KNS", 6),
        ("KRMM", 5),
        ("KRSM", 5),
        ("KSSM", 5),
        ("KSMM", 5),
    ];
    for (name, number) in bare_khun {
        for _ in 0..number {
            let (attacker, spare) = next();
            println!("{}", bare(&mut dice, &tables, name, attacker, spare).fen());
        }
    }
    let honours = [
        ("KRM", Kind::Queen),
        ("KRS", Kind::Queen),
        ("KRMM", Kind::Queen),
        ("KRSM", Kind::Bishop),
        ("KRSM", Kind::Queen),
    ];
    for (strong, weak) in honours {
        for _ in 0..4 {
            let (attacker, spare) = next();
            println!("{}", honour(&mut dice, &tables, strong, weak, attacker, spare).fen());
        }
    }
}

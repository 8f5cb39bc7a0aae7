//! Prints the list of 100 counted endings that matches are played from (`crates/rukh/tests/data/makruk_counted.epd`):
//! `cargo run --release -p rukh-tables --example counted_endings > list`. Always the same list.
//!
//! 60 bare-Khun endings of 3 and 4 men, count just started, half of them won with the last moves that the count allows, half
//! one or two moves too long; 10 of 5 men; 20 of 6 to 8 men with board's honour running and 12 or 20 moves left to bare the
//! other Khun; 10 of 6 to 8 men with a Bia, before any count.

use rukh_core::{Color, Kind, Makruk, Position, Setup, Square};
use rukh_tables::{Distance, Material, Tables};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

/// Random squares for the men; Bia stand where Bia can.
fn place(dice: &mut Dice, men: &[(Color, Kind)], side: Color) -> Option<Position<Makruk>> {
    let mut setup = Setup::new(side);
    let mut taken = 0u64;
    for &(color, kind) in men {
        let at = loop {
            let at = dice.roll(64);
            let relative = if color == Color::White { at / 8 } else { 7 - at / 8 };
            if taken >> at & 1 == 0 && (kind != Kind::Pawn || (2..5).contains(&relative)) {
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

/// The FEN with the bare Khun to move and the count just started.
fn counted(pos: &Position<Makruk>, material: Material) -> String {
    let fen = pos.fen();
    let mut fields = fen.split(' ');
    let (board, side) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    format!("{board} {side} - {} {} 1", 2 * material.limit(), 2 * material.men())
}

fn main() {
    let tables = Tables::four_men();
    let mut dice = Dice(2026);
    let endings =
        [("KR", 8), ("KRM", 8), ("KRS", 8), ("KRN", 8), ("KRR", 8), ("KSS", 8), ("KSM", 6), ("KNM", 3), ("KNS", 3)];
    let mut flip = false;
    let mut attacker = || {
        flip = !flip;
        if flip { Color::White } else { Color::Black }
    };
    for (name, number) in endings {
        let material: Material = name.parse().expect("an ending");
        let allowed = material.moves_allowed();
        for i in 0..number {
            let color = attacker();
            // KNM and KNS are never too long: there the longest mates are the hard ones.
            let range = match name {
                "KNM" => 20..=36,
                "KNS" => 28..=38,
                _ if i % 2 == 0 => allowed - 1..=allowed,
                _ => allowed + 1..=allowed + 2,
            };
            let pos = loop {
                if let Some(pos) = place(&mut dice, &men(material, color), !color)
                    && let Some(Distance::Mate(n)) = tables.distance(&pos)
                    && range.contains(&u16::from(n))
                {
                    break pos;
                }
            };
            println!("{}", counted(&pos, material));
        }
    }
    for name in ["KSSM", "KRMM", "KNNM", "KSMM", "KNSM"] {
        let material: Material = name.parse().expect("an ending");
        for _ in 0..2 {
            let color = attacker();
            let pos = loop {
                if let Some(pos) = place(&mut dice, &men(material, color), !color) {
                    break pos;
                }
            };
            println!("{}", counted(&pos, material));
        }
    }
    // Attacker's pieces, defender's pieces.
    let larger = [
        ("RSM", "M"),
        ("RNM", "N"),
        ("SSM", "M"),
        ("SNM", "M"),
        ("RMM", "M"),
        ("RSN", "S"),
        ("SSNM", "S"),
        ("RRM", "N"),
        ("SSMM", "MM"),
        ("RSM", "SM"),
        ("RSP", "M"),
        ("SNMP", "P"),
        ("SSMP", "M"),
        ("RNMP", "MP"),
        ("SSMPP", "M"),
    ];
    let kind = |letter: char| match letter {
        'R' => Kind::Rook,
        'N' => Kind::Knight,
        'S' => Kind::Bishop,
        'M' => Kind::Queen,
        _ => Kind::Pawn,
    };
    for (strong, weak) in larger {
        for plies in [104, 88] {
            let color = attacker();
            let mut men = vec![(color, Kind::King), (!color, Kind::King)];
            men.extend(strong.chars().map(|letter| (color, kind(letter))));
            men.extend(weak.chars().map(|letter| (!color, kind(letter))));
            let side = if dice.roll(2) == 0 { Color::White } else { Color::Black };
            let pos = loop {
                if let Some(pos) = place(&mut dice, &men, side) {
                    break pos;
                }
            };
            let fen = pos.fen();
            println!(
                "{}",
                if strong.contains('P') { fen } else { fen.replace(" - - 0 ", &format!(" - 128 {plies} ")) }
            );
        }
    }
}

//! Static exchange evaluation against a suite, and against a plain swap list.

use crate::common::{shared, suite::STANDARD};
use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Kind, Makruk, Move, Position, Rules};

/// What an exchange written like `N - (N + Q - P) + Q` is worth by the core's values.
fn worth(text: &str) -> i32 {
    let (mut sum, mut outer, mut sign) = (0, 1, 1);
    for c in text.chars() {
        let kind = match c {
            '(' => {
                (outer, sign) = (sign, 1);
                continue;
            }
            ')' => {
                outer = 1;
                continue;
            }
            '+' | '-' => {
                sign = if c == '-' { -1 } else { 1 };
                continue;
            }
            'P' => Kind::Pawn,
            'N' => Kind::Knight,
            'B' => Kind::Bishop,
            'R' => Kind::Rook,
            'Q' => Kind::Queen,
            _ => continue,
        };
        sum += outer * sign * Chess::VALUES[kind.index()];
    }
    sum
}

/// Rows of the suite whose letters do not give the result: by position, the exchange as the core defines it.
const READ_AS: [(&str, &str); 5] = [
    // The suite holds knight and bishop equal.
    ("5rk1/1pp2q1p/p1pb4/8/3P1NP1/2P5/1P1BQ1P1/5RK1 b - -", "N - B"),
    ("4r1k1/5pp1/nbp4p/1p2p2q/1P2P1b1/1BP2N1P/1B2QPPK/3R4 b - -", "N - B"),
    // Only the beginning is written.
    ("4kbnr/p1P1pppp/b7/4q3/7n/8/PPQPPPPP/RNB1KBNR w KQk -", "(Q - P) - Q + B"),
    // The pawn on f6 is pinned and does not take back; the suite lets it.
    ("6r1/4kq2/b2p1p2/p1pPb3/p1P2B1Q/2P4P/2B1R1P1/6K1 w - -", "B - B + P"),
    // The pawn that takes back on c8 promotes; the core counts only the first move's promotion.
    ("2r5/1P4pk/p2p1b1p/5b1n/BB3p2/2R2p2/P1P2P2/4RK2 w - -", "R - R + B"),
];

/// The suite gives centipawns for P 100, N and B 300, R 500, Q 900, and mostly the exchange in letters, which count here.
#[test]
fn suite() {
    for line in shared("suites/see.epd").unwrap_or_default().lines() {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let position = Position::<Chess>::from_fen(fields[0]).unwrap_or_else(|e| panic!("{line}: {e}"));
        let m = position.parse_uci(fields[1]).unwrap_or_else(|e| panic!("{line}: {e}"));
        let letters = READ_AS.iter().find(|(fen, _)| *fen == fields[0]).map(|(_, letters)| *letters);
        let expected = match letters.or(fields.get(3).copied()) {
            Some(letters) => worth(letters),
            None => fields[2].parse().expect("centipawns"),
        };
        assert_eq!(position.see(m), expected, "{line}");
    }
}

/// The exchange played out in a list of gains and folded from its end: another way than the threshold test's.
fn swap<R: Rules>(position: &Position<R>, m: Move) -> i32 {
    let value = |kind: Kind| R::VALUES[kind.index()];
    let mut kinds = Kind::ALL;
    kinds.sort_by_key(|&kind| value(kind));
    let promotion = m.promotion().map_or(0, |kind| value(kind) - value(Kind::Pawn));
    let mut gains = vec![m.captured().map_or(0, |piece| value(piece.kind())) + promotion];
    let mut at_risk = value(m.promotion().unwrap_or(m.piece().kind()));
    let mut occupied = position.occupied() - m.from().bb() | m.to().bb();
    if m.is_en_passant() {
        occupied = occupied - m.to().bb().forward(!m.piece().color());
    }
    let mut side = !m.piece().color();
    loop {
        let attackers = position.attackers_to(m.to(), occupied) & (occupied - m.to().bb());
        let own = attackers & position.colors(side);
        let Some(kind) = kinds.into_iter().find(|&kind| (own & position.pieces(kind)).any()) else { break };
        if kind == Kind::King && (attackers & position.colors(!side)).any() {
            break;
        }
        gains.push(at_risk - gains[gains.len() - 1]);
        at_risk = value(kind);
        occupied = occupied - (own & position.pieces(kind)).lsb().bb();
        side = !side;
    }
    while gains.len() > 1 {
        let last = gains.pop().expect("two at least");
        let before = gains.len() - 1;
        gains[before] = -i32::max(-gains[before], last);
    }
    gains[0]
}

/// Every capture of random games, as long as nobody is pinned, has the value of its swap list.
fn walk<R: Rules>(seed: u64, start: impl Fn(&mut Rng) -> Position<R>, captures: usize) {
    let mut random = Rng::plain(seed);
    let mut seen = 0;
    while seen < captures {
        let mut position = start(&mut random);
        for _ in 0..120 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let pins = Color::ALL.iter().any(|&color| position.pinned(color).any());
            for &m in legal.iter().filter(|m| !m.is_castle()) {
                let see = position.see(m);
                assert!(position.see_ge(m, see) && !position.see_ge(m, see + 1), "{} {m:?}", position.fen());
                if !pins {
                    assert_eq!(see, swap(&position, m), "{} {m:?}", position.fen());
                    seen += usize::from(m.is_capture());
                }
            }
            position.make(*random.pick(&legal));
        }
    }
}

#[test]
fn chess_against_a_swap_list() {
    walk(31, |random| Position::<Chess>::from_fen(random.pick(&STANDARD).0).expect("a legal position"), 20_000);
}

#[test]
fn makruk_against_a_swap_list() {
    walk(32, |_| Position::<Makruk>::startpos(), 20_000);
}

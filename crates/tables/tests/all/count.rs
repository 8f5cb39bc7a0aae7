//! Distance and count together.

use rukh_core::{Kind, Makruk, Move, Position};
use rukh_tables::{Distance, Tables, Verdict};

fn position(fen: &str) -> Position<Makruk> {
    Position::from_fen(fen).unwrap()
}

#[test]
fn a_count_that_has_not_begun() {
    let tables = Tables::with_men(4, 2);
    // Attacker to move, no count: his first move is free, so mate in fourteen is within thirteen moves of the count.
    let pos = position("8/8/8/2R5/8/8/8/K1k5 b - - 0 1");
    assert_eq!(tables.distance(&pos), Some(Distance::Mate(14)));
    // Bare Khun to move: his move and the attacker's answer are not counted.
    assert_eq!(tables.verdict(&pos), Some(Verdict::Mated(28)));
    // Mate at once beats a count that has run out.
    assert_eq!(tables.verdict(&position("7k/8/6K1/8/8/8/8/R7 w - 32 33 90")), Some(Verdict::Draw));
    assert_eq!(tables.verdict(&position("7k/8/6K1/8/8/8/8/R7 w - 32 32 90")), Some(Verdict::Mate(1)));
    assert_eq!(tables.verdict(&position("R6k/8/6K1/8/8/8/8/8 b - 32 33 90")), Some(Verdict::Mated(0)));
    assert_eq!(tables.verdict(&position("8/8/8/4k3/8/P7/8/K7 w - - 0 1")), None);
    assert_eq!(tables.verdict(&position("8/8/8/4k3/8/8/8/K7 w - - 0 1")), None);
}

/// The result by plain search over the rules, to a given depth.
fn search(tables: &Tables, pos: &Position<Makruk>, depth: u32) -> Verdict {
    let moves = pos.legal_moves();
    if moves.is_empty() {
        return if pos.in_check() { Verdict::Mated(0) } else { Verdict::Draw };
    }
    if pos.is_count_draw() || pos.occupied() == pos.pieces(Kind::King) {
        return Verdict::Draw;
    }
    if depth == 0 {
        return tables.verdict(pos).unwrap();
    }
    let value = |mv: &Move| match search(tables, &pos.after(*mv), depth - 1) {
        Verdict::Mated(n) => Verdict::Mate(n + 1),
        Verdict::Mate(n) => Verdict::Mated(n + 1),
        Verdict::Draw => Verdict::Draw,
    };
    let order = |v: &Verdict| match v {
        Verdict::Mate(n) => 1000 - i64::from(*n),
        Verdict::Draw => 0,
        Verdict::Mated(n) => i64::from(*n) - 1000,
    };
    moves.iter().map(value).max_by_key(order).unwrap()
}

#[test]
fn verdicts_agree_with_a_search_over_the_rules() {
    let tables = Tables::four_men();
    let mut rng = rukh_core::rng::Rng::plain(5);
    let mut random = move |n: usize| rng.below(n) as u64;
    let mut decided = 0;
    for _ in 0..4000 {
        let letters: Vec<char> = (0..1 + random(2)).map(|_| ['R', 'N', 'S', 'M'][random(4) as usize]).collect();
        let flip = random(2) == 1;
        let mut board = ['1'; 64];
        for letter in letters.iter().copied().chain(['K', 'k']) {
            let at = loop {
                let at = random(64) as usize;
                if board[at] == '1' {
                    break at;
                }
            };
            let lower = letter == 'k';
            board[at] = if lower != flip { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
        }
        let ranks: Vec<String> = board.chunks(8).map(|rank| rank.iter().collect()).collect();
        let count = match random(4) {
            0 => "- 0".to_string(),
            1 => format!("32 {}", 2 * random(17)),
            2 => format!("88 {}", 2 * random(45)),
            _ => format!("44 {}", 2 * random(23)),
        };
        let side = if random(2) == 0 { 'w' } else { 'b' };
        let Ok(pos) = Position::<Makruk>::from_fen(&format!("{} {side} - {count} 1", ranks.join("/"))) else {
            continue;
        };
        let verdict = tables.verdict(&pos).unwrap();
        assert_eq!(verdict, search(tables, &pos, 2), "{}", pos.fen());
        decided += u32::from(verdict != Verdict::Draw);
    }
    assert!(decided > 300, "{decided}");
}

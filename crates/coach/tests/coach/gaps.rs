//! Gaps of a repertoire against what masters play.

use rukh_coach::gaps::{Gap, GapKind, Habit, gaps};
use rukh_coach::tree::{Node, tree};
use rukh_coach::{Journal, Reviewed, Spot, games};
use rukh_core::Color;

fn nodes(lines: &[&str]) -> Vec<Node> {
    let reviewed: Vec<Reviewed> = lines
        .iter()
        .map(|line| {
            let game = games::parse(&format!("[White \"Anna\"]\n[Black \"x\"]\n\n{line} 1-0\n"), "Anna").unwrap();
            Reviewed { game, opening: None, moves: Vec::new() }
        })
        .collect();
    tree(&reviewed, Color::White, &Journal::in_memory())
}

/// What masters play, by the moves that lead there; everything else is unknown to them.
fn found(nodes: &[Node], masters: &[(&str, &[(&str, u64)])]) -> Vec<Gap> {
    let known: Vec<(String, Vec<Habit>)> = masters
        .iter()
        .map(|(line, habits)| {
            let mut pos = rukh_core::AnyPosition::new(rukh_core::Variant::Chess);
            for san in line.split_whitespace() {
                pos.play(pos.parse_move(san).unwrap());
            }
            let habit = |&(san, games): &(&str, u64)| Habit { mv: pos.parse_move(san).unwrap(), games };
            (Spot::new(&pos).name(), habits.iter().map(habit).collect())
        })
        .collect();
    let mut look = |spot: &Spot| {
        Ok(Some(
            known.iter().find(|(name, _)| *name == spot.name()).map_or_else(Vec::new, |(_, habits)| habits.clone()),
        ))
    };
    gaps(nodes, Color::White, &mut look).unwrap()
}

/// Anna plays the Wayward Queen twice and has never met the Sicilian; her 2. Nf3 is everybody's.
#[test]
fn unusual_and_unmet_moves() {
    let nodes = nodes(&["1. e4 e5 2. Qh5 Nc6", "1. e4 e5 2. Qh5 Nf6", "1. e4 e5 2. Nf3 Nc6", "1. e4 e5 2. Nf3 d6"]);
    let masters: &[(&str, &[(&str, u64)])] = &[
        ("", &[("e4", 500), ("d4", 400)]),
        ("e4", &[("c5", 300), ("e5", 150), ("c6", 40)]),
        ("e4 c5", &[("Nf3", 250), ("Nc3", 50)]),
        ("e4 e5", &[("Nf3", 140), ("Bc4", 10)]),
    ];
    let all = found(&nodes, masters);
    let said: Vec<String> = all.iter().map(Gap::sentence).collect();
    assert_eq!(
        said,
        [
            "Masters play 1... c5 in 61 % of their games, and you have not met it in 4. They answer 2. Nf3 (83 %), 2. Nc3 (17 %).",
            "You played 2. Qh5 in 2 games. Masters play 2. Nf3 (93 %), and your move in 0 of 150 games.",
        ]
    );
    assert_eq!((all[0].kind, all[1].kind), (GapKind::Unmet, GapKind::Unusual));
    assert_eq!(all[0].ask.position.side_to_move(), Color::White, "the player has to know an answer");
    // Few games are no habit, and without a database there is no gap.
    assert!(found(&nodes, &[("e4 e5", &[("Nf3", 14), ("Bc4", 1)])]).is_empty());
    assert!(found(&nodes, &[]).is_empty());
}

/// A position met by another order of moves has been met.
#[test]
fn transpositions_are_known() {
    let nodes = nodes(&["1. d4 Nf6 2. c4 d5 3. Nc3", "1. d4 d5 2. c4 e6", "1. d4 d5 2. c4 Nf6 3. cxd5"]);
    let masters: &[(&str, &[(&str, u64)])] =
        &[("d4 Nf6 c4", &[("e6", 20), ("d5", 80)]), ("d4 Nf6 c4 e6", &[("Nc3", 50), ("Nf3", 50)])];
    assert!(found(&nodes, masters).is_empty(), "once in the Indian, which is no repertoire yet");
}

//! The tables' answers beside those of python-chess, and beside those that follow from the moves.

use std::fs;

use rukh_core::{Chess, Position};

use super::super::{Miss, Tables, Wdl};
use super::{Dice, folder, position};

/// Random positions of every 3- and 4-man ending, both colours, both sides to move, some with en passant: FEN, result
/// (−2 to 2) and distance as python-chess 1.11.2 gives them.
const ANSWERS: &str = include_str!("answers.txt");

#[test]
fn answers_of_another_program() {
    let Some(folder) = folder() else { return };
    let tables = Tables::open([folder]).unwrap();
    let mut count = 0;
    for line in ANSWERS.lines() {
        let [fen, wdl, dtz] = line.split(';').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let pos = position(fen);
        let said = (tables.wdl(&pos).unwrap() as i32 - 2, tables.dtz(&pos).unwrap());
        assert_eq!(said, (wdl.parse().unwrap(), dtz.parse().unwrap()), "{fen}");
        count += 1;
    }
    assert!(count > 2_000);
}

/// A result is the best that a move reaches; a distance is one more than the best reply's. Tables that count in moves
/// may be a ply off.
#[test]
fn answers_follow_from_the_moves() {
    let Some(folder) = folder() else { return };
    let tables = Tables::open([&folder]).unwrap();
    let mut names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rtbw"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect::<Vec<_>>();
    names.sort();
    let mut dice = Dice::new(0x2545_F491_4F6C_DD1D);
    for name in names {
        for _ in 0..300 {
            check(&tables, &dice.position(&name));
        }
    }
}

fn check(tables: &Tables, pos: &Position<Chess>) {
    let fen = pos.fen();
    let (wdl, dtz) = (tables.wdl(pos).expect(&fen), tables.dtz(pos).expect(&fen));
    let moves = pos.legal_moves();
    let best = moves.iter().map(|&mv| -tables.wdl(&pos.after(mv)).expect(&fen)).max();
    let expected = best.unwrap_or(if pos.in_check() { Wdl::Loss } else { Wdl::Draw });
    assert_eq!(wdl, expected, "{fen}");
    assert_eq!(dtz.signum(), (wdl as i32 - 2).signum(), "{fen}");
    assert_eq!(dtz.abs() > 100, matches!(wdl, Wdl::CursedWin | Wdl::BlessedLoss), "{fen} {dtz}");
    let root = tables.root(pos, &moves).expect(&fen);
    let best = root.iter().filter(|known| known.dtz.signum() == dtz.signum()).map(|known| known.dtz);
    let best = best.min().unwrap_or(if wdl == Wdl::Draw { 0 } else { -1 });
    assert!((best - dtz).abs() <= 1, "{fen}: {dtz}, by the moves {best}");
    for known in &root {
        // The clock stands at nought: nothing is spoiled that is not spoiled anyway.
        let reply = -tables.wdl(&pos.after(known.mv)).unwrap();
        let near_the_edge = (100..=102).contains(&known.dtz.abs());
        assert!(known.wdl == reply || near_the_edge, "{fen} {}", pos.san(known.mv));
    }
}

#[test]
fn what_the_tables_cannot_know() {
    let Some(folder) = folder() else { return };
    let tables = Tables::open([folder]).unwrap();
    for fen in ["8/8/8/8/8/4k3/8/R3K3 w Q - 0 1", "8/8/8/3k4/8/3K4/3PP3/4NB2 w - - 0 1", "startpos"] {
        let pos = if fen == "startpos" { Position::startpos() } else { position(fen) };
        assert_eq!((tables.wdl(&pos), tables.dtz(&pos)), (Err(Miss::Unknown), Err(Miss::Unknown)), "{fen}");
    }
    assert_eq!(tables.wdl(&position("8/8/8/3k4/8/3K4/8/8 w - - 0 1")), Ok(Wdl::Draw));
    assert_eq!(tables.men(), 4);
}

/// The tables know no en passant. (With four men it is never the only move.)
#[test]
fn en_passant() {
    let Some(folder) = folder() else { return };
    let tables = Tables::open([folder]).unwrap();
    let mut seen = 0;
    for line in ANSWERS.lines() {
        let pos = position(line.split(';').next().unwrap());
        let moves = pos.legal_moves();
        if moves.iter().any(|mv| mv.is_en_passant()) {
            seen += 1;
            check(&tables, &pos);
        }
    }
    assert!(seen > 40, "{seen}");
}

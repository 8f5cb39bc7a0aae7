//! The themes of a file of puzzles, named anew for `check/themes.py` to judge.

use std::fmt::Write as _;

use rukh_coach::{reasons::Line, tactics};
use rukh_core::{AnyGame, AnyPosition, Variant, dispatch};
use rukh_engine::{Engine, Limits, Options};

/// What is behind the solution shows what it wins.
const NODES: u64 = 20_000;

/// One line a puzzle, its fields parted by tabs: position, line in UCI notation, themes, sentences.
///
/// ```sh
/// rukh puzzles games.pgn --out puzzles.csv
/// PUZZLES=puzzles.csv THEMES=themes.tsv cargo test -p rukh-coach --test coach name_themes -- --ignored
/// python3 crates/coach/check/themes.py themes.tsv
/// ```
#[test]
#[ignore = "long: a measurement (docs/lab/coach.md)"]
fn name_themes_of_puzzles() {
    let (Ok(puzzles), Ok(themes)) = (std::env::var("PUZZLES"), std::env::var("THEMES")) else {
        eprintln!("skipped: PUZZLES and THEMES name no files");
        return;
    };
    let puzzles = std::fs::read_to_string(puzzles).unwrap();
    let engine = Engine::new(Options::default()).unwrap();
    engine.set_option("Hash", "4").unwrap();
    let mut text = String::new();
    for row in puzzles.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let variant: Variant = fields[1].parse().unwrap();
        let start = AnyPosition::from_fen(variant, fields[2]).unwrap();
        let (mut at, mut line) = (start.clone(), Vec::new());
        for word in fields[3].split(' ') {
            let mv = at.parse_uci(word).unwrap();
            at.play(mv);
            line.push(mv);
        }
        if AnyGame::from(&at).finished().is_none() {
            engine.set_option("UCI_Variant", variant.name()).unwrap();
            engine.new_game();
            engine.set_game(AnyGame::from(&at)).unwrap();
            let mut rest = Vec::new();
            engine.go(Limits::nodes(NODES), |info| rest = info.pv.moves().to_vec()).sound().unwrap();
            line.extend(rest);
        }
        let (mut at, mut words) = (start.clone(), Vec::new());
        for &mv in &line {
            words.push(at.uci(mv));
            at.play(mv);
        }
        let found = dispatch!(&start, pos => tactics(&Line::new(pos, &line), pos.side_to_move()));
        let names: Vec<&str> = found.iter().map(|tactic| tactic.theme.name()).collect();
        let said: Vec<String> = found.iter().map(|tactic| tactic.sentence()).collect();
        let (fen, words) = (start.fen(), words.join(" "));
        writeln!(text, "{fen}\t{words}\t{}\t{}", names.join(" "), said.join(" ")).unwrap();
    }
    std::fs::write(themes, text).unwrap();
}

//! The option `Learn`: what one engine has found, the next one knows; whenever it was killed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::Dialogue;

use rukh_testing::NewFile;

struct Table(NewFile);

impl Table {
    fn new(name: &str) -> Table {
        Table(NewFile::new(name))
    }

    fn start(&self) -> Dialogue {
        let mut engine = Dialogue::start(&[]);
        engine.send(&format!("setoption name LearnFile value {}\nsetoption name Learn value true", self.0.display()));
        let said = engine.find("info string");
        assert!(said.contains("learning in"), "{said}");
        engine
    }
}

fn stats(path: &Path) -> serde_free::Numbers {
    let out = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .args(["learn", "stats", "--json", "--file"])
        .arg(path)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_free::Numbers(String::from_utf8(out.stdout).unwrap())
}

/// Numbers out of a flat JSON object.
mod serde_free {
    pub struct Numbers(pub String);

    impl Numbers {
        pub fn get(&self, name: &str) -> f64 {
            let rest = self.0.split(&format!("\"{name}\":")).nth(1).expect("the field is there");
            rest.split([',', '}']).next().unwrap().trim().parse().unwrap()
        }
    }
}

/// Nodes until an iteration of at least `depth` is reported, with the answer awaited. (Time would depend on who else works.)
fn nodes_to(engine: &mut Dialogue, depth: u64) -> u64 {
    engine.send(&format!("go depth {depth}"));
    let mut reached = None;
    loop {
        let (_, line) = engine.line();
        let number = |name: &str| line.split(name).nth(1)?.split(' ').next()?.parse::<u64>().ok();
        if line.starts_with("info depth") && number("depth ").is_some_and(|d| d >= depth) && reached.is_none() {
            reached = number(" nodes ");
        }
        if line.starts_with("bestmove") {
            return reached.expect("the depth is reached");
        }
    }
}

#[test]
fn the_next_engine_goes_on_where_the_last_one_stopped() {
    let table = Table::new("twice");
    let fen = "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10";
    let mut first = table.start();
    first.send(fen);
    let before = nodes_to(&mut first, 18);
    first.send("quit");
    assert!(first.end().1);
    let mut second = table.start();
    second.send(fen);
    let after = nodes_to(&mut second, 18);
    println!("{before} nodes, then {after}");
    assert!(after * 10 <= before, "{after} nodes after {before}");
    second.send("quit");
    second.end();
    let stats = stats(&table.0);
    assert!(stats.get("positions") > 50.0 && stats.get("deepest") >= 18.0, "{}", stats.0);
}

#[test]
fn makruk_has_a_table_of_its_own_and_bad_files_turn_learning_off() {
    let table = Table::new("makruk");
    let mut engine = table.start();
    engine.send("setoption name UCI_Variant value makruk");
    assert!(engine.find("info string").ends_with(".makruk"));
    engine.send("position startpos\ngo nodes 20000");
    engine.find("bestmove");
    // A file is no folder.
    engine.send(&format!("setoption name LearnFile value {}/inside\nisready", table.0.display()));
    assert!(engine.find("info string").contains("Learn is off"));
    engine.send("position startpos\ngo nodes 1000");
    engine.find("bestmove");
    engine.send("quit");
    assert!(engine.end().1);
}

#[test]
fn a_damaged_table_is_set_aside_and_the_engine_plays_on() {
    let table = Table::new("damaged");
    let play = |engine: &mut Dialogue| {
        engine.send("position startpos\ngo nodes 20000");
        engine.find("bestmove");
        engine.send("quit");
    };
    let mut engine = table.start();
    play(&mut engine);
    assert!(engine.end().1);
    let mut bytes = std::fs::read(&table.0).unwrap();
    let half = bytes.len() / 2;
    bytes[half..half + 64].fill(0x55);
    bytes[100] ^= 1;
    std::fs::write(&table.0, &bytes).unwrap();
    let shown =
        Command::new(env!("CARGO_BIN_EXE_rukh")).args(["learn", "stats", "--file"]).arg(&table.0).output().unwrap();
    let said = String::from_utf8_lossy(&shown.stderr);
    assert!(!shown.status.success() && said.contains("the table is damaged"), "{said}");
    let mut engine = Dialogue::start(&[]);
    engine.send(&format!("setoption name LearnFile value {}\nsetoption name Learn value true", table.0.display()));
    let said = engine.find("info string");
    let aside = PathBuf::from(format!("{}.damaged-1", table.0.display()));
    assert!(said.contains(&format!("and is now {}; learning in", aside.display())), "{said}");
    play(&mut engine);
    assert!(engine.end().1);
    assert_eq!(std::fs::read(&aside).unwrap(), bytes, "nothing is thrown away");
    std::fs::remove_file(&aside).unwrap();
    assert!(stats(&table.0).get("positions") > 5.0);
}

fn kills(rounds: u64) {
    let table = Table::new(&format!("kill{rounds}"));
    let mut rng = rukh_core::rng::Rng::plain(99);
    let mut last = 0.0;
    for round in 0.. {
        // On a busy machine the first engines may be killed before they have written anything.
        if round >= rounds && last > 0.0 {
            break;
        }
        assert!(round < rounds + 50, "nothing is learned");
        let mut engine = table.start();
        let until = Instant::now() + Duration::from_millis(20 + rng.below(120) as u64);
        let mut moves = String::new();
        while Instant::now() < until {
            engine.send(&format!("position startpos moves{moves}\ngo nodes 4000"));
            let best = engine.find("bestmove");
            moves += &format!(" {}", best.split(' ').nth(1).unwrap());
            if best.contains("(none)") {
                break;
            }
        }
        // In the middle of the next search, or of writing the last.
        engine.send("go nodes 4000");
        drop(engine);
        let stats = stats(&table.0);
        assert!(stats.get("positions") >= last, "round {round}: {} after {last}", stats.0);
        last = stats.get("positions");
    }
}

#[test]
fn a_few_kills_while_learning() {
    kills(4);
}

#[test]
#[ignore = "long: fifty kills"]
fn fifty_kills_while_learning() {
    kills(50);
}

fn rukh(words: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_rukh")).args(words).output().unwrap()
}

fn said(words: &[&str]) -> String {
    let out = rukh(words);
    assert!(out.status.success(), "{words:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Nodes of an analysis, out of its second line.
fn analysed(words: &[&str]) -> u64 {
    let text = said(words);
    let line = text.lines().nth(1).unwrap();
    line.split(", ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn what_a_search_knows_is_saved_loaded_and_learned() {
    let (rows, table, again) = (Table::new("rows"), Table::new("hash"), Table::new("again"));
    let [rows, file, again] = [&rows.0, &table.0, &again.0].map(|path| path.to_str().unwrap().to_owned());
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1 w - - 0 10";
    let words = ["analyse", fen, "--depth", "15", "--multipv", "1"];
    let before = analysed(&[&words[..], &["--save-hash", &rows]].concat());
    let text = std::fs::read_to_string(&rows).unwrap();
    assert!(text.lines().count() > 500, "{} rows", text.lines().count());
    // The root comes first: a code, and five fields.
    let code = said(&["code", "encode", "--long", fen]);
    let root: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
    assert_eq!((root[0], root.len()), (code.trim(), 6));
    assert!(root[1].parse::<u32>().unwrap() >= 13 && root[3] == "exact", "{root:?}");
    let after = analysed(&[&words[..], &["--load-hash", &rows]].concat());
    println!("{before} nodes, then {after}");
    assert!(after * 4 <= before, "{after} nodes after {before}");
    // The same rows are learned, and come out as they went in.
    let learned = said(&["learn", "import", "--file", &file, &rows]);
    assert!(learned.contains("0 lines rejected"), "{learned}");
    assert!(said(&["learn", "show", "--file", &file, fen]).contains("(exact)"));
    said(&["learn", "export", "--file", &file, "--codes", "--out", &again]);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&std::fs::read_to_string(&again).unwrap()), sorted(&text));
    let wrong = rukh(&["analyse", "--positions", &rows, "--load-hash", &rows]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("are for one position"), "{wrong:?}");
}

#[test]
fn games_feed_a_table() {
    let table = Table::new("games");
    let file = table.0.to_str().unwrap();
    let positions = || stats(&table.0).get("positions");
    let own = Table::new("games-out");
    let small = ["--soft", "60", "--hard", "100", "--games", "2", "--eval-file", "<classical>"];
    let out = own.0.to_str().unwrap();
    said(&[&["datagen", "chess", "--learn-file", file, "--out", out], &small[..]].concat());
    let after_datagen = positions();
    assert!(after_datagen > 30.0, "{after_datagen}");
    let engine = format!("cmd='{}'", env!("CARGO_BIN_EXE_rukh"));
    let words = ["match", "--engine", &engine, "--engine", &engine, "--nodes", "100", "--games", "2", "--max-moves"];
    said(&[&words[..], &["12", "--quiet", "--seed", "5", "--learn-file", file]].concat());
    let after_match = positions();
    assert!(after_match > after_datagen + 5.0, "{after_datagen}, {after_match}");
    let mut play = Command::new(env!("CARGO_BIN_EXE_rukh"))
        .args(["play", "--movetime", "300", "--color", "black", "--plain", "--learn-file", file])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut play.stdin.take().unwrap(), b"quit\n").unwrap();
    assert!(play.wait().unwrap().success());
    assert!(positions() > after_match, "{after_match}");
}

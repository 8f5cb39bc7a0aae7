//! `--variant`, `--threads` and `--json` mean the same in every command, and what they mean is true.

use std::process::Output;

use rukh_api::Json;
use rukh_testing::Folder;

use crate::common::rukh;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every command and every action of a command, with its help text.
fn helps() -> Vec<(String, String)> {
    let listed = |help: &str| -> Vec<String> {
        let lines = help.lines().skip_while(|line| !matches!(*line, "Commands:" | "Actions:")).skip(1);
        let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
        names.filter(|name| !matches!(*name, "help" | "version")).map(str::to_owned).collect()
    };
    let mut all = Vec::new();
    for command in listed(&text(&rukh(&["help"]))) {
        let help = text(&rukh(&[&command, "--help"]));
        for action in listed(&help) {
            all.push((format!("{command} {action}"), text(&rukh(&[&command, &action, "--help"]))));
        }
        all.push((command, help));
    }
    assert!(all.len() > 60, "{} help texts", all.len());
    all
}

/// CONTRIBUTING.md says why these differ.
#[test]
fn options_are_the_same_everywhere() {
    let mut found = Vec::new();
    for (name, help) in helps() {
        for line in help.lines().map(str::trim_start) {
            let usual = match line.split_whitespace().next() {
                Some("--variant") => line.starts_with("--variant <V> ") && line.contains("(default"),
                Some("--threads") => line.starts_with("--threads <N> ") && line.contains("default: all cores"),
                Some("--json") => !line.contains('<'),
                // Positions are positional.
                Some("--fen" | "--position") => false,
                _ => true,
            };
            if !usual {
                found.push(format!("{name} {}", line.split_whitespace().next().unwrap_or_default()));
            }
        }
    }
    found.sort();
    let mut known = vec!["bench --threads", "match --json"];
    let filters: Vec<String> =
        ["filter", "join", "split", "sort", "dedupe", "sample"].iter().map(|a| format!("pgn {a} --position")).collect();
    known.extend(filters.iter().map(String::as_str));
    known.sort_unstable();
    assert_eq!(found, known);
}

/// What a program reads is one line, one object, and nothing else.
#[test]
fn answers_as_json() {
    let folder = Folder::new("json");
    let (epd, games, book, table) =
        (folder.path("a.epd"), folder.path("g.pgn"), folder.path("b.bin"), folder.path("t"));
    std::fs::write(&epd, "6k1/5ppp/8/8/8/8/8/R3K3 w - - bm Ra8#; id \"a \\b\";\n").unwrap();
    std::fs::write(&games, "1. e4 e5 2. Nf3 1/2-1/2\n\n1. e4 c5 1/2-1/2\n\n1. d4 1/2-1/2\n").unwrap();
    assert!(rukh(&["book", "make", "--min-games", "1", "--out", &book, &games]).status.success());
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let rows = folder.path("rows");
    std::fs::write(&rows, format!("{FEN}\t9\t25\texact\te7e5\t3\n")).unwrap();
    assert!(rukh(&["learn", "import", "--file", &table, &rows]).status.success());
    let asked = |words: &[&str]| {
        let output = rukh(&[words, &["--json"]].concat());
        let said = text(&output);
        assert!(output.status.success() && said.lines().count() == 1, "{words:?}: {output:?}");
        Json::parse(said.trim_end()).unwrap_or_else(|error| panic!("{words:?}: {error}: {said}"))
    };

    let suite = asked(&["suite", &epd, "--depth", "3"]);
    assert_eq!((suite.uint("positions"), suite.uint("solved")), (Some(1), Some(1)));
    let result = &suite.get("results").unwrap().list()[0];
    assert_eq!(
        (result.str("name"), result.str("played"), result.flag("solved")),
        (Some("a \\b"), Some("a1a8"), Some(true))
    );
    assert_eq!(asked(&["suite", &epd, "--depth", "3", "--quiet"]).get("results").unwrap().list().len(), 0);

    let bench = asked(&["bench", "3"]);
    let sum: u64 = bench.get("positions").unwrap().list().iter().filter_map(|row| row.uint("nodes")).sum();
    assert!(sum > 0 && bench.uint("nodes") == Some(sum), "{sum}");
    assert!(!rukh(&["bench", "--threads", "2", "--json"]).status.success());

    let shown = asked(&["book", "show", &book]);
    let first = &shown.get("moves").unwrap().list()[0];
    assert_eq!((shown.str("format"), first.str("uci"), first.str("san")), (Some("Polyglot"), Some("e2e4"), Some("e4")));
    assert_eq!(first.get("moves").unwrap().list().len(), 2);
    assert_eq!(asked(&["book", "show", &book, "h4"]).get("moves").unwrap().list().len(), 0);

    let known = asked(&["learn", "show", "--file", &table, FEN]);
    let learned = known.get("learned").unwrap();
    assert_eq!(
        (learned.number().is_none(), learned.uint("depth"), learned.str("bestMove")),
        (true, Some(9), Some("e7e5"))
    );
    assert!(asked(&["learn", "show", "--file", &table, "startpos"]).get("learned").is_none());

    let source = asked(&["source", "ask", &book, "e4"]);
    let replies: Vec<&str> = source.get("moves").unwrap().list().iter().filter_map(|m| m.str("san")).collect();
    assert_eq!((source.str("fen"), replies.len()), (Some(FEN), 2), "{replies:?}");
    assert_eq!(asked(&["source", "ask", &book, "h4"]).get("moves").unwrap().list().len(), 0);
}

/// `--variant` as everywhere else; the game as the first word, as scripts have it, still works.
#[test]
fn the_variant_is_an_option_of_training_too() {
    let folder = Folder::new("variant");
    let (games, same, records) = (folder.path("a.games"), folder.path("b.games"), folder.path("a.flat"));
    let play = ["--games", "2", "--soft", "5", "--threads", "1", "--eval-file", "<classical>", "--out"];
    let ok = |words: &[&str]| {
        let output = rukh(words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        text(&output)
    };
    ok(&[&["datagen", "--variant", "makruk"], &play[..], &[&games]].concat());
    ok(&[&["datagen"], &play[..], &[&same, "makruk"]].concat());
    assert_eq!(std::fs::read(&games).unwrap(), std::fs::read(&same).unwrap());
    let info = ok(&["datagen", "info", "--variant", "makruk", &games]);
    assert_eq!(info, ok(&["datagen", "info", "makruk", &games]));
    ok(&["datagen", "expand", &games, "--variant=makruk", "--out", &records]);
    // Chess where nothing is said.
    let refused = |words: &[&str], why: &str| {
        let output = rukh(words);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(why), "{words:?}: {error}");
    };
    refused(&["datagen", "info", &games], "makruk");
    refused(&["datagen", "info", "makruk"], "<file> is missing");
    refused(&["datagen", "--variant", "chess", "makruk", "--out", &records], "unexpected argument 'makruk'");
    refused(&["datagen", "checkers", "--out", &records], "unexpected argument 'checkers'");
    refused(&["datagen", "--variant", "checkers", "--out", &records], "unknown variant");
    refused(&["train", "--variant", "makruk", "--out", &records], "<records> is missing");
}

/// None of something is refused before any work is done, or means something.
#[test]
fn zero_is_refused_or_means_something() {
    /// Filters, weights, seeds, and what may well be left out.
    const MEANT: [&str; 24] = [
        "--ahead", "--cache", "--decay", "--grace", "--keep", "--least", "--max-elo", "--max-errors", "--max-ply",
        "--max-score", "--max-seconds", "--min-elo", "--min-ply", "--min-seconds", "--mistakes", "--mix", "--port",
        "--pull", "--room", "--seed", "--sessions", "--skip", "--status", "--timemargin",
    ];
    const ALSO: [&str; 15] = [
        "book make --within", "book show --depth", "code decode --version", "code encode --version",
        "code stats --version", "db build --min-games", "db export --min-games", "db import --min-games",
        "db map --min-games", "match --plies", "perft --hash", "play --elo", "play --level", "play --number",
        "train --wdl",
    ];
    let folder = Folder::new("zero");
    // It is there, since a file that is not is said first.
    folder.put("none", b"");
    let none = folder.path("none");
    let (mut tried, mut wrong) = (0, Vec::new());
    for (name, help) in helps() {
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: rukh ")).unwrap_or_default();
        let more: &[&str] = match &*name {
            // Its search needs another build.
            "tune search" => continue,
            "match" => &["--engine", "a", "--engine", "b", "--tc", "1"],
            // What fails last, so that no server runs if nothing else does.
            "serve" => &["--page", &none],
            "tune" => &["--out", "-"],
            "analyse" => &["startpos"],
            "bench" => &["--threads", "1"],
            _ => &[],
        };
        let mut words = usage.split_whitespace().skip(name.split(' ').count()).filter(|word| !word.starts_with('['));
        let mut required: Vec<(&str, &str)> = Vec::new();
        while let Some(word) = words.next() {
            let value = |word: &str| if matches!(word, "<N>" | "<depth>") { "1" } else { &*none };
            match word.strip_prefix("--") {
                Some(_) => required.push((word, words.next().map_or("", value))),
                None => required.push(("", value(word))),
            }
        }
        for line in help.lines().map(str::trim_start) {
            let mut start = line.split_whitespace();
            let (Some(option), Some(value)) = (start.next(), start.next()) else { continue };
            let is_number = matches!(value, "<N>" | "<MS>" | "<S>" | "<M>" | "<MB>" | "<MIB>" | "<X>" | "<CP>");
            let asked = format!("{name} {option}");
            let fine = MEANT.contains(&option) || ALSO.contains(&&*asked) || option == "--notation";
            if !is_number || !option.starts_with("--") || fine {
                continue;
            }
            let given = required.iter().filter(|(name, _)| *name != option).flat_map(|(name, value)| [*name, *value]);
            let more = if more.contains(&option) { &[] } else { more };
            let given: Vec<&str> = given.filter(|word| !word.is_empty()).chain(more.iter().copied()).collect();
            let output = rukh(&[&name.split(' ').collect::<Vec<_>>(), &given[..], &[option, "0"]].concat());
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            tried += 1;
            if output.status.code() != Some(2) || !said.contains(option) {
                wrong.push(format!("{asked}: {said}"));
            }
        }
    }
    assert!(wrong.is_empty() && tried > 60, "{tried}: {wrong:#?}");
}

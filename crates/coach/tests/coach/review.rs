//! Reviews: what is marked, joined and kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use rukh_coach::check::check;
use rukh_coach::games::{self, PlayerGame};
use rukh_coach::insights::insights;
use rukh_coach::report::{Most, json, page};
use rukh_coach::{CoachError, Effort, Journal, Reviewed, Seen, Spot, Theme, review_all};
use rukh_core::{AnyPosition, Variant};
use rukh_engine::Judgement;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rukh-coach-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Twice the same mate, by two orders of moves, and once avoided.
const GAMES: &str = r#"[Event "one"]
[White "Anna"]
[Black "Boris"]
[WhiteElo "1510"]
[Date "2024.02.29"]
[Result "1-0"]

1. e4 { [%clk 0:05:00] } e5 { [%clk 0:05:00] } 2. Bc4 { [%clk 0:04:50] } Nc6 { [%clk 0:00:09] } 3. Qh5 { [%clk 0:04:40] } Nf6 { [%clk 0:00:08] } 4. Qxf7# { [%clk 0:04:30] } 1-0

[Event "two"]
[White "Clara"]
[Black "BORIS"]
[Date "2024.03.01"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "two"]
[White "Clara"]
[Black "BORIS"]
[Date "2024.03.01"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[Event "three"]
[White "Dora"]
[Black "Boris"]
[Result "1/2-1/2"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 g6 4. Qf3 Nf6 1/2-1/2

[Event "others"]
[White "Dora"]
[Black "Emil"]
[Result "*"]

1. d4 *
"#;

fn boris(name: &str) -> (PathBuf, games::Found) {
    let folder = folder(name);
    std::fs::write(folder.join("games.pgn"), GAMES).unwrap();
    let found = games::read(&[&folder], Some("boris")).unwrap();
    (folder, found)
}

fn reviewed(games: &[PlayerGame], journal: &Journal, threads: usize) -> Vec<Reviewed> {
    let effort = Effort { nodes: 3_000, threads, options: vec![("Hash".into(), "1".into())] };
    review_all(games, &effort, journal, &AtomicBool::new(false), |_| {}).unwrap()
}

#[test]
fn games_of_a_player() {
    let (folder, found) = boris("games");
    assert_eq!((found.games.len(), found.twice, found.others), (3, 1, 1));
    assert_eq!(found.games[0].opponent(), "Anna");
    assert_eq!(found.games[0].opponent_rating(), Some(1510));
    assert_eq!(found.games.iter().map(PlayerGame::points).collect::<Vec<_>>(), [Some(0.0), Some(0.0), Some(0.5)]);
    let error = games::read(&[&folder], Some("Nobody")).unwrap_err().to_string();
    assert!(error.starts_with("no game of Nobody was found: there are "), "{error}");
    assert_eq!(games::read(&[&folder], None).unwrap().player, "Boris", "in most games");
    std::fs::remove_dir_all(folder).unwrap();
}

/// A deeper search shares the mark on a move that allows mate, and doubts one on its own best move. Both sides of a game.
#[test]
fn marks_are_checked() {
    let (folder, _) = boris("checked");
    let found = games::read(&[&folder], Some(games::EVERYBODY)).unwrap();
    assert_eq!((found.player.as_str(), found.games.len(), found.twice, found.others), ("*", 8, 2, 0));
    let mut games = reviewed(&found.games[..2], &Journal::in_memory(), 1);
    let effort = Effort { nodes: 50, threads: 2, options: vec![("Hash".into(), "1".into())] };
    let checked = |games: &[Reviewed]| check(games, &effort, &AtomicBool::new(false), |_| {}).unwrap();
    let before = checked(&games);
    assert_eq!((before.marks, before.doubtful), (1, vec![]));
    let mate = games[0].moves.len() - 1;
    games[0].moves[mate].judgement = Some(Judgement::Blunder);
    let after = checked(&games);
    assert_eq!((after.marks, after.doubtful), (2, vec![(0, mate)]));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Who stops a check does not wait for a search that takes for ever.
#[test]
fn a_check_stops_at_once() {
    let (folder, found) = boris("stopped");
    let mut games = reviewed(&found.games[..1], &Journal::in_memory(), 1);
    games[0].moves[0].judgement = Some(Judgement::Blunder);
    let effort = Effort { nodes: u64::MAX, threads: 2, options: vec![("Hash".into(), "1".into())] };
    let stop = Arc::new(AtomicBool::new(false));
    let (say, said) = std::sync::mpsc::channel();
    let for_check = Arc::clone(&stop);
    std::thread::spawn(move || say.send(check(&games, &effort, &for_check, |_| {}).map(|checked| checked.marks)));
    stop.store(true, Relaxed);
    let marks = said.recv_timeout(std::time::Duration::from_secs(100)).expect("it ends").unwrap();
    assert_eq!(marks, 0, "what was not searched to the end does not count");
    std::fs::remove_dir_all(folder).unwrap();
}

/// The table of openings has names for blunders, too. What never left the book has no accuracy.
#[test]
fn a_blunder_with_a_name_is_a_blunder() {
    let folder = folder("named");
    let judged = |moves: &str| {
        std::fs::write(folder.join("games.pgn"), format!("[White \"A\"]\n[Black \"B\"]\n\n{moves} *\n")).unwrap();
        let found = games::read(&[&folder], Some("A")).unwrap();
        let games = reviewed(&found.games, &Journal::in_memory(), 1);
        let marks = games[0].moves.iter().map(|judged| (judged.book, judged.judgement)).collect::<Vec<_>>();
        (marks, insights("A", &games).total.accuracy_text())
    };
    let (marks, _) = judged("1. f3 e5 2. g4 Qh4#");
    assert_eq!(marks, [(true, None), (false, Some(Judgement::Blunder))]);
    assert_eq!(judged("1. e4 e5 2. Nf3 Nc6"), (vec![(true, None), (true, None)], "–".into()));
    std::fs::remove_dir_all(folder).unwrap();
}

/// The same mistake in two games, by two move orders, is one entry; the position was met three times.
#[test]
fn joined_by_position() {
    let (folder, found) = boris("joined");
    let games = reviewed(&found.games, &Journal::in_memory(), 2);
    let joined = insights(&found.player, &games);
    let worst = &joined.mistakes[0];
    assert_eq!(worst.position.san(worst.mv), "Nf6");
    assert_eq!(worst.games, [0, 1]);
    assert_eq!(worst.theme, Some((Theme::Mate, false)));
    assert_eq!(worst.facts[0].sentence(), "It allows mate in 1 move.");
    let keeps = format!("which keeps {:.0} % of the points instead of {:.0} %.", worst.points.0, worst.points.1);
    assert!(worst.facts.last().unwrap().sentence().ends_with(&keeps), "one pair of numbers: {keeps}");
    let met = joined.met.iter().find(|met| met.code == worst.code).expect("met three times");
    assert_eq!((met.times, met.moves.len()), (3, 2));
    assert_eq!((met.moves[0].1, met.moves[0].2), (2, 0.0), "twice the knight, no point");
    assert_eq!(joined.results, [0, 1, 2]);
    assert_eq!(joined.defence.games, 2);
    assert_eq!(joined.costs[0].times, 2);
    let names = |name: &str| -> Vec<String> {
        let grouping = joined.groupings.iter().find(|grouping| grouping.name == name);
        grouping.map_or_else(Vec::new, |grouping| grouping.rows.iter().map(|(name, _)| name.clone()).collect())
    };
    assert_eq!(names("colour"), ["Black"]);
    assert_eq!(names("clock"), ["below 10 s", "3 to 10 min"]);
    assert_eq!(names("rating"), ["1400 to 1599"]);
    assert_eq!(names("weekday"), ["Thursday", "Friday"]);

    let html = page(&joined, &games, Most::default());
    assert!(html.contains("It allows mate in 1 move.") && html.contains("Met 3 times, 2 different moves"), "{html}");
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("href=\"http"), "needs nothing else");
    assert!(html.contains("<caption>Accuracy by phase</caption>"), "numbers for screen readers");
    let json = json(&joined, &games);
    let value = rukh_json::Json::parse(&json).unwrap();
    assert_eq!(value.get("mistakes").unwrap().list()[0].get("games").unwrap().list().len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A second review asks the engine nothing; a review that was stopped goes on where it was.
#[test]
fn nothing_is_done_twice() {
    let (folder, found) = boris("twice");
    let path = folder.join("coach.journal");
    // Stopped after the first game.
    let stop = AtomicBool::new(false);
    let effort = Effort { nodes: 3_000, threads: 1, options: vec![("Hash".into(), "1".into())] };
    let journal = Journal::open(&path).unwrap();
    let part = review_all(&found.games, &effort, &journal, &stop, |_| stop.store(true, Relaxed)).unwrap();
    assert!(!part.is_empty() && part.len() < 3);
    let some = journal.len().0;
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.len(), (some, 0));
    let first = reviewed(&found.games, &journal, 2);
    let all = journal.len().0;
    let length = std::fs::metadata(&path).unwrap().len();
    let lines = std::fs::read_to_string(&path).unwrap().lines().count();
    // One line for each search, and one more where a closer look followed.
    let mut keys: Vec<String> = std::fs::read_to_string(&path)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.split('\t').take(2).collect::<Vec<_>>().join(" "))
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len() + 1, lines, "no search was made twice");
    drop(journal);
    let journal = Journal::open(&path).unwrap();
    let again = reviewed(&found.games, &journal, 1);
    assert_eq!((journal.len().0, std::fs::metadata(&path).unwrap().len()), (all, length), "nothing was searched");
    let losses = |games: &[Reviewed]| -> Vec<f64> {
        games.iter().flat_map(|game| game.moves.iter().map(|judged| judged.loss)).collect()
    };
    assert_eq!(losses(&first), losses(&again));
    // Neither a stop nor the number of threads nor the order of the searches changes a letter of the report.
    let report = |games: &[Reviewed]| json(&insights(&found.player, games), games);
    let whole = reviewed(&found.games, &Journal::in_memory(), 1);
    assert_eq!(report(&first), report(&whole));
    let backwards: Vec<PlayerGame> = found.games.iter().rev().cloned().collect();
    let mut backwards = reviewed(&backwards, &Journal::in_memory(), 2);
    backwards.reverse();
    assert_eq!(report(&backwards), report(&whole));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Cut at every byte the journal opens, and holds every search whose line is whole; a flipped bit costs its own line.
#[test]
fn a_journal_survives_every_kill() {
    let folder = folder("cuts");
    let path = folder.join("coach.journal");
    let spots: Vec<Spot> = ["e4", "d4", "c4"]
        .iter()
        .map(|san| {
            let mut pos = AnyPosition::new(Variant::Chess);
            pos.play(pos.parse_move(san).unwrap());
            Spot::new(&pos)
        })
        .collect();
    let asked = AtomicUsize::new(0);
    let look = |journal: &Journal, spot: &Spot, nodes| {
        let line = vec![spot.position.parse_move("Nf6").unwrap()];
        let search = || {
            asked.fetch_add(1, Relaxed);
            Ok::<Seen, CoachError>(Seen { score: rukh_engine::Score(-31), depth: 9, nodes, line })
        };
        journal.look(spot, None, nodes, search).unwrap()
    };
    let journal = Journal::open(&path).unwrap();
    assert!(Journal::open(&path).is_err_and(|error| error.to_string().contains("in use")), "one at a time");
    spots.iter().for_each(|spot| assert_eq!(look(&journal, spot, 100).depth, 9));
    drop(journal);
    let whole = std::fs::read(&path).unwrap();
    let head = whole.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let journal = Journal::open(&path).unwrap();
        let lines = whole[head.min(cut)..cut].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(journal.len(), (lines, 0), "cut at {cut}");
        let before = asked.load(Relaxed);
        for spot in &spots {
            look(&journal, spot, 100);
        }
        assert_eq!(asked.load(Relaxed) - before, 3 - lines, "cut at {cut}: what is there is not asked again");
        drop(journal);
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
    let mut flipped = whole.clone();
    flipped[head + 4] ^= 1;
    std::fs::write(&path, &flipped).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.len(), (2, 1));
    // Fewer nodes are served by more, more are asked for.
    let before = asked.load(Relaxed);
    look(&journal, &spots[1], 50);
    look(&journal, &spots[1], 200);
    look(&journal, &spots[1], 150);
    assert_eq!(asked.load(Relaxed) - before, 1);
    drop(journal);
    std::fs::write(&path, "something else\n").unwrap();
    assert!(Journal::open(&path).is_err_and(|error| error.to_string().contains("no journal")));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "something else\n", "left alone");
    std::fs::remove_dir_all(folder).unwrap();
}

//! Reviews: what is marked, joined and kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use rukh_coach::check::check;
use rukh_coach::games::{self, PlayerGame};
use rukh_coach::insights::insights;
use rukh_coach::report::{Most, page};
use rukh_coach::tree::tree;
use rukh_coach::{CoachError, Effort, Journal, Reviewed, Seen, Spot, Theme, review_all};
use rukh_core::{AnyPosition, Color, Variant};
use rukh_engine::Judgement;
use rukh_testing::Folder;

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

fn boris(name: &str) -> (Folder, games::Found) {
    let folder = Folder::new(name);
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
    // The only game of somebody cannot be read: that is why there is none.
    std::fs::write(folder.join("games.pgn"), "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. e4 Qxd5 0-1\n").unwrap();
    let error = games::read(&[&folder], Some("Ann")).unwrap_err().to_string();
    assert!(error.contains("a game was skipped") && error.contains("Qxd5"), "{error}");
}

/// Games kept by year, as people keep them; a link that leads back is not followed, and a folder without games says so.
#[test]
fn folders_and_the_folders_there() {
    let folder = Folder::new("years");
    let year = folder.join("2024/blitz");
    std::fs::create_dir_all(&year).unwrap();
    std::fs::create_dir(folder.join("empty")).unwrap();
    std::fs::write(folder.join("notes.txt"), "").unwrap();
    std::fs::write(folder.join("a.pgn"), GAMES).unwrap();
    std::fs::write(year.join("B.PGN.zst"), "").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder.0, year.join("again")).unwrap();
    assert_eq!(games::files(&[&folder.0]).unwrap(), [year.join("B.PGN.zst"), folder.join("a.pgn")]);
    let error = games::files(&[folder.join("empty")]).unwrap_err().to_string();
    assert!(error.ends_with("empty: no PGN files in this folder"), "{error}");
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
}

/// Who stops a check does not wait for a search that takes for ever.
#[test]
fn a_check_stops_at_once() {
    let (_folder, found) = boris("stopped");
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
}

/// The table of openings has names for blunders, too. What never left the book has no accuracy.
#[test]
fn a_blunder_with_a_name_is_a_blunder() {
    let folder = Folder::new("named");
    let judged = |moves: &str| {
        std::fs::write(folder.join("games.pgn"), format!("[White \"A\"]\n[Black \"B\"]\n\n{moves} *\n")).unwrap();
        let found = games::read(&[&folder], Some("A")).unwrap();
        let effort = Effort { nodes: 20_000, threads: 1, options: vec![("Hash".into(), "8".into())] };
        let games = review_all(&found.games, &effort, &Journal::in_memory(), &AtomicBool::new(false), |_| {}).unwrap();
        let marks = games[0].moves.iter().map(|judged| (judged.book, judged.judgement)).collect::<Vec<_>>();
        (marks, insights("A", &games).total.accuracy_text())
    };
    let (marks, _) = judged("1. f3 e5 2. g4 Qh4#");
    assert_eq!(marks, [(true, None), (false, Some(Judgement::Blunder))]);
    assert_eq!(judged("1. e4 e5 2. Nf3 Nc6"), (vec![(true, None), (true, None)], "–".into()));
}

/// The same mistake in two games, by two move orders, is one entry; the position was met three times.
#[test]
fn joined_by_position() {
    let (_folder, found) = boris("joined");
    let games = reviewed(&found.games, &Journal::in_memory(), 2);
    let joined = insights(&found.player, &games);
    let worst = &joined.mistakes[0];
    assert_eq!(worst.position.san(worst.mv), "Nf6");
    assert_eq!(worst.games, [0, 1]);
    assert_eq!(worst.theme, Some((Theme::Mate, false)));
    assert_eq!(worst.facts[0].sentence(), "It allows mate in 1 move.");
    let keeps = format!("with an expected score of {:.0} % instead of {:.0} %.", worst.points.0, worst.points.1);
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
    assert!(
        html.contains("It allows mate in 1 move.")
            && html.contains("You reached this position 3 times and played 2 different moves, scoring ½."),
        "{html}"
    );
    assert!(!html.contains("<script") && !html.contains("src=") && !html.contains("href=\"http"), "needs nothing else");
    assert!(html.contains("<caption>Accuracy by phase</caption>"), "numbers for screen readers");
    assert!(html.contains("<div class=\"row\" title=\"Opening: accuracy "), "and on hover");
    assert!(html.contains("It is answered by 4.&nbsp;Qxf7#."), "a number stays with its move: {html}");
}

/// Who comes back to a position in one game has met it in one game, and scored once; a game without a result is half a point, as in the
/// tree of the openings.
#[test]
fn a_position_met_twice_in_a_game_counts_once() {
    let folder = Folder::new("shuffle");
    let game = |round: u32, moves: &str, result: &str| {
        format!("[White \"A\"]\n[Black \"B\"]\n[Round \"{round}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n")
    };
    let text = game(1, "1. Nf3 Nf6 2. Ng1 Ng8 3. e4", "1-0") + &game(2, "1. d4 d5", "*");
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let games = reviewed(&games::read(&[&folder], Some("A")).unwrap().games, &Journal::in_memory(), 1);
    let joined = insights("A", &games);
    let start = joined.met.iter().find(|met| met.position == AnyPosition::new(Variant::Chess)).expect("met twice");
    let mut moves: Vec<String> = start
        .moves
        .iter()
        .map(|&(mv, times, points, _)| format!("{} {times} {points}", start.position.san(mv)))
        .collect();
    moves.sort();
    assert_eq!((start.times, moves.join(", ").as_str()), (2, "Nf3 1 1, d4 1 0.5"));
}

/// The openings in the report: a line without forks is one row, a transposition is told once, each game has a tree of its own.
#[test]
fn the_openings_of_a_report() {
    let folder = Folder::new("openings");
    let mut text = String::new();
    for (round, (moves, variant)) in [
        ("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6", "Chess"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "Chess"),
        ("1. Nf3 Nc6 2. e4 e5 3. Bb5 d6", "Chess"),
        ("1. Nf3 Nc6 2. e4 e5 3. d4 a5 4. h4 h5", "Chess"),
        ("1. e4 d5", "Makruk"),
        ("1. e4 e5", "Makruk"),
    ]
    .into_iter()
    .enumerate()
    {
        text += &format!(
            "[White \"A\"]\n[Black \"B\"]\n[Round \"{round}\"]\n[Variant \"{variant}\"]\n[Result \"1/2-1/2\"]\n\n{moves} 1/2-1/2\n\n"
        );
    }
    std::fs::write(folder.join("games.pgn"), text).unwrap();
    let found = games::read(&[&folder], Some("A")).unwrap();
    let journal = Journal::in_memory();
    let games = reviewed(&found.games, &journal, 1);
    let mut joined = insights("A", &games);
    joined.openings = Color::ALL.map(|side| tree(&games, side, &journal));
    let html = page(&joined, &games, Most::default());
    assert!(
        html.contains("With White: 4 games, 2 of 4 points")
            && html.contains("With White, Makruk: 2 games, 1 of 2 points")
    );
    let rows =
        html.split("<tr><th scope=\"row\" style=").skip(1).map(|row| row.split("</tr>").next().unwrap_or_default());
    let rows: Vec<&str> = rows.collect();
    let row = |moves: &str| {
        let named = format!(">{moves}</th>");
        rows.iter().find(|row| row.contains(&named)).unwrap_or_else(|| panic!("{moves}: {rows:?}"))
    };
    assert!(row("1. Nf3 Nc6 2. e4 e5").contains("</th><td>2</td><td>1</td><td>50 %</td><td>"), "{rows:?}");
    // All four games met there, whatever way they came; what follows is told below the first way.
    assert!(row("3. Bb5").contains("</th><td>2</td>"), "{rows:?}");
    assert!(row("1. e4 e5 2. Nf3 Nc6").contains("as above"), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row.contains(">1. e4</th>")).count(), 1, "Makruk's: {rows:?}");
    assert!(html.contains("<h2>Accuracy by game</h2>"), "two games to compare");
    assert_eq!(joined.openings[0].iter().filter(|node| node.ply == 0).count(), 2);
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
    // Scores and points tell the same story, also where a later search speaks for an earlier position.
    for judged in first.iter().flat_map(|game| &game.moves) {
        let mut next = judged.position.clone();
        next.play(judged.mv);
        let scale = rukh_engine::Scale::of(next.variant(), next.men()).for_marks(next.variant());
        let said = 100.0 - scale.wdl(judged.after).expectation();
        assert!((said - judged.points.1).abs() < 5.0, "{}: {said} {:?}", judged.position.san(judged.mv), judged.points);
    }
    let losses = |games: &[Reviewed]| -> Vec<f64> {
        games.iter().flat_map(|game| game.moves.iter().map(|judged| judged.loss)).collect()
    };
    assert_eq!(losses(&first), losses(&again));
    // Neither a stop nor the number of threads nor the order of the searches changes a letter of the report.
    let report = |games: &[Reviewed]| page(&insights(&found.player, games), games, Most::default());
    let whole = reviewed(&found.games, &Journal::in_memory(), 1);
    assert_eq!(report(&first), report(&whole));
    let backwards: Vec<PlayerGame> = found.games.iter().rev().cloned().collect();
    let mut backwards = reviewed(&backwards, &Journal::in_memory(), 2);
    backwards.reverse();
    assert_eq!(report(&backwards), report(&whole));
}

/// Cut at every byte the journal opens, and holds every search whose line is whole; a flipped bit costs its own line.
#[test]
fn a_journal_survives_every_kill() {
    let folder = Folder::new("cuts");
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
}

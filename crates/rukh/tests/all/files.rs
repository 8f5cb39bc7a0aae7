//! What commands read and write: no input is destroyed by its own output, and a bad line costs itself.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::fed;

/// A folder of its own for a test, gone with it.
struct Folder(rukh_testing::Folder);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(rukh_testing::Folder::new(name))
    }

    fn run(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_rukh")).current_dir(&self.0).args(line.split(' ')).output().unwrap()
    }

    fn fed(&self, line: &str, input: &[u8]) -> Output {
        fed(&line.split(' ').collect::<Vec<_>>(), &self.0, input)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        self.0.put(name, bytes);
    }

    fn get(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// Refused with a word about the file, nothing changed, nothing left lying about.
    fn refused(&self, line: &str, input: &str) {
        let (before, names) = (self.get(input), self.names());
        let output = self.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("so it is not overwritten"), "{line}: {said}");
        assert!(self.get(input) == before, "{line}");
        assert_eq!(self.names(), names, "{line}");
    }

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

fn good(output: &Output) -> &Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

const GAMES: &str = "[White \"A\"]\n1.e4 e5 2.Nf3! {fine} Nc6 1-0\n\n[White \"B\"]\n1.d4 (1.c4) d5 1/2\n";

#[test]
fn games_are_cleaned_in_place() {
    let folder = Folder::new("clean");
    folder.put("g.pgn", GAMES.as_bytes());
    let wanted = good(&folder.run("pgn clean g.pgn")).stdout.clone();
    assert!(wanted.len() > GAMES.len());
    good(&folder.run("pgn clean --out g.pgn g.pgn"));
    assert_eq!(folder.get("g.pgn"), wanted);
    // Again, by another spelling and several files: still the same.
    folder.put("h.pgn", GAMES.as_bytes());
    good(&folder.run("pgn clean --out ./g.pgn g.pgn"));
    assert_eq!(folder.get("g.pgn"), wanted);
    good(&folder.run("pgn clean --out h.pgn h.pgn g.pgn"));
    assert_eq!(folder.get("h.pgn"), [&wanted[..], b"\n", &wanted].concat());
    // Packed.
    for name in ["g.pgn.zst", "g.pgn.gz", "g.pgn.bz2"] {
        good(&folder.run(&format!("pgn clean --out {name} g.pgn")));
        let packed = folder.get(name);
        assert!(!packed.starts_with(b"["), "{name} is packed");
        good(&folder.run(&format!("pgn clean --out {name} {name}")));
        assert_eq!(folder.get(name), packed, "{name}");
        assert_eq!(good(&folder.run(&format!("pgn clean {name}"))).stdout, wanted, "{name}");
    }
    // One that is not called what it is.
    let zst = folder.get("g.pgn.zst");
    folder.put("plain.pgn", &zst);
    good(&folder.run("pgn clean --out plain.pgn plain.pgn"));
    assert_eq!(folder.get("plain.pgn"), wanted);
    assert_eq!(folder.names(), ["g.pgn", "g.pgn.bz2", "g.pgn.gz", "g.pgn.zst", "h.pgn", "plain.pgn"]);
}

/// What cannot be read would be gone with the file: then nothing is written over.
#[test]
fn games_with_problems_are_not_replaced() {
    let folder = Folder::new("problems");
    let broken = format!("{GAMES}\n[White \"C\"]\n1.e4 Ke4 1-0\n");
    folder.put("good.pgn", GAMES.as_bytes());
    folder.put("g.pgn", broken.as_bytes());
    good(&folder.run("pgn clean --out cut.pgn.gz good.pgn"));
    let packed = folder.get("cut.pgn.gz");
    folder.put("cut.pgn.gz", &packed[..packed.len() - 12]);
    for name in ["g.pgn", "cut.pgn.gz"] {
        let before = folder.get(name);
        for action in ["clean", "clean --main-line", "filter", "join --main-line", "sort --by date", "dedupe"] {
            for files in [name.to_owned(), format!("good.pgn ./{name}")] {
                let output = folder.run(&format!("pgn {action} --out {name} {files}"));
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert_eq!(output.status.code(), Some(1), "{action} {files}: {said}");
                assert!(said.contains(&format!("{name} is left as it is")), "{action} {files}: {said}");
                assert_eq!(folder.get(name), before, "{action} {files}");
            }
        }
    }
    assert_eq!(folder.names(), ["cut.pgn.gz", "g.pgn", "good.pgn"]);
    // Nor is a search of half a file called whole.
    let output = folder.run("puzzles --scan 1 --nodes 1 --out p.csv cut.pgn.gz");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("1 problem"));
    // Another file may have the good games.
    assert_eq!(folder.run("pgn clean --out h.pgn g.pgn").status.code(), Some(1));
    assert_eq!(folder.get("h.pgn"), good(&folder.run("pgn clean good.pgn")).stdout);
}

/// A file of no bytes is no book, and the book that was there is better than none.
#[test]
fn a_book_without_moves_is_not_written() {
    let folder = Folder::new("empty-book");
    folder.put("g.pgn", b"[White \"A\"]\n\n1. e4 e5 1-0\n");
    folder.put("book.bin", b"old");
    let output = folder.run("book make --min-games 2 --out book.bin g.pgn");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("in at least 2 games (--min-games; 1 game read"), "{said}");
    assert_eq!(folder.get("book.bin"), b"old");
}

/// One rule for all commands: what is good is used and written, and the exit status says that something was left out.
#[test]
fn broken_games_show_in_the_exit_status() {
    let folder = Folder::new("status");
    folder.put("good.pgn", GAMES.as_bytes());
    folder.put("broken.pgn", format!("{GAMES}\n[White \"C\"]\n1.e4 Ke4 1-0\n").as_bytes());
    for (line, made) in [
        ("pgn stats", None),
        ("pgn check", None),
        ("analyse --nodes 1 --journal journal", None),
        ("coach --nodes 10 --threads 1 --journal journal --out made", Some("made")),
        ("book make --min-games 1 --out made", Some("made")),
        ("code stats", None),
        ("puzzles --scan 1 --nodes 1 --threads 1 --out made", Some("made")),
        ("source games", None),
        ("db import --db made", Some("made/MANIFEST")),
    ] {
        for (file, status) in [("good.pgn", 0), ("broken.pgn", 1)] {
            let output = folder.run(&format!("{line} {file}"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(status), "{line} {file}: {said}");
            assert_eq!(said.contains("rukh: 1 problem"), status == 1, "{line} {file}: {said}");
            assert!(made.is_none_or(|name| folder.0.join(name).exists()), "{line} {file}");
            let _ = fs::remove_file(folder.0.join("made"));
            let _ = fs::remove_dir_all(folder.0.join("made"));
        }
    }
}

/// Nobody has named `report.html`: an earlier report gives way there, somebody's own page does not.
#[test]
fn a_report_without_a_name_replaces_reports_only() {
    let folder = Folder::new("report");
    folder.put("g.pgn", b"[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 1-0\n");
    let line = "coach g.pgn --player A --nodes 10 --threads 1 --journal journal";
    let mine = b"<!doctype html>\n<title>What I think of: games explained</title>";
    folder.put("report.html", mine);
    let refused = folder.run(line);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("report.html exists and is not a coach report"), "{said}");
    assert!(folder.get("report.html") == mine && !folder.0.join("journal").exists());
    // Whoever names a file means it.
    good(&folder.run(&format!("{line} --out report.html")));
    let report = folder.get("report.html");
    assert!(report != mine);
    good(&folder.run(line));
    assert_eq!(folder.get("report.html"), report);
}

/// `analyse` and `coach` share what they have found: whoever comes second searches nothing, and both give the same marks.
#[test]
fn analyse_and_coach_share_a_journal() {
    let folder = Folder::new("shared");
    let moves = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0";
    let game = format!("[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{moves}\n");
    folder.put("g.pgn", game.as_bytes());
    let lines = |name: &str| folder.get(name).iter().filter(|&&byte| byte == b'\n').count();
    let annotated = folder.run("analyse g.pgn --nodes 300 --journal one");
    good(&annotated);
    let text = String::from_utf8_lossy(&annotated.stdout).replace('\n', " ");
    assert!(text.contains("Nf6 $4 {[%eval #1] Blunder. ") && text.contains("[Annotator \"Rukh "), "{text}");
    let said = String::from_utf8_lossy(&annotated.stderr).into_owned();
    assert!(said.contains("White (A): 4 moves, 0 inaccuracies, 0 mistakes, 0 blunders, 100.0 %"), "{said}");
    let searched = lines("one");
    assert!(searched > 5, "{searched}");
    let coach = |journal: &str| {
        let line = format!("coach g.pgn --player * --nodes 300 --json --threads 1 --journal {journal}");
        String::from_utf8(good(&folder.run(&line)).stdout.clone()).unwrap()
    };
    let marks = coach("one");
    assert!(marks.contains("\"san\":\"Nf6\"") && marks.contains("\"judgement\":\"blunder\""), "{marks}");
    assert_eq!(lines("one"), searched, "the coach had nothing left to search");
    assert_eq!((coach("two"), lines("two")), (marks, searched));
    assert_eq!(good(&folder.run("analyse g.pgn --nodes 300 --journal two --threads 2")).stdout, annotated.stdout);
    assert_eq!(lines("two"), searched, "nor has a second analysis");
    // Limits of one's own, and another network, are for this time only.
    good(&folder.run("analyse g.pgn --depth 2 --journal three"));
    good(&folder.run("analyse g.pgn --nodes 50 --eval-file <classical> --journal three"));
    assert!(!folder.0.join("three").exists());
}

const MANY: &str = r#"
[White "Tal, Mihail"]
[Black "Botvinnik, Mikhail"]
[Date "1960.03.15"]
[Result "1-0"]

1. e4 e6 2. d4 d5 3. Nc3 Bb4 {Winawer} {sharp} (3... Nf6 4. Bg5) 1-0

[White "Botvinnik, Mikhail"]
[Black "Tal, Mihail"]
[Date "1960.03.17"]
[Result "1/2-1/2"]

1. c4 Nf6 2. Nf3 g6 1/2-1/2

[White "Tal Mihail"]
[Black "Botvinnik Mikhail"]
[Date "1961.??.??"]
[Result "1-0"]

1. e4 e6 2. d4 d5 3. Nc3 Bb4 1-0

[White "Study"]
[FEN "8/8/8/8/8/5k2/6p1/6K1 b - - 0 1"]

1... Kg3 *
"#;

#[test]
fn games_are_chosen() {
    let folder = Folder::new("choose");
    folder.put("g.pgn", MANY.as_bytes());
    let names = |line: &str| -> Vec<String> {
        let output = folder.run(line);
        let text = String::from_utf8(good(&output).stdout.clone()).unwrap();
        let tags = text.lines().filter(|line| line.starts_with("[White ") || line.starts_with("[Date "));
        tags.map(|tag| tag.split('"').nth(1).unwrap().to_owned())
            .collect::<Vec<_>>()
            .chunks(2)
            .map(|c| c.join(" "))
            .collect()
    };
    let (first, second, third, study) =
        ("1960.03.15 Tal, Mihail", "1960.03.17 Botvinnik, Mikhail", "1961.??.?? Tal Mihail", "????.??.?? Study");
    assert_eq!(names("pgn join g.pgn"), [first, second, third, study]);
    assert_eq!(names("pgn filter --player tal g.pgn"), [first, second, third]);
    assert_eq!(names("pgn filter --white tal --until 1960 g.pgn"), [first]);
    assert_eq!(names("pgn filter --eco C15-C19 g.pgn"), [first, third]);
    assert_eq!(names("pgn filter --material KPK --result * g.pgn"), [study]);
    assert_eq!(names("pgn filter --pattern */*/*/*/?b* g.pgn"), [first, third]);
    let code =
        String::from_utf8(folder.run("code encode rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1").stdout);
    assert_eq!(names(&format!("pgn filter --position {} g.pgn", code.unwrap().trim())), [second]);
    assert_eq!(names("pgn dedupe g.pgn"), [first, second, study]);
    assert_eq!(names("pgn sort --by date --reverse g.pgn"), [third, second, first, study]);
    assert_eq!(names("pgn sample --count 4 g.pgn").len(), 4);
    assert_eq!(names("pgn sample --count 2 --seed 7 g.pgn").len(), 2);
    good(&folder.run("pgn split --by year --out years g.pgn"));
    let years: Vec<String> =
        fs::read_dir(folder.0.join("years")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!((years.len(), years.contains(&"1960.pgn".to_owned())), (3, true), "{years:?}");
    assert_eq!(names("pgn join years/1960.pgn years/1961.pgn"), [first, second, third]);
    // The names are not the user's: nothing that is there is written over.
    fs::remove_file(folder.0.join("years/1960.pgn")).unwrap();
    folder.put("years/1961.pgn", b"mine");
    let again = folder.run("pgn split --by year --out years g.pgn");
    assert!(!again.status.success() && String::from_utf8_lossy(&again.stderr).contains("1961.pgn is there already"));
    assert!(!folder.0.join("years/1960.pgn").exists(), "nothing was written");
    assert_eq!(fs::read(folder.0.join("years/1961.pgn")).unwrap(), b"mine");
    // In place, and wrong words.
    good(&folder.run("pgn sort --by white --out g.pgn g.pgn"));
    assert_eq!(names("pgn join g.pgn"), [second, study, third, first]);
    for (line, part) in [
        ("pgn sort --by beauty g.pgn", "--by: expected date"),
        ("pgn split --by 0 --out x g.pgn", "at least one game"),
        ("pgn filter --material KK7 g.pgn", "--material"),
        ("pgn filter --position nonsense g.pgn", "nonsense"),
        ("pgn filter --since soon g.pgn", "--since"),
        ("pgn filtre g.pgn", "did you mean 'filter'"),
    ] {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(part), "{line}: {said}");
    }
}

/// What other programs say about our games, which they get on stdin: a line for each. `None` where the program is not here.
fn told(mut program: Command, games: &[u8]) -> Option<String> {
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    // Without the library the script ends before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(games);
    let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    (said.trim() != "missing").then_some(said)
}

/// Another program reads what we write, and finds the same in it.
#[test]
fn python_chess_reads_our_games() {
    const SCRIPT: &str = "
import sys
try:
    import chess.pgn
except ImportError:
    print('missing'); sys.exit()
while True:
    game = chess.pgn.read_game(sys.stdin)
    if game is None: break
    assert not game.errors, game.errors
    assert list(game.headers)[:7] == ['Event', 'Site', 'Date', 'Round', 'White', 'Black', 'Result'], game.headers
    end = game.end()
    print(game.headers['White'], game.headers['Result'], end.ply(), end.comment, len(list(game.mainline())), end.board().fen())
";
    let folder = Folder::new("python");
    folder.put("g.pgn", MANY.as_bytes());
    let games = good(&folder.run("pgn join g.pgn")).stdout.clone();
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let mut program = Command::new(python);
    program.args(["-c", SCRIPT]);
    let Some(said) = told(program, &games) else {
        eprintln!("skipped: no python3, or no python-chess (pip install chess)");
        return;
    };
    assert_eq!(
        said.lines().collect::<Vec<_>>(),
        [
            "Tal, Mihail 1-0 6 Winawer sharp 6 rnbqk1nr/ppp2ppp/4p3/3p4/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 2 4",
            "Botvinnik, Mikhail 1/2-1/2 4  4 rnbqkb1r/pppppp1p/5np1/8/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq - 0 3",
            "Tal Mihail 1-0 6  6 rnbqk1nr/ppp2ppp/4p3/3p4/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 2 4",
            "Study * 2  1 8/8/8/8/8/6k1/6p1/6K1 w - - 1 2",
        ]
    );
}

#[test]
fn a_table_of_positions_goes_to_standard_output() {
    let folder = Folder::new("csv");
    folder.put("g.pgn", MANY.as_bytes());
    // The study is another start, which a database keeps as well.
    good(&folder.run("db import --db d g.pgn"));
    let table = |least: &str| {
        let output = folder.run(&format!("db export --db d --out -{least}"));
        String::from_utf8(good(&output).stdout.clone()).unwrap()
    };
    let (all, twice) = (table(" --min-games 1"), table(""));
    assert!(all.starts_with("fen,uci,san,games,") && all.lines().count() > twice.lines().count(), "{all}");
    let played_once = all.lines().find(|line| line.contains(",g1f3,Nf3,1,")).unwrap();
    assert!(played_once.contains(",1,0,1,0,,1960,1960,"), "no rating is empty: {played_once}");
    assert!(!twice.contains(",g1f3,") && twice.contains(",e2e4,e4,2,2,0,0,,1960,1961"), "{twice}");
    assert!(all.lines().any(|line| line.contains(",,,,")), "no year is empty: {all}");
    assert_eq!(folder.names(), ["d", "g.pgn"]);
}

#[cfg(unix)]
#[test]
fn links_are_no_way_round() {
    let folder = Folder::new("links");
    folder.put("g.pgn", GAMES.as_bytes());
    let wanted = good(&folder.run("pgn clean g.pgn")).stdout.clone();
    fs::hard_link(folder.0.join("g.pgn"), folder.0.join("hard.pgn")).unwrap();
    good(&folder.run("pgn clean --out hard.pgn g.pgn"));
    assert_eq!((folder.get("hard.pgn"), folder.get("g.pgn")), (wanted.clone(), GAMES.into()));
    std::os::unix::fs::symlink("g.pgn", folder.0.join("soft.pgn")).unwrap();
    good(&folder.run("pgn clean --out soft.pgn g.pgn"));
    assert_eq!(folder.get("g.pgn"), wanted);
    assert!(fs::symlink_metadata(folder.0.join("soft.pgn")).unwrap().is_symlink());
    // An output of another kind is refused by either.
    fs::hard_link(folder.0.join("g.pgn"), folder.0.join("book.bin")).unwrap();
    folder.refused("book make --min-games 1 --out book.bin g.pgn", "g.pgn");
    folder.refused("book make --min-games 1 --out soft.pgn g.pgn", "g.pgn");
    good(&folder.run("pgn clean --out /dev/null g.pgn"));
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

/// Every room once put its own "FILE: …" before words that named the file already.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_named_once() {
    let folder = Folder::new("once");
    folder.put("g.pgn", GAMES.as_bytes());
    good(&folder.run("db import --db d g.pgn"));
    for name in ["out.csv", "KM.mkt"] {
        std::os::unix::fs::symlink("nowhere/at-all", folder.0.join(name)).unwrap();
    }
    for (line, name) in [
        ("pgn filter g.pgn --out out.csv", "out.csv"),
        ("book make g.pgn --min-games 1 --out out.csv", "out.csv"),
        ("db export --db d --out out.csv", "out.csv"),
        ("code extract --out out.csv g.pgn", "out.csv"),
        ("analyse startpos --nodes 100 --save-hash out.csv", "out.csv"),
        ("puzzles g.pgn --out out.csv --scan 10", "out.csv"),
        ("tables KM --dir . --threads 1", "KM.mkt"),
    ] {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().last().unwrap_or_default();
        assert!(!output.status.success() && last.contains("cannot write"), "{line}: {said}");
        assert_eq!(last.matches(name).count(), 1, "{line}: {said}");
    }
}

#[test]
fn an_output_of_another_kind_is_no_input() {
    let folder = Folder::new("kinds");
    folder.put("g.pgn", GAMES.as_bytes());
    folder.refused("book make --out g.pgn g.pgn", "g.pgn");
    folder.refused("code extract --out g.pgn g.pgn", "g.pgn");
    folder.refused("tune --out g.pgn g.pgn", "g.pgn");
    folder.put("t.tsv", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t9\t20\texact\te2e4\t1\n");
    good(&folder.run("learn import --file table t.tsv"));
    folder.refused("learn export --file table --out table", "table");
    folder.refused("learn import --file table ./table", "table");
    folder.refused("learn import --file t.tsv t.tsv", "t.tsv");
    good(&folder.run("learn export --file table --out out.tsv"));
    assert!(folder.get("out.tsv").starts_with(b"rnbq"));
    good(&folder.run("datagen chess --out x.games --games 1 --soft 40 --threads 1"));
    folder.refused("datagen expand chess --out x.games x.games", "x.games");
    folder.refused("datagen label chess --out x.games x.games", "x.games");
    good(&folder.run("datagen expand chess --out x.bin x.games"));
    folder.refused("train chess --out x.bin x.bin", "x.bin");
    // The report stood where the work of a night had been.
    good(&folder.run("coach --nodes 10 --threads 1 --journal j --out r.html g.pgn"));
    folder.refused("coach --nodes 10 --threads 1 --journal j --out j g.pgn", "j");
    folder.refused("coach --nodes 10 --threads 1 --journal new --out ./new g.pgn", "g.pgn");
    // It was lost all the same where the path went through a folder's parent, and games were where their folder was named.
    fs::create_dir(folder.0.join("sub")).unwrap();
    folder.refused("coach --nodes 10 --threads 1 --journal sub/../new --out new g.pgn", "g.pgn");
    folder.refused("coach --nodes 10 --threads 1 --journal j --out g.pgn .", "g.pgn");
    folder
        .put("net.nnue", &fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../eval/src/nnue/chess-page.nnue")).unwrap());
    folder.refused("analyse startpos --nodes 10 --eval-file net.nnue --save-hash ./net.nnue", "net.nnue");
    // A shell may give a file as standard input; a page or a table in its place was the end of it.
    for line in ["book make --out g.pgn -", "puzzles --out g.pgn --scan 1 --nodes 1 -", "code extract --out g.pgn -"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rukh"));
        let games = fs::File::open(folder.0.join("g.pgn")).unwrap();
        let said = command.current_dir(&folder.0).args(line.split(' ')).stdin(games).output().unwrap();
        if cfg!(unix) {
            assert_eq!((said.status.code(), folder.get("g.pgn")), (Some(2), GAMES.into()), "{line}");
        }
    }
    let both = folder.fed("puzzles --out - --scan 1 --nodes 1 -", GAMES.as_bytes());
    assert!(String::from_utf8_lossy(&good(&both).stdout).starts_with("code,"));
    assert!(folder.names().iter().all(|name| !name.ends_with(".tmp")), "{:?}", folder.names());
}

/// Names in a file could colour the terminal, move its cursor and rename its window.
#[test]
fn names_do_nothing_to_a_terminal() {
    let folder = Folder::new("names");
    // Who is in most games is reviewed.
    let game =
        |black: &str| format!("[White \"\x1b[31mAnna\x1b]0;x\x07\"]\n[Black \"\x1b[2J{black}\"]\n\n1. e4 e5 1-0\n\n");
    folder.put("g.pgn", (game("B") + &game("C")).as_bytes());
    good(&folder.run("db import --db d g.pgn"));
    for line in [
        "db explore --db d",
        "coach g.pgn --nodes 10 --threads 1 --journal j --out r.html",
        "analyse g.pgn --nodes 10 --threads 1 --journal k",
    ] {
        let said = folder.run(line);
        // The games that `analyse` prints are for files, and stay as they are.
        let shown = if line.starts_with("analyse") { said.stderr } else { [said.stdout, said.stderr].concat() };
        assert!(String::from_utf8_lossy(&shown).contains("Anna"), "{line}");
        assert!(!shown.iter().any(|byte| byte.is_ascii_control() && *byte != b'\n'), "{line}");
    }
}

/// Books, reports and tables were put in the place of a database's own files.
#[test]
fn nothing_else_is_written_into_a_database() {
    let folder = Folder::new("inside");
    folder.put("g.pgn", GAMES.as_bytes());
    good(&folder.run("db import --db d g.pgn"));
    let files = || ["MANIFEST", "000001.games", "000001.positions"].map(|name| folder.get(&format!("d/{name}")));
    let before = files();
    for line in [
        "book make --min-games 1 --db d --out d/MANIFEST",
        "coach g.pgn --nodes 10 --threads 1 --journal j --db d --out ./d/000001.positions",
        "db export --db d --out d/000001.csv",
    ] {
        let said = folder.run(line);
        let why = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.code() == Some(2) && why.contains("which is an input folder"), "{line}: {why}");
        assert_eq!(files(), before, "{line}");
    }
    good(&folder.run("db export --db d --out d.csv"));
    assert_eq!(folder.run("db verify --deep --db d").status.code(), Some(0));
}

#[test]
fn positions_are_added_to_positions_only() {
    let folder = Folder::new("added");
    let play = |file: &str| folder.run(&format!("tune --self-play 4 --nodes 20 --threads 1 {file}"));
    good(&play("p.epd"));
    let once = folder.get("p.epd");
    good(&play("p.epd"));
    assert!(!once.is_empty() && folder.get("p.epd") == [&once[..], &once[..]].concat());
    for (name, bytes) in [("g.pgn", GAMES.as_bytes()), ("x.games", b"RUKHGAME\xff\xfe\n")] {
        folder.put(name, bytes);
        let said = play(name);
        assert_eq!((said.status.code(), folder.get(name)), (Some(1), bytes.to_vec()), "{name}");
        assert!(String::from_utf8_lossy(&said.stderr).contains("so nothing is added to it"), "{name}");
    }
}

#[test]
fn the_files_of_a_match_are_different_ones() {
    let folder = Folder::new("match");
    folder.put("o.epd", b"e2e4 e7e5\n");
    fs::create_dir(folder.0.join("sub")).unwrap();
    for (line, first, second) in [
        ("--pgn x --json x", "--pgn", "--json"),
        ("--log x --json x", "--log", "--json"),
        ("--pgn o.epd --openings o.epd", "--openings", "--pgn"),
        ("--json ./o.epd --openings o.epd", "--openings", "--json"),
        ("--pgn new --html sub/../new --openings o.epd", "--pgn", "--html"),
    ] {
        let output = folder.run(&format!("match --engine cmd=rukh --engine cmd=rukh --each nodes=10 {line}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&format!("{first} and {second} name the same file")), "{line}: {said}");
    }
    assert_eq!(
        (folder.names(), folder.get("o.epd")),
        (vec!["o.epd".to_owned(), "sub".to_owned()], b"e2e4 e7e5\n".to_vec())
    );
}

#[test]
fn bad_lines_are_named_and_stepped_over() {
    let folder = Folder::new("lines");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let mut fens = format!("{start}\n\n8/8/8/8/8/8/8/8 w - - 0 1\n").into_bytes();
    fens.extend(b"\xff\xfe\n");
    fens.extend(format!("{start}\r\nlast").as_bytes());
    let told = |output: &Output, lines: &[u64], file: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        for line in lines {
            assert!(said.contains(&format!("{file}:{line}: ")), "line {line} of\n{said}");
        }
        let named = said.matches(&format!("{file}:")).count();
        assert_eq!(named, lines.len(), "{said}");
    };
    let codes = folder.fed("code encode -", &fens);
    told(&codes, &[3, 4, 6], "standard input");
    let text = String::from_utf8(codes.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 2);
    let code = text.lines().next().unwrap();
    let decoded = folder.fed("code decode -", format!("{code}\nnonsense\n{code}\n").as_bytes());
    told(&decoded, &[2], "standard input");
    assert_eq!(String::from_utf8(decoded.stdout).unwrap().lines().count(), 2);
    folder.put("p.fen", &fens);
    let answers = folder.run("analyse --positions p.fen --nodes 50");
    told(&answers, &[3, 4, 6], "p.fen");
    assert_eq!(String::from_utf8(answers.stdout).unwrap().lines().count(), 2);
    folder.put("s.epd", b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;\nbroken\n\xff\n");
    let suite = folder.run("suite --nodes 50 s.epd");
    told(&suite, &[2, 3], "s.epd");
    assert!(String::from_utf8(suite.stdout).unwrap().contains("of 1 solved"));
}

/// Some gigabytes that take no room; not every file system can.
fn huge(path: &Path) -> bool {
    fs::File::create(path).and_then(|file| file.set_len(5 << 30)).is_ok()
}

#[cfg(unix)]
#[test]
fn huge_files_are_refused_without_being_read() {
    let folder = Folder::new("huge");
    if !huge(&folder.0.join("huge")) {
        eprintln!("skipped: no sparse files here");
        return;
    }
    for line in [
        "analyse --positions /dev/null --nodes 5 --eval-file huge",
        "code encode --model huge -",
        "match --engine cmd=rukh --engine cmd=rukh --each nodes=10 --openings huge",
        "code encode --model /dev/zero -",
    ] {
        // Little memory: reading it whole would end in another error.
        let script = format!("ulimit -v 1500000; exec {} {line}", env!("CARGO_BIN_EXE_rukh"));
        let output = Command::new("bash").current_dir(&folder.0).args(["-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{line}: {said}");
        assert!(said.contains("longer than") || said.contains("not a Rukh network"), "{line}: {said}");
    }
}

/// `rukh … <(zstd -dc games.pgn.zst)`: a pipe under a name is read once, from its first byte, and known by what is in it.
#[cfg(unix)]
#[test]
fn a_pipe_is_a_file() {
    let folder = Folder::new("pipe");
    let games = b"[White \"A\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White \"B\"]\n\n1. d4 d5 0-1\n";
    for (line, part) in [
        ("analyse --depth 1 --threads 1 /dev/stdin", "[White \"A\"]"),
        ("code stats /dev/stdin", "2 games, 5 positions (chess)"),
        ("pgn stats /dev/stdin", "games                  2"),
    ] {
        let output = folder.fed(line, games);
        let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.contains(part), "{line}: {said}{told}");
    }
}

/// The same by chess.js, which the page's tests install; also what a database writes.
#[test]
fn chess_js_reads_our_games() {
    const SCRIPT: &str = r"
const { Chess } = await import('chess.js').catch(() => (console.log('missing'), process.exit()));
let text = '';
for await (const part of process.stdin) text += part;
for (const pgn of text.split(/\n\n(?=\[Event )/)) {
  const game = new Chess();
  game.loadPgn(pgn);
  const tags = game.getHeaders();
  if (Object.keys(tags).slice(0, 7).join() !== 'Event,Site,Date,Round,White,Black,Result') throw new Error(JSON.stringify(tags));
  const said = game.getComments().map(({ comment }) => comment).join('/');
  console.log(tags.White, tags.Result, game.history().length, said, game.fen());
}
";
    let folder = Folder::new("chess-js");
    folder.put("g.pgn", MANY.as_bytes());
    let games = good(&folder.run("pgn join g.pgn")).stdout.clone();
    let node = || {
        let mut node = Command::new("node");
        node.args(["--input-type=module", "-e", SCRIPT]);
        node.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web"));
        node
    };
    let Some(said) = told(node(), &games) else {
        eprintln!("skipped: no node, or no chess.js (npm ci in web/)");
        return;
    };
    let expected = [
        "Tal, Mihail 1-0 6 Winawer sharp rnbqk1nr/ppp2ppp/4p3/3p4/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 2 4",
        "Botvinnik, Mikhail 1/2-1/2 4  rnbqkb1r/pppppp1p/5np1/8/2P5/5N2/PP1PPPPP/RNBQKB1R w KQkq - 0 3",
        "Tal Mihail 1-0 6  rnbqk1nr/ppp2ppp/4p3/3p4/1b1PP3/2N5/PPP2PPP/R1BQKBNR w KQkq - 2 4",
        "Study * 1  8/8/8/8/8/6k1/6p1/6K1 w - - 1 2",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
    good(&folder.run("db import --db db g.pgn"));
    good(&folder.run("db export --db db --out all.pgn"));
    let stored = told(node(), &folder.get("all.pgn")).unwrap();
    // A database keeps no comments.
    assert_eq!(stored.lines().collect::<Vec<_>>(), expected.map(|line| line.replace("Winawer sharp", "")));
}

/// A file that is not there is said before the games of the others have been read, and nothing is made.
#[test]
fn missing_inputs_are_said_first() {
    let folder = Folder::new("missing");
    folder.put("g.pgn", GAMES.as_bytes());
    for line in [
        "code extract --out new g.pgn gone.pgn",
        "code stats g.pgn gone.pgn",
        "book make --out new g.pgn gone.pgn",
        "coach --out new g.pgn gone.pgn",
        "db import --db new g.pgn gone.pgn",
    ] {
        let output = folder.run(line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.starts_with("rukh: gone.pgn: cannot read: ") && said.lines().count() == 1, "{line}: {said}");
        assert_eq!(folder.names(), ["g.pgn"], "{line}");
    }
}

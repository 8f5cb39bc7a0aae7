//! Sources behind one trait; those on the network against a server that speaks their protocol.
#![cfg(feature = "online")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rukh_core::{Chess, Position, Variant};
use rukh_pgn::AnyPosition;
use rukh_store::selfplay::{GamesWriter, Recipe};
use rukh_store::source::{Access, Item, SourceError, fetch_user, fetch_user_while, open};
use rukh_testing::Folder;

/// Answers requests one after another: what to answer is a function of the request's lines.
struct Service {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    fn start(answer: impl Fn(usize, &str) -> (u16, Vec<u8>) + Send + 'static) -> Service {
        Service::with_heads(move |number, head| {
            let (status, body) = answer(number, head);
            let more = if status == 429 { "Retry-After: 1\r\n" } else { "" };
            (status, format!("Content-Length: {}\r\n{more}", body.len()), body)
        })
    }

    fn with_heads(answer: impl Fn(usize, &str) -> (u16, String, Vec<u8>) + Send + 'static) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut head = String::new();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while reader.read_line(&mut head).unwrap_or(0) > 2 {}
                let number = seen.lock().unwrap().len();
                seen.lock().unwrap().push(head.clone());
                let (status, more, body) = answer(number, &head);
                let _ = write!(stream, "HTTP/1.1 {status} X\r\n{more}Connection: close\r\n\r\n");
                let _ = stream.write_all(&body);
            }
        });
        Service { address, requests }
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    fn request(&self, number: usize) -> String {
        self.requests.lock().unwrap()[number].clone()
    }
}

fn online() -> Access {
    Access { online: true, pause: Duration::ZERO, patience: Duration::from_secs(3), ..Access::default() }
}

fn start() -> AnyPosition {
    Position::<Chess>::startpos().into()
}

const EXPLORER: &str = r#"{"white":7,"draws":2,"black":4,"moves":[
  {"uci":"d2d4","san":"d4","averageRating":2100,"white":1,"draws":1,"black":1,"game":null},
  {"uci":"e2e4","san":"e4","averageRating":2200,"white":6,"draws":1,"black":3,"game":null}],
  "topGames":[],"opening":null}"#;

#[test]
fn the_explorer_with_token_cache_and_pause() {
    let service = Service::start(|_, _| (200, EXPLORER.into()));
    let what = format!("explorer:{}", service.address);
    let cache = Folder::new("explorer");
    let access = Access {
        token: Some("lip_secret".into()),
        cache: Some(cache.0.clone()),
        pause: Duration::from_millis(60),
        ..online()
    };
    let mut source = open(&what, &access).unwrap();
    let entry = source.ask(&start()).unwrap().unwrap();
    let (best, second) = (&entry.moves[0], &entry.moves[1]);
    assert_eq!((best.mv.to_string().as_str(), best.games, best.white, best.rating), ("e2e4", 10, 6, Some(2200)));
    assert_eq!((second.games, second.draws), (3, 1));
    assert!(service.request(0).contains("GET /lichess?variant=standard&fen=rnbqkbnr/pppppppp/8/8/"));
    assert!(service.request(0).to_lowercase().contains("authorization: bearer lip_secret"));
    // Asked again, by this source and by another one: the answer is known.
    source.ask(&start()).unwrap();
    open(&what, &access).unwrap().ask(&start()).unwrap();
    assert_eq!(service.count(), 1);
    // Other questions keep their distance.
    let begin = Instant::now();
    for mv in ["a2a3", "b2b3", "h2h3"] {
        let pos = Position::<Chess>::startpos();
        // The fixed answer is wrong for Black's positions, and that is said.
        let error = source.ask(&pos.after(pos.parse_uci(mv).unwrap()).into()).unwrap_err();
        assert!(error.to_string().contains("illegal move"), "{error}");
    }
    assert!(begin.elapsed() >= Duration::from_millis(120), "{:?}", begin.elapsed());
}

#[test]
fn what_a_service_can_do_wrong() {
    let answers: [(u16, &str); 5] =
        [(401, ""), (500, ""), (200, "<html>"), (200, "{}"), (200, "{\"moves\":[{\"uci\":\"e2e5\"}]}")];
    let service = Service::start(move |n, _| (answers[n % 5].0, answers[n % 5].1.into()));
    let mut source = open(&format!("masters:{}/", service.address), &online()).unwrap();
    let mut ask = || source.ask(&start()).unwrap_err();
    assert!(matches!(ask(), SourceError::Token(_)));
    assert!(matches!(ask(), SourceError::Unreachable { .. }));
    // A bad answer is not kept.
    for _ in 0..3 {
        assert!(matches!(ask(), SourceError::Bad { .. }));
    }
    assert_eq!(service.count(), 5);
    // Nobody there. (A port that was free a moment ago may be another test's by now.)
    let mut source = open("explorer:http://127.0.0.1:1", &online()).unwrap();
    assert!(matches!(source.ask(&start()), Err(SourceError::Unreachable { .. })));
    // Without --online nobody is asked.
    for what in ["explorer", "masters", "chessdb", "lichess:2017-04"] {
        let error = open(what, &Access::default()).err().unwrap();
        assert!(matches!(error, SourceError::Offline(_)), "{error}");
    }
}

#[test]
fn too_many_questions_are_waited_for_or_reported() {
    let service = Service::start(|n, _| if n == 0 { (429, Vec::new()) } else { (200, EXPLORER.into()) });
    let what = format!("explorer:{}", service.address);
    let begin = Instant::now();
    assert!(open(&what, &online()).unwrap().ask(&start()).unwrap().is_some());
    assert!(begin.elapsed() >= Duration::from_secs(1), "it asked for a second");
    let service = Service::start(|_, _| (429, Vec::new()));
    let hasty = Access { patience: Duration::ZERO, ..online() };
    let error = open(&format!("explorer:{}", service.address), &hasty).unwrap().ask(&start()).unwrap_err();
    assert!(matches!(error, SourceError::TooOften { seconds: 1, .. }), "{error}");
}

/// Sources are called what they were asked for, which is what answers name.
#[test]
fn files_keep_their_names() {
    let folder = Folder::new("sources-names");
    let games = folder.join("own.games");
    drop(GamesWriter::create(&games, Variant::Chess, &Recipe { soft_nodes: 1, hard_nodes: 1, network: 0 }).unwrap());
    let book = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data/book.bin");
    let (pgn, epd) = (folder.join("a.pgn"), folder.join("a.epd"));
    std::fs::write(&pgn, "1. e4 *\n").unwrap();
    std::fs::write(&epd, "4k3/8/8/8/8/8/8/4K3 w - -\n").unwrap();
    for path in [games, book, pgn, epd] {
        assert_eq!(open(&path, &Access::default()).unwrap().name(), path.to_str().unwrap());
    }
}

/// A folder is told from a file before anything reads it, whatever its name ends with.
#[test]
fn folders_are_no_sources() {
    let folder = Folder::new("sources-folders");
    for name in ["plain", "games.pgn", "suite.epd", "book.bin", "own.games"] {
        let path = folder.join(name);
        std::fs::create_dir(&path).unwrap();
        let refusal = |words: &str| {
            let said = open(&path, &Access::default()).err().unwrap().to_string();
            assert!(said.starts_with(path.to_str().unwrap()) && said.contains(words), "{said}");
        };
        refusal("this is a folder; sources are files");
        std::fs::write(path.join("MANIFEST"), "").unwrap();
        refusal("this is a database: use 'rukh db explore --db ");
    }
}

#[test]
fn chessdb_scores() {
    let body = "move:e2e4,score:1,rank:2,note:! (20-00),winrate:50.08|move:g2g4,score:-94,rank:0,note:? (20-00),winrate:40.1|\
                move:a2a3,score:??,rank:0,note:? (20-00)\0";
    let service = Service::start(move |n, _| match n {
        0 => (200, body.into()),
        1 => (200, "unknown".into()),
        _ => (200, "invalid board\0".into()),
    });
    let mut source = open(&format!("chessdb:{}/cdb.php", service.address), &online()).unwrap();
    let entry = source.ask(&start()).unwrap().unwrap();
    let scores: Vec<_> = entry.moves.iter().map(|m| (m.mv.to_string(), m.score)).collect();
    assert_eq!(scores, [("e2e4".into(), Some(1)), ("g2g4".into(), Some(-94)), ("a2a3".into(), None)]);
    assert!(service.request(0).contains("/cdb.php?action=queryall&board="));
    assert!(!service.request(0).to_lowercase().contains("authorization"));
    let pos = Position::<Chess>::from_fen("8/8/8/4k3/8/8/8/KQ6 w - - 0 1").unwrap();
    assert!(source.ask(&pos.into()).unwrap().is_none());
    let pos = Position::<Chess>::from_fen("8/8/8/4k3/8/8/8/KR6 w - - 0 1").unwrap();
    assert!(matches!(source.ask(&pos.into()), Err(SourceError::Bad { .. })));
}

const PGN: &str =
    "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 1-0\n\n[White \"C\"]\n\n1. d4 Ke7 0-1\n\n[White \"D\"]\n\n1. c4 *\n";

fn games(what: &str, access: &Access) -> (usize, usize) {
    let mut source = open(what, access).unwrap();
    let (mut good, mut bad) = (0, 0);
    while let Some(item) = source.next() {
        match item {
            Ok(Item::Game(_)) => good += 1,
            Ok(Item::Position(_)) => panic!("games were expected"),
            Err(_) => bad += 1,
        }
    }
    (good, bad)
}

#[test]
fn a_dump_streams_or_is_fetched() {
    let service = Service::start(|_, _| (200, PGN.into()));
    let what = format!("lichess:{}/month.pgn", service.address);
    assert_eq!(games(&what, &online()), (2, 1));
    let cache = Folder::new("dump");
    let access = Access { cache: Some(cache.0.clone()), ..online() };
    assert_eq!(games(&what, &access), (2, 1));
    assert_eq!(std::fs::read_to_string(cache.join("month.pgn")).unwrap(), PGN);
    // The file is there now, so that the network is not needed.
    assert_eq!(games(&what, &Access { online: false, ..access }), (2, 1));
    assert!(matches!(open("lichess:2017-13", &online()), Err(SourceError::Bad { .. })));
}

/// A server of one file, as they are: it knows versions and parts. The first answer breaks off after `cut` bytes.
fn archive(cut: usize, change: bool) -> Service {
    Service::with_heads(move |number, head| {
        let head = head.to_lowercase();
        let field = |name: &str| head.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
        let (version, body) =
            if change && number > 0 { ("\"2\"", PGN.replace("Ke7", "d5")) } else { ("\"1\"", PGN.to_owned()) };
        let from = field("range: bytes=").and_then(|range| range.split('-').next()?.parse::<usize>().ok());
        let common = format!("ETag: {version}\r\n");
        match from.filter(|_| field("if-range:").is_none_or(|asked| asked == version)) {
            Some(from) if from >= body.len() => (416, format!("{common}Content-Length: 0\r\n"), Vec::new()),
            Some(from) => {
                let range = format!("Content-Range: bytes {from}-{}/{}\r\n", body.len() - 1, body.len());
                let rest = body.as_bytes()[from..].to_vec();
                (206, format!("{common}{range}Content-Length: {}\r\n", rest.len()), rest)
            }
            None => {
                let sent = if number == 0 { cut } else { body.len() };
                (200, format!("{common}Content-Length: {}\r\n", body.len()), body.as_bytes()[..sent].to_vec())
            }
        }
    })
}

#[test]
fn a_broken_download_goes_on_if_the_file_is_still_the_same() {
    let cache = Folder::new("broken");
    let access = Access { cache: Some(cache.0.clone()), ..online() };
    let part = cache.join("month.pgn.part");
    let file = cache.join("month.pgn");
    for (change, wanted) in [(false, PGN.to_owned()), (true, PGN.replace("Ke7", "d5"))] {
        let service = archive(40, change);
        let what = format!("lichess:{}/month.pgn", service.address);
        assert!(open(&what, &access).is_err());
        assert_eq!(std::fs::read_to_string(&part).unwrap(), PGN[..40], "what has come is kept");
        assert_eq!(games(&what, &access).0, if change { 3 } else { 2 });
        assert!(service.request(1).to_lowercase().contains("range: bytes=40-"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), wanted, "never two halves of two files");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 0);
    }
    // A part that nobody knows the version of is begun again.
    let service = archive(PGN.len(), false);
    let what = format!("lichess:{}/month.pgn", service.address);
    std::fs::write(&part, "[White \"another file\"]").unwrap();
    // One without any note was begun by somebody else.
    let error = open(&what, &access).err().unwrap().to_string();
    assert!(error.contains("month.pgn.part is in the way"), "{error}");
    assert_eq!(std::fs::read_to_string(&part).unwrap(), "[White \"another file\"]");
    std::fs::write(cache.join("month.pgn.part-of"), "").unwrap();
    assert_eq!(games(&what, &access), (2, 1));
    assert!(!service.request(0).to_lowercase().contains("range:"));
    std::fs::remove_file(&file).unwrap();
    // Killed when all had come and before it had its name: there is nothing behind it.
    std::fs::write(&part, PGN).unwrap();
    std::fs::write(cache.join("month.pgn.part-of"), "\"1\"").unwrap();
    assert_eq!(games(&what, &access), (2, 1));
    std::fs::remove_file(&file).unwrap();
    // What stops between the last byte and the name does not make the part a stranger's.
    let hindrance = file.clone();
    let service = Service::start(move |number, _| {
        if number == 0 {
            std::fs::create_dir(&hindrance).unwrap();
        }
        (200, PGN.into())
    });
    let what = format!("lichess:{}/month.pgn", service.address);
    let error = open(&what, &access).err().unwrap().to_string();
    std::fs::remove_dir(&file).unwrap();
    assert!(part.exists() && error.contains("month.pgn"), "{error}");
    assert_eq!(games(&what, &access), (2, 1));
    std::fs::remove_file(&file).unwrap();
    // Nor does a note that a kill left behind matter to anybody.
    std::fs::write(cache.join("month.pgn.part-of"), "\"0\"").unwrap();
    assert_eq!(games(&what, &access), (2, 1));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 0);
    // Two at once would write through each other.
    let other = std::fs::File::create(&part).unwrap();
    other.lock().unwrap();
    let error = open(&what, &access).err().unwrap().to_string();
    assert!(error.ends_with("another program is fetching it now"), "{error}");
    drop(other);
    assert_eq!(games(&what, &access), (2, 1));
}

#[test]
fn another_part_than_was_asked_for_is_not_taken() {
    let service = Service::with_heads(|number, _| match number {
        0 => (
            206,
            format!(
                "ETag: \"1\"\r\nContent-Range: bytes 0-{0}/{1}\r\nContent-Length: {1}\r\n",
                PGN.len() - 1,
                PGN.len()
            ),
            PGN.into(),
        ),
        _ => (200, format!("Content-Length: {}\r\n", PGN.len()), PGN.into()),
    });
    let cache = Folder::new("part");
    std::fs::write(cache.join("month.pgn.part"), &PGN[..40]).unwrap();
    std::fs::write(cache.join("month.pgn.part-of"), "\"1\"").unwrap();
    let access = Access { cache: Some(cache.0.clone()), ..online() };
    assert_eq!(games(&format!("lichess:{}/month.pgn", service.address), &access), (2, 1));
    assert_eq!((service.count(), std::fs::read_to_string(cache.join("month.pgn")).unwrap().as_str()), (2, PGN));
}

#[test]
fn any_address_of_a_pgn_file_is_a_source() {
    let packed = zstd::encode_all(PGN.as_bytes(), 3).unwrap();
    let body = packed.clone();
    let service = Service::start(move |_, head| match head {
        head if head.contains("/a.pgn.zst") => (200, body.clone()),
        head if head.contains("/b.pgn") => (200, PGN.into()),
        _ => (404, Vec::new()),
    });
    let [zst, plain, none] = ["a.pgn.zst?x=1", "b.pgn", "c.pgn"].map(|name| format!("{}/{name}", service.address));
    let access = Access { token: Some("lip_secret".into()), ..online() };
    assert_eq!((games(&zst, &access), games(&plain, &access)), ((2, 1), (2, 1)));
    assert!(!service.request(0).to_lowercase().contains("authorization"), "the token is for another service");
    assert!(matches!(open(&none, &access), Err(SourceError::Missing(_))));
    assert!(matches!(open(&zst, &Access::default()), Err(SourceError::Offline(_))));
    // Two files of one name are not confused.
    let cache = Folder::new("anywhere");
    let access = Access { cache: Some(cache.0.clone()), ..access };
    assert_eq!(games(&zst, &access), (2, 1));
    assert_eq!(games(&format!("{}/other/b.pgn", service.address), &access), (2, 1));
    assert_eq!(games(&plain, &access), (2, 1));
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 3);
}

#[test]
fn files_of_every_kind() {
    let dir = Folder::new("files");
    let path = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    std::fs::write(path("g.pgn"), PGN).unwrap();
    assert_eq!(games(&path("g.pgn"), &Access::default()), (2, 1));
    std::fs::write(
        path("s.epd"),
        "# a comment\n\n8/8/8/4k3/8/8/8/KQ6 w - - bm Qe4+ Qb5+; id \"one\";\nnonsense\n8/8/8/4k3/8/8/8/KR6 w - - 0 1\n",
    )
    .unwrap();
    let mut list = open(&path("s.epd"), &Access::default()).unwrap();
    match list.next() {
        Some(Ok(Item::Position(entry))) => {
            assert_eq!((entry.name.as_deref(), entry.moves.len()), (Some("one"), 2));
        }
        other => panic!("{other:?}"),
    }
    assert!(list.next().unwrap().unwrap_err().to_string().contains("s.epd:4"));
    assert!(matches!(list.next(), Some(Ok(Item::Position(_)))));
    assert!(list.next().is_none());
    // A book of one move, walked through and asked.
    let mut maker = rukh_store::book::BookMaker::new(rukh_store::book::MakeOptions {
        min_games: 1,
        uniform: true,
        ..Default::default()
    });
    maker.add(&rukh_pgn::read_game(b"1. e4 e5 2. Nf3 1-0").unwrap());
    let mut bytes = Vec::new();
    rukh_store::book::write_entries(&maker.finish(), &mut bytes).unwrap();
    std::fs::write(path("b.bin"), bytes).unwrap();
    let mut book = open(&path("b.bin"), &Access::default()).unwrap();
    assert_eq!(book.ask(&start()).unwrap().unwrap().moves[0].mv.to_string(), "e2e4");
    assert_eq!(std::iter::from_fn(|| book.next()).count(), 3);
    assert!(matches!(open(&path("none.xyz"), &Access::default()), Err(SourceError::Unknown(..))));
    assert!(matches!(open(&path("none.epd"), &Access::default()), Err(SourceError::Bad { .. })));
}

fn user_game(number: u32) -> String {
    format!(
        "[Event \"rated blitz game\"]\n[Site \"https://lichess.org/game{number:04}\"]\n[White \"Anna\"]\n[Black \"b\"]\n[Result \"*\"]\n\
         [UTCDate \"2024.01.01\"]\n[UTCTime \"00:00:{number:02}\"]\n\n1. e4 {{ [%clk 0:03:00] }} e5 *\n\n\n"
    )
}

/// As Lichess documents it: all games of a user as PGN, the oldest first, from `since` on; cut off once, too often once.
#[test]
fn the_games_of_a_lichess_user() {
    const FIRST: i64 = 1_704_067_200_000;
    let service = Service::start(|number, head| {
        let path = head.split(' ').nth(1).unwrap_or_default();
        if !path.starts_with("/api/games/user/anna?sort=dateAsc") {
            return (404, Vec::new());
        }
        let since: i64 = path.split("since=").nth(1).map_or(0, |ms| ms.parse().unwrap());
        let all: String = (1..5).filter(|n| FIRST + 1000 * i64::from(*n) >= since).map(user_game).collect();
        match number {
            // The connection breaks in the third game, and what is asked next comes too soon.
            0 => (200, all.as_bytes()[..2 * user_game(1).len() + 50].to_vec()),
            1 => (429, Vec::new()),
            _ => (200, all.into_bytes()),
        }
    });
    let what = format!("lichess-user:Anna@{}", service.address);
    let cache = Folder::new("lichess-user");
    let access = Access { cache: Some(cache.0.clone()), token: Some("lip_secret".into()), ..online() };
    let path = cache.join("lichess-user-anna.pgn");
    let _ = open(&what, &access);
    assert!(std::fs::metadata(&path).unwrap().len() > 0, "what has come is kept");
    assert_eq!(games(&what, &access), (4, 0));
    assert!(service.request(0).to_lowercase().contains("authorization: bearer lip_secret"));
    let since = format!("since={}", FIRST + 2000);
    assert!(
        service.request(2).contains(&since),
        "after a wait it goes on from the last whole game: {}",
        service.request(2)
    );
    // Two at once would write through each other.
    let other = std::fs::File::open(&path).unwrap();
    other.lock().unwrap();
    let error = open(&what, &access).err().unwrap().to_string();
    assert!(error.ends_with("another program is fetching it now"), "{error}");
    drop(other);
    // Without the network there is what was fetched.
    let offline = Access { online: false, ..access.clone() };
    assert_eq!(games(&what, &offline), (4, 0));
    assert_eq!(games(&what, &access), (4, 0), "nothing comes twice");
    assert_eq!(fetch_user(&what, &access).unwrap(), std::slice::from_ref(&path));
    // Somebody has seen enough after two games.
    let few = Access { cache: Some(cache.join("few")), ..access.clone() };
    let told = |files: Vec<PathBuf>| std::fs::read_to_string(&files[0]).unwrap();
    let some = told(fetch_user_while(&what, &few, &mut |count| count < 2).unwrap());
    assert_eq!(some, (1..3).map(user_game).collect::<String>());
    let mut last = 0;
    let seen = &mut |count| {
        last = count;
        true
    };
    let rest = told(fetch_user_while(&what, &few, seen).unwrap());
    assert_eq!((rest, last), ((1..5).map(user_game).collect(), 2), "the other two");
    let all: String = (1..5).map(user_game).collect();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), all, "as the service wrote them, with clocks");
    let error = open(&what, &Access { cache: None, ..offline }).err().unwrap();
    assert_eq!(error.to_string(), "Lichess is an online source: add --online to use it");
    // While they arrive, without a folder.
    assert_eq!(games(&what, &online()), (4, 0));
    let error = open(&format!("lichess-user:nobody@{}", service.address), &access).err().unwrap();
    assert_eq!(error.to_string(), "Lichess: there is no user nobody with public games");
    assert!(matches!(open("lichess-user:../x", &access), Err(SourceError::Bad { .. })));
}

/// The network goes away in the third game without a word, as when a computer sleeps: what has come is kept, and nobody waits on.
#[test]
fn a_silent_connection_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let sent = [user_game(1), user_game(2), user_game(3)[..50].to_owned()].concat();
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{sent}").unwrap();
        stream
    });
    let cache = Folder::new("silent");
    let access = Access { cache: Some(cache.0.clone()), patience: Duration::from_secs(1), ..online() };
    let error = open(&format!("lichess-user:Anna@http://{address}"), &access).err().unwrap().to_string();
    assert!(error.contains("nothing has come for 1 second"), "{error}");
    let kept = std::fs::read_to_string(cache.join("lichess-user-anna.pgn")).unwrap();
    assert_eq!(kept, [user_game(1), user_game(2)].concat());
    drop(server.join().unwrap());
}

/// As chess.com documents it: a list of months, and each month's games with `/pgn` behind its address.
#[test]
fn the_games_of_a_chesscom_user() {
    let own = Arc::new(Mutex::new(String::new()));
    let base = own.clone();
    let service = Service::start(move |_, head| {
        let base = base.lock().unwrap().clone();
        match head.split(' ').nth(1).unwrap_or_default() {
            "/pub/player/anna/games/archives" => {
                let month = |month: u32| format!("\"{base}/pub/player/anna/games/2024/{month:02}\"");
                (200, format!("{{\"archives\":[{},{},\"http://elsewhere/x\"]}}", month(1), month(2)).into_bytes())
            }
            "/pub/player/anna/games/2024/01/pgn" => (200, [user_game(1), user_game(2)].concat().into_bytes()),
            // Not all of it is UTF-8.
            "/pub/player/anna/games/2024/02/pgn" => (200, [b"% caf\xe9\n", user_game(3).as_bytes()].concat()),
            _ => (404, Vec::new()),
        }
    });
    *own.lock().unwrap() = service.address.clone();
    let what = format!("chesscom-user:anna@{}", service.address);
    let cache = Folder::new("chesscom-user");
    let access = Access { cache: Some(cache.0.clone()), token: Some("lip_secret".into()), ..online() };
    assert_eq!(games(&what, &access), (3, 0));
    assert!(!service.request(1).to_lowercase().contains("authorization"), "the token is for another service");
    let asked = service.count();
    assert_eq!(games(&what, &access), (3, 0));
    assert_eq!(service.count() - asked, 2, "the list and the month that is still open");
    assert_eq!(games(&what, &Access { online: false, ..access.clone() }), (3, 0));
    assert_eq!(games(&what, &online()), (3, 0), "while they arrive");
    let mut last = 0;
    let counted = fetch_user_while(&what, &access, &mut |count| {
        last = count;
        true
    });
    assert_eq!((counted.unwrap().len(), last), (2, 3));
    let error = open(&format!("chesscom-user:nobody@{}", service.address), &access).err().unwrap();
    assert_eq!(error.to_string(), "chess.com: there is no user nobody with public games");
}

/// The engine's own games come with their first positions, moves and results.
#[test]
fn games_of_self_play_are_a_source() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/chess960-v2.games");
    let mut source = open(path, &Access::default()).unwrap();
    let mut games = Vec::new();
    while let Some(item) = source.next() {
        let Item::Game(game) = item.unwrap() else { panic!("games, not positions") };
        games.push(game);
    }
    assert_eq!(games.len(), 6);
    assert_eq!(games[0].start.fen(), "bbqrknnr/pppppppp/8/8/8/8/PPPPPPPP/BBQRKNNR w KQkq - 0 1");
    // 355 of them have scores; each game begins with two or three at random.
    let moves: Vec<usize> = games.iter().map(|game| game.moves.len()).collect();
    assert!((355 + 2 * 6..=355 + 3 * 6).contains(&moves.iter().sum::<usize>()), "{moves:?}");
    assert!(games.iter().all(|game| game.tags.get_raw("Variant").is_some() && game.tags.white() == "Rukh"));
}

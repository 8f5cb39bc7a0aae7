//! The declarations for JavaScript and the messages of this crate are the same: every question of `types.ts` is put, and its
//! answer must have the declared fields and no others.

#[cfg(feature = "reports")]
mod reports;
mod typescript;

use std::collections::BTreeSet;

use rukh_api::{Host, Json, Reporter, answer, limits};
use rukh_engine::{Engine, Options};
use typescript::{Declarations, Type};

/// Every question at least once; together the answers have every optional field.
const QUESTIONS: &[&str] = &[
    r#"{"ask":"state","moves":["e2e4","c7c5","e4e5","d7d5"]}"#,
    r#"{"ask":"state","moves":["f2f3","e7e5","g2g4","d8h4"]}"#,
    r#"{"ask":"state","variant":"makruk","fen":"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"}"#,
    r#"{"ask":"state","variant":"makruk","fen":"4k3/2r5/8/8/8/8/2N5/R3K3 w - - 0 40","honour":"unclaimed","moves":["a1a2"],"counting":[1]}"#,
    r#"{"ask":"state","variant":"chess960","fen":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"}"#,
    r#"{"ask":"move","text":"Nf3"}"#,
    r#"{"ask":"line","variant":"makruk","line":["d3d4","x"]}"#,
    r#"{"ask":"checkFen","variant":"chess","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#,
    r#"{"ask":"chess960","number":0}"#,
    r#"{"ask":"opening","moves":["e2e4","e7e5","g1f3"]}"#,
    r#"{"ask":"opening","variant":"makruk"}"#,
    r#"{"ask":"parsePgn","text":"[White \"x\"]\n\n1. e4 $1 {[%clk 0:03:00] [%eval 0.25] a [%cal Ge2e4][%csl Rd4]} ({b} 1. d4 Kd7) e5 {[%eval #-3]} *\n\n[Event \"B\"]\n\n1. Ke3 *"}"#,
    r#"{"ask":"parsePgn","text":"[Variant \"Makruk\"]\n\n1. d4 *"}"#,
    r#"{"ask":"indexPgn","text":"1. e4 c5 1-0"}"#,
    r#"{"ask":"writePgn","game":{"tags":[["White","x"]],"nodes":[{"parent":0,"uci":""},{"parent":0,"uci":"e2e4","comments":["a"],"nags":[1],"clock":null,"eval":{"cp":3},"shapes":[{"color":"red","from":"e4"}]}]}}"#,
    r#"{"ask":"chances","variant":"chess","score":{"mate":3}}"#,
    r#"{"ask":"review","variant":"chess","first":"white","evaluations":[{"cp":20},{"cp":-500},null,{"cp":0}]}"#,
    r#"{"ask":"levels"}"#,
    r#"{"ask":"manners","variant":"makruk","honour":"unclaimed","fen":"4k3/8/4n3/8/8/3RK3/3S4/8 b - - 0 30","opinion":-400}"#,
    r#"{"ask":"bitboards"}"#,
    r#"{"ask":"pieceMoves","square":"e2","fen":"4r1k1/8/8/8/8/8/4B3/4K3 w - - 0 1"}"#,
    r#"{"ask":"slider","square":"d4","kind":"rook","occupied":"00000000000000ff"}"#,
    r#"{"ask":"zobrist","moves":["e2e4"]}"#,
    r#"{"ask":"zobrist","variant":"makruk","fen":"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"}"#,
    r#"{"ask":"tables","variant":"makruk","fen":"8/3k4/8/2K1R3/8/8/8/8 w - - 0 1"}"#,
    r#"{"ask":"evaluation"}"#,
    r#"{"ask":"placements","square":"e2"}"#,
    r#"{"ask":"perft","depth":2,"divide":true}"#,
    r#"{"ask":"perft","depth":2,"board":"0x88"}"#,
    r#"{"ask":"mailbox","square":"b1"}"#,
    r#"{"ask":"encode"}"#,
    r#"{"ask":"encode","fen":"qqqqk3/qqqqq3/n6n/8/8/N6N/3QQQQQ/3KQQQQ w - - 0 1"}"#,
    r#"{"ask":"decode","variant":"chess","code":"fdc_yeyowhwg-"}"#,
    r#"{"ask":"codePrice"}"#,
    r#"{"ask":"collisions","bits":16,"positions":2000}"#,
    r#"{"ask":"explain","fen":"4k3/8/8/8/3n4/8/8/R3K3 w - - 0 1","played":{"score":{"cp":-300},"line":["e1d2","d4b3","d2c2","b3a1"]},"best":{"score":{"cp":200},"line":["a1b1","d4f3","e1f2"]}}"#,
    r#"{"ask":"coachStep","player":"x","pgn":"[White \"x\"]\n\n1. f3 e5 2. g4 Qh4# 0-1","nodes":10,"searches":[]}"#,
    r#"{"ask":"insights","player":"x","games":[],"searches":[]}"#,
    r#"{"ask":"repertoire","side":"white","nodes":[],"masters":[]}"#,
    REPERTOIRE,
    r#"{"ask":"ordering","depth":3,"fen":"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"}"#,
    r#"{"ask":"trace","depth":4,"limit":500,"off":{"table":true},"fen":"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1"}"#,
];

/// A player who begins with a2-a3 twice, which masters hardly do; what they do after 1. e4 is not known yet.
const REPERTOIRE: &str = r#"{"ask":"repertoire","side":"white","nodes":[
    {"key":"chess:fdc_yeyowhwg-","fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","ply":0,"games":5,"points":2.5,"expected":null,"best":null,
     "moves":[{"uci":"e2e4","san":"e4","to":"x","games":3,"points":1.5},{"uci":"a2a3","san":"a3","to":"y","games":2,"points":1}]},
    {"key":"chess:0","fen":"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1","ply":1,"games":3,"points":1.5,"expected":null,"best":null,"moves":[]}],
    "masters":[{"key":"chess:fdc_yeyowhwg-","moves":[{"uci":"e2e4","games":600},{"uci":"d2d4","games":399},{"uci":"a2a3","games":1}]}]}"#;

/// The question for the insights of two games, in which all that `coachStep` wants was searched.
fn reviewed_by_questions() -> String {
    let host = Host::new(Engine::new(Options { hash: 1, ..Options::default() }).unwrap());
    let quoted = |text: &str| rukh_api::object(|out| out.str("x", text))[5..].trim_end_matches('}').to_owned();
    let pgn = |end: &str| {
        let tags = "[White \"x\"]\n[Black \"y\"]\n[Date \"2024.02.29\"]\n[BlackElo \"1500\"]\n";
        quoted(&format!("{tags}[Result \"0-1\"]\n\n1. f3 {{[%clk 0:03:00]}} e5 2. g4 {{[%clk 0:02:50]}} {end} 0-1"))
    };
    let games = [pgn("Qh4#"), pgn("d5 3. Kf2 Qh4+"), pgn("d5 3. d3 Qh4+")];
    let mut searches: Vec<String> = Vec::new();
    for game in &games {
        loop {
            let known = searches.join(",");
            let step = format!(r#"{{"ask":"coachStep","player":"x","nodes":50,"pgn":{game},"searches":[{known}]}}"#);
            let told = read(&answer(&step).unwrap());
            let wanted = told.get("wanted").unwrap().list();
            if wanted.is_empty() {
                break;
            }
            for search in wanted {
                let (key, fen) = (search.str("key").unwrap(), search.str("fen").unwrap());
                let (nodes, men) = (search.uint("nodes").unwrap(), search.uint("men").unwrap());
                host.request(&read(&format!(r#"{{"do":"position","fen":"{fen}"}}"#))).unwrap();
                let only = search.str("only").map_or(String::new(), |mv| format!(r#","searchmoves":["{mv}"]"#));
                let go = read(&format!(r#"{{"nodes":{nodes}{only}}}"#));
                let limits = limits(&go, &host.engine().position()).unwrap();
                let mut reporter = Reporter::new(host.engine());
                let result = host.engine().go(limits, |info| {
                    reporter.info(info);
                });
                let result = read(&reporter.result(&result));
                let best = &result.get("lines").unwrap().list()[0];
                let score = best.get("score").unwrap();
                let (name, value) = match score.get("mate").and_then(Json::number) {
                    Some(mate) => ("mate", mate),
                    None => ("cp", score.get("cp").and_then(Json::number).unwrap()),
                };
                let line: Vec<&str> = best.get("pv").unwrap().list().iter().filter_map(Json::text).collect();
                let line = line.join(" ");
                searches.push(format!(
                    r#"{{"key":"{key}","nodes":{nodes},"men":{men},"depth":1,"score":{{"{name}":{value}}},"line":"{line}"}}"#
                ));
            }
        }
    }
    let (games, known) = (games.join(","), searches.join(","));
    format!(r#"{{"ask":"insights","player":"x","nodes":50,"games":[{games}],"searches":[{known}]}}"#)
}

fn declarations() -> Declarations {
    let mut all = Declarations::default();
    all.read(include_str!("../../../../../web/engine/src/types.ts"));
    all.read(include_str!("../../../../../web/engine/src/types/positions.ts"));
    all.read(include_str!("../../../../../web/engine/src/types/learn.ts"));
    all.read(include_str!("../../../../../web/engine/src/types/coach.ts"));
    all.read(include_str!("../../../../../web/src/engine/answers.ts"));
    all
}

fn read(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The words of a union's `ask` or `do`.
fn words(all: &Declarations, declared: &Type, field: &str) -> BTreeSet<String> {
    let Type::Union(list) = declared else { panic!("{declared:?} is no union") };
    let word = |inner: &Type| {
        let fields = all.fields(inner)?;
        let (_, _, Type::Literal(word)) = fields.into_iter().find(|(name, ..)| name == field)? else { return None };
        Some(word)
    };
    list.iter().filter_map(word).collect()
}

/// The words that the code compares with.
fn arms(source: &str) -> BTreeSet<String> {
    let word = |line: &str| {
        let line = line.trim_start().trim_start_matches("Some(");
        let (word, rest) = line.strip_prefix('"')?.split_once('"')?;
        (rest.trim_start_matches(')').starts_with(" =>")).then(|| word.to_owned())
    };
    source.lines().filter_map(word).collect()
}

#[test]
fn answers_are_as_declared() {
    let all = declarations();
    let (question, answers) = (Type::Named("Question".into()), all.fields(all.get("Answers")).unwrap());
    let mut asked = BTreeSet::new();
    let mut look = |text: &str, told: &str| {
        let (said, told) = (read(text), read(told));
        let ask = said.str("ask").unwrap();
        all.check(&question, &said, "question").unwrap_or_else(|error| panic!("{text}: {error}"));
        let (_, _, declared) =
            answers.iter().find(|(name, ..)| name == ask).unwrap_or_else(|| panic!("no answer {ask}"));
        all.check(declared, &told, ask).unwrap_or_else(|error| panic!("{text}: {error}"));
        asked.insert(ask.to_owned());
    };
    for text in QUESTIONS {
        look(text, &answer(text).unwrap_or_else(|error| panic!("{text}: {error}")));
    }
    let insights = reviewed_by_questions();
    look(&insights, &answer(&insights).unwrap());
    let squares = vec!["null"; 64].join(",");
    let setup = format!(r#"{{"ask":"checkSetup","setup":{{"variant":"chess","turn":"white","squares":[{squares}]}}}}"#);
    look(&setup, &answer(&setup).unwrap());
    let host = Host::new(Engine::new(Options { hash: 1, ..Options::default() }).unwrap());
    for text in [r#"{"ask":"hashProbe"}"#, r#"{"ask":"hashMap","cells":4}"#] {
        look(text, &host.request(&read(&format!(r#"{{"do":"ask","question":{text}}}"#))).unwrap());
    }
    // Every question that is declared was asked, and there are no others.
    assert_eq!(asked, words(&all, all.get("Question"), "ask"));
    let mut known = arms(include_str!("../../../src/lib.rs"));
    known.extend(arms(include_str!("../../../src/learn/mod.rs")));
    known.extend(arms(include_str!("../../../src/host.rs")).into_iter().filter(|word| word.starts_with("hash")));
    assert_eq!(asked, known);
    let names = [
        "LegalMove", "Outcome", "MakrukCount", "BoardState", "LineMove", "Line", "Opening", "FenCheck", "SetupCheck",
        "PgnNode", "Shape", "PgnGame", "PgnError", "PgnFile", "IndexedGame", "PgnIndex", "Manners", "Chances",
        "MoveReview", "GameReview", "Level", "Bitboards", "PieceMoves", "SliderLookup", "ZobristTerm", "Zobrist",
        "Collisions", "EvaluationTerm", "EvaluationTrace", "Placements", "Perft", "PositionCode", "CodePrice",
        "TableProbe", "HashEntry", "HashProbe", "HashMap", "OrderedMove", "Ordering", "TraceNode", "Trace", "Fact",
        "CoachWanted", "Insights", "OpeningNode", "CoachReport", "RepertoireGap",
    ];
    assert_eq!(all.unseen(&names), Vec::<String>::new(), "declared, and in no answer");
}

#[test]
fn searches_and_requests_are_as_declared() {
    let all = declarations();
    let host = Host::new(Engine::new(Options { hash: 1, ..Options::default() }).unwrap());
    let request = Type::Named("EngineRequest".into());
    let mut known = BTreeSet::new();
    for text in [
        r#"{"id":1,"do":"hello","variant":"chess","hash":1,"threads":1}"#,
        r#"{"id":2,"do":"position","fen":"startpos","moves":["e2e4"]}"#,
        r#"{"id":3,"do":"makeMove","uci":"e7e5"}"#,
        r#"{"id":4,"do":"option","name":"MultiPV","value":"2"}"#,
        r#"{"id":5,"do":"ask","question":{"ask":"levels"}}"#,
        r#"{"id":6,"do":"newGame"}"#,
    ] {
        all.check(&request, &read(text), "request").unwrap();
        host.request(&read(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        known.insert(read(text).str("do").unwrap().to_owned());
    }
    let requests = arms(include_str!("../../../src/host.rs")).into_iter().filter(|word| !word.starts_with("hash"));
    assert_eq!(known, requests.collect(), "what a host does");

    let mate = r#"{"do":"position","fen":"7k/8/5KQ1/8/8/8/8/8 w - - 0 1"}"#;
    for position in [r#"{"do":"position","fen":"startpos"}"#, mate] {
        host.request(&read(position)).unwrap();
        let go = r#"{"id":7,"do":"go","depth":5,"multipv":2,"searchmoves":["e2e4","g6g7","g6h7"]}"#;
        all.check(&request, &read(go), "request").unwrap();
        let mut reporter = Reporter::new(host.engine());
        let mut infos = Vec::new();
        let limits = limits(&read(go), &host.engine().position()).unwrap();
        let result = host.engine().go(limits, |info| infos.push(reporter.info(info)));
        for info in &infos {
            all.check(&Type::Named("Info".into()), &read(info), "info").unwrap();
            let message = read(&rukh_api::message::info(7, info));
            all.check(&Type::Named("EngineMessage".into()), &message, "message").unwrap();
        }
        let result = reporter.result(&result);
        all.check(&Type::Named("GoResult".into()), &read(&result), "result").unwrap();
        for message in [
            rukh_api::message::done(7, &result),
            rukh_api::message::refusal(7, "why"),
            rukh_api::message::farewell("why", true),
        ] {
            all.check(&Type::Named("EngineMessage".into()), &read(&message), "message").unwrap();
        }
    }
    all.check(&Type::Named("Greeting".into()), &read(&host.hello()), "greeting").unwrap();
    #[cfg(feature = "reports")]
    guests_are_as_declared(&all);
    assert_eq!(all.unseen(&["Info", "GoResult", "Score"]), Vec::<String>::new(), "declared, and never sent");
}

/// Other people's engines are told about in the same words.
#[cfg(feature = "reports")]
fn guests_are_as_declared(all: &Declarations) {
    use rukh_api::guest::{GuestReporter, greeting};
    let hello = r#"{"id":1,"do":"hello","engine":"Stockfish"}"#;
    all.check(&Type::Named("EngineRequest".into()), &read(hello), "request").unwrap();
    for elo in [None, Some((1320, 3190))] {
        let told = read(&greeting("Stockfish 15.1", 1, 16, elo));
        all.check(&Type::Named("Greeting".into()), &told, "greeting").unwrap();
    }
    let mut reporter = GuestReporter::new(rukh_core::AnyPosition::new(rukh_core::Variant::Chess));
    for line in ["info depth 1 score cp 5 pv e2e4", "info depth 2 multipv 2 score mate 3 lowerbound pv d2d4 d7d5"] {
        let (_, text) = reporter.info(line).unwrap();
        all.check(&Type::Named("Info".into()), &read(&text), "info").unwrap();
    }
    let result = reporter.result("e2e4 ponder e7e5").unwrap();
    all.check(&Type::Named("GoResult".into()), &read(&result), "result").unwrap();
}

/// The comparison itself notices what it is there for.
#[test]
fn differences_are_found() {
    let mut all = Declarations::default();
    all.read(r#"export interface A extends Omit<B, "gone"> { a: number; b?: "x" | "y"; c: (string | null)[] } interface B { gone: string; d: [n: string, boolean] }"#);
    let a = Type::Named("A".into());
    let good = r#"{"a":1,"c":["t",null],"d":["n",true]}"#;
    assert_eq!(all.check(&a, &read(good), "A"), Ok(()));
    assert_eq!(all.unseen(&["A"]), ["A.b"]);
    for (old, new, wrong) in [
        (r#""a":1,"#, "", "A: there is no a"),
        (r#""a":1"#, r#""a":"1""#, "A.a:"),
        (r#""a":1"#, r#""a":1,"gone":"g""#, "A: the types have no gone"),
        (r#""a":1"#, r#""a":1,"b":"z""#, "A.b:"),
        ("null]", "3]", "A.c[1]:"),
        ("true", "null", "A.d:"),
    ] {
        let error = all.check(&a, &read(&good.replace(old, new)), "A").unwrap_err();
        assert!(error.starts_with(wrong), "{error}");
    }
}

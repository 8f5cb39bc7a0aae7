//! Questions as a page puts them, with the answers it relies on.

use rukh_api::{Json, answer};

fn ask(question: &str) -> Json {
    Json::parse(&answer(question).unwrap_or_else(|e| panic!("{question}: {e}"))).unwrap()
}

fn number(json: &Json, name: &str) -> f64 {
    json.get(name).and_then(Json::number).unwrap_or_else(|| panic!("no {name} in {json:?}"))
}

fn hex(json: &Json, name: &str) -> u64 {
    u64::from_str_radix(json.str(name).unwrap(), 16).unwrap()
}

#[test]
fn a_board_has_all_it_shows() {
    let state = ask(r#"{"ask":"state","moves":["e2e4","c7c5","e4e5","d7d5"]}"#);
    assert_eq!(state.str("turn"), Some("white"));
    let moves = state.get("moves").unwrap().list();
    let passed = moves.iter().find(|m| m.str("uci") == Some("e5d6")).unwrap();
    assert_eq!((passed.str("capture"), passed.str("captureSquare")), (Some("p"), Some("d5")));
    assert_eq!(state.get("squares").unwrap().list().len(), 64);
    assert_eq!(state.get("last").unwrap().str("san"), Some("d5"));
    assert!(state.get("outcome").is_none());

    let mate = ask(r#"{"ask":"state","moves":["f2f3","e7e5","g2g4","d8h4"]}"#);
    assert_eq!(mate.get("ended").unwrap().str("text"), Some("Black wins by checkmate"));
    assert_eq!(mate.str("check"), Some("e1"));
}

#[test]
fn castling_has_its_squares() {
    let fen = r#""fen":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1""#;
    for (variant, uci, targets) in [("chess", "e1g1", 2), ("chess960", "e1h1", 1)] {
        let state = ask(&format!(r#"{{"ask":"state","variant":"{variant}",{fen}}}"#));
        let moves = state.get("moves").unwrap().list();
        let castle = moves.iter().find(|m| m.str("castle") == Some("king")).unwrap();
        assert_eq!((castle.str("uci"), castle.str("to")), (Some(uci), Some("g1")));
        assert_eq!(castle.get("targets").unwrap().list().len(), targets);
    }
}

#[test]
fn a_count_is_spoken() {
    let state = ask(r#"{"ask":"state","variant":"makruk","fen":"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"}"#);
    let count = state.get("count").unwrap();
    assert_eq!((count.str("side"), count.str("honour")), (Some("black"), Some("pieces")));
    assert_eq!((number(count, "spoken"), number(count, "last")), (4.0, 44.0));
    assert!(state.get("moves").unwrap().list()[0].str("thai").is_some());
}

#[test]
fn people_begin_and_end_their_count_themselves() {
    let game = |moves: &str, counting: &str| {
        ask(&format!(
            r#"{{"ask":"state","variant":"makruk","fen":"4k3/2r5/8/8/8/8/2N5/R3K3 w - - 0 40","honour":"unclaimed","moves":[{moves}],"counting":[{counting}]}}"#
        ))
    };
    let silent = game(r#""a1a2""#, "");
    assert_eq!((silent.get("count"), silent.str("mayCount")), (None, Some("start")));
    let counted = game(r#""a1a2","c7c6","a2a3""#, "1");
    let count = counted.get("count").unwrap();
    assert_eq!((count.str("side"), count.str("honour"), number(count, "spoken")), (Some("black"), Some("board"), 1.0));
    assert_eq!(counted.str("mayCount"), Some("stop"));
    let stopped = game(r#""a1a2","c7c6","a2a3""#, "1,3");
    assert_eq!((stopped.get("count"), stopped.str("mayCount")), (None, Some("start")));
    let pawns = ask(r#"{"ask":"state","variant":"makruk","honour":"unclaimed"}"#);
    assert_eq!(pawns.str("mayCount"), None);
    assert!(answer(r#"{"ask":"state","variant":"makruk","honour":"unclaimed","counting":[0]}"#).is_err());
    assert!(answer(r#"{"ask":"state","variant":"makruk","honour":"unclaimed","counting":["x"]}"#).is_err());
}

#[test]
fn moves_are_understood_as_typed() {
    for (text, uci) in [("Nf3", "g1f3"), ("nf3", "g1f3"), ("G1F3", "g1f3"), ("e4", "e2e4"), ("Ng1-f3", "g1f3")] {
        assert_eq!(ask(&format!(r#"{{"ask":"move","text":"{text}"}}"#)).str("uci"), Some(uci), "{text}");
    }
    assert!(answer(r#"{"ask":"move","text":"Ke2"}"#).unwrap_err().contains("not a legal move"));
    let line = ask(r#"{"ask":"line","line":["e4","e5","Ke3"]}"#);
    assert_eq!(line.get("moves").unwrap().list().len(), 2);
    assert!(line.str("error").is_some());
}

#[test]
fn positions_are_checked_with_a_reason() {
    let bad = ask(r#"{"ask":"checkFen","variant":"chess","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#);
    assert_eq!((bad.flag("ok"), bad.str("reason")), (Some(false), Some("White has no king")));
    let field = ask(r#"{"ask":"checkFen","variant":"chess","fen":"4k3/8/8/8/8/8/8/4K3 w KQ - 0 1"}"#);
    assert_eq!(number(&field, "field"), 2.0);
    let good = ask(r#"{"ask":"checkFen","variant":"makruk","fen":"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"}"#);
    assert_eq!(good.flag("ok"), Some(true));
}

#[test]
fn the_editor_offers_what_the_board_allows() {
    let state = ask(r#"{"ask":"state","fen":"r3k2r/8/8/3pP3/8/8/8/4K2R w Kkq d6 0 1"}"#);
    let squares: Vec<String> = state
        .get("squares")
        .unwrap()
        .list()
        .iter()
        .map(|s| s.text().map_or("null".into(), |t| format!("\"{t}\"")))
        .collect();
    let setup = format!(
        r#"{{"ask":"checkSetup","setup":{{"variant":"chess","turn":"white","squares":[{}]}}}}"#,
        squares.join(",")
    );
    let check = ask(&setup);
    assert_eq!(check.str("fen"), Some("r3k2r/8/8/3pP3/8/8/8/4K2R w - - 0 1"));
    let offered: Vec<&str> = check.get("castlingPossible").unwrap().list().iter().filter_map(Json::text).collect();
    assert_eq!(offered, ["K", "k", "q"]);
    assert_eq!(check.get("enPassantPossible").unwrap().list().len(), 1);
}

#[test]
fn all_chess960_starts_differ_and_518_is_chess() {
    let mut seen = std::collections::HashSet::new();
    for number in 0..960 {
        let start = ask(&format!(r#"{{"ask":"chess960","number":{number}}}"#));
        let fen = start.str("fen").unwrap().to_owned();
        assert_eq!(ask(&format!(r#"{{"ask":"checkFen","variant":"chess960","fen":"{fen}"}}"#)).flag("ok"), Some(true));
        let row = fen.split('/').next().unwrap();
        let (king, rooks) = (row.find('k').unwrap(), (row.find('r').unwrap(), row.rfind('r').unwrap()));
        assert!(rooks.0 < king && king < rooks.1);
        assert_ne!(row.find('b').unwrap() % 2, row.rfind('b').unwrap() % 2);
        assert!(seen.insert(fen));
    }
    assert!(seen.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    assert_eq!(ask(r#"{"ask":"chess960","number":518}"#).str("fen").unwrap().split('/').next(), Some("rnbqkbnr"));
    assert!(answer(r#"{"ask":"chess960","number":960}"#).is_err());
}

#[test]
fn openings_have_names() {
    let answer = ask(r#"{"ask":"opening","moves":["e2e4","e7e5","g1f3","b8c6","f1b5","h7h5"]}"#);
    let opening = answer.get("opening").unwrap();
    assert!(opening.str("name").unwrap().starts_with("Ruy Lopez"));
    assert!(number(opening, "ply") >= 5.0);
}

const PGN: &str = "[Event \"A\"]\n[White \"x\"]\n\n1. e4 $1 {[%clk 0:03:00] [%eval 0.25] best by test [%cal Ge2e4,Rd1h5]} e5 (1... c5 {Sicilian} 2. Nf3) 2. Nf3 *\n\n\
                   [Event \"B\"]\n\n1. Ke3 *\n\n[Event \"C\"]\n\n1. d4 {[%eval #-3]} 1-0\n";

fn quote(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[test]
fn pgn_keeps_the_good_games_and_names_the_bad_line() {
    let file = ask(&format!(r#"{{"ask":"parsePgn","text":"{}"}}"#, quote(PGN)));
    let games = file.get("games").unwrap().list();
    assert_eq!(games.len(), 2);
    let error = &file.get("errors").unwrap().list()[0];
    assert_eq!((number(error, "game"), number(error, "line")), (2.0, 8.0));
    let nodes = games[0].get("nodes").unwrap().list();
    assert_eq!(nodes[0].get("children").unwrap().list().len(), 1);
    let first = &nodes[1];
    assert_eq!((first.str("san"), number(first, "clock")), (Some("e4"), 180_000.0));
    assert_eq!(number(first.get("eval").unwrap(), "cp"), 25.0);
    assert_eq!(first.get("comments").unwrap().list()[0].text(), Some("best by test"));
    assert_eq!(first.get("shapes").unwrap().list().len(), 2);
    assert_eq!(first.get("children").unwrap().list().len(), 2);
}

#[test]
fn pgn_goes_out_as_it_came_in() {
    let question = format!(r#"{{"ask":"parsePgn","text":"{}"}}"#, quote(PGN));
    let text = answer(&question).unwrap();
    let start = text.find("\"games\":[").unwrap() + 9;
    let mut depth = 0;
    let end = text[start..]
        .char_indices()
        .find_map(|(i, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            (depth == 0).then_some(start + i + 1)
        })
        .unwrap();
    let game = &text[start..end];
    let written = ask(&format!(r#"{{"ask":"writePgn","game":{game}}}"#));
    let pgn = written.str("text").unwrap();
    assert!(
        pgn.contains("(1... c5 {Sicilian} 2. Nf3)") && pgn.contains("$1") && pgn.contains("[%clk 0:03:00]"),
        "{pgn}"
    );
    let again = ask(&format!(r#"{{"ask":"parsePgn","text":"{}"}}"#, quote(pgn)));
    assert_eq!(again.get("games").unwrap().list()[0], Json::parse(game).map(with_result).unwrap());
}

#[test]
fn a_bad_move_in_a_variation_costs_the_rest_of_it_and_passes_are_moves() {
    let text = r"1. e4 -- 2. d4 (2. c4 Ke5 (2... Nf6) Nc6) (2. g4 & d5) Z0 *";
    let file = ask(&format!(r#"{{"ask":"parsePgn","text":"{text}"}}"#));
    assert!(file.get("errors").unwrap().list().is_empty());
    let notes: Vec<_> = file.get("notes").unwrap().list().iter().map(|n| n.str("reason").unwrap()).collect();
    assert_eq!(notes[0], "move 2... Ke5: illegal move; the variation was cut there");
    assert!(notes.len() == 2 && notes[1].contains("is not chess notation"), "{notes:?}");
    let nodes = file.get("games").unwrap().list()[0].get("nodes").unwrap().list();
    let san: Vec<_> = nodes.iter().map(|node| node.str("san").unwrap()).collect();
    assert_eq!(san, ["", "e4", "--", "d4", "c4", "g4", "--"]);
}

#[test]
fn a_bad_move_in_the_game_keeps_what_stands_before_it_and_the_rest_as_a_comment() {
    let games = |text: &str| {
        let file = ask(&format!(r#"{{"ask":"parsePgn","text":"{}"}}"#, quote(text)));
        let words = |name: &str| {
            let list = file.get(name).unwrap().list().iter();
            list.map(|n| n.str("reason").unwrap().to_owned()).collect::<Vec<_>>()
        };
        let games = file.get("games").unwrap().list().iter();
        let games = games.map(|game| {
            let nodes = game.get("nodes").unwrap().list();
            let san = nodes.iter().map(|node| node.str("san").unwrap()).collect::<Vec<_>>().join(" ");
            let comments = nodes.last().unwrap().get("comments").unwrap().list().iter();
            let comments: Vec<_> =
                comments.map(|text| if let Json::Text(text) = text { text.clone() } else { panic!() }).collect();
            (san, comments.join("|"), game.str("result").unwrap().to_owned())
        });
        (games.collect::<Vec<_>>(), words("notes"), words("errors"))
    };
    let game = |san: &str, words: &str, result: &str| (san.to_owned(), words.to_owned(), result.to_owned());
    let (found, notes, errors) = games(
        "1. e4 e5 {mine} 2. Ke5 {[%clk 0:01:00] why} Nf6 (2... d6 1-0 3. d4) 3. Nf3 1-0 {behind}

1. d4 *",
    );
    let rest = "mine|2. Ke5 ([ %clk 0:01:00] why) Nf6 (2... d6 1-0 3. d4) 3. Nf3|behind";
    assert_eq!(found, [game(" e4 e5", rest, "1-0"), game(" d4", "", "*")]);
    assert_eq!(notes, ["move 2. Ke5: illegal move; the game was cut there, and the rest is in a comment"]);
    assert!(errors.is_empty());
    // Other ways for a game to end in the middle.
    for (text, san, rest, note) in [
        ("1. e4 e5 2. Nf3 & Nc6 *", " e4 e5 Nf3", "& Nc6", "the rest is in a comment"),
        ("1. e4 e5) 2. Nf3 *", " e4 e5", ") 2. Nf3", "the rest is in a comment"),
        ("1. e4 {never closed 1... e5", " e4", "(never closed 1... e5", "the rest is in a comment"),
        ("1. e4 e5 (1... c5 2. Nf3", " e4 e5 c5 Nf3", "", "variation is never closed"),
    ] {
        let (found, notes, errors) = games(text);
        assert_eq!((found.len(), errors.len(), notes.len()), (1, 0, 1), "{text}: {notes:?} {errors:?}");
        assert_eq!((found[0].0.as_str(), found[0].1.as_str()), (san, rest), "{text}");
        assert!(notes[0].contains(note), "{notes:?}");
    }
    // Without a move there is no game to keep; what is nested too deep is refused as before.
    let deep = format!("1. e4 {}{} *", "(1. d4 ".repeat(300), ")".repeat(300));
    for text in ["1. Ke5 e5 *", "hello world", &deep] {
        let (found, _, errors) = games(text);
        assert_eq!((found.len(), errors.len()), (0, 1), "{text}");
    }
}

#[test]
fn a_game_is_indexed_by_what_lists_show_and_by_its_positions() {
    let text = r#"[White \"A\"]\n\n1. e4 c5 (1... e5) 2. Nf3 1-0"#;
    let file = ask(&format!(r#"{{"ask":"indexPgn","text":"{text}"}}"#));
    let game = &file.get("games").unwrap().list()[0];
    assert_eq!((game.str("result"), number(game, "plies")), (Some("1-0"), 3.0));
    assert_eq!(game.get("opening").unwrap().str("eco"), Some("B27"));
    let keys = game.str("keys").unwrap();
    assert_eq!(keys.len(), 8 * 5);
    for moves in [r#"[]"#, r#"["e2e4","e7e5"]"#, r#"["e2e4","c7c5","g1f3"]"#] {
        let state = ask(&format!(r#"{{"ask":"state","moves":{moves}}}"#));
        let short = format!("{:08x}", hex(&state, "key") as u32);
        assert!(keys.as_bytes().chunks(8).any(|key| key == short.as_bytes()), "{moves}");
    }
}

/// What a written game has and the pasted one had not.
fn with_result(mut game: Json) -> Json {
    if let Json::Object(members) = &mut game
        && let Some((_, Json::List(tags))) = members.iter_mut().find(|(name, _)| name == "tags")
    {
        tags.push(Json::List(vec![Json::Text("Result".into()), Json::Text("*".into())]));
    }
    game
}

#[test]
fn a_blunder_is_called_one() {
    let review = ask(
        r#"{"ask":"review","variant":"chess","first":"white","evaluations":[{"cp":20},{"cp":15},{"cp":20},{"cp":-400},{"mate":-3}]}"#,
    );
    let moves = review.get("moves").unwrap().list();
    assert_eq!(moves.len(), 4);
    assert_eq!((moves[0].str("judgement"), moves[2].str("judgement")), (None, Some("blunder")));
    let (white, black) = (review.get("white").unwrap(), review.get("black").unwrap());
    assert_eq!(number(white, "blunders"), 1.0);
    assert!(number(white, "accuracy") < number(black, "accuracy"));
}

#[test]
fn the_key_is_the_xor_of_its_terms() {
    for question in [
        r#"{"ask":"zobrist","moves":["e2e4","a7a6","e4e5","d7d5"]}"#,
        r#"{"ask":"zobrist","variant":"makruk","fen":"8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"}"#,
    ] {
        let zobrist = ask(question);
        let sum = zobrist.get("terms").unwrap().list().iter().fold(0, |key, term| key ^ hex(term, "value"));
        assert_eq!(sum, hex(&zobrist, "key"));
    }
}

#[test]
fn short_keys_collide_and_whole_ones_do_not() {
    for variant in ["chess", "makruk"] {
        let answer = ask(&format!(r#"{{"ask":"collisions","variant":"{variant}","positions":5000,"bits":16}}"#));
        assert_eq!(answer.uint("positions"), Some(5000));
        let pairs = answer.get("pairs").unwrap().list();
        let count = |bits: u64| pairs.iter().find(|p| p.uint("bits") == Some(bits)).unwrap().uint("count").unwrap();
        // A random function of 16 bits gives 5000 * 4999 / 2 / 65536, that is 191, pairs.
        assert!((120..280).contains(&count(16)), "{variant}: {}", count(16));
        assert_eq!((count(8) > 40_000, count(64)), (true, 0));
        let pair = answer.get("examples").unwrap().list()[0].list();
        let low = |i: usize| hex(&pair[i], "key") & 0xFFFF;
        assert_eq!(low(0), low(1));
        assert_ne!(pair[0].str("fen"), pair[1].str("fen"));
        // The line leads to the position.
        let line: Vec<String> =
            pair[1].get("line").unwrap().list().iter().map(|m| format!("{:?}", m.text().unwrap())).collect();
        let played = ask(&format!(r#"{{"ask":"line","variant":"{variant}","line":[{}]}}"#, line.join(",")));
        let end = played.get("moves").unwrap().list().last().unwrap();
        assert_eq!(end.str("fen"), pair[1].str("fen"));
    }
}

#[test]
fn illegal_moves_are_explained() {
    let fen = "4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1";
    let knight = ask(&format!(r#"{{"ask":"pieceMoves","square":"e2","fen":"{fen}"}}"#));
    assert_eq!(hex(&knight, "legal"), 0);
    let why = &knight.get("illegal").unwrap().list()[0];
    assert_eq!((why.str("reason"), why.str("by")), (Some("pinned"), Some("e8")));
    let sets = ask(&format!(r#"{{"ask":"bitboards","fen":"{fen}"}}"#));
    assert_eq!(hex(&sets, "pinned"), 1 << 12);
    assert_eq!(hex(sets.get("pieces").unwrap(), "N"), 1 << 12);
    let king = ask(r#"{"ask":"pieceMoves","square":"e1","fen":"7k/8/8/8/8/8/3r4/4K3 w - - 0 1"}"#);
    assert!(king.get("illegal").unwrap().list().iter().any(|i| i.str("reason") == Some("king attacked")));
}

#[test]
fn a_slider_look_up_can_be_followed() {
    let step = ask(r#"{"ask":"slider","square":"d4","kind":"rook","occupied":"0000000000000000"}"#);
    assert_eq!(hex(&step, "attacks").count_ones(), 14);
    if step.str("method") == Some("magic") {
        assert_eq!(hex(&step, "product") >> number(&step, "shift") as u32, number(&step, "index") as u64);
    }
}

#[test]
fn the_evaluation_adds_up() {
    let trace =
        ask(r#"{"ask":"evaluation","fen":"r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"}"#);
    let sum = |half: &str| -> f64 {
        trace.get("terms").unwrap().list().iter().map(|t| number(t.get("total").unwrap(), half)).sum()
    };
    let (phase, most) = (number(&trace, "phase"), number(&trace, "phaseMax"));
    let scale = number(&trace, "scale") / number(&trace, "scaleMax");
    let blended = (sum("mg") * phase + sum("eg") * scale * (most - phase)) / most;
    assert!((blended - number(&trace, "classical")).abs() <= 2.0, "{blended} {trace:?}");
    let pieces = trace.get("pieces").unwrap().list();
    assert_eq!(pieces.len(), 30);
    let queen = pieces.iter().find(|p| p.str("piece") == Some("Q")).unwrap();
    assert!(number(queen, "network") > 500.0);
    // The first term is material, and the queen is most of it.
    let shares = queen.get("terms").unwrap().list();
    assert_eq!(shares.len(), trace.get("terms").unwrap().list().len());
    assert!(shares[0].number().unwrap() > 500.0 && shares[1..].iter().all(|s| s.number().unwrap().abs() < 400.0));
    // The rook takes its castling right along.
    assert!(pieces.iter().all(|p| p.get("network").is_some()), "{pieces:?}");
}

#[test]
fn a_piece_is_tried_on_every_square() {
    let fen = "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 4 11";
    let tried = ask(&format!(r#"{{"ask":"placements","square":"d4","fen":"{fen}"}}"#));
    let squares = tried.get("squares").unwrap().list();
    assert_eq!(squares.len(), 64);
    // Where it stands it is worth what taking it away says.
    let trace = ask(&format!(r#"{{"ask":"evaluation","fen":"{fen}"}}"#));
    let taken = trace.get("pieces").unwrap().list().iter().find(|p| p.str("square") == Some("d4")).unwrap();
    for view in ["network", "classical"] {
        assert_eq!(number(&squares[27], view), number(taken, view));
    }
    // In the corner it is worth less; on the square of the king nothing can be said.
    assert!(number(&squares[7], "network") < number(&squares[27], "network"));
    assert!(squares[6].get("network").is_none_or(|v| v.number().is_none()));
    assert!(answer(r#"{"ask":"placements","square":"e1"}"#).is_err());
    assert!(answer(r#"{"ask":"placements","square":"e4"}"#).is_err());
}

#[test]
fn the_price_of_a_code_says_whether_it_fits() {
    let quiet = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1";
    let strange = "n1b1k1q1/1p1R1p2/B1p1p1P1/2P1n1Q1/p1N3p1/1P1b1p1r/r2P2P1/2B1N1K1 w - - 0 1";
    for (fen, fits) in [(quiet, true), (strange, false)] {
        let price = ask(&format!(r#"{{"ask":"codePrice","fen":"{fen}"}}"#));
        let bits = |f: f64| 16.0 - f.log2();
        let squares = price.get("squares").unwrap().list();
        assert_eq!(squares.len(), 64);
        let sum: f64 = squares.iter().map(|s| bits(s.number().unwrap())).sum::<f64>() + bits(number(&price, "header"));
        assert_eq!(sum < number(&price, "codes").log2(), fits, "{fen}: {sum} bits");
        // What does not fit has a long code.
        let code = ask(&format!(r#"{{"ask":"encode","fen":"{fen}"}}"#));
        let format = if fits { "direct" } else { "long" };
        assert_eq!(code.get("format").and_then(Json::text), Some(format), "{fen}");
    }
}

#[test]
fn a_code_of_the_openings_and_one_with_clocks_are_positions_too() {
    let fen = |variant: &str, code: &str| {
        ask(&format!(r#"{{"ask":"decode","variant":"{variant}","code":"{code}"}}"#)).str("fen").unwrap().to_owned()
    };
    let code = rukh_code::PositionCode::indexed(rukh_code::Table::Opening, 0, 5).unwrap();
    let entry = rukh_store::openings::openings().position(5).unwrap().fen();
    let board = |fen: &str| fen.split(' ').take(3).collect::<Vec<_>>().join(" ");
    assert_eq!(board(&fen("chess", &code.to_string())), board(&entry));
    assert_eq!(board(&fen("chess", "5")), board(&entry));
    let clocked = rukh_code::ExtendedCode { halfmove: 7, fullmove: 31, ..code_of("startpos") };
    assert!(fen("chess", &rukh_code::Codec::chess().text(clocked)).ends_with(" 7 31"));
    // A text of digits alone is a text: it is a number with a sign, or of at most twelve digits.
    assert_eq!(fen("chess960", "0000000000038"), "8/8/8/8/8/8/8/K2k4 b - - 0 1");
    for (variant, code, wanted) in [
        ("makruk", code.to_string().as_str(), "table"),
        ("chess", "+1152921504606846976", "table"),
        ("chess", "1152921504606846976", "needs a sign: +1152921504606846976"),
    ] {
        let question = format!(r#"{{"ask":"decode","variant":"{variant}","code":"{code}"}}"#);
        assert!(answer(&question).unwrap_err().contains(wanted), "{:?}", answer(&question));
    }
}

fn code_of(fen: &str) -> rukh_code::ExtendedCode {
    let answer = ask(&format!(r#"{{"ask":"encode","fen":"{fen}"}}"#));
    rukh_code::Codec::chess().readings(answer.str("text").unwrap()).unwrap()[0].1
}

#[test]
fn perft_and_divide_agree() {
    let divide = ask(r#"{"ask":"perft","depth":3,"divide":true,"variant":"makruk"}"#);
    assert_eq!(number(&divide, "nodes"), 12_012.0);
    let sum: f64 = divide.get("moves").unwrap().list().iter().map(|m| number(m, "nodes")).sum();
    assert_eq!(sum, 12_012.0);
    assert!(answer(r#"{"ask":"perft","depth":99}"#).is_err());
}

#[test]
fn the_0x88_board_counts_the_same() {
    for (spec, depth) in [
        (r#""fen":"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1""#, 3),
        (r#""fen":"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1""#, 3),
        (r#""variant":"makruk","fen":"2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19""#, 3),
        // With a Bia-ngai, and Black to move.
        (r#""variant":"makruk","fen":"4k3/8/1p4M~1/4n3/8/3RK3/3S4/8 b - - 0 30""#, 4),
    ] {
        let count = |board: &str| ask(&format!(r#"{{"ask":"perft","depth":{depth},"board":"{board}",{spec}}}"#));
        assert_eq!(number(&count("0x88"), "nodes"), number(&count("bitboard"), "nodes"), "{spec}");
    }
    let refused = |rest: &str| answer(&format!(r#"{{"ask":"perft","depth":1,{rest}}}"#)).unwrap_err();
    assert!(refused(r#""board":"0x88","variant":"chess960""#).contains("0x88"));
    assert!(refused(r#""board":"clay""#).contains("bitboard"));
}

/// Walking over guard squares finds what the bitboards know.
#[test]
fn a_mailbox_finds_the_same_squares() {
    for spec in [
        r#""fen":"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1""#,
        r#""variant":"makruk","fen":"2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19""#,
    ] {
        let mut pieces = 0;
        for (file, rank) in (0..64).map(|square| (square % 8, square / 8)) {
            let square = format!("{}{}", char::from(b'a' + file), rank + 1);
            let Ok(text) = answer(&format!(r#"{{"ask":"mailbox","square":"{square}",{spec}}}"#)) else { continue };
            let walk = Json::parse(&text).unwrap();
            let mut reached = 0u64;
            for step in walk.get("steps").unwrap().list().iter().filter(|step| step.str("found") != Some("guard")) {
                let cell = step.uint("to").unwrap();
                reached |= 1 << ((cell / 10 - 2) * 8 + cell % 10 - 1);
            }
            assert_eq!(walk.str("attacks").unwrap(), format!("{reached:016x}"), "{square} {spec}");
            pieces += 1;
        }
        assert!(pieces >= 25, "{pieces}");
    }
    assert!(answer(r#"{"ask":"mailbox","square":"e4"}"#).unwrap_err().contains("e4"));
}

#[test]
fn exact_tables_know_the_count() {
    let probe = ask(r#"{"ask":"tables","variant":"makruk","fen":"8/8/8/8/1R6/8/8/K1k5 b - 32 6 1"}"#);
    let probe = probe.get("probe").unwrap();
    assert_eq!((probe.str("verdict"), number(probe, "plies")), (Some("loss"), 26.0));
    assert_eq!(probe.get("material").unwrap().str("name"), Some("KR"));
    let moves = probe.get("moves").unwrap().list();
    assert_eq!(moves.iter().map(|m| number(m, "plies")).fold(0.0, f64::max), 26.0);
}

#[test]
fn a_search_can_be_watched() {
    let fen = r#""fen":"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1""#;
    let trace = |off: &str| ask(&format!(r#"{{"ask":"trace","depth":9,"limit":200000,"off":{{{off}}},{fen}}}"#));
    let whole = trace("");
    let nodes = whole.get("nodes").unwrap().list();
    assert_eq!(whole.flag("truncated"), Some(false));
    let root = &nodes[0];
    assert!(root.get("uci").is_none() && root.str("kind") == Some("pv"));
    for (id, node) in nodes.iter().enumerate() {
        assert_eq!(number(node, "id"), id as f64);
        assert!(id == 0 || number(node, "parent") < id as f64);
        if id > 0 && node.get("uci").is_some() {
            assert_eq!(number(node, "ply"), number(&nodes[number(node, "parent") as usize], "ply") + 1.0);
        }
        // A subtree has no fewer nodes than its children have together, each counted once.
        assert!(number(node, "nodes") >= 1.0);
    }
    for reason in ["cutoff", "table", "stand pat", "searched"] {
        assert!(nodes.iter().any(|n| n.str("reason") == Some(reason)), "{reason}");
    }
    for stage in ["main", "quiescence", "reduced"] {
        assert!(nodes.iter().any(|n| n.str("stage") == Some(stage)), "{stage}");
    }
    // The real search: the same nodes as an engine of this table size would visit, iteration by iteration.
    assert_eq!(whole.get("iterations").unwrap().list().len(), 9);
    let total = number(&whole, "total");
    // Every switch does something, and these two save nodes in any such position.
    for part in ["ordering", "table", "nullMove", "reductions", "pruning", "extensions"] {
        let without = number(&trace(&format!(r#""{part}":true"#)), "total");
        assert_ne!(without, total, "{part}");
        if matches!(part, "ordering" | "pruning") {
            assert!(without > total, "without {part} {without}, with all {total}");
        }
    }
    let small = ask(&format!(r#"{{"ask":"trace","depth":4,"limit":10,{fen}}}"#));
    assert_eq!((small.flag("truncated"), small.get("nodes").unwrap().list().len()), (Some(true), 10));
}

#[test]
fn nonsense_is_refused_in_words() {
    for question in [
        "",
        "[]",
        "{}",
        r#"{"ask":1}"#,
        r#"{"ask":"nothing"}"#,
        r#"{"ask":"state","fen":"x"}"#,
        r#"{"ask":"state","moves":[1]}"#,
        r#"{"ask":"state","variant":"go"}"#,
        r#"{"ask":"pieceMoves","square":"e5"}"#,
        r#"{"ask":"pieceMoves","square":"z9"}"#,
        r#"{"ask":"slider","square":"e5","occupied":"xyz"}"#,
        r#"{"ask":"checkSetup","setup":{"squares":[]}}"#,
        r#"{"ask":"writePgn","game":{"nodes":[{},{"parent":9,"uci":"e2e4"}]}}"#,
        r#"{"ask":"writePgn","game":{"nodes":[{},{"parent":0,"uci":"e2e5"}]}}"#,
        // Who passes in check would lose the king, and the one after that the program.
        r#"{"ask":"writePgn","game":{"start":"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1","nodes":[{},{"parent":0,"uci":"0000"},{"parent":1,"uci":"e2e1"}]}}"#,
        r#"{"ask":"hashMap"}"#,
        r#"{"ask":"review","variant":"chess"}"#,
    ] {
        let error = answer(question).unwrap_err();
        assert!(error.len() > 5 && error.len() < 300, "{question}: {error}");
    }
}

/// +1.00 is an even chance to win in Makruk with any number of men, so that reasons and reports must read it so.
#[test]
fn shown_scores_of_makruk_go_by_the_men() {
    let start = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
    let told = answer(&format!(
        r#"{{"ask":"explain","variant":"makruk","fen":"{start}","played":{{"score":{{"cp":-100}},"line":["a3a4"]}},"best":{{"score":{{"cp":100}},"line":["e3e4"]}}}}"#
    ))
    .unwrap();
    assert!(told.contains("an expected score of 72 % instead of 28 %"), "{told}");
}

/// Numbers that no database has do not run over.
#[test]
fn masters_with_absurd_numbers_of_games() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let node = format!(
        r#"{{"key":"chess:0","fen":"{fen}","ply":0,"games":9e99,"points":1,"moves":[{{"uci":"a2a3","games":9e99,"points":0}}]}}"#
    );
    let question = |masters: &str| {
        ask(&format!(r#"{{"ask":"repertoire","side":"white","nodes":[{node}],"masters":[{masters}]}}"#))
    };
    let key = question("").get("wanted").unwrap().list()[0].str("key").unwrap().to_owned();
    let moves = [r#"{"uci":"e2e4","games":9e99}"#; 9].join(",");
    let told = question(&format!(r#"{{"key":"{key}","moves":[{moves}]}}"#));
    assert_eq!(told.get("gaps").unwrap().list().len(), 1);
}

//! An option is offered and accepted only where it has an effect.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rukh_core::any::Any;
use rukh_core::{AnyGame, Chess, Move, Position, Variant};
use rukh_engine::{AnyMemory, Book, Engine, Limits, Memo, Memory, MemoryFiles, Options};

const BOOK: [(&str, &str); 4] = [("OwnBook", "true"), ("BookFile", ""), ("BestBookMove", "true"), ("BookDepth", "9")];

fn engine() -> Engine {
    Engine::new(Options::default()).unwrap()
}

fn offers(engine: &Engine, name: &str) -> bool {
    engine.option_list().iter().any(|spec| spec.name == name)
}

/// A book of one move that cannot open files.
struct OneMove;

impl Book for OneMove {
    fn open(&mut self, file: &str) -> Result<String, String> {
        if file.is_empty() { Ok("a book of one move".into()) } else { Err(format!("{file}: no such book")) }
    }
    fn choose(&self, game: &AnyGame, _: bool) -> Option<Move> {
        game.parse_uci("a2a4").ok()
    }
    fn moves(&self, game: &AnyGame) -> Vec<(Move, u16)> {
        self.choose(game, true).map(|mv| (mv, 1)).into_iter().collect()
    }
}

/// Files that note their names, and some that do not open.
#[derive(Clone, Default)]
struct Files(Arc<Mutex<Vec<(Variant, String)>>>);

struct Nothing;

impl Memory<Chess> for Nothing {
    fn recall(&self, _: &Position<Chess>, _: usize, _: Duration) -> Vec<(Position<Chess>, Memo)> {
        Vec::new()
    }
    fn record(&self, _: Vec<(Position<Chess>, Memo)>) {}
}

impl MemoryFiles for Files {
    fn open(&mut self, variant: Variant, file: &str, limit: u64) -> Result<(AnyMemory, String), String> {
        assert!(limit == 1 << 30 || limit == 1 << 20);
        self.0.lock().unwrap().push((variant, file.to_owned()));
        match (variant, file) {
            (Variant::Chess, "" | "other") => Ok((Any::Chess(Arc::new(Nothing)), format!("learning in '{file}'"))),
            _ => Err("it cannot be opened".into()),
        }
    }
}

#[test]
fn without_providers_their_options_are_refused() {
    let engine = engine();
    for (name, value) in BOOK.into_iter().chain([("Learn", "true"), ("LearnFile", "x")]) {
        assert!(!offers(&engine, name), "{name}");
        let error = engine.set_option(name, value).unwrap_err().to_string();
        assert_eq!(error, format!("option {name} has no effect here and is not offered"));
    }
    assert_eq!(engine.options(), Options::default());
    assert!(offers(&engine, "Hash") && offers(&engine, "Clear Hash"));
    // A memory of the host's own can be used, not exchanged.
    engine.set_chess_memory(Some(Arc::new(Nothing)));
    assert!(offers(&engine, "Learn") && !offers(&engine, "LearnFile"));
}

#[test]
fn a_book_is_for_games() {
    let engine = engine();
    engine.attach_book(OneMove);
    let game = Limits::movetime(100);
    assert_eq!(engine.book_move(&game), None, "OwnBook is off");
    assert_eq!(engine.configure("OwnBook", "true").unwrap(), ["a book of one move"]);
    assert_eq!(engine.set_option("BookFile", "gone.bin").unwrap_err().to_string(), "gone.bin: no such book");
    assert_eq!(engine.options().book_file, "", "the old one stays");
    let mv = engine.position().parse_uci("a2a4").unwrap();
    assert_eq!(engine.book_move(&game), Some(mv));
    assert_eq!(engine.book_moves(&AnyGame::new(Variant::Chess)), [(mv, 1)], "as it is asked about a position");
    for analysis in [
        Limits { infinite: true, ..Limits::default() },
        Limits { ponder: true, ..game.clone() },
        Limits { searchmoves: vec![mv], ..game.clone() },
    ] {
        assert_eq!(engine.book_move(&analysis), None, "{analysis:?}");
    }
    engine.set_option("BookDepth", "0").unwrap();
    assert_eq!(engine.book_move(&game), None);
}

#[test]
fn the_memory_follows_the_options() {
    let engine = engine();
    let files = Files::default();
    engine.attach_memory_files(files.clone());
    assert!(engine.configure("LearnFile", "").unwrap().is_empty(), "nothing is opened before it is wanted");
    assert_eq!(engine.configure("Learn", "true").unwrap(), ["learning in ''"]);
    assert!(engine.configure("Hash", "2").unwrap().is_empty());
    assert_eq!(engine.configure("LearnFile", "other").unwrap(), ["learning in 'other'"]);
    assert_eq!(engine.configure("LearnMB", "1").unwrap(), ["learning in 'other'"]);
    // Makruk's cannot be opened: one plays without.
    assert_eq!(engine.configure("UCI_Variant", "makruk").unwrap(), ["Learn is off: it cannot be opened"]);
    assert!(!engine.options().learn);
    let chess = |file| (Variant::Chess, file);
    let opened = [chess(""), chess("other"), chess("other"), (Variant::Makruk, "other")];
    assert_eq!(*files.0.lock().unwrap(), opened.map(|(variant, file)| (variant, file.to_owned())));
}

#[test]
fn a_game_brings_its_variant() {
    let engine = engine();
    for variant in [Variant::Makruk, Variant::Chess960, Variant::Chess] {
        let mut game = AnyGame::new(variant);
        game.play(game.legal_moves()[0]);
        engine.set_game(game.clone()).unwrap();
        assert_eq!((engine.options().variant, engine.position()), (variant, game.position()));
        let best = engine.go(Limits::depth(2), |_| {}).best_move.unwrap();
        assert!(game.parse_uci(&best).is_ok());
    }
    // Chess and Chess960 are the same board in another notation.
    engine.set_position("4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1").unwrap();
    engine.set_option("UCI_Chess960", "true").unwrap();
    assert_eq!(engine.position().variant(), Variant::Chess960);
    assert!(engine.fen().starts_with("4k3/8/8/8/8/8/5PPP/4K2R w"));
}

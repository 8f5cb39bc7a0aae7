//! Opening positions: read from a file, or made up.

use std::io::Cursor;
use std::path::Path;

use rukh_core::rng::Rng;
use rukh_core::{AnyGame, AnyPosition, Game, Position, Rules, Variant, chess960_fen, dispatch};
use rukh_files::read_text_at_most;
use rukh_pgn::{PgnError, PgnGame, PgnReader};

/// Largest list of openings: some millions of them.
const MOST_BYTES: u64 = 256 << 20;

/// Where a game begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// None for the variant's own starting position.
    pub fen: Option<String>,
    /// Moves from there that are played before the engines take over, in the variant's UCI notation.
    pub moves: Vec<String>,
}

impl Opening {
    /// The position after its moves; none where a game is over.
    pub fn position<R: Rules>(&self) -> Option<Position<R>> {
        let start = self.fen.as_ref().map_or(Some(Position::startpos()), |fen| Position::from_fen(fen).ok())?;
        let mut game = Game::new(start);
        for text in &self.moves {
            let mv = game.position().parse_uci(text).ok()?;
            game.play(mv);
        }
        game.outcome().is_none().then(|| *game.position())
    }
}

/// The openings of a match.
#[derive(Debug, Clone)]
pub enum Book {
    /// From a file, in the order of play.
    List(Vec<Opening>),
    /// So many random moves from the starting position (for Chess960: from a random one).
    Random {
        /// The same seed gives the same openings.
        seed: u64,
        /// How many moves.
        plies: usize,
        /// The rules.
        variant: Variant,
    },
}

impl Book {
    /// The opening of a round; a list begins again after its end.
    pub fn get<R: Rules>(&self, round: usize) -> Opening {
        match self {
            Self::List(list) => list.get(round % list.len().max(1)).cloned().unwrap_or_default(),
            Self::Random { seed, plies, variant } => {
                random::<R>(&mut Rng::new(*seed, round as u64 + 1), *plies, *variant)
            }
        }
    }

    /// Number of different openings, if limited.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::List(list) => Some(list.len()),
            Self::Random { .. } => None,
        }
    }

    /// A number that tells books from each other (FNV-1a).
    pub fn fingerprint(&self) -> u64 {
        let text = match self {
            Self::List(list) => list
                .iter()
                .map(|opening| format!("{} {}\n", opening.fen.as_deref().unwrap_or("-"), opening.moves.join(" ")))
                .collect(),
            Self::Random { seed, plies, variant } => format!("{seed} {plies} {variant}"),
        };
        text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }
}

/// Reads a list: one FEN, EPD or move list per line. Returns the openings and a complaint for each bad line.
pub fn parse_list<R: Rules>(text: &str, variant: Variant) -> (Vec<Opening>, Vec<String>) {
    let (mut openings, mut complaints) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let line = line.trim_start_matches('\u{feff}').trim();
        if line.is_empty() || line.starts_with('#') || line.starts_with("eco\t") {
            continue;
        }
        match parse_line::<R>(line, variant) {
            Ok(opening) => openings.push(opening),
            Err(error) => complaints.push(format!("line {}: {error}", index + 1)),
        }
    }
    (openings, complaints)
}

/// Reads the openings of a game file: the start and the first `plies` moves of each game (all of them without a number).
/// Returns them and a complaint for each game that cannot be used.
pub fn read_games(
    games: impl Iterator<Item = Result<PgnGame, PgnError>>,
    variant: Variant,
    plies: Option<usize>,
) -> (Vec<Opening>, Vec<String>) {
    let (mut openings, mut complaints) = (Vec::new(), Vec::new());
    let notation = variant.notation();
    for game in games {
        let opening = game.map_err(|error| error.to_string()).and_then(|game| {
            if game.start.variant() != variant {
                return Err(format!("line {}: a game of {}", game.line, game.start.variant()));
            }
            let mut now = AnyGame::from(&game.start);
            let mut moves = Vec::new();
            for &mv in game.moves.iter().take(plies.unwrap_or(usize::MAX)) {
                let uci = dispatch!(&now, now => now.position().uci(mv, notation));
                now.play(mv);
                // A game that is over leaves nothing to play; what came before it does.
                if now.finished().is_some() {
                    break;
                }
                moves.push(uci);
            }
            let fen = (game.start != AnyPosition::new(variant)).then(|| game.start.fen());
            Ok(Opening { fen, moves })
        });
        match opening {
            Ok(opening) => openings.push(opening),
            Err(error) => complaints.push(error),
        }
    }
    (openings, complaints)
}

/// Whether a file holds games, packed or not, by its name; others are lists.
pub fn is_pgn(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = [".zst", ".gz", ".bz2"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    name.ends_with(".pgn")
}

/// Reads the openings of a file, of games the first `plies` moves. Returns them and what was left out.
pub fn read_file(
    path: &Path,
    variant: Variant,
    plies: Option<usize>,
) -> Result<(Vec<Opening>, Option<String>), String> {
    let (list, complaints) = if is_pgn(path) {
        read_games(PgnReader::open(path).map_err(|error| error.reason.to_string())?, variant, plies)
    } else {
        let text = read_text_at_most(path, MOST_BYTES).map_err(|error| error.to_string())?;
        // A pipe has no name, and games may be called otherwise; no line of a list begins so.
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('[') {
            let games = PgnReader::new(&path.to_string_lossy(), Cursor::new(text));
            read_games(games.map_err(|error| error.reason.to_string())?, variant, plies)
        } else {
            dispatch!(type R of variant => parse_list::<R>(&text, variant))
        }
    };
    let skipped = usable(&list, &complaints)?;
    Ok((list, skipped))
}

/// The positions of a list in random order, all of which must be good.
pub fn read_positions<R: Rules>(path: &Path, variant: Variant, seed: u64) -> Result<Vec<Position<R>>, String> {
    let text =
        read_text_at_most(path, MOST_BYTES).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let (mut list, complaints) = parse_list::<R>(&text, variant);
    if let Some(first) = complaints.first() {
        return Err(format!("{}: {first}", path.display()));
    }
    arrange(&mut list, true, seed, 1);
    let positions: Vec<Position<R>> = list.iter().filter_map(Opening::position).collect();
    if positions.is_empty() {
        return Err(format!("{} has no opening to play from", path.display()));
    }
    Ok(positions)
}

/// What was left out of a list that was read, if anything; an error if nothing is left.
pub fn usable(list: &[Opening], complaints: &[String]) -> Result<Option<String>, String> {
    let skipped = complaints.first().map(|first| match complaints.len() {
        1 => first.clone(),
        n => format!("{first} (and {} more)", n - 1),
    });
    match skipped {
        Some(skipped) if list.is_empty() => Err(format!("no opening can be used: {skipped}")),
        None if list.is_empty() => Err("there is no opening in this file".to_owned()),
        skipped => Ok(skipped),
    }
}

/// Puts a list into the order of play: shuffled or not, beginning with the `start`th (from 1).
pub fn arrange(list: &mut [Opening], random: bool, seed: u64, start: usize) {
    if random {
        Rng::new(seed, 0).shuffle(list);
    }
    if !list.is_empty() {
        list.rotate_left(start.saturating_sub(1) % list.len());
    }
}

/// Reads one line:
/// - a FEN or EPD; what follows the position is ignored, except `moves …`;
/// - moves from the starting position, in UCI or SAN, with or without numbers (`e2e4 e7e5`, `1. e4 e5`);
/// - fields separated by tabs, of which the last counts.
pub fn parse_line<R: Rules>(line: &str, variant: Variant) -> Result<Opening, String> {
    let line = line.rsplit('\t').map(str::trim).find(|field| !field.is_empty()).unwrap_or("");
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(first) = words.first() else { return Err("there is no position".to_owned()) };
    let (fen, moves) = if first.matches('/').count() >= 7 {
        let mut fen: Vec<&str> = words.iter().take(4).copied().collect();
        // The counters of a FEN; an EPD has operations there.
        let counters: Vec<&str> = words.iter().skip(4).take(2).copied().take_while(|word| is_number(word)).collect();
        fen.extend(if counters.len() == 2 { counters } else { vec!["0", "1"] });
        let moves = words.iter().skip(4).skip_while(|word| **word != "moves").skip(1);
        (Some(fen.join(" ")), moves.copied().take_while(|word| *word != ";").collect::<Vec<_>>())
    } else {
        (None, words)
    };
    let start = match &fen {
        Some(fen) => Position::<R>::from_fen(fen).map_err(|error| format!("{error}: {fen}"))?,
        None => Position::<R>::startpos(),
    };
    let notation = variant.notation();
    let mut game = Game::new(start);
    let mut played = Vec::new();
    for word in moves {
        let Some(text) = move_text(word) else { continue };
        let position = game.position();
        let mv = position.parse_uci(text).or_else(|_| position.parse_san(text));
        let mv = mv.map_err(|error| format!("{error}: '{text}' after '{}'", played.join(" ")))?;
        played.push(position.uci(mv, notation));
        game.play(mv);
    }
    if game.outcome().is_some() {
        return Err("the game is already over there".to_owned());
    }
    // Our own FEN: complete, and in the spelling that engines know.
    let fen = fen.map(|_| game.start().fen());
    Ok(Opening { fen, moves: played })
}

fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

/// The move in a word of a move list; None for numbers, results and notes.
fn move_text(word: &str) -> Option<&str> {
    if matches!(word, "startpos" | "moves" | "*" | "1-0" | "0-1" | "1/2-1/2") || word.starts_with('$') {
        return None;
    }
    // `12.e4`, `12...e5`; but not the zeros of `0-0`.
    let text = match word.rsplit_once('.') {
        Some((number, text)) if number.chars().all(|c| c.is_ascii_digit() || c == '.') => text,
        _ => word,
    };
    let text = text.trim_end_matches(['!', '?']);
    (!text.is_empty() && !is_number(text)).then_some(text)
}

/// A random opening in which the game goes on.
fn random<R: Rules>(rng: &mut Rng, plies: usize, variant: Variant) -> Opening {
    let fen = if variant == Variant::Chess960 { chess960_fen(rng.below(960)) } else { None };
    let notation = variant.notation();
    loop {
        let start = fen.as_deref().and_then(|fen| Position::<R>::from_fen(fen).ok());
        let mut game = Game::new(start.unwrap_or_else(Position::startpos));
        let mut moves = Vec::with_capacity(plies);
        while moves.len() < plies && game.outcome().is_none() {
            let list = game.position().legal_moves();
            let mv = list[rng.below(list.len())];
            moves.push(game.position().uci(mv, notation));
            game.play(mv);
        }
        if game.outcome().is_none() {
            return Opening { fen: fen.map(|_| game.start().fen()), moves };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Makruk};

    fn chess(line: &str) -> Result<Opening, String> {
        parse_line::<Chess>(line, Variant::Chess)
    }

    #[test]
    fn positions() {
        let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
        assert_eq!(chess(fen).unwrap(), Opening { fen: Some(fen.to_owned()), moves: vec![] });
        let epd = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; id \"x\";";
        let read = chess(epd).unwrap();
        assert_eq!(read.fen.as_deref(), Some(&*fen.replace("2 3", "0 1")));
        assert_eq!(chess(&format!("{fen} ; comment")).unwrap().moves.len(), 0);
        assert_eq!(chess(&format!("{fen} moves f1b5 a7a6")).unwrap().moves, ["f1b5", "a7a6"]);
        let makruk = "rnsmksn1/7r/pp1ppppp/2p5/8/PPPPPPPP/6R1/RNSKMSN1 w - 0 0 1";
        assert!(parse_line::<Makruk>(makruk, Variant::Makruk).is_ok());
    }

    #[test]
    fn move_lists() {
        let moves = ["e2e4", "e7e5", "g1f3"];
        for line in ["e2e4 e7e5 g1f3", "1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3! *", "C40\tKing's Knight\t1. e4 e5 2. Nf3"] {
            assert_eq!(chess(line).unwrap(), Opening { fen: None, moves: moves.map(str::to_owned).to_vec() }, "{line}");
        }
        assert_eq!(chess("startpos moves e2e4").unwrap().moves, ["e2e4"]);
        let after = Position::<Chess>::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1").unwrap();
        assert_eq!(chess("1. e4").unwrap().position(), Some(after));
        assert_eq!(chess("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O").unwrap().moves[6], "e1g1");
    }

    #[test]
    fn game_files() {
        let text = "[White \"a\"]\n\n1. e4 {x} e5 (1... c5) 2. Nf3 Nc6 1-0\n\n[White \"b\"]\n\n1. Ke2 *\n\n\
                    [FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 *\n\n[White \"c\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
                    [Variant \"Makruk\"]\n\n*\n";
        let read = |plies| {
            let games = rukh_pgn::PgnReader::new("o.pgn", text.as_bytes()).unwrap();
            read_games(games, Variant::Chess, plies)
        };
        let (list, bad) = read(Some(3));
        assert_eq!(list[0], Opening { fen: None, moves: ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec() });
        assert_eq!(list[1].fen.as_deref(), Some("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1"));
        assert_eq!((list.len(), bad.len()), (3, 2), "{bad:?}");
        assert_eq!(read(None).0[2].moves.len(), 3, "the mate itself is not played");
        assert_eq!(read(Some(0)).0[0].moves.len(), 0);
        // Whatever the file is called.
        let file = rukh_testing::NewFile::new("games.txt");
        std::fs::write(&file, text).unwrap();
        assert_eq!(read_file(&file, Variant::Chess, None).unwrap().0.len(), 3);
    }

    #[test]
    fn bad_lines_are_reported_with_their_number() {
        let text = "# list\n\n1. e4 e5\nrubbish\n8/8/8/8/8/8/8/8 w - - 0 1\n1. e4 e5 2. Ke3\n";
        let (openings, complaints) = parse_list::<Chess>(text, Variant::Chess);
        assert_eq!((openings.len(), complaints.len()), (1, 3));
        assert!(complaints[0].starts_with("line 4"), "{}", complaints[0]);
        assert!(complaints[2].contains("Ke3"), "{}", complaints[2]);
        assert_eq!(usable(&openings, &[]), Ok(None));
        assert_eq!(usable(&openings, &complaints), Ok(Some(format!("{} (and 2 more)", complaints[0]))));
        assert_eq!(usable(&[], &complaints[2..]), Err(format!("no opening can be used: {}", complaints[2])));
        assert!(usable(&[], &[]).is_err());
        // Fool's mate: nothing left to play.
        assert!(chess("f2f3 e7e5 g2g4 d8h4").is_err());
    }

    #[test]
    fn random_openings_repeat_with_their_seed() {
        let book = Book::Random { seed: 5, plies: 8, variant: Variant::Chess };
        let first = book.get::<Chess>(0);
        assert_eq!(first, book.get::<Chess>(0));
        assert_ne!(first, book.get::<Chess>(1));
        assert_eq!((first.fen, first.moves.len()), (None, 8));
        let book = Book::Random { seed: 5, plies: 6, variant: Variant::Makruk };
        assert_eq!(book.get::<Makruk>(3).moves.len(), 6);
        let book = Book::Random { seed: 5, plies: 4, variant: Variant::Chess960 };
        assert!(book.get::<Chess>(3).fen.is_some());
    }

    #[test]
    fn orders() {
        let list: Vec<Opening> = ["e2e4", "d2d4", "c2c4", "g1f3"].iter().map(|line| chess(line).unwrap()).collect();
        let mut turned = list.clone();
        arrange(&mut turned, false, 0, 6);
        assert_eq!(turned[0], list[1]);
        let mut shuffled = list.clone();
        arrange(&mut shuffled, true, 3, 1);
        let mut again = list.clone();
        arrange(&mut again, true, 3, 1);
        assert_eq!(shuffled, again);
    }

    /// The real lists, when they are there.
    #[test]
    fn shared_lists() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/openings");
        let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}"));
        let Ok(balanced) = read("balanced_5000.epd") else {
            eprintln!("skipped: no shared opening lists");
            return;
        };
        let (list, bad) = parse_list::<Chess>(&balanced, Variant::Chess);
        assert_eq!((list.len(), bad), (5000, vec![]));
        let (list, bad) = parse_list::<Chess>(&read("chess960_openings.epd").unwrap(), Variant::Chess960);
        assert_eq!((list.len(), bad), (960, vec![]));
        let (list, bad) = parse_list::<Makruk>(&read("makruk_5000.epd").unwrap(), Variant::Makruk);
        assert_eq!((list.len(), bad), (5000, vec![]));
        let (list, bad) = parse_list::<Chess>(&read("c.tsv").unwrap(), Variant::Chess);
        assert!(list.len() > 500 && bad.len() == 1 && bad[0].contains("over"), "one line ends in mate: {bad:?}");
    }
}

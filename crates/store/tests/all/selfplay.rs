//! The games file: what goes in comes out, a torn end is dropped, damage is noticed.

use rukh_core::rng::Rng;
use rukh_core::{Chess, Makruk, Position, Rules, Variant, dispatch};
use rukh_store::selfplay::{
    BlockEncoder, BlockHead, Filter, FlatRecord, GamesError, GamesReader, GamesWriter, MAX_PLIES, Recipe, SelfPlay,
    SelfPlayResult, decode_block, score, start_position,
};
use rukh_testing::NewFile;
use std::io::Cursor;
use std::path::Path;

/// A random game with a score that wanders.
fn random_game<R: Rules>(rng: &mut Rng) -> SelfPlay {
    random_game_from::<R>(rng, None)
}

fn random_game_from<R: Rules>(rng: &mut Rng, array: Option<u16>) -> SelfPlay {
    let mut pos = start_position::<R>(array);
    let opening = 8 + rng.below(2);
    let mut game = SelfPlay { array, opening, moves: Vec::new(), scores: Vec::new(), verdict: SelfPlayResult::Draw };
    let mut cp = 0i32;
    for ply in 0..opening + rng.below(150) {
        let legal = pos.legal_moves();
        if legal.is_empty() {
            break;
        }
        let mv = legal[rng.below(legal.len())];
        game.moves.push(mv);
        if ply >= opening {
            cp = (cp + rng.below(301) as i32 - 150).clamp(-9_999, 9_999);
            game.scores.push(score::quantise(cp));
        }
        pos = pos.after(mv);
    }
    if game.moves.len() < game.opening {
        game.opening = game.moves.len();
    }
    if let Some(last) = game.scores.last_mut() {
        *last = -score::DECIDED as i16;
    }
    game.verdict = [SelfPlayResult::BlackWins, SelfPlayResult::Draw, SelfPlayResult::WhiteWins][rng.below(3)];
    game
}

fn block<R: Rules>(games: &[SelfPlay], number: u32) -> (BlockHead, Vec<u8>) {
    let variant = if games[0].array.is_some() { Variant::Chess960 } else { R::VARIANT };
    let mut encoder = BlockEncoder::<R>::new(variant);
    for game in games {
        encoder.push(game).unwrap();
    }
    let (games, plies) = (encoder.games(), encoder.plies());
    let payload = encoder.finish();
    (BlockHead { variant, seed: 5, number, games, plies, bytes: payload.len() as u32 }, payload)
}

fn round_trip<R: Rules>(seed: u64) {
    let mut rng = Rng::plain(seed);
    let games: Vec<SelfPlay> = (0..60).map(|_| random_game::<R>(&mut rng)).collect();
    let (head, payload) = block::<R>(&games, 0);
    assert_eq!(decode_block::<R>(&head, &payload).unwrap(), games);
}

/// The longest game that the format has room for is kept, a longer one refused.
#[test]
fn the_longest_game_comes_back() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let (mut pos, mut moves) = (Position::<Chess>::startpos(), Vec::new());
    for uci in shuffle.iter().cycle().take(MAX_PLIES) {
        let mv = pos.parse_uci(uci).unwrap();
        moves.push(mv);
        pos = pos.after(mv);
    }
    let scores = vec![0; moves.len() - 8];
    let longest = SelfPlay { array: None, opening: 8, moves, scores, verdict: SelfPlayResult::Draw };
    let (head, payload) = block::<Chess>(std::slice::from_ref(&longest), 0);
    assert_eq!(decode_block::<Chess>(&head, &payload).unwrap(), std::slice::from_ref(&longest));
    let mut longer = longest;
    longer.moves.push(pos.parse_uci("e2e4").unwrap());
    longer.scores.push(0);
    assert!(matches!(BlockEncoder::<Chess>::new(Variant::Chess).push(&longer), Err(GamesError::Damaged(_))));
}

#[test]
fn games_come_back() {
    round_trip::<Chess>(1);
    round_trip::<Makruk>(2);
}

#[test]
fn games_of_chess960_keep_their_arrays() {
    let mut rng = Rng::plain(9);
    let games: Vec<SelfPlay> = (0..960).step_by(7).map(|n| random_game_from::<Chess>(&mut rng, Some(n))).collect();
    assert!(games.iter().any(|game| game.moves.iter().any(|mv| mv.is_castle())));
    let (head, payload) = block::<Chess>(&games, 0);
    assert_eq!(decode_block::<Chess>(&head, &payload).unwrap(), games);
    // A file says which game it holds, and is not taken for another one.
    let path = NewFile::new("960");
    let (mut writer, _) = GamesWriter::open(&path, Variant::Chess960, &RECIPE).unwrap();
    writer.append(&head, &payload).unwrap();
    drop(writer);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!((bytes[8], bytes[10]), (2, 1));
    let (blocks, said, reader) = blocks_of(&bytes).unwrap();
    assert_eq!((blocks, said, reader.variant()), (vec![(head, payload)], None, Variant::Chess960));
    let error = GamesWriter::open(&path, Variant::Chess, &RECIPE).err().unwrap().to_string();
    assert_eq!(error, "the file contains chess960 games, not chess");
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_file_of_chess960_stays_readable() {
    let (blocks, said, reader) = blocks_of(include_bytes!("../data/chess960-v2.games")).unwrap();
    assert_eq!((said, reader.variant(), reader.recipe().soft_nodes), (None, Variant::Chess960, 30));
    let games: Vec<SelfPlay> = blocks.iter().flat_map(|(h, p)| decode_block::<Chess>(h, p).unwrap()).collect();
    assert_eq!((games.len(), games.iter().map(|game| game.scores.len()).sum::<usize>()), (6, 355));
    assert_eq!(games[0].start::<Chess>().fen(), "bbqrknnr/pppppppp/8/8/8/8/PPPPPPPP/BBQRKNNR w KQkq - 0 1");
}

#[test]
fn hostile_blocks_are_errors() {
    // Random bytes decode to an error or to some games: never a panic, never without end.
    let mut rng = Rng::plain(77);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..rng.below(400)).map(|_| rng.below(256) as u8).collect();
        for variant in Variant::ALL {
            let head = BlockHead { variant, seed: 1, number: 0, games: 5, plies: 0, bytes: bytes.len() as u32 };
            let _ = dispatch!(type R of variant => decode_block::<R>(&head, &bytes));
        }
    }
}

const RECIPE: Recipe = Recipe { soft_nodes: 400, hard_nodes: 1000, network: 0 };

#[test]
fn a_torn_end_is_dropped_and_damage_is_refused() {
    let path = NewFile::new("torn");
    let mut rng = Rng::plain(3);
    let games: Vec<SelfPlay> = (0..8).map(|_| random_game::<Chess>(&mut rng)).collect();
    let (mut writer, before) = GamesWriter::open(&path, Variant::Chess, &RECIPE).unwrap();
    assert!(before.is_empty());
    for number in 0..3 {
        let (head, payload) = block::<Chess>(&games, number);
        writer.append(&head, &payload).unwrap();
    }
    drop(writer);
    let whole = std::fs::read(&path).unwrap();
    let count = |path: &Path| -> Result<(usize, bool), GamesError> {
        let mut reader = GamesReader::open(path)?;
        let mut blocks = 0;
        while reader.next_block()?.is_some() {
            blocks += 1;
        }
        Ok((blocks, reader.torn()))
    };
    assert_eq!(count(&path).unwrap(), (3, false));
    // Killed at any byte: the whole blocks before it are there, and writing goes on behind them.
    for cut in [whole.len() - 1, whole.len() - 40, whole.len() / 2, 65, 64] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (blocks, _) = count(&path).unwrap();
        assert!(blocks < 3);
        let (mut writer, found) = GamesWriter::open(&path, Variant::Chess, &RECIPE).unwrap();
        assert_eq!(found.get(&5).map_or(0, Vec::len), blocks);
        let (head, payload) = block::<Chess>(&games, 9);
        writer.append(&head, &payload).unwrap();
        drop(writer);
        assert_eq!(count(&path).unwrap(), (blocks + 1, false));
    }
    for at in [3, 9, 13, 40, 100, whole.len() - 5] {
        let mut bad = whole.clone();
        bad[at] ^= 4;
        std::fs::write(&path, &bad).unwrap();
        assert!(count(&path).is_err(), "byte {at}");
    }
    std::fs::write(&path, &whole).unwrap();
    let error = GamesReader::open(&path).and_then(|reader| reader.only(Variant::Makruk)).err().unwrap().to_string();
    assert_eq!(error, "the file contains chess games, not makruk");
    let other = Recipe { soft_nodes: 1, ..RECIPE };
    let refused = GamesWriter::open(&path, Variant::Chess, &other).err().unwrap().to_string();
    assert!(refused.contains("(--soft 400 --hard 1000, the classical evaluation)"), "{refused}");
}

#[test]
fn records_see_the_board_with_the_movers_eyes() {
    let white = Position::<Chess>::from_fen("4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1").unwrap();
    let black = Position::<Chess>::from_fen("r3k3/4p3/8/8/8/8/8/4K3 b - - 0 1").unwrap();
    assert_eq!(FlatRecord::new(&white, 37, 2, false), FlatRecord::new(&black, 37, 2, false));
    let FlatRecord(bytes) = FlatRecord::new(&white, -3, 2, true);
    assert_eq!((bytes[0], bytes[2], bytes[6], bytes[30]), (4, 6, 1, 14));
    assert_eq!((i16::from_le_bytes([bytes[32], bytes[33]]), bytes[34], bytes[35]), (-3, 2, 1));
}

#[test]
fn the_filter_leaves_out_what_it_should() {
    let mut rng = Rng::plain(8);
    let game = random_game::<Chess>(&mut rng);
    let mut kept = 0;
    Filter::default().positions::<Chess>(&game, |pos, cp| {
        assert!(!pos.in_check() && pos.ply() as usize >= game.opening && cp.abs() <= 6_000);
        kept += 1;
    });
    assert!(kept > 0 && kept < game.scores.len());
}

/// Eight blocks of three games, and where each block ends.
fn eight_blocks(name: &str) -> (Vec<u8>, Vec<usize>) {
    let path = NewFile::new(name);
    let mut rng = Rng::plain(4);
    let (mut writer, _) = GamesWriter::open(&path, Variant::Chess, &RECIPE).unwrap();
    let mut ends = vec![writer.bytes() as usize];
    for number in 0..8 {
        let games: Vec<SelfPlay> = (0..3).map(|_| random_game::<Chess>(&mut rng)).collect();
        let (head, payload) = block::<Chess>(&games, number);
        writer.append(&head, &payload).unwrap();
        ends.push(writer.bytes() as usize);
    }
    let bytes = std::fs::read(&path).unwrap();
    (bytes, ends)
}

/// The same games as the older format has them.
const OLD_CHESS: &[u8] = include_bytes!("../data/chess-v1.games");
const OLD_MAKRUK: &[u8] = include_bytes!("../data/makruk-v1.games");

type Blocks = Vec<(BlockHead, Vec<u8>)>;

/// All good blocks, and what the reader says of the file.
#[allow(clippy::type_complexity)]
fn blocks_of(bytes: &[u8]) -> Result<(Blocks, Option<String>, GamesReader<Cursor<&[u8]>>), GamesError> {
    let mut reader = GamesReader::new(Cursor::new(bytes))?;
    let mut blocks = Vec::new();
    while let Some(block) = reader.read_on()? {
        blocks.push(block);
    }
    Ok((blocks, reader.complaint(), reader))
}

#[test]
fn one_wrong_bit_costs_one_block_and_is_counted() {
    let (whole, ends) = eight_blocks("bits");
    let (all, said, _) = blocks_of(&whole).unwrap();
    assert_eq!((all.len(), said), (8, None));
    for bit in 0..8 * whole.len() {
        let mut bad = whole.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let (blocks, _, reader) = blocks_of(&bad).unwrap();
        let hit = ends.iter().position(|&end| bit / 8 < end).unwrap();
        let expected: Blocks = all.iter().enumerate().filter(|(i, _)| i + 1 != hit).map(|(_, b)| b.clone()).collect();
        assert_eq!(blocks, expected, "bit {bit}");
        let losses = reader.losses();
        assert_eq!((losses.places, reader.torn()), (1, false), "bit {bit}");
        // The block behind it tells how many games are missing; the last block has none behind it.
        let last = hit == 8 && losses.uncounted == 1;
        assert!(last || losses.games == if hit == 0 { 0 } else { 3 }, "bit {bit}: {losses:?}");
        assert!(hit == 0 || losses.bytes as usize == ends[hit] - ends[hit - 1], "bit {bit}: {losses:?}");
    }
}

#[test]
fn files_of_version_1_are_read_continued_and_damage_is_noticed() {
    let (all, said, reader) = blocks_of(OLD_CHESS).unwrap();
    assert_eq!((all.len(), said), (3, None));
    let games: Vec<SelfPlay> = all.iter().flat_map(|(h, p)| decode_block::<Chess>(h, p).unwrap()).collect();
    assert_eq!((games.len(), games.iter().map(|g| g.scores.len()).sum::<usize>()), (6, 336));
    let recipe = reader.recipe().clone();
    assert_eq!((recipe.soft_nodes, recipe.hard_nodes, recipe.network), (30, 60, 0));
    assert_eq!(blocks_of(OLD_MAKRUK).unwrap().0.len(), 2);
    // Every wrong bit, also of a length (issue 14: it hid all that came behind) and of the head.
    for bit in 0..8 * OLD_CHESS.len() {
        let mut bad = OLD_CHESS.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        let (blocks, _, reader) = blocks_of(&bad).unwrap();
        assert!(blocks.iter().all(|block| all.contains(block)));
        assert_eq!((blocks.len(), reader.losses().places), (if bit < 256 { 3 } else { 2 }, 1), "bit {bit}");
        assert!(!reader.torn(), "bit {bit}");
    }
    // It is continued as it is; half a block at its end is cut off.
    let path = NewFile::new("old");
    std::fs::write(&path, &OLD_CHESS[..OLD_CHESS.len() - 7]).unwrap();
    let (mut writer, found) = GamesWriter::open(&path, Variant::Chess, &recipe).unwrap();
    assert_eq!(found.len(), 2);
    writer.append(&all[2].0, &all[2].1).unwrap();
    drop(writer);
    assert_eq!(std::fs::read(&path).unwrap(), OLD_CHESS);
}

/// Random damage of many kinds.
fn damage(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(bytes.len());
    let most = [4, 40, 400, 4000][rng.below(4)];
    let run = 1 + rng.below(most).min(bytes.len() - at - 1);
    match rng.below(9) {
        0 => bytes[at] ^= 1 << rng.below(8),
        1 => bytes[at] = rng.below(256) as u8,
        2 => bytes[at..at + run].iter_mut().for_each(|b| *b = rng.below(256) as u8),
        3 => bytes[at..at + run].fill(0),
        4 => drop(bytes.drain(at..at + run)),
        5 => {
            let noise: Vec<u8> = (0..run).map(|_| rng.below(256) as u8).collect();
            bytes.splice(at..at, noise);
        }
        6 => {
            let copy = bytes[at..at + run].to_vec();
            let to = rng.below(bytes.len());
            bytes.splice(to..to, copy);
        }
        7 => bytes.truncate(at),
        _ => {
            // A false head of a block, with any length.
            let mut head = [b"BLK1", b"BLK2"][rng.below(2)].to_vec();
            head.extend((0..32).map(|_| (rng.below(256) * rng.below(2)) as u8));
            bytes.splice(at..at, head);
        }
    }
    if bytes.is_empty() {
        bytes.push(0);
    }
}

#[test]
fn no_damage_is_silent() {
    let (whole, ends) = eight_blocks("mutants");
    let files: [(&[u8], Vec<usize>, u64); 2] = [(&whole, ends, 6), (OLD_CHESS, vec![32, 251, 409, 610], 5)];
    let path = NewFile::new("mutant");
    for (whole, ends, seed) in files {
        let (all, _, reader) = blocks_of(whole).unwrap();
        let recipe = reader.recipe().clone();
        let mut rng = Rng::plain(seed);
        let (mut silent, mut refused) = (0, 0);
        for round in 0..6_000 {
            let mut bad = whole.to_vec();
            for _ in 0..1 + rng.below(3) {
                damage(&mut bad, &mut rng);
            }
            let Ok((blocks, said, reader)) = blocks_of(&bad) else {
                refused += 1;
                continue;
            };
            assert!(blocks.iter().all(|block| all.contains(block)), "round {round}: a block that never was");
            // A file that ends with an earlier block is the file as it was then.
            if blocks != all && said.is_none() {
                assert!(ends.iter().any(|&end| bad == whole[..end]), "round {round}: silently fewer games");
                silent += 1;
            }
            let damaged = reader.losses().places > 0;
            if round % 8 == 0 {
                // Appending: refused and left alone, or every good block stays.
                std::fs::write(&path, &bad).unwrap();
                match GamesWriter::open(&path, Variant::Chess, &recipe) {
                    Ok((_, found)) => {
                        assert!(!damaged || whole[..64.min(bad.len())] == bad, "round {round}");
                        assert_eq!(found.values().flatten().count(), blocks.len(), "round {round}");
                        let after = std::fs::read(&path).unwrap();
                        assert_eq!(blocks_of(&after).unwrap().0, blocks, "round {round}");
                    }
                    Err(_) => {
                        assert!(damaged, "round {round}");
                        assert_eq!(std::fs::read(&path).unwrap(), bad, "round {round}");
                    }
                }
            }
        }
        println!("of 6000 damaged files {refused} were refused, {silent} ended with an earlier block");
    }
}

#[test]
fn a_crafted_file_is_not_searched_for_ever() {
    // Heads without end, each of which promises megabytes: an honest search would take hours.
    for version in [1u8, 2] {
        let (whole, _) = eight_blocks(&format!("crafted{version}"));
        let mut bad = if version == 1 { OLD_CHESS[..32].to_vec() } else { whole[..64].to_vec() };
        let mut head = OLD_CHESS[32..64].to_vec();
        head[24..28].copy_from_slice(&(2u32 << 20).to_le_bytes());
        while bad.len() < 6 << 20 {
            bad.extend_from_slice(&head);
        }
        let (blocks, said, _) = blocks_of(&bad).unwrap();
        assert!(blocks.is_empty() && said.is_some());
    }
}

#[test]
fn a_file_has_one_writer_and_other_files_are_left_alone() {
    let path = NewFile::new("locked");
    let (writer, _) = GamesWriter::open(&path, Variant::Chess, &RECIPE).unwrap();
    assert!(matches!(GamesWriter::open(&path, Variant::Chess, &RECIPE), Err(GamesError::Busy)));
    drop(writer);
    assert!(GamesWriter::open(&path, Variant::Chess, &RECIPE).is_ok());
    // Killed while the head was being written.
    let head = std::fs::read(&path).unwrap();
    for cut in [0, 1, 40, head.len() - 1] {
        std::fs::write(&path, &head[..cut]).unwrap();
        assert!(GamesWriter::open(&path, Variant::Chess, &RECIPE).is_ok());
        assert_eq!(std::fs::read(&path).unwrap(), head);
    }
    // A short text is not a file of games, and stays.
    std::fs::write(&path, "notes").unwrap();
    assert!(matches!(GamesWriter::open(&path, Variant::Chess, &RECIPE), Err(GamesError::Foreign)));
    assert_eq!(std::fs::read(&path).unwrap(), b"notes");
}

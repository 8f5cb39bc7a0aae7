//! The games file: what goes in comes out, a torn end is dropped, damage is noticed.

use rukh_core::{Chess, Makruk, Position, Rules};
use rukh_store::selfplay::{
    BlockEncoder, BlockHead, Filter, FlatRecord, GamesError, GamesReader, GamesWriter, Recipe, SelfPlay, Verdict,
    decode_block, score,
};
use std::path::PathBuf;

struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// A random game with a score that wanders.
fn random_game<R: Rules>(rng: &mut Rng) -> SelfPlay {
    let mut pos = Position::<R>::startpos();
    let opening = 8 + rng.below(2);
    let mut game = SelfPlay { opening, moves: Vec::new(), scores: Vec::new(), verdict: Verdict::Draw };
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
    game.verdict = [Verdict::BlackWins, Verdict::Draw, Verdict::WhiteWins][rng.below(3)];
    game
}

fn block<R: Rules>(games: &[SelfPlay], number: u32) -> (BlockHead, Vec<u8>) {
    let mut encoder = BlockEncoder::<R>::default();
    for game in games {
        encoder.push(game).unwrap();
    }
    let (games, plies) = (encoder.games(), encoder.plies());
    let payload = encoder.finish();
    (BlockHead { seed: 5, number, games, plies, bytes: payload.len() as u32 }, payload)
}

fn round_trip<R: Rules>(seed: u64) {
    let mut rng = Rng(seed);
    let games: Vec<SelfPlay> = (0..60).map(|_| random_game::<R>(&mut rng)).collect();
    let (head, payload) = block::<R>(&games, 0);
    assert_eq!(decode_block::<R>(&payload, head.games).unwrap(), games);
}

#[test]
fn games_come_back() {
    round_trip::<Chess>(1);
    round_trip::<Makruk>(2);
}

#[test]
fn hostile_blocks_are_errors() {
    // Random bytes decode to an error or to some games: never a panic, never without end.
    let mut rng = Rng(77);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..rng.below(400)).map(|_| rng.below(256) as u8).collect();
        let _ = decode_block::<Chess>(&bytes, 5);
        let _ = decode_block::<Makruk>(&bytes, 5);
    }
}

const RECIPE: Recipe = Recipe { soft_nodes: 400, hard_nodes: 1000, network: 0 };

fn temporary(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rukh-selfplay-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_torn_end_is_dropped_and_damage_is_refused() {
    let path = temporary("torn");
    let mut rng = Rng(3);
    let games: Vec<SelfPlay> = (0..8).map(|_| random_game::<Chess>(&mut rng)).collect();
    let (mut writer, before) = GamesWriter::open::<Chess>(&path, &RECIPE).unwrap();
    assert!(before.is_empty());
    for number in 0..3 {
        let (head, payload) = block::<Chess>(&games, number);
        writer.append(&head, &payload).unwrap();
    }
    drop(writer);
    let whole = std::fs::read(&path).unwrap();
    let count = |path: &PathBuf| -> Result<(usize, bool), GamesError> {
        let mut reader = GamesReader::open::<Chess>(path)?;
        let mut blocks = 0;
        while reader.next_block()?.is_some() {
            blocks += 1;
        }
        Ok((blocks, reader.torn()))
    };
    assert_eq!(count(&path).unwrap(), (3, false));
    // Killed at any byte: the whole blocks before it are there, and writing goes on behind them.
    for cut in [whole.len() - 1, whole.len() - 40, whole.len() / 2, 33, 32] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let (blocks, _) = count(&path).unwrap();
        assert!(blocks < 3);
        let (mut writer, found) = GamesWriter::open::<Chess>(&path, &RECIPE).unwrap();
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
    let error = GamesReader::open::<Makruk>(&path).err().unwrap().to_string();
    assert_eq!(error, "the file holds chess games, not makruk");
    let other = Recipe { soft_nodes: 1, ..RECIPE };
    assert!(matches!(GamesWriter::open::<Chess>(&path, &other), Err(GamesError::Recipe { .. })));
    std::fs::remove_file(&path).unwrap();
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
    let mut rng = Rng(8);
    let game = random_game::<Chess>(&mut rng);
    let mut kept = 0;
    Filter::default().positions::<Chess>(&game, |pos, cp| {
        assert!(!pos.in_check() && pos.ply() as usize >= game.opening && cp.abs() <= 6_000);
        kept += 1;
    });
    assert!(kept > 0 && kept < game.scores.len());
}

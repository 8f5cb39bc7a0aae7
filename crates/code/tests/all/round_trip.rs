//! `decode(encode(p)) == p` on random games, random boards and whole classes of endings.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use crate::common::{random_board, round_trip, walk};
use rukh_code::{AnyCode, CodeError, Codec, Coded, PositionCode, without_clocks};
use rukh_core::rng::Rng;
use rukh_core::{Bitboard, Chess, Color, Kind, Makruk, Position, Setup, Square};

/// The shared part of the quick and the long test.
fn random_games(games: usize, seed: u64) -> usize {
    let mut random = Rng::plain(seed);
    let mut seen = 0;
    for _ in 0..games {
        walk(&Position::<Chess>::startpos(), &mut random, 200, &mut |pos| {
            seen += 1;
            round_trip(Codec::chess(), pos);
            if seen % 4 == 0 {
                round_trip(Codec::chess960(), pos);
            }
        });
        walk(&Position::<Makruk>::startpos(), &mut random, 250, &mut |pos| {
            seen += 1;
            round_trip(Codec::makruk(), pos);
        });
        let start = start_960(&mut random);
        walk(&start, &mut random, 200, &mut |pos| {
            seen += 1;
            round_trip(Codec::chess960(), pos);
        });
    }
    seen
}

/// A random Chess960 start position.
fn start_960(random: &mut Rng) -> Position<Chess> {
    let mut files: Vec<u8> = (0..8).collect();
    let mut take = |n: usize| files.remove(n);
    let queen = take(random.below(8));
    let knights = [take(random.below(7)), take(random.below(6))];
    files.sort_unstable();
    // Bishops on opposite colours: try pairs until one fits.
    let pairs: Vec<(usize, usize)> =
        (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).filter(|&(a, b)| (files[a] + files[b]) % 2 == 1).collect();
    if pairs.is_empty() {
        return start_960(random);
    }
    let (a, b) = pairs[random.below(pairs.len())];
    let bishops = [files[a], files[b]];
    let rest: Vec<u8> = files.iter().copied().filter(|f| !bishops.contains(f)).collect();
    let mut setup = Setup::new(Color::White);
    for (color, base) in [(Color::White, 0), (Color::Black, 56)] {
        let mut put = |kind, file: u8| setup.put(color, kind, Square::from_index(base + file).unwrap());
        put(Kind::Queen, queen);
        put(Kind::King, rest[1]);
        for (kind, files) in [(Kind::Knight, knights), (Kind::Bishop, bishops), (Kind::Rook, [rest[0], rest[2]])] {
            put(kind, files[0]);
            put(kind, files[1]);
        }
        setup.castling |= Bitboard(1 << (base + rest[0]) | 1 << (base + rest[2]));
    }
    for (color, rank) in [(0, 1), (1, 6)] {
        setup.planes[0] |= Bitboard::RANKS[rank];
        setup.planes[6 + color] |= Bitboard::RANKS[rank];
    }
    Position::<Chess>::from_setup(&setup).unwrap()
}

fn random_boards(count: usize, seed: u64) -> usize {
    let mut random = Rng::plain(seed);
    let mut direct = 0;
    for n in 0..count {
        let pos = random_board(&mut random, 2 + n % 31);
        direct += usize::from(round_trip(Codec::chess(), &pos));
        if n % 4 == 0 {
            round_trip(Codec::chess960(), &pos);
        }
    }
    direct
}

#[test]
fn games_of_all_variants() {
    assert!(random_games(25, 7) > 5_000);
}

#[test]
fn boards_of_2_to_32_men() {
    assert!(random_boards(8_000, 11) > 1_500);
}

/// Parts of the long test, each of [`PART`] positions and a little more; a part is made of its number alone, so that parts can run in any order, on any
/// machine, one after the other.
const PARTS: u64 = 200;
const PART: usize = 50_000;

/// Positions there and back by text, and all of them again at once: returns how many.
fn there_and_back<R: Coded>(codec: &Codec<R>, positions: &[Position<R>]) -> usize {
    let mut direct = Vec::new();
    let many = codec.encode_many(positions);
    for (pos, at_once) in positions.iter().zip(many) {
        let code = match codec.encode_any(pos) {
            Ok(code) => code,
            // Random play goes on after the draw.
            Err(CodeError::Count) => continue,
            Err(error) => panic!("{}: {error}", pos.fen()),
        };
        let text = code.to_string();
        assert_eq!(text.parse(), Ok(code), "{}: {text}", pos.fen());
        let plain = without_clocks(pos).unwrap();
        assert_eq!(codec.decode_any(code).unwrap(), plain, "{}: {text}", pos.fen());
        match code {
            AnyCode::Short(short) => {
                assert_eq!(at_once, Ok(short), "{}", pos.fen());
                direct.push((short, plain));
            }
            AnyCode::Long(_) => assert_eq!(at_once, Err(CodeError::DoesNotFit), "{}", pos.fen()),
        }
    }
    let (codes, plain): (Vec<_>, Vec<_>) = direct.into_iter().unzip();
    let back: Result<Vec<_>, _> = codec.decode_many(&codes).into_iter().collect();
    assert!(back.unwrap() == plain, "decoded at once");
    positions.len()
}

/// Random games of all variants and random boards of 2 to 32 men.
fn part(number: u64) -> usize {
    let mut random = Rng::plain(1_000 + number);
    let mut seen = 0;
    while seen < PART {
        let (mut chess, mut makruk, mut chess960) = (Vec::new(), Vec::new(), Vec::new());
        walk(&Position::<Chess>::startpos(), &mut random, 200, &mut |pos| chess.push(*pos));
        walk(&Position::<Makruk>::startpos(), &mut random, 250, &mut |pos| makruk.push(*pos));
        walk(&start_960(&mut random), &mut random, 200, &mut |pos| chess960.push(*pos));
        chess.extend((0..200).map(|n| random_board(&mut random, 2 + n % 31)));
        chess960.extend(chess.iter().step_by(4).copied());
        seen += there_and_back(Codec::chess(), &chess);
        seen += there_and_back(Codec::makruk(), &makruk);
        seen += there_and_back(Codec::chess960(), &chess960);
    }
    seen
}

#[test]
fn a_piece_of_the_long_test() {
    let mut random = Rng::plain(4);
    let mut chess: Vec<_> = (0..300).map(|n| random_board(&mut random, 2 + n % 31)).collect();
    walk(&start_960(&mut random), &mut random, 200, &mut |pos| chess.push(*pos));
    assert_eq!(there_and_back(Codec::chess960(), &chess), chess.len());
}

/// All parts on all cores. `RUKH_PARTS=20..40` takes some of them, so that a busy machine can do the rest another day; each part is told when done.
#[test]
#[ignore = "long: 10^7 positions, minutes"]
fn ten_million_positions() {
    let asked = std::env::var("RUKH_PARTS").unwrap_or_else(|_| format!("0..{PARTS}"));
    let (from, to) = asked.split_once("..").expect("RUKH_PARTS=from..to");
    let (from, to): (u64, u64) = (from.parse().unwrap(), to.parse().unwrap());
    let (next, seen) = (AtomicU64::new(from), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, std::num::NonZero::get) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= to {
                        break;
                    }
                    let here = part(number);
                    eprintln!("part {number}: {} positions in all", seen.fetch_add(here, Relaxed) + here);
                }
            });
        }
    });
    assert!(seen.into_inner() >= PART * (to - from) as usize);
}

/// All legal positions of a material with three men, and all their codes different.
fn exhaustive(kind: Kind) -> usize {
    let mut codes = HashSet::new();
    for side in Color::ALL {
        for owner in Color::ALL {
            for white in Square::all() {
                for black in Square::all() {
                    for man in Square::all() {
                        if white == black || white == man || black == man {
                            continue;
                        }
                        let mut setup = Setup::new(side);
                        setup.put(Color::White, Kind::King, white);
                        setup.put(Color::Black, Kind::King, black);
                        setup.put(owner, kind, man);
                        let Ok(pos) = Position::<Chess>::from_setup(&setup) else { continue };
                        let code = Codec::chess().encode(&pos).unwrap();
                        assert!(codes.insert(code), "{} has the code of another position", pos.fen());
                        assert_eq!(Codec::chess().decode(code), Ok(pos));
                    }
                }
            }
        }
    }
    codes.len()
}

#[test]
fn every_kpk_position_has_its_own_code() {
    // Both colours of the pawn and both sides to move.
    assert_eq!(exhaustive(Kind::Pawn), 2 * 331_352);
}

#[test]
fn every_kqk_position_has_its_own_code() {
    assert_eq!(exhaustive(Kind::Queen), 2 * 368_452);
}

/// Any number is a code of exactly one position or of none; never a wrong board.
#[test]
fn random_numbers_are_codes_or_errors() {
    let mut random = Rng::plain(5);
    let mut decoded = 0;
    for n in 0..60_000 {
        // Part A is near the start of the space.
        let payload = random.next_u64() >> (1 + if n % 2 == 0 { 4 + random.below(40) as u32 } else { 0 });
        let code = PositionCode::from_raw((payload | 1 << 63) as i64).unwrap();
        match Codec::chess().decode(code) {
            Ok(pos) => {
                decoded += 1;
                assert_eq!(Codec::chess().encode(&pos), Ok(code), "{}", pos.fen());
            }
            Err(error) => assert!(matches!(error, CodeError::NoPosition | CodeError::Illegal(_)), "{error}"),
        }
        if let Ok(pos) = Codec::chess960().decode(code) {
            assert_eq!(Codec::chess960().encode(&pos), Ok(code), "{}", pos.fen());
        }
        if let Ok(pos) = Codec::makruk().decode(code) {
            assert_eq!(Codec::makruk().encode(&pos), Ok(code), "{}", pos.fen());
        }
    }
    assert!(decoded > 1_000, "{decoded}");
}

#[test]
fn batch_equals_single() {
    let mut random = Rng::plain(3);
    let mut positions = Vec::new();
    for _ in 0..20 {
        walk(&Position::<Chess>::startpos(), &mut random, 100, &mut |pos| positions.push(*pos));
    }
    let many = Codec::chess().encode_many(&positions);
    let single: Vec<_> = positions.iter().map(|pos| Codec::chess().encode(pos)).collect();
    assert_eq!(many, single);
    let codes: Vec<_> = single.into_iter().flatten().collect();
    let back: Vec<_> = codes.iter().map(|&code| Codec::chess().decode(code)).collect();
    assert_eq!(Codec::chess().decode_many(&codes), back);
    // Numbers that are no codes, entries of tables and exact ranks among them.
    let strange = |_| PositionCode::from_raw(random.next_u64() as i64).ok();
    let mixed: Vec<_> = (0..600).filter_map(strange).chain(codes.iter().step_by(3).copied()).collect();
    let single: Vec<_> = mixed.iter().map(|&code| Codec::chess().decode(code)).collect();
    assert_eq!(Codec::chess().decode_many(&mixed), single);
    assert!(single.iter().any(Result::is_err) && single.iter().any(Result::is_ok));
}

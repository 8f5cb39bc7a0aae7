//! Long codes: every legal position has a text without any table, and one only.

use crate::common::{random_board, round_trip, walk};
use rukh_code::{AnyCode, CodeError, Codec, Coded, ExtendedCode, LongCode, choose, rank, unrank};
use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Kind, Makruk, Position, Rules, Setup, Square};

/// Boards that no model expects: sides of promoted pieces only, up to sixteen men each.
fn crowds<R: Rules>(random: &mut Rng, build: fn(&Setup) -> Option<Position<R>>) -> Position<R> {
    loop {
        let mut setup = Setup::new(Color::ALL[random.below(2)]);
        let mut squares: Vec<u8> = (0..64).collect();
        let bias = random.below(6);
        for color in Color::ALL {
            for n in 0..=random.below(16) {
                let square = Square::from_index(squares.swap_remove(random.below(squares.len()))).unwrap();
                let kind = match (n, random.below(3)) {
                    (0, _) => Kind::King,
                    (_, 0) => Kind::ALL[random.below(5)],
                    _ => Kind::ALL[bias % 5],
                };
                setup.put(color, kind, square);
                if kind == Kind::Queen && random.below(2) == 0 && R::VARIANT == rukh_core::Variant::Makruk {
                    setup.promoted |= square.bb();
                }
            }
        }
        if let Some(pos) = build(&setup) {
            return pos;
        }
    }
}

fn longest<R: Coded>(codec: &Codec<R>, positions: impl Iterator<Item = Position<R>>) -> usize {
    let measured = positions.map(|pos| {
        round_trip(codec, &pos);
        codec.encode_any(&pos).unwrap().to_string().len()
    });
    measured.max().unwrap()
}

#[test]
fn crowded_boards() {
    let mut random = Rng::plain(21);
    let chess = (0..300).map(|_| crowds(&mut random, |setup| Position::<Chess>::from_setup(setup).ok()));
    let chess: Vec<_> = chess.collect();
    let most = longest(Codec::chess(), chess.iter().copied());
    assert!((29..=34).contains(&most), "{most}");
    assert!(longest(Codec::chess960(), chess.iter().copied()) <= 34);
    let makruk = (0..200).map(|_| crowds(&mut random, |setup| Position::<Makruk>::from_setup(setup).ok()));
    assert!(longest(Codec::makruk(), makruk) <= 35);
}

/// Castling, en passant and counts where the model has given up.
#[test]
fn exact_ranks_keep_rights_and_counts() {
    for fen in [
        "r3k2r/1qqq1qqq/nbnb1bn1/8/8/1NB1BNBN/QQQ1QQQ1/R3K2R w KQkq - 0 1",
        "qqqq4/4k2q/8/nPp5/8/b3rB1Q/2N1K3/QBRQQQQn w - c6 0 1",
        "r3k2r/8/qq4q1/nPp4b/8/NQ5Q/8/R3K2R w Qk c6 0 1",
    ] {
        let Ok(pos) = Position::<Chess>::from_fen(fen) else { panic!("{fen}") };
        round_trip(Codec::chess(), &pos);
        round_trip(Codec::chess960(), &pos);
    }
    let counted = "m~m~m~m~k3/m~m~m~m~r2r/n5nm/8/8/N1S3SN/R2M~M~M~M~M~/K3M~M~M~R w - 128 17 1";
    let pos = Position::<Makruk>::from_fen(counted).unwrap();
    round_trip(Codec::makruk(), &pos);
    let back = Codec::makruk().decode_any(Codec::makruk().encode_any(&pos).unwrap()).unwrap();
    assert_eq!(back.count(), pos.count());
}

#[test]
fn texts_that_are_no_code_are_refused() {
    let codec = Codec::chess();
    // A direct position has no second, longer code: whatever long text is read, it is the position's own.
    let mut random = Rng::plain(5);
    let (mut positions, mut none) = (0, 0);
    for n in 0..6_000u64 {
        let mut bytes = [0u8; LongCode::MAX_BYTES];
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&random.next_u64().to_be_bytes()[..chunk.len()]);
        }
        let length = 9 + (n % 15) as usize;
        let code = match LongCode::from_bytes(&bytes[..length]) {
            Ok(code) => code,
            Err(error) => {
                assert_eq!(error, CodeError::NoPosition);
                continue;
            }
        };
        assert_eq!(code.to_string().parse(), Ok(code));
        match codec.decode_long(code) {
            Ok(pos) => {
                positions += 1;
                assert_eq!(codec.encode_any(&pos), Ok(AnyCode::Long(code)));
            }
            Err(error) => {
                none += 1;
                assert!(
                    matches!(error, CodeError::NoPosition | CodeError::Illegal(_) | CodeError::Castling),
                    "{error}"
                );
            }
        }
    }
    assert!(none > 1_000 && positions > 5, "{none} {positions}");
    for (text, error) in [("~0000000000000", CodeError::TextCheck), ("0000000000000ä", CodeError::TextCharacter('ä'))]
    {
        let found = text.parse::<AnyCode>().and_then(|code| codec.decode_any(code).map(|_| ()));
        assert_eq!(found, Err(error), "{text}");
    }
    assert_eq!("0".repeat(36).parse::<AnyCode>(), Err(CodeError::TextLength(36)));
}

/// One wrong character or a swap never goes through.
#[test]
fn slips_are_noticed() {
    let mut random = Rng::plain(77);
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyz_~-";
    for _ in 0..40 {
        let pos = random_board(&mut random, 30);
        let text = Codec::chess().encode_any(&pos).unwrap().to_string();
        for at in 0..text.len() {
            let mut wrong = text.clone().into_bytes();
            wrong[at] = digits[random.below(39)];
            let wrong = String::from_utf8(wrong).unwrap();
            assert!(wrong == text || wrong.parse::<AnyCode>() == Err(CodeError::TextCheck), "{text} {wrong}");
            let mut swapped = text.clone().into_bytes();
            swapped.swap(at, (at + 1).min(text.len() - 1));
            let swapped = String::from_utf8(swapped).unwrap();
            assert!(swapped == text || swapped.parse::<AnyCode>() == Err(CodeError::TextCheck), "{text} {swapped}");
        }
    }
}

/// Mean and worst length of the texts that are not direct, of random play.
#[test]
fn lengths_in_random_games() {
    let mut random = Rng::plain(3);
    let (mut count, mut sum, mut most) = (0usize, 0, 0);
    for _ in 0..30 {
        walk(&Position::<Chess>::startpos(), &mut random, 200, &mut |pos| {
            let length = Codec::chess().encode_any(pos).unwrap().to_string().len();
            (count, sum, most) = (count + 1, sum + length, most.max(length));
        });
    }
    // Far from any master's game, and still nobody needs the exact ranks.
    assert!(sum < 22 * count && most < 33, "{count} {sum} {most}");
}

#[test]
fn clocks_travel_in_the_extended_form() {
    let codec = Codec::chess();
    let fen = "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 4 9";
    let pos = Position::<Chess>::from_fen(fen).unwrap();
    let code = codec.extended(&pos, 1).unwrap();
    let text = code.to_string();
    assert!(text.starts_with(&codec.encode_any(&pos).unwrap().to_string()) && text.len() <= 13 + 6, "{text}");
    let read: ExtendedCode = text.parse().unwrap();
    assert_eq!(read, code);
    let (back, repeated) = codec.decode_extended(read).unwrap();
    assert_eq!((back.fen().as_str(), repeated), (fen, 1));

    // Nothing beside the position: nothing beside the code, and a text that says so at length is refused.
    let start = codec.extended(&Position::startpos(), 0).unwrap();
    assert_eq!(start.to_string(), codec.encode(&Position::startpos()).unwrap().to_string());
    assert_eq!(format!("{start}.00").parse::<ExtendedCode>(), Err(CodeError::Clocks));
    assert_eq!(format!("{start}.").parse::<ExtendedCode>(), Err(CodeError::Clocks));
    assert_eq!(format!("{start}.01").parse::<ExtendedCode>(), Err(CodeError::TextCheck));
    let late = Position::<Chess>::from_fen("8/8/8/4k3/8/8/4P3/4K3 w - - 9999 99999").unwrap();
    let text = codec.extended(&late, 2).unwrap().to_string();
    let (back, repeated) = codec.decode_extended(text.parse().unwrap()).unwrap();
    assert_eq!((back.fen(), repeated), (late.fen(), 2));
    assert_eq!(codec.extended(&late, 3), Err(CodeError::Clocks));

    let counted = Position::<Makruk>::from_fen("8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 41").unwrap();
    let code = Codec::makruk().extended(&counted, 0).unwrap();
    assert_eq!(Codec::makruk().decode_extended(code).unwrap().0.fen(), counted.fen());
}

#[test]
fn combinations_are_public() {
    assert_eq!((choose(48, 8), choose(64, 32), choose(5, 6)), (377_348_994, 1_832_624_140_942_590_534, 0));
    let free = 0x00FF_FFFF_FFFF_FF00;
    for (number, size) in [(0, 8), (377_348_993, 8), (12_345, 3), (0, 0)] {
        let set = unrank(number, size, free).unwrap();
        assert_eq!((set.count_ones(), rank(set, free)), (size, Some(number)));
    }
    let half = unrank(choose(64, 32) - 1, 32, u64::MAX).unwrap();
    assert_eq!((half, rank(half, u64::MAX)), (u64::MAX << 32, Some(choose(64, 32) - 1)));
    assert_eq!((unrank(377_348_994, 8, free), rank(1, free), unrank(0, 3, 0b11)), (None, None, None));
}

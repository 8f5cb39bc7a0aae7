//! What the tests share: ways to make positions.

use rukh_code::{AnyCode, CodeError, Codec, Coded, LongCode, without_clocks};
use rukh_core::rng::Rng;
use rukh_core::{Bitboard, Chess, Color, Kind, Position, Rules, Setup, Square};

/// Encodes, decodes and compares, with long codes where it must; returns whether the position has a direct code.
pub fn round_trip<R: Coded>(codec: &Codec<R>, pos: &Position<R>) -> bool {
    if let Ok(code) = codec.encode_any(pos) {
        let text = code.to_string();
        let read: AnyCode = text.parse().unwrap_or_else(|error| panic!("{}: {text}: {error}", pos.fen()));
        assert_eq!(read, code, "{}: {text}", pos.fen());
        let back = codec.decode_any(code).unwrap_or_else(|error| panic!("{}: {text}: {error}", pos.fen()));
        assert_eq!(back, without_clocks(pos).unwrap(), "{}: {text}", pos.fen());
        if let AnyCode::Long(long) = code {
            assert!(text.len() > 13);
            assert_eq!(LongCode::from_bytes(&long.to_bytes()), Ok(long));
        }
    }
    match codec.encode(pos) {
        Ok(code) => {
            let back = codec.decode(code).unwrap_or_else(|error| panic!("{}: {error}", pos.fen()));
            let plain = without_clocks(pos).unwrap();
            assert_eq!(back, plain, "{} became {}", pos.fen(), back.fen());
            assert_eq!(codec.encode(&back), Ok(code), "{}", pos.fen());
            true
        }
        Err(CodeError::DoesNotFit) => {
            assert!(!codec.is_exact(pos), "{}", pos.fen());
            false
        }
        // Random play goes on after the draw.
        Err(CodeError::Count) => false,
        Err(error) => panic!("{}: {error}", pos.fen()),
    }
}

/// Random games: `visit` sees every position.
pub fn walk<R: Rules>(start: &Position<R>, random: &mut Rng, plies: usize, visit: &mut impl FnMut(&Position<R>)) {
    let mut pos = *start;
    for _ in 0..plies {
        visit(&pos);
        let moves = pos.legal_moves();
        if moves.is_empty() {
            return;
        }
        // Captures half of the time, so that all numbers of men come up.
        let captures: Vec<_> = moves.iter().copied().filter(|mv| mv.is_capture()).collect();
        let mv = if !captures.is_empty() && random.below(3) == 0 {
            captures[random.below(captures.len())]
        } else {
            moves[random.below(moves.len())]
        };
        pos = pos.after(mv);
    }
}

/// A random legal chess board with this many men, some with castling rights or en passant.
pub fn random_board(random: &mut Rng, men: usize) -> Position<Chess> {
    loop {
        let mut setup = Setup::new(Color::ALL[random.below(2)]);
        let mut free = Bitboard::ALL;
        let mut left = [16, 16];
        for n in 0..men {
            let color = if n < 2 { n } else { random.below(2) };
            let color = if left[color] == 0 { 1 - color } else { color };
            left[color] -= 1;
            let kind = match (n, random.below(12)) {
                (0 | 1, _) => Kind::King,
                (_, 0..6) => Kind::Pawn,
                (_, k @ 6..10) => Kind::ALL[k - 5],
                _ => Kind::Rook,
            };
            let home = [Square::E1, Square::E8][color];
            let corner = [[Square::A1, Square::H1], [Square::A8, Square::H8]][color][random.below(2)];
            let square = loop {
                let square = match (kind, random.below(3)) {
                    (Kind::King, 0) if free.has(home) => home,
                    (Kind::Rook, 0) if free.has(corner) => corner,
                    _ => Square::from_index(random.below(64) as u8).unwrap(),
                };
                let edge = square.rank().index() % 7 == 0;
                if free.has(square) && !(kind == Kind::Pawn && edge) {
                    break square;
                }
            };
            free = free - square.bb();
            setup.put(Color::ALL[color], kind, square);
        }
        for (color, home) in [Square::E1, Square::E8].into_iter().enumerate() {
            let own = setup.planes[6 + color];
            if (own & setup.planes[Kind::King.index()]).has(home) {
                let rooks = own & setup.planes[Kind::Rook.index()];
                for corner in [Square::A1, Square::H1].map(|s| s.relative(Color::ALL[color])) {
                    if rooks.has(corner) && random.below(4) != 0 {
                        setup.castling |= corner.bb();
                    }
                }
            }
        }
        let sixth = if setup.side == Color::White { 40 } else { 16 };
        setup.ep = Square::from_index(sixth + random.below(8) as u8);
        let built = Position::<Chess>::from_setup(&setup).or_else(|_| {
            setup.ep = None;
            Position::<Chess>::from_setup(&setup)
        });
        if let Ok(pos) = built {
            return pos;
        }
    }
}

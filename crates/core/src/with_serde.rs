//! Texts for `serde`: positions as FEN, squares, variants and moves as UCI writes them, a game as UCI's `position` has it.
//!
//! A move alone can be written and not read: only a position knows whether it is one ([`Position::parse_uci`]). Games are read
//! with their moves checked.

use crate::{Bitboard, Color, Game, Move, Notation, Position, Rules, Square, Variant};
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

/// Hands a text to `parse`.
struct Text<T, P>(&'static str, P, PhantomData<T>);

impl<T, P: FnOnce(&str) -> Result<T, String>> Visitor<'_> for Text<T, P> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).map_err(E::custom)
    }
}

fn read<'de, T, D: Deserializer<'de>>(
    from: D,
    what: &'static str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, D::Error> {
    from.deserialize_str(Text(what, parse, PhantomData))
}

macro_rules! as_text {
    ($($name:ty, $what:literal);*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                read(from, $what, |text| text.parse().map_err(|error| format!("{error}")))
            }
        }
    )*};
}

as_text!(Square, "a square such as e4"; Variant, "chess, chess960 or makruk");

impl<R: Rules> Serialize for Position<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de, R: Rules> Deserialize<'de> for Position<R> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, "a FEN", |text| Self::from_fen(text).map_err(|error| format!("{error}")))
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_char(self.char())
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, "w or b", |text| match text {
            "w" => Ok(Self::White),
            "b" => Ok(Self::Black),
            _ => Err("not a colour: expected w or b".into()),
        })
    }
}

impl Serialize for Bitboard {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Bitboard {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u64::deserialize(from).map(Bitboard)
    }
}

impl Serialize for Move {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// `FEN moves e2e4 e7e5`; without moves the FEN alone.
impl<R: Rules> Serialize for Game<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut pos = *self.start();
        let mut text = format!("{pos}");
        for (number, &mv) in self.moves().iter().enumerate() {
            let mut word = pos.uci(mv, Notation::Standard);
            // In Chess960 the king's step may go where castling goes.
            if pos.parse_uci(&word) != Ok(mv) {
                word = pos.uci(mv, Notation::Chess960);
            }
            text += if number == 0 { " moves " } else { " " };
            text += &word;
            pos = pos.after_unchecked(mv);
        }
        to.serialize_str(&text)
    }
}

impl<'de, R: Rules> Deserialize<'de> for Game<R> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read(from, "a FEN, perhaps with `moves` behind it", |text| {
            let (fen, moves) = text.split_once(" moves").unwrap_or((text, ""));
            let start = Position::from_fen(fen).map_err(|error| format!("{error}"))?;
            let mut game = Game::new(start);
            for word in moves.split_whitespace() {
                let mv = game.position().parse_uci(word).map_err(|error| format!("{error}"))?;
                game.play(mv);
            }
            Ok(game)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chess, Makruk};
    use alloc::string::ToString;
    use serde::de::DeserializeOwned;

    fn back<T: Serialize + DeserializeOwned>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let mut game = Game::<Chess>::new(Position::startpos());
        for word in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6", "e1g1"] {
            game.play(game.position().parse_uci(word).unwrap());
        }
        let again = back(&game);
        assert_eq!((again.position(), again.moves()), (game.position(), game.moves()));
        assert_eq!(back(game.position()), *game.position());
        assert_eq!(serde_json::to_string(&game.moves()[..2]).unwrap(), r#"["e2e4","e7e5"]"#);
        let start = Position::<Makruk>::startpos();
        assert_eq!(back(&start), start);
        assert_eq!(
            serde_json::to_string(&(Square::E4, Color::Black, Variant::Makruk)).unwrap(),
            r#"["e4","b","makruk"]"#
        );
        assert_eq!(
            (back(&Square::E4), back(&Color::Black), back(&Variant::Chess960)),
            (Square::E4, Color::Black, Variant::Chess960)
        );
        assert_eq!(back(&Bitboard(u64::MAX)), Bitboard(u64::MAX));
    }

    #[test]
    fn castling_beside_a_step_to_the_same_square_comes_back() {
        let start: Position<Chess> = "4k3/8/8/8/8/8/8/5K1R w H - 0 1".parse().unwrap();
        let both: alloc::vec::Vec<Move> =
            start.legal_moves().iter().copied().filter(|mv| mv.from() == Square::F1 && mv.to() == Square::G1).collect();
        assert_eq!(both.len(), 2);
        for mv in both {
            let mut game = Game::new(start);
            game.play(mv);
            assert_eq!(back(&game).moves(), [mv]);
        }
    }

    #[test]
    fn nonsense_is_refused_with_a_reason() {
        let why = |text: &str| serde_json::from_str::<Game<Chess>>(text).unwrap_err().to_string();
        let fen = Position::<Chess>::startpos().fen();
        assert!(why(&format!("\"{fen} moves e2e5\"")).contains("`e2e5` is not a legal move"));
        assert!(why("\"nothing\"").contains("FEN"));
        assert!(serde_json::from_str::<Square>("\"e9\"").is_err() && serde_json::from_str::<Color>("\"x\"").is_err());
        assert!(serde_json::from_str::<Position<Chess>>("7").is_err());
    }
}

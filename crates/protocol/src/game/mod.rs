//! A game of any variant, for the front ends.
//!
//! Inside the engine a variant is a type; a protocol learns it at run time. This is the one place where the two meet.

mod board;
mod book;
mod memory;
mod misc;

pub use board::{BoardStyle, draw_board};
pub use book::OwnBook;
pub use memory::{OwnMemory, TableMemory, default_file, file_for};
pub use misc::{chess960_start, random_below, random_u64, today};

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rukh_pgn::AnyPosition;

use rukh_core::{
    Chess, Color, Count, Decision, Epd, Game, Makruk, Move, MoveList, Notation, Outcome, Piece, Position, Rules,
    Square, Variant, Writing,
};

/// A game whose variant is known only at run time.
#[derive(Clone)]
pub struct AnyGame {
    variant: Variant,
    inner: Inner,
}

#[derive(Clone)]
enum Inner {
    Chess(Game<Chess>),
    Makruk(Game<Makruk>),
}

/// Runs the same expression for either type of game.
macro_rules! each {
    ($inner:expr, $game:ident => $body:expr) => {
        match $inner {
            Inner::Chess($game) => $body,
            Inner::Makruk($game) => $body,
        }
    };
}

impl AnyGame {
    /// The variant's starting position.
    pub fn new(variant: Variant) -> Self {
        let inner = match variant {
            Variant::Makruk => Inner::Makruk(Game::new(Position::startpos())),
            Variant::Chess | Variant::Chess960 => Inner::Chess(Game::new(Position::startpos())),
        };
        Self { variant, inner }
    }

    /// A game from a position; the error says what is wrong with it.
    pub fn from_fen(variant: Variant, fen: &str) -> Result<Self, String> {
        let inner = match variant {
            Variant::Makruk => Position::from_fen(fen).map(|p| Inner::Makruk(Game::new(p))),
            Variant::Chess | Variant::Chess960 => Position::from_fen(fen).map(|p| Inner::Chess(Game::new(p))),
        }
        .map_err(|error| error.to_string())?;
        Ok(Self { variant, inner })
    }

    /// A test position with its operations.
    #[allow(clippy::type_complexity)]
    pub fn from_epd(variant: Variant, line: &str) -> Result<(Self, Vec<(String, Vec<String>)>), String> {
        let (inner, operations) = match variant {
            Variant::Makruk => {
                let epd = Epd::parse(line).map_err(|error| error.to_string())?;
                (Inner::Makruk(Game::new(epd.position)), epd.operations)
            }
            Variant::Chess | Variant::Chess960 => {
                let epd = Epd::parse(line).map_err(|error| error.to_string())?;
                (Inner::Chess(Game::new(epd.position)), epd.operations)
            }
        };
        Ok((Self { variant, inner }, operations))
    }

    /// Which rules and which notation.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// The current position.
    pub fn fen(&self) -> String {
        each!(&self.inner, game => game.position().fen())
    }

    /// The position the game began with.
    pub fn start_fen(&self) -> String {
        each!(&self.inner, game => game.start().fen())
    }

    /// Who is to move.
    pub fn side_to_move(&self) -> Color {
        each!(&self.inner, game => game.position().side_to_move())
    }

    /// Number of the move to come, as in FEN.
    pub fn fullmove(&self) -> u32 {
        each!(&self.inner, game => game.position().fullmove())
    }

    /// The position's hash key (the Polyglot key in chess).
    pub fn key(&self) -> u64 {
        each!(&self.inner, game => game.position().key())
    }

    /// What stands on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        each!(&self.inner, game => game.position().piece_at(square))
    }

    /// The king of the side to move if it is in check.
    pub fn checked_king(&self) -> Option<Square> {
        each!(&self.inner, game => {
            let position = game.position();
            position.in_check().then(|| position.king(position.side_to_move()))
        })
    }

    /// Squares of the pieces that give check.
    pub fn checkers(&self) -> Vec<Square> {
        each!(&self.inner, game => game.position().checkers().into_iter().collect())
    }

    /// The Makruk count, while one runs.
    pub fn count(&self) -> Option<Count> {
        each!(&self.inner, game => game.position().count())
    }

    /// All legal moves.
    pub fn legal_moves(&self) -> MoveList {
        each!(&self.inner, game => game.position().legal_moves())
    }

    /// Reads a move in UCI notation, with or without the Makruk `m`.
    pub fn parse_uci(&self, text: &str) -> Result<Move, String> {
        each!(&self.inner, game => game.position().parse_uci(text)).map_err(|error| error.to_string())
    }

    /// Reads a move in SAN or UCI notation, as people type them.
    pub fn parse_move(&self, text: &str) -> Result<Move, String> {
        self.parse_uci(text)
            .or_else(|_| each!(&self.inner, game => game.position().parse_san(text)).map_err(|error| error.to_string()))
    }

    /// A move of this position in UCI notation.
    pub fn uci(&self, mv: Move) -> String {
        let notation = if self.variant == Variant::Chess960 { Notation::Chess960 } else { Notation::Standard };
        each!(&self.inner, game => game.position().uci(mv, notation))
    }

    /// A legal move of this position in SAN.
    pub fn san(&self, mv: Move) -> String {
        each!(&self.inner, game => game.position().san(mv))
    }

    /// A legal move of this position as people write it.
    pub fn written(&self, mv: Move, writing: Writing) -> String {
        each!(&self.inner, game => game.position().written(mv, writing))
    }

    /// A line of play with move numbers, cut at the first word that is no legal move.
    pub fn written_line<'a>(&self, line: impl IntoIterator<Item = &'a str>, writing: Writing) -> String {
        let mut game = self.clone();
        let mut words = Vec::new();
        for word in line {
            let Ok(mv) = game.parse_uci(word) else { break };
            let number = writing.number(game.fullmove());
            match game.side_to_move() {
                Color::White => words.push(format!("{number}.")),
                Color::Black if words.is_empty() => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push(game.written(mv, writing));
            game.play(mv);
        }
        words.join(" ")
    }

    /// Plays a legal move.
    pub fn play(&mut self, mv: Move) {
        each!(&mut self.inner, game => game.play(mv));
    }

    /// Takes the last move back; false at the start.
    pub fn undo(&mut self) -> bool {
        if self.moves().is_empty() {
            return false;
        }
        each!(&mut self.inner, game => { game.undo(); });
        true
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        each!(&self.inner, game => game.moves())
    }

    /// The game as it stood at its beginning.
    pub fn at_start(&self) -> Self {
        let inner = match &self.inner {
            Inner::Chess(game) => Inner::Chess(Game::new(*game.start())),
            Inner::Makruk(game) => Inner::Makruk(Game::new(*game.start())),
        };
        Self { variant: self.variant, inner }
    }

    /// The position the game began with, for the PGN writer.
    pub fn pgn_start(&self) -> AnyPosition {
        match (&self.inner, self.variant) {
            (Inner::Makruk(game), _) => AnyPosition::Makruk(*game.start()),
            (Inner::Chess(game), Variant::Chess960) => AnyPosition::Chess960(*game.start()),
            (Inner::Chess(game), _) => AnyPosition::Chess(*game.start()),
        }
    }

    /// The position, where the rules are those of chess.
    pub fn chess(&self) -> Option<&Position<Chess>> {
        match &self.inner {
            Inner::Chess(game) => Some(game.position()),
            Inner::Makruk(_) => None,
        }
    }

    /// A game read from PGN, without its moves.
    pub fn from_pgn_start(start: &AnyPosition) -> Self {
        let inner = match start {
            AnyPosition::Chess(pos) | AnyPosition::Chess960(pos) => Inner::Chess(Game::new(*pos)),
            AnyPosition::Makruk(pos) => Inner::Makruk(Game::new(*pos)),
        };
        Self { variant: start.variant(), inner }
    }

    /// The moves played in UCI notation.
    pub fn moves_uci(&self) -> Vec<String> {
        let mut game = self.at_start();
        self.moves()
            .iter()
            .map(|&mv| {
                let text = game.uci(mv);
                game.play(mv);
                text
            })
            .collect()
    }

    /// How the game ended, draws that must be claimed included.
    pub fn outcome(&self) -> Option<Outcome> {
        each!(&self.inner, game => game.outcome())
    }

    /// How the game ended by itself: a draw that nobody has claimed may be played on.
    pub fn finished(&self) -> Option<Outcome> {
        each!(&self.inner, game => game.outcome_by(Decision::Automatic))
    }

    /// The same position with colours and ranks exchanged.
    pub fn flipped(&self) -> Result<Self, String> {
        Self::from_fen(self.variant, &flip_fen(&self.fen()))
    }

    /// The table of evaluation terms.
    pub fn eval_table(&self) -> String {
        each!(&self.inner, game => rukh_eval::report::table(game.position()))
    }

    /// Leaf counts below each legal move, until `stop` is set.
    pub fn divide(&self, depth: u32, stop: &AtomicBool, mut each_move: impl FnMut(&str, u64)) -> u64 {
        let mut total = 0;
        for &mv in self.legal_moves().iter() {
            let nodes = each!(&self.inner, game => leaves(&game.position().after(mv), depth - 1, stop));
            total += nodes;
            if stop.load(Relaxed) {
                break;
            }
            each_move(&self.uci(mv), nodes);
        }
        total
    }
}

/// Leaves below a position; fewer once `stop` is set.
fn leaves<R: Rules>(pos: &Position<R>, depth: u32, stop: &AtomicBool) -> u64 {
    // So many plies take a fraction of a second.
    const AT_ONCE: u32 = 4;
    match depth {
        0 => 1,
        1..=AT_ONCE => rukh_core::perft(pos, depth),
        _ => {
            let moves = pos.legal_moves();
            let go_on = moves.iter().take_while(|_| !stop.load(Relaxed));
            go_on.map(|&mv| leaves(&pos.after(mv), depth - 1, stop)).sum()
        }
    }
}

/// Exchanges colours in a FEN: ranks in reverse, cases swapped, the en-passant square mirrored.
fn flip_fen(fen: &str) -> String {
    let swap = |text: &str| -> String {
        text.chars()
            .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect()
    };
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    for (at, field) in fields.iter_mut().enumerate() {
        *field = match at {
            0 => swap(&field.split('/').rev().collect::<Vec<_>>().join("/")),
            1 => {
                if field == "w" {
                    "b".into()
                } else {
                    "w".into()
                }
            }
            2 => {
                // White's rights stand first.
                let (black, white): (String, String) = swap(field).chars().partition(char::is_ascii_lowercase);
                white + &black
            }
            3 => field.replace('3', "x").replace('6', "3").replace('x', "6"),
            _ => continue,
        };
    }
    fields.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_twice_is_nothing() {
        for (variant, fen) in [
            (Variant::Chess, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
            (Variant::Chess, "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQq e3 0 3"),
            (Variant::Makruk, "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1"),
        ] {
            let game = AnyGame::from_fen(variant, fen).unwrap();
            let flipped = game.flipped().unwrap();
            assert_ne!(flipped.fen(), game.fen());
            assert_eq!(flipped.legal_moves().len(), game.legal_moves().len(), "{fen}");
            assert_eq!(flipped.flipped().unwrap().fen(), game.fen());
        }
    }

    #[test]
    fn moves_in_any_notation() {
        let mut game = AnyGame::new(Variant::Chess);
        for text in ["e4", "e7e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"] {
            let mv = game.parse_move(text).unwrap();
            game.play(mv);
        }
        assert_eq!(game.moves_uci(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]);
        let line = |writing: &str| game.written_line(["a6b5", "f3e5", "a1a1"], writing.parse().unwrap());
        assert_eq!(line("san"), "4... axb5 5. Nxe5");
        assert_eq!(line("thai-lan"), "๔... a6xb5 ๕. Nf3xe5", "chess has no Thai letters");
        assert!(game.undo() && game.moves().len() == 6);
        assert!(game.parse_move("Ke3").is_err());
    }

    #[test]
    fn endings() {
        let game = AnyGame::from_fen(Variant::Chess, "8/8/8/8/8/2k5/8/K7 w - - 0 1").unwrap();
        assert!(game.finished().is_some());
        let game = AnyGame::from_fen(Variant::Chess, "8/8/8/8/8/2k5/7P/K7 w - - 100 90").unwrap();
        assert!(game.finished().is_none() && game.outcome().is_some());
    }
}

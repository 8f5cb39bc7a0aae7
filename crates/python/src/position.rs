//! `Position`, `perft` and `divide`.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyString, PyTuple};
use rukh_code::{CodeError, Coded, PositionCode};
use rukh_core::{AnyGame, AnyPosition, Color, Move, Outcome, Rules, Square, Variant, dispatch};

use crate::codes::{code_text, direct_code};
use crate::errors;

/// A legal position of chess, Chess960 or Makruk. It never changes: `play` returns another one.
///
/// `position` is a FEN, `startpos`, a position code (its text or its number), or another position.
///
/// >>> from rukh import Position
/// >>> start = Position()
/// >>> after = start.play("e4", "e5", "Nf3")
/// >>> after.fen
/// 'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
/// >>> Position(after.code) == Position(after.code_text)
/// True
/// >>> Position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1")
/// Traceback (most recent call last):
///     ...
/// rukh.errors.FenError: characters 36 to 42: rank 1 does not have exactly 8 squares
/// >>> Position(variant="makruk").turn
/// 'white'
#[pyclass(frozen, module = "rukh")]
pub struct Position(pub AnyPosition);

/// Reads the name of a variant.
pub fn variant_of(name: &str) -> PyResult<Variant> {
    name.parse().map_err(errors::variant)
}

/// A position as people name one: an object of ours, a FEN, `startpos`, or a code.
pub fn position_of(object: &Bound<'_, PyAny>, variant: Option<Variant>) -> PyResult<AnyPosition> {
    if let Ok(position) = object.cast::<Position>() {
        let position = position.get().0.clone();
        return match variant {
            Some(asked) if asked != position.variant() => {
                let reason = format!("a position of {} where one of {asked} is asked for", position.variant());
                Err(errors::error("Error", reason, None))
            }
            _ => Ok(position),
        };
    }
    let variant = variant.unwrap_or(Variant::Chess);
    if let Ok(text) = object.cast::<PyString>() {
        return read(variant, &text.to_string_lossy());
    }
    if object.cast::<PyInt>().is_ok() {
        let raw = object.extract::<i64>().map_err(|_| errors::code(&CodeError::Reserved))?;
        return from_code(variant, raw);
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!("expected a Position, a FEN or a code, not {kind}")))
}

/// A position from a text.
pub fn read(variant: Variant, text: &str) -> PyResult<AnyPosition> {
    let fen = rukh_store::codes::resolve(variant, text).map_err(|error| errors::argument(&error))?;
    AnyPosition::from_fen(variant, &fen).map_err(|error| errors::fen(&error))
}

fn from_code(variant: Variant, raw: i64) -> PyResult<AnyPosition> {
    let code = PositionCode::from_raw(raw).map_err(|error| errors::code(&error))?;
    if code.is_direct() {
        let decoded = (|| Ok(dispatch!(any R of variant => R::codec(variant).decode(code)?)))();
        return decoded.map_err(|error: CodeError| errors::code(&error));
    }
    // Tables and records: the reader of texts knows where they lie.
    read(variant, &code.to_string())
}

/// The text of every quiet move between two squares, made once.
fn usual_moves(py: Python<'_>) -> &'static [Py<PyString>] {
    static TEXTS: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();
    TEXTS.get_or_init(py, || {
        let pairs = Square::all().flat_map(|from| Square::all().map(move |to| (from, to)));
        pairs.map(|(from, to)| PyString::intern(py, &format!("{from}{to}")).unbind()).collect()
    })
}

impl Position {
    fn find(&self, text: &str) -> PyResult<Move> {
        self.0.parse_move(text).map_err(|error| errors::moves(&error))
    }

    fn square(name: &str) -> PyResult<Square> {
        name.parse().map_err(|_| errors::error("Error", format!("{name:?} is not a square like e4"), None))
    }

    fn letter(&self, square: Square) -> Option<char> {
        let piece = self.0.piece_at(square)?;
        Some(dispatch!(type R of self.0.variant() => R::piece_letter(piece)))
    }

    fn outcome(&self) -> Option<Outcome> {
        AnyGame::from(&self.0).finished()
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (position = None, variant = None))]
    fn new(position: Option<&Bound<'_, PyAny>>, variant: Option<&str>) -> PyResult<Self> {
        let variant = variant.map(variant_of).transpose()?;
        Ok(Position(match position {
            Some(position) => position_of(position, variant)?,
            None => AnyPosition::new(variant.unwrap_or(Variant::Chess)),
        }))
    }

    /// The position as a FEN.
    ///
    /// >>> Position(variant="makruk").fen
    /// 'rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1'
    #[getter]
    fn fen(&self) -> String {
        self.0.fen()
    }

    /// `chess`, `chess960` or `makruk`.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.variant().name()
    }

    /// Who is to move: `white` or `black`.
    #[getter]
    fn turn(&self) -> &'static str {
        match self.0.side_to_move() {
            Color::White => "white",
            Color::Black => "black",
        }
    }

    /// The number of the move to come.
    #[getter]
    fn fullmove(&self) -> u32 {
        self.0.fullmove()
    }

    /// Half-moves since the last capture or pawn move.
    #[getter]
    fn halfmove_clock(&self) -> u16 {
        dispatch!(&self.0, pos => pos.halfmove_clock())
    }

    /// How many pieces are on the board.
    #[getter]
    fn men(&self) -> u32 {
        self.0.men()
    }

    /// The 64-bit hash key; in chess the Polyglot key. Two positions may share one, which codes never do.
    ///
    /// >>> hex(Position().key)
    /// '0x463b96181691fc9c'
    #[getter]
    fn key(&self) -> u64 {
        self.0.key()
    }

    /// The position as one 64-bit number, or `None` for the few that do not fit. Clocks are not part of it.
    ///
    /// >>> Position(Position().code) == Position()
    /// True
    #[getter]
    fn code(&self) -> Option<i64> {
        direct_code(&self.0)
    }

    /// The position as a text of thirteen characters, or a few more for those that do not fit 64 bits.
    ///
    /// >>> Position().code_text
    /// 'fdc_yeyowhwg-'
    #[getter]
    fn code_text(&self) -> PyResult<String> {
        code_text(&self.0).map_err(|error| errors::code(&error))
    }

    /// The letter of the piece on a square, upper case for White, or `None`.
    ///
    /// >>> Position().piece_at("e1"), Position().piece_at("e4")
    /// ('K', None)
    fn piece_at(&self, square: &str) -> PyResult<Option<char>> {
        Ok(self.letter(Self::square(square)?))
    }

    fn __getitem__(&self, square: &str) -> PyResult<Option<char>> {
        self.piece_at(square)
    }

    /// All pieces by their squares, from a1 to h8.
    ///
    /// >>> Position("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1").pieces()
    /// {'e1': 'K', 'e2': 'P', 'e5': 'k'}
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        for square in Square::all() {
            if let Some(letter) = self.letter(square) {
                pieces.set_item(square.to_string(), letter)?;
            }
        }
        Ok(pieces)
    }

    /// All legal moves in UCI notation.
    ///
    /// >>> len(Position().legal_moves())
    /// 20
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let usual = usual_moves(py);
        let moves = self.0.legal_moves();
        let texts = moves.iter().map(|&mv| {
            if mv.is_castle() || mv.is_promotion() {
                PyString::new(py, &self.0.uci(mv))
            } else {
                usual[64 * mv.from().index() + mv.to().index()].bind(py).clone()
            }
        });
        PyTuple::new(py, texts)
    }

    /// All legal moves as people write them.
    ///
    /// >>> sorted(Position("8/8/8/4k3/8/8/7P/4K2R w K - 0 1").legal_san())[:4]
    /// ['Kd1', 'Kd2', 'Ke2', 'Kf1']
    fn legal_san(&self) -> Vec<String> {
        self.0.legal_moves().iter().map(|&mv| self.0.san(mv)).collect()
    }

    /// A move in UCI notation, from SAN or UCI.
    ///
    /// >>> Position().uci("Nf3")
    /// 'g1f3'
    #[pyo3(signature = (r#move))]
    fn uci(&self, r#move: &str) -> PyResult<String> {
        Ok(self.0.uci(self.find(r#move)?))
    }

    /// A move in SAN, from UCI or SAN.
    ///
    /// >>> Position().san("g1f3")
    /// 'Nf3'
    #[pyo3(signature = (r#move))]
    fn san(&self, r#move: &str) -> PyResult<String> {
        Ok(self.0.san(self.find(r#move)?))
    }

    /// Whether a text is a legal move.
    #[pyo3(signature = (r#move))]
    fn is_legal(&self, r#move: &str) -> bool {
        self.0.parse_move(r#move).is_ok()
    }

    /// The position after these moves, in SAN or UCI.
    ///
    /// >>> Position().play("e4", "e7e5").turn
    /// 'white'
    /// >>> Position().play("Ke2")
    /// Traceback (most recent call last):
    ///     ...
    /// rukh.errors.MoveError: move 1: `Ke2` is not a legal move in this position
    #[pyo3(signature = (*moves))]
    fn play(&self, moves: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut pos = self.0.clone();
        for (at, text) in moves.iter().enumerate() {
            let text = text.cast::<PyString>()?.to_string_lossy();
            let mv = pos.parse_move(&text);
            let mv = mv.map_err(|error| errors::error("MoveError", error, Some(format!("move {}", at + 1))))?;
            pos.play(mv);
        }
        Ok(Position(pos))
    }

    /// Whether the side to move is in check.
    #[getter]
    fn is_check(&self) -> bool {
        self.0.in_check()
    }

    /// Why the game is over here, such as `checkmate` or `stalemate`; `None` while it goes on.
    ///
    /// >>> Position().play("f3", "e5", "g4", "Qh4").status
    /// 'checkmate'
    #[getter]
    fn status(&self) -> Option<String> {
        self.outcome().map(|outcome| match outcome {
            Outcome::Win(_) => "checkmate".to_owned(),
            Outcome::Draw(reason) => reason.to_string(),
        })
    }

    /// `1-0`, `0-1` or `1/2-1/2` where the game is over, else `None`.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.outcome().map(Outcome::result)
    }

    /// Makruk's count while one runs: the number spoken last, the number at which counting ends, and the half-moves left.
    ///
    /// >>> Position("8/8/8/4k3/8/8/3R4/4K3 w - 32 14 60", "makruk").count
    /// (7, 16, 19)
    #[getter]
    fn count(&self) -> Option<(u16, u16, u16)> {
        self.0.count().map(|count| (count.spoken(), count.last_number(), count.remaining()))
    }

    /// The board as SVG, seen from `side`, with the move that led here marked if it is given in UCI notation.
    #[pyo3(signature = (side = None, size = 360, last_move = None))]
    fn svg(&self, side: Option<&str>, size: u32, last_move: Option<&str>) -> PyResult<String> {
        let side = match side {
            None | Some("white") => Color::White,
            Some("black") => Color::Black,
            Some(other) => return Err(errors::error("Error", format!("side is white or black, not {other:?}"), None)),
        };
        let last = match last_move {
            None => [None, None],
            Some(text) => {
                let half = |range| text.get(range).unwrap_or_default();
                [Some(Self::square(half(0..2))?), Some(Self::square(half(2..4))?)]
            }
        };
        Ok(rukh_svg::board(&self.0, side, size, last))
    }

    fn _repr_svg_(&self) -> String {
        rukh_svg::board(&self.0, Color::White, 360, [None, None])
    }

    fn __repr__(&self) -> String {
        let mut text = String::new();
        for rank in (0..8u8).rev() {
            let squares = (0..8u8).filter_map(|file| Square::from_index(8 * rank + file));
            let letters: Vec<String> = squares.map(|at| self.letter(at).unwrap_or('.').to_string()).collect();
            text += &format!("{}  {}\n", rank + 1, letters.join(" "));
        }
        format!("{text}   a b c d e f g h   {}, {} to move", self.0.variant(), self.turn())
    }

    fn __str__(&self) -> String {
        self.0.fen()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Position>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.0.key(), self.0.variant().name()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__(&self, py: Python<'_>) -> PyResult<(Py<PyAny>, (String, &'static str))> {
        Ok((py.get_type::<Position>().into_any().unbind(), (self.0.fen(), self.variant())))
    }
}

/// Counts the positions after `depth` half-moves.
///
/// >>> from rukh import perft
/// >>> perft(Position(), 4)
/// 197281
#[pyfunction]
#[pyo3(signature = (position, depth))]
fn perft(py: Python<'_>, position: &Bound<'_, PyAny>, depth: u32) -> PyResult<u64> {
    let pos = position_of(position, None)?;
    let depth = countable(depth)?;
    if depth == 0 {
        return Ok(1);
    }
    Ok(counts(py, &pos, depth)?.iter().map(|(_, nodes)| nodes).sum())
}

/// `perft` for each legal move.
///
/// >>> from rukh import divide
/// >>> divide(Position(), 3)["e2e4"]
/// 600
#[pyfunction]
#[pyo3(signature = (position, depth))]
fn divide<'py>(py: Python<'py>, position: &Bound<'py, PyAny>, depth: u32) -> PyResult<Bound<'py, PyDict>> {
    let pos = position_of(position, None)?;
    let found = PyDict::new(py);
    if countable(depth)? > 0 {
        for (mv, nodes) in counts(py, &pos, depth)? {
            found.set_item(pos.uci(mv), nodes)?;
        }
    }
    Ok(found)
}

/// A depth whose leaves somebody could wait for. Far beyond it the stack would end before the first leaf.
fn countable(depth: u32) -> PyResult<u32> {
    const MOST: u32 = 20;
    if depth > MOST {
        return Err(errors::error("Error", format!("depth is at most {MOST}"), None));
    }
    Ok(depth)
}

/// The nodes behind each move; Ctrl-C is heard between moves two half-moves deep.
fn counts(py: Python<'_>, pos: &AnyPosition, depth: u32) -> PyResult<Vec<(Move, u64)>> {
    let mut found = Vec::new();
    for &mv in pos.legal_moves().iter() {
        let mut after = pos.clone();
        after.play(mv);
        found.push((mv, inner(py, &after, depth - 1)?));
    }
    Ok(found)
}

fn inner(py: Python<'_>, pos: &AnyPosition, depth: u32) -> PyResult<u64> {
    const UNHEARD: u32 = 5;
    if depth <= UNHEARD {
        py.check_signals()?;
        return Ok(py.detach(|| dispatch!(pos, pos => rukh_core::perft(pos, depth))));
    }
    Ok(counts(py, pos, depth)?.iter().map(|(_, nodes)| nodes).sum())
}

/// Adds this file's names to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Position>()?;
    module.add_function(wrap_pyfunction!(perft, module)?)?;
    module.add_function(wrap_pyfunction!(divide, module)?)
}

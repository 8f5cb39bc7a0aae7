//! What there is to say about one position.

use rukh_code::{AnyCode, CodeError, Codec, Coded, Format, Table};
use rukh_core::{Color, Move, Position, Rules, Variant};
use rukh_engine::{BenchResult, network_for};
use rukh_eval::nnue::{Evaluation, by_piece};
use rukh_eval::{Evaluator, Terms};
use rukh_json::object;

use crate::spec::letter;
use crate::terms::Traced;

/// Leaves of the move tree, all and below each move.
pub fn perft<R: Rules>(variant: Variant, pos: &Position<R>, depth: u32, total: u64, by_move: &[(Move, u64)]) -> String {
    object(|out| {
        out.str("fen", &pos.fen());
        out.num("depth", depth);
        out.num("leaves", total);
        out.list("moves", |out| {
            for &(mv, leaves) in by_move {
                out.item_obj(|out| {
                    out.show("uci", pos.uci(mv, variant.notation()));
                    out.num("leaves", leaves);
                });
            }
        });
    })
}

/// The bench: the positions with their nodes, and all of them together.
pub fn bench(depth: u32, positions: &[(String, u64)], result: &BenchResult) -> String {
    object(|out| {
        out.num("depth", depth);
        out.num("nodes", result.nodes);
        out.num("timeMs", result.time_ms);
        out.num("nps", result.nps());
        out.list("positions", |out| {
            for (fen, nodes) in positions {
                out.item_obj(|out| {
                    out.str("fen", fen);
                    out.num("nodes", nodes);
                });
            }
        });
    })
}

/// A test position and what was found.
pub struct Solved {
    /// Its `id`, or its line.
    pub name: String,
    /// The position.
    pub fen: String,
    /// What must be found, as EPD writes it.
    pub wanted: String,
    /// The move in UCI notation, and in SAN; none without one.
    pub played: Option<(String, String)>,
    /// The last score, for people.
    pub score: String,
    /// Nodes of the search.
    pub nodes: u64,
    /// Whether that is the solution.
    pub solved: bool,
}

/// A file of test positions: `results` are those to be told, the numbers are of all.
pub fn suite(positions: usize, solved: usize, nodes: u64, seconds: f64, problems: u64, results: &[Solved]) -> String {
    object(|out| {
        out.num("positions", positions);
        out.num("solved", solved);
        out.num("nodes", nodes);
        out.tenths("seconds", seconds);
        out.num("problems", problems);
        out.list("results", |out| {
            for found in results {
                out.item_obj(|out| {
                    out.str("name", &found.name);
                    out.str("fen", &found.fen);
                    out.str("wanted", &found.wanted);
                    out.opt("played", found.played.as_ref().map(|(uci, _)| uci));
                    out.opt("san", found.played.as_ref().map(|(_, san)| san));
                    out.str("score", &found.score);
                    out.num("nodes", found.nodes);
                    out.flag("solved", found.solved);
                });
            }
        });
    })
}

/// What a position is worth for White, in hundredths of a pawn: to the engine, to the network by piece, to the classical
/// terms by group. `eval_file` is the option `EvalFile`.
pub fn evaluation<R: Terms>(pos: &Position<R>, eval_file: &str) -> Result<String, String> {
    let network = network_for::<R>(eval_file).map_err(|error| error.to_string())?;
    let pieces = network.as_ref().map(|network| by_piece(network, pos));
    let mut evaluation = network.map_or_else(Evaluation::<R>::classical, Evaluation::with_network);
    evaluation.reset(pos);
    let value = evaluation.evaluate(pos);
    Ok(object(|out| {
        out.str("fen", &pos.fen());
        out.num("value", if pos.side_to_move() == Color::White { value } else { -value });
        out.flag("inCheck", pos.in_check());
        match &pieces {
            None => out.null("network"),
            Some((value, pieces)) => out.obj("network", |out| {
                out.num("value", value);
                out.list("pieces", |out| {
                    for &(square, piece, worth) in pieces {
                        out.item_obj(|out| {
                            out.show("square", square);
                            out.show("piece", letter::<R>(piece));
                            out.num("value", worth);
                        });
                    }
                });
            }),
        }
        Traced::of(pos).write(out);
    }))
}

/// A position by its names: FEN and the code that needs no table.
pub fn position<R: Coded>(variant: Variant, pos: &Position<R>) -> Result<String, CodeError> {
    let codec = R::codec(variant);
    Ok(named(codec, pos, codec.encode_any(pos)?))
}

/// A position by its names: FEN, and this code as text and number (64 bits: more than a JSON number carries).
pub fn named<R: Coded>(codec: &Codec<R>, pos: &Position<R>, code: AnyCode) -> String {
    let (number, format) = match code {
        AnyCode::Long(code) => (code.number(), "long"),
        AnyCode::Short(code) => {
            let format = match code.format() {
                Format::Direct(_) => "direct",
                Format::Indexed { table: Table::Opening, .. } => "opening",
                Format::Indexed { table: Table::Game, .. } => "game",
                Format::Indexed { table: Table::Reachability, .. } => "learned",
                Format::Indexed { table: Table::Record, .. } => "record",
            };
            (code.raw().to_string(), format)
        }
    };
    object(|out| {
        out.str("fen", &pos.fen());
        out.show("code", codec.text(code));
        out.str("number", &number);
        out.str("format", format);
    })
}

/// What a code says.
pub fn decoded<R: Rules>(code: &str, pos: &Position<R>) -> String {
    object(|out| {
        out.str("code", code);
        out.str("fen", &pos.fen());
    })
}

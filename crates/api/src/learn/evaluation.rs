//! `evaluation`: the classical terms, the network, and what each piece is worth here.

use crate::json::Json;
use crate::out::{Out, object};
use crate::spec::{Spec, each, letter};
use rukh_core::{Color, Kind, Position, Variant};
use rukh_engine::{Score, centipawns};
use rukh_eval::nnue::{Network, embedded};
use rukh_eval::score::Pair;
use rukh_eval::trace::{Coefficients, PHASE_MAX, SCALE_MAX};
use rukh_eval::{Classical, Terms, report};

pub(super) fn evaluation(question: &Json) -> Result<String, String> {
    let spec = Spec::read(question)?;
    Ok(object(|out| each!(spec, game => whole(out, game.position(), spec.variant))))
}

fn whole<R: Terms>(out: &mut Out<'_>, pos: &Position<R>, variant: Variant) {
    let mut coefficients = Coefficients::default();
    let value = Classical::<R>::new().trace(pos, &mut coefficients);
    let lines = report::lines::<R>(&coefficients);
    out.num("classical", value);
    out.list("terms", |out| {
        for line in &lines {
            out.item_obj(|out| {
                out.str("name", line.name);
                pair(out, "white", line.side[0]);
                pair(out, "black", line.side[1]);
                pair(out, "total", line.total);
            });
        }
    });
    out.num("phase", coefficients.phase);
    out.num("phaseMax", PHASE_MAX);
    out.num("scale", coefficients.scale);
    out.num("scaleMax", SCALE_MAX);
    out.opt("special", coefficients.special);
    let network = embedded::<R>();
    match &network {
        Some(network) => out.obj("network", |out| {
            let value = white_view(network, pos);
            out.num("value", value);
            out.num("cp", centipawns(Score(value), variant));
            out.num("bucket", network.bucket(pos.occupied().count()));
            out.num("buckets", network.buckets());
        }),
        None => out.null("network"),
    }
    // A pair at this position's phase: what a term is worth here and now.
    let now = |pair: Pair| (pair.mg() * coefficients.phase + pair.eg() * (PHASE_MAX - coefficients.phase)) / PHASE_MAX;
    out.list("pieces", |out| {
        for square in pos.occupied() {
            let Some(piece) = pos.piece_at(square).filter(|p| p.kind() != Kind::King) else { continue };
            let sign = if piece.color() == Color::White { 1 } else { -1 };
            let without = without(pos, square);
            let change = |now: i32, then: i32| sign * (now - then);
            out.item_obj(|out| {
                out.show("square", square);
                out.show("piece", letter::<R>(piece));
                match without.as_ref().zip(network.as_ref()) {
                    Some((other, net)) => out.num("network", change(white_view(net, pos), white_view(net, other))),
                    None => out.null("network"),
                }
                match &without {
                    Some(other) => {
                        let mut left = Coefficients::default();
                        let then = Classical::<R>::new().trace(other, &mut left);
                        out.num("classical", change(value, then));
                        let left = report::lines::<R>(&left);
                        out.list("terms", |out| {
                            for line in &lines {
                                let then =
                                    left.iter().find(|other| other.name == line.name).map_or(0, |l| now(l.total));
                                out.item_num(change(now(line.total), then));
                            }
                        });
                    }
                    None => {
                        out.null("classical");
                        out.null("terms");
                    }
                }
            });
        }
    });
}

fn pair(out: &mut Out<'_>, name: &str, pair: Pair) {
    out.obj(name, |out| {
        out.num("mg", pair.mg());
        out.num("eg", pair.eg());
    });
}

fn white_view<R: Terms>(network: &Network, pos: &Position<R>) -> i32 {
    let value = network.reference(pos);
    if pos.side_to_move() == Color::White { value } else { -value }
}

/// The position without the piece on a square, if that is one: by its FEN, so that castling rights go with their rook.
fn without<R: Terms>(pos: &Position<R>, square: rukh_core::Square) -> Option<Position<R>> {
    let fen = pos.fen();
    let mut fields = fen.split(' ');
    let mut board = String::new();
    for (row, rank) in fields.next()?.split('/').zip((0..8).rev()) {
        // Each rank as eight texts, then packed again.
        let mut cells: Vec<String> = Vec::with_capacity(8);
        for c in row.chars() {
            match c {
                '1'..='8' => cells.extend((0..c as usize - '0' as usize).map(|_| String::new())),
                '~' => cells.last_mut()?.push('~'),
                letter => cells.push(letter.to_string()),
            }
        }
        if rank == square.rank().index() {
            cells.get_mut(square.file().index())?.clear();
        }
        if !board.is_empty() {
            board.push('/');
        }
        for cell in cells {
            board.push_str(if cell.is_empty() { "1" } else { &cell });
        }
    }
    let rest: Vec<&str> = fields.collect();
    let with =
        |castling: &str| Position::from_fen(&format!("{board} {} {castling} {}", rest[0], rest[2..].join(" "))).ok();
    // A rook that has gone takes its right with it, a pawn that has gone its en passant.
    let kept = rest.get(1)?.chars().filter(|c| {
        let one = format!("{board} {} {c} - 0 1", rest[0]);
        Position::<R>::from_fen(&one).is_ok()
    });
    let castling: String = kept.collect();
    let castling = if castling.is_empty() { "-" } else { &castling };
    with(castling).or_else(|| Position::from_fen(&format!("{board} {} {castling} - 0 1", rest[0])).ok())
}

//! `evaluation`: the classical terms, the network, and what each piece is worth here.

use crate::spec::{any_game, letter, square};
use crate::terms::Traced;
use rukh_core::{Color, File, Kind, Position, Rank, Square, Variant, dispatch};
use rukh_engine::{Scale, Score};
use rukh_eval::Terms;
use rukh_eval::nnue::{Network, embedded};
use rukh_eval::score::Pair;
use rukh_eval::trace::PHASE_MAX;
use rukh_json::{Json, Out, object};

pub(super) fn evaluation(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    Ok(object(|out| dispatch!(&any, game => whole(out, game.position(), any.variant()))))
}

fn whole<R: Terms>(out: &mut Out<'_>, pos: &Position<R>, variant: Variant) {
    let traced = Traced::of(pos);
    traced.write(out);
    let Traced { value, lines, coefficients } = traced;
    let network = embedded::<R>();
    match &network {
        Some(network) => out.obj("network", |out| {
            let value = white_view(network, pos);
            out.num("value", value);
            out.num("cp", Scale::of(variant, pos.occupied().count()).centipawns(Score(value)));
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
                        let left = Traced::of(other);
                        out.num("classical", change(value, left.value));
                        out.list("terms", |out| {
                            for line in &lines {
                                let then =
                                    left.lines.iter().find(|other| other.name == line.name).map_or(0, |l| now(l.total));
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

fn white_view<R: Terms>(network: &Network, pos: &Position<R>) -> i32 {
    let value = network.reference(pos);
    if pos.side_to_move() == Color::White { value } else { -value }
}

/// The position without the piece on a square, if that is one.
fn without<R: Terms>(pos: &Position<R>, square: Square) -> Option<Position<R>> {
    edited(pos, |at, cell| if at == square { String::new() } else { cell })
}

/// The position with another board, if that is one: by its FEN, so that castling rights go with their rook. `edit` gets each
/// square with the text of what stands there.
fn edited<R: Terms>(pos: &Position<R>, edit: impl Fn(Square, String) -> String) -> Option<Position<R>> {
    let mut board = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            let at = Square::new(file, rank);
            let cell = edit(at, pos.piece_at(at).map(letter::<R>).unwrap_or_default());
            board.push_str(if cell.is_empty() { "1" } else { &cell });
        }
        if rank != Rank::ALL[0] {
            board.push('/');
        }
    }
    let fen = pos.fen();
    let rest: Vec<&str> = fen.split(' ').skip(1).collect();
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

/// `placements`: what a piece would be worth on every square it could stand on.
pub(super) fn placements(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let from = square(question, "square")?;
    dispatch!(&any, game => placed(game.position(), from))
}

fn placed<R: Terms>(pos: &Position<R>, from: Square) -> Result<String, String> {
    let piece = pos.piece_at(from).ok_or_else(|| format!("nothing stands on {from}"))?;
    if piece.kind() == Kind::King {
        return Err("a king cannot be taken away".into());
    }
    let Some(bare) = without(pos, from) else { return Err(format!("without {from} this is no legal position")) };
    let network = embedded::<R>();
    let classical = |pos: &Position<R>| Traced::of(pos).value;
    let sign = if piece.color() == Color::White { 1 } else { -1 };
    Ok(object(|out| {
        out.show("piece", letter::<R>(piece));
        out.list("squares", |out| {
            for at in Square::all() {
                let free = at == from || pos.piece_at(at).is_none();
                let there = free.then(|| edited(&bare, |on, cell| if on == at { letter::<R>(piece) } else { cell }));
                out.item_obj(|out| match there.flatten() {
                    Some(there) => {
                        match &network {
                            Some(net) => out.num("network", sign * (white_view(net, &there) - white_view(net, &bare))),
                            None => out.null("network"),
                        }
                        out.num("classical", sign * (classical(&there) - classical(&bare)));
                    }
                    None => {
                        out.null("network");
                        out.null("classical");
                    }
                });
            }
        });
    }))
}

//! Bitboards: named sets, one piece's moves, and a slider look-up step by step.

use crate::spec::{any_game, letter, square};
use rukh_core::{Bitboard, Color, Kind, Move, MoveList, Piece, Position, Rules, Square, attacks, dispatch};
use rukh_json::{Json, Out, object};

/// `bitboards`
pub(super) fn bitboards(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    Ok(object(|out| dispatch!(&any, game => sets(out, game.position()))))
}

fn sets<R: Rules>(out: &mut Out<'_>, pos: &Position<R>) {
    let us = pos.side_to_move();
    let mut set = |name: &str, set: Bitboard| out.hex(name, set.0);
    set("occupied", pos.occupied());
    set("white", pos.colors(Color::White));
    set("black", pos.colors(Color::Black));
    set("own", pos.colors(us));
    set("enemy", pos.colors(!us));
    set("pinned", pos.pinned(us));
    set("checkers", pos.checkers());
    set("attacked", pos.attacked_by(!us));
    set("attacks", pos.attacked_by(us));
    let rooks = Color::ALL.into_iter().flat_map(|c| [pos.castle_rook(c, true), pos.castle_rook(c, false)]);
    set("castling", rooks.flatten().map(Square::bb).fold(Bitboard::EMPTY, |a, b| a | b));
    set("enPassant", pos.ep_square().map_or(Bitboard::EMPTY, Square::bb));
    set("promoted", pos.promoted());
    out.obj("kinds", |out| {
        for kind in Kind::ALL {
            out.hex(&R::letter(kind).to_string(), pos.pieces(kind).0);
        }
    });
    out.obj("pieces", |out| {
        for color in Color::ALL {
            for kind in Kind::ALL {
                out.hex(&R::piece_letter(Piece::new(color, kind)).to_string(), pos.colored(color, kind).0);
            }
        }
    });
}

/// `pieceMoves`
pub(super) fn piece_moves(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let square = square(question, "square")?;
    dispatch!(&any, game => moves_of(game.position(), square))
}

/// All pseudo-legal moves, castling included.
fn pseudo_legal<R: Rules>(pos: &Position<R>) -> MoveList {
    let mut list = MoveList::new();
    pos.generate_captures(&mut list);
    pos.generate_quiets(&mut list);
    list
}

fn moves_of<R: Rules>(pos: &Position<R>, square: Square) -> Result<String, String> {
    let piece = pos.piece_at(square).ok_or_else(|| format!("nothing stands on {square}"))?;
    let us = pos.side_to_move();
    if piece.color() != us {
        // The other side's piece is shown as if it were to move, where that is a position at all.
        if pos.in_check() {
            return Err("the other side's pieces cannot be shown while the king is in check".into());
        }
        return moves_of(&pos.after_null(), square);
    }
    let set =
        |moves: &[Move]| moves.iter().filter(|m| m.from() == square).fold(Bitboard::EMPTY, |s, m| s | m.to().bb());
    let all = pseudo_legal(pos);
    let legal = pos.legal_moves();
    Ok(object(|out| {
        out.show("square", square);
        out.show("piece", letter::<R>(piece));
        out.hex("attacks", R::attacks(piece.kind(), us, square, pos.occupied()).0);
        out.hex("pseudoLegal", set(&all).0);
        out.hex("legal", set(&legal).0);
        out.flag("pinned", pos.pinned(us).has(square));
        out.list("illegal", |out| {
            let mut seen = Bitboard::EMPTY;
            for &mv in all.iter().filter(|m| m.from() == square && !legal.contains(m)) {
                if !seen.has(mv.to()) {
                    seen |= mv.to().bb();
                    out.item_obj(|out| why(out, pos, mv));
                }
            }
        });
    }))
}

/// Why a pseudo-legal move is not legal: who would take the king.
fn why<R: Rules>(out: &mut Out<'_>, pos: &Position<R>, mv: Move) {
    let us = pos.side_to_move();
    let king = pos.king(us);
    let (from, to) = (mv.from(), mv.to());
    let mut occupied = pos.occupied() - from.bb() | to.bb();
    if mv.is_en_passant() {
        occupied = occupied - Square::new(to.file(), from.rank()).bb();
    }
    let mover = mv.piece().kind();
    let attackers = if mover == Kind::King {
        pos.attackers(to, !us, pos.occupied() - from.bb()) - to.bb()
    } else {
        pos.attackers(king, !us, occupied) - to.bb()
    };
    let by = if attackers.any() { attackers.lsb() } else { king };
    let name = pos.piece_at(by).map_or('?', |p| R::letter(p.kind()));
    let (reason, text) = if mover == Kind::King {
        ("king attacked", format!("{name} on {by} attacks {to}"))
    } else if pos.checkers().has(by) {
        ("in check", format!("the king on {king} is in check from {name} on {by}, and this move does not end it"))
    } else if mv.is_en_passant() {
        ("en passant opens a line", format!("with both pawns gone {name} on {by} attacks the king on {king}"))
    } else {
        ("pinned", format!("the piece shields its king on {king} from {name} on {by}"))
    };
    out.show("to", to);
    out.str("reason", reason);
    out.show("by", by);
    out.str("text", &text);
}

/// `slider`
pub(super) fn slider(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let square = square(question, "square")?;
    let kind = question.str("kind").unwrap_or("rook");
    if !matches!(kind, "rook" | "bishop") {
        return Err("`kind` must be rook or bishop".into());
    }
    let occupied = match question.str("occupied") {
        Some(hex) => {
            Bitboard(u64::from_str_radix(hex, 16).map_err(|_| "`occupied` must be up to 16 hexadecimal digits")?)
        }
        None => dispatch!(&any, game => game.position().occupied()),
    };
    let step = attacks::lookup(kind == "rook", square, occupied);
    let blockers = occupied & step.mask;
    Ok(object(|out| {
        out.show("square", square);
        out.str("kind", kind);
        out.str("method", if step.magic.is_some() { "magic" } else { "pext" });
        out.hex("mask", step.mask.0);
        out.hex("blockers", blockers.0);
        let (magic, shift) = step.magic.unwrap_or((0, 0));
        out.hex("magic", magic);
        out.hex("product", blockers.0.wrapping_mul(magic));
        out.num("shift", shift);
        out.num("index", step.index);
        out.num("offset", step.offset);
        out.num("tableLength", step.table_len);
        out.hex("attacks", step.attacks.0);
    }))
}

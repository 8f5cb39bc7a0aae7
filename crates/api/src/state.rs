//! What a board shows: pieces, legal moves, outcome, count; and moves as people write them.

use crate::spec::{any_game, color_name, letter};
use rukh_core::{
    Alphabet, BoardHonour, Color, Decision, Game, Kind, Makruk, Move, Outcome, Position, Rules, Square, Variant,
    dispatch,
};
use rukh_engine::{Counting, Manners, Phase};
use rukh_json::{Json, Out, object};

/// `state`: the whole of it.
pub(crate) fn state(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    Ok(object(|out| {
        out.str("variant", any.variant().name());
        dispatch!(&any, game => board(out, game, any.variant()));
        match any.makruk() {
            Some(game) => {
                count(out, game.position());
                out.opt("mayCount", Counting::allowed(*game.position()).map(count_name));
            }
            None => {
                out.null("count");
                out.null("mayCount");
            }
        }
    }))
}

fn board<R: Rules>(out: &mut Out<'_>, game: &Game<R>, variant: Variant) {
    let pos = game.position();
    let us = pos.side_to_move();
    out.show("fen", pos.fen());
    out.str("turn", color_name(us));
    out.num("fullmove", pos.fullmove());
    out.num("halfmove", pos.halfmove_clock());
    out.list("squares", |out| {
        for square in Square::all() {
            match pos.piece_at(square) {
                Some(piece) => out.item(letter::<R>(piece)),
                None => out.item_num("null"),
            }
        }
    });
    out.opt("check", pos.in_check().then(|| pos.king(us)));
    out.strings("checkers", pos.checkers());
    out.list("moves", |out| {
        for &mv in pos.legal_moves().iter() {
            out.item_obj(|out| legal_move(out, pos, mv, variant));
        }
    });
    match game.moves().last() {
        Some(&mv) => {
            let before = &game.positions()[game.moves().len() - 1];
            out.obj("last", |out| {
                out.show("uci", before.uci(mv, variant.notation()));
                out.show("san", before.san(mv));
                out.show("from", mv.from());
                out.show("to", mv.to());
            });
        }
        None => out.null("last"),
    }
    outcome(out, "outcome", game.outcome_by(Decision::Claimed));
    outcome(out, "ended", game.outcome_by(Decision::Automatic));
    out.num("repetitions", game.repetitions());
    out.str("phase", Phase::of(pos, game.moves().len()).name());
    out.hex("key", pos.key());
}

/// A legal move with all that a board needs to know of it.
pub(crate) fn legal_move<R: Rules>(out: &mut Out<'_>, pos: &Position<R>, mv: Move, variant: Variant) {
    out.show("uci", pos.uci(mv, variant.notation()));
    let san = pos.san(mv);
    out.str("san", &san);
    if variant == Variant::Makruk {
        out.show("thai", pos.san_in(mv, Alphabet::Thai));
    }
    out.show("piece", letter::<R>(mv.piece()));
    out.show("from", mv.from());
    out.show("to", mv.to());
    let rook = pos.castle_rook(pos.side_to_move(), mv.is_king_castle()).filter(|_| mv.is_castle());
    // In Chess960 the king's own move may go to the same square; there only the rook says "castle".
    let to = Some(mv.to()).filter(|_| rook.is_none() || variant != Variant::Chess960);
    out.strings("targets", to.into_iter().chain(rook));
    out.opt("promotion", mv.promotion().map(|kind| R::letter(kind).to_ascii_lowercase()));
    out.opt("capture", mv.captured().map(letter::<R>));
    let victim = Square::new(mv.to().file(), mv.from().rank());
    out.opt("captureSquare", mv.is_en_passant().then_some(victim));
    out.opt("castle", mv.is_castle().then(|| if mv.is_king_castle() { "king" } else { "queen" }));
    out.flag("check", san.ends_with(['+', '#']));
    out.flag("mate", san.ends_with('#'));
}

fn outcome(out: &mut Out<'_>, name: &str, outcome: Option<Outcome>) {
    let Some(outcome) = outcome else { return out.null(name) };
    out.obj(name, |out| {
        let (winner, reason) = match outcome {
            Outcome::Win(color) => (Some(color_name(color)), "checkmate".to_owned()),
            Outcome::Draw(reason) => (None, reason.to_string()),
        };
        out.opt("winner", winner);
        out.str("result", outcome.result());
        out.str("reason", &reason);
        out.show("text", outcome);
    });
}

/// The running count, and who counts: a bare Khun, whoever claimed it, else the weaker side.
fn count(out: &mut Out<'_>, pos: &Position<Makruk>) {
    let Some(count) = pos.count() else { return out.null("count") };
    let bare = Color::ALL.into_iter().find(|&color| !pos.colors(color).more_than_one());
    let material = |color| {
        Kind::ALL
            .iter()
            .map(|&kind| pos.colored(color, kind).count() as i32 * Makruk::VALUES[kind.index()])
            .sum::<i32>()
    };
    let weaker = match material(Color::White) - material(Color::Black) {
        0 => None,
        difference => Some(if difference < 0 { Color::White } else { Color::Black }),
    };
    let claimed = match pos.board_honour() {
        BoardHonour::Claimed(color) => Some(color),
        _ => None,
    };
    out.obj("count", |out| {
        out.num("plies", count.plies);
        out.num("limit", count.limit);
        out.num("spoken", count.spoken());
        out.num("last", count.last_number());
        out.num("remaining", count.remaining());
        out.opt("side", bare.or(claimed).or(weaker).map(color_name));
        out.str("honour", if bare.is_some() { "pieces" } else { "board" });
    });
}

fn count_name(counting: Counting) -> &'static str {
    match counting {
        Counting::Start => "start",
        Counting::Stop => "stop",
    }
}

/// `manners`: what the engine does here about draws and its count, given what it thinks of its game.
pub(crate) fn manners(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let opinion = question.get("opinion").and_then(Json::number).ok_or("the question has no `opinion`")?;
    let manners = Manners { opinion: opinion.clamp(-1e6, 1e6) as i32 };
    Ok(object(|out| {
        out.flag("agrees", manners.agrees_to_draw(any.fullmove()));
        out.flag("claims", manners.claims_draw());
        out.opt("count", any.makruk().and_then(|game| manners.counting(game.position())).map(count_name));
    }))
}

/// A move by any of its names.
fn read_move<R: Rules>(pos: &Position<R>, text: &str) -> Result<Move, String> {
    let text = text.trim();
    pos.parse_uci(&text.to_ascii_lowercase()).or_else(|_| pos.parse_san(text)).map_err(|e| e.to_string())
}

/// `move`: a move as typed.
pub(crate) fn typed(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let text = question.str("text").ok_or("the question has no `text`")?;
    dispatch!(&any, game => {
        let pos = game.position();
        // `bxc3` is a pawn's move and `Bxc3` a bishop's; `nf3`, where no pawn can be meant, is the knight.
        let mut found = read_move(pos, text);
        if found.is_err() && text.starts_with(|c: char| c.is_ascii_lowercase()) {
            let mut upper = text.to_owned();
            upper[..1].make_ascii_uppercase();
            found = read_move(pos, &upper).or(found);
        }
        let mv = found?;
        Ok(object(|out| legal_move(out, pos, mv, any.variant())))
    })
}

/// `line`: moves played one after another.
pub(crate) fn line(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    let moves = question.get("line").map_or(&[][..], Json::list);
    dispatch!(&any, game => {
        let mut pos = *game.position();
        let mut error = None;
        Ok(object(|out| {
            out.list("moves", |out| {
                for text in moves.iter().take(1000) {
                    let mv = match read_move(&pos, text.text().unwrap_or_default()) {
                        Ok(mv) => mv,
                        Err(why) => {
                            error = Some(why);
                            break;
                        }
                    };
                    let after = pos.after(mv);
                    out.item_obj(|out| {
                        out.show("uci", pos.uci(mv, any.variant().notation()));
                        out.show("san", pos.san(mv));
                        if any.variant() == Variant::Makruk {
                            out.show("thai", pos.san_in(mv, Alphabet::Thai));
                        }
                        out.show("from", mv.from());
                        out.show("to", mv.to());
                        out.show("fen", after.fen());
                    });
                    pos = after;
                }
            });
            out.opt("error", error);
        }))
    })
}

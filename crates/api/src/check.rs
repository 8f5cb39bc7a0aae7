//! FEN and the position editor: what is legal, and what is wrong with the rest.

use crate::spec::variant;
use core::fmt::Write;
use rukh_core::{AnyPosition, FenError, Variant, chess960_fen};
use rukh_json::{Json, Out, object};

/// Which field of `fen` the byte at `start` belongs to; the whole text is -1.
fn field(fen: &str, error: &FenError) -> i32 {
    if error.start == 0 && error.end >= fen.trim_end().len() {
        return -1;
    }
    let before = fen.get(..error.start).unwrap_or(fen);
    before.split_ascii_whitespace().count() as i32
}

fn verdict(out: &mut Out<'_>, variant: Variant, fen: &str) {
    match AnyPosition::from_fen(variant, fen) {
        Ok(pos) => {
            out.flag("ok", true);
            out.show("fen", pos.fen());
            out.str("reason", "");
            out.num("field", -1);
        }
        Err(error) => {
            out.flag("ok", false);
            out.str("fen", "");
            out.show("reason", &error.reason);
            out.num("field", field(fen, &error));
        }
    }
}

/// `checkFen`
pub(crate) fn fen(question: &Json) -> Result<String, String> {
    let variant = variant(question)?;
    let fen = question.str("fen").ok_or("the question has no `fen`")?;
    Ok(object(|out| verdict(out, variant, fen)))
}

/// The editor's board as a FEN, without judgement.
fn compose(setup: &Json, variant: Variant, castling: &str, en_passant: &str) -> Result<String, String> {
    let squares = setup.get("squares").map_or(&[][..], Json::list);
    if squares.len() != 64 {
        return Err("the board must have 64 squares".into());
    }
    let mut fen = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match squares[8 * rank + file].text().filter(|letter| !letter.is_empty()) {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        let _ = write!(fen, "{empty}");
                        empty = 0;
                    }
                    fen.push_str(letter.get(..letter.len().min(2)).unwrap_or("?"));
                }
            }
        }
        if empty > 0 {
            let _ = write!(fen, "{empty}");
        }
        if rank > 0 {
            fen.push('/');
        }
    }
    let turn = if setup.str("turn") == Some("black") { 'b' } else { 'w' };
    let (half, full) = (setup.uint("halfmove").unwrap_or(0), setup.uint("fullmove").unwrap_or(1));
    let _ = match variant {
        Variant::Makruk => {
            let count = setup.get("count");
            let number = |name| count.and_then(|c| c.uint(name)).unwrap_or(0);
            match number("limit") {
                0 => write!(fen, " {turn} - - {half} {full}"),
                limit => write!(fen, " {turn} - {limit} {} {full}", number("plies")),
            }
        }
        _ => write!(fen, " {turn} {castling} {en_passant} {half} {full}"),
    };
    Ok(fen)
}

/// `checkSetup`: the verdict on the board, and which rights it could have.
pub(crate) fn setup(question: &Json) -> Result<String, String> {
    let setup = question.get("setup").ok_or("the question has no `setup`")?;
    let variant = variant(setup)?;
    let word = |name, default: &'static str| setup.str(name).filter(|w| !w.is_empty()).unwrap_or(default).to_owned();
    let fen = compose(setup, variant, &word("castling", "-"), &word("enPassant", "-"))?;
    let legal = |castling: &str, ep: &str| {
        compose(setup, variant, castling, ep).is_ok_and(|fen| AnyPosition::from_fen(variant, &fen).is_ok())
    };
    let mut castling = Vec::new();
    let mut passed = Vec::new();
    if variant != Variant::Makruk {
        let letters = if variant == Variant::Chess960 { "HGFEDCBAhgfedcba" } else { "KQkq" };
        castling.extend(letters.chars().filter(|letter| legal(letter.encode_utf8(&mut [0; 4]), "-")));
        let rank = if setup.str("turn") == Some("black") { 3 } else { 6 };
        passed.extend(('a'..='h').map(|file| format!("{file}{rank}")).filter(|square| legal("-", square)));
    }
    Ok(object(|out| {
        verdict(out, variant, &fen);
        out.strings("castlingPossible", castling);
        out.strings("enPassantPossible", passed);
    }))
}

/// `chess960`: the start position of a number.
pub(crate) fn chess960(question: &Json) -> Result<String, String> {
    let number = question.uint("number").and_then(|number| usize::try_from(number).ok());
    let fen = number.and_then(chess960_fen).ok_or("the number must be from 0 to 959")?;
    Ok(object(|out| out.str("fen", &fen)))
}

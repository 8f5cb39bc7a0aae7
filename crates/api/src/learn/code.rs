//! `encode` and `decode`: positions as 64-bit codes.

use crate::spec::{any_game, variant};
use rukh_code::{
    AnyCode, CodeError, Codec, Coded, ExtendedCode, Format, LongCode, PositionCode, Selector, Table, Tables,
    without_clocks,
};
use rukh_core::{AnyPosition, Position, Variant, dispatch};
use rukh_json::{Json, Out, object};
use rukh_store::openings::{self, openings};

pub(super) fn encode(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    dispatch!(&any, game => encode_with(any.variant(), game.position()))
}

fn encode_with<R: Coded>(variant: Variant, pos: &Position<R>) -> Result<String, String> {
    let codec = R::codec(variant);
    let code = codec.encode_any(pos).map_err(|e| e.to_string())?;
    Ok(object(|out| describe_any(out, codec, code, codec.is_exact(pos))))
}

pub(super) fn decode(question: &Json) -> Result<String, String> {
    let text = question.str("code").ok_or("the question has no `code`")?.trim();
    let variant = variant(question)?;
    let answer = dispatch!(type R of variant => decode_text(<R as Coded>::codec(variant), text));
    answer.map_err(|e| e.to_string())
}

fn decode_text<R: Coded>(codec: &Codec<R>, text: &str) -> Result<String, CodeError> {
    // A number is the code itself; everything else is the text form, with clocks or without.
    match PositionCode::from_decimal(text) {
        Some(code) => decode_with(codec, AnyCode::Short(code?).into()),
        None => codec.first_reading(text, decode_with),
    }
}

fn decode_with<R: Coded>(codec: &Codec<R>, code: ExtendedCode) -> Result<String, CodeError> {
    let plain = match code.code {
        AnyCode::Short(short) => Selector::new(codec, OpeningTable).decode(short)?,
        AnyCode::Long(long) => codec.decode_long(long)?,
    };
    let (pos, _) = code.clocked(plain)?;
    Ok(object(|out| {
        out.show("fen", pos.fen());
        out.obj("code", |out| describe_any(out, codec, code.code, codec.is_exact(&pos)));
    }))
}

/// The one table that every build has. It is only read here: codes that are given out need no table.
struct OpeningTable;

impl<R: Coded> Tables<R> for OpeningTable {
    fn edition(&self, table: Table) -> Option<u8> {
        (table == Table::Opening && R::CASTLING).then_some(openings::EDITION)
    }

    fn find(&self, _: Table, _: &Position<R>) -> Option<u64> {
        None
    }

    fn get(&self, _: Table, index: u64) -> Option<Position<R>> {
        let pos = openings().position(u32::try_from(index).ok()?)?;
        without_clocks(AnyPosition::from(pos).of()?).ok()
    }

    fn add(&mut self, _: Table, _: &Position<R>) -> Option<u64> {
        None
    }
}

/// `codePrice`: what each square costs in the learned code.
pub(super) fn price(question: &Json) -> Result<String, String> {
    let any = any_game(question)?;
    dispatch!(&any, game => price_with(any.variant(), game.position()))
}

fn price_with<R: Coded>(variant: Variant, pos: &Position<R>) -> Result<String, String> {
    let codec = R::codec(variant);
    let price = codec.price(pos).ok_or("this position has no place in the code space")?;
    Ok(object(|out| {
        out.flag("exact", codec.is_exact(pos));
        out.num("codes", price.codes as f64);
        out.num("header", price.header);
        out.list("squares", |out| price.squares.iter().for_each(|square| out.item_num(square)));
    }))
}

fn describe_any<R: Coded>(out: &mut Out<'_>, codec: &Codec<R>, code: AnyCode, exact: bool) {
    let text = codec.text(code);
    out.show("text", &text);
    match code {
        AnyCode::Short(code) => describe(out, code, Some(exact)),
        AnyCode::Long(code) => describe_long(out, code, text.starts_with('_')),
    }
}

/// A code of more than 64 bits.
fn describe_long(out: &mut Out<'_>, code: LongCode, exact: bool) {
    let part = if exact { "exact" } else { "learned" };
    out.show("raw", code.number());
    out.str("bits", "");
    out.str("format", "long");
    out.opt("part", Some(part));
    out.list("fields", |_| {});
}

/// The code in its three forms, and its bits by name.
fn describe(out: &mut Out<'_>, code: PositionCode, exact: Option<bool>) {
    out.show("raw", code.raw());
    out.hex("bits", code.raw() as u64);
    let mut fields: Vec<(&str, u32, u32, String, String)> = Vec::new();
    match code.format() {
        Format::Direct(payload) => {
            out.str("format", "direct");
            let part = exact.map(|exact| if exact { "exact" } else { "learned" });
            out.opt("part", part);
            fields.push(("format", 63, 63, "1".into(), "direct: the number is the position itself".into()));
            let how = match part {
                Some("exact") => "rank among all positions with few men",
                _ => "interval of the learned arithmetic code",
            };
            fields.push(("payload", 0, 62, payload.to_string(), how.into()));
        }
        Format::Indexed { table, edition, index } => {
            let record = table == rukh_code::Table::Record;
            out.str("format", if record { "record" } else { "indexed" });
            out.null("part");
            fields.push(("format", 60, 63, if record { "1" } else { "0" }.into(), table.to_string()));
            fields.push(("table", 58, 59, (code.raw() >> 58 & 3).to_string(), format!("{table} table")));
            fields.push(("edition", 50, 57, edition.to_string(), "edition of the table".into()));
            fields.push(("index", 0, 49, index.to_string(), "entry of the table".into()));
        }
    }
    out.list("fields", |out| {
        for (name, from, to, value, text) in &fields {
            out.item_obj(|out| {
                out.str("name", name);
                out.num("from", from);
                out.num("to", to);
                out.str("value", value);
                out.str("text", text);
            });
        }
    });
}

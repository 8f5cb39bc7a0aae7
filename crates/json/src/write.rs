//! Writing JSON straight into a string.

use core::fmt::{Display, Write};

/// An object or array being written; commas come by themselves.
pub struct Out<'a> {
    text: &'a mut String,
    first: bool,
}

/// The text of an object.
pub fn object(fill: impl FnOnce(&mut Out<'_>)) -> String {
    let mut text = String::with_capacity(256);
    braces(&mut text, '{', '}', fill);
    text
}

fn braces(text: &mut String, open: char, close: char, fill: impl FnOnce(&mut Out<'_>)) {
    text.push(open);
    fill(&mut Out { text, first: true });
    text.push(close);
}

fn string(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(text, "\\u{:04x}", c as u32);
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

impl Out<'_> {
    fn comma(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
    }

    fn name(&mut self, name: &str) {
        self.comma();
        string(self.text, name);
        self.text.push(':');
    }

    /// A string.
    pub fn str(&mut self, name: &str, value: &str) {
        self.name(name);
        string(self.text, value);
    }

    /// Whatever prints itself, as a string.
    pub fn show(&mut self, name: &str, value: impl Display) {
        self.str(name, &value.to_string());
    }

    /// A string or `null`.
    pub fn opt(&mut self, name: &str, value: Option<impl Display>) {
        match value {
            Some(value) => self.show(name, value),
            None => self.null(name),
        }
    }

    /// `null`.
    pub fn null(&mut self, name: &str) {
        self.raw(name, "null");
    }

    /// A number (integers up to 2^53 come through exactly).
    pub fn num(&mut self, name: &str, value: impl Display) {
        self.name(name);
        let _ = write!(self.text, "{value}");
    }

    /// A number or `null`.
    pub fn opt_num(&mut self, name: &str, value: Option<impl Display>) {
        match value {
            Some(value) => self.num(name, value),
            None => self.null(name),
        }
    }

    /// A number with all its digits; JSON has no infinity, so that is `null`.
    pub fn float(&mut self, name: &str, value: f64) {
        self.opt_num(name, value.is_finite().then_some(value));
    }

    /// A number with one decimal.
    pub fn tenths(&mut self, name: &str, value: f64) {
        // By hand: printing a float brings more code than the rest of this file.
        let tenths = (value * 10.0).round() as i64;
        let (sign, size) = (if tenths < 0 { "-" } else { "" }, tenths.unsigned_abs());
        self.num(name, format_args!("{sign}{}.{}", size / 10, size % 10));
    }

    /// True or false.
    pub fn flag(&mut self, name: &str, value: bool) {
        self.num(name, value);
    }

    /// 64 bits as sixteen hexadecimal digits.
    pub fn hex(&mut self, name: &str, value: u64) {
        self.name(name);
        let _ = write!(self.text, "\"{value:016x}\"");
    }

    /// JSON that is already written.
    pub fn raw(&mut self, name: &str, json: &str) {
        self.name(name);
        self.text.push_str(json);
    }

    /// An object.
    pub fn obj(&mut self, name: &str, fill: impl FnOnce(&mut Out<'_>)) {
        self.name(name);
        braces(self.text, '{', '}', fill);
    }

    /// An array; `fill` writes its items.
    pub fn list(&mut self, name: &str, fill: impl FnOnce(&mut Out<'_>)) {
        self.name(name);
        braces(self.text, '[', ']', fill);
    }

    /// An array of strings.
    pub fn strings(&mut self, name: &str, items: impl IntoIterator<Item = impl Display>) {
        self.list(name, |out| {
            for item in items {
                out.item(item);
            }
        });
    }

    /// A string item.
    pub fn item(&mut self, value: impl Display) {
        self.comma();
        string(self.text, &value.to_string());
    }

    /// A number item.
    pub fn item_num(&mut self, value: impl Display) {
        self.comma();
        let _ = write!(self.text, "{value}");
    }

    /// An object item.
    pub fn item_obj(&mut self, fill: impl FnOnce(&mut Out<'_>)) {
        self.comma();
        braces(self.text, '{', '}', fill);
    }

    /// An array item.
    pub fn item_list(&mut self, fill: impl FnOnce(&mut Out<'_>)) {
        self.comma();
        braces(self.text, '[', ']', fill);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Json;

    #[test]
    fn what_is_written_can_be_read() {
        let text = object(|out| {
            out.str("a", "\"\\\n\u{1}ก");
            out.list("b", |out| {
                out.item_num(-3);
                out.item_list(|_| {});
                out.item_obj(|out| out.hex("x", 255));
            });
            out.opt("c", None::<&str>);
            out.float("d", f64::INFINITY);
            out.float("e", -0.25);
        });
        assert!(text.ends_with(r#""c":null,"d":null,"e":-0.25}"#), "{text}");
        let value = Json::parse(&text).unwrap();
        assert_eq!(value.str("a"), Some("\"\\\n\u{1}ก"));
        assert_eq!(value.get("b").unwrap().list()[2].str("x"), Some("00000000000000ff"));
    }
}

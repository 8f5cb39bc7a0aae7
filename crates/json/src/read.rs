//! Reading JSON: a small parser for text from outside.

use core::fmt;

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object, its members in order.
    Object(Vec<(String, Json)>),
}

/// Nesting beyond this is refused: the parser calls itself.
const MAX_DEPTH: usize = 32;

/// A text that is not JSON, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte at which it stopped making sense.
    pub at: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON at byte {}", self.at)
    }
}

impl core::error::Error for JsonError {}

impl Json {
    /// Reads one value; nothing may follow it.
    pub fn parse(text: &str) -> Result<Json, JsonError> {
        let mut parser = Parser { text: text.as_bytes(), at: 0 };
        let value = parser.value(0)?;
        parser.space();
        if parser.at == text.len() { Ok(value) } else { Err(parser.error()) }
    }

    /// A member of an object; `None` if it is not there or `null`.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => {
                members.iter().find(|(n, _)| n == name).map(|(_, v)| v).filter(|v| **v != Json::Null)
            }
            _ => None,
        }
    }

    /// The string itself.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number itself.
    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Number(n) => Some(*n),
            _ => None,
        }
    }

    /// The elements; nothing for what is no array.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(list) => list,
            _ => &[],
        }
    }

    /// A string member.
    pub fn str(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// A whole number member that is not negative; larger ones and fractions are cut.
    pub fn uint(&self, name: &str) -> Option<u64> {
        self.get(name)?.number().filter(|n| *n >= 0.0).map(|n| n as u64)
    }

    /// A yes-or-no member.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Json::Bool(b) => Some(*b),
            _ => None,
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn error(&self) -> JsonError {
        JsonError { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if self.text[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.error())
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.error());
        }
        self.space();
        match self.peek().ok_or_else(|| self.error())? {
            b'n' => self.word("null", Json::Null),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'"' => self.string().map(Json::Text),
            b'[' => {
                self.at += 1;
                let mut list = Vec::new();
                self.space();
                if self.take(b']') {
                    return Ok(Json::List(list));
                }
                loop {
                    list.push(self.value(depth + 1)?);
                    self.space();
                    if self.take(b']') {
                        return Ok(Json::List(list));
                    }
                    if !self.take(b',') {
                        return Err(self.error());
                    }
                }
            }
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                self.space();
                if self.take(b'}') {
                    return Ok(Json::Object(members));
                }
                loop {
                    self.space();
                    let name = self.string()?;
                    self.space();
                    if !self.take(b':') {
                        return Err(self.error());
                    }
                    members.push((name, self.value(depth + 1)?));
                    self.space();
                    if self.take(b'}') {
                        return Ok(Json::Object(members));
                    }
                    if !self.take(b',') {
                        return Err(self.error());
                    }
                }
            }
            b'-' | b'0'..=b'9' => self.decimal().map(Json::Number),
            _ => Err(self.error()),
        }
    }

    /// A number, by hand: the exact conversion of the standard library brings a table as large as the rest of this parser.
    /// Whole numbers up to 2^53 are exact, others good to fifteen digits.
    fn decimal(&mut self) -> Result<f64, JsonError> {
        let negative = self.take(b'-');
        let mut value = self.digits()?.0;
        if self.take(b'.') {
            let (fraction, count) = self.digits()?;
            value += fraction / 10f64.powi(count);
        }
        if self.take(b'e') || self.take(b'E') {
            let down = self.take(b'-');
            if !down {
                self.take(b'+');
            }
            let exponent = self.digits()?.0.min(400.0) as i32;
            value *= 10f64.powi(if down { -exponent } else { exponent });
        }
        Ok(if negative { -value } else { value })
    }

    /// At least one digit: the number and how many there are.
    fn digits(&mut self) -> Result<(f64, i32), JsonError> {
        let (start, mut value) = (self.at, 0.0);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = 10.0 * value + f64::from(digit - b'0');
            self.at += 1;
        }
        if self.at == start { Err(self.error()) } else { Ok((value, (self.at - start).min(400) as i32)) }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        if !self.take(b'"') {
            return Err(self.error());
        }
        let mut out = Vec::new();
        loop {
            let byte = self.peek().ok_or_else(|| self.error())?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(out).map_err(|_| self.error()),
                b'\\' => {
                    let escape = self.peek().ok_or_else(|| self.error())?;
                    self.at += 1;
                    let c = match escape {
                        b'"' | b'\\' | b'/' => char::from(escape),
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'n' => '\n',
                        b'r' => '\r',
                        b't' => '\t',
                        b'u' => self.unicode()?,
                        _ => return Err(self.error()),
                    };
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                0..0x20 => return Err(self.error()),
                _ => out.push(byte),
            }
        }
    }

    /// The four digits of `\u`, and those of a second half. Halves without the other become U+FFFD.
    fn unicode(&mut self) -> Result<char, JsonError> {
        let first = self.hex4()?;
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xDC00..0xE000).contains(&second) {
                let joined = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.error())?;
        let mut value = 0;
        for &digit in digits {
            value = value << 4 | char::from(digit).to_digit(16).ok_or_else(|| self.error())?;
        }
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_pages_send() {
        let value =
            Json::parse(r#" {"a": [1, -2.5e1, true, null], "b": "\u0e01\n\ud83d\ude00\ud83d", "c": {}} "#).unwrap();
        assert_eq!(value.get("a").unwrap().list()[1], Json::Number(-25.0));
        assert_eq!(value.str("b"), Some("ก\n😀\u{fffd}"));
        assert_eq!(value.get("a").unwrap().list().len(), 4);
        assert_eq!(value.get("nothing"), None);
    }

    #[test]
    fn refuses_the_rest() {
        assert_eq!(Json::parse("9007199254740991"), Ok(Json::Number(9_007_199_254_740_991.0)));
        assert_eq!(Json::parse("-12.25E+2"), Ok(Json::Number(-1225.0)));
        assert_eq!(Json::parse("1e-999"), Ok(Json::Number(0.0)));
        for text in [
            "", "-", "1.", "1e", ".5", "{", "[1,]", "{\"a\"}", "\"", "\"\\x\"", "\"\\u12\"", "tru", "1 2", "--",
            "\"\u{1}\"",
        ] {
            assert!(Json::parse(text).is_err(), "{text:?}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}

//! The tag pairs of a game, kept in one buffer that is reused from game to game.

use std::borrow::Cow;
use std::ops::Range;

use super::lex::{GameResult, RawValue};

/// The tags of one game, in file order.
#[derive(Debug, Clone, Default)]
pub struct Tags {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    name: Range<u32>,
    value: Range<u32>,
}

impl Tags {
    /// Forgets all tags and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// Adds a tag as read from a file.
    pub fn push_raw(&mut self, name: &[u8], value: RawValue<'_>) {
        let range = |bytes: &mut Vec<u8>, add: &[u8]| {
            let start = bytes.len() as u32;
            bytes.extend_from_slice(add);
            start..bytes.len() as u32
        };
        let name = range(&mut self.bytes, name);
        let value = range(&mut self.bytes, value.bytes());
        self.entries.push(Entry { name, value });
    }

    /// Sets a tag, replacing one of the same name.
    pub fn set(&mut self, name: &str, value: &str) {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        let mut fresh = Tags::default();
        let mut done = false;
        for (n, v) in self.raw() {
            let ours = n == name.as_bytes();
            fresh.push_raw(n, if ours { RawValue(escaped.as_bytes()) } else { v });
            done |= ours;
        }
        if !done {
            fresh.push_raw(name.as_bytes(), RawValue(escaped.as_bytes()));
        }
        *self = fresh;
    }

    /// Number of tags.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Names and values as they stand in the file.
    pub fn raw(&self) -> impl Iterator<Item = (&[u8], RawValue<'_>)> {
        self.entries.iter().map(|e| (self.slice(&e.name), RawValue(self.slice(&e.value))))
    }

    /// Names and values as text.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        self.raw().map(|(n, v)| (super::text::decode(n), v.text()))
    }

    /// The raw value of a tag; the first one if it stands twice.
    pub fn get_raw(&self, name: &str) -> Option<&[u8]> {
        self.entries.iter().find(|e| self.slice(&e.name) == name.as_bytes()).map(|e| self.slice(&e.value))
    }

    /// The text of a tag.
    pub fn get(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get_raw(name).map(|v| RawValue(v).text())
    }

    /// The text of a tag that says anything: PGN writes `?` and `-` for what nobody knows.
    pub fn known(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).filter(|text| !matches!(text.trim(), "" | "?" | "-" | "????.??.??"))
    }

    /// Name of the player of the white pieces, `?` if it is not given.
    pub fn white(&self) -> Cow<'_, str> {
        self.get("White").unwrap_or(Cow::Borrowed("?"))
    }

    /// Name of the player of the black pieces, `?` if it is not given.
    pub fn black(&self) -> Cow<'_, str> {
        self.get("Black").unwrap_or(Cow::Borrowed("?"))
    }

    /// White's rating.
    pub fn white_elo(&self) -> Option<u16> {
        self.number("WhiteElo")
    }

    /// Black's rating.
    pub fn black_elo(&self) -> Option<u16> {
        self.number("BlackElo")
    }

    /// Mean of the known ratings.
    pub fn mean_elo(&self) -> Option<u16> {
        match (self.white_elo(), self.black_elo()) {
            (Some(w), Some(b)) => Some(w.midpoint(b)),
            (one, other) => one.or(other),
        }
    }

    /// The `Result` tag.
    pub fn result(&self) -> GameResult {
        self.get_raw("Result").map_or(GameResult::Unknown, GameResult::from_tag)
    }

    /// Year, month and day of the game (`UTCDate` if there is no `Date`); unknown parts are 0.
    pub fn date(&self) -> Option<(u16, u8, u8)> {
        let part =
            |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|s| s.trim().parse::<u16>().ok()).unwrap_or(0);
        let read = |name: &str| {
            let mut parts = self.get_raw(name)?.split(|b| matches!(b, b'.' | b'-' | b'/'));
            let year = part(parts.next()?);
            let month = parts.next().map_or(0, part);
            let day = parts.next().map_or(0, part);
            let known = (1000..=9999).contains(&year);
            known.then_some((year, if month <= 12 { month as u8 } else { 0 }, if day <= 31 { day as u8 } else { 0 }))
        };
        read("Date").or_else(|| read("UTCDate"))
    }

    /// A tag that holds a number, if it does. `2400?` and blanks are understood, `-` and `0` are no rating.
    pub fn number(&self, name: &str) -> Option<u16> {
        let raw = self.get_raw(name)?.trim_ascii();
        let digits = raw.iter().take_while(|b| b.is_ascii_digit()).count();
        let n: u16 = std::str::from_utf8(&raw[..digits]).ok()?.parse().ok()?;
        (n > 0).then_some(n)
    }

    fn slice(&self, range: &Range<u32>) -> &[u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessors() {
        let mut tags = Tags::default();
        tags.push_raw(b"White", RawValue(b"M\xfcller, \\\"K\\\""));
        tags.push_raw(b"WhiteElo", RawValue(b" 2501?"));
        tags.push_raw(b"BlackElo", RawValue(b"-"));
        tags.push_raw(b"Date", RawValue(b"2024.??.07"));
        tags.push_raw(b"Result", RawValue(b"1/2-1/2"));
        assert_eq!(tags.white(), "Müller, \"K\"");
        assert_eq!(tags.black(), "?");
        assert_eq!((tags.white_elo(), tags.black_elo(), tags.mean_elo()), (Some(2501), None, Some(2501)));
        assert_eq!(tags.date(), Some((2024, 0, 7)));
        assert_eq!(tags.result(), GameResult::Draw);
        tags.set("White", "A \"B\" \\ C");
        tags.set("Event", "x");
        assert_eq!(tags.white(), "A \"B\" \\ C");
        assert_eq!(tags.len(), 6);
        for (name, value) in [("Site", "?"), ("Round", "-"), ("ECO", " "), ("EventDate", "????.??.??")] {
            tags.set(name, value);
            assert_eq!(tags.known(name), None, "{name}");
        }
        assert_eq!((tags.known("Event").as_deref(), tags.known("Nothing")), (Some("x"), None));
    }
}

//! The grammar of one game: tags, then moves with their comments, NAGs and variations, reported to a [`Visitor`].
//!
//! Nothing is allocated here. What a visitor does not want (the moves of a game that a filter refused, variations) is
//! stepped over without being looked at.

use std::borrow::Cow;

use memchr::memchr;

use super::error::{Reason, excerpt};
use super::text;

/// Deepest nesting of variations that is read.
pub const MAX_DEPTH: usize = 100;
/// Most tag pairs of one game.
pub const MAX_TAGS: usize = 256;
/// Longest tag value in bytes, as it would be written.
pub const MAX_TAG_BYTES: usize = 8 << 10;
/// Longest tag name in bytes, as it would be written.
const MAX_NAME_BYTES: usize = 255;

/// How a game ended, or that it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GameResult {
    /// `1-0`
    White,
    /// `0-1`
    Black,
    /// `1/2-1/2`
    Draw,
    /// `*`
    #[default]
    Unknown,
}

impl GameResult {
    /// As written in PGN.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::White => "1-0",
            GameResult::Black => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }

    /// Reads a `Result` tag; anything odd is [`GameResult::Unknown`].
    pub fn from_tag(value: &[u8]) -> GameResult {
        match value.trim_ascii() {
            b"1-0" => GameResult::White,
            b"0-1" => GameResult::Black,
            b"1/2-1/2" | b"1/2" => GameResult::Draw,
            v if v == "½-½".as_bytes() => GameResult::Draw,
            _ => GameResult::Unknown,
        }
    }
}

impl std::fmt::Display for GameResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The value of a tag as it stands in the file, between the quotes.
#[derive(Debug, Clone, Copy)]
pub struct RawValue<'a>(pub &'a [u8]);

impl<'a> RawValue<'a> {
    /// The bytes as written, escapes included.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Bytes of the value in a file that we write: in UTF-8, with quotes and backslashes escaped.
    fn written_len(self) -> usize {
        // A byte becomes three at most.
        if self.0.len() <= MAX_TAG_BYTES / 3 {
            return self.0.len();
        }
        let text = self.text();
        text.len() + text.bytes().filter(|b| matches!(b, b'"' | b'\\')).count()
    }

    /// The text, with `\"` and `\\` resolved.
    pub fn text(self) -> Cow<'a, str> {
        let text = text::decode(self.0);
        if memchr(b'\\', self.0).is_none() {
            return text;
        }
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('\\', Some(&next @ ('"' | '\\'))) => {
                    out.push(next);
                    chars.next();
                }
                _ => out.push(c),
            }
        }
        Cow::Owned(out)
    }
}

/// Receives the parts of a game in the order of the file. Every method may refuse the game with a [`Reason`].
pub trait Visitor {
    /// A tag pair.
    fn tag(&mut self, _name: &[u8], _value: RawValue<'_>) -> Result<(), Reason> {
        Ok(())
    }
    /// All tags are known. `false` skips the moves.
    fn moves_wanted(&mut self) -> Result<bool, Reason> {
        Ok(true)
    }
    /// A move as written, without `!`, `?` and move number.
    fn san(&mut self, san: &[u8]) -> Result<(), Reason>;
    /// A numeric annotation glyph: `$3`, or `!!` as its number.
    fn nag(&mut self, _nag: u8) {}
    /// A comment without its braces.
    fn comment(&mut self, _text: &[u8]) {}
    /// A variation begins: an alternative to the last move. `false` skips it with all that is in it.
    fn open_variation(&mut self) -> Result<bool, Reason> {
        Ok(false)
    }
    /// The variation ends.
    fn close_variation(&mut self) {}
    /// What stands next in a variation cannot be read. `true` cuts the variation there, with a note; `false` refuses the game.
    fn cut_variation(&mut self) -> bool {
        false
    }
    /// The game cannot be read any further. `true` takes what there is of it, with a note; `false` refuses it.
    fn keeps_cut_game(&self) -> bool {
        false
    }
    /// The game was cut; `rest` is what was not read.
    fn cut_game(&mut self, _reason: &Reason, _rest: &[u8]) {}
    /// The game ends; `None` when the file has no result for it.
    fn end(&mut self, result: Option<GameResult>);
}

/// A refused game: where in the chunk, and why.
#[derive(Debug)]
pub struct LexError {
    /// Offset of the problem in the chunk.
    pub offset: usize,
    /// What is wrong.
    pub reason: Reason,
}

/// Reads one game at the start of `bytes` and returns how many bytes it took. The rest, if not blank, is another game
/// (one without tags). An `Err` refers to the whole rest of the chunk: there is no way to tell where the next game of
/// a damaged one begins.
pub fn parse_game<V: Visitor>(bytes: &[u8], visitor: &mut V) -> Result<usize, LexError> {
    parse_game_noting(bytes, visitor, &mut Vec::new())
}

/// As [`parse_game`], and adds what is odd about the game to `notes`: problems that did not keep it from being read.
pub fn parse_game_noting<V: Visitor>(
    bytes: &[u8],
    visitor: &mut V,
    notes: &mut Vec<LexError>,
) -> Result<usize, LexError> {
    let mut lexer = Lexer { bytes, at: 0, notes };
    lexer.game(visitor).map_err(|reason| LexError { offset: lexer.at, reason })?;
    Ok(lexer.at)
}

/// The name of a tag at the start of `bytes`, which is `[`, and where the quote of its value stands. Any name will do
/// that cannot be taken for something else: what is written before a value in quotes is meant as a tag.
pub(super) fn tag_name(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let quote = 1 + bytes[1..].iter().take(4 * MAX_NAME_BYTES).position(|&b| matches!(b, b'"' | b'\n' | b'\r'))?;
    let name = bytes[1..quote].trim_ascii();
    let strange = |b: &u8| b.is_ascii_control() || matches!(b, b'[' | b']' | b'{' | b'}' | b'(' | b')' | b';');
    // `[%clk …]` is a command in a comment.
    let is_name = bytes[quote] == b'"' && !name.is_empty() && name[0] != b'%' && !name.iter().any(strange);
    is_name.then_some((name, quote))
}

struct Lexer<'a, 'n> {
    bytes: &'a [u8],
    at: usize,
    notes: &'n mut Vec<LexError>,
}

/// Bytes that may stand inside a move or a result.
const IN_TOKEN: [bool; 256] = {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        let b = i as u8;
        table[i] =
            b.is_ascii_alphanumeric() || matches!(b, b'+' | b'#' | b'=' | b'-' | b'/' | b':' | b'@') || b >= 0x80;
        i += 1;
    }
    table
};

/// Numeric annotation glyphs and the signs that people write for them, longer ones before their ends.
const SIGNS: [(u8, &str); 18] = [
    (16, "+/- ±"),
    (17, "-/+ ∓"),
    (14, "+/= += ⩲"),
    (15, "=/+ =+ ⩱"),
    (44, "=/∞ =∞"),
    (18, "+- +−"),
    (19, "-+ −+"),
    (10, "="),
    (13, "∞"),
    (7, "□"),
    (22, "⊙ ⨀"),
    (32, "⟳"),
    (36, "→"),
    (40, "↑"),
    (132, "⇆"),
    (138, "⊕"),
    (140, "∆"),
    (146, "N"),
];

/// All of these signs, as bytes.
fn signs() -> impl Iterator<Item = (&'static [u8], u8)> {
    SIGNS.iter().flat_map(|&(nag, signs)| signs.split(' ').map(move |sign| (sign.as_bytes(), nag)))
}

impl<'a> Lexer<'a, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn skip_line(&mut self) {
        self.at = memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |i| self.at + i + 1);
    }

    fn at_line_start(&self) -> bool {
        self.at == 0 || self.bytes[self.at - 1] == b'\n'
    }

    fn game<V: Visitor>(&mut self, visitor: &mut V) -> Result<(), Reason> {
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        if self.tags(visitor)? == 0 {
            self.note_if_continued();
        }
        if visitor.moves_wanted()? {
            self.moves(visitor).or_else(|reason| self.cut_game(reason, visitor))?;
        } else {
            self.at = self.bytes.len();
            visitor.end(None);
        }
        Ok(())
    }

    /// A game without tags that does not begin at move 1 may be the rest of another, behind a result that is none.
    fn note_if_continued(&mut self) {
        let rest = &self.bytes[self.at..];
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|n| n.parse::<u32>().ok());
        if let Some(number) = number.filter(|&n| n != 1 && rest.get(digits) == Some(&b'.')) {
            self.notes.push(LexError { offset: self.at, reason: Reason::Continued { number } });
        }
    }

    /// The tags; returns how many there are.
    fn tags<V: Visitor>(&mut self, visitor: &mut V) -> Result<usize, Reason> {
        let (mut all, mut count) = (0, 0);
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'[') => {
                    let (name, value) = self.tag()?;
                    all += 1;
                    // Those that a writer adds to every game do not count: what was read once can be read again.
                    count += usize::from(!matches!(name, b"Result" | b"SetUp" | b"FEN" | b"Variant"));
                    if count > MAX_TAGS {
                        return Err(Reason::TooManyTags { limit: MAX_TAGS });
                    }
                    visitor.tag(name, value)?;
                }
                Some(b'%') if self.at_line_start() => self.skip_line(),
                _ => return Ok(all),
            }
        }
    }

    /// One tag pair; `at` stands on the bracket and stays there if the tag is refused.
    fn tag(&mut self) -> Result<(&'a [u8], RawValue<'a>), Reason> {
        let rest = &self.bytes[self.at..];
        let line_end = memchr(b'\n', rest).unwrap_or(rest.len());
        let bad = || Reason::BadTag(excerpt(rest[..line_end].trim_ascii_end()));
        let space = |mut i: usize| {
            while rest.get(i).is_some_and(|b| matches!(b, b' ' | b'\t')) {
                i += 1;
            }
            i
        };
        let (name, quote) = tag_name(rest).ok_or_else(bad)?;
        if name.len() > MAX_NAME_BYTES || text::decode(name).len() > MAX_NAME_BYTES {
            return Err(bad());
        }
        let value_start = quote + 1;
        // The closing quote is the first unescaped one with a bracket behind it, so that names with quotes in them
        // ([White "J. "Joe" Doe"]), which are wrong but common, survive.
        let mut j = value_start;
        let (value_end, tag_end) = loop {
            j += memchr::memchr2(b'"', b'\\', &rest[j..line_end]).ok_or_else(bad)?;
            if rest[j] == b'\\' {
                j = (j + 2).min(line_end);
                continue;
            }
            let after = space(j + 1);
            if rest.get(after) == Some(&b']') {
                break (j, after + 1);
            }
            j += 1;
        };
        let value = RawValue(&rest[value_start..value_end]);
        if value.written_len() > MAX_TAG_BYTES {
            let name = excerpt(name);
            return Err(Reason::TagTooLong { name, limit: MAX_TAG_BYTES });
        }
        if !name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_') {
            self.notes.push(LexError { offset: self.at, reason: Reason::OddTagName(excerpt(name)) });
        }
        self.at += tag_end;
        Ok((name, value))
    }

    fn moves<V: Visitor>(&mut self, visitor: &mut V) -> Result<(), Reason> {
        let mut depth = 0usize;
        while let Some(b) = self.peek() {
            match b {
                b' ' | b'\n' | b'\r' | b'\t' | b'.' | 0x0b | 0x0c => self.at += 1,
                b'0'..=b'9' => {
                    if let Some(result) = self.result() {
                        if depth == 0 {
                            self.tail(visitor);
                            visitor.end(Some(result));
                            return Ok(());
                        }
                    } else if !self.move_number() {
                        self.token_at(depth, visitor)?;
                    }
                }
                b'*' => {
                    self.at += 1;
                    if depth == 0 {
                        self.tail(visitor);
                        visitor.end(Some(GameResult::Unknown));
                        return Ok(());
                    }
                }
                b'{' => visitor.comment(self.brace_comment()?),
                b';' => visitor.comment(self.line_comment()),
                b'%' if self.at_line_start() => self.skip_line(),
                b'$' => visitor.nag(self.nag()),
                b'!' | b'?' => visitor.nag(self.suffix()),
                b'(' => {
                    if depth == MAX_DEPTH {
                        return Err(Reason::TooDeep { limit: MAX_DEPTH });
                    }
                    if visitor.open_variation()? {
                        depth += 1;
                        self.at += 1;
                    } else {
                        self.skip_variation()?;
                    }
                }
                b')' => {
                    if depth == 0 {
                        return Err(Reason::StrayParenthesis);
                    }
                    depth -= 1;
                    self.at += 1;
                    visitor.close_variation();
                }
                // Reserved by the standard and without meaning.
                b'<' | b'>' => self.at += 1,
                0 => return Err(Reason::Binary),
                _ => self.token_at(depth, visitor)?,
            }
        }
        if depth > 0 {
            return Err(Reason::OpenVariation);
        }
        visitor.end(None);
        Ok(())
    }

    /// Ends a game where it cannot be read, if the visitor wants what it has of it.
    #[cold]
    fn cut_game<V: Visitor>(&mut self, reason: Reason, visitor: &mut V) -> Result<(), Reason> {
        if matches!(reason, Reason::TooLong { .. } | Reason::TooDeep { .. } | Reason::Binary)
            || !visitor.keeps_cut_game()
        {
            return Err(reason);
        }
        let from = self.at;
        let (end, result) = self.skip_game();
        let rest = self.bytes[from..end].trim_ascii();
        visitor.cut_game(&reason, rest);
        let reason = if rest.is_empty() { reason } else { Reason::CutGame(reason.to_string()) };
        self.notes.push(LexError { offset: from, reason });
        if result.is_some() {
            self.tail(visitor);
        }
        visitor.end(result);
        Ok(())
    }

    /// Steps behind the result of the game, and says where that begins; a game without one ends with the chunk.
    fn skip_game(&mut self) -> (usize, Option<GameResult>) {
        while let Some(b) = self.peek() {
            let at = self.at;
            match b {
                b'0'..=b'9' => {
                    if let Some(result) = self.result() {
                        return (at, Some(result));
                    }
                    self.at += 1;
                }
                b'*' => {
                    self.at += 1;
                    return (at, Some(GameResult::Unknown));
                }
                // What is never closed goes to the end: looking for a result in it at every bracket would take too long.
                b'{' if self.brace_comment().is_err() => self.at = self.bytes.len(),
                b'(' if self.skip_variation().is_err() => self.at = self.bytes.len(),
                b'{' | b'(' => {}
                b';' => self.skip_line(),
                _ => self.at += 1,
            }
            while IN_TOKEN[usize::from(b)] && self.peek().is_some_and(|b| IN_TOKEN[usize::from(b)]) {
                self.at += 1;
            }
        }
        (self.at, None)
    }

    /// Comments and glyphs after the result still belong to the game, and so do a repeated result and stray brackets.
    fn tail<V: Visitor>(&mut self, visitor: &mut V) {
        loop {
            self.skip_space();
            match self.peek() {
                Some(b'{') => match self.brace_comment() {
                    Ok(text) => visitor.comment(text),
                    Err(reason) => {
                        // The game is whole; what the brace swallows is not.
                        self.notes.push(LexError { offset: self.at, reason });
                        self.at = self.bytes.len();
                    }
                },
                Some(b';') => visitor.comment(self.line_comment()),
                Some(b'$') => visitor.nag(self.nag()),
                Some(b'*' | b'.' | b')' | b'!' | b'?') => self.at += 1,
                _ => return,
            }
        }
    }

    /// A result at the cursor. `0-0` is castling and `1` a move number, so the whole token decides.
    fn result(&mut self) -> Option<GameResult> {
        let rest = &self.bytes[self.at..];
        let (result, len) = match rest {
            [b'1', b'-', b'0', ..] => (GameResult::White, 3),
            [b'0', b'-', b'1', ..] => (GameResult::Black, 3),
            [b'1', b'/', b'2', b'-', b'1', b'/', b'2', ..] => (GameResult::Draw, 7),
            [b'1', b'/', b'2', ..] => (GameResult::Draw, 3),
            _ => return None,
        };
        if rest.get(len).is_some_and(|&b| IN_TOKEN[usize::from(b)]) {
            return None;
        }
        self.at += len;
        Some(result)
    }

    /// Steps over `12.`, `12...` or a bare `12`; false if it is something else, as `0-0`.
    #[inline]
    fn move_number(&mut self) -> bool {
        let mut i = self.at;
        while self.bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        match self.bytes.get(i) {
            Some(&b) if IN_TOKEN[usize::from(b)] => false,
            _ => {
                self.at = i;
                true
            }
        }
    }

    /// A token. One that is refused inside a variation may cost the rest of that variation alone.
    #[inline]
    fn token_at<V: Visitor>(&mut self, depth: usize, visitor: &mut V) -> Result<(), Reason> {
        match self.token(visitor) {
            Err(reason @ (Reason::BadMove { .. } | Reason::BadToken(_))) if depth > 0 && visitor.cut_variation() => {
                let reason = Reason::CutVariation(reason.to_string());
                self.notes.push(LexError { offset: self.at, reason });
                self.skip_nested(1)?;
                // The bracket that closes it is read as any other.
                self.at -= 1;
                Ok(())
            }
            other => other,
        }
    }

    #[inline]
    fn token<V: Visitor>(&mut self, visitor: &mut V) -> Result<(), Reason> {
        let start = self.at;
        let mut i = start;
        while self.bytes.get(i).is_some_and(|&b| IN_TOKEN[usize::from(b)]) {
            i += 1;
        }
        let token = &self.bytes[start..i];
        match token {
            [b'a'..=b'h' | b'A'..=b'Z' | b'0', _, ..] if token != b"ep" => {
                if let Err(reason) = visitor.san(token) {
                    i = self.glued(start, i, reason, visitor)?;
                }
            }
            [] => {
                let line = &self.bytes[start..];
                let binary = line[0] < b' ';
                let word = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                return Err(if binary { Reason::Binary } else { Reason::BadToken(excerpt(&line[..word])) });
            }
            _ => self.odd_token(token, visitor)?,
        }
        self.at = i;
        Ok(())
    }

    /// A move that could not be read, with something glued to it: a sign (`Nf3±`, `O-O+/-`), `exd6e.p.`, `a8(Q)`. Returns where the token ends.
    #[cold]
    fn glued<V: Visitor>(&self, start: usize, end: usize, reason: Reason, visitor: &mut V) -> Result<usize, Reason> {
        if !matches!(reason, Reason::BadMove { .. }) {
            return Err(reason);
        }
        let (token, behind) = (&self.bytes[start..end], &self.bytes[end..]);
        if let [b'(', piece @ (b'Q' | b'R' | b'B' | b'N' | b'M'), b')', ..] = behind
            && matches!(token, [.., b'1'..=b'8'])
            && visitor.san(&[token, &[b'=', *piece]].concat()).is_ok()
        {
            return Ok(end + 3);
        }
        let en_passant = token.strip_suffix(b"ep").or(token.strip_suffix(b"e").filter(|_| behind.starts_with(b".p")));
        if en_passant.is_some_and(|mv| visitor.san(mv).is_ok()) {
            return Ok(end);
        }
        for (sign, nag) in signs() {
            if let Some(mv) = token.strip_suffix(sign)
                && !mv.is_empty()
                && visitor.san(mv).is_ok()
            {
                visitor.nag(nag);
                return Ok(end);
            }
        }
        Err(reason)
    }

    /// Informant signs, null moves, `e.p.`, figurines and garbage.
    #[cold]
    fn odd_token<V: Visitor>(&mut self, token: &'a [u8], visitor: &mut V) -> Result<(), Reason> {
        if let Some((_, nag)) = signs().find(|&(sign, _)| sign == token) {
            visitor.nag(nag);
            return Ok(());
        }
        match token {
            // `e.p.` comes as `e`, `p`; `D` is a diagram.
            b"e" | b"p" | b"ep" | b"D" | b"+" | b"++" | b"#" | b"-" => Ok(()),
            b"--" => visitor.san(token),
            [0x80..=0xff, ..] => {
                let text = text::decode(token);
                match text.chars().next() {
                    // Figurines, and Makruk's moves in Thai.
                    Some('♔'..='♟' | '\u{0e01}'..='\u{0e5b}') => visitor.san(token),
                    Some('½') => Ok(()),
                    // Signs without a number; arrows may be joined.
                    Some('±' | '∓' | '\u{2010}'..='\u{2bff}') => Ok(()),
                    _ => Err(Reason::BadToken(excerpt(token))),
                }
            }
            _ => Err(Reason::BadToken(excerpt(token))),
        }
    }

    fn brace_comment(&mut self) -> Result<&'a [u8], Reason> {
        let from = self.at + 1;
        let len = memchr(b'}', &self.bytes[from..]).ok_or(Reason::OpenComment)?;
        self.at = from + len + 1;
        Ok(&self.bytes[from..from + len])
    }

    fn line_comment(&mut self) -> &'a [u8] {
        let from = self.at + 1;
        self.skip_line();
        self.bytes[from..self.at].trim_ascii_end()
    }

    fn nag(&mut self) -> u8 {
        self.at += 1;
        let mut value = 0u32;
        while let Some(d @ b'0'..=b'9') = self.peek() {
            value = (value * 10 + u32::from(d - b'0')).min(255);
            self.at += 1;
        }
        value as u8
    }

    /// `!`, `?`, `!!`, `??`, `!?`, `?!` as NAG 1 to 6.
    fn suffix(&mut self) -> u8 {
        let from = self.at;
        while matches!(self.peek(), Some(b'!' | b'?')) {
            self.at += 1;
        }
        match &self.bytes[from..self.at] {
            b"!" => 1,
            b"?" => 2,
            [b'!', b'!', ..] => 3,
            [b'?', b'?', ..] => 4,
            [b'!', ..] => 5,
            _ => 6,
        }
    }

    /// Steps over a variation and everything nested in it.
    fn skip_variation(&mut self) -> Result<(), Reason> {
        self.skip_nested(0)
    }

    /// Steps behind the bracket that closes `depth` open ones, or the one at the cursor.
    fn skip_nested(&mut self, mut depth: usize) -> Result<(), Reason> {
        let from = self.at;
        while let Some(b) = self.peek() {
            match b {
                b'(' => {
                    depth += 1;
                    if depth > MAX_DEPTH {
                        self.at = from;
                        return Err(Reason::TooDeep { limit: MAX_DEPTH });
                    }
                    self.at += 1;
                }
                b')' => {
                    depth -= 1;
                    self.at += 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                b'{' => drop(self.brace_comment()?),
                b';' => self.skip_line(),
                _ => self.at += 1,
            }
        }
        self.at = from;
        Err(Reason::OpenVariation)
    }
}

//! Writing games: tags, then moves in lines of at most 80 columns.

use std::io::{self, Write};

use rukh_core::{AnyPosition, Color, Move, Variant, Writing};

use super::chunks::MAX_GAME_BYTES;
use super::error::Reason;
use super::lex::GameResult;
use super::reader::PgnGame;
use super::tags::Tags;
use super::tree::{GameTree, NodeId};

const COLUMNS: usize = 80;

/// Writes games to a stream.
pub struct PgnWriter<W: Write> {
    out: W,
    /// The game at hand.
    game: String,
    column: usize,
    /// Opening brackets that hang on the next word.
    prefix: String,
    games: u64,
    writing: Writing,
    standard: bool,
}

/// The tags that every game has in a standard file, in this order, and what stands for an unknown one.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

impl<W: Write> PgnWriter<W> {
    /// Writes to `out`, which should be buffered.
    pub fn new(out: W) -> Self {
        PgnWriter {
            out,
            game: String::new(),
            column: 0,
            prefix: String::new(),
            games: 0,
            writing: Writing::default(),
            standard: false,
        }
    }

    /// The same in the standard's export form: the seven tags come first, known or not, `SetUp` stands with `FEN`, and there is one
    /// comment at a place.
    pub fn standard(out: W) -> Self {
        PgnWriter { standard: true, ..Self::new(out) }
    }

    /// Adds a game that was written before by a writer of this kind.
    pub fn write_text(&mut self, game: &[u8]) -> io::Result<()> {
        if self.games > 0 {
            self.out.write_all(b"\n")?;
        }
        self.games += 1;
        self.out.write_all(game)
    }

    /// Writes moves in another way than in SAN. Thai letters only for Makruk; [`super::PgnReader`] reads them, other programs
    /// may not.
    pub fn with_writing(mut self, writing: Writing) -> Self {
        self.writing = writing;
        self
    }

    /// A move as one word: the long Thai form has a space.
    fn move_word(&self, pos: &AnyPosition, mv: Move) -> String {
        pos.written(mv, self.writing).replace(' ', "")
    }

    /// Flushes and gives the stream back.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Writes a game's main line. A game that would be too large to be read again is refused with [`Reason::TooLarge`]
    /// inside the error, and nothing of it is written.
    pub fn write_game(&mut self, game: &PgnGame) -> io::Result<()> {
        self.head(&game.tags, &game.start, game.result);
        let mut pos = game.start.clone();
        for (i, &mv) in game.moves.iter().enumerate() {
            self.numbered(&pos, &self.move_word(&pos, mv), i == 0);
            pos.play(mv);
        }
        self.foot(game.result)
    }

    /// Writes a game with its variations, comments and glyphs; otherwise as [`PgnWriter::write_game`].
    pub fn write_tree(&mut self, tree: &GameTree) -> io::Result<()> {
        self.head(&tree.tags, &tree.start, tree.result);
        self.comments(&tree.node(NodeId::ROOT).comments);
        self.line(tree, NodeId::ROOT, tree.start.clone());
        self.foot(tree.result)
    }

    /// The moves behind `id` with their variations. A stack of pending work takes the place of recursion: the reader
    /// bounds the nesting, other makers of trees may not.
    fn line(&mut self, tree: &GameTree, id: NodeId, pos: AnyPosition) {
        enum Work {
            /// Continue a line behind this node; `true` forces a move number.
            Line(NodeId, AnyPosition, bool),
            /// A variation that begins with this node.
            Variation(NodeId, AnyPosition),
            Close,
        }
        let mut stack = vec![Work::Line(id, pos, true)];
        while let Some(work) = stack.pop() {
            match work {
                Work::Close => self.glued(")"),
                Work::Variation(first, pos) => {
                    self.prefix.push('(');
                    self.comments(&tree.node(first).opening_comments);
                    let after = self.one(tree, first, &pos, true);
                    stack.push(Work::Close);
                    stack.push(Work::Line(first, after, !tree.node(first).comments.is_empty()));
                }
                Work::Line(id, pos, number) => {
                    let Some((&main, others)) = tree.node(id).children().split_first() else { continue };
                    let after = self.one(tree, main, &pos, number);
                    let number = !others.is_empty() || !tree.node(main).comments.is_empty();
                    stack.push(Work::Line(main, after, number));
                    for &other in others.iter().rev() {
                        stack.push(Work::Variation(other, pos.clone()));
                    }
                }
            }
        }
    }

    /// One move with its glyphs and comments; returns the position behind it.
    fn one(&mut self, tree: &GameTree, id: NodeId, pos: &AnyPosition, number: bool) -> AnyPosition {
        let node = tree.node(id);
        self.numbered(pos, &self.move_word(pos, node.mv), number);
        for nag in &node.nags {
            self.word(&format!("${nag}"));
        }
        self.comments(&node.comments);
        let mut after = pos.clone();
        after.play(node.mv);
        after
    }

    fn numbered(&mut self, pos: &AnyPosition, san: &str, number: bool) {
        match pos.side_to_move() {
            Color::White => self.word(&format!("{}.", pos.fullmove())),
            Color::Black if number => self.word(&format!("{}...", pos.fullmove())),
            Color::Black => {}
        }
        self.word(san);
    }

    fn comments(&mut self, comments: &[String]) {
        let joined;
        let comments = if self.standard && comments.len() > 1 {
            joined = [comments.join(" ")];
            &joined
        } else {
            comments
        };
        for comment in comments {
            self.prefix.push('{');
            // A closing brace would end the comment early; line comments can hold one.
            for word in comment.replace('}', ")").split_whitespace() {
                if word == "[Event" && self.prefix.is_empty() {
                    // At the start of a line it would be taken for the next game.
                    self.joined(word);
                } else {
                    self.word(word);
                }
            }
            self.glued("}");
        }
    }

    fn head(&mut self, tags: &Tags, start: &AnyPosition, result: GameResult) {
        self.game.clear();
        if self.games > 0 {
            self.game.push('\n');
        }
        let has = |name: &str| tags.get_raw(name).is_some();
        if self.standard {
            for (name, unknown) in ROSTER {
                let value = tags.get(name).filter(|value| !value.trim().is_empty());
                let value = if name == "Result" { Some(result.as_str().into()) } else { value };
                self.tag(name, value.as_deref().unwrap_or(unknown));
            }
        }
        for (name, value) in tags.iter() {
            if self.standard && ROSTER.iter().any(|(of, _)| *of == name) {
                continue;
            }
            if self.standard && name == "FEN" && !has("SetUp") {
                self.tag("SetUp", "1");
            }
            // The game's own result is the truth; the tag follows it.
            let value = if name == "Result" { result.as_str().into() } else { value };
            self.tag(&name, &value);
        }
        if !has("Result") && !self.standard {
            self.tag("Result", result.as_str());
        }
        if !has("FEN") {
            if *start != AnyPosition::new(start.variant()) {
                self.tag("SetUp", "1");
                self.tag("FEN", &start.fen());
            }
            // Written as other programs write it; read in any case.
            if start.variant() != Variant::Chess && !has("Variant") {
                self.tag("Variant", start.variant().title());
            }
        }
        self.game.push('\n');
        self.column = 0;
    }

    fn tag(&mut self, name: &str, value: &str) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace(['\n', '\r'], " ");
        self.game.extend(["[", name, " \"", &value, "\"]\n"]);
    }

    fn foot(&mut self, result: GameResult) -> io::Result<()> {
        self.word(result.as_str());
        self.game.push('\n');
        if self.game.len() > MAX_GAME_BYTES {
            return Err(io::Error::other(Reason::TooLarge { limit: MAX_GAME_BYTES }));
        }
        self.games += 1;
        self.out.write_all(self.game.as_bytes())
    }

    fn word(&mut self, word: &str) {
        let width = self.prefix.len() + word.chars().count();
        if self.column > 0 && self.column + 1 + width > COLUMNS {
            self.game.push('\n');
            self.column = 0;
            self.put(word);
        } else {
            self.joined(word);
        }
    }

    /// A word on the line at hand, however long that becomes.
    fn joined(&mut self, word: &str) {
        if self.column > 0 {
            self.game.push(' ');
            self.column += 1;
        }
        self.put(word);
    }

    fn put(&mut self, word: &str) {
        self.column += self.prefix.len() + word.chars().count();
        self.game.push_str(&self.prefix);
        self.game.push_str(word);
        self.prefix.clear();
    }

    /// A sign that hangs on the word before it, if there is room.
    fn glued(&mut self, sign: &str) {
        if !self.prefix.is_empty() || self.column + sign.len() > COLUMNS {
            return self.word(sign);
        }
        self.column += sign.len();
        self.game.push_str(sign);
    }
}

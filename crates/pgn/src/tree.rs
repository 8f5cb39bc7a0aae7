//! A game with everything in it: variations, comments, glyphs.

use std::io::Read;
use std::path::Path;

use rukh_core::{AnyPosition, Move};

use super::annotations::{self, Eval};
use super::error::{PgnError, Reason, SanProblem};
use super::lex::{GameResult, LexError, RawValue, Visitor, parse_game};
use super::position::play_san;
use super::reader::{TagFilter, bad_move};
use super::stream::{GameVisitor, Stream};
use super::tags::Tags;
use super::text;

/// Most moves of one tree, all variations together.
pub const MAX_NODES: usize = 1 << 18;

/// A place in a [`GameTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// The position before the first move.
    pub const ROOT: NodeId = NodeId(0);
}

/// One move and what is said about it. The root has [`Move::NONE`] and holds what is said before the game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    /// The move that leads here; [`Move::NONE`] is a null move (or the root).
    pub mv: Move,
    /// Comments before the move, at the start of a variation.
    pub opening_comments: Vec<String>,
    /// Comments after the move.
    pub comments: Vec<String>,
    /// Numeric annotation glyphs.
    pub nags: Vec<u8>,
    parent: u32,
    children: Vec<NodeId>,
}

impl Node {
    /// The continuations; the first is the main one.
    pub fn children(&self) -> &[NodeId] {
        &self.children
    }

    /// The clock after the move, from `[%clk …]`.
    pub fn clock_ms(&self) -> Option<u64> {
        self.comments.iter().find_map(|c| annotations::clock_ms(c))
    }

    /// The evaluation after the move, from `[%eval …]`.
    pub fn eval(&self) -> Option<Eval> {
        self.comments.iter().find_map(|c| annotations::eval(c))
    }
}

/// A game as a tree of moves.
#[derive(Debug, Clone)]
pub struct GameTree {
    /// The tag pairs.
    pub tags: Tags,
    /// The position before the first move.
    pub start: AnyPosition,
    /// The result.
    pub result: GameResult,
    nodes: Vec<Node>,
}

impl Default for GameTree {
    fn default() -> Self {
        GameTree {
            tags: Tags::default(),
            start: AnyPosition::default(),
            result: GameResult::Unknown,
            nodes: vec![Node::default()],
        }
    }
}

impl GameTree {
    /// A tree without moves.
    pub fn new(start: AnyPosition) -> GameTree {
        GameTree { start, ..GameTree::default() }
    }

    /// The node at `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node at `id`, to annotate it.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0 as usize]
    }

    /// The node before `id`; the root is its own parent.
    pub fn parent(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).parent)
    }

    /// Number of moves in all variations.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a move behind `parent`: the main continuation if it is the first, else a variation.
    pub fn add(&mut self, parent: NodeId, mv: Move) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node { mv, parent: parent.0, ..Node::default() });
        self.node_mut(parent).children.push(id);
        id
    }

    /// The nodes of the main line, without the root.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        let next = |id: NodeId| self.node(id).children.first().copied();
        std::iter::successors(next(NodeId::ROOT), move |&id| next(id))
    }

    /// The position after the move of `id`, by replay from the start.
    pub fn position(&self, id: NodeId) -> AnyPosition {
        let mut path = Vec::new();
        let mut at = id;
        while at != NodeId::ROOT {
            path.push(self.node(at).mv);
            at = self.parent(at);
        }
        let mut pos = self.start.clone();
        path.into_iter().rev().for_each(|mv| pos.play(mv));
        pos
    }
}

/// Reads one game with all its variations and returns the bytes taken.
pub fn read_tree(bytes: &[u8]) -> Result<(GameTree, usize), LexError> {
    let mut builder = Builder::default();
    let taken = parse_game(bytes, &mut builder)?;
    Ok((builder.tree, taken))
}

/// Reads games with their variations one after another; otherwise as [`PgnReader`](super::PgnReader).
pub struct TreeReader(pub(crate) Stream<Builder>);

impl TreeReader {
    /// Opens a plain or compressed file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<TreeReader, PgnError> {
        Stream::open(path, Builder::default()).map(TreeReader)
    }

    /// Reads from anything, compressed or not; `name` is for messages.
    pub fn new(name: &str, reader: impl Read + Send + 'static) -> Result<TreeReader, PgnError> {
        Stream::new(name, reader, Builder::default()).map(TreeReader)
    }

    /// Also reads games in whose main line somebody passes (`--`, `Z0`), as in lessons.
    pub fn with_passes(mut self) -> TreeReader {
        self.0.visitor().passes = true;
        self
    }

    /// Also reads games that have a bad move or cannot be read to their end for another reason: they end there, with a note, and
    /// what stands behind is a comment. A game without any move before that is refused.
    pub fn with_cut_games(mut self) -> TreeReader {
        self.0.visitor().cuts = true;
        self
    }

    /// Delivers only games whose tags pass `filter`; the moves of others are not looked at.
    pub fn with_filter(mut self, filter: TagFilter) -> TreeReader {
        self.0.visitor().filter = Some(filter);
        self
    }

    /// What was odd about the game just read without keeping it from being read.
    pub fn take_notes(&mut self) -> Vec<PgnError> {
        self.0.take_notes()
    }
}

impl Iterator for TreeReader {
    type Item = Result<GameTree, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next_game()?.map(|builder| std::mem::take(&mut builder.tree)))
    }
}

#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) tree: GameTree,
    /// The line being read at each depth of nesting; the last one is current.
    frames: Vec<Frame>,
    /// Passing is allowed in the main line.
    passes: bool,
    /// Games that cannot be read to their end are read as far as that is possible.
    cuts: bool,
    filter: Option<TagFilter>,
    refused: bool,
}

impl GameVisitor for Builder {
    fn begin(&mut self, _line: u64) {
        self.tree = GameTree::default();
        self.frames.clear();
        self.refused = false;
    }

    fn is_wanted(&self) -> bool {
        !self.refused && (!self.tree.tags.is_empty() || !self.tree.is_empty())
    }
}

struct Frame {
    node: NodeId,
    /// Before and after the last move; equal until the frame has one.
    before: AnyPosition,
    after: AnyPosition,
    moved: bool,
    opening_comments: Vec<String>,
}

impl Frame {
    fn new(node: NodeId, pos: AnyPosition) -> Frame {
        Frame { node, before: pos.clone(), after: pos, moved: false, opening_comments: Vec::new() }
    }
}

impl Visitor for Builder {
    fn tag(&mut self, name: &[u8], value: RawValue<'_>) -> Result<(), Reason> {
        self.tree.tags.push_raw(name, value);
        Ok(())
    }

    fn moves_wanted(&mut self) -> Result<bool, Reason> {
        if let Some(filter) = &mut self.filter
            && !filter(&self.tree.tags)
        {
            self.refused = true;
            return Ok(false);
        }
        self.tree.start = self.tree.tags.start_position()?;
        self.frames.push(Frame::new(NodeId::ROOT, self.tree.start.clone()));
        Ok(true)
    }

    fn san(&mut self, san: &[u8]) -> Result<(), Reason> {
        if self.tree.len() >= MAX_NODES {
            return Err(Reason::TooLong { limit: MAX_NODES });
        }
        let depth = self.frames.len();
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        frame.before = frame.after.clone();
        let mv = if matches!(san, b"--" | b"Z0") {
            // Analysts pass in variations to show a threat; nobody passes in a game.
            if (depth == 1 && !self.passes) || frame.after.in_check() {
                return Err(bad_move(&frame.after, san, SanProblem::Illegal));
            }
            frame.after.play(Move::NONE);
            Move::NONE
        } else {
            play_san(&mut frame.after, san).map_err(|problem| bad_move(&frame.before, san, problem))?
        };
        frame.moved = true;
        frame.node = self.tree.add(frame.node, mv);
        self.tree.node_mut(frame.node).opening_comments = std::mem::take(&mut frame.opening_comments);
        Ok(())
    }

    fn nag(&mut self, nag: u8) {
        if let Some(frame) = self.frames.last()
            && frame.moved
        {
            let nags = &mut self.tree.node_mut(frame.node).nags;
            if !nags.contains(&nag) {
                nags.push(nag);
            }
        }
    }

    fn comment(&mut self, comment: &[u8]) {
        let words: Vec<_> = text::decode(comment).split_whitespace().map(str::to_owned).collect();
        let comment = words.join(" ");
        let main = self.frames.len() == 1;
        if let Some(frame) = self.frames.last_mut()
            && !comment.is_empty()
        {
            if frame.moved || main {
                self.tree.node_mut(frame.node).comments.push(comment);
            } else {
                frame.opening_comments.push(comment);
            }
        }
    }

    fn open_variation(&mut self) -> Result<bool, Reason> {
        match self.frames.last() {
            Some(frame) if frame.moved => {
                let fresh = Frame::new(self.tree.parent(frame.node), frame.before.clone());
                self.frames.push(fresh);
                Ok(true)
            }
            _ => Err(Reason::StrayVariation),
        }
    }

    fn close_variation(&mut self) {
        // A variation of words alone: they are about the move before it.
        if let Some(empty) = self.frames.pop().filter(|frame| !frame.moved)
            && let Some(frame) = self.frames.last()
        {
            self.tree.node_mut(frame.node).comments.extend(empty.opening_comments);
        }
    }

    fn cut_variation(&mut self) -> bool {
        true
    }

    fn keeps_cut_game(&self) -> bool {
        self.cuts && !self.tree.is_empty()
    }

    fn cut_game(&mut self, reason: &Reason, rest: &[u8]) {
        // What is about the game, behind its result, is about its last move.
        self.frames.truncate(1);
        let number = match reason {
            Reason::BadMove { number, dots, .. } => format!("{number}{dots} "),
            _ => String::new(),
        };
        // Nothing in it is a comment or a command of its own any more.
        let words = text::decode(rest).replace('{', "(").replace('}', ")").replace("[%", "[ %");
        if !rest.is_empty() {
            self.comment(format!("{number}{words}").as_bytes());
        }
    }

    fn end(&mut self, result: Option<GameResult>) {
        self.tree.result = match result {
            Some(GameResult::Unknown) | None => self.tree.tags.result(),
            Some(result) => result,
        };
    }
}

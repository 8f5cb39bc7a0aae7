//! Mates proven: `go mate N` asks whether a side can force mate, not what the position is worth. No evaluation, no pruning
//! on an opinion, so zugzwang and quiet keys hide nothing: every move of both sides counts. Lengths are tried one after the
//! other, which makes the first mate found the shortest.

use crate::score::{MAX_PLY, mate_in, mated_in};
use crate::searcher::Searcher;
use rukh_core::{Move, MoveList, Position, Rules};
use rukh_eval::Evaluator;

/// No longer mates are looked for in this way; the ordinary search finds those that are forced enough.
const MAX_MOVES: u32 = 12;

/// What is known of one position: the moves within which its side to move mates, and within which it does not.
#[derive(Clone, Copy, Default)]
struct Known {
    key: u64,
    mates: u8,
    fails: u8,
    mv: u16,
}

const ROWS: usize = 1 << 18;
/// The last move's rows: 12 pieces × 64 squares, and one for "none".
const REPLIES: usize = crate::history::PIECE_TO + 1;

/// Memory of the proofs: full keys, because a proof must not rest on a collision of short ones.
pub(crate) struct Proofs {
    known: Box<[Known]>,
    /// The defence that last answered a move, by its piece and square.
    replies: Box<[u16]>,
}

impl Proofs {
    pub(crate) fn new() -> Proofs {
        Proofs { known: vec![Known::default(); ROWS].into_boxed_slice(), replies: vec![0; REPLIES].into_boxed_slice() }
    }

    /// Other games may have other keys on the same board (a count), so that nothing is carried over.
    pub(crate) fn clear(&mut self) {
        self.known.fill(Known::default());
        self.replies.fill(0);
    }

    fn row(&mut self, key: u64) -> &mut Known {
        let row = &mut self.known[key as usize & (ROWS - 1)];
        if row.key != key {
            *row = Known { key, ..Known::default() };
        }
        row
    }
}

/// A proven mate: its root move, the moves it takes (negative: the side to move is mated), and the line.
pub(crate) struct Proof {
    pub mv: Move,
    pub score: i32,
    pub line: [Move; MAX_PLY],
    pub len: usize,
}

impl<R: Rules, E: Evaluator<R>> Searcher<R, E> {
    /// Looks for a mate in at most `moves` moves, of either side. `None` when there is none or the search was stopped.
    pub(crate) fn prove(&mut self, pos: &Position<R>, moves: u32) -> Option<Proof> {
        let moves = moves.min(MAX_MOVES);
        // The fifty-move rule would make a proof depend on the way to its position; Makruk's count is part of the key.
        if self.rule_plies_left(pos) <= 2 * moves as i32 {
            return None;
        }
        let list: Vec<Move> = self.root_moves.iter().map(|m| m.mv).collect();
        for n in 1..=moves {
            for &mv in &list {
                if n > 1 || pos.gives_check(mv) {
                    let child = self.step(pos, mv, 0);
                    let mated = self.is_mated_in(&child, 1, n - 1);
                    self.unstep();
                    if mated {
                        return self.line(pos, mv, mate_in(2 * n as usize - 1), n - 1);
                    }
                }
                if self.stopped {
                    return None;
                }
            }
            // Every move loses: the one that holds out longest.
            let loses = |s: &mut Self, mv: Move, within: u32| {
                let child = s.step(pos, mv, 0);
                let mates = s.can_mate_in(&child, 1, within);
                s.unstep();
                mates
            };
            if list.iter().all(|&mv| loses(self, mv, n)) && !self.stopped {
                let longest = list.iter().copied().find(|&mv| !loses(self, mv, n - 1)).unwrap_or(list[0]);
                return self.line(pos, longest, mated_in(2 * n as usize), n);
            }
            if self.stopped {
                return None;
            }
        }
        None
    }

    /// Whether the side to move can force mate in at most `n` moves.
    fn can_mate_in(&mut self, pos: &Position<R>, ply: usize, n: u32) -> bool {
        if n == 0 || ply + 2 >= MAX_PLY || self.should_stop() || self.is_draw(pos, ply) {
            return false;
        }
        let known = *self.proofs().row(pos.key());
        if known.mates != 0 && u32::from(known.mates) <= n {
            return true;
        }
        if u32::from(known.fails) >= n {
            return false;
        }
        // Shorter mates come first: they cost less, and what they leave behind orders the moves.
        if n > 2 && self.can_mate_in(pos, ply, n - 1) {
            return true;
        }
        let mut found = Move::NONE;
        let mut moves = MoveList::new();
        pos.generate_legal(&mut moves);
        if n == 1 {
            // Only a check can be mate.
            for &mv in moves.iter() {
                if pos.gives_check(mv) {
                    let child = pos.after_unchecked(mv);
                    self.nodes += 1;
                    if !child.has_legal_move() {
                        found = mv;
                        break;
                    }
                }
            }
        } else {
            let mut order = [(0i32, Move::NONE); 256];
            let mut len = 0;
            for &mv in moves.iter().take(256) {
                let child = pos.after_unchecked(mv);
                // The fewer answers the better, checks before all others.
                let answers = child.count_legal() as i32;
                let quiet = if child.in_check() { 0 } else { 40 };
                let first = if mv.to_u16() == known.mv { -1000 } else { 0 };
                // Into its place: lists are short, and the sort of the library is four kilobytes of a page's first load.
                let (score, mut at) = (first + quiet + answers, len);
                while at > 0 && (order[at - 1].0, order[at - 1].1.to_u16()) > (score, mv.to_u16()) {
                    order[at] = order[at - 1];
                    at -= 1;
                }
                order[at] = (score, mv);
                len += 1;
            }
            for &(_, mv) in &order[..len] {
                let child = self.step(pos, mv, ply);
                let mated = self.is_mated_in(&child, ply + 1, n - 1);
                self.unstep();
                if mated {
                    found = mv;
                    break;
                }
                if self.stopped {
                    return false;
                }
            }
        }
        if self.stopped {
            return false;
        }
        let row = self.proofs().row(pos.key());
        if found.is_some() {
            if row.mates == 0 || u32::from(row.mates) > n {
                (row.mates, row.mv) = (n as u8, found.to_u16());
            }
        } else {
            row.fails = row.fails.max(n as u8);
        }
        found.is_some()
    }

    /// Whether the side to move is mated, or is whatever it does in at most `n` further moves of the other side.
    fn is_mated_in(&mut self, pos: &Position<R>, ply: usize, n: u32) -> bool {
        let mut moves = MoveList::new();
        pos.generate_legal(&mut moves);
        if moves.is_empty() {
            return pos.in_check();
        }
        if n == 0 || self.should_stop() || self.is_draw(pos, ply) {
            return false;
        }
        // What answered this move elsewhere comes first, then captures.
        let after = self.stack.back(ply, 1).piece_to as usize;
        let reply = self.proofs().replies[after];
        for rank in 0..3 {
            for &mv in moves.iter() {
                let of = if mv.to_u16() == reply { 0 } else { 2 - usize::from(mv.is_capture()) };
                if of != rank {
                    continue;
                }
                let child = self.step(pos, mv, ply);
                let mates = self.can_mate_in(&child, ply + 1, n);
                self.unstep();
                if !mates {
                    self.proofs().replies[after] = mv.to_u16();
                    return false;
                }
            }
        }
        true
    }

    /// The line of a proven mate that begins with `mv`, after which the other side is mated in `n` more moves (or, when
    /// `score` is a loss, mates in `n`).
    fn line(&mut self, pos: &Position<R>, mv: Move, score: i32, mut n: u32) -> Option<Proof> {
        let mut proof = Proof { mv, score, line: [Move::NONE; MAX_PLY], len: 0 };
        let mut attacking = score < 0;
        let mut at = self.step(pos, mv, 0);
        while n > 0 && proof.len + 1 < MAX_PLY {
            let mut moves = MoveList::new();
            at.generate_legal(&mut moves);
            let ply = 1 + proof.len;
            let mut next = None;
            for &mv in moves.iter() {
                let child = self.step(&at, mv, ply);
                let fits = if attacking {
                    self.is_mated_in(&child, ply + 1, n - 1)
                } else {
                    !self.can_mate_in(&child, ply + 1, n - 1)
                };
                self.unstep();
                if fits {
                    next = Some(mv);
                    break;
                }
            }
            // Stopped half-way: the proof stands, its line ends here.
            let Some(mv) = next.filter(|_| !self.stopped) else { break };
            proof.line[proof.len] = mv;
            proof.len += 1;
            at = self.step(&at, mv, ply);
            n -= u32::from(attacking);
            attacking = !attacking;
        }
        (0..=proof.len).for_each(|_| self.unstep());
        Some(proof)
    }

    fn proofs(&mut self) -> &mut Proofs {
        self.proofs.get_or_insert_with(|| Box::new(Proofs::new()))
    }

    /// Like `play`, without the evaluator: no position is evaluated here.
    fn step(&mut self, pos: &Position<R>, mv: Move, ply: usize) -> Position<R> {
        let next = pos.after_unchecked(mv);
        self.note_move(&next, mv, ply);
        next
    }

    fn unstep(&mut self) {
        self.keys.pop();
    }
}

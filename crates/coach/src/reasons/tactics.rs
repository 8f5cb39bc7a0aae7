//! Motifs, found by rule on a line of play. A motif counts only where the line shows it at work: what is forked is taken, what
//! is trapped is lost. So a name is right or absent, rather than likely.

use rukh_core::{Bitboard, Color, Kind, Move, Position, Rules, Square, attacks};

use super::ending::uncatchable;
use super::fact::{Man, Tactic, Theme};
use super::guards::{deflection, removed_guard};
use super::line::Line;

/// So much must be won for a motif to be named: a pawn, nearly.
pub(super) const WON: i32 = 90;
/// So much must a piece be worth to be forked or trapped.
pub(super) const PIECE: i32 = 150;
/// Where a motif may begin, at the third own move at the latest, or behind a series of checks: what comes later is no reason any
/// more.
const PLIES: usize = 5;
/// A series of checks that nobody would follow further.
const FORCED: usize = 11;

/// The last ply at which a motif of `side` may begin.
pub(super) fn reach<R: Rules>(line: &Line<R>, side: Color) -> usize {
    line.forced(side).clamp(PLIES, FORCED)
}

/// The motifs that `side` uses in a line, the most telling first.
pub fn tactics<R: Rules>(line: &Line<R>, side: Color) -> Vec<Tactic> {
    let mut found: Vec<Tactic> = Vec::new();
    let mates = line.mates(side);
    let reach = reach(line, side);
    let wins = line.gain(side, reach + 4) >= WON;
    for ply in line.plies_of(side).take_while(|&ply| ply <= reach) {
        let look = Look { line, side, ply };
        if wins || mates {
            found.extend(look.pin());
            found.extend(deflection(&look));
            found.extend(removed_guard(&look));
        }
        if wins {
            found.extend(look.fork());
            found.extend(look.skewer());
            found.extend(look.discovered());
            found.extend(look.trapped());
        }
    }
    if let Some(first) = line.plies_of(side).next() {
        found.extend(Look { line, side, ply: first }.loose());
    }
    found.extend(promotion(line, side));
    if mates {
        found.push(mate(line, side));
    }
    found.sort_by_key(|tactic| (Theme::ALL.iter().position(|&theme| theme == tactic.theme), tactic.ply));
    found.dedup_by_key(|tactic| tactic.theme);
    // A piece that merely stands loose explains nothing where a motif wins it; a trapped one is not forked.
    let motif = |tactic: &Tactic| !matches!(tactic.theme, Theme::HangingPiece | Theme::LosingExchange | Theme::Mate);
    let first = line.plies_of(side).next().unwrap_or(0);
    // A pawn that loses its guard later on is not the point.
    let small = |tactic: &Tactic| {
        let goal = tactic.targets.get(1).map_or(PIECE, |man| R::VALUES[man.piece.kind().index()]);
        tactic.ply > first && goal < PIECE && matches!(tactic.theme, Theme::RemovedGuard | Theme::Deflection)
    };
    found.retain(|tactic| !small(tactic));
    let at_once = line.settled(first, side) - line.balance(0, side);
    let has = |theme| found.iter().any(|tactic: &Tactic| tactic.theme == theme);
    let (hanging, loose) = (has(Theme::HangingPiece), has(Theme::HangingPiece) || has(Theme::LosingExchange));
    if loose && !mates && 2 * at_once >= line.gain(side, reach + 4) {
        // What is taken at once is most of it: what comes of it later is not the point.
        found.retain(|tactic| !motif(tactic) || tactic.ply == first);
    }
    if hanging && !mates && at_once >= line.gain(side, reach) {
        found.retain(|tactic| !motif(tactic));
    } else if mates || found.iter().any(motif) {
        found.retain(|tactic| !matches!(tactic.theme, Theme::HangingPiece | Theme::LosingExchange));
    }
    found
}

/// One move of the side in its line.
pub(super) struct Look<'a, R: Rules> {
    pub line: &'a Line<R>,
    pub side: Color,
    pub ply: usize,
}

impl<R: Rules> Look<'_, R> {
    pub fn before(&self) -> &Position<R> {
        self.line.at(self.ply)
    }

    pub fn after(&self) -> &Position<R> {
        self.line.at(self.ply + 1)
    }

    pub fn to(&self) -> Square {
        self.line.moves()[self.ply].to()
    }

    pub fn man(&self, pos: &Position<R>, square: Square) -> Option<Man> {
        // Chess960 has the names of chess.
        Some(Man { piece: pos.piece_at(square)?, square, variant: R::VARIANT })
    }

    pub fn tactic(&self, theme: Theme, by: Option<Man>, targets: Vec<Man>) -> Tactic {
        let mv = self.line.moves()[self.ply];
        let written = self.line.written(self.ply);
        Tactic { theme, side: self.side, ply: self.ply, mv, written, by, targets, certain: false }
    }

    /// Whether the capture at `ply` has won something since the start of the line, for good.
    pub fn pays(&self, ply: usize) -> bool {
        self.line.kept(ply, self.side) - self.line.balance(0, self.side) >= WON
    }

    pub fn value(pos: &Position<R>, square: Square) -> i32 {
        pos.piece_at(square).map_or(0, |piece| R::VALUES[piece.kind().index()])
    }

    /// The most that `side` gains by taking on `square`.
    pub fn best_exchange(pos: &Position<R>, side: Color, square: Square) -> i32 {
        let takers = pos.attackers(square, side, pos.occupied());
        takers.into_iter().map(|from| pos.exchange(from, square)).max().unwrap_or(0)
    }

    fn attacked_from(&self, pos: &Position<R>, square: Square) -> Bitboard {
        pos.piece_at(square).map_or(Bitboard::EMPTY, |piece| {
            R::attacks(piece.kind(), piece.color(), square, pos.occupied()) & pos.colors(!piece.color())
        })
    }

    fn fork(&self) -> Option<Tactic> {
        let (pos, to) = (self.after(), self.to());
        let king = pos.king(!self.side);
        let worth =
            |square: Square| square == king || Self::value(pos, square) >= PIECE && pos.exchange(to, square) >= PIECE;
        let mut targets: Vec<Square> = self.attacked_from(pos, to).into_iter().filter(|&at| worth(at)).collect();
        if targets.len() < 2 {
            return None;
        }
        // The forking piece stays where it is and takes one of them with its next move, or the one after.
        let takes = [self.ply + 2, self.ply + 4].into_iter().find(|&ply| {
            self.line
                .moves()
                .get(ply)
                .is_some_and(|mv| mv.from() == to && targets.contains(&mv.to()) && mv.is_capture())
                && self.line.moves()[self.ply + 1..ply].iter().all(|mv| mv.from() != to && mv.to() != to)
        })?;
        self.pays(takes).then_some(())?;
        targets.sort_by_key(|&at| std::cmp::Reverse(Self::value(pos, at)));
        let targets = targets.into_iter().filter_map(|at| self.man(pos, at)).collect();
        Some(self.tactic(Theme::Fork, self.man(pos, to), targets))
    }

    fn pin(&self) -> Option<Tactic> {
        let (pos, to) = (self.after(), self.to());
        let enemy = !self.side;
        let pinned = pos.pinned(enemy);
        // A new attack on a pinned piece, which is then taken where it stands.
        let attacked = self.attacked_from(pos, to) & pinned;
        for square in attacked {
            let was = Self::best_exchange(self.before(), self.side, square);
            let taken = self.line.taken_where_it_stands(square, self.ply + 1, self.ply + 4);
            // A pinned rook that may take the rook that pins it does not suffer.
            let hits = |mv: &Move| mv.from() == square && mv.is_capture() && pos.see(*mv) > -WON;
            if pos.legal_moves().iter().any(hits) {
                continue;
            }
            if Self::value(pos, square) >= PIECE && was < WON && taken.is_some_and(|ply| self.pays(ply)) {
                return Some(self.pinned(square));
            }
        }
        // A piece that could take back, were it not pinned.
        let mut idle = Bitboard::EMPTY;
        for square in pos.attackers(to, enemy, pos.occupied()) & pinned {
            if !attacks::line(pos.king(enemy), square).has(to) {
                idle |= square.bb();
            }
        }
        let free = pos.legal_moves().iter().any(|mv| mv.to() == to && mv.is_capture());
        let mv = self.line.moves()[self.ply];
        let taken = mv.captured().map_or(0, |piece| R::VALUES[piece.kind().index()]);
        let matters = taken - Self::value(pos, to) < WON;
        let works = pos.is_checkmate() || taken >= WON && self.pays(self.ply);
        (idle.any() && !free && matters && works && mv.piece().kind() != Kind::King).then(|| self.pinned(idle.lsb()))
    }

    /// The pin of the piece on `square`, which stands before its king.
    fn pinned(&self, square: Square) -> Tactic {
        let pos = self.after();
        let king = pos.king(!self.side);
        let ray = attacks::line(king, square);
        let sliders = pos.attackers(square, self.side, pos.occupied()) & ray;
        let by = sliders.into_iter().find(|&at| attacks::between(king, at).has(square));
        let targets = [square, king].into_iter().filter_map(|at| self.man(pos, at)).collect();
        self.tactic(Theme::Pin, by.and_then(|at| self.man(pos, at)), targets)
    }

    fn skewer(&self) -> Option<Tactic> {
        let (pos, to) = (self.after(), self.to());
        let moves = self.line.moves();
        let (reply, takes) = (moves.get(self.ply + 1)?, moves.get(self.ply + 2)?);
        let (front, back) = (reply.from(), takes.to());
        let in_line = takes.from() == to && takes.is_capture() && attacks::between(to, back).has(front);
        let left = !attacks::line(to, back).has(reply.to());
        let king = front == pos.king(!self.side);
        let dear = king || Self::value(pos, front) >= Self::value(pos, back);
        let between = attacks::between(to, back) & pos.occupied() == front.bb();
        if !in_line || !left || !dear || !between || !self.attacked_from(pos, to).has(front) {
            return None;
        }
        // The one behind stood there already, and is worth it.
        (pos.piece_at(back) == takes.captured() && Self::value(pos, back) >= PIECE && self.pays(self.ply + 2))
            .then_some(())?;
        let targets = [front, back].into_iter().filter_map(|at| self.man(pos, at)).collect();
        Some(self.tactic(Theme::Skewer, self.man(pos, to), targets))
    }

    fn discovered(&self) -> Option<Tactic> {
        let (before, pos) = (self.before(), self.after());
        let mv = self.line.moves()[self.ply];
        if mv.is_castle() {
            return None;
        }
        let king = pos.king(!self.side);
        let next = self.line.moves().get(self.ply + 2);
        for slider in pos.colors(self.side) - mv.to().bb() {
            let Some(piece) = pos.piece_at(slider) else { continue };
            if !R::slides(piece.kind()) {
                continue;
            }
            let sees = |pos: &Position<R>| R::attacks(piece.kind(), self.side, slider, pos.occupied());
            for target in (sees(pos) - sees(before)) & pos.colors(!self.side) {
                if !attacks::between(slider, target).has(mv.from()) {
                    continue;
                }
                let theme = if target == king { Theme::DiscoveredCheck } else { Theme::DiscoveredAttack };
                // Taken at once, or while the other threat was answered.
                let at_once = mv.is_capture() && self.pays(self.ply);
                let by_mover =
                    next.is_some_and(|next| next.from() == mv.to() && next.is_capture()) && self.pays(self.ply + 2);
                let by_slider =
                    next.is_some_and(|next| next.from() == slider && next.to() == target) && self.pays(self.ply + 2);
                let threat = Self::value(pos, target) >= PIECE && pos.exchange(slider, target) >= PIECE;
                let works = match theme {
                    Theme::DiscoveredCheck => at_once || by_mover,
                    _ => {
                        threat
                            && (by_slider
                                || at_once && mv.captured().is_some_and(|p| self.is_guarded(p.color()))
                                || by_mover)
                    }
                };
                if works {
                    let by = self.man(pos, slider);
                    return Some(self.tactic(theme, by, self.man(pos, target).into_iter().collect()));
                }
            }
        }
        None
    }

    /// Whether what the move takes was protected by `color`: a loose piece needs no discovery.
    fn is_guarded(&self, color: Color) -> bool {
        self.before().is_attacked(self.to(), color)
    }

    fn trapped(&self) -> Option<Tactic> {
        let pos = self.after();
        // What a move wins by taking needs no trap.
        if pos.in_check() || self.line.moves()[self.ply].is_capture() && self.pays(self.ply) {
            return None;
        }
        let enemy = !self.side;
        let moves = pos.legal_moves();
        for square in pos.colors(enemy) - pos.pieces(Kind::Pawn) - pos.pieces(Kind::King) - pos.pinned(enemy) {
            let value = Self::value(pos, square);
            let lost = Self::best_exchange(pos, self.side, square);
            let was = Self::best_exchange(self.before(), self.side, square);
            if value < PIECE || lost < PIECE || was >= WON {
                continue;
            }
            let mut own = moves.iter().filter(|mv| mv.from() == square).peekable();
            // A piece hemmed in by its own men has not been trapped by anybody's move.
            let caught = own.peek().is_some() && own.all(|&mv| pos.see(mv) <= -WON);
            let taken = self.line.taken_at_last(square, self.ply + 1, self.ply + 6);
            if caught && taken.is_some_and(|ply| self.line.mover(ply) == self.side && self.pays(ply)) {
                let targets = self.man(pos, square).into_iter().collect();
                return Some(self.tactic(Theme::TrappedPiece, self.man(pos, self.to()), targets));
            }
        }
        None
    }

    /// A piece that can simply be taken.
    fn loose(&self) -> Option<Tactic> {
        let (before, pos) = (self.before(), self.after());
        let mv = self.line.moves()[self.ply];
        mv.captured()?;
        // Taking back is no gain: the balance before the last move counts, too.
        if before.see(mv) < WON || !self.pays(self.ply) {
            return None;
        }
        // A pawn is no reason where more is won.
        let more = self.line.gain(self.side, reach(self.line, self.side) + 4)
            - (self.line.settled(self.ply, self.side) - self.line.balance(0, self.side));
        if R::VALUES[mv.captured()?.kind().index()] < PIECE && more >= WON {
            return None;
        }
        let target = Man { piece: mv.captured()?, square: mv.to(), variant: R::VARIANT };
        let guarded = before.is_attacked(mv.to(), !self.side);
        let theme = if guarded { Theme::LosingExchange } else { Theme::HangingPiece };
        Some(self.tactic(theme, self.man(pos, mv.to()), vec![target]))
    }
}

/// A pawn that becomes a piece and stays one.
fn promotion<R: Rules>(line: &Line<R>, side: Color) -> Option<Tactic> {
    const FAR: usize = 11;
    let start = line.plies_of(side).next()?;
    let ply = line.plies_of(side).filter(|&ply| ply <= FAR).find(|&ply| line.moves()[ply].is_promotion())?;
    let mv = line.moves()[ply];
    let kept = line.settled(ply, side) - line.balance(ply, side) >= WON / 2
        && line.moves().get(ply + 1).is_none_or(|reply| reply.to() != mv.to());
    let look = Look { line, side, ply };
    // The pawn as it stands at the start of the line.
    let mut square = mv.from();
    for at in (0..ply).rev() {
        let earlier = line.moves()[at];
        if earlier.to() == square && earlier.piece() == mv.piece() {
            square = earlier.from();
        }
    }
    let by = look.man(line.at(start), square);
    let certain = uncatchable(line.at(start), side).has(square);
    kept.then(|| Tactic { certain, ..look.tactic(Theme::Promotion, by, Vec::new()) })
}

/// The mate at the end of a line.
fn mate<R: Rules>(line: &Line<R>, side: Color) -> Tactic {
    let ply = line.moves().len() - 1;
    let look = Look { line, side, ply };
    let pos = line.last();
    let king = pos.king(!side);
    let (by, target) = (look.man(pos, look.to()), look.man(pos, king).into_iter().collect());
    let home = king.relative(!side).rank().index() == 0;
    let mut checkers = pos.checkers();
    let along = Iterator::any(&mut checkers, |at| {
        at.rank() == king.rank() && pos.piece_at(at).is_some_and(|piece| R::slides(piece.kind()))
    });
    // Its own men stand on the way out: at least two, or all there are.
    let way_out = attacks::king(king) & king.bb().forward(!side).east_and_west();
    let own = way_out & pos.colors(!side);
    let shut_in = own.count() >= way_out.count().min(2);
    let theme = if home && along && shut_in { Theme::BackRankMate } else { Theme::Mate };
    look.tactic(theme, by, target)
}

/// A set and its neighbours to both sides.
trait EastAndWest {
    fn east_and_west(self) -> Bitboard;
}

impl EastAndWest for Bitboard {
    fn east_and_west(self) -> Bitboard {
        self | self.east() | self.west()
    }
}

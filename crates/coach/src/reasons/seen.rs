//! What a line shows on a quiet board that a player can see, and the other line does not: a piece that is chased, a threat of mate, a
//! pin, a king that stays in the middle, doubled pawns, a pair of bishops. Nothing is won by it within the line,
//! so it is said only where no stronger reason is known.

use rukh_core::{Bitboard, Color, File, Kind, Move, Position, Rules, Square, attacks};

use super::fact::{Man, Sight, Sighting};
use super::line::Line;
use super::tactics::{Look, PIECE, WON};

/// The last ply at which something may begin: the answer to the answer. What comes later belongs to other moves.
const PLIES: usize = 4;
/// The plies in which both sides' chases are counted against each other.
const CHASES: usize = 6;
/// So long must a pin hold, in plies.
const HOLDS: usize = 3;

/// What `side` gets in `line`, if the `other` line does not give it the same: the most telling.
pub fn gained<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color) -> Option<Sighting> {
    let plies = || line.plies_of(side).filter(|&ply| ply <= PLIES);
    let first = plies().next()?;
    let look = |ply| Look { line, side, ply };
    let threat = look(first).threatens_mate();
    threat
        .filter(|_| !other.plies_of(side).any(|ply| Look { line: other, side, ply }.threatens_mate().is_some()))
        .or_else(|| chase(line, other, side))
        .or_else(|| look(first).pins().filter(|pin| !is_pinned(other, pin)))
        .or_else(|| stays_in_the_middle(line, other, side))
        .or_else(|| doubled(line, other, side))
        .or_else(|| bishops(line, other, side))
}

/// The first piece that `side` chases away, where it chases more often than it is chased, and in the other line does not.
fn chase<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color) -> Option<Sighting> {
    let more = |line: &Line<R>| chases(line, side).count() > chases(line, !side).count();
    // The same move at the same piece in the other line, where it is answered otherwise, is no reason either.
    let anyhow = |chase: &Sighting| {
        let there = |ply: usize| chase.men.iter().all(|man| other.at(ply).piece_at(man.square) == Some(man.piece));
        other.plies_of(side).any(|ply| ply < CHASES && other.moves()[ply] == chase.mv && there(ply))
    };
    chases(line, side).next().filter(|chase| more(line) && !more(other) && chase.ply < PLIES && !anyhow(chase))
}

fn chases<R: Rules>(line: &Line<R>, side: Color) -> impl Iterator<Item = Sighting> + '_ {
    line.plies_of(side).take_while(|&ply| ply < CHASES).filter_map(move |ply| Look { line, side, ply }.chases())
}

impl<R: Rules> Look<'_, R> {
    fn sighting(&self, sight: Sight, by: Option<Man>, men: Vec<Man>) -> Sighting {
        let mv = self.line.moves()[self.ply];
        Sighting {
            sight,
            side: self.side,
            ply: self.ply,
            mv,
            written: self.line.written(self.ply),
            by,
            men,
            place: None,
        }
    }

    /// A piece that was safe before the move, could be taken with profit after it, and moves away without a threat of its own, at
    /// once or after a check by another piece.
    fn chases(&self) -> Option<Sighting> {
        let (before, pos) = (self.before(), self.after());
        let moves = self.line.moves();
        let mv = moves[self.ply];
        let checks = moves.len() > self.ply + 3
            && self.line.at(self.ply + 2).in_check()
            && !moves[self.ply + 1].is_capture()
            && moves[self.ply + 3].from() != moves[self.ply + 1].to();
        let at = self.ply + if checks { 3 } else { 1 };
        let reply = *moves.get(at)?;
        let chased = reply.from();
        let kind = pos.piece_at(chased)?.kind();
        let quiet = |mv: Move| !mv.is_capture() && !mv.is_promotion() && !mv.is_castle();
        let loses = |pos: &Position<R>| Self::best_exchange(pos, self.side, chased) >= WON;
        let by = self.man(pos, mv.to())?;
        let attacked = R::attacks(by.piece.kind(), self.side, mv.to(), pos.occupied()) & pos.colors(!self.side);
        // To stand against a piece of the same kind is to offer an exchange.
        let piece = !matches!(kind, Kind::Pawn | Kind::King) && kind != by.piece.kind();
        if !quiet(mv) || !quiet(reply) || pos.in_check() || !piece || !attacked.has(chased) {
            return None;
        }
        let gone = self.line.at(at + 1);
        // Where it goes it is safe, and attacks nothing that was not attacked before.
        let enemy = !self.side;
        let threatens = |square: Square| {
            Self::best_exchange(gone, enemy, square) >= WON && Self::best_exchange(pos, enemy, square) < WON
        };
        let safe = Self::best_exchange(gone, self.side, reply.to()) < WON;
        let mut theirs = gone.colors(self.side);
        let answers = gone.in_check() || Iterator::any(&mut theirs, threatens);
        if !loses(pos) || loses(before) || !safe || answers {
            return None;
        }
        let hit = |&at: &Square| at == chased || Self::value(pos, at) >= PIECE && pos.exchange(mv.to(), at) >= PIECE;
        let mut men: Vec<Man> = attacked.into_iter().filter(hit).filter_map(|at| self.man(pos, at)).collect();
        men.sort_by_key(|man| man.square != chased);
        Some(self.sighting(Sight::Chase, Some(by), men))
    }

    /// Mate in one that the move threatens.
    fn threatens_mate(&self) -> Option<Sighting> {
        let pos = self.after();
        if pos.in_check() || pos.legal_moves().is_empty() {
            return None;
        }
        let passed = pos.after_null();
        let mates = |mv: &&Move| passed.after(**mv).is_checkmate();
        let mate = *passed.legal_moves().iter().find(mates)?;
        let king = self.man(pos, pos.king(!self.side));
        let mut found = self.sighting(Sight::MateThreat, self.man(&passed, mate.from()), king.into_iter().collect());
        found.place = Some(passed.san(mate));
        Some(found)
    }

    /// A piece that the moved one newly pins to its king, and that stays pinned for a while.
    fn pins(&self) -> Option<Sighting> {
        let (before, pos) = (self.before(), self.after());
        let (enemy, to) = (!self.side, self.to());
        let king = pos.king(enemy);
        let by = self.man(pos, to).filter(|man| R::slides(man.piece.kind()))?;
        let pinned = (pos.pinned(enemy) - before.pinned(enemy) - pos.pieces(Kind::Pawn)) & attacks::between(king, to);
        let square = pinned.into_iter().next()?;
        let holds = (self.ply + 1..=self.line.moves().len()).take_while(|&ply| {
            let pos = self.line.at(ply);
            pos.piece_at(to) == Some(by.piece) && pos.pinned(enemy).has(square)
        });
        let bites = R::attacks(pos.piece_at(square)?.kind(), enemy, square, pos.occupied()).has(to);
        if bites || holds.count() < HOLDS {
            return None;
        }
        let men = [square, king].into_iter().filter_map(|at| self.man(pos, at)).collect();
        Some(self.sighting(Sight::Pin, Some(by), men))
    }
}

/// Whether the piece of a pin is pinned in a line, too.
fn is_pinned<R: Rules>(line: &Line<R>, pin: &Sighting) -> bool {
    let Some(man) = pin.men.first() else { return false };
    let pinned = |pos: &Position<R>| pos.pinned(man.piece.color()).has(man.square);
    (0..=line.moves().len()).any(|ply| pinned(line.at(ply)))
}

/// The other side's king loses the right to castle, with queens on the board; in the other line it castles, or still may.
fn stays_in_the_middle<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color) -> Option<Sighting> {
    let enemy = !side;
    let may = |pos: &Position<R>| pos.castling_sides(enemy) != (false, false);
    let castles = |line: &Line<R>| line.plies_of(enemy).any(|ply| line.moves()[ply].is_castle());
    let ply = line.plies_of(enemy).find(|&ply| may(line.at(ply)) && !may(line.at(ply + 1)))?;
    let queens = line.last().colored(side, Kind::Queen).any();
    let safe = castles(other) || may(other.last());
    if ply > PLIES || line.moves()[ply].is_castle() || !queens || !safe {
        return None;
    }
    let look = Look { line, side: enemy, ply };
    Some(Sighting {
        side,
        ..look.sighting(Sight::Uncastled, None, look.man(line.at(ply), line.at(ply).king(enemy)).into_iter().collect())
    })
}

/// A capture by which the other side's pawns come to stand behind each other and stay so; in the other line they do not, and
/// `side` pays with nothing of the kind.
fn doubled<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color) -> Option<Sighting> {
    if !R::DOUBLE_STEP {
        return None;
    }
    let enemy = !side;
    let pawns = |pos: &Position<R>, side, file| (pos.colored(side, Kind::Pawn) & Bitboard::file(file)).count();
    let more = |pos: &Position<R>, side| {
        File::ALL.into_iter().map(|file| pawns(pos, side, file).saturating_sub(1)).sum::<u32>()
    };
    let (start, end) = (line.at(0), line.last());
    let worse = more(end, enemy) > more(start, enemy)
        && more(other.last(), enemy) <= more(start, enemy)
        && more(end, side) <= more(start, side).max(more(other.last(), side));
    let ply = line.plies_of(enemy).take_while(|&ply| ply <= PLIES + 1).find(|&ply| {
        let mv = line.moves()[ply];
        let file = mv.to().file();
        let takes_back = ply > 0 && line.moves()[ply - 1].is_capture() && line.moves()[ply - 1].to() == mv.to();
        mv.piece().kind() == Kind::Pawn
            && mv.is_capture()
            && takes_back
            && pawns(line.at(ply), enemy, file) == 1
            && pawns(end, enemy, file) == 2
    })?;
    let look = Look { line, side, ply: ply - 1 };
    let mut found = look.sighting(Sight::Doubled, None, Vec::new());
    found.place = Some(line.moves()[ply].to().file().char().to_string());
    worse.then_some(found)
}

/// A bishop of a pair is given for a knight, which does not happen in the other line.
fn bishops<R: Rules>(line: &Line<R>, other: &Line<R>, side: Color) -> Option<Sighting> {
    if !R::DOUBLE_STEP {
        return None;
    }
    let enemy = !side;
    let count = |pos: &Position<R>, side, kind| pos.colored(side, kind).count();
    let pair = |pos: &Position<R>| count(pos, enemy, Kind::Bishop) >= 2;
    let (start, end) = (line.at(0), line.last());
    let given = pair(start) && !pair(end) && pair(other.last());
    // What is exchanged besides is alike.
    let more = |pos: &Position<R>, kind| i64::from(count(pos, side, kind)) - i64::from(count(pos, enemy, kind));
    let for_a_knight = more(end, Kind::Bishop) == more(start, Kind::Bishop) + 1
        && more(end, Kind::Knight) == more(start, Kind::Knight) - 1;
    let ply = (0..line.moves().len().min(PLIES + 1)).find(|&ply| pair(line.at(ply)) && !pair(line.at(ply + 1)))?;
    let look = Look { line, side, ply };
    (given && for_a_knight).then(|| look.sighting(Sight::BishopPair, None, Vec::new()))
}

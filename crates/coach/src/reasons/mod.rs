//! Why a move was bad: facts from the rules, the engine's two lines, the tables and the evaluation, and a sentence for each.

mod ending;
mod fact;
mod guards;
mod line;
mod seen;
mod tactics;
mod terms;
mod trade;
mod words;

pub use fact::{Fact, Man, Proven, Sight, Sighting, Tactic, Theme, Trade};
pub use line::Line;
pub use tactics::tactics;
pub(crate) use words::percent;
pub use words::{Words, kind_name, term_name};

use rukh_core::{AnyPosition, Color, Move, Position, Rules, dispatch};
use rukh_engine::{Scale, Score};
use rukh_eval::Terms;

use crate::insights::WINNING;
use trade::Won;

/// A move with what the engine says of it: the score for the side that makes it, and the line that it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// For the side to move.
    pub score: Score,
    /// The move, and what follows.
    pub line: Vec<Move>,
}

/// Plies of a line that are shown at least.
const SHOWN: usize = 8;
/// Motifs that are named for one side.
const MOTIFS: usize = 2;

/// What is known of the move that `played` begins with, against the one that `best` begins with. Nothing where they are the
/// same, or one of them is no move of the position.
///
/// ```
/// use rukh_coach::{Choice, Theme, explain};
/// use rukh_core::{AnyPosition, Variant};
/// use rukh_engine::Score;
///
/// // The king steps to where a knight forks it and the rook.
/// let pos = AnyPosition::from_fen(Variant::Chess, "4k3/8/8/8/3n4/8/8/R3K3 w - - 0 1").unwrap();
/// let line = |text: &str| {
///     let mut at = pos.clone();
///     text.split(' ').map(|uci| { let mv = at.parse_uci(uci).unwrap(); at.play(mv); mv }).collect()
/// };
/// let played = Choice { score: Score(-300), line: line("e1d2 d4b3 d2c2 b3a1") };
/// let best = Choice { score: Score(200), line: line("a1b1 d4f3 e1f2") };
/// let facts = explain(&pos, &played, &best);
/// assert_eq!(facts[0].tactic().map(|tactic| tactic.theme), Some(Theme::Fork));
/// assert_eq!(facts[0].sentence(), "1... Nb3+ forks the king and the rook on a1.");
/// assert_eq!(facts[1].sentence(), "It loses a rook.");
/// ```
pub fn explain(pos: &AnyPosition, played: &Choice, best: &Choice) -> Vec<Fact> {
    let scale = Scale::of(pos.variant(), pos.men()).for_marks(pos.variant());
    let (Some(&bad), Some(&good)) = (played.line.first(), best.line.first()) else { return Vec::new() };
    if bad == good {
        return Vec::new();
    }
    let mut facts = Vec::new();
    // The count first: it says why a mate is none any more.
    if let Some(pos) = pos.makruk().filter(|pos| pos.is_legal(bad) && pos.is_legal(good)) {
        let winning = scale.wdl(best.score).expectation() >= WINNING;
        facts.extend(ending::count(pos, bad, good, winning));
    }
    facts.extend(proven(played.score, best.score));
    dispatch!(pos, pos => on_the_board(pos, played, best, scale, &mut facts));
    facts
}

/// Mates and table results.
fn proven(played: Score, best: Score) -> Vec<Fact> {
    let mut facts = Vec::new();
    let result = |score: Score| match score.is_decisive() {
        true if score > Score::DRAW => Proven::Win,
        true => Proven::Loss,
        false => Proven::Draw,
    };
    match (played.mate(), best.mate()) {
        (Some(moves), before) if moves <= 0 => {
            let lost_before = before.is_some_and(|before| before <= 0);
            facts.push(Fact::AllowsMate { moves: moves.unsigned_abs(), lost_before });
        }
        (after, Some(moves)) if moves > 0 && after.is_none() => {
            facts.push(Fact::MissesMate { moves: moves.unsigned_abs() });
        }
        _ => {}
    }
    // A table speaks where one of the two is decided without a mate; an opinion on the other side is none of its business.
    let table = |score: Score| score.is_decisive() && score.mate().is_none();
    if (table(played) || table(best)) && result(played) != result(best) && (table(best) || best.is_decisive()) {
        facts.push(Fact::Table { before: result(best), after: result(played) });
    }
    facts
}

/// What the lines show on the board.
fn on_the_board<R: Terms>(pos: &Position<R>, played: &Choice, best: &Choice, scale: Scale, facts: &mut Vec<Fact>) {
    let us = pos.side_to_move();
    let (bad, good) = (Line::new(pos, &played.line), Line::new(pos, &best.line));
    if bad.moves().is_empty() || good.moves().is_empty() {
        return;
    }
    facts.extend(perpetual(played.score, &bad, !us).then_some(Fact::AllowsPerpetual));
    facts.extend(perpetual(best.score, &good, us).then_some(Fact::MissesPerpetual));
    let quiet = facts.is_empty();
    // Who has taken on the same square has not missed that something can be taken there.
    let taken = bad.moves().first().filter(|mv| mv.is_capture()).map(|mv| mv.to());
    // Where the better move takes there and keeps it, what is taken is counted in neither line.
    let takes = good.moves().first().is_some_and(|mv| mv.is_capture() && Some(mv.to()) == taken);
    let behind = [&bad, &good].map(|line| Line::new(line.at(1), &line.moves()[1..]));
    let skipped = usize::from(takes && trade::gain(&behind[1], !us) < tactics::WON);
    let [bad_trades, good_trades] = if skipped == 1 { [&behind[0], &behind[1]] } else { [&bad, &good] };
    // What happens after the better move, too, is no reason.
    let anyhow = |line: &Line<R>, side| {
        let others = tactics(line, side);
        move |tactic: &Tactic| !others.iter().any(|other| other.is_same(tactic))
    };
    let against = tactics(bad_trades, !us).into_iter().filter(anyhow(good_trades, !us)).take(MOTIFS);
    facts.extend(against.map(|tactic| Fact::Against(Tactic { ply: tactic.ply + skipped, ..tactic })));
    // A mate that is seen to its end needs no count of what is taken on the way.
    let mates = |line: &Line<R>, side| line.moves().len() <= SHOWN && line.mates(side);
    let change = best.score.value().saturating_sub(played.score.value());
    let lost = trade::won(bad_trades, good_trades, !us, change).filter(|_| !mates(&bad, !us));
    let loses_by = lost.as_ref().map_or(0, |won| won.shown + skipped - 1);
    facts.extend(lost.map(|Won { trade, less, .. }| Fact::Loses { trade, less }));
    let missed = |tactic: &Tactic| {
        let loose = matches!(tactic.theme, Theme::HangingPiece | Theme::LosingExchange);
        !loose || Some(tactic.mv.to()) != taken
    };
    let chances = tactics(&good, us).into_iter().filter(missed).filter(anyhow(&bad, us));
    facts.extend(chances.take(MOTIFS).map(Fact::Missed));
    // What the better line wins is news only where the move played wins less.
    let won = trade::won(good_trades, bad_trades, us, change).filter(|_| !mates(&good, us));
    let wins_by = won.as_ref().map_or(0, |won| won.shown + skipped);
    facts.extend(won.map(|Won { trade, less, .. }| Fact::Forgoes { trade, less }));
    let quiet = quiet && facts.is_empty();
    if quiet {
        facts.extend(seen::gained(&bad, &good, !us).map(Fact::Allows));
        facts.extend(seen::gained(&good, &bad, us).map(Fact::Misses));
    }
    if quiet && let Some(terms::Difference { line, whose, change }) = terms::main_difference(&bad, &good, us) {
        facts.push(Fact::Term { variant: R::VARIANT, line, whose, own: whose == us, change });
    }
    // A line shows what was said of it.
    let said = |facts: &[Fact], ours: bool| {
        let of = |fact: &Fact| match fact {
            Fact::Missed(tactic) if ours => tactic.ply + 1,
            Fact::Against(tactic) if !ours => tactic.ply,
            _ => 0,
        };
        facts.iter().map(of).max().unwrap_or(0).max(SHOWN)
    };
    if bad.moves().len() > 1 {
        let most = said(facts, false).max(loses_by);
        facts.push(Fact::Refutation { text: bad.text(1, most) });
    }
    let points = |score: Score| scale.wdl(score).expectation();
    let most = said(facts, true).max(wins_by);
    facts.push(Fact::Keeps { text: good.text(0, most), points: (points(best.score), points(played.score)) });
}

/// Whether `side` does nothing but give checks in a line that the engine calls a draw, many of them or until a position comes again.
fn perpetual<R: Rules>(score: Score, line: &Line<R>, side: Color) -> bool {
    const CHECKS: usize = 4;
    const DRAWN: i32 = 12;
    let moves = line.moves().len();
    let again = (1..moves).any(|ply| line.at(ply).key() == line.last().key());
    score.value().abs() <= DRAWN
        && line.forced(side) == moves
        && line.plies_of(side).count() >= if again { CHECKS / 2 } else { CHECKS }
        && line.gain(side, moves) < tactics::WON
}

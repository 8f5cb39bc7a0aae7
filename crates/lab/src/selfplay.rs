//! The engine against itself: the one loop behind training games, positions to tune on, and SPSA.

use rukh_core::rng::Rng;
use rukh_core::{Color, Game, Move, Outcome, Rules};
use rukh_search::{Score, SearchResult};
use rukh_store::selfplay::SelfPlayResult;

/// When a game is called off. Numbers of plies are consecutive, scores are centipawns; a running Makruk count forbids it.
#[derive(Debug, Clone, Copy)]
pub struct Adjudication {
    /// Both sides agree that one is this far ahead…
    pub win_score: i32,
    /// …for so many plies.
    pub win_plies: usize,
    /// Both sides see no more than this…
    pub draw_score: i32,
    /// …for so many plies…
    pub draw_plies: usize,
    /// …and the game is at least this old.
    pub draw_from: usize,
    /// A game as long as this is a draw.
    pub max_plies: usize,
    /// A proven result ends the game.
    pub proven: bool,
}

/// One move with what the search thought of it.
#[derive(Debug, Clone, Copy)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// The score from White's view.
    pub value: i32,
    /// The result, if the game is called off after this move.
    pub ends: Option<SelfPlayResult>,
}

/// Scores in a row.
#[derive(Default)]
struct Streaks {
    /// Plies with a clear advantage, positive for White.
    won: i32,
    even: usize,
}

impl Streaks {
    /// Takes the score of a move after which `plies` have been made.
    fn see(&mut self, rules: &Adjudication, value: i32, counting: bool, plies: usize) -> Option<SelfPlayResult> {
        let side = if value > 0 { SelfPlayResult::WhiteWins } else { SelfPlayResult::BlackWins };
        if rules.proven && Score(value).is_decisive() {
            return Some(side);
        }
        self.won = match value {
            v if v >= rules.win_score && !counting => self.won.max(0) + 1,
            v if v <= -rules.win_score && !counting => self.won.min(0) - 1,
            _ => 0,
        };
        self.even = if value.abs() <= rules.draw_score && !counting { self.even + 1 } else { 0 };
        if self.won.unsigned_abs() as usize >= rules.win_plies {
            return Some(side);
        }
        (self.even >= rules.draw_plies && plies >= rules.draw_from).then_some(SelfPlayResult::Draw)
    }
}

/// Plays a game to its end by the rules or by adjudication. `think` searches for the side to move, or gives up the game
/// (`None`); `note` sees every move before it is made, and throws the game away by answering false.
pub fn play<R: Rules>(
    game: &mut Game<R>,
    rules: &Adjudication,
    mut think: impl FnMut(&Game<R>) -> Option<SearchResult>,
    mut note: impl FnMut(&Game<R>, &Ply) -> bool,
) -> Option<SelfPlayResult> {
    let mut streaks = Streaks::default();
    loop {
        match game.outcome() {
            Some(Outcome::Win(Color::White)) => return Some(SelfPlayResult::WhiteWins),
            Some(Outcome::Win(Color::Black)) => return Some(SelfPlayResult::BlackWins),
            Some(Outcome::Draw(_)) => return Some(SelfPlayResult::Draw),
            None if game.moves().len() >= rules.max_plies => return Some(SelfPlayResult::Draw),
            None => {}
        }
        let found = think(game)?;
        let Some(mv) = found.best else { return Some(SelfPlayResult::Draw) };
        let position = game.position();
        let white = position.side_to_move() == Color::White;
        let value = if white { found.score.0 } else { -found.score.0 };
        let ends = streaks.see(rules, value, position.count().is_some(), game.moves().len() + 1);
        if !note(game, &Ply { mv, value, ends }) {
            return None;
        }
        game.play(mv);
        if ends.is_some() {
            return ends;
        }
    }
}

/// The game after so many random legal moves; `None` if it is over then. The kind of piece is drawn first, then one of
/// its moves: drawn from all moves alike, most would be of pawns.
pub fn random_moves<R: Rules>(rng: &mut Rng, mut game: Game<R>, plies: usize) -> Option<Game<R>> {
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let mut kinds: Vec<_> = moves.iter().map(|mv| mv.piece().kind()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let kind = *kinds.get(rng.below(kinds.len().max(1)))?;
        let of_kind: Vec<Move> = moves.iter().copied().filter(|mv| mv.piece().kind() == kind).collect();
        game.play(of_kind[rng.below(of_kind.len())]);
    }
    game.outcome().is_none().then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rukh_core::{Chess, Position};

    const RULES: Adjudication = Adjudication {
        win_score: 1000,
        win_plies: 3,
        draw_score: 8,
        draw_plies: 2,
        draw_from: 6,
        max_plies: 7,
        proven: false,
    };

    /// Plays the first legal move, with these scores from White's view; the last one again and again.
    fn game(rules: &Adjudication, values: &[i32]) -> (Option<SelfPlayResult>, usize) {
        let mut game = Game::new(Position::<Chess>::startpos());
        let verdict = play(
            &mut game,
            rules,
            |game| {
                let value = *values.get(game.moves().len()).or(values.last())?;
                let white = game.position().side_to_move() == Color::White;
                let best = game.position().legal_moves().first().copied();
                let score = Score(if white { value } else { -value });
                Some(SearchResult { best, ponder: None, score, depth: 1, nodes: 1 })
            },
            |_, ply| ply.value != 77,
        );
        (verdict, game.moves().len())
    }

    #[test]
    fn games_are_called_off() {
        assert_eq!(game(&RULES, &[1200]), (Some(SelfPlayResult::WhiteWins), 3));
        assert_eq!(game(&RULES, &[-1200, -1200, 0, -1200]), (Some(SelfPlayResult::BlackWins), 6));
        assert_eq!(
            game(&RULES, &[1200, 1200, -1200]),
            (Some(SelfPlayResult::BlackWins), 5),
            "both must see the same winner"
        );
        assert_eq!(game(&RULES, &[5]), (Some(SelfPlayResult::Draw), 6));
        assert_eq!(game(&RULES, &[100]), (Some(SelfPlayResult::Draw), 7));
        assert_eq!(game(&RULES, &[100, 77]), (None, 1), "thrown away");
        assert_eq!(game(&RULES, &[]), (None, 0), "given up");
        let mate = Score::mate_in(3).0;
        assert_eq!(game(&Adjudication { proven: true, ..RULES }, &[50, -mate]), (Some(SelfPlayResult::BlackWins), 2));
    }

    #[test]
    fn openings_repeat_with_their_seed() {
        let start = Position::<Chess>::startpos();
        let moves = |seed| random_moves(&mut Rng::new(seed, 1), Game::new(start), 8).map(|game| game.moves().to_vec());
        assert_eq!(moves(3), moves(3));
        assert_ne!(moves(3), moves(4));
    }
}

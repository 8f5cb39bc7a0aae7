//! One self-play game.

use rukh_core::rng::Rng;
use rukh_core::{Color, Game, Move, Outcome, Position, Rules, Variant};
use rukh_eval::Evaluator;
use rukh_search::{Limits, RootPosition, Searcher, score as scores};
use rukh_store::selfplay::{SelfPlay, Verdict, score};

/// When a game is called off. Numbers of plies are consecutive.
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
    /// Openings whose first score is larger are thrown away.
    pub opening_score: i32,
}

impl Adjudication {
    pub fn of<R: Rules>() -> Adjudication {
        let chess = Adjudication {
            win_score: 1500,
            win_plies: 4,
            draw_score: 10,
            draw_plies: 12,
            draw_from: 80,
            max_plies: 400,
            opening_score: 500,
        };
        if R::VARIANT != Variant::Makruk {
            return chess;
        }
        // Makruk: won material is not yet a won game (the count), so the bars are higher.
        Adjudication { win_score: 2500, win_plies: 8, draw_score: 6, draw_plies: 24, draw_from: 160, ..chess }
    }
}

/// What a game cost.
#[derive(Default, Clone, Copy)]
pub struct Cost {
    pub nodes: u64,
    pub searches: u64,
    /// Positions that the default filter keeps.
    pub kept: u64,
}

/// Random legal moves from the start position, one ply more in every second game; `None` if the game ends in them.
fn random_opening<R: Rules>(rng: &mut Rng) -> Option<Game<R>> {
    let plies = 8 + rng.below(2);
    let mut game = Game::new(Position::<R>::startpos());
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let mv = *moves.get(rng.below(moves.len()))?;
        game.play(mv);
    }
    game.outcome().is_none().then_some(game)
}

/// Plays one game from a random opening that is not yet decided.
pub fn play<R: Rules, E: Evaluator<R>>(
    searcher: &mut Searcher<R, E>,
    limits: &Limits,
    rules: &Adjudication,
    rng: &mut Rng,
    cost: &mut Cost,
) -> SelfPlay {
    loop {
        let Some(mut game) = random_opening::<R>(rng) else { continue };
        let opening = game.moves().len();
        let mut list: Vec<i16> = Vec::with_capacity(160);
        let (mut won, mut even) = (0usize, 0usize);
        let mut ahead = None;
        let verdict = loop {
            if let Some(outcome) = game.outcome() {
                break match outcome {
                    Outcome::Win(Color::White) => Some(Verdict::WhiteWins),
                    Outcome::Win(Color::Black) => Some(Verdict::BlackWins),
                    Outcome::Draw(_) => Some(Verdict::Draw),
                };
            }
            if game.moves().len() >= rules.max_plies {
                break Some(Verdict::Draw);
            }
            let root = RootPosition { position: game.position(), keys: game.keys() };
            let result = searcher.search(root, limits, &mut |_| {});
            cost.nodes += result.nodes;
            cost.searches += 1;
            let Some(mv) = result.best else { break Some(Verdict::Draw) };
            let white = game.position().side_to_move() == Color::White;
            let value = if white { result.score.0 } else { -result.score.0 };
            let side = if value > 0 { Verdict::WhiteWins } else { Verdict::BlackWins };
            if list.is_empty() && value.abs() > rules.opening_score {
                break None;
            }
            if scores::is_decisive(value) {
                // A proven result: the rest of the game teaches nothing.
                list.push(if value > 0 { score::DECIDED as i16 } else { -score::DECIDED as i16 });
                game.play(mv);
                break Some(side);
            }
            list.push(score::quantise(value));
            cost.kept += u64::from(keeps(game.position(), mv));
            let counting = game.position().count().is_some();
            won = if value.abs() < rules.win_score || counting {
                0
            } else if ahead == Some(side) {
                won + 1
            } else {
                1
            };
            ahead = Some(side);
            even = if value.abs() <= rules.draw_score && !counting { even + 1 } else { 0 };
            game.play(mv);
            if won >= rules.win_plies {
                break Some(side);
            }
            if even >= rules.draw_plies && game.moves().len() >= rules.draw_from {
                break Some(Verdict::Draw);
            }
        };
        if let Some(verdict) = verdict {
            return SelfPlay { opening, moves: game.moves().to_vec(), scores: list, verdict };
        }
    }
}

fn keeps<R: Rules>(pos: &Position<R>, mv: Move) -> bool {
    mv.is_quiet() && !pos.in_check()
}

//! `why [rounds] [--quick]`: bitboards against the mailbox, operation by operation, and against a speed-minded 0x88 board, for
//! both games.

use std::hint::black_box;

use rukh_bench::x88::Board;
use rukh_bench::{Contest, KIWIPETE, arguments, compete};
use rukh_core::{Chess, Color, Makruk, MoveList, Position, Rules, Square, perft};
use rukh_mailbox as mailbox;

/// Positions per game, from random walks.
const SAMPLE: usize = 200;

fn main() -> Result<(), String> {
    let (rounds, less) = arguments(9)?;
    let chess = Pair::<Chess>::new(mailbox::Game::Chess)?;
    let makruk = Pair::<Makruk>::new(mailbox::Game::Makruk)?;
    let mut contests = chess.contests("chess", 5 - less);
    contests.extend(makruk.contests("Makruk", 5 - less));
    contests.push(race::<Chess>("chess, 0x88", "start", START, 5 - less)?);
    contests.push(race::<Chess>("chess, 0x88", "Kiwipete", KIWIPETE, 4 - less)?);
    contests.push(race::<Makruk>("Makruk, 0x88", "start", MAKRUK_START, 5 - less)?);
    contests.push(race::<Makruk>("Makruk, 0x88", "middle game", MAKRUK_MIDDLE, 4 - less)?);
    for verdict in compete(&contests, rounds)? {
        println!("{}", verdict.line());
    }
    Ok(())
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MAKRUK_START: &str = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
const MAKRUK_MIDDLE: &str = "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19";

/// Counting leaves, each as it does it best.
fn race<R: Rules>(group: &str, name: &str, fen: &str, depth: u32) -> Result<Contest<'static>, String> {
    let ours = Position::<R>::from_fen(fen).map_err(|error| error.to_string())?;
    let theirs = Board::from_fen(group.starts_with("Makruk"), fen).ok_or("no FEN")?;
    Ok(contest(
        group,
        &format!("perft {depth}, {name}"),
        Box::new(move || perft(black_box(&ours), depth)),
        Box::new(move || black_box(theirs.clone()).perft(depth)),
    ))
}

type Work<'a> = Box<dyn Fn() -> u64 + 'a>;

fn contest<'a>(group: &str, name: &str, ours: Work<'a>, theirs: Work<'a>) -> Contest<'a> {
    Contest { group: group.into(), name: name.into(), ours, theirs }
}

/// The same positions in both worlds, with their legal moves.
struct Pair<R: Rules> {
    ours: Vec<Position<R>>,
    our_moves: Vec<MoveList>,
    theirs: Vec<mailbox::Position>,
    their_moves: Vec<Vec<mailbox::Move>>,
}

impl<R: Rules> Pair<R> {
    /// Random walks from the start position; a fixed seed, so that every run measures the same.
    fn new(game: mailbox::Game) -> Result<Self, String> {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut ours = Vec::new();
        let mut position = Position::<R>::startpos();
        let mut plies = 0;
        while ours.len() < SAMPLE {
            let moves = position.legal_moves();
            if moves.is_empty() || plies > 120 {
                (position, plies) = (Position::startpos(), 0);
                continue;
            }
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            position = position.after_unchecked(moves[(seed % moves.len() as u64) as usize]);
            plies += 1;
            if plies % 5 == 0 {
                ours.push(position);
            }
        }
        let theirs = ours
            .iter()
            .map(|position| mailbox::Position::from_fen(game, &position.fen()).map_err(|error| error.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let our_moves = ours.iter().map(Position::legal_moves).collect();
        let their_moves = theirs.iter().map(mailbox::Position::moves).collect();
        Ok(Self { ours, our_moves, theirs, their_moves })
    }

    fn contests(&self, group: &str, depth: u32) -> Vec<Contest<'_>> {
        let start = Position::<R>::startpos();
        let their_start = mailbox::Position::startpos(self.theirs[0].game());
        vec![
            contest(
                group,
                "generate all legal moves",
                Box::new(|| self.generate()),
                Box::new(|| self.their_generate()),
            ),
            contest(group, "is this square attacked?", Box::new(|| self.attacks()), Box::new(|| self.their_attacks())),
            contest(
                group,
                "make a move (copied board / made and taken back)",
                Box::new(|| self.make()),
                Box::new(|| self.their_make()),
            ),
            contest(
                group,
                &format!("perft {depth} from the start"),
                Box::new(move || perft(black_box(&start), depth)),
                Box::new(move || black_box(&their_start).perft(depth)),
            ),
        ]
    }

    fn generate(&self) -> u64 {
        let mut list = MoveList::new();
        let mut moves = 0;
        for position in &self.ours {
            list.clear();
            black_box(position).generate_legal(&mut list);
            moves += black_box(&list).len() as u64;
        }
        moves
    }

    fn their_generate(&self) -> u64 {
        self.theirs.iter().map(|position| black_box(black_box(position).moves()).len() as u64).sum()
    }

    fn attacks(&self) -> u64 {
        let mut tests = 0;
        for position in &self.ours {
            for square in Square::all() {
                for by in Color::ALL {
                    black_box(black_box(position).is_attacked(square, by));
                    tests += 1;
                }
            }
        }
        tests
    }

    fn their_attacks(&self) -> u64 {
        let mut tests = 0;
        for position in &self.theirs {
            for spot in mailbox::Spot::all() {
                for by in [mailbox::Side::White, mailbox::Side::Black] {
                    black_box(black_box(position).is_attacked(spot, by));
                    tests += 1;
                }
            }
        }
        tests
    }

    fn make(&self) -> u64 {
        let mut made = 0;
        for (position, moves) in self.ours.iter().zip(&self.our_moves) {
            for &mv in moves.iter() {
                black_box(black_box(position).after_unchecked(mv));
                made += 1;
            }
        }
        made
    }

    fn their_make(&self) -> u64 {
        let mut made = 0;
        for (position, moves) in self.theirs.iter().zip(&self.their_moves) {
            let mut board = position.clone();
            for &mv in moves {
                let undo = black_box(&mut board).make(mv);
                black_box(&mut board).unmake(undo);
                made += 1;
            }
        }
        made
    }
}

//! Times of the position codes: `cargo bench -p rukh-code`, `cargo bench -p rukh-code -- many` for those with this word. Prints nanoseconds for each operation, the best of several
//! passes; beside them the time to write and to read a FEN.

use std::hint::black_box;
use std::time::Instant;

use rukh_code::{Codec, Coded, PositionCode};
use rukh_core::rng::Rng;
use rukh_core::{Chess, Makruk, Position};

/// Positions after every move of a pseudo-random game that prefers quiet, sensible-looking moves.
fn positions<R: Coded>(games: usize) -> Vec<Position<R>> {
    let mut random = Rng::new(1, 0);
    let mut all = Vec::new();
    for _ in 0..games {
        let mut pos = Position::<R>::startpos();
        for _ in 0..240 {
            all.push(pos);
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            let pick = random.below(moves.len());
            // Good captures are taken: men leave the board as in real games.
            let capture = moves.iter().find(|&&mv| mv.is_capture() && pos.see_ge(mv, 1));
            let mv = *capture.filter(|_| random.below(4) != 0).unwrap_or(&moves[pick]);
            pos = pos.after(mv);
        }
    }
    all
}

/// Nanoseconds for one call of `work`: the best of many short passes, for the machine may be busy.
fn time<T, U>(name: &str, inputs: &[T], mut work: impl FnMut(&T) -> U) {
    time_many(name, inputs, |part| part.iter().for_each(|input| drop(black_box(work(black_box(input))))));
}

/// The same for work on many inputs at once, too few to be worth a second thread.
fn time_many<T, U>(name: &str, inputs: &[T], mut work: impl FnMut(&[T]) -> U) {
    if std::env::args().nth(1).is_some_and(|wanted| !wanted.starts_with('-') && !name.contains(&wanted)) {
        return;
    }
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_millis() < 1500 {
        for part in inputs.chunks(200) {
            let start = Instant::now();
            black_box(work(black_box(part)));
            best = best.min(start.elapsed().as_nanos() as f64 / part.len() as f64);
        }
    }
    println!("{name:35} {best:9.1} ns   ({} positions)", inputs.len());
}

/// Times of Part B, with what was coded and its codes.
fn learned<R: Coded>(game: &str, codec: &Codec<R>) -> (Vec<Position<R>>, Vec<PositionCode>) {
    let fits = |pos: &Position<R>| !codec.is_exact(pos) && codec.encode(pos).is_ok();
    let many: Vec<_> = positions::<R>(200).into_iter().filter(fits).take(2000).collect();
    let codes: Vec<_> = many.iter().filter_map(|pos| codec.encode(pos).ok()).collect();
    time(&format!("{game}Part B encode"), &many, |pos| codec.encode(pos));
    time(&format!("{game}Part B decode"), &codes, |&code| codec.decode(code));
    time_many(&format!("{game}Part B encode, many at once"), &many, |part| codec.encode_many(part));
    time_many(&format!("{game}Part B decode, many at once"), &codes, |part| codec.decode_many(part));
    (many, codes)
}

fn main() {
    let codec = Codec::chess();
    let few: Vec<_> = positions::<Chess>(200).into_iter().filter(|pos| codec.is_exact(pos)).take(4000).collect();
    let few_codes: Vec<_> = few.iter().filter_map(|pos| codec.encode(pos).ok()).collect();
    time("Part A encode", &few, |pos| codec.encode(pos));
    time("Part A decode", &few_codes, |&code| codec.decode(code));
    let (many, many_codes) = learned("", codec);
    learned("Makruk, ", Codec::<Makruk>::makruk());
    time("FEN write", &many, Position::fen);
    let fens: Vec<String> = many.iter().map(Position::fen).collect();
    time("FEN read", &fens, |fen| Position::<Chess>::from_fen(fen));
    let few_fens: Vec<String> = few.iter().map(Position::fen).collect();
    time("FEN write, few men", &few, Position::fen);
    time("FEN read, few men", &few_fens, |fen| Position::<Chess>::from_fen(fen));
    let texts: Vec<String> = many_codes.iter().map(PositionCode::to_string).collect();
    time("text write", &many_codes, PositionCode::to_string);
    time("text read", &texts, |text| text.parse::<PositionCode>());
}

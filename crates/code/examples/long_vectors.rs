//! Rows of `tests/data/vectors.tsv` and `long.tsv` from lines `variant <tab> FEN` on standard input.
use rukh_code::{AnyCode, Codec, Coded};
use rukh_core::Position;

fn row<R: Coded>(codec: &Codec<R>, variant: &str, fen: &str) {
    let pos = Position::<R>::from_fen(fen).expect(fen);
    let number = match codec.encode_any(&pos).expect(fen) {
        AnyCode::Long(code) => code.number(),
        AnyCode::Short(code) => code.raw().to_string(),
    };
    println!("{variant}\t{fen}\t{number}\t{}", codec.text(codec.extended(&pos, 0).expect(fen)));
}

fn main() {
    for line in std::io::stdin().lines() {
        let line = line.expect("text");
        let Some((variant, fen)) = line.split_once('\t') else { continue };
        match variant {
            "chess" => row(Codec::chess(), variant, fen),
            "Chess960" => row(Codec::chess960(), variant, fen),
            _ => row(Codec::makruk(), variant, fen),
        }
    }
}

//! Scores on a scale that is fine near zero and coarse far out: about 2 centipawns near 0, 2 % at 10 pawns.

/// Stored for a proven win (White's view); its negative for a proven loss.
pub const DECIDED: i32 = 340;
/// The largest size of an ordinary score.
const LIMIT: i32 = 330;

/// Quantises centipawns: `round(60 · asinh(cp / 120))`.
pub fn quantise(cp: i32) -> i16 {
    // The only floating-point step of writing; it decides what is stored, not how it is read.
    let q = (60.0 * (f64::from(cp) / 120.0).asinh()).round() as i32;
    q.clamp(-LIMIT, LIMIT) as i16
}

/// Back to centipawns; `None` for a proven result.
pub fn centipawns(q: i16) -> Option<i32> {
    (i32::from(q).abs() <= LIMIT).then(|| (120.0 * (f64::from(q) / 60.0).sinh()).round() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantisation_is_fine_enough() {
        for cp in -9_999..=9_999 {
            let back = centipawns(quantise(cp)).unwrap();
            assert!((back - cp).abs() <= 1 + cp.abs() / 100, "{cp} became {back}");
        }
        assert_eq!(centipawns(DECIDED as i16), None);
        assert_eq!(quantise(0), 0);
    }
}

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

/// Centipawns per unit of log-odds in [`look_ahead`]; what matters is only that large scores count alike.
const CHANCE: f64 = 230.0;

/// Lets every score see the game's future: its chance becomes (1 − `share`) times itself plus `share` times the new
/// chance one ply later. What the next moves brought to light is knowledge that a shallow search lacked.
pub fn look_ahead(scores: &mut [i16], share: f64) {
    let mut next = None;
    for score in scores.iter_mut().rev() {
        let Some(cp) = centipawns(*score) else {
            // Proven: certain, and left as it is.
            next = Some(if *score > 0 { 1.0 } else { 0.0 });
            continue;
        };
        let chance = 1.0 / (1.0 + (-f64::from(cp) / CHANCE).exp());
        let mixed = next.map_or(chance, |next: f64| chance + share * (next - chance));
        next = Some(mixed);
        let safe = mixed.clamp(1e-9, 1.0 - 1e-9);
        *score = quantise((CHANCE * (safe / (1.0 - safe)).ln()).round() as i32);
    }
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

    #[test]
    fn the_future_is_seen() {
        let cp = |scores: &[i16]| -> Vec<i32> { scores.iter().map(|&q| centipawns(q).unwrap_or(99_999)).collect() };
        let mut scores: Vec<i16> = [0, 0, 0, 300].map(quantise).to_vec();
        look_ahead(&mut scores, 0.0);
        assert_eq!(scores, [0, 0, 0, 300].map(quantise));
        look_ahead(&mut scores, 0.5);
        let seen = cp(&scores);
        assert!(seen[0] > 10 && seen[0] < seen[1] && seen[1] < seen[2] && seen[2] < 150, "{seen:?}");
        assert_eq!(seen[3], centipawns(quantise(300)).unwrap());
        // A proven end pulls at what led to it and stays proven.
        let mut scores = vec![quantise(0), quantise(0), -DECIDED as i16];
        look_ahead(&mut scores, 0.5);
        assert_eq!(scores[2], -DECIDED as i16);
        assert!(scores[1] < scores[0] && scores[0] < 0, "{scores:?}");
    }
}

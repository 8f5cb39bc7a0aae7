//! What scores mean to people: winning chances, accuracy, judgements, levels of strength.

use crate::spec::variant;
use rukh_core::{Color, Variant};
use rukh_engine::{ELO_RANGE, Judgement, Scale, Score, Wdl, accuracy};
use rukh_json::{Json, Out, object};

/// A page's evaluation as the engine's own score, where nothing is known of the position.
pub(crate) fn score(evaluation: &Json, variant: Variant) -> Option<Score> {
    score_by(evaluation, Scale::typical(variant))
}

/// The same where the men on the board are known: what a pawn is shown for depends on them in Makruk.
pub(crate) fn score_by(evaluation: &Json, scale: Scale) -> Option<Score> {
    let field = |name: &str| evaluation.get(name).and_then(Json::number);
    score_of(field("cp"), field("mate"), scale)
}

/// The same from its parts; a mate counts more than centipawns.
pub(crate) fn score_of(cp: Option<f64>, mate: Option<f64>, scale: Scale) -> Option<Score> {
    if let Some(mate) = mate {
        let plies = (2.0 * mate.abs() - f64::from(u8::from(mate > 0.0))).clamp(0.0, 200.0) as usize;
        return Some(if mate > 0.0 { Score::mate_in(plies) } else { Score::mated_in(plies) });
    }
    let cp = cp?.clamp(-20_000.0, 20_000.0);
    // The inverse of the normalisation, whose unit is what 10000 internal points come to.
    let unit = f64::from(scale.centipawns(Score(10_000))) / 10_000.0;
    Some(Score((cp / unit).round().clamp(-9_999.0, 9_999.0) as i32))
}

/// `chances`
pub(crate) fn chances(question: &Json) -> Result<String, String> {
    let variant = variant(question)?;
    let score = question.get("score").and_then(|s| score(s, variant)).ok_or("`score` must have `cp` or `mate`")?;
    let wdl = Wdl::of(score, variant);
    Ok(object(|out| {
        out.num("win", wdl.win);
        out.num("draw", wdl.draw);
        out.num("loss", wdl.loss);
        out.tenths("expectation", wdl.expectation());
    }))
}

struct Judged {
    before: f64,
    after: f64,
    loss: f64,
}

/// `review`: a game judged move by move.
pub(crate) fn review(question: &Json) -> Result<String, String> {
    let variant = variant(question)?;
    let first = if question.str("first") == Some("black") { Color::Black } else { Color::White };
    let points: Vec<Option<f64>> = question
        .get("evaluations")
        .ok_or("the question has no `evaluations`")?
        .list()
        .iter()
        .map(|e| score(e, variant).map(|s| Wdl::of(s, variant).expectation()))
        .collect();
    let mut moves = Vec::new();
    for (i, pair) in points.windows(2).enumerate() {
        let mover = if i % 2 == 0 { first } else { !first };
        let view = |white: f64| if mover == Color::White { white } else { 100.0 - white };
        moves.push((
            mover,
            pair[0].zip(pair[1]).map(|(before, after)| {
                let (before, after) = (view(before), view(after));
                Judged { before, after, loss: (before - after).max(0.0) }
            }),
        ));
    }
    Ok(object(|out| {
        out.list("moves", |out| {
            for (_, judged) in &moves {
                out.item_obj(|out| one(out, judged.as_ref()));
            }
        });
        for (name, color) in [("white", Color::White), ("black", Color::Black)] {
            let own: Vec<(usize, &Judged)> = moves
                .iter()
                .enumerate()
                .filter(|(_, (mover, _))| *mover == color)
                .filter_map(|(i, (_, judged))| Some((i, judged.as_ref()?)))
                .collect();
            out.obj(name, |out| {
                match game_accuracy(&own, &points) {
                    Some(accuracy) => out.tenths("accuracy", accuracy),
                    None => out.null("accuracy"),
                }
                for (plural, kind) in ["inaccuracies", "mistakes", "blunders"].into_iter().zip(Judgement::ALL) {
                    out.num(plural, own.iter().filter(|(_, j)| Judgement::of(j.loss) == Some(kind)).count());
                }
            });
        }
    }))
}

fn one(out: &mut Out<'_>, judged: Option<&Judged>) {
    // A move between unknown evaluations is not judged.
    let &Judged { before, after, loss } = judged.unwrap_or(&Judged { before: 50.0, after: 50.0, loss: 0.0 });
    out.tenths("before", before);
    out.tenths("after", after);
    out.tenths("loss", loss);
    out.tenths("accuracy", accuracy(loss));
    out.opt("judgement", Judgement::of(loss).map(Judgement::name));
}

/// The mean of a mean that weighs sharp phases more and a harmonic mean that weighs bad moves more.
fn game_accuracy(own: &[(usize, &Judged)], points: &[Option<f64>]) -> Option<f64> {
    if own.is_empty() {
        return None;
    }
    let window = (points.len() / 10).clamp(2, 8);
    let (mut sum, mut weights, mut harmonic) = (0.0, 0.0, 0.0);
    for (i, judged) in own {
        let near: Vec<f64> = points[i.saturating_sub(window / 2)..(i + 2 + window / 2).min(points.len())]
            .iter()
            .copied()
            .flatten()
            .collect();
        let mean = near.iter().sum::<f64>() / near.len().max(1) as f64;
        let spread = (near.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / near.len().max(1) as f64).sqrt();
        let weight = spread.clamp(0.5, 12.0);
        let accuracy = accuracy(judged.loss);
        sum += weight * accuracy;
        weights += weight;
        harmonic += 1.0 / accuracy.max(1.0);
    }
    Some((sum / weights + own.len() as f64 / harmonic) / 2.0)
}

const LEVELS: i64 = 12;

/// `levels`: even steps of rating, then full strength.
pub(crate) fn levels() -> String {
    const NAMES: [&str; LEVELS as usize] = [
        "Beginner", "Novice", "Learner", "Casual", "Improver", "Club", "Strong club", "Tournament", "Expert",
        "Candidate", "Master", "Grandmaster",
    ];
    let (low, high) = (*ELO_RANGE.start(), *ELO_RANGE.end());
    object(|out| {
        out.list("levels", |out| {
            for (i, name) in NAMES.iter().enumerate() {
                out.item_obj(|out| {
                    out.num("level", i + 1);
                    out.num("elo", low + (high - low) * i as i64 / (LEVELS - 1));
                    out.str("name", name);
                });
            }
            out.item_obj(|out| {
                out.num("level", LEVELS + 1);
                out.null("elo");
                out.str("name", "Full strength");
            });
        });
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_the_normalisation() {
        // A centipawn of Makruk is more than six points of the evaluation: as many fall together, and no more.
        for (variant, most) in [(Variant::Chess, 1), (Variant::Makruk, 4)] {
            for internal in (-3000..3000).step_by(37) {
                let cp = Scale::typical(variant).centipawns(Score(internal));
                let back = score(&Json::parse(&format!("{{\"cp\":{cp}}}")).unwrap(), variant).unwrap();
                assert!((back.value() - internal).abs() <= most, "{internal} {cp} {}", back.value());
                let points = |score| Wdl::of(score, variant).expectation();
                assert!((points(back) - points(Score(internal))).abs() < 0.5, "{internal} {cp}");
            }
        }
        let mate = |text| score(&Json::parse(text).unwrap(), Variant::Chess).unwrap();
        assert_eq!(mate("{\"mate\":3}").mate(), Some(3));
        assert_eq!(mate("{\"mate\":-2}").mate(), Some(-2));
    }
}

//! The results for other programs.

use super::limits::Limits;
use super::results::{Duel, Results, Standing};
use super::runner::Plan;
use super::stats::{Sprt, Tally, Verdict};

/// A JSON value, written with fields in the order given.
pub enum Json {
    /// Null where it is not finite.
    Number(f64),
    /// Escaped when written.
    Text(String),
    /// `true` or `false`.
    Bool(bool),
    /// In brackets.
    List(Vec<Json>),
    /// In braces.
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    fn int(value: u64) -> Self {
        Self::Number(value as f64)
    }

    fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }

    fn optional(value: Option<f64>) -> Self {
        Self::Number(value.unwrap_or(f64::NAN))
    }
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // JSON has no infinity.
            Self::Number(value) if !value.is_finite() => f.write_str("null"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Text(text) => {
                f.write_str("\"")?;
                for c in text.chars() {
                    match c {
                        '"' | '\\' => write!(f, "\\{c}")?,
                        c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
                        c => write!(f, "{c}")?,
                    }
                }
                f.write_str("\"")
            }
            Self::List(values) => {
                f.write_str("[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}\"{name}\": {value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

/// The whole match. `finished` is false when it was interrupted.
pub fn report(plan: &Plan, results: &Results, sprt: Option<&Sprt>, seed: u64, seconds: f64, finished: bool) -> Json {
    Json::Object(vec![
        ("variant", Json::text(plan.variant.name())),
        ("finished", Json::Bool(finished)),
        ("games", Json::int(results.games as u64)),
        ("seconds", Json::Number((seconds * 10.0).round() / 10.0)),
        ("seed", Json::text(seed.to_string())),
        ("failures", Json::int(results.failures())),
        (
            "engines",
            Json::List(
                results
                    .engines
                    .iter()
                    .zip(&plan.engines)
                    .map(|(engine, spec)| standing(engine, &spec.limits))
                    .collect(),
            ),
        ),
        ("pairings", Json::List(results.duels.iter().map(|duel| pairing(results, duel, sprt)).collect())),
        (
            "endings",
            Json::List(
                results
                    .endings
                    .iter()
                    .map(|(kind, count)| {
                        Json::Object(vec![("kind", Json::text(kind.as_str())), ("games", Json::int(*count))])
                    })
                    .collect(),
            ),
        ),
    ])
}

fn tally(games: Tally) -> Vec<(&'static str, Json)> {
    vec![("wins", Json::int(games.wins)), ("draws", Json::int(games.draws)), ("losses", Json::int(games.losses))]
}

fn standing(engine: &Standing, limits: &Limits) -> Json {
    let failures = engine.failures;
    let mut fields = vec![("name", Json::text(engine.name.as_str())), ("limits", Json::text(limits.to_string()))];
    fields.extend(tally(engine.total()));
    fields.extend([
        ("white", Json::Object(tally(engine.white))),
        ("black", Json::Object(tally(engine.black))),
        ("time_losses", Json::int(failures.time)),
        ("crashes", Json::int(failures.crashes)),
        ("hangs", Json::int(failures.hangs)),
        ("illegal_moves", Json::int(failures.illegal)),
        ("start_failures", Json::int(failures.starts)),
        ("mean_depth", Json::optional(engine.effort.depth())),
        ("nps", Json::optional(engine.effort.speed().map(f64::round))),
        ("ms_per_move", Json::optional(engine.effort.milliseconds())),
    ]);
    Json::Object(fields)
}

fn pairing(results: &Results, duel: &Duel, sprt: Option<&Sprt>) -> Json {
    let name = |engine: usize| Json::text(results.engines[engine].name.as_str());
    let mut fields = vec![("first", name(duel.engines.0)), ("second", name(duel.engines.1))];
    fields.extend(tally(duel.games));
    fields.push(("pentanomial", Json::List(duel.pairs.0.map(Json::int).into())));
    if let Some(e) = duel.estimate() {
        fields.extend([
            ("score", Json::Number(duel.games.score())),
            ("elo", Json::Number(e.elo)),
            ("elo_low", Json::Number(e.interval.0)),
            ("elo_high", Json::Number(e.interval.1)),
            ("nelo", Json::Number(e.nelo)),
            ("los", Json::Number(e.los)),
        ]);
    }
    if let Some(sprt) = sprt {
        let (low, high) = sprt.bounds();
        let verdict = match sprt.verdict(duel.pairs) {
            Verdict::Open => "open",
            Verdict::AcceptH0 => "H0",
            Verdict::AcceptH1 => "H1",
        };
        fields.push((
            "sprt",
            Json::Object(vec![
                ("elo0", Json::Number(sprt.elo0)),
                ("elo1", Json::Number(sprt.elo1)),
                ("llr", Json::Number(sprt.llr(duel.pairs))),
                ("low", Json::Number(low)),
                ("high", Json::Number(high)),
                ("verdict", Json::text(verdict)),
            ]),
        ));
    }
    Json::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let json = Json::Object(vec![
            ("a", Json::List(vec![Json::int(3), Json::Number(0.5), Json::Number(f64::INFINITY)])),
            ("b", Json::text("say \"hi\"\\\n")),
            ("c", Json::Bool(true)),
        ]);
        assert_eq!(json.to_string(), r#"{"a": [3, 0.5, null], "b": "say \"hi\"\\\u000a", "c": true}"#);
    }
}

//! Search speed against Stockfish, each by its own `bench`.

use super::median;
use crate::prepare;
use crate::shell::{self, Result, capture, cargo, command, target_dir, which};

/// Nodes per second of `rukh bench` and `stockfish bench`, taken in turn.
pub fn against_stockfish(quick: bool) -> Result<std::result::Result<String, String>> {
    if !prepare::program("stockfish", "stockfish") {
        return Ok(Err("stockfish is not installed".into()));
    }
    let stockfish = which("stockfish").ok_or("stockfish is not installed")?;
    shell::run(cargo().args(["build", "--release", "--quiet", "--package", "rukh"]))?;
    let rukh = target_dir().join("release/rukh");
    if capture(command(&rukh).args(["help", "bench"])).is_err() {
        return Ok(Err("this build has no bench command".into()));
    }
    let mut theirs = Vec::new();
    let mut rows = [("network", vec!["bench"]), ("classical", vec!["bench", "--classical"])]
        .map(|(name, words)| (name, words, Vec::new(), Vec::new()));
    let rounds = if quick { 1 } else { 5 };
    for _ in 0..rounds {
        // Stockfish prints its figures on stderr.
        let (_, err) = capture(command(&stockfish).arg("bench"))?;
        let their = err
            .lines()
            .find_map(|line| line.strip_prefix("Nodes/second")?.trim_start_matches([' ', ':']).parse::<f64>().ok())
            .ok_or("'stockfish bench' does not tell its nodes per second")?;
        theirs.push(their / 1e6);
        for (_, words, ours, ratios) in &mut rows {
            let (out, _) = capture(command(&rukh).args(&*words))?;
            let our = nodes_and_nps(&out).ok_or("'rukh bench' does not end with '<n> nodes <m> nps'")?.1 as f64;
            ours.push(our / 1e6);
            ratios.push(our / their);
        }
    }
    let their = median(theirs);
    let lines: Vec<String> = rows
        .into_iter()
        .map(|(name, _, ours, ratios)| format!("| {name} | {:.2} | {their:.2} | {:.2} |", median(ours), median(ratios)))
        .collect();
    Ok(Ok(format!(
        "## Search speed against Stockfish 15.1\n\n\
         `rukh bench`, with its networks and with the classical evaluation, and `stockfish bench` (Debian's package) in turn, one \
         thread, million nodes per second of wall time; median of {rounds} rounds. Nodes of two engines are not the same thing: \
         this is a scale, not a contest.\n\n\
         | evaluation | rukh | stockfish | ratio |\n| --- | ---: | ---: | ---: |\n{}\n",
        lines.join("\n")
    )))
}

/// The last `<n> nodes <m> nps` line of `rukh bench`.
pub fn nodes_and_nps(out: &str) -> Option<(u64, u64)> {
    out.lines().rev().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = |unit: &str| {
            let at = words.iter().position(|word| *word == unit)?;
            words.get(at.checked_sub(1)?)?.parse().ok()
        };
        Some((before("nodes")?, before("nps")?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_bench_lines() {
        assert_eq!(nodes_and_nps("…\n4711 nodes 1300000 nps\n"), Some((4711, 1_300_000)));
        assert_eq!(nodes_and_nps("nodes\n"), None);
    }
}

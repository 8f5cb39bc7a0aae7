//! Games as PGN, with evaluation, depth, time and nodes of every move as a comment: `{+0.35/12 0.453s, n=5000}`.

use std::io;
use std::time::{Duration, SystemTime};

use rukh_core::{AnyPosition, Variant, dispatch};
use rukh_pgn::{GameResult, GameTree, NodeId, PgnWriter, date_and_clock};

use super::game::{Cause, Record};
use super::uci::SearchInfo;

/// Tags that the runner knows and the game does not.
#[derive(Debug, Clone)]
pub struct Tags<'a> {
    /// Name of the match.
    pub event: &'a str,
    /// Number of the pair and of the game in it.
    pub round: String,
    /// The name of White.
    pub white: &'a str,
    /// The name of Black.
    pub black: &'a str,
    /// The rules.
    pub variant: Variant,
    /// The limits of both sides.
    pub limits: [String; 2],
    /// Class and name of the opening, where it has one.
    pub opening: Option<(String, String)>,
    /// When the game ended.
    pub time: SystemTime,
}

/// The whole game as PGN text, with the empty line that ends it.
pub fn render(record: &Record, tags: &Tags<'_>) -> io::Result<String> {
    let mut writer = PgnWriter::standard(Vec::new());
    writer.write_tree(&tree(record, tags).map_err(io::Error::other)?)?;
    Ok(String::from_utf8_lossy(&writer.finish()?).into_owned() + "\n")
}

fn tree(record: &Record, tags: &Tags<'_>) -> Result<GameTree, String> {
    let variant = tags.variant;
    let start = match &record.fen {
        Some(fen) => AnyPosition::from_fen(variant, fen).map_err(|error| error.to_string())?,
        None => AnyPosition::new(variant),
    };
    let mut tree = GameTree::new(start);
    let (mut at, last) = (NodeId::ROOT, record.plies.len());
    let moves = dispatch!(type R of variant => record.replay::<R>().map(|(_, moves)| moves))?;
    for (number, (ply, mv)) in (1..).zip(record.plies.iter().zip(moves)) {
        at = tree.add(at, mv);
        let mut said = ply.search.as_ref().map_or("book".to_owned(), |(info, used)| comment(info, *used));
        // One comment at the end of the game: what the last move was worth, and why it was the last.
        if number == last {
            said = format!("{said}, {}", record.ending.text);
        }
        tree.node_mut(at).comments.push(said);
    }
    if record.plies.is_empty() {
        tree.node_mut(at).comments.push(record.ending.text.clone());
    }
    tree.result = GameResult::from_tag(record.ending.result().as_bytes());
    let mut tag = |name: &str, value: &str| tree.tags.set(name, &value.replace(|c: char| c.is_control(), " "));
    let (date, clock) = date_and_clock(tags.time);
    tag("Event", tags.event);
    tag("Date", &date);
    tag("Round", &tags.round);
    tag("White", tags.white);
    tag("Black", tags.black);
    if variant != Variant::Chess {
        tag("Variant", variant.title());
    }
    if let Some(fen) = &record.fen {
        tag("FEN", fen);
    }
    if let Some((eco, name)) = &tags.opening {
        tag("ECO", eco);
        tag("Opening", name);
    }
    tag("UTCDate", &date);
    tag("UTCTime", &clock);
    if tags.limits[0] == tags.limits[1] {
        tag("TimeControl", &tags.limits[0]);
    } else {
        tag("WhiteTimeControl", &tags.limits[0]);
        tag("BlackTimeControl", &tags.limits[1]);
    }
    tag("PlyCount", &last.to_string());
    tag("Termination", termination(record.ending.cause));
    Ok(tree)
}

fn termination(cause: Cause) -> &'static str {
    match cause {
        Cause::Rules => "normal",
        Cause::Adjudication => "adjudication",
        Cause::Time => "time forfeit",
        Cause::Illegal => "rules infraction",
        Cause::Crash | Cause::Hang | Cause::Start => "abandoned",
    }
}

/// `+0.35/12 0.453s, n=5000`, as far as the engine said it.
fn comment(info: &SearchInfo, used: Duration) -> String {
    let seconds = used.as_secs_f64();
    let nodes = info.nodes.map_or(String::new(), |nodes| format!(", n={nodes}"));
    match (info.score, info.depth) {
        (Some(score), Some(depth)) => format!("{score}/{depth} {seconds:.3}s{nodes}"),
        (Some(score), None) => format!("{score} {seconds:.3}s{nodes}"),
        _ => format!("{seconds:.3}s{nodes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Ending, Ply};
    use crate::uci::Score;
    use rukh_core::Color;

    fn ply(san: &str, score: Option<Score>) -> Ply {
        let info = SearchInfo { depth: score.map(|_| 7), score, nodes: score.map(|_| 900) };
        Ply { san: san.to_owned(), search: Some((info, Duration::from_millis(125))) }
    }

    fn tags() -> Tags<'static> {
        Tags {
            event: "test",
            round: "3.1".to_owned(),
            white: "a \"x\" \\",
            black: "b",
            variant: Variant::Chess,
            limits: ["8+0.08".to_owned(), "8+0.08".to_owned()],
            opening: Some(("C60".to_owned(), "Ruy Lopez".to_owned())),
            time: SystemTime::UNIX_EPOCH + Duration::from_secs(1_794_716_700),
        }
    }

    #[test]
    fn a_whole_game() {
        let record = Record {
            fen: Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 9".to_owned()),
            first_move: 9,
            first_color: Color::Black,
            plies: vec![
                Ply { san: "e5".to_owned(), search: None },
                ply("Nf3", Some(Score::Cp(-35))),
                ply("f6", None),
                ply("Bb5", Some(Score::Mate(4))),
            ],
            duration: Duration::from_secs(1),
            ending: Ending { winner: Some(Color::White), cause: Cause::Rules, text: "White wins".to_owned() },
        };
        let text = render(&record, &tags()).unwrap();
        for line in [
            "[White \"a \\\"x\\\" \\\\\"]",
            "[Date \"2026.11.15\"]",
            "[UTCTime \"04:25:00\"]",
            "[Round \"3.1\"]",
            "[Result \"1-0\"]",
            "[SetUp \"1\"]",
            "[TimeControl \"8+0.08\"]",
            "[Termination \"normal\"]",
            "[ECO \"C60\"]",
            "[Opening \"Ruy Lopez\"]",
            "9... e5 {book} 10. Nf3 {-0.35/7 0.125s, n=900} 10... f6 {0.125s} 11. Bb5 {+M4/7",
            "0.125s, n=900, White wins} 1-0",
        ] {
            assert!(text.lines().any(|have| have == line), "no line '{line}' in\n{text}");
        }
        assert!(text.ends_with("1-0\n\n"));
        assert!(text.lines().all(|line| line.len() <= 80));
    }

    #[test]
    fn nothing_an_engine_says_breaks_the_file() {
        let text = "crashed (exit status: 1: } 1-0 {)";
        let record = Record {
            fen: None,
            first_move: 1,
            first_color: Color::White,
            plies: vec![],
            duration: Duration::ZERO,
            ending: Ending::failure(Color::White, Cause::Crash, text),
        };
        let limits = ["1".to_owned(), "2".to_owned()];
        let pgn = render(&record, &Tags { white: "a\nb", limits, ..tags() }).unwrap();
        assert_eq!(pgn.matches('}').count(), 1);
        assert!(pgn.contains("[White \"a b\"]") && pgn.contains("[BlackTimeControl \"2\"]"));
    }
}

//! Games as PGN, with evaluation, depth, time and nodes of every move as a comment: `{+0.35/12 0.453s, n=5000}`.

use std::time::{Duration, SystemTime};

use rukh_core::{Color, Variant};
use rukh_pgn::date_and_clock;

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

/// Lines are at most this long.
const WIDTH: usize = 79;

/// The whole game as PGN text, with the empty line that ends it.
pub fn render(record: &Record, tags: &Tags<'_>) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        text += &format!("[{name} \"{value}\"]\n");
    };
    let (date, clock) = date_and_clock(tags.time);
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", &date);
    tag("Round", &tags.round);
    tag("White", tags.white);
    tag("Black", tags.black);
    tag("Result", record.ending.result());
    if tags.variant != Variant::Chess {
        tag("Variant", tags.variant.title());
    }
    if let Some(fen) = &record.fen {
        tag("SetUp", "1");
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
    tag("PlyCount", &record.plies.len().to_string());
    tag("Termination", termination(record.ending.cause));
    text.push('\n');
    movetext(record, &mut text);
    text.push('\n');
    text
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

fn movetext(record: &Record, text: &mut String) {
    let mut words = Vec::new();
    // A comment ends at the first brace.
    let reason = record.ending.text.replace(['{', '}'], "|");
    let mut number = record.first_move;
    let mut color = record.first_color;
    for (index, ply) in record.plies.iter().enumerate() {
        words.push(match color {
            Color::White => format!("{number}. {}", ply.san),
            Color::Black if index == 0 => format!("{number}... {}", ply.san),
            Color::Black => ply.san.clone(),
        });
        let mut said = match &ply.search {
            Some((info, used)) => comment(info, *used),
            None => "book".to_owned(),
        };
        // One comment at the end of the game: what the last move was worth, and why it was the last.
        if index + 1 == record.plies.len() {
            said = format!("{said}, {reason}");
        }
        words.extend(format!("{{{said}}}").split_whitespace().map(str::to_owned));
        number += u32::from(color == Color::Black);
        color = !color;
    }
    if record.plies.is_empty() {
        words.extend(format!("{{{reason}}}").split_whitespace().map(str::to_owned));
    }
    words.push(record.ending.result().to_owned());
    let mut width = 0;
    for word in words {
        let length = word.chars().count();
        if width > 0 {
            let fits = width + 1 + length <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        *text += &word;
        width += length;
    }
    text.push('\n');
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
            fen: Some("8/8/8/8/8/8/8/8 b - - 0 9".to_owned()),
            first_move: 9,
            first_color: Color::Black,
            plies: vec![
                Ply { san: "e5".to_owned(), search: None },
                ply("Nf3", Some(Score::Cp(-35))),
                ply("Nc6", None),
                ply("Bb5#", Some(Score::Mate(1))),
            ],
            duration: Duration::from_secs(1),
            ending: Ending { winner: Some(Color::White), cause: Cause::Rules, text: "White mates".to_owned() },
        };
        let text = render(&record, &tags());
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
            "9... e5 {book} 10. Nf3 {-0.35/7 0.125s, n=900} Nc6 {0.125s} 11. Bb5# {+M1/7",
            "0.125s, n=900, White mates} 1-0",
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
        let pgn = render(&record, &Tags { white: "a\nb", limits: ["1".to_owned(), "2".to_owned()], ..tags() });
        assert_eq!(pgn.matches('{').count(), 1);
        assert_eq!(pgn.matches('}').count(), 1);
        assert!(pgn.contains("[White \"a b\"]") && pgn.contains("[BlackTimeControl \"2\"]"));
    }
}

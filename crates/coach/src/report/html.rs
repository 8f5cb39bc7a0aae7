//! The report as a page without anything else: no script, no request.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rukh_core::{AnyPosition, Color, Move, Square, Variant};
use rukh_svg::{Look, picture, symbols};

use super::plot::{Row, bars, dots};
use super::{Most, escaped, openings, score_sheet, sentence};
use crate::gaps::{Gap, GapKind};
use crate::insights::{Grouping, Held, Insights, Met, Mistake, Tally, WINNING};
use crate::reasons::percent;
use crate::review::Reviewed;

const BEGIN: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
                     <meta name=\"viewport\" content=\"width=device-width\"><title>";
const TITLE: &str = ": games explained</title>";
const STYLE: &str = include_str!("report.css");
/// Rows of a plot.
const ROWS: usize = 14;

/// Whether a file begins as a report does; another one is somebody's own.
pub fn is_report(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(1 << 16).read_to_end(&mut start)?;
    let rest = start.strip_prefix(BEGIN.as_bytes());
    Ok(rest.is_some_and(|rest| rest.windows(TITLE.len()).any(|text| text == TITLE.as_bytes())))
}

/// The page.
pub fn page(insights: &Insights, games: &[Reviewed], most: Most) -> String {
    let player = escaped(&insights.player);
    let mut out = format!("{BEGIN}{player}{TITLE}\n<style>{STYLE}</style></head><body>\n");
    for variant in [Variant::Chess, Variant::Makruk] {
        if games.iter().any(|game| game.game.start.variant().rules() == variant) {
            out += &symbols(variant);
        }
    }
    out += "<main>\n";
    head(&mut out, insights, games);
    for grouping in &insights.groupings {
        group(&mut out, grouping);
    }
    held(&mut out, insights);
    costs(&mut out, insights);
    mistakes(&mut out, insights, games, most.mistakes);
    openings::section(&mut out, &insights.openings);
    gaps(&mut out, insights.gaps.as_deref().unwrap_or_default(), most.gaps);
    met(&mut out, insights, most.met);
    out += "<footer><p>Made by Rukh on your computer. Nothing was sent anywhere, and this page loads nothing from the network.</p></footer>\n</main></body></html>\n";
    out
}

/// `1 game`, `2 games`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn head(out: &mut String, insights: &Insights, games: &[Reviewed]) {
    let [won, drawn, lost] = insights.results;
    let total = &insights.total;
    let [inaccuracies, bad, blunders] = total.slips;
    let _ = writeln!(
        out,
        "<header><h1>{}</h1><p class=\"lead\">{}, {}: won {won}, drawn {drawn}, lost {lost}.</p>\
         <dl class=\"cards\"><div><dt>Accuracy</dt><dd>{}</dd></div><div><dt>Inaccuracies</dt><dd>{inaccuracies}</dd></div>\
         <div><dt>Mistakes</dt><dd>{bad}</dd></div><div><dt>Blunders</dt><dd>{blunders}</dd></div></dl></header>",
        escaped(&insights.player),
        counted(games.len(), "game"),
        counted(total.moves as usize, "judged move"),
        total.accuracy_text()
    );
}

fn group(out: &mut String, grouping: &Grouping) {
    let rows: Vec<Row> = grouping
        .rows
        .iter()
        .filter(|(_, tally)| tally.moves > 0)
        .take(ROWS)
        .map(|(name, tally)| {
            let hover = format!(
                "{name}: accuracy {:.1} ± {:.1} in {} of {}, score {}",
                tally.accuracy(),
                tally.margin(),
                counted(tally.moves as usize, "move"),
                counted(tally.games as usize, "game"),
                share(tally)
            );
            (name.clone(), tally.accuracy(), tally.margin(), hover)
        })
        .collect();
    // Who plays one game only needs no comparison of games.
    if rows.is_empty() || grouping.name == "variant" && rows.len() == 1 {
        return;
    }
    let _ = write!(out, "<section><h2>{}</h2>{}", grouping.title, dots(&rows, grouping.title));
    let _ = write!(
        out,
        "<details><summary>Numbers</summary><table><caption>{}</caption><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">Accuracy</th>\
         <th scope=\"col\">±</th><th scope=\"col\">Moves</th><th scope=\"col\">Games</th><th scope=\"col\">Score</th><th scope=\"col\">?!</th>\
         <th scope=\"col\">?</th><th scope=\"col\">??</th></tr></thead><tbody>",
        grouping.title,
        match grouping.name {
            "rating" => "Rating",
            "clock" => "Time left",
            "weekday" => "Day",
            "phase" => "Phase",
            "colour" => "Colour",
            "variant" => "Game",
            _ => "Opening",
        }
    );
    for (name, tally) in &grouping.rows {
        let [a, b, c] = tally.slips;
        let score = share(tally);
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.1}</td><td>{}</td><td>{}</td><td>{score}</td><td>{a}</td><td>{b}</td><td>{c}</td></tr>",
            escaped(name),
            tally.accuracy_text(),
            tally.margin(),
            tally.moves,
            tally.games
        );
    }
    *out += "</tbody></table></details></section>\n";
}

/// Points of those that could be had.
fn share(tally: &Tally) -> String {
    tally.score().map_or_else(|| "–".to_owned(), |score| format!("{:.0} %", 100.0 * score))
}

fn held(out: &mut String, insights: &Insights) {
    let _ = write!(
        out,
        "<section><h2>Won and lost positions</h2><table class=\"plain\"><caption>Games in which one side had an expected score of at least {WINNING:.0} %</caption>\
         <thead><tr><th scope=\"col\">At some point</th><th scope=\"col\">Games</th><th scope=\"col\">Won</th><th scope=\"col\">Drawn</th>\
         <th scope=\"col\">Lost</th></tr></thead><tbody>"
    );
    for (name, Held { games, results: [won, drawn, lost] }) in
        [("winning", &insights.conversion), ("lost", &insights.defence)]
    {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{name}</th><td>{games}</td><td>{won}</td><td>{drawn}</td><td>{lost}</td></tr>"
        );
    }
    *out += "</tbody></table></section>\n";
}

fn costs(out: &mut String, insights: &Insights) {
    if insights.costs.is_empty() {
        return;
    }
    let name = |cost: &crate::insights::Cost| match cost.missed {
        true => format!("Missed: {}", cost.theme.title()),
        false => cost.theme.title().to_owned(),
    };
    let rows: Vec<Row> = insights
        .costs
        .iter()
        .take(ROWS)
        .map(|cost| {
            (name(cost), cost.points, 0.0, format!("{}: {} times, {:.1} points", name(cost), cost.times, cost.points))
        })
        .collect();
    let title = "What your mistakes cost, in points";
    let _ = write!(out, "<section><h2>{title}</h2>{}", bars(&rows, title));
    let _ = write!(
        out,
        "<details><summary>Numbers</summary><table><caption>{title}</caption><thead><tr><th scope=\"col\">Motif</th><th scope=\"col\">Points</th>\
         <th scope=\"col\">Times</th></tr></thead><tbody>"
    );
    for cost in &insights.costs {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{:.1}</td><td>{}</td></tr>",
            name(cost),
            cost.points,
            cost.times
        );
    }
    *out += "</tbody></table></details></section>\n";
}

fn mistakes(out: &mut String, insights: &Insights, games: &[Reviewed], most: usize) {
    if insights.mistakes.is_empty() {
        return;
    }
    let shown = insights.mistakes.len().min(most);
    let _ = writeln!(out, "<section><h2>Mistakes</h2><p>The {shown} costliest of {}.</p>", insights.mistakes.len());
    for mistake in insights.mistakes.iter().take(most) {
        one_mistake(out, mistake, games);
    }
    *out += "</section>\n";
}

fn one_mistake(out: &mut String, mistake: &Mistake, games: &[Reviewed]) {
    let Mistake { position, mv, best, judgement, points, .. } = mistake;
    let sign = judgement.sign();
    let _ = write!(out, "<article>{}<div>", diagram(position, *mv, best.first().copied()));
    let _ = write!(
        out,
        "<h3>{}{sign}</h3><p class=\"points\">{} % → {} % expected score</p>",
        escaped(&numbered(position, *mv)),
        percent(points.0),
        percent(points.1)
    );
    for fact in &mistake.facts {
        let _ = write!(out, "<p>{}</p>", sentence(&fact.sentence()));
    }
    *out += "<p class=\"where\">";
    const GAMES: usize = 6;
    for (at, game) in mistake.games.iter().take(GAMES).filter_map(|&at| games.get(at)).enumerate() {
        let date = game.game.tags.date().map_or_else(String::new, |(y, m, d)| format!(", {y}-{m:02}-{d:02}"));
        let gap = if at > 0 { "; " } else { "" };
        let _ = write!(out, "{gap}against {}{date}", escaped(&game.game.opponent()));
    }
    if mistake.games.len() > GAMES {
        let _ = write!(out, "; in {} games in total", mistake.games.len());
    }
    *out += "</p></div></article>\n";
}

fn gaps(out: &mut String, gaps: &[Gap], most: usize) {
    if gaps.is_empty() {
        return;
    }
    let shown = gaps.len().min(most);
    let _ = writeln!(
        out,
        "<section><h2>Gaps in your repertoire</h2><p>Compared with what masters play: the {shown} of {} that come up most often.</p>",
        gaps.len()
    );
    for gap in gaps.iter().take(most) {
        let best = gap.answers.first().map(|habit| habit.mv);
        let shown = match gap.kind {
            GapKind::Unusual => diagram(&gap.node.position, gap.mv, best),
            GapKind::Unmet => board(&gap.ask.position, gap.side, [Some(gap.mv.from()), Some(gap.mv.to())], best),
        };
        let _ = writeln!(out, "<article>{shown}<div><p>{}</p></div></article>", sentence(&gap.sentence()));
    }
    *out += "</section>\n";
}

/// The board behind a move, with an arrow for what should be played.
fn board(pos: &AnyPosition, side: Color, last: [Option<Square>; 2], best: Option<Move>) -> String {
    let arrows: Vec<(Square, Square, &str)> = best.iter().map(|mv| (mv.from(), mv.to(), "#3f8f4f")).collect();
    picture(pos, &Look { side, pixels: 260, last, arrows: &arrows, shared: true })
}

fn met(out: &mut String, insights: &Insights, most: usize) {
    if insights.met.is_empty() {
        return;
    }
    *out += "<section><h2>Positions you reached more than once and played differently</h2>\n";
    for met in insights.met.iter().take(most) {
        one_met(out, met);
    }
    *out += "</section>\n";
}

fn one_met(out: &mut String, met: &Met) {
    let Met { position, moves, best, times, .. } = met;
    let scored: f64 = moves.iter().map(|(_, _, points, _)| points).sum();
    let _ = write!(out, "<article>{}<div>", diagram(position, moves[0].0, *best));
    let _ = write!(
        out,
        "<h3>You reached this position {times} times and played {} different moves, scoring {}.</h3><table><thead><tr><th scope=\"col\">Move</th><th scope=\"col\">Times</th>\
         <th scope=\"col\">Points</th><th scope=\"col\">Chances lost</th></tr></thead><tbody>",
        moves.len(),
        score_sheet(scored)
    );
    for (mv, times, points, loss) in moves {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{times}</td><td>{}</td><td>{loss:.1} %</td></tr>",
            escaped(&numbered(position, *mv)),
            score_sheet(*points)
        );
    }
    *out += "</tbody></table>";
    if let Some(best) = best {
        let _ = write!(out, "<p>The engine plays {}.</p>", escaped(&numbered(position, *best)));
    }
    *out += "</div></article>\n";
}

/// `24... Ne3+`
fn numbered(pos: &AnyPosition, mv: Move) -> String {
    let dots = if pos.side_to_move() == Color::White { "." } else { "..." };
    format!("{}{dots} {}", pos.fullmove(), pos.san(mv))
}

/// The board with the move played in red and the better one in green.
fn diagram(pos: &AnyPosition, played: Move, best: Option<Move>) -> String {
    let mut arrows: Vec<(Square, Square, &str)> = vec![(played.from(), played.to(), "#c4453c")];
    if let Some(best) = best.filter(|best| *best != played) {
        arrows.push((best.from(), best.to(), "#3f8f4f"));
    }
    let look = Look { side: pos.side_to_move(), pixels: 260, last: [None, None], arrows: &arrows, shared: true };
    picture(pos, &look)
}

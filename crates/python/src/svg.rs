//! A board as a picture, for notebooks: the page's own pieces, without style sheets that could leak into the page around it.

use std::fmt::Write as _;

use rukh_core::{AnyPosition, Color, File, Piece, Rank, Rules, Square, Variant, dispatch};

/// `set-kind markup`, one drawing a line; a test of the page compares it with the original (`web/src/pieces/shapes.ts`).
const PIECES: &str = include_str!("pieces.txt");

/// Squares are as wide as the drawings' box.
const SIDE: usize = 100;
const MARGIN: usize = 40;

/// The board seen from one side, the last move and a check marked.
pub fn board(pos: &AnyPosition, side: Color, pixels: u32, last: [Option<Square>; 2]) -> String {
    let width = 8 * SIDE + 2 * MARGIN;
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width}" width="{pixels}" height="{pixels}" role="img"><title>{}</title><rect width="{width}" height="{width}" fill="{}"/>"#,
        pos.fen(),
        "#5c4a3d"
    );
    let makruk = pos.variant() == Variant::Makruk;
    let check = pos.checked_king();
    for square in Square::all() {
        let (x, y) = corner(square, side);
        // Makruk's board has squares of one colour.
        let light = makruk || (square.file().index() + square.rank().index()) % 2 == 1;
        let moved = last.contains(&Some(square));
        let colour = match (check == Some(square), moved, light) {
            (true, _, _) => "#e0776a",
            (_, true, true) => "#e3d27f",
            (_, true, false) => "#c2ab55",
            (_, _, true) => "#eedcbc",
            _ => "#b58b65",
        };
        let line = if makruk { r##" stroke="#8a6a4f" stroke-width="2""## } else { "" };
        let _ = write!(out, r#"<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="{colour}"{line}/>"#);
    }
    for place in 0..8 {
        let along = MARGIN + place * SIDE + SIDE / 2;
        let index = if side == Color::White { place } else { 7 - place };
        let (file, rank) = (File::ALL[index].char(), Rank::ALL[7 - index].char());
        let text = r##"font-family="sans-serif" font-size="26" fill="#eedcbc" text-anchor="middle""##;
        let (below, beside) = (width - 11, along + 9);
        let _ = write!(out, r#"<text x="{along}" y="{below}" {text}>{file}</text>"#);
        let _ = write!(out, r#"<text x="20" y="{beside}" {text}>{rank}</text>"#);
    }
    for square in Square::all() {
        if let Some(piece) = pos.piece_at(square) {
            let (x, y) = corner(square, side);
            let _ = write!(out, r#"<g transform="translate({x} {y})">{}</g>"#, drawing(pos.variant(), piece));
        }
    }
    out.push_str("</svg>");
    out
}

/// The upper left corner of a square.
fn corner(square: Square, side: Color) -> (usize, usize) {
    let (file, rank) = (square.file().index(), square.rank().index());
    let (column, row) = if side == Color::White { (file, 7 - rank) } else { (7 - file, rank) };
    (MARGIN + column * SIDE, MARGIN + row * SIDE)
}

/// A piece's markup in its colours.
fn drawing(variant: Variant, piece: Piece) -> String {
    let letter = dispatch!(type R of variant => R::letter(piece.kind())).to_ascii_lowercase();
    let name = match variant {
        Variant::Makruk if piece.is_promoted() => "mk-b".to_owned(),
        Variant::Makruk => format!("mk-{letter}"),
        _ => format!("we-{letter}"),
    };
    let art = PIECES.lines().filter_map(|line| line.split_once(' ')).find(|(found, _)| *found == name);
    let (fill, outline, inner) = match piece.color() {
        Color::White => ("#fffdf6", "#2c2723", "#2c2723"),
        Color::Black => ("#3b3633", "#141211", "#efe7d8"),
    };
    let round = r#"stroke-width="3" stroke-linejoin="round" stroke-linecap="round""#;
    art.map_or_else(String::new, |(_, art)| {
        art.replace(r#"class="pb""#, &format!(r#"fill="{fill}" stroke="{outline}" {round}"#))
            .replace(r#"class="pl""#, &format!(r#"fill="none" stroke="{inner}" {round}"#))
            .replace(r#"class="pd""#, &format!(r#"fill="{inner}""#))
    })
}

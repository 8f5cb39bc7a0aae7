#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::fmt::Write as _;

use rukh_core::{AnyPosition, Color, File, Kind, Piece, Rank, Rules, Square, Variant, dispatch};

/// `set-kind markup`, one drawing a line; a test of the page compares it with the original (`web/src/pieces/shapes.ts`).
const PIECES: &str = include_str!("pieces.txt");

/// Squares are as wide as the drawings' box.
const SIDE: usize = 100;
const MARGIN: usize = 40;

/// What a picture shows beside the pieces.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// Whose side is below.
    pub side: Color,
    /// Width and height.
    pub pixels: u32,
    /// The squares of the last move.
    pub last: [Option<Square>; 2],
    /// Arrows: from, to, colour.
    pub arrows: &'a [(Square, Square, &'a str)],
    /// Pieces are drawn by reference to [`symbols`], which the page around must hold: for many boards in one file.
    pub shared: bool,
}

/// The board seen from one side, the last move and a check marked.
pub fn board(pos: &AnyPosition, side: Color, pixels: u32, last: [Option<Square>; 2]) -> String {
    picture(pos, &Look { side, pixels, last, arrows: &[], shared: false })
}

/// The board with everything that a [`Look`] asks for.
pub fn picture(pos: &AnyPosition, look: &Look<'_>) -> String {
    let Look { side, pixels, last, .. } = *look;
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
            let _ = match look.shared {
                true => write!(
                    out,
                    r##"<use href="#{}" x="{x}" y="{y}" width="{SIDE}" height="{SIDE}"/>"##,
                    symbol(pos.variant(), piece)
                ),
                false => write!(out, r#"<g transform="translate({x} {y})">{}</g>"#, drawing(pos.variant(), piece)),
            };
        }
    }
    for &(from, to, colour) in look.arrows {
        arrow(&mut out, corner(from, side), corner(to, side), colour);
    }
    out.push_str("</svg>");
    out
}

/// The pieces of a variant as symbols, once for all the pictures of a page.
pub fn symbols(variant: Variant) -> String {
    let mut out = String::from(r#"<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0" aria-hidden="true">"#);
    let promoted = (variant == Variant::Makruk).then_some(Color::ALL.map(Piece::bia_ngai));
    let plain = Color::ALL.into_iter().flat_map(|color| Kind::ALL.map(|kind| Piece::new(color, kind)));
    for piece in plain.chain(promoted.into_iter().flatten()) {
        let (name, art) = (symbol(variant, piece), drawing(variant, piece));
        let _ = write!(out, r#"<symbol id="{name}" viewBox="0 0 {SIDE} {SIDE}">{art}</symbol>"#);
    }
    out.push_str("</svg>");
    out
}

/// From the middle of one square to that of another, given by their corners.
fn arrow(out: &mut String, from: (usize, usize), to: (usize, usize), colour: &str) {
    let middle = |(x, y): (usize, usize)| ((x + SIDE / 2) as f64, (y + SIDE / 2) as f64);
    let ((x, y), (to_x, to_y)) = (middle(from), middle(to));
    let length = (to_x - x).hypot(to_y - y).max(1.0);
    let (dx, dy) = ((to_x - x) / length, (to_y - y) / length);
    let (neck_x, neck_y) = (to_x - 34.0 * dx, to_y - 34.0 * dy);
    let _ = write!(
        out,
        r#"<g opacity="0.85" fill="{colour}" stroke="{colour}"><line x1="{x:.0}" y1="{y:.0}" x2="{neck_x:.0}" y2="{neck_y:.0}" stroke-width="15"/><path d="M{to_x:.0} {to_y:.0}L{:.0} {:.0}L{:.0} {:.0}z"/></g>"#,
        neck_x - 24.0 * dy,
        neck_y + 24.0 * dx,
        neck_x + 24.0 * dy,
        neck_y - 24.0 * dx
    );
}

/// The upper left corner of a square.
fn corner(square: Square, side: Color) -> (usize, usize) {
    let (file, rank) = (square.file().index(), square.rank().index());
    let (column, row) = if side == Color::White { (file, 7 - rank) } else { (7 - file, rank) };
    (MARGIN + column * SIDE, MARGIN + row * SIDE)
}

/// The drawing of a piece: `we-k`, `mk-b`.
fn art_name(variant: Variant, piece: Piece) -> String {
    let letter = dispatch!(type R of variant => R::letter(piece.kind())).to_ascii_lowercase();
    match variant {
        Variant::Makruk if piece.is_promoted() => "mk-b".to_owned(),
        Variant::Makruk => format!("mk-{letter}"),
        _ => format!("we-{letter}"),
    }
}

/// The name of a piece among the [`symbols`].
fn symbol(variant: Variant, piece: Piece) -> String {
    format!("{}-{}", art_name(variant, piece), piece.color().char())
}

/// A piece's markup in its colours.
fn drawing(variant: Variant, piece: Piece) -> String {
    let name = art_name(variant, piece);
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

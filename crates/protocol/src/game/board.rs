//! The board as text: for people on a terminal, and for `d` in UCI.

use rukh_core::{AnyGame, Color, File, Move, Piece, Rank, Rules, Square, Variant, dispatch};

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardStyle {
    /// Letters in a frame, for logs and protocols.
    Letters,
    /// Unicode figures without colours.
    Figures,
    /// Unicode figures on coloured squares.
    Colours,
}

/// Draws the board from `side`'s view, the last move and a check marked where colours allow.
pub fn draw_board(game: &AnyGame, side: Color, style: BoardStyle, last: Option<Move>) -> String {
    let (ranks, files): (Vec<usize>, Vec<usize>) = match side {
        Color::White => ((0..8).rev().collect(), (0..8).collect()),
        Color::Black => ((0..8).collect(), (0..8).rev().collect()),
    };
    let letters: Vec<char> = files.iter().map(|&f| (b'a' + f as u8) as char).collect();
    let mut text = String::new();
    let rule = " +---+---+---+---+---+---+---+---+\n";
    if style == BoardStyle::Letters {
        text += rule;
    }
    for &r in &ranks {
        if style != BoardStyle::Letters {
            text += &format!(" {} ", r + 1);
        }
        for &f in &files {
            let square = Square::new(File::ALL[f], Rank::ALL[r]);
            let piece = game.piece_at(square);
            match style {
                BoardStyle::Letters => text += &format!(" | {}", piece.map_or(' ', |p| letter(game.variant(), p))),
                BoardStyle::Figures => text += &format!("{} ", piece.map_or('·', |p| figure(game.variant(), p, false))),
                BoardStyle::Colours => text += &coloured(game, square, piece, last),
            }
        }
        match style {
            BoardStyle::Letters => text += &format!(" | {}\n{rule}", r + 1),
            BoardStyle::Figures => {
                text.truncate(text.trim_end_matches(' ').len());
                text.push('\n');
            }
            BoardStyle::Colours => text += "\x1b[0m\n",
        }
    }
    match style {
        BoardStyle::Letters => letters.iter().for_each(|c| text += &format!("   {c}")),
        BoardStyle::Figures => text += &format!("   {}", letters.iter().map(|c| format!("{c} ")).collect::<String>()),
        BoardStyle::Colours => text += &format!("   {}", letters.iter().map(|c| format!(" {c} ")).collect::<String>()),
    }
    text.truncate(text.trim_end_matches(' ').len());
    text.push('\n');
    text
}

/// One square: muted colours on which both white and black figures stand out (256-colour codes).
fn coloured(game: &AnyGame, square: Square, piece: Option<Piece>, last: Option<Move>) -> String {
    // A Makruk board is not chequered.
    let dark = game.variant() != Variant::Makruk && (square.file().index() + square.rank().index()).is_multiple_of(2);
    let moved = last.is_some_and(|mv| mv.from() == square || mv.to() == square);
    let background = if game.checked_king() == Some(square) {
        167
    } else if moved {
        if dark { 100 } else { 143 }
    } else if game.variant() == Variant::Makruk {
        137
    } else if dark {
        66
    } else {
        109
    };
    let ink = if piece.is_some_and(|p| p.color() == Color::White) { 231 } else { 16 };
    let glyph = piece.map_or(' ', |p| figure(game.variant(), p, true));
    // Without chequers a faint dot helps to see where the squares are.
    let glyph = if piece.is_none() && game.variant() == Variant::Makruk { '·' } else { glyph };
    format!("\x1b[48;5;{background};38;5;{ink}m {glyph} ")
}

/// A figure. `solid` uses the filled shapes for both sides, told apart by the ink.
fn figure(variant: Variant, piece: Piece, solid: bool) -> char {
    let white = piece.color() == Color::White && !solid;
    // A Bia-ngai is a Bia turned over: a draughtsman's king shows just that.
    if variant == Variant::Makruk && piece.is_promoted() {
        return if white { '⛁' } else { '⛃' };
    }
    let index = piece.kind().index();
    if white {
        ['♙', '♘', '♗', '♖', '♕', '♔'][index]
    } else {
        ['♟', '♞', '♝', '♜', '♛', '♚'][index]
    }
}

/// The piece's FEN letter.
fn letter(variant: Variant, piece: Piece) -> char {
    let letter = dispatch!(type R of variant => R::letter(piece.kind()));
    if piece.color() == Color::White { letter } else { letter.to_ascii_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_frame() {
        let text = draw_board(&AnyGame::new(Variant::Chess), Color::White, BoardStyle::Letters, None);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 18);
        assert_eq!(lines[1], " | r | n | b | q | k | b | n | r | 8");
        assert_eq!(lines[15], " | R | N | B | Q | K | B | N | R | 1");
        assert_eq!(lines[17], "   a   b   c   d   e   f   g   h");
    }

    #[test]
    fn figures_from_black() {
        let text = draw_board(&AnyGame::new(Variant::Chess), Color::Black, BoardStyle::Figures, None);
        assert!(text.starts_with(" 1 ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖"), "{text}");
        assert!(text.trim_end().ends_with("h g f e d c b a"), "{text}");
    }

    #[test]
    fn makruk_board_has_its_own_letters() {
        let text = draw_board(&AnyGame::new(Variant::Makruk), Color::White, BoardStyle::Letters, None);
        assert!(text.contains("| S |") && text.contains("| M |") && !text.contains("| Q |"), "{text}");
    }
}

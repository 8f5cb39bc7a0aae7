//! What a network thinks of a position, by piece: how much its value falls when the piece is taken off the board.

use core::fmt::Write;

use rukh_core::{Bitboard, Color, File, Kind, Piece, Position, Rank, Rules, Square};

use super::Network;

/// The value of a position for White, and what each piece but the kings adds to it (below zero: for Black), in centipawns.
pub fn by_piece<R: Rules>(network: &Network, pos: &Position<R>) -> (i32, Vec<(Square, Piece, i32)>) {
    let sign = if pos.side_to_move() == Color::White { 1 } else { -1 };
    let value = sign * network.reference(pos);
    let pieces = (pos.occupied().into_iter())
        .filter_map(|square| Some((square, pos.piece_at(square)?)))
        .filter(|(_, piece)| piece.kind() != Kind::King)
        .map(|(square, piece)| {
            let without = sign * network.reference_without(pos, Bitboard::from(square));
            (square, piece, value - without)
        });
    (value, pieces.collect())
}

/// The board with the value of each piece in pawns, and the value of the whole; both from White's view.
pub fn table<R: Rules>(network: &Network, pos: &Position<R>) -> String {
    let (value, pieces) = by_piece(network, pos);
    let line = format!("+{}\n", "-------+".repeat(8));
    let mut out = line.clone();
    for rank in Rank::ALL.into_iter().rev() {
        let (mut names, mut values) = ("|".to_owned(), "|".to_owned());
        for file in File::ALL {
            let square = Square::new(file, rank);
            let letter = pos.piece_at(square).map_or(' ', R::piece_letter);
            let worth = pieces.iter().find(|(at, ..)| *at == square);
            let worth = worth.map_or(String::new(), |(.., worth)| format!("{:+.2}", f64::from(*worth) / 100.0));
            let _ = write!(names, "   {letter}   |");
            let _ = write!(values, "{worth:^7}|");
        }
        let _ = write!(out, "{names}\n{values}\n{line}");
    }
    let _ = writeln!(out, "Network {:+.2} for White, {} men", f64::from(value) / 100.0, pos.occupied().count());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::embedded;
    use rukh_core::{Chess, Makruk};

    #[test]
    fn pieces_are_worth_what_taking_them_off_costs() {
        let network = embedded::<Chess>().expect("chess has a network");
        let fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4";
        let pos: Position<Chess> = Position::from_fen(fen).expect("a FEN");
        let (value, pieces) = by_piece(&network, &pos);
        assert_eq!(value, network.reference(&pos));
        assert_eq!(pieces.len(), 30);
        for (square, piece, worth) in pieces {
            let mut parts: Vec<String> = fen.split(' ').map(str::to_owned).collect();
            if piece.kind() == Kind::Pawn || piece.kind() == Kind::Rook {
                continue; // castling rights would change with a rook
            }
            let rows: Vec<String> = parts[0].split('/').map(spread).collect();
            let mut rows: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
            rows[7 - square.rank().index()][square.file().index()] = '1';
            parts[0] = rows.iter().map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join("/");
            let Ok(less) = Position::<Chess>::from_fen(&joined(&parts)) else { continue };
            assert_eq!(worth, value - network.reference(&less), "{piece:?} on {square}");
        }
        // A queen more is worth more than a pawn more, for both sides.
        let worth = |name: &str| by_piece(&network, &pos).1.iter().find(|p| p.0.to_string() == name).expect(name).2;
        assert!(worth("h5") > worth("a2") && worth("d8") < worth("a7"));
    }

    /// `3p1` as `111p1`: empty squares one by one.
    fn spread(row: &str) -> String {
        row.chars().map(|c| c.to_digit(10).map_or(c.to_string(), |n| "1".repeat(n as usize))).collect()
    }

    /// A FEN whose empty squares are counted again.
    fn joined(parts: &[String]) -> String {
        let mut board = parts[0].clone();
        for n in (2..=8).rev() {
            board = board.replace(&"1".repeat(n), &n.to_string());
        }
        format!("{board} {}", parts[1..].join(" "))
    }

    #[test]
    fn the_table_is_a_board() {
        let network = embedded::<Makruk>().expect("Makruk has a network");
        let text = table(&network, &Position::<Makruk>::startpos());
        assert_eq!(text.lines().count(), 8 * 3 + 2);
        assert!(text.lines().take(25).all(|line| line.chars().count() == 65), "{text}");
        assert!(text.contains("Network ") && text.matches('M').count() == 1);
    }
}

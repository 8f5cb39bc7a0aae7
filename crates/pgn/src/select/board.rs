//! What may stand on a board: a balance of material, a pattern of squares.

use std::str::FromStr;

use rukh_core::{Chess, Color, File, Kind, Makruk, Piece, Position, Rank, Rules, Square, Variant};

/// The men of both sides, as in `KRPKR`: one side has the first, the other the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Material {
    /// By rules (chess, Makruk), side and kind; none where the letters are not of that game.
    men: [Option<[[u32; 6]; 2]>; 2],
}

impl FromStr for Material {
    type Err = String;

    fn from_str(text: &str) -> Result<Material, String> {
        let squeezed = text.replace(['-', 'v', ' '], "").to_ascii_uppercase();
        let second = squeezed.get(1..).and_then(|rest| rest.find('K')).map(|at| at + 1);
        let sides = match second {
            Some(at) if squeezed.starts_with('K') && squeezed.matches('K').count() == 2 => squeezed.split_at(at),
            _ => return Err("expected the men of both sides with their kings, as in KRPKR".to_owned()),
        };
        let men = [counts::<Chess>(sides), counts::<Makruk>(sides)];
        match men {
            [None, None] => Err("not all of these letters are pieces".to_owned()),
            men => Ok(Material { men }),
        }
    }
}

fn counts<R: Rules>((one, other): (&str, &str)) -> Option<[[u32; 6]; 2]> {
    let side = |text: &str| {
        let mut counts = [0; 6];
        for letter in text.chars() {
            counts[Kind::ALL.into_iter().find(|&kind| R::letter(kind) == letter)?.index()] += 1;
        }
        Some(counts)
    };
    Some([side(one)?, side(other)?])
}

impl Material {
    /// Whether exactly these men stand on the board, whoever has which.
    pub fn stands<R: Rules>(&self, pos: &Position<R>) -> bool {
        let Some([one, other]) = &self.men[usize::from(R::VARIANT == Variant::Makruk)] else { return false };
        let has = |color, men: &[u32; 6]| {
            Kind::ALL.into_iter().all(|kind| pos.colored(color, kind).count() == men[kind.index()])
        };
        let (white, black) = (Color::White, Color::Black);
        (has(white, one) && has(black, other)) || (has(white, other) && has(black, one))
    }
}

/// What must stand on the squares, written like the board of a FEN: letters and digits as there, `?` for whatever,
/// `A` and `a` for any white or black man, `!` for any man, `*` for the rest of a rank. Ranks that are left out may be anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    squares: Vec<(Square, Wanted)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Empty,
    Man,
    Of(Color),
    Letter(char),
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        let mut squares = Vec::new();
        let rows: Vec<&str> = text.trim().split('/').collect();
        if rows.len() > 8 {
            return Err("a board has eight ranks".to_owned());
        }
        for (row, rank) in rows.iter().zip(Rank::ALL.into_iter().rev()) {
            let mut files = File::ALL.into_iter();
            for sign in row.chars() {
                let mut put = |wanted: Option<Wanted>| {
                    let file = files.next().ok_or_else(|| format!("the rank {row} has more than eight squares"))?;
                    squares.extend(wanted.map(|wanted| (Square::new(file, rank), wanted)));
                    Ok::<(), String>(())
                };
                match sign {
                    '*' => while files.next().is_some() {},
                    '?' => put(None)?,
                    '!' => put(Some(Wanted::Man))?,
                    'A' => put(Some(Wanted::Of(Color::White)))?,
                    'a' => put(Some(Wanted::Of(Color::Black)))?,
                    '1'..='8' => (0..sign as u8 - b'0').try_for_each(|_| put(Some(Wanted::Empty)))?,
                    letter if known(letter) => put(Some(Wanted::Letter(letter)))?,
                    other => return Err(format!("'{other}' is not a piece, a digit or one of ? ! A a *")),
                }
            }
        }
        Ok(Pattern { squares })
    }
}

fn known(letter: char) -> bool {
    let upper = letter.to_ascii_uppercase();
    Kind::ALL.into_iter().any(|kind| Chess::letter(kind) == upper || Makruk::letter(kind) == upper)
}

impl Pattern {
    /// Whether the board shows it.
    pub fn stands<R: Rules>(&self, pos: &Position<R>) -> bool {
        self.squares.iter().all(|&(square, wanted)| {
            let there: Option<Piece> = pos.piece_at(square);
            match wanted {
                Wanted::Empty => there.is_none(),
                Wanted::Man => there.is_some(),
                Wanted::Of(color) => there.is_some_and(|piece| piece.color() == color),
                Wanted::Letter(letter) => there.is_some_and(|piece| R::piece_letter(piece) == letter),
            }
        })
    }
}

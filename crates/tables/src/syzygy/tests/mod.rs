mod damage;
mod numbering;
mod oracle;

use std::path::{Path, PathBuf};

use rukh_core::rng::Rng;
use rukh_core::{Chess, Color, Kind, Position, Setup, Square};

/// The 3- and 4-man tables, where they are: beside the workspace, or beside the folder of its worktrees.
fn folder() -> Option<PathBuf> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder = above.map(|folder| folder.join("shared/data/syzygy")).find(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!("skipped: no Syzygy tables beside the workspace");
    }
    folder
}

fn position(fen: &str) -> Position<Chess> {
    Position::from_fen(fen).expect(fen)
}

/// Numbers that are the same in every run.
struct Dice(Rng);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Rng::plain(seed))
    }

    fn roll(&mut self, below: usize) -> usize {
        self.0.below(below)
    }

    /// A legal position with the men of a name, either side as White, either side to move.
    fn position(&mut self, name: &str) -> Position<Chess> {
        let (strong, weak) = name.split_once('v').expect(name);
        loop {
            let first = if self.roll(2) == 0 { Color::White } else { Color::Black };
            let mut setup = Setup::new(if self.roll(2) == 0 { Color::White } else { Color::Black });
            let mut taken = 0_u64;
            for (color, letters) in [(first, strong), (!first, weak)] {
                for letter in letters.chars() {
                    let kind = match letter {
                        'P' => Kind::Pawn,
                        'N' => Kind::Knight,
                        'B' => Kind::Bishop,
                        'R' => Kind::Rook,
                        'Q' => Kind::Queen,
                        _ => Kind::King,
                    };
                    let square = loop {
                        let square = self.roll(64);
                        let fits = kind != Kind::Pawn || (8..56).contains(&square);
                        if fits && taken & 1 << square == 0 {
                            break square;
                        }
                    };
                    taken |= 1 << square;
                    setup.put(color, kind, Square::from_index(square as u8).unwrap());
                }
            }
            if let Ok(pos) = Position::<Chess>::from_setup(&setup) {
                return pos;
            }
        }
    }
}

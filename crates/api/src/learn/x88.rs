//! A speed-minded 0x88 generator, to race against: what a square-by-square engine would use. The page races it in its chapter on
//! bitboards, `rukh-bench` in `why`.
//!
//! The board is 16 wide and 8 high, and a square whose number has a bit of `0x88` is off it: one test instead of a border.
//! Piece lists, a table of what the difference of two squares means, and moves that cannot uncover the king are not tried out.
//! Chess (without Chess960) and Makruk; no counting, which changes no move.

const WHITE: u8 = 0;
const BLACK: u8 = 16;
const KIND: u8 = 15;
const PAWN: u8 = 1;
const KNIGHT: u8 = 2;
const BISHOP: u8 = 3;
const ROOK: u8 = 4;
const QUEEN: u8 = 5;
const KING: u8 = 6;
const MET: u8 = 7;
const KHON: u8 = 8;
const NOWHERE: u8 = 0x7f;
/// So far from the smallest difference of two squares to none.
const ZERO: i16 = 119;

const STRAIGHT: [i8; 4] = [16, 1, -16, -1];
const DIAGONAL: [i8; 4] = [17, 15, -17, -15];
const ALL: [i8; 8] = [16, 1, -16, -1, 17, 15, -17, -15];
const LEAPS: [i8; 8] = [33, 31, 18, 14, -33, -31, -18, -14];
const KHON_STEPS: [[i8; 5]; 2] = [[17, 15, -17, -15, 16], [17, 15, -17, -15, -16]];

/// What the difference of two squares means: which kinds cover it, a bit each (black pawns and Khon have their own), and the step.
struct Tables {
    covers: [u16; 239],
    step: [i8; 239],
}

static TABLES: Tables = tables();

const fn cover(kind: u8, black: bool) -> u16 {
    // Pawns and Khon look one way: their black ones take bits that no kind has.
    match (kind, black) {
        (PAWN, true) => 1 << 9,
        (KHON, true) => 1 << 10,
        _ => 1 << kind,
    }
}

const fn tables() -> Tables {
    let mut t = Tables { covers: [0; 239], step: [0; 239] };
    let mut i = 0;
    while i < 8 {
        let step = ALL[i] as i16;
        let slider = if i < 4 { cover(ROOK, false) } else { cover(BISHOP, false) } | cover(QUEEN, false);
        let mut n = 1;
        while n < 8 {
            let at = ZERO + n * step;
            if at >= 0 && at < 239 {
                t.covers[at as usize] |= slider;
                t.step[at as usize] = ALL[i];
            }
            n += 1;
        }
        t.covers[(ZERO + step) as usize] |= cover(KING, false);
        if i >= 4 {
            t.covers[(ZERO + step) as usize] |= cover(MET, false) | cover(KHON, false) | cover(KHON, true);
            t.covers[(ZERO + step) as usize] |= if step > 0 { cover(PAWN, false) } else { cover(PAWN, true) };
        }
        t.covers[(ZERO + LEAPS[i] as i16) as usize] |= cover(KNIGHT, false);
        i += 1;
    }
    t.covers[(ZERO + 16) as usize] |= cover(KHON, false);
    t.covers[(ZERO - 16) as usize] |= cover(KHON, true);
    t
}

#[derive(Clone, Copy)]
enum Kind {
    Plain,
    Double,
    EnPassant,
    Castle,
}

#[derive(Clone, Copy)]
struct Move {
    from: u8,
    to: u8,
    /// 0: none.
    promotion: u8,
    kind: Kind,
}

struct Undo {
    taken: u8,
    at: u8,
    castling: u8,
    en_passant: u8,
}

/// A position of chess or Makruk.
#[derive(Clone)]
pub struct Board {
    squares: [u8; 128],
    /// Squares of each side's men, and each man's place there.
    lists: [[u8; 16]; 2],
    lens: [u8; 2],
    places: [u8; 128],
    kings: [u8; 2],
    /// 0 or 1.
    turn: usize,
    /// White short 1, long 2, black short 4, long 8.
    castling: u8,
    en_passant: u8,
    makruk: bool,
}

impl Board {
    /// Reads a FEN; None where it is none, or where there are more men than the lists hold.
    pub fn from_fen(makruk: bool, fen: &str) -> Option<Board> {
        let mut board = Board {
            squares: [0; 128],
            lists: [[0; 16]; 2],
            lens: [0; 2],
            places: [0; 128],
            kings: [0; 2],
            turn: 0,
            castling: 0,
            en_passant: NOWHERE,
            makruk,
        };
        let mut fields = fen.split(' ');
        let (mut file, mut rank) = (0u8, 7u8);
        for c in fields.next()?.chars() {
            match c {
                '/' => (file, rank) = (0, rank.checked_sub(1)?),
                '1'..='8' => file += c as u8 - b'0',
                '~' => {}
                _ => {
                    let kind = match (c.to_ascii_lowercase(), makruk) {
                        ('p', _) => PAWN,
                        ('n', _) => KNIGHT,
                        ('r', _) => ROOK,
                        ('k', _) => KING,
                        ('b', false) => BISHOP,
                        ('q', false) => QUEEN,
                        ('m', true) => MET,
                        ('s', true) => KHON,
                        _ => return None,
                    };
                    let man = kind | if c.is_ascii_lowercase() { BLACK } else { WHITE };
                    if file > 7 || board.lens[usize::from(man >> 4)] == 16 {
                        return None;
                    }
                    board.put(rank * 16 + file, man);
                    file += 1;
                }
            }
        }
        board.turn = usize::from(fields.next()? == "b");
        if !makruk {
            for c in fields.next()?.chars().filter(|&c| c != '-') {
                board.castling |= 1 << "KQkq".find(c)?;
            }
            if let [f @ b'a'..=b'h', r @ b'1'..=b'8'] = *fields.next()?.as_bytes() {
                board.en_passant = (r - b'1') * 16 + f - b'a';
            }
        }
        Some(board)
    }

    fn put(&mut self, square: u8, man: u8) {
        let side = usize::from(man >> 4);
        self.places[square as usize] = self.lens[side];
        self.lists[side][self.lens[side] as usize & 15] = square;
        self.lens[side] += 1;
        self.squares[square as usize] = man;
        if man & KIND == KING {
            self.kings[side] = square;
        }
    }

    fn lift(&mut self, square: u8) {
        let side = usize::from(self.squares[square as usize] >> 4);
        let place = self.places[square as usize];
        self.lens[side] -= 1;
        let last = self.lists[side][self.lens[side] as usize & 15];
        self.lists[side][place as usize & 15] = last;
        self.places[last as usize] = place;
        self.squares[square as usize] = 0;
    }

    fn shift(&mut self, from: u8, to: u8) {
        let man = self.squares[from as usize];
        let (side, place) = (usize::from(man >> 4), self.places[from as usize]);
        self.lists[side][place as usize & 15] = to;
        self.places[to as usize] = place;
        self.squares[from as usize] = 0;
        self.squares[to as usize] = man;
        if man & KIND == KING {
            self.kings[side] = to;
        }
    }

    fn is_attacked(&self, square: u8, by: usize) -> bool {
        self.lists[by][..self.lens[by] as usize].iter().any(|&from| {
            let man = self.squares[from as usize];
            let at = (ZERO + i16::from(square) - i16::from(from)) as usize;
            if TABLES.covers[at] & cover(man & KIND, by == 1) == 0 {
                return false;
            }
            if !matches!(man & KIND, BISHOP | ROOK | QUEEN) {
                return true;
            }
            let step = TABLES.step[at];
            let mut on = from.wrapping_add_signed(step);
            while on != square {
                if self.squares[on as usize] != 0 {
                    return false;
                }
                on = on.wrapping_add_signed(step);
            }
            true
        })
    }

    /// Leaves of all lines of so many plies.
    pub fn perft(&mut self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut moves = [Move { from: 0, to: 0, promotion: 0, kind: Kind::Plain }; 256];
        let count = self.generate(&mut moves);
        let (side, king) = (self.turn, self.kings[self.turn]);
        let check = self.is_attacked(king, side ^ 1);
        let mut leaves = 0;
        for &mv in &moves[..count] {
            // Who stands on no line with the king uncovers nothing.
            let line = (ZERO + i16::from(mv.from) - i16::from(king)) as usize;
            let sure = !check
                && mv.from != king
                && !matches!(mv.kind, Kind::EnPassant)
                && TABLES.covers[line] & (cover(QUEEN, false)) == 0;
            if depth == 1 && sure {
                leaves += 1;
                continue;
            }
            let undo = self.make(mv);
            if sure || !self.is_attacked(self.kings[side], side ^ 1) {
                leaves += self.perft(depth - 1);
            }
            self.unmake(mv, &undo);
        }
        leaves
    }

    /// Pseudo-legal moves; returns how many.
    fn generate(&self, out: &mut [Move; 256]) -> usize {
        let mut count = 0;
        let (side, color) = (self.turn, if self.turn == 0 { WHITE } else { BLACK });
        let mut push = |from: u8, to: u8, promotion: u8, kind: Kind| {
            out[count & 255] = Move { from, to, promotion, kind };
            count += 1;
        };
        for &from in &self.lists[side][..self.lens[side] as usize] {
            let kind = self.squares[from as usize] & KIND;
            let mut steps = |steps: &[i8], slides: bool| {
                for &step in steps {
                    let mut to = from.wrapping_add_signed(step);
                    while to & 0x88 == 0 {
                        let there = self.squares[to as usize];
                        if there == 0 {
                            push(from, to, 0, Kind::Plain);
                        } else {
                            if there & BLACK != color {
                                push(from, to, 0, Kind::Plain);
                            }
                            break;
                        }
                        if !slides {
                            break;
                        }
                        to = to.wrapping_add_signed(step);
                    }
                }
            };
            match kind {
                KNIGHT => steps(&LEAPS, false),
                BISHOP => steps(&DIAGONAL, true),
                ROOK => steps(&STRAIGHT, true),
                QUEEN => steps(&ALL, true),
                KING => steps(&ALL, false),
                MET => steps(&DIAGONAL, false),
                KHON => steps(&KHON_STEPS[side], false),
                _ => self.pawn(from, &mut push),
            }
        }
        if self.castling != 0 {
            self.castles(&mut push);
        }
        count
    }

    fn pawn(&self, from: u8, push: &mut impl FnMut(u8, u8, u8, Kind)) {
        let (side, color) = (self.turn, if self.turn == 0 { WHITE } else { BLACK });
        let ahead: i8 = if side == 0 { 16 } else { -16 };
        let rank = |square: u8| if side == 0 { square >> 4 } else { 7 - (square >> 4) };
        let mut arrive = |to: u8, kind: Kind| match (self.makruk, rank(to)) {
            (true, 5) => push(from, to, MET, kind),
            (false, 7) => {
                for promotion in [QUEEN, ROOK, BISHOP, KNIGHT] {
                    push(from, to, promotion, kind);
                }
            }
            _ => push(from, to, 0, kind),
        };
        let to = from.wrapping_add_signed(ahead);
        if to & 0x88 == 0 && self.squares[to as usize] == 0 {
            arrive(to, Kind::Plain);
            let two = to.wrapping_add_signed(ahead);
            if !self.makruk && rank(from) == 1 && self.squares[two as usize] == 0 {
                arrive(two, Kind::Double);
            }
        }
        for step in [ahead + 1, ahead - 1] {
            let to = from.wrapping_add_signed(step);
            if to & 0x88 != 0 {
                continue;
            }
            let there = self.squares[to as usize];
            if there != 0 && there & BLACK != color {
                arrive(to, Kind::Plain);
            } else if to == self.en_passant {
                arrive(to, Kind::EnPassant);
            }
        }
    }

    fn castles(&self, push: &mut impl FnMut(u8, u8, u8, Kind)) {
        let (side, home) = (self.turn, self.turn as u8 * 0x70);
        let free = |squares: &[u8]| squares.iter().all(|&file| self.squares[(home + file) as usize] == 0);
        let safe = |squares: &[u8]| squares.iter().all(|&file| !self.is_attacked(home + file, side ^ 1));
        if self.castling & (1 << (2 * side)) != 0 && free(&[5, 6]) && safe(&[4, 5]) {
            push(home + 4, home + 6, 0, Kind::Castle);
        }
        if self.castling & (2 << (2 * side)) != 0 && free(&[1, 2, 3]) && safe(&[4, 3]) {
            push(home + 4, home + 2, 0, Kind::Castle);
        }
    }

    fn make(&mut self, mv: Move) -> Undo {
        let at = if matches!(mv.kind, Kind::EnPassant) { mv.from & 0x70 | mv.to & 7 } else { mv.to };
        let taken = self.squares[at as usize];
        let undo = Undo { taken, at, castling: self.castling, en_passant: self.en_passant };
        if taken != 0 {
            self.lift(at);
        }
        self.shift(mv.from, mv.to);
        if mv.promotion != 0 {
            self.squares[mv.to as usize] = self.squares[mv.to as usize] & BLACK | mv.promotion;
        }
        self.en_passant = NOWHERE;
        match mv.kind {
            Kind::Double => self.en_passant = (mv.from + mv.to) / 2,
            Kind::Castle => {
                let (rook, to) = rook_of(mv.to);
                self.shift(rook, to);
            }
            _ => {}
        }
        if self.castling != 0 {
            self.castling &= keeps(mv.from) & keeps(mv.to);
        }
        self.turn ^= 1;
        undo
    }

    fn unmake(&mut self, mv: Move, undo: &Undo) {
        self.turn ^= 1;
        (self.castling, self.en_passant) = (undo.castling, undo.en_passant);
        if matches!(mv.kind, Kind::Castle) {
            let (rook, to) = rook_of(mv.to);
            self.shift(to, rook);
        }
        if mv.promotion != 0 {
            self.squares[mv.to as usize] = self.squares[mv.to as usize] & BLACK | PAWN;
        }
        self.shift(mv.to, mv.from);
        if undo.taken != 0 {
            self.put(undo.at, undo.taken);
        }
    }
}

/// Where the rook of a castling comes from and goes to.
fn rook_of(king_to: u8) -> (u8, u8) {
    let home = king_to & 0x70;
    if king_to & 7 == 6 { (home + 7, home + 5) } else { (home, home + 3) }
}

/// Castling rights that survive something on this square.
fn keeps(square: u8) -> u8 {
    match square {
        0x04 => !3,
        0x07 => !1,
        0x00 => !2,
        0x74 => !12,
        0x77 => !4,
        0x70 => !8,
        _ => !0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_right() {
        for (makruk, fen, depth, leaves) in [
            (false, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
            (false, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
            (false, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
            (false, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
            (true, "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1", 4, 273_026),
        ] {
            assert_eq!(Board::from_fen(makruk, fen).unwrap().perft(depth), leaves, "{fen}");
        }
        let crowded = "rnbqkbnr/pppppppp/8/8/8/Q7/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert!(Board::from_fen(false, crowded).is_none());
        assert!(Board::from_fen(false, "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1").is_none());
    }
}

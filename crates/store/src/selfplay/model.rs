//! What is coded, question by question: moves among the legal ones, and scores as steps from the score before.
//!
//! Only geometry that follows from the rules enters the questions (no exchange values, no evaluation), so that a file
//! stays readable when the engine changes.

use super::{GamesError, SelfPlay, SelfPlayResult};
use rukh_core::{Bitboard, Color, Kind, Move, Position, Rules, Variant};
use rukh_range::{Bit, Coder};

/// Classes of moves; the table of learnt probabilities has one row per class.
const CLASSES: usize = 44;
/// Buckets of "how many moves are left to ask about".
const BUCKETS: usize = 10;
/// Largest step class of a score: 2^10 covers the whole range.
const STEP_BITS: usize = 10;
/// Longest game a file can hold.
pub const MAX_PLIES: usize = 2000;
/// Most unscored opening plies.
pub const MAX_OPENING: usize = 63;

/// Start arrays of Chess960, and the number of the one that chess has.
const ARRAYS: u32 = 960;
const STANDARD: u16 = 518;

/// Everything learnt in one block.
pub(super) struct Model {
    moves: [[Bit; BUCKETS]; CLASSES],
    zero: [Bit; 4],
    sign: [Bit; 3],
    /// Length of a step in bits, as a chain of "longer?" questions.
    length: [[Bit; STEP_BITS]; 4],
    /// The top bits below the leading one.
    digits: [[Bit; 2]; STEP_BITS + 1],
}

impl Model {
    pub(super) fn new() -> Model {
        let mut row = [Bit::EVEN; BUCKETS];
        for (bucket, bit) in row.iter_mut().enumerate() {
            *bit = Bit::guess([32_000, 22_000, 16_000, 12_000, 8_000, 5_500, 3_600, 2_400, 1_600, 1_200][bucket]);
        }
        Model {
            moves: [row; CLASSES],
            zero: [Bit::guess(6_000); 4],
            sign: [Bit::EVEN; 3],
            length: [[Bit::guess(45_000); STEP_BITS]; 4],
            digits: [[Bit::EVEN; 2]; STEP_BITS + 1],
        }
    }

    /// One game, in either direction. When decoding, `game` is empty and is filled.
    pub(super) fn game<R: Rules, C: Coder>(
        &mut self,
        coder: &mut C,
        variant: Variant,
        game: &mut SelfPlay,
        decode: bool,
    ) -> Result<(), GamesError> {
        if variant == Variant::Chess960 {
            game.array = Some(coder.uniform(game.array.unwrap_or(STANDARD).into(), ARRAYS)? as u16);
        }
        let plies = coder.uniform(game.moves.len() as u32, MAX_PLIES as u32 + 1)? as usize;
        let opening = coder.uniform(game.opening as u32, MAX_OPENING as u32 + 1)? as usize;
        let verdict = coder.uniform(game.verdict as u32, 3)?;
        if opening > plies {
            return Err(GamesError::Damaged("a game is shorter than its opening"));
        }
        game.opening = opening;
        game.verdict = [SelfPlayResult::BlackWins, SelfPlayResult::Draw, SelfPlayResult::WhiteWins][verdict as usize];
        let mut pos = game.start::<R>();
        let mut last = Move::NONE;
        let mut steps = Steps::default();
        for ply in 0..plies {
            let wanted = if decode { Move::NONE } else { game.moves[ply] };
            let mv =
                if ply < opening { uniform_move(coder, &pos, wanted)? } else { self.mv(coder, &pos, last, wanted)? };
            if decode {
                game.moves.push(mv);
            }
            if ply >= opening {
                let wanted = if decode { 0 } else { i32::from(game.scores[ply - opening]) };
                let score = self.score(coder, &mut steps, wanted)?;
                if decode {
                    game.scores.push(score as i16);
                }
            }
            pos = pos.after_unchecked(mv);
            last = mv;
        }
        Ok(())
    }

    /// Asks of each legal move in order whether it is the one.
    fn mv<R: Rules, C: Coder>(
        &mut self,
        coder: &mut C,
        pos: &Position<R>,
        last: Move,
        wanted: Move,
    ) -> Result<Move, GamesError> {
        let legal = pos.legal_moves();
        let attacked = pos.attacked_by(!pos.side_to_move());
        let mut keyed = [(0u32, Move::NONE); 256];
        for (slot, &mv) in keyed.iter_mut().zip(legal.iter()) {
            *slot = (class(mv, last, attacked) << 16 | u32::from(mv.to_u16()), mv);
        }
        let keyed = &mut keyed[..legal.len()];
        keyed.sort_unstable_by_key(|&(key, _)| key);
        for (i, &(key, mv)) in keyed.iter().enumerate() {
            let left = keyed.len() - i;
            if left == 1 {
                return if wanted.is_none() || wanted == mv { Ok(mv) } else { Err(GamesError::IllegalMove) };
            }
            if coder.bit(&mut self.moves[(key >> 16) as usize][bucket(left)], mv == wanted)? {
                return Ok(mv);
            }
        }
        Err(GamesError::Damaged("a game goes on after its end"))
    }

    fn score<C: Coder>(&mut self, coder: &mut C, steps: &mut Steps, wanted: i32) -> Result<i32, GamesError> {
        let calm = [0, 3, 8].iter().filter(|&&limit| steps.size > limit).count();
        let step = wanted - steps.last;
        if coder.bit(&mut self.zero[calm], step == 0)? {
            steps.size /= 2;
            return Ok(steps.last);
        }
        let negative = coder.bit(&mut self.sign[steps.sign], step < 0)?;
        let size = step.unsigned_abs();
        // Length in bits, then the bits below the leading one.
        let wanted_len = (32 - size.leading_zeros()) as usize;
        let mut len = 1;
        while len <= STEP_BITS && coder.bit(&mut self.length[calm][len - 1], wanted_len > len)? {
            len += 1;
        }
        if len > STEP_BITS {
            return Err(GamesError::Damaged("a score is out of range"));
        }
        let mut value = 1u32;
        for i in (0..len - 1).rev() {
            let digit = size >> i & 1 != 0;
            let depth = len - 2 - i;
            let yes = if depth < 2 {
                coder.bit(&mut self.digits[len][depth], digit)?
            } else {
                coder.uniform(u32::from(digit), 2)? != 0
            };
            value = value << 1 | u32::from(yes);
        }
        let step = if negative { -(value as i32) } else { value as i32 };
        let score = steps.last + step;
        if score.abs() > super::score::DECIDED {
            return Err(GamesError::Damaged("a score is out of range"));
        }
        steps.last = score;
        steps.size = (steps.size + step.abs()) / 2;
        steps.sign = if negative { 1 } else { 2 };
        Ok(score)
    }
}

/// The score before and how restless the scores are.
#[derive(Default)]
struct Steps {
    last: i32,
    size: i32,
    sign: usize,
}

/// Random moves carry no pattern.
fn uniform_move<R: Rules, C: Coder>(coder: &mut C, pos: &Position<R>, wanted: Move) -> Result<Move, GamesError> {
    let mut moves: Vec<Move> = pos.legal_moves().iter().copied().collect();
    moves.sort_unstable_by_key(|mv| mv.to_u16());
    if moves.is_empty() {
        return Err(GamesError::Damaged("a game goes on after its end"));
    }
    let index = moves.iter().position(|&mv| mv == wanted);
    let index = coder.uniform(index.unwrap_or(0) as u32, moves.len() as u32)? as usize;
    Ok(moves[index])
}

const RANK: [u32; 6] = [1, 3, 3, 5, 9, 99];

/// The class of a move: small classes are asked first, so that likely moves cost few questions.
fn class(mv: Move, last: Move, attacked: Bitboard) -> u32 {
    let to_attacked = u32::from(attacked.has(mv.to()));
    let from_attacked = u32::from(attacked.has(mv.from()));
    if let Some(victim) = mv.captured() {
        let back = u32::from(last.is_some() && last.to() == mv.to() && last.is_capture());
        let (gain, loss) = (RANK[victim.kind().index()], RANK[mv.piece().kind().index()]);
        let trade = if gain > loss { 0 } else { 1 + u32::from(gain < loss) };
        if trade == 2 && to_attacked == 1 {
            return 42 + (1 - back);
        }
        return (1 - back) * 6 + trade * 2 + to_attacked;
    }
    if mv.is_promotion() {
        return 12 + to_attacked;
    }
    if mv.is_castle() {
        return 14;
    }
    // Quiet: pieces under attack that step to safety first, pieces that step into one last.
    let kind = mv.piece().kind().index() as u32;
    15 + match (from_attacked, to_attacked) {
        (1, 0) => kind,
        (0, 0) => 6 + kind,
        (1, _) => 12 + kind,
        _ => 18 + kind,
    }
}

fn bucket(left: usize) -> usize {
    match left {
        0..=2 => 0,
        3 => 1,
        4 => 2,
        5..=6 => 3,
        7..=9 => 4,
        10..=14 => 5,
        15..=22 => 6,
        23..=33 => 7,
        34..=50 => 8,
        _ => 9,
    }
}

/// Whether a position is one to learn from: see [`super::Filter`].
pub(super) fn is_calm<R: Rules>(pos: &Position<R>, mv: Move) -> bool {
    mv.is_quiet() && !pos.in_check()
}

/// The nibble of a square for a flat record: 0 empty, 1–6 own, 9–14 the opponent's (a Bia-ngai is a Met).
pub(super) fn nibble(kind: Kind, own: bool) -> u8 {
    kind.index() as u8 + 1 + if own { 0 } else { 8 }
}

/// Sign that turns White's view into the view of `color`.
pub(super) fn view(color: Color) -> i32 {
    if color == Color::White { 1 } else { -1 }
}

//! Counting leaves.

use crate::moves::Move;
use crate::position::Position;

impl Position {
    /// The number of leaves `depth` plies deep.
    pub fn perft(&self, depth: u32) -> u64 {
        let mut moves = Vec::with_capacity(1024);
        self.clone().leaves(depth, &mut moves)
    }

    /// [`perft`](Self::perft) behind each legal move.
    pub fn divide(&self, depth: u32) -> Vec<(Move, u64)> {
        let mut position = self.clone();
        let mut scratch = Vec::with_capacity(1024);
        self.moves()
            .into_iter()
            .map(|m| {
                let undo = position.make(m);
                let leaves = position.leaves(depth.saturating_sub(1), &mut scratch);
                position.unmake(undo);
                (m, leaves)
            })
            .collect()
    }

    /// The moves of all plies share one list, each ply working above those below it.
    fn leaves(&mut self, depth: u32, moves: &mut Vec<Move>) -> u64 {
        if depth == 0 {
            return 1;
        }
        let floor = moves.len();
        self.pseudo_moves(moves);
        let mover = self.turn;
        let mut sum = 0;
        for i in floor..moves.len() {
            let undo = self.make(moves[i]);
            if !self.king_attacked(mover) {
                sum += self.leaves(depth - 1, moves);
            }
            self.unmake(undo);
        }
        moves.truncate(floor);
        sum
    }
}

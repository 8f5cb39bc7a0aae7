//! The terms of the chess evaluation: what each weight multiplies.
//!
//! Ranks are counted from the owner's side, 0 to 7. "Edge" is the distance of a file from the nearer edge, 0 to 3.

use crate::layout::terms;

terms! {
    /// Piece values, pawn to queen.
    MATERIAL[5] Material Linear;
    /// Knights and rooks, each times own pawns; two knights; two rooks; the bishop pair times own pawns.
    IMBALANCE[5] Material Linear;
    /// `[own king's bucket 3][kind 5][square]`; board turned to the owner and mirrored so that his king stands on e–h.
    PLACE_OWN[3 * 5 * 64] Placement Linear;
    /// `[enemy king's bucket 3][kind 5][square]`; board turned to the owner and mirrored so that the enemy king is on e–h.
    PLACE_THEIR[3 * 5 * 64] Placement Linear;
    /// `[square]`, files e–h only in use.
    PLACE_KING[64] Placement Linear;

    /// Squares a piece can safely go to.
    MOBILITY_KNIGHT[9] Mobility Linear;
    MOBILITY_BISHOP[14] Mobility Linear;
    MOBILITY_ROOK[15] Mobility Linear;
    MOBILITY_QUEEN[28] Mobility Linear;

    /// `[opposed 2][edge 4]`: no friend on a neighbour file.
    PAWN_ISOLATED[8] Pawns Linear;
    /// `[opposed 2]`: cannot be supported, and its next square is controlled by an enemy pawn.
    PAWN_BACKWARD[2] Pawns Linear;
    /// `[supported 2]`: a friend stands directly behind.
    PAWN_DOUBLED[2] Pawns Linear;
    /// `[rank]`: a friend beside it.
    PAWN_PHALANX[8] Pawns Linear;
    /// `[rank]`: defended by a friend.
    PAWN_SUPPORTED[8] Pawns Linear;
    /// Attacks an enemy pawn: tension, `[supported 2]`.
    PAWN_LEVER[2] Pawns Linear;
    /// Blocked by an enemy pawn, `[rank]`.
    PAWN_BLOCKED[8] Pawns Linear;
    /// Pawns left, `[count]`.
    PAWN_COUNT[9] Pawns Linear;

    /// `[rank]`: one exchange away from being passed.
    PASSED_CANDIDATE[8] Passed Linear;
    /// `[rank]`.
    PASSED_RANK[8] Passed Linear;
    /// `[edge]`.
    PASSED_EDGE[4] Passed Linear;
    /// Defended by a pawn, `[rank]`.
    PASSED_PROTECTED[8] Passed Linear;
    /// Another passed pawn beside or one rank apart on a neighbour file, `[rank]`.
    PASSED_CONNECTED[8] Passed Linear;
    /// `[rank 4–5, 6, 7][distance of own king to the next square]`.
    PASSED_OWN_KING[24] Passed Linear;
    /// `[rank 4–5, 6, 7][distance of the enemy king to the next square]`.
    PASSED_THEIR_KING[24] Passed Linear;
    /// `[rank]`: an enemy piece on the next square.
    PASSED_BLOCKED[8] Passed Linear;
    /// `[rank]`: next square free and not attacked.
    PASSED_SAFE_STEP[8] Passed Linear;
    /// `[rank]`: the whole way free of pieces and attacks.
    PASSED_FREE[8] Passed Linear;
    /// `[rank]`: next square defended by us.
    PASSED_ESCORT[8] Passed Linear;
    /// Own rook behind it; enemy rook behind it.
    PASSED_ROOK_BEHIND[2] Passed Linear;
    /// The enemy has no pieces and his king is outside the square.
    PASSED_UNSTOPPABLE[1] Passed Linear;

    /// Protected by a pawn where no enemy pawn can drive it away, `[outside files 2]`.
    KNIGHT_OUTPOST[2] Knights Linear;
    /// Can reach such a square.
    KNIGHT_NEAR_OUTPOST[1] Knights Linear;
    /// A pawn of either side directly in front.
    KNIGHT_BEHIND_PAWN[1] Knights Linear;
    /// `[how closed the position is]`, per knight.
    KNIGHT_CLOSED[9] Knights Linear;
    /// Distance to own and to enemy king.
    KNIGHT_KING_DISTANCE[2] Knights Linear;

    BISHOP_PAIR[1] Bishops Linear;
    BISHOP_OUTPOST[2] Bishops Linear;
    BISHOP_BEHIND_PAWN[1] Bishops Linear;
    BISHOP_KING_DISTANCE[2] Bishops Linear;
    /// Own pawns on its colour; those of them that are blocked.
    BISHOP_BAD_PAWNS[2] Bishops Linear;
    /// Sees both centre squares of its diagonal past pieces.
    BISHOP_LONG_DIAGONAL[1] Bishops Linear;
    /// Enemy pawns on its lines.
    BISHOP_XRAY_PAWNS[1] Bishops Linear;

    /// No pawn on the file; no own pawn on it; an own blocked pawn on it.
    ROOK_FILE[3] Rooks Linear;
    /// `[how closed the position is]`, per rook.
    ROOK_CLOSED[9] Rooks Linear;
    /// On the seventh with king behind or pawns beside.
    ROOK_SEVENTH[1] Rooks Linear;
    /// Shut in by its own king: `[castling still possible 2]`.
    ROOK_TRAPPED[2] Rooks Linear;
    /// The enemy king, or a queen, on the same file.
    ROOK_FACES_KING[1] Rooks Linear;
    ROOK_FACES_QUEEN[1] Rooks Linear;

    /// An enemy slider looks at the queen through one piece.
    QUEEN_DISCOVERED[1] Queens Linear;
    /// Beyond the fourth rank, out of reach of enemy pawns.
    QUEEN_INFILTRATED[1] Queens Linear;

    /// `[edge][rank of the nearest own pawn ahead, 0 = none]`, for the king's file and its neighbours.
    KING_SHELTER[32] King Linear;
    /// `[edge][rank of the nearest enemy pawn ahead, 0 = none]`, when free to advance.
    KING_STORM[32] King Linear;
    /// `[rank]` of an enemy pawn that an own pawn blocks.
    KING_STORM_BLOCKED[8] King Linear;
    /// On a file without own pawns, without enemy pawns, without both.
    KING_OPEN_FILE[3] King Linear;
    /// Right to castle on the king's side and on the queen's side.
    KING_CASTLE[2] King Linear;
    /// `[count]` of own men in the ring.
    KING_DEFENDERS[10] King Linear;
    /// No pawn of either side on the king's flank.
    KING_PAWNLESS[1] King Linear;
    /// Distance of the king to the nearest pawn.
    KING_PAWN_DISTANCE[1] King Linear;

    /// Units of danger: always.
    DANGER_BASE[1] King Danger;
    /// Attackers of the king's ring by kind, each times the number of attackers.
    DANGER_ATTACKER[4] King Danger;
    /// Attacks on squares beside the king.
    DANGER_RING[1] King Danger;
    /// Ring squares attacked and not held.
    DANGER_WEAK_RING[1] King Danger;
    /// Safe checks `[knight, bishop, rook, queen][one, more]`.
    DANGER_CHECK[8] King Danger;
    /// Checks that could be answered by a capture.
    DANGER_UNSAFE_CHECK[1] King Danger;
    /// Pieces pinned or shielding the king.
    DANGER_PINNED[1] King Danger;
    /// Enemy attacks in the king's camp and flank; second attacks; own defence there.
    DANGER_FLANK[3] King Danger;
    /// The attacker has no queen.
    DANGER_NO_QUEEN[1] King Danger;
    /// A knight defends beside the king.
    DANGER_KNIGHT_GUARD[1] King Danger;
    /// Files at the king without own pawns ahead; files without any pawn.
    DANGER_BARE_FILE[2] King Danger;
    /// Mobility the king's square would give a queen (virtual mobility).
    DANGER_VIRTUAL[1] King Danger;
    /// The attacker is to move.
    DANGER_TEMPO[1] King Danger;

    /// A pawn attacks a piece `[knight, bishop, rook, queen]`.
    THREAT_PAWN[4] Threats Linear;
    /// A safe push would attack one.
    THREAT_PUSH[4] Threats Linear;
    /// `[defended 2][kind 5]` attacked by a minor piece, a rook, a queen.
    THREAT_MINOR[10] Threats Linear;
    THREAT_ROOK[10] Threats Linear;
    THREAT_QUEEN[10] Threats Linear;
    /// The king attacks a weak pawn or piece.
    THREAT_KING[1] Threats Linear;
    /// Attacked and undefended, `[pawn, piece]`.
    THREAT_HANGING[2] Threats Linear;
    /// Squares that both attack and that are not firmly theirs.
    THREAT_RESTRICTION[1] Threats Linear;
    /// Safe squares from which a knight, a bishop or a rook would attack the queen.
    THREAT_ON_QUEEN[3] Threats Linear;
    /// Weak pieces that only the queen holds.
    THREAT_QUEEN_HELD[1] Threats Linear;
    /// Pieces of the enemy pinned to his king.
    THREAT_PINNED[4] Threats Linear;

    /// Safe squares behind the own pawn chain on files c–f, times pieces.
    SPACE[1] Space Linear;

    TEMPO[1] Tempo Linear;

    /// Always; per pawn; per passed pawn; pawns on both wings; pawn end game; a king over the middle; file minus rank distance of the kings.
    COMPLEXITY[7] Complexity Complexity;
}

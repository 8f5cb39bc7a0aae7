//! The terms of the Makruk evaluation: what each weight multiplies.
//!
//! Ranks are counted from the owner's side, 0 to 7. Bia start on rank 2 and turn over on rank 5.

use crate::layout::terms;

terms! {
    /// Bia, Ma, Thon, Rua, Met (and Bia-ngai).
    MATERIAL[5] Material Linear;
    /// `[kind 5][square]`; board turned to the owner and mirrored so that the own Khun stands on e–h.
    PLACE_OWN[5 * 64] Placement Linear;
    /// `[kind 5][square]`; board turned to the owner and mirrored so that the enemy Khun stands on e–h.
    PLACE_THEIR[5 * 64] Placement Linear;
    /// `[square]`, files e–h only in use.
    PLACE_KHUN[64] Placement Linear;

    MOBILITY_MA[9] Mobility Linear;
    MOBILITY_THON[6] Mobility Linear;
    MOBILITY_RUA[15] Mobility Linear;
    MOBILITY_MET[5] Mobility Linear;

    /// `[count]`.
    BIA_COUNT[9] Pawns Linear;
    BIA_ISOLATED[1] Pawns Linear;
    BIA_DOUBLED[1] Pawns Linear;
    /// `[rank]`.
    BIA_PHALANX[8] Pawns Linear;
    BIA_SUPPORTED[8] Pawns Linear;
    /// `[rank]`: an enemy Bia on the next square.
    BIA_BLOCKED[8] Pawns Linear;
    /// Held by no piece or pawn at all.
    BIA_LOOSE[1] Pawns Linear;

    /// `[rank]`: no enemy Bia ahead on its own or a neighbour file.
    PASSED_RANK[8] Passed Linear;
    /// `[rank]`: next square empty and not attacked.
    PASSED_SAFE_STEP[8] Passed Linear;
    /// The square on which it turns over: attacked by us alone, by them alone, by both, by nobody.
    PASSED_GOAL[4] Passed Linear;
    /// Distance of own and of enemy Khun to that square.
    PASSED_KHUN_DISTANCE[2] Passed Linear;

    /// Protected by a Bia, out of reach of enemy Bia.
    MA_OUTPOST[1] Knights Linear;
    /// Distance to own and to enemy Khun.
    MA_KHUN_DISTANCE[2] Knights Linear;

    /// Protected by a Bia; beside the own Khun; distance to the enemy Khun.
    THON_PROTECTED[1] Bishops Linear;
    THON_BESIDE_KHUN[1] Bishops Linear;
    THON_KHUN_DISTANCE[1] Bishops Linear;

    /// No Bia on the file; no own Bia on it.
    RUA_FILE[2] Rooks Linear;
    /// On the enemy's first two ranks.
    RUA_DEEP[1] Rooks Linear;
    /// Another Rua sees it.
    RUA_LINKED[1] Rooks Linear;
    /// On the enemy Khun's file or rank.
    RUA_FACES_KHUN[1] Rooks Linear;

    /// Mets on both shades: together they bar every square.
    MET_BOTH_SHADES[1] Queens Linear;
    /// `[count]` of Mets beyond the first on one shade.
    MET_ONE_SHADE[1] Queens Linear;
    /// Protected by a Bia; distance to the enemy Khun.
    MET_PROTECTED[1] Queens Linear;
    MET_KHUN_DISTANCE[1] Queens Linear;

    /// Own men beside the Khun; own Bia on his file or beside it ahead.
    KHUN_GUARDS[1] King Linear;
    KHUN_SHELTER[1] King Linear;
    /// On a file without Bia while the enemy has a Rua.
    KHUN_OPEN_FILE[1] King Linear;

    DANGER_BASE[1] King Danger;
    /// Attackers of the ring by kind (Ma, Thon, Rua, Met), each times their number.
    DANGER_ATTACKER[4] King Danger;
    DANGER_RING[1] King Danger;
    DANGER_WEAK_RING[1] King Danger;
    /// Safe checks by kind.
    DANGER_CHECK[4] King Danger;
    /// Squares the Khun may go to.
    DANGER_ESCAPES[1] King Danger;
    DANGER_NO_RUA[1] King Danger;
    DANGER_TEMPO[1] King Danger;

    /// A Bia attacks a piece (Ma, Thon, Rua, Met).
    THREAT_BIA[4] Threats Linear;
    /// A push would.
    THREAT_PUSH[4] Threats Linear;
    /// `[defended 2][kind 5]` attacked by a short piece, by a Rua.
    THREAT_MINOR[10] Threats Linear;
    THREAT_RUA[10] Threats Linear;
    THREAT_HANGING[2] Threats Linear;
    THREAT_RESTRICTION[1] Threats Linear;
    THREAT_PINNED[1] Threats Linear;

    TEMPO[1] Tempo Linear;

    /// Always; per Bia on the board; the better side has no Bia; no Bia at all, so that the count runs.
    COMPLEXITY[4] Complexity Complexity;
}

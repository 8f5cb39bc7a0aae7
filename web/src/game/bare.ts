import type { MakrukCount, TableProbe, Uci } from "rukh-engine";

/** Moves that the attacker has before the draw. The limit is spoken by the other side, so a half move counts for him. */
export const movesLeft = (count: MakrukCount): number => Math.max(0, Math.ceil((count.limit - count.plies) / 2));

type Move = TableProbe["moves"][number];

/** How good a move is for the side that makes it: a quick win, a draw far from mate, a slow loss. */
const worth = (move: Move): number =>
  move.verdict === "win"
    ? 1000 - (move.plies ?? 0)
    : move.verdict === "draw"
      ? 500 + (move.mateIn ?? 60) / 100
      : (move.plies ?? 0);

/** The moves of a position of the tables, the best first. */
export const bestFirst = (probe: TableProbe): Move[] => [...probe.moves].sort((a, b) => worth(b) - worth(a));

/** The best move: for a bare Khun the longest defence. */
export const bestOf = (probe: TableProbe): Uci | null => bestFirst(probe)[0]?.uci ?? null;

import type { Evaluation, Uci } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import type { Searcher } from "../engine/service.ts";
import type { Variant } from "../pieces/names.ts";
import { whiteScore } from "../study/score.ts";

/** A move that gives away no more than this (expected points of a hundred) is as good as the best. */
export const GOOD_ENOUGH = 5;

/** What a move is worth for the side that makes it, and what follows it. */
export interface Judged {
  readonly points: number;
  readonly line: readonly Uci[];
}

/** Looks at a move; null when something else was asked of the engine meanwhile. */
export async function judgeMove(
  engine: Searcher,
  { variant, fen, moves: before = [] }: { variant: Variant; fen: string; moves?: readonly Uci[] },
  move: Uci,
  nodes: number,
): Promise<Judged | null> {
  const { turn } = rules().state({ variant, fen, moves: before });
  const moves = [...before, move];
  const after = rules().state({ variant, fen, moves });
  let score: Evaluation = after.ended?.winner ? { mate: after.ended.winner === "white" ? 1 : -1 } : { cp: 0 };
  let line: readonly Uci[] = [];
  if (!after.ended) {
    const job = { variant, start: fen, moves, elo: null, go: { nodes } };
    const info = (await engine.run(job, () => undefined))?.lines[0];
    if (!info) return null;
    score = whiteScore(info);
    line = info.pv;
  }
  const white = rules().chances(variant, score).expectation;
  return { points: turn === "white" ? white : 100 - white, line };
}

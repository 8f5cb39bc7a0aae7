import type { Evaluation, Uci } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import { VERDICT_NAMES, type Verdict } from "../game/signs.ts";
import type { GameTree } from "../game/tree.ts";
import type { Found, ReviewResult } from "./review.ts";

/** A review as it is kept with its game, finished or not. */
interface Kept {
  readonly moves: readonly Uci[];
  readonly found: readonly { readonly score: Evaluation; readonly pv: readonly Uci[] }[];
  /** Only of a finished one. */
  readonly verdicts?: readonly (Verdict | null)[];
  /** Somebody did not want it to go on. */
  readonly stopped?: boolean;
}

const movesOf = (tree: GameTree): Uci[] => tree.path(tree.mainLine().at(-1)!);
const plain = (found: readonly Found[]) => found.map(({ score, pv }) => ({ score, pv: [...pv] }));

export const keepFinished = (tree: GameTree, { found, verdicts }: ReviewResult): Kept => ({
  moves: movesOf(tree),
  found: plain(found),
  verdicts: [...verdicts],
});

export const keepUnfinished = (tree: GameTree, found: readonly Found[], stopped: boolean): Kept => ({
  moves: movesOf(tree),
  found: plain(found),
  stopped,
});

function isKept(value: unknown): value is Kept {
  const kept = value as Partial<Kept> | null;
  return (
    typeof kept === "object" &&
    kept !== null &&
    Array.isArray(kept.moves) &&
    Array.isArray(kept.found) &&
    kept.found.every((at) => at && typeof at.score === "object" && Array.isArray(at.pv))
  );
}

/** A finished review of this very line, as it was. */
export function readFinished(tree: GameTree, value: unknown): ReviewResult | null {
  if (!isKept(value) || !value.verdicts) return null;
  const line = tree.mainLine();
  const moves = movesOf(tree);
  if (value.moves.join() !== moves.join() || value.found.length !== line.length) return null;
  if (!value.verdicts.every((verdict) => verdict === null || verdict in VERDICT_NAMES)) return null;
  const found = value.found.map((at, i) => ({ ...at, node: line[i]! }));
  const review = rules().review(
    tree.variant,
    tree.turnAtStart,
    found.map(({ score }) => score),
  );
  return { line, found, review, verdicts: value.verdicts };
}

/** What a review that did not come to its end had found, as far as the moves are the same. */
export function readUnfinished(tree: GameTree, value: unknown): { found: Found[]; stopped: boolean } | null {
  if (!isKept(value) || value.verdicts || value.found.length === 0) return null;
  const line = tree.mainLine();
  const moves = movesOf(tree);
  const other = value.moves.findIndex((move, i) => move !== moves[i]);
  const same = Math.min(other < 0 ? value.moves.length + 1 : other + 1, value.found.length, line.length);
  return { found: value.found.slice(0, same).map((at, i) => ({ ...at, node: line[i]! })), stopped: !!value.stopped };
}

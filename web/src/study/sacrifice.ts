import type { Uci } from "rukh-engine";
import { readPlacement } from "../board/placement.ts";
import { rules } from "../engine/rules.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";

// Pawns, as players count.
const WORTH: Readonly<Record<string, number>> = { p: 1, n: 3, b: 3, s: 2.5, m: 1.5, r: 5, q: 9, k: 0 };
/** So much must be given, and stay given for so many plies of the line. */
const GIVEN = 2;
const PLIES = 5;

/** What White has more than Black. */
function balance(fen: string): number {
  let sum = 0;
  for (const { kind, white } of readPlacement(fen).values()) sum += (white ? 1 : -1) * (WORTH[kind] ?? 0);
  return sum;
}

/** Whether the line begins by giving material away that does not come back at once. A line that ends in mate may be shorter. */
export function isSacrifice(tree: GameTree, from: TreeNode, pv: readonly Uci[]): boolean {
  const spec = tree.spec(from);
  const line = rules().line(spec, pv.slice(0, PLIES)).moves;
  if (line.length < 2) return false;
  const sign = tree.state(from).turn === "white" ? 1 : -1;
  const before = sign * balance(from.fen);
  // After each answer: between them a piece may just be on its way back.
  const answered = line.filter((_, i) => i % 2 === 1).map((move) => sign * balance(move.fen));
  const settled = sign * balance(line.at(-1)!.fen);
  const mates = line.at(-1)!.san.endsWith("#");
  return answered.some((after) => before - after >= GIVEN) && (mates || before - settled >= GIVEN);
}

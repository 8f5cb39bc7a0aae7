import type { BoardState, Color } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import { isBad, type Verdict } from "../game/signs.ts";
import type { GameTree } from "../game/tree.ts";
import type { Row } from "../library/rows.ts";
import type { ReviewResult } from "../study/review.ts";

export type Phase = BoardState["phase"];

/** One of the three things that a game teaches; `at` is the move in the line, from 0. */
export type Thing =
  | { readonly is: "mistake"; readonly at: number; readonly loss: number }
  /** The opponent went wrong at `at`, and the answer gave it back. */
  | { readonly is: "chance"; readonly at: number; readonly loss: number }
  | { readonly is: "good"; readonly at: number; readonly verdict: Verdict }
  | { readonly is: "clean" }
  | { readonly is: "accuracy"; readonly value: number }
  | { readonly is: "opening"; readonly name: string; readonly moves: number }
  /** Where most was given away. */
  | { readonly is: "phase"; readonly phase: Phase; readonly loss: number; readonly moves: number };

const PRAISE: readonly Verdict[] = ["brilliant", "great", "only"];
/** Points of a hundred: less is nothing to speak of. */
const WORTH = 10;

/** Three things, each from the review: what cost most, a second one, and where in the game. */
export function threeThings(tree: GameTree, { line, review, verdicts }: ReviewResult, human: Color): Thing[] {
  const own = review.moves.flatMap((move, at) => (tree.state(line[at]!).turn === human ? [{ at, move }] : []));
  const bad = own.filter(({ at }) => isBad(verdicts[at] ?? null)).sort((a, b) => b.move.loss - a.move.loss);
  const things: Thing[] = [];
  const worst = bad[0];
  things.push(worst ? { is: "mistake", at: worst.at, loss: worst.move.loss } : { is: "clean" });
  const chance = own
    .filter(({ at, move }) => at !== worst?.at && at > 0 && Math.min(move.loss, review.moves[at - 1]!.loss) >= WORTH)
    .sort((a, b) => b.move.loss - a.move.loss)[0];
  const praised = own.find(({ at }) => PRAISE.includes(verdicts[at] ?? "book"));
  if (chance) things.push({ is: "chance", at: chance.at - 1, loss: chance.move.loss });
  else if (praised) things.push({ is: "good", at: praised.at, verdict: verdicts[praised.at]! });
  else if (bad[1] && bad[1].move.loss >= WORTH) things.push({ is: "mistake", at: bad[1].at, loss: bad[1].move.loss });
  else things.push({ is: "accuracy", value: review[human].accuracy ?? 100 });
  things.push(placeOf(tree, line, own));
  return things;
}

/** The phase in which most was given away; where nothing was, what the opening is called. */
function placeOf(
  tree: GameTree,
  line: ReviewResult["line"],
  own: readonly { at: number; move: ReviewResult["review"]["moves"][number] }[],
): Thing {
  const sums = new Map<Phase, { loss: number; moves: number }>();
  for (const { at, move } of own) {
    const { phase } = tree.state(line[at]!);
    const sum = sums.get(phase) ?? { loss: 0, moves: 0 };
    sums.set(phase, { loss: sum.loss + move.loss, moves: sum.moves + 1 });
  }
  const [phase, sum] = [...sums].sort(([, a], [, b]) => b.loss - a.loss)[0] ?? ["opening", { loss: 0, moves: 0 }];
  const opening = sum.loss < WORTH ? rules().opening(tree.spec(line.at(-1)!)) : null;
  return opening
    ? { is: "opening", name: opening.name, moves: Math.ceil(opening.ply / 2) }
    : { is: "phase", phase, ...sum };
}

/** Games that say something about a level. */
const RECENT = 5;

/** Whether the last games against a level ask for another one: 1 a stronger, -1 a weaker, 0 neither. */
export function levelAdvice(rows: readonly Row[], level: string): 1 | -1 | 0 {
  const name = `(${level})`;
  const points = [...rows]
    .sort((a, b) => b.changed - a.changed)
    .flatMap(({ white, black, result, trashed }) => {
      const human =
        white === "You" && black.endsWith(name) ? "1-0" : black === "You" && white.endsWith(name) ? "0-1" : null;
      return human === null || trashed || result === "*" ? [] : [result === human ? 1 : result === "1/2-1/2" ? 0.5 : 0];
    })
    .slice(0, RECENT);
  if (points.length < RECENT) return 0;
  const sum = points.reduce((a: number, b) => a + b, 0);
  return sum >= 4 ? 1 : sum <= 1 ? -1 : 0;
}

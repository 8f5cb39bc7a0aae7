import type { Color } from "rukh-engine";
import { rules } from "../../engine/rules.ts";
import type { Verdict } from "../../game/signs.ts";
import type { GameTree } from "../../game/tree.ts";
import type { ReviewResult } from "../../study/review.ts";
import type { Draft } from "./card.ts";

/** The code of a position, without clocks. */
export type Coder = (position: { variant: GameTree["variant"]; fen: string }) => Promise<string>;

// An inaccuracy is a matter of taste too often to be asked for again and again.
const WORTH: ReadonlySet<Verdict | null> = new Set(["mistake", "blunder", "missedWin"]);
const LINE_LENGTH = 8;

/** The cards of a finished review: where a side that is `mine` went wrong. */
export async function draftsOf(
  tree: GameTree,
  { line, found, review, verdicts }: ReviewResult,
  mine: (side: Color) => boolean,
  game: string,
  code: Coder,
): Promise<Draft[]> {
  const { variant } = tree;
  const drafts: Draft[] = [];
  for (const [i, verdict] of verdicts.entries()) {
    const [at, after, move] = [found[i], found[i + 1], review.moves[i]];
    if (!WORTH.has(verdict) || !at?.pv[0] || !move) continue;
    const { fen, turn } = tree.state(line[i]!);
    const played = line[i + 1]!;
    // A pass is no move, and a move that is the engine's own is no mistake.
    if (!mine(turn) || played.uci === "0000" || played.uci === at.pv[0]) continue;
    const white = rules().chances(variant, at.score).expectation;
    drafts.push({
      id: `${variant}:${await code({ variant, fen })}`,
      variant,
      fen,
      good: [at.pv[0]],
      line: at.pv.slice(0, LINE_LENGTH),
      points: turn === "white" ? white : 100 - white,
      mistakes: [
        {
          uci: played.uci,
          loss: move.loss,
          line: [...(after?.pv ?? [])].slice(0, LINE_LENGTH),
          games: [game],
          why: "",
        },
      ],
    });
  }
  return drafts;
}

import type { Evaluation, GameReview, Uci } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { whiteScore } from "./lines.ts";

/** What the engine found at one position of the main line. */
export interface Found {
  readonly node: TreeNode;
  /** From White's side. */
  readonly score: Evaluation;
  /** The best line from here; empty at the end of the game. */
  readonly pv: readonly Uci[];
}

/** A game looked through move by move. */
export interface ReviewResult {
  readonly line: readonly TreeNode[];
  readonly found: readonly Found[];
  readonly review: GameReview;
}

const NAG_OF = { inaccuracy: 6, mistake: 2, blunder: 4 } as const;
const WORDS = { inaccuracy: "Inaccuracy", mistake: "Mistake", blunder: "Blunder" } as const;
/** Moves of a better line that are worth showing. */
const LINE_LENGTH = 8;

/** Looks at every position of the main line with the same effort. Ends early when `cancelled` says so. */
export async function reviewGame(
  tree: GameTree,
  onProgress: (found: readonly Found[], total: number) => void,
  cancelled: () => boolean,
): Promise<ReviewResult | null> {
  const line = tree.mainLine();
  const found: Found[] = [];
  await engineService.newGame();
  for (const node of line) {
    if (cancelled()) return null;
    found.push(await lookAt(tree, node));
    onProgress(found, line.length);
  }
  const review = rules().review(
    tree.variant,
    tree.turnAtStart,
    found.map(({ score }) => score),
  );
  return { line, found, review };
}

async function lookAt(tree: GameTree, node: TreeNode): Promise<Found> {
  const state = tree.state(node);
  if (state.ended) return { node, score: finalScore(state.ended.winner), pv: [] };
  const result = await engineService.run(
    {
      variant: tree.variant,
      start: tree.start,
      moves: tree.path(node),
      elo: null,
      go: { nodes: settings.reviewNodes },
    },
    () => undefined,
  );
  const info = result?.lines[0];
  if (!info) throw new Error("The review was interrupted.");
  return { node, score: whiteScore(info) as Evaluation, pv: info.pv };
}

// Mate on the board: no moves are left, but somebody has won.
const finalScore = (winner: "white" | "black" | null): Evaluation =>
  winner === null ? { cp: 0 } : { mate: winner === "white" ? 1 : -1 };

/** Writes the review into the tree: evaluations, signs, words and the better line as a variation. */
export function annotate(tree: GameTree, result: ReviewResult): void {
  result.found.forEach(({ node, score }) => (node.eval = score));
  result.review.moves.forEach((move, i) => {
    const node = result.line[i + 1];
    const before = result.found[i];
    if (!node || !before) return;
    node.nags = node.nags.filter((nag) => nag > 6);
    node.comments = node.comments.filter((text) => !/^(Inaccuracy|Mistake|Blunder)\. /.test(text));
    if (!move.judgement) return;
    node.nags.unshift(NAG_OF[move.judgement]);
    const best = rules().line(
      { variant: tree.variant, fen: tree.start, moves: tree.path(before.node) },
      before.pv.slice(0, 1),
    ).moves[0];
    node.comments.unshift(`${WORDS[move.judgement]}. ${best ? `Better was ${best.san}.` : ""}`.trim());
    betterLine(tree, before);
  });
}

/** The better line as a variation of the move that was played; returns its first move. */
export function betterLine(tree: GameTree, before: Found): TreeNode | null {
  if (before.pv.length === 0) return null;
  tree.playLine(before.node, before.pv.slice(0, LINE_LENGTH));
  return before.node.children.find((child) => child.uci === before.pv[0]) ?? null;
}

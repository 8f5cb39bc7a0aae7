import { rules } from "../engine/rules.ts";
import { said, t } from "../messages/messages.ts";
import { readPosition } from "../game/positions.ts";
import { GameTree, type TreeNode } from "../game/tree.ts";
import { VARIANTS, type Variant } from "../pieces/names.ts";

/** The address of a position and the line to it: short where the game began as usual. */
export function shareQuery(tree: GameTree, node: TreeNode): Record<string, string> {
  const query: Record<string, string> = {};
  if (tree.variant !== "chess") query.variant = tree.variant;
  const moves = tree.path(node);
  if (tree.start !== rules().state({ variant: tree.variant }).fen) query.fen = tree.start;
  if (moves.length) query.moves = moves.join(",");
  return query;
}

/** Reads an address; the error is for the person who was sent it. */
export function readShare(query: URLSearchParams): { tree: GameTree; node: TreeNode; error: string | null } | null {
  if (!query.has("fen") && !query.has("moves") && !query.has("variant")) return null;
  const named = query.get("variant") as Variant;
  const variant: Variant = VARIANTS.includes(named) ? named : "chess";
  let error: string | null = null;
  let tree = GameTree.fresh(variant);
  const fen = query.get("fen");
  if (fen) {
    const read = readPosition(fen, variant);
    if ("error" in read) error = t("The position in the link is not legal: {why}", { why: said(read.error) });
    else tree = new GameTree(read.variant, read.fen);
  }
  const wanted = (query.get("moves") ?? "").split(",").filter(Boolean);
  const node = error ? tree.root : tree.playLine(tree.root, wanted);
  if (!error && node.ply < wanted.length)
    error = t("The move {move} in the link cannot be played.", { move: wanted[node.ply]! });
  return { tree, node, error };
}

/** Follows a line in a tree that may already have it. */
export function follow(tree: GameTree, moves: readonly string[]): TreeNode | null {
  let at: TreeNode | undefined = tree.root;
  for (const move of moves) at = at?.children.find((child) => child.uci === move);
  return at ?? null;
}

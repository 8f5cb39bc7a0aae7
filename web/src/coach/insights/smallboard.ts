import { settings } from "../../app/settings.ts";
import { type Side, cornerOf, parseSquare } from "../../board/geometry.ts";
import { type Arrow, drawArrows, drawSquares } from "../../board/layers.ts";
import { readPlacement } from "../../board/placement.ts";
import type { Variant } from "../../pieces/names.ts";
import { installSprite, pieceSetOf, symbolId } from "../../pieces/sprite.ts";
import { h } from "../../ui/dom.ts";

/** A position as a picture: no grid, nothing to move, so that a page may have many. What it shows is said beside it. */
export function smallBoard(
  variant: Variant,
  fen: string,
  moves: readonly (readonly [uci: string | null | undefined, tone: Arrow["tone"]])[],
): HTMLElement {
  installSprite();
  const side: Side = fen.split(" ")[1] === "b" ? "black" : "white";
  const set = pieceSetOf(variant, settings.westernMakruk);
  const pieces = [...readPlacement(fen)].map(([square, piece]) => {
    const { x, y } = cornerOf(square, side);
    return `<use class="${piece.white ? "pw" : "pk"}" href="#${symbolId(piece, set)}" x="${x}" y="${y}" width="100" height="100"/>`;
  });
  const arrows = moves.flatMap(([uci, tone]): Arrow[] => {
    const [from, to] = [parseSquare(uci?.slice(0, 2) ?? ""), parseSquare(uci?.slice(2, 4) ?? "")];
    return typeof from === "number" && typeof to === "number" ? [{ from, to, tone: tone ?? "best" }] : [];
  });
  const style = variant === "makruk" ? "plain" : "chequered";
  return h("div", {
    class: `small-board ${style}`,
    html: `<svg viewBox="0 0 800 800" aria-hidden="true">${drawSquares(style)}${pieces.join("")}${drawArrows(arrows, side)}</svg>`,
  });
}

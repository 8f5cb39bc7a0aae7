import { readPlacement } from "../board/placement.ts";
import { type Variant, kindName, kindsOf } from "../pieces/names.ts";
import { type Piece, type PieceSet, pieceSvg } from "../pieces/sprite.ts";
import { t } from "../messages/messages.ts";
import { h } from "../ui/dom.ts";

/** What one side has and the other has not, strongest first. Equal pieces cancel out, as in the eye of a player. */
export function surplus(fen: string, white: boolean, variant: Variant): Piece[] {
  const more = new Map<string, number>();
  for (const { kind, promoted, white: owner } of readPlacement(fen).values()) {
    const key = promoted && variant === "makruk" ? `${kind}~` : kind;
    more.set(key, (more.get(key) ?? 0) + (owner === white ? 1 : -1));
  }
  const kinds = kindsOf(variant).flatMap((kind) => (kind === "m" ? ["m", "m~"] : [kind]));
  return kinds.flatMap((key) =>
    Array.from({ length: Math.max(0, more.get(key) ?? 0) }, () => ({
      kind: key[0]!,
      white: !white,
      promoted: key.endsWith("~"),
    })),
  );
}

/** The surplus as small pieces of the side that lost them. */
export function materialRow(fen: string, white: boolean, variant: Variant, set: PieceSet): HTMLElement {
  const pieces = surplus(fen, white, variant);
  const names = pieces.map((piece) => kindName(piece, variant)).join(", ");
  return h("span", {
    class: "material",
    role: "img",
    "aria-label": pieces.length ? t("ahead by {names}", { names }) : "",
    hidden: pieces.length === 0,
    html: pieces.map((piece) => pieceSvg(piece, set)).join(""),
  });
}

import { type Variant, kindName } from "../pieces/names.ts";
import { type Piece, type PieceSet, pieceSvg } from "../pieces/sprite.ts";
import { h } from "../ui/dom.ts";

// What a newcomer needs to know; the engine is the judge.
const MOVES: readonly (readonly [Pick<Piece, "kind" | "promoted">, string])[] = [
  [{ kind: "k", promoted: false }, "one step in any direction"],
  [{ kind: "m", promoted: false }, "one step diagonally"],
  [{ kind: "s", promoted: false }, "one step diagonally or straight ahead"],
  [{ kind: "n", promoted: false }, "as a knight"],
  [{ kind: "r", promoted: false }, "as a rook"],
  [{ kind: "p", promoted: false }, "one step ahead, takes diagonally ahead; turned over on the sixth rank"],
  [{ kind: "m", promoted: true }, "a Bia turned over: moves as a Met"],
];

/** The pieces of Makruk with their names in both languages. */
export function makrukGuide(variant: Variant, set: PieceSet): HTMLElement | null {
  if (variant !== "makruk") return null;
  return h(
    "details",
    { class: "card guide" },
    h("summary", null, "The pieces ", h("span", { lang: "th" }, "ตัวหมาก")),
    h(
      "ul",
      null,
      ...MOVES.map(([piece, text]) =>
        h(
          "li",
          null,
          h("span", { class: "guide-piece", html: pieceSvg({ ...piece, white: true }, set) }),
          h(
            "span",
            null,
            h("strong", null, kindName(piece, "makruk")),
            " ",
            h("span", { lang: "th" }, kindName(piece, "makruk", "thai")),
            h("br"),
            h("span", { class: "small muted" }, text),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "small muted" },
      "Once no Bia is left a count runs. A bare Khun counts against the pieces (from their number up to 8–64); a weaker side with pieces may start counting to 64 itself: while it counts it offers a draw, and its own mate is a draw unless it stopped. Who reaches the last number has drawn.",
    ),
  );
}

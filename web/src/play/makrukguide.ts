import { kindName } from "../pieces/names.ts";
import { type Piece, type PieceSet, pieceSvg } from "../pieces/sprite.ts";
import { h } from "../ui/dom.ts";
import { language, t } from "../messages/messages.ts";

// What a newcomer needs to know; the engine is the judge.
const MOVES: readonly (readonly [Pick<Piece, "kind" | "promoted">, string])[] = [
  [{ kind: "k", promoted: false }, t("one step in any direction")],
  [{ kind: "m", promoted: false }, t("one step diagonally")],
  [{ kind: "s", promoted: false }, t("one step diagonally or straight forward")],
  [{ kind: "n", promoted: false }, t("like a knight")],
  [{ kind: "r", promoted: false }, t("like a rook")],
  [{ kind: "p", promoted: false }, t("one step forward, captures diagonally forward; promotes on the sixth rank")],
  [{ kind: "m", promoted: true }, t("a promoted Bia: moves like a Met")],
];

/** The pieces of Makruk with their names in both languages. */
export function makrukGuide(set: PieceSet): HTMLElement {
  return h(
    "details",
    { class: "card guide" },
    h("summary", null, t("The pieces"), " ", language === "th" ? null : h("span", { lang: "th" }, "ตัวหมาก")),
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
            language === "th" ? null : h("span", { lang: "th" }, kindName(piece, "makruk", "thai")),
            h("br"),
            h("span", { class: "small muted" }, text),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "small muted" },
      t(
        "Once there are no Bia left, there is a count. A bare Khun counts against the pieces (from their number up to 8–64). A weaker side that still has pieces may start counting to 64 itself: while it counts it is offering a draw, and if it gives mate without having stopped counting, the game is drawn. When the count reaches its last number, the game is a draw.",
      ),
    ),
  );
}

import type { OpeningNode } from "rukh-engine";
import { signal } from "../../app/store.ts";
import { VARIANT_NAMES, type Variant, sideName } from "../../pieces/names.ts";
import { choice, select } from "../../ui/controls.ts";
import { button, fill, h } from "../../ui/dom.ts";
import { moveText } from "../../game/movetext.ts";
import { figure, parts, t } from "../../messages/messages.ts";
import { smallBoard } from "./smallboard.ts";

type Side = "white" | "black";

type Path = readonly { key: string; san: string }[];

/** Where somebody is in the tree: kept while the report is made anew. `start` is the first position; empty: the most frequent. */
const place = signal<{ side: Side; start: string; path: Path }>({ side: "white", start: "", path: [] });

const variantOf = ({ key }: OpeningNode): Variant => key.split(":")[0] as Variant;

/** What a first position is called: its game, and its pieces where there are several. */
function startName(root: OpeningNode, roots: readonly OpeningNode[]): string {
  const variant = variantOf(root);
  const ranks = root.fen.split(" ")[0]!.split("/");
  const pieces = /^[a-z]+$/i.test(ranks[7]!) ? ranks[7]! : ranks.join("/");
  const alone = roots.filter((other) => variantOf(other) === variant).length === 1;
  return `${VARIANT_NAMES[variant]}${alone ? "" : ` ${pieces}`} (${figure(root.games)})`;
}

/** Points as they are written on score sheets: `2½`. */
export function pointsText(points: number): string {
  const whole = Math.floor(points);
  const half = points - whole >= 0.5;
  return half ? `${whole || ""}½` : String(whole);
}

/** The tree of one's own openings, one position at a time: games, points and the engine's opinion of each move. */
export function openingTree(trees: Readonly<Record<Side, readonly OpeningNode[]>>): HTMLElement | null {
  if (trees.white.length + trees.black.length === 0) return null;
  if (trees[place.peek().side].length === 0)
    place.value = { side: trees.white.length ? "white" : "black", start: "", path: [] };
  const starts = h("div", { class: "tree-starts" });
  const body = h("div", { class: "tree-body" });
  const go = (path: Path, { side, start } = place.peek()) => {
    place.value = { side, start, path };
    draw();
  };
  const roots = () => trees[place.peek().side].filter(({ ply }) => ply === 0);
  const root = () => roots().find(({ key }) => key === place.peek().start) ?? roots()[0];
  const drawStarts = () => {
    const names = roots().map((root, _, all): [string, string] => [root.key, startName(root, all)]);
    const choose = (start: string) => go([], { ...place.peek(), start });
    fill(starts, names.length > 1 ? select(t("Game"), names, root()!.key, choose) : null);
  };
  const draw = () => {
    const { side, path } = place.peek();
    const nodes = new Map(trees[side].map((node) => [node.key, node]));
    const node = path.length ? nodes.get(path.at(-1)!.key) : root();
    if (!node) {
      if (path.length) go([]);
      else fill(body, h("p", { class: "muted" }, t("No games with this side yet.")));
      return;
    }
    const variant = variantOf(node);
    const own = (node.fen.split(" ")[1] === "w") === (side === "white");
    const opinion = (at: OpeningNode | undefined) =>
      at?.expected === null || !at ? "–" : `${Math.round(at.expected)} %`;
    const rows = node.moves.map((move) => {
      const next = nodes.get(move.to);
      const name = moveText({ san: move.san }, variant);
      return h(
        "tr",
        null,
        h(
          "th",
          { scope: "row" },
          next
            ? h(
                "button",
                { type: "button", class: "move", onClick: () => go([...path, { key: move.to, san: move.san }]) },
                name,
              )
            : name,
          own && node.best === move.san ? h("span", { class: "small best-move" }, ` ${t("engine’s move")}`) : null,
        ),
        h("td", null, String(move.games)),
        h("td", null, `${pointsText(move.points)} · ${Math.round((100 * move.points) / move.games)} %`),
        h("td", null, opinion(next)),
      );
    });
    fill(
      body,
      h(
        "div",
        { class: "row tree-path" },
        button(t("Start"), () => go([]), { class: "small" }),
        ...path.map(({ san }, i) =>
          h(
            "button",
            { type: "button", class: "move", onClick: () => go(path.slice(0, i + 1)) },
            moveText({ san }, variant),
          ),
        ),
      ),
      h(
        "div",
        { class: "tree-at" },
        smallBoard(variant, side === "white" ? turned(node.fen, "w") : turned(node.fen, "b"), [
          [node.moves[0]?.uci, "second"],
        ]),
        h(
          "div",
          { class: "stack" },
          h(
            "p",
            null,
            ...parts<Node>("{n} games, {points} of {n} points. The engine expects {expected} of the points{best}.", {
              n: node.games,
              points: pointsText(node.points),
              expected: opinion(node),
              best: node.best ? h("span", null, " (", moveText({ san: node.best }, variant), ")") : "",
            }),
          ),
          h(
            "table",
            { class: "tree-moves" },
            h("caption", { class: "visually-hidden" }, t("Moves in your games")),
            h(
              "thead",
              null,
              h(
                "tr",
                null,
                ...[t("Move"), t("Games"), t("Points"), t("Engine")].map((text) => h("th", { scope: "col" }, text)),
              ),
            ),
            h("tbody", null, ...rows),
          ),
        ),
      ),
    );
  };
  drawStarts();
  draw();
  return h(
    "section",
    { class: "card stack" },
    h("h2", null, t("Your openings")),
    choice(
      t("Side"),
      [
        ["white", sideName("white")],
        ["black", sideName("black")],
      ],
      place.peek().side,
      (side) => {
        go([], { side, start: "", path: [] });
        drawStarts();
      },
    ),
    starts,
    body,
  );
}

/** The board is drawn from the side to move; here it is the player's. */
const turned = (fen: string, side: "w" | "b"): string => fen.replace(/ [wb] /, ` ${side} `);

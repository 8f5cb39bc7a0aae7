import type { OrderedMove, Ordering } from "rukh-engine";
import { parseSquare } from "../src/board/geometry.ts";
import type { Chapter } from "../src/learn/chapter.ts";
import { lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { t } from "../src/messages/messages.ts";
import { number } from "../src/ui/controls.ts";
import { fill, h, setText } from "../src/ui/dom.ts";
import { Place, grid, message, source, sources, thousands } from "./common.ts";

/** The stages in their order, and why a move belongs to one. */
const STAGES: readonly (readonly [OrderedMove["stage"], string, string])[] = [
  [
    "table",
    t("Table move"),
    t("The transposition table remembers it as the best move of an earlier, shallower search."),
  ],
  [
    "good capture",
    t("Good captures"),
    t(
      "Captures or promotes without losing the exchange on that square. The most valuable victim comes first; how well such captures did before decides between equals.",
    ),
  ],
  [
    "quiet",
    t("Quiet moves"),
    t(
      "No captures. Moves that caused cutoffs before come first: the same move, the same piece after the same moves, the same pawn structure.",
    ),
  ],
  [
    "bad capture",
    t("Bad captures"),
    t("The exchange loses material: tried last, in case the search sees what the exchange does not."),
  ],
  ["evasion", t("Out of check"), t("When in check, all moves come in one stage, capturing the checker first.")],
];

const chapter: Chapter = (context) => {
  const place = new Place(context);
  let depth = Math.min(12, Math.max(0, Number(place.get("depth") ?? "6") || 0));
  let serial = 0;
  const status = h("p", { role: "status" });
  const list = h("div", { class: "stack order" });
  const board = lessonBoard(t("Move ordering"), place.fen, place.variant);
  context.onLeave(() => (serial += 1));

  const point = (move: OrderedMove | null) => {
    const [from, to] = [parseSquare(move?.uci.slice(0, 2) ?? ""), parseSquare(move?.uci.slice(2, 4) ?? "")];
    board.arrows = from !== null && to !== null ? [{ from, to, tone: "best" }] : [];
  };

  const draw = (before: Ordering, after: Ordering) => {
    const place0 = new Map(before.moves.map(({ uci }, i) => [uci, i + 1]));
    const found = STAGES.flatMap(([stage, title, why]) => {
      const moves = after.moves.map((move, i) => ({ move, at: i + 1 })).filter(({ move }) => move.stage === stage);
      if (moves.length === 0) return [];
      return [
        h("h3", null, `${title} (${moves.length})`),
        h("p", { class: "small muted" }, why),
        grid(
          title,
          [t("Order"), t("Move"), t("Score in its stage"), t("Order before the search")],
          moves.map(({ move, at }) => [
            at,
            h(
              "button",
              {
                type: "button",
                class: "button small quiet",
                onClick: () => point(move),
                onFocus: () => point(move),
                onPointerenter: () => point(move),
              },
              move.san,
            ),
            move.score === null ? "–" : thousands(move.score).replace("-", "−"),
            place0.get(move.uci) ?? "–",
          ]),
          "moves",
        ),
      ];
    });
    fill(list, ...found);
    point(after.moves[0] ?? null);
    const first = after.moves[0];
    setText(
      status,
      first
        ? t(
            "After a search of depth {depth} ({nodes} nodes) {move} is tried first of {n} moves; without any search it was number {before}.",
            {
              depth,
              nodes: after.nodes,
              move: first.san,
              n: after.moves.length,
              before: place0.get(first.uci) ?? 0,
            },
          )
        : t("The game is over here: there is nothing to order."),
    );
  };

  const run = async () => {
    const mine = (serial += 1);
    place.keep({ depth: depth === 6 ? "" : depth });
    place.show(board);
    setText(status, t("Searching …"));
    try {
      const engine = await context.engine();
      const before = await engine.ask({ ask: "ordering", ...place.spec, depth: 0 });
      const after = await engine.ask({ ask: "ordering", ...place.spec, depth });
      if (mine === serial) draw(before, after);
    } catch (problem) {
      if (mine === serial) setText(status, message(problem));
    }
  };
  place.onChange(() => void run());
  void run();

  return [
    section(
      t("The best move first"),
      p(
        t(
          "Alpha-beta saves most when the best move comes first: then every other move only has to be refuted, and one good answer does that. With perfect order a tree of a million leaves shrinks to two thousand; with the worst order nothing is saved at all.",
        ),
      ),
      p(
        t(
          "Nobody knows the best move before the search. So Rukh makes a guess in stages, and generates only what it needs: if the table move refutes the position, no other move is ever generated.",
        ),
      ),
      sources(
        source("crates/search/src/picker.rs", "enum Stage", () => import("../../crates/search/src/picker.rs?raw")),
        source(
          "crates/search/src/history.rs",
          "pub(crate) struct Histories",
          () => import("../../crates/search/src/history.rs?raw"),
        ),
      ),
    ),
    section(
      t("Move ordering in this position"),
      p(
        t(
          "The engine of this page searches the position, then says in which order its next search would try the moves, and why. At depth 0 it has seen nothing: only captures can be told apart. With every iteration the table and the histories know more.",
        ),
      ),
      widget(
        t("Move ordering"),
        place.picker,
        number(t("Depth"), depth, 0, 12, (value) => {
          depth = value;
          void run();
        }),
        status,
        h("div", { class: "widget-columns" }, board, list),
      ),
    ),
  ];
};
export default chapter;

import type { EvaluationTrace } from "rukh-engine";
import { type Square, parseSquare, squareName } from "../src/board/geometry.ts";
import type { MoveEvent } from "../src/board/board.ts";
import type { Chapter, ChapterContext } from "../src/learn/chapter.ts";
import { type Preset, heat, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { pieceName } from "../src/pieces/names.ts";
import { choice } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import {
  CHESS_START,
  KIWIPETE,
  MAKRUK_MIDDLE,
  MAKRUK_START,
  Place,
  grid,
  message,
  showState,
  source,
  sources,
  storedMoves,
} from "./common.ts";
import "./evaluation.css";
import { t } from "../src/messages/messages.ts";

const EVALUATION_PRESETS: readonly Preset[] = [
  { name: t("Middle game"), variant: "chess", fen: "r2q1rk1/pp2bppp/2n1bn2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 4 11" },
  { name: t("Crowded board"), variant: "chess", fen: KIWIPETE },
  { name: t("Start"), variant: "chess", fen: CHESS_START },
  { name: t("Passed pawn"), variant: "chess", fen: "8/5pk1/1P4p1/7p/3r3P/6P1/R4PK1/8 w - - 0 40" },
  { name: t("Bishops of both colours"), variant: "chess", fen: "8/5pk1/3b2p1/1p1P3p/1P5P/3B2P1/5PK1/8 w - - 0 40" },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE },
  { name: t("Start"), variant: "makruk", fen: MAKRUK_START },
];

const pawns = (value: number): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${(Math.abs(value) / 100).toFixed(2)}`;

/** One piece tried on every square. */
function placementWidget(context: ChapterContext, place: Place): HTMLElement {
  const board = lessonBoard(t("Choose a piece"), place.fen, place.variant);
  board.mode = "squares";
  let square: Square | null = parseSquare(place.get("sq") ?? "");
  let view: "network" | "classical" = place.get("at") === "classical" ? "classical" : "network";
  let serial = 0;
  const words = h("p", { role: "status" });
  const best = h("div");
  context.onLeave(() => (serial += 1));
  const show = async () => {
    const mine = (serial += 1);
    const piece = square === null ? undefined : board.placement.get(square);
    if (square === null || !piece || piece.kind === "k") {
      board.overlay = new Map();
      board.marks = [];
      fill(best);
      setText(words, t("Choose a piece on the board (kings stay where they are)."));
      return;
    }
    place.keep({ sq: squareName(square), at: view === "network" ? "" : view });
    try {
      const engine = await context.engine();
      const { squares } = await engine.ask({ ask: "placements", ...place.spec, square: squareName(square) });
      if (mine !== serial) return;
      const found = squares
        .flatMap((each, at) => {
          const value = each[view];
          return value === null ? [] : [{ at, value }];
        })
        .sort((a, b) => b.value - a.value);
      const [high, low] = [found[0]?.value ?? 0, found.at(-1)?.value ?? 0];
      board.overlay = new Map(
        found.map(({ at, value }) => [
          at,
          {
            heat: 0.08 + (0.8 * (value - low)) / Math.max(1, high - low),
            tone: "good",
            note: `${value < 0 ? "−" : ""}${(Math.abs(value) / 100).toFixed(1)}`,
            spoken: t("worth {value}", { value: pawns(value) }),
          },
        ]),
      );
      board.marks = [{ square, kind: "circle", tone: "second" }];
      const rank = found.findIndex(({ at }) => at === square) + 1;
      const name = pieceName(piece, place.variant);
      setText(
        words,
        t("The {piece} is worth {value} on {square}: number {rank} of {n} squares.", {
          piece: name,
          value: pawns(found[rank - 1]?.value ?? 0),
          square: squareName(square),
          rank,
          n: found.length,
        }),
      );
      fill(
        best,
        grid(
          t("Best and worst squares"),
          [t("Square"), t("Worth")],
          [...found.slice(0, 5), ...found.slice(-3)].map(({ at, value }) => [squareName(at), pawns(value)]),
        ),
      );
    } catch (problem) {
      if (mine === serial) setText(words, message(problem));
    }
  };
  board.addEventListener("square", (event) => {
    square = (event as CustomEvent<Square>).detail;
    void show();
  });
  const arrive = (first: boolean) => {
    place.show(board);
    const piece = square === null ? undefined : board.placement.get(square);
    // A knight to begin with: what it is worth depends most on where it stands.
    if (!first || !piece)
      square = [...board.placement].find(([, each]) => each.kind === "n" && each.white)?.[0] ?? null;
    void show();
  };
  arrive(true);
  place.onChange(() => arrive(false));
  return widget(
    t("Where would it stand best?"),
    h(
      "div",
      { class: "widget-columns" },
      board,
      h(
        "div",
        { class: "stack" },
        choice(
          t("By"),
          [
            ["network", t("Network")],
            ["classical", t("Classical")],
          ],
          view,
          (next) => {
            view = next;
            void show();
          },
        ),
        words,
        best,
      ),
    ),
  );
}

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context, EVALUATION_PRESETS);
  const board = lessonBoard(t("What each piece is worth"), place.fen, place.variant);
  board.mode = "play";
  let moves = storedMoves(context, place);
  let view: "network" | "classical" = place.get("by") === "classical" ? "classical" : "network";
  let term: string | null = place.get("term");
  let trace: EvaluationTrace | null = null;
  let serial = 0;
  const cards = h("div", { class: "values", role: "status" });
  const bars = h("div", { class: "bars", role: "group", "aria-label": t("Terms; choose one to see it by square") });
  const caption = h("p", { class: "muted small", role: "status" });
  const details = h("div", { class: "tall" });
  context.onLeave(() => (serial += 1));
  const back = button(t("Take back"), () => go(moves.slice(0, -1)), { icon: "undo", class: "small" });

  /** A pair of the trace at this position's phase. */
  const now = (pair: { mg: number; eg: number }, t: EvaluationTrace) =>
    (pair.mg * t.phase + (pair.eg * t.scale * (t.phaseMax - t.phase)) / t.scaleMax) / t.phaseMax;

  const paint = () => {
    if (!trace) return;
    const seen = trace;
    const at = seen.terms.findIndex((each) => each.name === term);
    const worth = (piece: EvaluationTrace["pieces"][number]): number | null =>
      at >= 0 ? (piece.terms?.[at] ?? null) : piece[view];
    const values = new Array<number>(64).fill(0);
    for (const piece of seen.pieces) values[parseSquare(piece.square)!] = worth(piece) ?? 0;
    board.overlay = heat(values, (value) => `${value < 0 ? "−" : ""}${(Math.abs(value) / 100).toFixed(1)}`);
    caption.textContent =
      at >= 0
        ? t("{term}: how much the owner loses in this term when the piece is taken away.", { term: term ?? "" })
        : view === "network"
          ? t("The network's value of each piece: with it minus without it, for its owner.")
          : t("The classical value of each piece: with it minus without it, for its owner.");
    for (const row of bars.querySelectorAll("button"))
      row.setAttribute("aria-pressed", String(row.dataset.term === (at >= 0 ? term : "")));
    const rows = seen.pieces.map((piece) => {
      const shown = board.placement.get(parseSquare(piece.square)!);
      const cell = (value: number | null) => (value === null ? "–" : pawns(value));
      return {
        value: worth(piece) ?? 0,
        cells: [
          `${shown ? pieceName(shown, place.variant) : piece.piece} ${piece.square}`,
          cell(piece.network),
          cell(piece.classical),
          ...(at >= 0 ? [cell(piece.terms?.[at] ?? null)] : []),
        ],
      };
    });
    fill(
      details,
      grid(
        t("Worth of each piece in pawns"),
        [t("Piece"), t("Network"), t("Classical"), ...(at >= 0 ? [term!] : [])],
        rows.sort((a, b) => b.value - a.value).map((row) => row.cells),
      ),
    );
  };

  const go = async (next: string[]): Promise<void> => {
    const mine = (serial += 1);
    const spec = { ...place.spec, moves: next };
    const state = rules.state(spec);
    moves = next;
    place.keep({ moves: next.join(",") });
    back.disabled = next.length === 0;
    showState(board, state);
    try {
      const engine = await context.engine();
      const answer = await engine.ask({ ask: "evaluation", ...spec });
      if (mine !== serial) return;
      trace = answer;
      const chances = answer.network ? rules.chances(place.variant, { cp: answer.network.cp }) : null;
      fill(
        cards,
        answer.network
          ? h(
              "div",
              { class: "value-card" },
              h("strong", null, pawns(answer.network.cp)),
              h(
                "span",
                null,
                t("network, output {at} of {n}", { at: answer.network.bucket + 1, n: answer.network.buckets }),
              ),
            )
          : null,
        h(
          "div",
          { class: "value-card" },
          h("strong", null, pawns(answer.classical)),
          h(
            "span",
            null,
            answer.special ? t("classical: {rule}", { rule: answer.special }) : t("classical, its own unit"),
          ),
        ),
        chances
          ? h(
              "div",
              { class: "value-card" },
              h("strong", null, `${chances.expectation.toFixed(0)} %`),
              h("span", null, t("White’s expected score")),
            )
          : null,
        h(
          "div",
          { class: "value-card" },
          h("strong", null, `${answer.phase} / ${answer.phaseMax}`),
          h("span", null, t("middlegame; endgame × {scale}", { scale: `${answer.scale}/${answer.scaleMax}` })),
        ),
      );
      const sums = answer.terms.map((each) => ({ name: each.name, value: now(each.total, answer) }));
      const most = Math.max(20, ...sums.map((each) => Math.abs(each.value)));
      const row = (name: string, label: string, value: number | null) =>
        h(
          "button",
          {
            type: "button",
            class: "bar-row",
            dataset: { term: name },
            onClick: () => {
              term = name || null;
              place.keep({ term: name });
              paint();
              announce(caption.textContent ?? "");
            },
          },
          h("span", null, label),
          h(
            "span",
            { class: "bar-track", "aria-hidden": "true" },
            value === null
              ? null
              : h("span", {
                  class: `bar-fill ${value >= 0 ? "white" : "black"}`,
                  style: `width:${((50 * Math.abs(value)) / most).toFixed(1)}%`,
                }),
          ),
          h("span", { class: "bar-value" }, value === null ? "" : pawns(value)),
        );
      fill(bars, row("", t("All together"), null), ...sums.map((each) => row(each.name, each.name, each.value)));
      paint();
      if (next.length > 0)
        announce(`${state.last?.san ?? ""}: ${t("classical {value}", { value: pawns(answer.classical) })}`);
    } catch (problem) {
      if (mine === serial) fill(cards, h("p", { class: "error" }, message(problem)));
    }
  };
  board.addEventListener("move", (event) => void go([...moves, (event as CustomEvent<MoveEvent>).detail.move.uci]));
  place.onChange(() => {
    place.show(board);
    void go([]);
  });
  place.show(board);
  void go(moves);

  return [
    section(
      t("A number for a position"),
      p(
        t(
          "At the end of every line the search wants one number: who is better, and by how much. Rukh has two ways to say it. The ",
        ),
        h("em", null, t("classical")),
        t(
          " evaluation adds up what people can name: material, placement, mobility, pawns, king safety. Each term has two weights, for the middlegame and the endgame, and the material left on the board decides the mix. The weights were tuned automatically on Rukh's own games and the network's search scores for them.",
        ),
      ),
      p(
        t("The "),
        h("em", null, t("network")),
        t(
          " has no names. Each side sees the pieces through its own row of neurons; the sums are kept up to date as pieces move, as a Zobrist key is. Eight outputs share the work: the number of men on the board decides which one speaks. By default the network decides, and it is the stronger of the two.",
        ),
      ),
      sources(
        source(
          "crates/eval/src/chess/mod.rs",
          "impl Terms for Chess",
          () => import("../../crates/eval/src/chess/mod.rs?raw"),
        ),
        source(
          "crates/eval/src/makruk/mod.rs",
          "impl Terms for Makruk",
          () => import("../../crates/eval/src/makruk/mod.rs?raw"),
        ),
        source(
          "crates/eval/src/nnue/accumulator.rs",
          "//!",
          () => import("../../crates/eval/src/nnue/accumulator.rs?raw"),
        ),
      ),
      widget(
        t("What is this position worth?"),
        place.picker,
        cards,
        h(
          "div",
          { class: "widget-columns" },
          h("div", { class: "stack" }, board, caption, h("div", { class: "row" }, back)),
          h(
            "div",
            { class: "stack" },
            choice(
              t("Board shows"),
              [
                ["network", t("Network")],
                ["classical", t("Classical")],
              ],
              view,
              (next) => {
                view = next;
                term = null;
                place.keep({ by: next === "network" ? "" : next, term: "" });
                paint();
              },
            ),
            bars,
          ),
        ),
        p(
          t(
            "Bars to the right are good for White, bars to the left for Black, mixed at the phase of this position. Choose a term to see it square by square. Pieces can be moved on the board.",
          ),
        ),
      ),
    ),
    section(
      t("Taking a piece away"),
      p(
        t(
          "A piece has no fixed value. To see what it is worth here, Rukh takes it off the board and evaluates what is left: a rook behind its own pawns is worth less than the same rook on an open file, and a pawn that shuts in its bishop may be worth less than nothing. The two evaluations often disagree, and that is where it gets interesting.",
        ),
      ),
      widget(t("Every piece"), details),
    ),
    section(
      t("Trying a piece everywhere"),
      p(
        t(
          "Lift a piece and set it down on every other square: the map shows what the network, or the classical terms, would make of it there. How it could have got there does not matter. A square may glow although the piece would be captured there at once: the evaluation only looks, it is the search that sees captures.",
        ),
      ),
      placementWidget(context, place),
    ),
  ];
};
export default chapter;

import type { CodePrice, PositionCode } from "rukh-engine";
import type { MoveEvent } from "../src/board/board.ts";
import { type Square, squareName } from "../src/board/geometry.ts";
import type { Cell } from "../src/board/layers.ts";
import type { Chapter } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { choice } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import {
  ALL_64,
  CHESS_START,
  KIWIPETE,
  MAKRUK_MIDDLE,
  MAKRUK_START,
  Place,
  facts,
  sentence,
  source,
  sources,
} from "./common.ts";
import { wordView } from "./wordview.ts";
import "./code.css";
import { t } from "../src/messages/messages.ts";

const CODE_PRESETS: readonly Preset[] = [
  { name: t("Start"), variant: "chess", fen: CHESS_START },
  {
    name: t("Queen's Gambit"),
    variant: "chess",
    fen: "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1",
  },
  { name: t("Crowded board"), variant: "chess", fen: KIWIPETE },
  { name: t("Few men"), variant: "chess", fen: "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1" },
  {
    name: t("Too strange"),
    variant: "chess",
    fen: "n1b1k1q1/1p1R1p2/B1p1p1P1/2P1n1Q1/p1N3p1/1P1b1p1r/r2P2P1/2B1N1K1 w - - 0 1",
  },
  { name: t("Start"), variant: "makruk", fen: MAKRUK_START },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE },
  { name: t("Running count"), variant: "makruk", fen: "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1" },
];

const bitsOf = (likelihood: number): number => 16 - Math.log2(likelihood);
const FORMATS: Readonly<Record<PositionCode["format"], string>> = {
  long: t("long: more than 64 bits, without a table"),
  direct: t("direct: the number is the position itself"),
  indexed: t("indexed: an entry of a table"),
  record: t("auxiliary record"),
};

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context, CODE_PRESETS);
  const board = lessonBoard(t("The position"), place.fen, place.variant);
  let hands: "play" | "edit" = place.get("hands") === "edit" ? "edit" : "play";
  let view: "plain" | "price" = place.get("view") === "price" ? "price" : "plain";
  let serial = 0;
  let price: CodePrice | null = null;
  context.onLeave(() => (serial += 1));

  const text = h("p", { class: "code-text", role: "status" });
  const error = h("p", { class: "error", role: "alert" });
  const word = h("div");
  const forms = h("div", { class: "stack" });
  const bill = h("div", { class: "stack" });
  const field = h("input", {
    class: "input mono",
    "aria-label": t("Code: 13 characters, or a number"),
    spellcheck: "false",
    autocapitalize: "none",
    onChange: () => void decode(field.value),
  });

  const paint = () => {
    const overlay = new Map<number, Cell>();
    if (view === "price" && price) {
      const costs = price.squares.map(bitsOf);
      const most = Math.max(4, ...costs);
      costs.forEach((cost, square) =>
        overlay.set(square, {
          heat: 0.05 + (0.8 * cost) / most,
          tone: "second",
          ...(cost >= 0.05 ? { note: cost.toFixed(1), spoken: t("{n} bits", { n: cost.toFixed(1) }) } : {}),
        }),
      );
    }
    board.overlay = overlay;
  };

  const describe = (code: PositionCode) => {
    setText(text, code.text);
    field.value = code.text;
    if (code.format === "long") {
      fill(word);
    } else {
      const bits = BigInt(`0x${code.bits}`);
      fill(
        word,
        wordView(bits, code.fields, (bit) => {
          const number = BigInt.asIntN(64, (bits ^ (1n << BigInt(bit))) & ALL_64);
          void decode(`${number < 0n ? "" : "+"}${number}`); // without a sign, long digits are a text
        }),
      );
    }
    fill(
      forms,
      facts([
        [t("Number"), code.raw],
        [t("Format"), FORMATS[code.format]],
        ...(code.part
          ? [
              [
                t("Part"),
                code.part === "exact"
                  ? t("A: an exact rank; few men are counted, not guessed")
                  : t("B: learned, an interval of an arithmetic code"),
              ] as const,
            ]
          : []),
      ]),
      h(
        "div",
        { class: "row" },
        button(t("Copy"), () => void navigator.clipboard?.writeText(code.text).then(() => announce(t("Copied"))), {
          icon: "copy",
          class: "small",
        }),
      ),
    );
    place.keep({ code: code.text });
  };

  const encode = async () => {
    const mine = (serial += 1);
    const state = rules.state(place.spec);
    place.show(board);
    board.moves = state.moves;
    board.mode = hands;
    error.textContent = "";
    if (!text.textContent) setText(text, t("Loading the model …"));
    try {
      const engine = await context.engine();
      price = await engine.ask({ ask: "codePrice", ...place.spec }).catch(() => null);
      if (mine !== serial) return;
      paint();
      pay();
      const code = await engine.ask({ ask: "encode", ...place.spec });
      if (mine === serial) describe(code);
    } catch (problem) {
      if (mine !== serial) return;
      setText(text, t("no code"));
      fill(word);
      fill(forms);
      place.keep({ code: "" });
      error.textContent = sentence(problem);
    }
  };
  const decode = async (code: string) => {
    const mine = (serial += 1);
    try {
      const engine = await context.engine();
      const answer = await engine.ask({ ask: "decode", variant: place.variant, code: code.trim() });
      if (mine !== serial) return;
      error.textContent = "";
      announce(t("Another position"));
      place.go({ variant: place.variant, fen: answer.fen });
    } catch (problem) {
      if (mine === serial) error.textContent = `${code.trim()}: ${sentence(problem)}`;
    }
  };
  const pay = () => {
    if (!price) return fill(bill);
    const squares = price.squares.reduce((sum, likelihood) => sum + bitsOf(likelihood), 0);
    const [room, total] = [Math.log2(price.codes), squares + bitsOf(price.header)];
    const worst = price.squares
      .map((likelihood, square) => ({ square, cost: bitsOf(likelihood) }))
      .sort((a, b) => b.cost - a.cost)
      .slice(0, 3);
    fill(
      bill,
      h(
        "div",
        { class: `meter ${total > room ? "over" : ""}`, "aria-hidden": "true" },
        h("div", { style: `width:${Math.min(100, (100 * total) / room).toFixed(1)}%` }),
      ),
      h(
        "p",
        { role: "status" },
        t("The model needs {total} bits, and {room} are available{over}. {exact}Most expensive: {worst}.", {
          total: total.toFixed(1),
          room: room.toFixed(1),
          over: total > room ? t(": too many, so this position has no direct code") : "",
          exact: price.exact ? t("With so few men the position has an exact code instead. ") : "",
          worst: worst.map(({ square, cost }) => `${squareName(square)} ${cost.toFixed(1)}`).join(", "),
        }),
      ),
      facts([
        [t("Side, rights"), t("{bits} bits", { bits: bitsOf(price.header).toFixed(1) })],
        [t("64 squares"), t("{bits} bits", { bits: squares.toFixed(1) })],
        [
          t("Certain"),
          t("{n} squares are all but free", {
            n: price.squares.filter((likelihood) => bitsOf(likelihood) < 0.05).length,
          }),
        ],
        [t("Plain"), t("{bits} bits would hold a letter for each square", { bits: 64 * 4 })],
      ]),
    );
  };

  board.addEventListener("move", (event) => {
    const { move } = (event as CustomEvent<MoveEvent>).detail;
    place.go({ variant: place.variant, fen: rules.state({ ...place.spec, moves: [move.uci] }).fen });
  });
  board.addEventListener("carry", (event) => {
    const { from, to } = (event as CustomEvent<{ from: Square; to: Square | null }>).detail;
    const state = rules.state(place.spec);
    const squares = [...state.squares];
    if (to !== null) squares[to] = squares[from] ?? null;
    if (to !== from) squares[from] = null;
    const check = rules.checkSetup({ variant: place.variant, squares, turn: state.turn });
    error.textContent = check.reason;
    if (check.ok) place.go({ variant: place.variant, fen: check.fen });
    else place.show(board);
  });
  place.onChange(() => void encode());
  const asked = place.get("code");
  void encode().then(() =>
    asked && context.query.get("fen") === null && asked !== text.textContent ? decode(asked) : undefined,
  );

  return [
    section(
      t("A position is a number"),
      p(
        t(
          "Sixty-four squares with thirteen possible contents each: written plainly, a position needs more than 200 bits. But hardly any of those boards ever occur. Rukh gives the positions that do a 64-bit integer of their own: not a hash that might collide, the position itself. The number goes into databases, links and tables, and comes back as a board.",
        ),
      ),
      p(
        t("A negative number is a "),
        h("em", null, t("direct")),
        t(
          " code: 63 bits that hold everything. Few men are ranked exactly, by numbering all possible placements. Everything else goes through a small network that has seen many games. Square by square it says how likely each content is, and an arithmetic coder charges little for the expected and much for the surprising: a probability of one half costs one bit. The position fits if the bill stays under 63. Other positions get an entry in a table, and the number of that entry as their code: positive numbers.",
        ),
      ),
      sources(
        source("crates/code/src/coder.rs", "pub(crate) fn encode", () => import("../../crates/code/src/coder.rs?raw")),
        source("crates/code/src/exact.rs", "//!", () => import("../../crates/code/src/exact.rs?raw")),
        source(
          "crates/code/src/position_code.rs",
          "pub struct PositionCode",
          () => import("../../crates/code/src/position_code.rs?raw"),
        ),
      ),
      widget(
        t("The code of this position"),
        place.picker,
        h(
          "div",
          { class: "widget-columns" },
          h(
            "div",
            { class: "stack" },
            board,
            choice(
              t("Hands"),
              [
                ["play", t("Legal moves")],
                ["edit", t("Any piece anywhere")],
              ],
              hands,
              (next) => {
                hands = next;
                board.mode = next;
                place.keep({ hands: next === "play" ? "" : next });
              },
            ),
            choice(
              t("Squares show"),
              [
                ["plain", t("Nothing")],
                ["price", t("Bits they cost")],
              ],
              view,
              (next) => {
                view = next;
                place.keep({ view: next === "plain" ? "" : next });
                paint();
              },
            ),
          ),
          h("div", { class: "stack" }, text, field, error, forms, word),
        ),
        p(
          t(
            "Both ways: move pieces and watch the number, or type a code, a number, or flip a bit and watch the board. Most flips of a direct code lead nowhere: the text form carries a check character, and a number that no position has is refused. The address bar keeps the position and its code.",
          ),
        ),
      ),
    ),
    section(
      t("The bill"),
      p(
        t(
          "What does each square cost? Each is seen from those before it, a1 first, as the side to move sees the board: if that is Black, a8 first (in Makruk h8). In chess a rook that may still castle is not coded at all, for the castling right already says where it stands. Where the squares before leave little doubt the price is near zero. A piece that nobody would expect there is expensive: up to sixteen bits.",
        ),
      ),
      widget(t("Bits by square"), bill),
    ),
  ];
};
export default chapter;

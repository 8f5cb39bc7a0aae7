import type { LegalMove, Uci } from "rukh-engine";
import type { Chapter } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { number } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
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
  thousands,
} from "./common.ts";
import { t } from "../src/messages/messages.ts";

interface Known extends Preset {
  /** Leaves at depth 1, 2, … as several generators agree on. */
  readonly leaves: readonly number[];
}

const KNOWN: readonly Known[] = [
  {
    name: t("Start"),
    variant: "chess",
    fen: CHESS_START,
    leaves: [20, 400, 8902, 197281, 4865609, 119060324, 3195901860],
  },
  {
    name: t("Crowded board"),
    variant: "chess",
    fen: KIWIPETE,
    leaves: [48, 2039, 97862, 4085603, 193690690, 8031647685],
  },
  {
    name: t("Rook ending"),
    variant: "chess",
    fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    leaves: [14, 191, 2812, 43238, 674624, 11030083, 178633661],
  },
  {
    name: t("Promotions"),
    variant: "chess",
    fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    leaves: [6, 264, 9467, 422333, 15833292, 706045033],
  },
  {
    name: t("Trap for generators"),
    variant: "chess",
    fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    leaves: [44, 1486, 62379, 2103487, 89941194],
  },
  {
    name: t("From a game"),
    variant: "chess960",
    fen: "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    leaves: [21, 528, 12189, 326672, 8146062, 227689589],
  },
  {
    name: t("Start"),
    variant: "makruk",
    fen: MAKRUK_START,
    leaves: [23, 529, 12012, 273026, 6223994, 142078049, 3299342874],
  },
  { name: t("Middle game"), variant: "makruk", fen: MAKRUK_MIDDLE, leaves: [48, 1760, 75424, 2608699, 104539052] },
  {
    name: t("Bia race"),
    variant: "makruk",
    fen: "4k3/8/p1p1p1p1/8/8/1P1P1P1P/8/4K3 w - - 0 1",
    leaves: [9, 81, 781, 7534, 75996, 772507, 8045719],
  },
  {
    name: t("Running count"),
    variant: "makruk",
    fen: "7M/8/1K6/8/8/8/6Sk/8 w - 88 8 60",
    leaves: [14, 39, 451, 2014, 21727, 113625, 1230121, 7073876],
  },
];

const MAX_DEPTH = 8;

/** `e2e4: 20`, one a line, as most engines print a divide. */
function readDivide(text: string): Map<Uci, number> {
  const found = new Map<Uci, number>();
  for (const match of text.matchAll(/^\s*(?:\d+[.)]\s*)?([a-h][1-8][a-h][1-8][a-z]?)\s*[:\s=-]+\s*([\d,' ]+)\s*$/gim))
    found.set(match[1]!.toLowerCase(), Number(match[2]!.replace(/\D/g, "")));
  return found;
}

const chapter: Chapter = (context) => {
  const { rules } = context;
  const place = new Place(context, KNOWN);
  const board = lessonBoard(t("The position that is counted"), place.fen, place.variant);
  let depth = Math.min(MAX_DEPTH, Math.max(1, Number(place.get("depth")) || 5));
  let path: Uci[] = [];
  let running = 0;
  let results: { move: LegalMove; nodes: number }[] = [];
  let theirs = new Map<Uci, number>();
  const total = h("p", { class: "verdict", role: "status" });
  const speed = h("p", { class: "muted small" });
  const table = h("div");
  const where = h("div", { class: "row" });
  const knownTable = h("div");
  const stop = button(t("Stop"), () => (running += 1), { class: "small" });
  stop.hidden = true;
  const spec = () => ({ ...place.spec, moves: path });
  context.onLeave(() => (running += 1));

  const known = (): number | undefined =>
    path.length === 0
      ? KNOWN.find((each) => each.fen === place.fen && each.variant === place.variant)?.leaves[depth - 1]
      : undefined;

  const list = () => {
    const rows = results.map(({ move, nodes }) => {
      const other = theirs.get(move.uci);
      const open =
        depth > 1
          ? h(
              "button",
              {
                type: "button",
                class: "button small quiet",
                "aria-label": t("Count below {move}", { move: move.san }),
                onClick: () => go([...path, move.uci], depth - 1),
              },
              move.san,
            )
          : move.san;
      return [
        open,
        move.uci,
        thousands(nodes),
        ...(theirs.size > 0
          ? [
              other === undefined
                ? h("strong", { class: "term-out" }, t("missing"))
                : other === nodes
                  ? t("same")
                  : h("strong", { class: "term-out" }, thousands(other)),
            ]
          : []),
      ];
    });
    const extra = [...theirs].filter(([uci]) => !results.some(({ move }) => move.uci === uci));
    fill(
      table,
      rows.length > 0
        ? grid(
            t("Leaves below each move"),
            [t("Move"), "", t("Leaves"), ...(theirs.size > 0 ? [t("Other program")] : [])],
            rows,
          )
        : null,
      extra.length > 0 && stop.hidden
        ? h(
            "p",
            { class: "error" },
            t("Moves that do not exist here: {moves}", { moves: extra.map(([uci]) => uci).join(", ") }),
          )
        : null,
    );
  };

  const run = async () => {
    const mine = (running += 1);
    results = [];
    list();
    const state = rules.state(spec());
    setText(total, t("Counting …"));
    setText(speed, "");
    stop.hidden = false;
    try {
      const engine = await context.engine();
      let sum = 0;
      let spent = 0;
      for (const move of state.moves) {
        const before = performance.now();
        const { nodes } =
          depth === 1
            ? { nodes: 1 }
            : await engine.ask({ ask: "perft", ...spec(), moves: [...path, move.uci], depth: depth - 1 });
        if (running !== mine) {
          setText(total, t("Stopped."));
          return;
        }
        spent += performance.now() - before;
        sum += nodes;
        results.push({ move, nodes });
        list();
        setText(total, t("{n} so far …", { n: sum }));
      }
      const right = known();
      setText(
        total,
        t("{n} leaves at depth {depth}{verdict}.", {
          n: sum,
          depth,
          verdict:
            right === undefined ? "" : right === sum ? t(": the known number") : t(": NOT the known {n}", { n: right }),
        }),
      );
      total.classList.toggle("good", right === sum);
      if (sum > 1_000_000)
        setText(speed, t("{n} million leaves per second in this tab.", { n: (sum / 1000 / spent).toPrecision(2) }));
    } catch (problem) {
      setText(total, message(problem));
    } finally {
      if (running === mine) stop.hidden = true;
      list();
    }
  };

  const go = (next: Uci[], nextDepth: number) => {
    path = next;
    depth = nextDepth;
    const state = rules.state(spec());
    board.variant = place.variant;
    showState(board, state);
    place.keep({ depth, moves: path.join(",") });
    const line = rules.line(place.spec, path);
    fill(
      where,
      ...(path.length === 0
        ? []
        : [
            button(t("Up"), () => go(path.slice(0, -1), Math.min(MAX_DEPTH, depth + 1)), {
              icon: "undo",
              class: "small",
            }),
            h("span", { class: "mono" }, line.moves.map((move) => move.san).join(" ")),
          ]),
      number(t("Depth"), depth, 1, MAX_DEPTH, (value) => go(path, value)),
      button(t("Count again"), () => void run(), { class: "small" }),
      stop,
    );
    const row = KNOWN.find((each) => each.fen === place.fen && each.variant === place.variant);
    fill(
      knownTable,
      row && path.length === 0
        ? grid(
            t("Known numbers of this position"),
            [t("Depth"), ...row.leaves.map((_, i) => String(i + 1))],
            [[t("Leaves"), ...row.leaves.map(thousands)]],
          )
        : null,
    );
    void run();
  };

  const paste = h("textarea", {
    class: "input",
    "aria-label": t("Another program’s divide"),
    placeholder: "e2e4: 9771\nd2d4: 8457\n…",
    rows: 4,
    onInput: () => {
      theirs = readDivide(paste.value);
      list();
    },
  });
  const arrive = (first: boolean) => {
    go(first ? storedMoves(context, place) : [], first ? depth : Math.min(depth, 4));
  };
  arrive(true);
  place.onChange(() => arrive(false));

  return [
    section(
      t("Counting as proof"),
      p(
        t(
          "How do you know that a move generator is right? By counting. Perft is the number of positions at the end of all legal lines of a given length, repetitions included. One wrong rule, say an en passant capture that opens a line, and the number is off. Rukh's counts agree with those of independent programs, and with a second generator in the same repository, written as differently as possible: a mailbox instead of bitboards.",
        ),
      ),
      p(
        t(
          "The last move is never played. Once the sets of target squares are known their bits are counted, so the speed below is leaves, not moves made.",
        ),
      ),
      sources(
        source("crates/core/src/perft.rs", "pub fn perft<", () => import("../../crates/core/src/perft.rs?raw")),
        source("crates/mailbox/src/lib.rs", "//!", () => import("../../crates/mailbox/src/lib.rs?raw")),
      ),
      widget(
        t("Perft lab"),
        place.picker,
        h(
          "div",
          { class: "widget-columns" },
          board,
          h("div", { class: "stack" }, where, total, speed, knownTable, h("div", { class: "tall" }, table)),
        ),
      ),
    ),
    section(
      t("Finding the wrong move"),
      p(
        t("When a new generator is off, "),
        h("em", null, "divide"),
        t(
          " finds out where: print the leaves below each move, compare with a program you trust, follow the move that differs, one depth less, and compare again. After a few steps you arrive at the very move that is wrong. Paste another program's divide here; click a move in the list to go below it.",
        ),
      ),
      widget(t("Compare"), paste),
    ),
  ];
};
export default chapter;

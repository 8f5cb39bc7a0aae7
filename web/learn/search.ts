import type { StopReason, Trace, TraceNode, TraceSwitches } from "rukh-engine";
import { parseSquare } from "../src/board/geometry.ts";
import type { Chapter, ChapterContext } from "../src/learn/chapter.ts";
import { lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { choice, number } from "../src/ui/controls.ts";
import { button, fill, h, setText } from "../src/ui/dom.ts";
import { announce } from "../src/ui/notice.ts";
import { alphaBetaWidget } from "./alphabeta.ts";
import { Place, facts, grid, message, source, sources, thousands } from "./common.ts";
import { Icicle } from "./icicle.ts";
import "./search.css";
import { t } from "../src/messages/messages.ts";

const MOST_NODES = 20_000;
const RACE_NODES = 2_000_000;
const INFINITE = 32_400;

const REASONS: Readonly<Partial<Record<StopReason, string>>> = {
  searched: t("all its moves were searched, or enough of them"),
  cutoff: t("a move reached beta: the opponent will not come here"),
  table: t("found in the transposition table"),
  "null move": t("even passing was good enough"),
  "reverse futility": t("the evaluation stood far above beta"),
  razoring: t("the evaluation was hopeless and no capture helped"),
  probcut: t("a capture beat beta by far in a shallow search"),
  "stand pat": t("doing nothing was good enough"),
  "mate distance": t("a shorter mate was already known"),
  draw: t("drawn by rule"),
  repetition: t("a repetition could be forced, and was good enough"),
  checkmate: "checkmate",
  stalemate: "stalemate",
  "depth limit": t("the bottom of the stack"),
  "end-game table": t("found in the endgame tables"),
  multicut: t("several moves would beat beta"),
  stopped: t("the search was stopped"),
};
const SHORT: Readonly<Partial<Record<StopReason, string>>> = {
  cutoff: "cut",
  table: "TT",
  "null move": "null",
  "reverse futility": "RFP",
  razoring: "razor",
  probcut: t("ProbCut"),
  "stand pat": "pat",
  draw: "draw",
  repetition: "rep",
  checkmate: "mate",
  stalemate: "stale",
  multicut: "multi",
  "end-game table": "EGT",
};
const STAGES: Readonly<Record<TraceNode["stage"], string>> = {
  main: t("main search"),
  quiescence: "quiescence",
  "null move": t("after a null move"),
  probcut: t("ProbCut"),
  verification: t("the same position again, to verify"),
  reduced: t("reduced depth"),
  again: t("searched again, deeper or wider"),
};
const KINDS: Readonly<Record<TraceNode["kind"], string>> = {
  pv: t("PV node: the exact score is wanted"),
  cut: t("cut node: one good move is enough"),
  all: t("all node: every move must fail"),
};

const score = (value: number): string =>
  Math.abs(value) >= INFINITE ? (value > 0 ? "∞" : "−∞") : String(value).replace("-", "−");

/** The real search, recorded. */
function treeWidget(context: ChapterContext, place: Place): HTMLElement {
  const { rules } = context;
  let depth = Math.min(14, Math.max(1, Number(place.get("depth")) || 8));
  let trace: Trace | null = null;
  let serial = 0;
  const status = h("p", { role: "status" });
  const details = h("div", { class: "stack" });
  const iterations = h("details");
  const path = h("div", { class: "path" });
  const board = lessonBoard(t("Position of the node"), place.fen, place.variant);
  context.onLeave(() => (serial += 1));

  const sanCache = new Map<number, string>();
  /** The position of a node. A null move is no legal move: there the turn passes in the FEN itself. */
  const positionOf = (node: TraceNode): { fen: string; last: string | null } => {
    const line: TraceNode[] = [];
    for (let at: TraceNode | null = node; at; at = tree.parentOf(at)) line.unshift(at);
    let fen = place.fen;
    for (const each of line) {
      if (each.uci === null) continue;
      if (each.uci === "0000") {
        const fields = fen.split(" ");
        fields[1] = fields[1] === "w" ? "b" : "w";
        if (place.variant !== "makruk") fields[3] = "-";
        fen = fields.join(" ");
      } else fen = rules.line({ variant: place.variant, fen }, [each.uci]).moves[0]?.fen ?? fen;
    }
    return { fen, last: node.uci };
  };
  const sanOf = (node: TraceNode): string => {
    if (node.uci === null) return t(node.ply === 0 ? "root" : "verify");
    if (node.uci === "0000") return t("pass");
    const known = sanCache.get(node.id);
    if (known !== undefined) return known;
    const before = tree.parentOf(node);
    const san = before
      ? (rules.line({ variant: place.variant, fen: positionOf(before).fen }, [node.uci]).moves[0]?.san ?? node.uci)
      : node.uci;
    sanCache.set(node.id, san);
    return san;
  };
  const label = (node: TraceNode): string => `${sanOf(node)}${SHORT[node.reason] ? ` ${SHORT[node.reason]}` : ""}`;

  const choose = (node: TraceNode) => {
    const { fen, last } = positionOf(node);
    board.setFen(fen, false);
    board.lastMove =
      last && last !== "0000" ? [parseSquare(last.slice(0, 2)) ?? 0, parseSquare(last.slice(2, 4)) ?? 0] : [];
    const line: TraceNode[] = [];
    for (let at: TraceNode | null = node; at; at = tree.parentOf(at)) line.unshift(at);
    fill(
      path,
      ...line.map((each) =>
        h(
          "button",
          {
            type: "button",
            class: "button small quiet",
            "aria-current": each === node ? "true" : null,
            onClick: () => tree.select(each),
          },
          sanOf(each),
        ),
      ),
      button(t("Zoom here"), () => tree.zoom(node), { class: "small" }),
      button(t("Whole tree"), () => trace?.nodes[0] && tree.zoom(trace.nodes[0]), { class: "small" }),
    );
    const children = tree.childrenOf(node);
    const skipped = new Map<string, string[]>();
    for (const each of node.pruned)
      skipped.set(each.reason, [
        ...(skipped.get(each.reason) ?? []),
        rules.line({ variant: place.variant, fen }, [each.uci]).moves[0]?.san ?? each.uci,
      ]);
    fill(
      details,
      facts([
        [t("Window"), `${score(node.alpha)} … ${score(node.beta)}`],
        [t("Value"), score(node.value)],
        [t("Depth"), String(node.depth)],
        [t("Nodes"), thousands(node.nodes)],
        [t("Kind"), KINDS[node.kind]],
        [t("Search"), STAGES[node.stage] ?? node.stage],
        [t("Ended"), REASONS[node.reason] ?? node.reason],
      ]),
      children.length > 0
        ? h(
            "div",
            { class: "tall" },
            grid(
              t("Moves in the order they were tried"),
              [t("Move"), t("Order"), t("Value"), t("Nodes"), t("Ended by")],
              children
                .slice(0, 60)
                .map((child) => [
                  h(
                    "button",
                    { type: "button", class: "button small quiet", onClick: () => tree.select(child) },
                    sanOf(child),
                  ),
                  child.order || "–",
                  score(-child.value),
                  thousands(child.nodes),
                  child.reason,
                ]),
            ),
          )
        : null,
      skipped.size > 0
        ? facts([...skipped].map(([reason, list]) => [t("Left out: {reason}", { reason }), list.join(" ")] as const))
        : null,
    );
    announce(
      t("{move}: window {alpha} to {beta}, value {value}, {reason}", {
        move: sanOf(node),
        alpha: score(node.alpha),
        beta: score(node.beta),
        value: score(node.value),
        reason: REASONS[node.reason] ?? node.reason,
      }),
    );
  };
  const tree = new Icicle(label, choose);

  const run = async () => {
    const mine = (serial += 1);
    place.keep({ depth: depth === 8 ? "" : depth });
    board.variant = place.variant;
    setText(status, t("Searching …"));
    try {
      const engine = await context.engine();
      const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
      for (let d = calm ? depth : 1; d <= depth; d += 1) {
        const answer = await engine.ask({ ask: "trace", ...place.spec, depth: d, limit: MOST_NODES });
        if (mine !== serial) return;
        trace = answer;
        sanCache.clear();
        tree.show(answer.nodes);
        const last = answer.iterations.at(-1);
        const best = answer.bestMove ? rules.line(place.spec, [answer.bestMove]).moves[0]?.san : null;
        setText(
          status,
          t("Depth {depth}: best {best}, {nodes} nodes in all iterations; the picture shows the last one{part}.", {
            depth: last?.depth ?? d,
            best: best ?? "–",
            nodes: answer.total,
            part: answer.truncated ? t(", its first {n} nodes in detail", { n: answer.nodes.length }) : "",
          }),
        );
        fill(
          iterations,
          h("summary", null, t("Iteration by iteration")),
          grid(
            t("Iterations of the search"),
            [t("Depth"), t("New nodes"), t("Nodes so far"), t("Value"), t("Best")],
            answer.iterations.map((each, i) => [
              each.depth,
              thousands(each.nodes - (answer.iterations[i - 1]?.nodes ?? 0)),
              thousands(each.nodes),
              score(each.score),
              rules.line(place.spec, [each.best]).moves[0]?.san ?? each.best,
            ]),
          ),
        );
        if (d < depth) await new Promise((done) => setTimeout(done, 250));
      }
      const root = trace?.nodes[0];
      if (root) tree.select(root);
    } catch (problem) {
      if (mine === serial) setText(status, message(problem));
    }
  };
  place.onChange(() => {
    place.show(board);
    void run();
  });
  void run();
  return widget(
    t("The tree that Rukh searched"),
    place.picker,
    h(
      "div",
      { class: "row" },
      number(t("Depth"), depth, 1, 14, (value) => {
        depth = value;
        void run();
      }),
      button(t("Search again"), () => void run(), { class: "small" }),
    ),
    status,
    tree.element,
    h(
      "div",
      { class: "legend" },
      ...(
        [
          ["pv", "PV"],
          ["cut", t("cut node")],
          ["all", t("all node")],
          ["qs", t("quiescence")],
        ] as const
      ).map(([name, text]) => h("span", null, h("i", { class: `swatch ${name}` }), text)),
      h("span", null, t("Width is nodes. Click a box; arrow keys walk, Enter zooms, Escape shows all.")),
    ),
    path,
    h("div", { class: "widget-columns" }, board, details),
    iterations,
  );
}

type Part = keyof TraceSwitches;
const PARTS: readonly (readonly [Part, string])[] = [
  ["ordering", t("move ordering")],
  ["table", t("transposition table")],
  ["pruning", t("pruning")],
  ["reductions", t("reductions")],
  ["nullMove", t("null move")],
  ["extensions", t("extensions")],
];
const off = (parts: readonly (readonly [Part, string])[]): TraceSwitches =>
  Object.fromEntries(parts.map(([part]) => [part, true]));

/** Who runs: from plain alpha-beta up, or everything but one. */
const RACES: Readonly<Record<"build" | "without", readonly (readonly [string, TraceSwitches])[]>> = {
  build: [
    [t("Plain alpha-beta"), off(PARTS)],
    ...PARTS.map(([, name], i) => [`+ ${name}`, off(PARTS.slice(i + 1))] as const),
  ],
  without: [
    [t("Everything"), {}],
    ...PARTS.map((part) => [t("No {part}", { part: part[1] }), off([part])] as const),
    [t("Plain alpha-beta"), off(PARTS)],
  ],
};

/** The same search with parts of it switched off. */
function raceWidget(context: ChapterContext, place: Place): HTMLElement {
  let depth = Math.min(10, Math.max(1, Number(place.get("race")) || 6));
  let mode: "build" | "without" = place.get("mode") === "without" ? "without" : "build";
  let serial = 0;
  const status = h("p", { role: "status" });
  const table = h("div", { class: "race" });
  const remark = h("p", { class: "muted", role: "status" });
  context.onLeave(() => (serial += 1));
  const start = button(t("Run the race"), () => void run(), { class: "primary", icon: "play" });
  const run = async () => {
    const mine = (serial += 1);
    place.keep({ race: depth, mode: mode === "build" ? "" : mode });
    const done: { name: string; nodes: number; best: string; score: string; capped: boolean }[] = [];
    try {
      const engine = await context.engine();
      for (const [name, switches] of RACES[mode]) {
        setText(status, `${name} …`);
        const answer = await engine.ask({
          ask: "trace",
          ...place.spec,
          depth,
          nodes: RACE_NODES,
          limit: 1,
          off: switches,
        });
        if (mine !== serial) return;
        const best = answer.bestMove
          ? (context.rules.line(place.spec, [answer.bestMove]).moves[0]?.san ?? answer.bestMove)
          : "–";
        const { cp, mate } = answer.score;
        done.push({
          name,
          nodes: answer.total,
          best,
          score: mate !== undefined ? t("mate {n}", { n: mate }) : `${((cp ?? 0) / 100).toFixed(2).replace("-", "−")}`,
          capped: answer.total >= RACE_NODES,
        });
        const most = Math.max(...done.map((each) => each.nodes));
        const whole = mode === "without" ? done[0]!.nodes : most;
        // A square root keeps small bars visible beside one that is a thousand times larger; the figures are exact.
        fill(
          table,
          grid(
            t("Nodes with parts switched off"),
            [t("Search"), t("Nodes"), "", mode === "without" ? t("Factor") : t("Share"), t("Best"), t("Score")],
            done.map((each) => {
              const ratio = each.nodes / whole;
              return [
                each.name,
                `${each.capped ? "> " : ""}${thousands(each.nodes)}`,
                h("div", { class: "race-bar", style: `width:${(100 * Math.sqrt(each.nodes / most)).toFixed(1)}%` }),
                mode === "without"
                  ? `× ${ratio.toFixed(ratio < 10 ? 2 : 0)}`
                  : `${ratio >= 0.1 ? (100 * ratio).toFixed(0) : (100 * ratio).toPrecision(2)} %`,
                each.best,
                each.score,
              ];
            }),
          ),
        );
      }
      const counts = done.map((each) => each.nodes);
      fill(remark, tableRemark(mode, done));
      setText(
        status,
        t("Depth {depth}: {least} to {more}{most} nodes. Bars are drawn by square root.", {
          depth,
          least: Math.min(...counts),
          more: done.some((each) => each.capped) ? t("more than ") : "",
          most: Math.max(...counts),
        }),
      );
    } catch (problem) {
      if (mine === serial) setText(status, message(problem));
    }
  };
  const clear = () => {
    serial += 1;
    fill(table);
    fill(remark);
    setText(status, "");
  };
  place.onChange(clear);
  if (place.get("race")) void run();
  return widget(
    t("Nodes side by side"),
    h(
      "div",
      { class: "row" },
      choice(
        t("Race"),
        [
          ["build", t("Build it up")],
          ["without", t("Take one part away")],
        ],
        mode,
        (next) => {
          mode = next;
          clear();
        },
      ),
      number(t("Depth"), depth, 1, 10, (value) => (depth = value)),
      start,
    ),
    status,
    table,
    remark,
  );
}

/** A table that makes the tree larger wants a word. */
function tableRemark(mode: "build" | "without", done: readonly { name: string; nodes: number }[]): string {
  const at = done.findIndex(({ name }) => name.endsWith(t("transposition table")));
  const [without, with_] = mode === "build" ? [done[at - 1], done[at]] : [done[at], done[0]];
  if (!without || !with_ || with_.nodes <= without.nodes) return "";
  const more = Math.round(100 * (with_.nodes / without.nodes - 1));
  return t(
    "Here the table makes the tree {more} % larger ({without} nodes without, {with} with it). Two reasons: a node without a stored move is searched one half-move less deeply (step 11), and without a table no node has one, so that search is shallower than its depth says; and a stored move or bound of an earlier iteration may send the search another way. At greater depths, where more positions are met again, the table wins: try two half-moves more.",
    { more, without: without.nodes, with: with_.nodes },
  );
}

const chapter: Chapter = (context) => {
  const place = new Place(context);
  return [
    section(
      t("Choosing without looking at everything"),
      p(
        t(
          "To choose a move, look at every answer, every answer to the answer, and so on; at the end ask the evaluation. Each side takes what is best for itself. That is minimax, and its tree grows thirty-fold with every half-move.",
        ),
      ),
      p(
        t("Alpha-beta finds the same result with a fraction of the tree. It carries a window along: "),
        h("em", null, "alpha"),
        t(" is what we already have, "),
        h("em", null, "beta"),
        t(
          " what the opponent already has. A node whose value leaves the window will never be reached in a good game, and the rest of its moves need not be looked at. How much is saved depends on the order: with the best move first at every node, a tree of n leaves shrinks to about the square root of n.",
        ),
      ),
      alphaBetaWidget(place),
    ),
    section(
      t("The real tree"),
      p(
        t(
          "Rukh's search is alpha-beta with an open window only along the principal variation; everywhere else it only asks “better than that, yes or no?”. It deepens step by step, each iteration ordered by what the last one found. At the horizon it plays out captures until the position is quiet. And it leaves a great deal out: moves that come late in the order are searched less deeply, hopeless ones not at all.",
        ),
      ),
      p(
        t(
          "Below is the last iteration as it happened, recorded by the engine in this page. Each box says why it stopped: ",
        ),
        h("em", null, "TT"),
        t(" for the transposition table, "),
        h("em", null, "null"),
        t(" where even passing was good enough, "),
        h("em", null, "RFP"),
        t(" where the evaluation was far above beta, "),
        h("em", null, "pat"),
        t(" where a side stood pat in quiescence."),
      ),
      sources(
        source("crates/search/src/search.rs", "Step 1.", () => import("../../crates/search/src/search.rs?raw")),
        source("crates/search/src/quiescence.rs", "Step 3.", () => import("../../crates/search/src/quiescence.rs?raw")),
        source("crates/search/src/picker.rs", "//!", () => import("../../crates/search/src/picker.rs?raw")),
      ),
      treeWidget(context, place),
    ),
    section(
      t("What each part is worth"),
      p(
        t(
          "The same position to the same depth, with parts of the real search switched on one after the other, or off one at a time. Move ordering alone saves most of the tree; pruning and reductions save most of the rest.",
        ),
      ),
      p(
        t(
          "Fewer nodes are not the whole truth. Depth is only a name: a reduced search sees less at the same depth. Without the table, for one, there is no stored move to begin with, the search then takes a half-move off (step 11, internal iterative reduction), and the count may even fall. What all this buys is depth in the same time, and games are won by depth.",
        ),
      ),
      raceWidget(context, place),
    ),
  ];
};
export default chapter;

import type { Trace, TraceNode } from "rukh-engine";
import { parseSquare } from "../src/board/geometry.ts";
import type { Chapter, ChapterContext } from "../src/learn/chapter.ts";
import { type Preset, lessonBoard, p, section, widget } from "../src/learn/kit.ts";
import { t } from "../src/messages/messages.ts";
import { number } from "../src/ui/controls.ts";
import { fill, h, setText } from "../src/ui/dom.ts";
import { Place, facts, grid, message, source, sources, thousands } from "./common.ts";

const MOST_NODES = 20_000;

/** Positions where the static evaluation is wrong by a piece. */
const PRESETS: readonly Preset[] = [
  { name: t("Protected pawn"), variant: "chess", fen: "4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1" },
  {
    name: t("Hanging queen"),
    variant: "chess",
    fen: "r1bqkbnr/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 0 1",
  },
  {
    name: t("Many captures"),
    variant: "chess",
    fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
  },
  { name: t("Middle game"), variant: "makruk", fen: "2r4r/1smns1k1/pp3np1/5pN1/P2NpP2/1PS1P1S1/2KM4/R6R w - - 2 19" },
];

const shown = (value: number): string => String(value).replace("-", "−");

/** What a node of quiescence did, in words. */
function deed(node: TraceNode): string {
  if (node.reason === "stand pat") return t("stood pat: doing nothing reached {beta}", { beta: shown(node.beta) });
  if (node.reason === "table") return t("found in the table");
  if (node.reason === "cutoff") return t("a capture reached {beta}: cut off", { beta: shown(node.beta) });
  if (node.reason === "checkmate") return t("mate");
  return t("all captures worth trying were tried");
}

function quiescenceWidget(context: ChapterContext, place: Place): HTMLElement {
  const { rules } = context;
  let depth = Math.min(6, Math.max(1, Number(place.get("depth")) || 1));
  let serial = 0;
  const status = h("p", { role: "status" });
  const counts = h("div");
  const list = h("div", { class: "tall" });
  const details = h("div", { class: "stack" });
  const board = lessonBoard(t("Position of the node"), place.fen, place.variant);
  context.onLeave(() => (serial += 1));

  const lineTo = (trace: Trace, node: TraceNode): string[] => {
    const line: string[] = [];
    for (let at = node; at.id !== at.parent; at = trace.nodes[at.parent]!) if (at.uci) line.unshift(at.uci);
    return line;
  };
  const inWords = (line: readonly string[], fen = place.fen): string =>
    rules
      .line({ variant: place.variant, fen }, line)
      .moves.map(({ san }) => san)
      .join(" ");

  const choose = (trace: Trace, node: TraceNode) => {
    const line = lineTo(trace, node);
    const moves = rules.line(place.spec, line).moves;
    const fen = moves.at(-1)?.fen ?? place.fen;
    board.setFen(fen, false);
    const last = moves.at(-1);
    board.lastMove = last ? [parseSquare(last.from)!, parseSquare(last.to)!] : [];
    const left = (reason: string) =>
      node.pruned
        .filter((each) => each.reason === reason)
        .map((each) => inWords([each.uci], fen))
        .join(" ");
    const children = trace.nodes.filter((each) => each.parent === node.id && each.id !== node.id && each.uci);
    fill(
      details,
      facts(
        [
          [t("Line"), inWords(line) || "–"],
          [t("Window"), `${shown(node.alpha)} … ${shown(node.beta)}`],
          [t("Value"), shown(node.value)],
          [t("What happened"), deed(node)],
          [t("Captures tried"), children.map((each) => inWords([each.uci!], fen)).join(" ") || "–"],
          [t("Left out: cannot reach the window (delta)"), left("futility")],
          [t("Left out: the exchange loses"), left("exchange")],
          [t("Left out: too late in the order"), left("late move")],
        ].filter(([, value]) => value) as [string, string][],
      ),
    );
  };

  const run = async () => {
    const mine = (serial += 1);
    place.keep({ depth: depth === 1 ? "" : depth });
    place.show(board);
    setText(status, t("Searching …"));
    try {
      const engine = await context.engine();
      const [trace, evaluation] = [
        await engine.ask({ ask: "trace", ...place.spec, depth, limit: MOST_NODES, off: { table: true } }),
        await engine.ask({ ask: "evaluation", ...place.spec }),
      ];
      if (mine !== serial) return;
      const quiet = trace.nodes.filter(({ stage }) => stage === "quiescence");
      const pruned = quiet.flatMap((node) => node.pruned);
      const deepest = Math.max(0, ...quiet.map(({ ply }) => ply));
      const of = (reason: string) => pruned.filter((each) => each.reason === reason).length;
      const best = trace.bestMove ? inWords([trace.bestMove]) : "–";
      const cp = trace.score.cp;
      setText(
        status,
        t("Depth {depth}: {quiet} of {all} nodes are quiescence, down to half-move {deepest}. Best is {best}.", {
          depth,
          quiet: quiet.length,
          all: trace.nodes.length,
          deepest,
          best,
        }),
      );
      // Both for the side to move.
      const static_ = (evaluation.network?.cp ?? evaluation.classical) * (place.fen.split(" ")[1] === "w" ? 1 : -1);
      fill(
        counts,
        facts([
          [t("Evaluation without any move"), shown(Math.round(static_))],
          [t("Value with the captures played out"), cp === undefined ? t("mate") : shown(cp)],
          [t("Stood pat"), thousands(quiet.filter(({ reason }) => reason === "stand pat").length)],
          [t("Left out: cannot reach the window (delta)"), thousands(of("futility"))],
          [t("Left out: the exchange loses"), thousands(of("exchange"))],
        ]),
      );
      fill(
        list,
        grid(
          t("Nodes of quiescence"),
          [t("Line"), t("Value"), t("Nodes"), t("What happened")],
          quiet
            .slice(0, 200)
            .map((node) => [
              h(
                "button",
                { type: "button", class: "button small quiet", onClick: () => choose(trace, node) },
                inWords(lineTo(trace, node)),
              ),
              shown(node.value),
              thousands(node.nodes),
              deed(node),
            ]),
        ),
      );
      const first = quiet.find(({ pruned: some }) => some.length > 0) ?? quiet[0];
      if (first) choose(trace, first);
    } catch (problem) {
      if (mine === serial) setText(status, message(problem));
    }
  };
  place.onChange(() => void run());
  void run();
  return widget(
    t("Quiescence of this position"),
    place.picker,
    number(t("Depth"), depth, 1, 6, (value) => {
      depth = value;
      void run();
    }),
    status,
    counts,
    h("div", { class: "widget-columns" }, board, details),
    list,
  );
}

const chapter: Chapter = (context) => {
  const place = new Place(context, PRESETS);
  return [
    section(
      t("What the horizon hides"),
      p(
        t(
          "A search of five half-moves sees five half-moves. If the last of them is a queen taking a protected pawn, the evaluation counts a pawn won, and does not see that the queen is gone on the next move. Where the search ends there is a horizon, and what happens just beyond it causes the greatest errors of all.",
        ),
      ),
      p(
        t(
          "So nothing is evaluated in the middle of an exchange. At depth 0 the search goes on with captures alone (in check with all moves) until neither side wants to capture any more. Only such quiet positions are evaluated.",
        ),
      ),
      sources(
        source(
          "crates/search/src/quiescence.rs",
          "fn quiescence<",
          () => import("../../crates/search/src/quiescence.rs?raw"),
        ),
      ),
    ),
    section(
      t("Stand pat, delta, exchange"),
      p(
        t(
          "Nobody is forced to capture. Before it tries a capture, quiescence asks what the position is worth as it stands: the side to move has at least that much (unless it is in check). If that already reaches beta the node is done; it stands pat. Otherwise it becomes the lower end of the window, and a capture must do better.",
        ),
      ),
      p(
        t(
          "Most captures cannot. If the evaluation plus the whole value of the victim plus a margin stays below alpha, the capture is skipped without being searched: delta pruning. If the exchange on the square loses material, it is skipped too. What remains is a tree that ends by itself, because every capture makes the board emptier.",
        ),
      ),
    ),
    section(
      t("On the engine's own tree"),
      p(
        t(
          "Below is a recorded search of the position, without the table so that nothing is remembered. Choose a node: the board shows it, and next to it you see what was tried, what was left out, and why. Compare the value of the evaluation alone with the value after the captures.",
        ),
      ),
      quiescenceWidget(context, place),
    ),
  ];
};
export default chapter;

import type { Color } from "rukh-engine";
import { clockText } from "../game/notation.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { t } from "../messages/messages.ts";
import { h } from "../ui/dom.ts";

const WIDTH = 600;
const HEIGHT = 90;
const EMT = /\[%emt (?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\]/;

/** The time control of a game, `600+5`, in milliseconds. */
function controlOf(tree: GameTree): { initial: number | null; increment: number } {
  const [, seconds, gain] = /^(\d+)(?:\+(\d+))?$/.exec(tree.tag("TimeControl")) ?? [];
  return { initial: seconds === undefined ? null : 1000 * Number(seconds), increment: 1000 * Number(gain ?? 0) };
}

/** Milliseconds that each move of the main line took; null where the game does not say. */
export function moveTimes(tree: GameTree): (number | null)[] {
  const { initial, increment } = controlOf(tree);
  const line = tree.mainLine().slice(1);
  return line.map((node, i) => {
    const told = EMT.exec(node.commands);
    if (told) return 1000 * (3600 * Number(told[1] ?? 0) + 60 * Number(told[2]) + Number(told[3]));
    const before = i >= 2 ? line[i - 2]!.clock : initial;
    if (node.clock === null || before === null) return null;
    return Math.max(0, before + increment - node.clock);
  });
}

/** How long each move took: White's up, Black's down. A click shows the move; null where the game has no times. */
export function timeGraph(tree: GameTree, go: (node: TreeNode) => void): HTMLElement | null {
  const times = moveTimes(tree);
  if (!times.some((time) => time !== null && time > 0)) return null;
  const longest = Math.max(...times.map((time) => time ?? 0));
  const step = WIDTH / times.length;
  const colorOf = (i: number): Color => ((i % 2 === 0) === (tree.turnAtStart === "white") ? "white" : "black");
  // Roots: a long think does not make all other moves dots.
  const bars = times.map((time, i) => {
    const height = Math.sqrt((time ?? 0) / longest) * (HEIGHT / 2 - 2);
    const y = colorOf(i) === "white" ? HEIGHT / 2 - height : HEIGHT / 2;
    return `<rect class="time-${colorOf(i)}" x="${(i * step).toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(0.8, step * 0.8).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  const sum = (color: Color) =>
    times.reduce<number>((all, time, i) => all + (colorOf(i) === color ? (time ?? 0) : 0), 0);
  const at = times.indexOf(longest);
  const text = t("White {white}, Black {black}, longest {longest} for {move}", {
    white: clockText(sum("white")),
    black: clockText(sum("black")),
    longest: clockText(longest),
    move: tree.mainLine()[at + 1]!.san,
  });
  const graph = h("div", {
    class: "graph times",
    role: "img",
    "aria-label": `${t("Time per move")}. ${text}`,
    html: `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars.join("")}<path class="graph-middle" d="M0 ${HEIGHT / 2}H${WIDTH}"/></svg>`,
    onClick: (event: MouseEvent) => {
      const box = graph.getBoundingClientRect();
      const index = Math.floor(((event.clientX - box.left) / box.width) * times.length);
      const node = tree.mainLine()[Math.max(0, Math.min(times.length - 1, index)) + 1];
      if (node) go(node);
    },
  });
  return h("div", { class: "stack tight" }, graph, h("p", { class: "small muted" }, text));
}

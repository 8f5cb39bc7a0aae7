import { fill, h } from "../src/ui/dom.ts";
import { widget } from "../src/learn/kit.ts";
import { choice } from "../src/ui/controls.ts";
import { type Place, Stepper, grid } from "./common.ts";
import { t } from "../src/messages/messages.ts";

/** A small tree: three moves, two answers, two moves. Leaves are values for the side at the root. */
const SHAPE = [3, 2, 2] as const;
const LEAVES = 12;
const DEFAULT_LEAVES = [5, 6, 7, 4, 5, 3, 6, 9, 7, 5, 9, 8];

interface Node {
  readonly id: number;
  readonly depth: number;
  readonly parent: Node | null;
  readonly children: Node[];
  value: number;
  x: number;
}

/** What is known at one step: window and value of each node, and what was cut off. */
interface Snapshot {
  readonly text: string;
  readonly at: Node;
  readonly windows: ReadonlyMap<Node, readonly [number, number]>;
  readonly values: ReadonlyMap<Node, number>;
  readonly cut: ReadonlySet<Node>;
}

function build(leaves: readonly number[]): { root: Node; all: Node[] } {
  const all: Node[] = [];
  let next = 0;
  const make = (depth: number, parent: Node | null): Node => {
    const node: Node = { id: all.length, depth, parent, children: [], value: 0, x: 0 };
    all.push(node);
    if (depth === SHAPE.length) {
      node.value = leaves[next]!;
      node.x = next + 0.5;
      next += 1;
    } else {
      for (let i = 0; i < SHAPE[depth]!; i += 1) node.children.push(make(depth + 1, node));
      node.x = node.children.reduce((sum, child) => sum + child.x, 0) / node.children.length;
    }
    return node;
  };
  return { root: make(0, null), all };
}

const show = (value: number): string => (value === Infinity ? "∞" : value === -Infinity ? "−∞" : String(value));
const name = (node: Node): string =>
  node.depth === 0 ? t("the root") : node.depth === SHAPE.length ? t("a leaf") : t("node {id}", { id: node.id });

type Method = "minimax" | "alphabeta";
const METHODS: Readonly<Record<Method, string>> = { minimax: t("Minimax"), alphabeta: t("Alpha-beta") };

/** What a run costs. */
const cost = ({ values }: Snapshot) => ({
  nodes: values.size,
  leaves: [...values.keys()].filter((node) => node.children.length === 0).length,
});

/** A search of the tree, told step by step. Minimax has no window and looks at everything. */
function run(root: Node, method: Method): Snapshot[] {
  const steps: Snapshot[] = [];
  const windows = new Map<Node, readonly [number, number]>();
  const values = new Map<Node, number>();
  const cut = new Set<Node>();
  const tell = (at: Node, text: string) =>
    steps.push({ text, at, windows: new Map(windows), values: new Map(values), cut: new Set(cut) });
  const below = (node: Node) => {
    cut.add(node);
    node.children.forEach(below);
  };
  const search = (node: Node, alpha: number, beta: number): number => {
    const pruning = method === "alphabeta";
    if (pruning) windows.set(node, [alpha, beta]);
    if (node.children.length === 0) {
      values.set(node, node.value);
      tell(node, t("A leaf: its value is {value}.", { value: node.value }));
      return node.value;
    }
    const high = node.depth % 2 === 0;
    tell(
      node,
      t("Enter {node}, where {who}.", {
        node: name(node),
        who: high ? t("we choose the largest") : t("the opponent chooses the smallest"),
      }) + (pruning ? ` ${t("Window {alpha} to {beta}.", { alpha: show(alpha), beta: show(beta) })}` : ""),
    );
    let best = high ? -Infinity : Infinity;
    for (const [i, child] of node.children.entries()) {
      const value = search(child, alpha, beta);
      best = high ? Math.max(best, value) : Math.min(best, value);
      if (high) alpha = Math.max(alpha, best);
      else beta = Math.min(beta, best);
      values.set(node, best);
      if (pruning) windows.set(node, [alpha, beta]);
      const rest = node.children.slice(i + 1);
      if (pruning && alpha >= beta && rest.length > 0) {
        rest.forEach(below);
        tell(
          node,
          t(
            "{best} is {what} elsewhere ({bound}). Whatever the {n} other moves are worth, the game will not come here: cutoff.",
            {
              best,
              what: high ? t("more than the opponent allows") : t("less than we already have"),
              bound: show(high ? beta : alpha),
              n: rest.length,
            },
          ),
        );
        break;
      }
      tell(
        node,
        t("{node} has {best} so far.", { node: `${name(node)[0]!.toUpperCase()}${name(node).slice(1)}`, best }) +
          (pruning ? ` ${t("Window {alpha} to {beta}.", { alpha: show(alpha), beta: show(beta) })}` : ""),
      );
    }
    return best;
  };
  const value = search(root, -Infinity, Infinity);
  tell(root, "");
  const seen = cost(steps.pop()!).leaves;
  tell(root, t("Done: the root is worth {value}. {seen} of {n} leaves were looked at.", { value, seen, n: LEAVES }));
  return steps;
}

/** Leaves in the order that lets most be cut off: at every node the best move first. */
function sorted(leaves: readonly number[], best: boolean): number[] {
  const { root } = build(leaves);
  const value = (node: Node): number =>
    node.children.length === 0 ? node.value : (node.depth % 2 === 0 ? Math.max : Math.min)(...node.children.map(value));
  const walk = (node: Node): number[] => {
    if (node.children.length === 0) return [node.value];
    const order = [...node.children].sort(
      (a, b) => (value(b) - value(a)) * (node.depth % 2 === 0 ? 1 : -1) * (best ? 1 : -1),
    );
    return order.flatMap(walk);
  };
  return walk(root);
}

const SVG = "http://www.w3.org/2000/svg";
function svg(tag: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** The stepper with its tree; leaves can be changed. */
export function alphaBetaWidget(place: Place): HTMLElement {
  const read = (place.get("leaves") ?? "").split(",").map(Number);
  const original =
    read.length === LEAVES && read.every((value) => Number.isInteger(value) && Math.abs(value) <= 99)
      ? read
      : DEFAULT_LEAVES;
  let leaves = original;
  let { root, all } = build(leaves);
  let method: Method = place.get("by") === "minimax" ? "minimax" : "alphabeta";
  let steps = run(root, method);
  const costs = h("div", null);
  const picture = svg("svg", { viewBox: "0 0 600 330", class: "search-tree", role: "img" });
  const fields = h("div", { class: "leaf-fields" });

  const draw = (snapshot: Snapshot) => {
    const point = (node: Node) => ({ x: (node.x * 600) / LEAVES, y: 34 + node.depth * 88 });
    const parts: SVGElement[] = [];
    for (const node of all) {
      if (!node.parent) continue;
      const [a, b] = [point(node.parent), point(node)];
      parts.push(
        svg("line", {
          x1: a.x,
          y1: a.y,
          x2: b.x,
          y2: b.y,
          class: snapshot.cut.has(node) ? "edge cut" : snapshot.windows.has(node) ? "edge seen" : "edge",
        }),
      );
    }
    for (const node of all) {
      const { x, y } = point(node);
      const state = snapshot.cut.has(node)
        ? "cut"
        : node === snapshot.at
          ? "now"
          : snapshot.values.has(node) || snapshot.windows.has(node)
            ? "seen"
            : "";
      const value = node.children.length === 0 ? node.value : snapshot.values.get(node);
      if (node.children.length === 0)
        parts.push(svg("rect", { x: x - 19, y: y - 15, width: 38, height: 30, rx: 6, class: `node ${state}` }));
      else if (node.depth % 2 === 0)
        parts.push(svg("path", { d: `M${x} ${y - 22}L${x + 26} ${y + 17}H${x - 26}Z`, class: `node ${state}` }));
      else parts.push(svg("path", { d: `M${x} ${y + 22}L${x + 26} ${y - 17}H${x - 26}Z`, class: `node ${state}` }));
      parts.push(
        svg(
          "text",
          { x, y: y + (node.children.length === 0 ? 5 : node.depth % 2 === 0 ? 13 : 0), class: `node-value ${state}` },
          value === undefined ? "?" : show(value),
        ),
      );
      const window = snapshot.windows.get(node);
      if (window && node.children.length > 0 && !snapshot.cut.has(node))
        parts.push(
          svg(
            "text",
            {
              x: x + (node.depth === 0 ? 36 : 0),
              y: y + (node.depth === 0 ? 4 : -28),
              class: "window",
              "text-anchor": node.depth === 0 ? "start" : "middle",
            },
            `${show(window[0])} … ${show(window[1])}`,
          ),
        );
    }
    fill(picture, ...parts);
    picture.setAttribute("aria-label", `${t("Tree of three half-moves.")} ${snapshot.text}`);
  };
  const stepper = new Stepper((at) => {
    const snapshot = steps[at]!;
    draw(snapshot);
    place.keep({ ab: at || "" });
    return snapshot.text;
  });
  const set = (next: readonly number[], at = 0) => {
    leaves = [...next];
    ({ root, all } = build(leaves));
    steps = run(root, method);
    fill(
      costs,
      grid(
        t("Both on this tree"),
        [t("Search"), t("Nodes"), t("Leaves"), t("Value")],
        (["minimax", "alphabeta"] as const).map((name) => {
          const end = run(root, name).at(-1)!;
          const { nodes, leaves: seen } = cost(end);
          return [
            METHODS[name],
            t("{at} of {n}", { at: nodes, n: all.length }),
            t("{at} of {n}", { at: seen, n: LEAVES }),
            String(end.values.get(root)),
          ];
        }),
      ),
    );
    fill(
      fields,
      ...leaves.map((value, i) => {
        const field = h("input", {
          class: "input",
          type: "number",
          value,
          min: -99,
          max: 99,
          "aria-label": t("Leaf {number}", { number: i + 1 }),
          onChange: () => {
            const wanted = Math.max(-99, Math.min(99, Math.round(Number(field.value) || 0)));
            const changed = leaves.map((old, j) => (j === i ? wanted : old));
            place.keep({ leaves: changed.join(",") });
            set(changed);
          },
        });
        return field;
      }),
    );
    stepper.reset(steps.length, at);
  };
  set(leaves, Number(place.get("ab")) || 0);
  return widget(
    t("Minimax and alpha-beta, step by step"),
    choice(
      t("Search by"),
      (["minimax", "alphabeta"] as const).map((name) => [name, METHODS[name]] as const),
      method,
      (next) => {
        method = next;
        place.keep({ by: next === "minimax" ? next : "" });
        set(leaves);
      },
    ),
    stepper.element,
    picture,
    fields,
    costs,
    choice(
      t("Order of moves"),
      [
        ["given", t("As given")],
        ["best", t("Best first")],
        ["worst", t("Worst first")],
      ],
      "given",
      (order) => set(order === "given" ? original : sorted(leaves, order === "best")),
    ),
  );
}

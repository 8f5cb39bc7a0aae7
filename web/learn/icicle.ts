import type { TraceNode } from "rukh-engine";
import { h } from "../src/ui/dom.ts";
import { t } from "../src/messages/messages.ts";

const ROW = 24;
const MOST_ROWS = 16;
const LEAST_WIDTH = 0.6;

/** A node of the picture: where it stands as a share of the width. */
interface Box {
  readonly node: TraceNode;
  readonly left: number;
  readonly width: number;
  readonly row: number;
}

/** A tree as an icicle: a row for each ply, width for the nodes below, colour for the kind of node. */
export class Icicle {
  readonly element: HTMLElement;
  readonly #canvas = h("canvas", {
    class: "icicle",
    tabindex: "0",
    role: "application",
    "aria-label": t("Search tree"),
  });
  #nodes: readonly TraceNode[] = [];
  #children = new Map<number, TraceNode[]>();
  #byId = new Map<number, TraceNode>();
  #boxes: Box[] = [];
  #top: TraceNode | null = null;
  #selected: TraceNode | null = null;
  #rows = 1;

  /** `label` writes a node's box; `onSelect` hears of a chosen node. */
  constructor(
    private readonly label: (node: TraceNode) => string,
    private readonly onSelect: (node: TraceNode) => void,
  ) {
    this.element = h("div", { class: "icicle-frame" }, this.#canvas);
    this.#canvas.addEventListener("click", (event) => {
      const box = this.#canvas.getBoundingClientRect();
      const [x, row] = [(event.clientX - box.left) / box.width, Math.floor((event.clientY - box.top) / ROW)];
      const hit = this.#boxes.find((each) => each.row === row && x >= each.left && x < each.left + each.width);
      if (hit) this.select(hit.node);
    });
    this.#canvas.addEventListener("dblclick", () => this.#selected && this.zoom(this.#selected));
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows a tree; the first node is its root. */
  show(nodes: readonly TraceNode[]): void {
    this.#nodes = nodes;
    this.#children.clear();
    this.#byId = new Map(nodes.map((node) => [node.id, node]));
    for (const node of nodes) {
      if (node.parent === node.id) continue;
      const list = this.#children.get(node.parent);
      if (list) list.push(node);
      else this.#children.set(node.parent, [node]);
    }
    this.#top = nodes[0] ?? null;
    this.#selected = null;
    this.#layout();
  }

  childrenOf(node: TraceNode): readonly TraceNode[] {
    return this.#children.get(node.id) ?? [];
  }
  parentOf(node: TraceNode): TraceNode | null {
    return node.parent === node.id ? null : (this.#byId.get(node.parent) ?? null);
  }
  byId(id: number): TraceNode | undefined {
    return this.#byId.get(id);
  }
  get selected(): TraceNode | null {
    return this.#selected;
  }
  get top(): TraceNode | null {
    return this.#top;
  }

  select(node: TraceNode): void {
    this.#selected = node;
    this.#canvas.setAttribute(
      "aria-label",
      `${t("Search tree")}. ${this.label(node)}, ${t("half-move {ply}", { ply: node.ply })}`,
    );
    // A node outside the picture brings the picture to itself.
    if (!this.#boxes.some((box) => box.node === node)) this.zoom(this.parentOf(node) ?? node);
    else this.draw();
    this.onSelect(node);
  }

  /** Makes a node the first row. */
  zoom(node: TraceNode): void {
    this.#top = node;
    this.#layout();
  }

  #layout(): void {
    this.#boxes = [];
    this.#rows = 1;
    const place = (node: TraceNode, left: number, width: number, row: number) => {
      this.#boxes.push({ node, left, width, row });
      this.#rows = Math.max(this.#rows, row + 1);
      if (row + 1 >= MOST_ROWS) return;
      let at = left;
      const children = this.childrenOf(node);
      const sum = Math.max(
        node.nodes,
        children.reduce((total, child) => total + child.nodes, 0),
        1,
      );
      for (const child of children) {
        const share = (width * child.nodes) / sum;
        if (share * this.#pixels() >= LEAST_WIDTH) place(child, at, share, row + 1);
        at += share;
      }
    };
    if (this.#top) place(this.#top, 0, 1, 0);
    this.draw();
  }

  #pixels(): number {
    return Math.max(320, this.element.clientWidth || 0) * 1.5;
  }

  draw(): void {
    const width = this.element.clientWidth || 320;
    const height = this.#rows * ROW;
    const scale = devicePixelRatio || 1;
    const canvas = this.#canvas;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    if (!pen) return;
    pen.scale(scale, scale);
    const style = getComputedStyle(this.element);
    const colour = (name: string) => style.getPropertyValue(name).trim() || "#888";
    const paint = {
      pv: colour("--tree-pv"),
      cut: colour("--tree-cut"),
      all: colour("--tree-all"),
      quiescence: colour("--tree-qs"),
    };
    const edge = colour("--sunken");
    pen.font = `600 12px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    for (const { node, left, width: share, row } of this.#boxes) {
      const [x, w] = [left * width, share * width];
      pen.fillStyle = node.stage === "quiescence" ? paint.quiescence : paint[node.kind];
      pen.fillRect(x, row * ROW, Math.max(w, 0.5), ROW - 1);
      if (w > 2.5) {
        pen.fillStyle = edge;
        pen.fillRect(x + w - 1, row * ROW, 1, ROW - 1);
      }
      if (w > 26) {
        const text = this.label(node);
        pen.save();
        pen.beginPath();
        pen.rect(x + 3, row * ROW, w - 6, ROW);
        pen.clip();
        pen.fillStyle = "#fff";
        pen.fillText(text, x + 5, row * ROW + ROW / 2);
        pen.restore();
      }
    }
    const chosen = this.#boxes.find((box) => box.node === this.#selected);
    if (chosen) {
      pen.strokeStyle = colour("--text");
      pen.lineWidth = 2.5;
      pen.strokeRect(chosen.left * width + 1, chosen.row * ROW + 1, Math.max(3, chosen.width * width - 2), ROW - 3);
    }
  }

  #key(event: KeyboardEvent): void {
    const here = this.#selected ?? this.#top;
    if (!here) return;
    const parent = this.parentOf(here);
    const siblings = parent ? this.childrenOf(parent) : [here];
    const at = siblings.indexOf(here);
    const to =
      event.key === "ArrowUp"
        ? parent
        : event.key === "ArrowDown"
          ? [...this.childrenOf(here)].sort((a, b) => b.nodes - a.nodes)[0]
          : event.key === "ArrowLeft"
            ? siblings[at - 1]
            : event.key === "ArrowRight"
              ? siblings[at + 1]
              : undefined;
    if (to) this.select(to);
    else if (event.key === "Enter") this.zoom(here);
    else if (event.key === "Escape" && this.#nodes[0]) this.zoom(this.#nodes[0]);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }
}

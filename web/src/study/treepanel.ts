import { moveText } from "../game/movetext.ts";
import { moveNumber, scoreText } from "../game/notation.ts";
import { JUDGED, NAG_OF, NAG_SIGNS, isBad, verdictSign } from "../game/signs.ts";
import type { GameTree, TreeNode } from "../game/tree.ts";
import { fill, h } from "../ui/dom.ts";
import { freshGames } from "./fresh.ts";
import { said, t } from "../messages/messages.ts";

/** The move tree: the main line in two columns with evaluations, variations and comments between its rows. */
export class TreePanel {
  readonly element = h("div", { class: "tree", role: "group", "aria-label": t("Moves and variations") });
  #buttons = new Map<number, HTMLElement>();
  #current: HTMLElement | null = null;

  constructor(
    private readonly onPick: (node: TreeNode) => void,
    private readonly onFresh: (tree: GameTree) => void,
  ) {
    // A section with more above the list leaves less of it.
    new ResizeObserver(() => this.#keepInView()).observe(this.element);
  }

  /** Draws the whole tree; `select` alone is enough when only the place changed. */
  draw(tree: GameTree, current: TreeNode): void {
    this.#buttons.clear();
    const start = tree.state(tree.root);
    const out: HTMLElement[] = [];
    if (tree.root.comments.length) out.push(comment(tree.root.comments.join(" ")));
    if (tree.root.children.length === 0)
      out.push(
        h(
          "p",
          { class: "muted tree-empty" },
          t("Make a move on the board, type one, or paste a game. Or start a new game of:"),
        ),
        freshGames(this.onFresh),
      );
    this.#columns(tree, start, out);
    if (tree.result !== "*")
      out.push(h("span", { class: "tree-result" }, tree.result.replace("1/2-1/2", "½–½").replace("-", "–")));
    fill(this.element, ...out);
    this.select(current);
  }

  select(node: TreeNode): void {
    this.#current?.removeAttribute("aria-current");
    this.#current = this.#buttons.get(node.id) ?? null;
    this.#current?.setAttribute("aria-current", "true");
    if (!this.#current) this.element.scrollTop = 0;
    this.#keepInView();
  }

  #keepInView(): void {
    const box = this.element;
    const top = this.#current?.offsetTop ?? 0;
    if (this.#current && (top < box.scrollTop + 10 || top > box.scrollTop + box.clientHeight - 44))
      box.scrollTop = top - box.clientHeight / 2;
  }

  /** The main line in two columns; words and variations stand between its rows. */
  #columns(tree: GameTree, start: Start, out: HTMLElement[]): void {
    let open = false;
    for (let at = tree.root; at.children.length > 0;) {
      const [main, ...others] = at.children as [TreeNode, ...TreeNode[]];
      if (main.before.length) {
        out.push(comment(main.before.join(" ")));
        open = false;
      }
      const number = moveNumber(main.ply - 1, start, !open);
      if (number) out.push(h("span", { class: "tree-number" }, number.replace("…", ".")));
      if (number.endsWith("…")) out.push(h("span", { class: "move-gap" }, "…"));
      out.push(this.#button(tree, main));
      // Black's move goes beside White's, unless something stands between them.
      const between = [...remarks(main), ...others.map((other) => this.#variation(tree, other, start))];
      open = number.endsWith(".") && between.length === 0;
      out.push(...between);
      at = main;
    }
  }

  #variation(tree: GameTree, first: TreeNode, start: Start): HTMLElement {
    const box: HTMLElement[] = [];
    this.#move(tree, first, start, true, box);
    const words = remarks(first);
    box.push(...words);
    this.#line(tree, first, start, box, words.length > 0);
    return h("div", { class: "variation" }, ...box);
  }

  /** Writes the continuation of `from` as running text; variations of each move follow it. `number`: Black's move needs one, too. */
  #line(tree: GameTree, from: TreeNode, start: Start, out: HTMLElement[], number: boolean): void {
    for (let at = from; at.children.length > 0;) {
      const [main, ...others] = at.children as [TreeNode, ...TreeNode[]];
      this.#move(tree, main, start, number, out);
      const words = remarks(main);
      number = words.length > 0 || others.length > 0;
      out.push(...words, ...others.map((other) => this.#variation(tree, other, start)));
      at = main;
    }
  }

  #move(tree: GameTree, node: TreeNode, start: Start, always: boolean, out: HTMLElement[]): void {
    if (node.before.length) out.push(comment(node.before.join(" ")));
    const number = moveNumber(node.ply - 1, start, always);
    const item = this.#button(tree, node);
    if (number) out.push(h("span", { class: "ply" }, h("span", { class: "tree-number" }, number), item));
    else out.push(item);
  }

  #button(tree: GameTree, node: TreeNode): HTMLElement {
    const judged = [...node.nags, NAG_OF[node.engine?.verdict ?? "book"] ?? 0].map((nag) => JUDGED[nag]).find(Boolean);
    const signs = node.nags.map((nag) => NAG_SIGNS[nag] ?? `$${nag}`).join("");
    const item = h(
      "button",
      {
        type: "button",
        class: `move ${judged ?? ""}`,
        title: node.clock !== null ? clock(node.clock) : undefined,
        onClick: () => this.onPick(node),
      },
      moveText(node, tree.variant),
      signs ? h("span", { class: "nag" }, signs) : null,
      node.engine
        ? h(
            "span",
            { class: "nag engine", title: t("The engine: {words}", { words: said(node.engine.text) }) },
            verdictSign(node.engine.verdict),
          )
        : null,
      node.eval ? h("span", { class: "move-eval" }, scoreText(node.eval)) : null,
    );
    this.#buttons.set(node.id, item);
    return item;
  }
}

type Start = { fullmove: number; turn: "white" | "black" };
const comment = (text: string): HTMLElement => h("span", { class: "comment" }, text);
/** What people say about a move, then what the engine says. */
const remarks = ({ comments, engine }: TreeNode): HTMLElement[] => [
  ...(comments.length ? [comment(comments.join(" "))] : []),
  ...(engine && isBad(engine.verdict) ? [h("span", { class: "comment engine" }, `Rukh: ${said(engine.text)}`)] : []),
];
const clock = (ms: number): string => {
  const s = Math.floor(ms / 1000);
  return `⏱ ${Math.floor(s / 3600)}:${String(Math.floor(s / 60) % 60).padStart(2, "0")}:${String(s % 60).padStart(2, "0")}`;
};

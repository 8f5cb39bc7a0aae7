import type { TreeNode } from "../game/tree.ts";
import { fill, h } from "../ui/dom.ts";
import { NAG_SIGNS } from "./treepanel.ts";

// Signs of a move, of which one is set at a time.
const OFFERED = [3, 1, 5, 6, 2, 4] as const;
const NAMES: Readonly<Record<number, string>> = {
  3: "Brilliant",
  1: "Good",
  5: "Interesting",
  6: "Doubtful",
  2: "Mistake",
  4: "Blunder",
};

/** The words about the current move: a comment field and the six signs. */
export class Annotations {
  #comment = h("input", {
    class: "input comment-field",
    placeholder: "Comment on this move",
    "aria-label": "Comment on this move",
    maxlength: 2000,
    onChange: () => this.#write(),
  });
  #signs = h("div", { class: "row signs", role: "group", "aria-label": "Sign of this move" });
  readonly element = h("div", { class: "annotations" }, this.#signs, this.#comment);
  #node: TreeNode | null = null;

  constructor(private readonly onChange: () => void) {}

  show(node: TreeNode): void {
    this.#node = node;
    if (document.activeElement !== this.#comment) this.#comment.value = node.comments.join(" ");
    this.#signs.hidden = node.parent === null;
    fill(
      this.#signs,
      ...OFFERED.map((nag) =>
        h(
          "button",
          {
            type: "button",
            class: "sign",
            title: NAMES[nag],
            "aria-label": NAMES[nag],
            "aria-pressed": String(node.nags.includes(nag)),
            onClick: () => {
              node.nags = node.nags.includes(nag)
                ? node.nags.filter((other) => other !== nag)
                : [nag, ...node.nags.filter((other) => other > 6)];
              this.onChange();
            },
          },
          NAG_SIGNS[nag]!,
        ),
      ),
    );
  }

  #write(): void {
    if (!this.#node) return;
    const text = this.#comment.value.trim();
    this.#node.comments = text ? [text] : [];
    this.onChange();
  }
}

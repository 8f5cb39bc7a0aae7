import { NAG_SIGNS } from "../game/signs.ts";
import { type TreeNode, isMainLine } from "../game/tree.ts";
import { button, h } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

// Signs of a move, of which one is set at a time.
const OFFERED = [3, 1, 5, 6, 2, 4] as const;
const NAMES: Readonly<Record<number, string>> = {
  3: t("Brilliant"),
  1: t("Good"),
  5: t("Interesting"),
  6: t("Dubious"),
  2: t("Mistake"),
  4: t("Blunder"),
};

/** The words about the current move: the six signs, a comment, and what to do with its variation. */
export class Annotations {
  #comment = h("input", {
    class: "input comment-field",
    placeholder: t("Comment on this move"),
    "aria-label": t("Comment on this move"),
    maxlength: 2000,
    onChange: () => this.#write(),
  });
  // Made once: a button that is pressed keeps the focus.
  #signs = new Map(OFFERED.map((nag) => [nag, this.#sign(nag)]));
  #group = h(
    "div",
    { class: "row signs", role: "group", "aria-label": t("Annotation symbol") },
    ...this.#signs.values(),
  );
  #promote: HTMLButtonElement;
  #remove: HTMLButtonElement;
  readonly element: HTMLElement;
  #node: TreeNode | null = null;

  constructor(
    private readonly onChange: () => void,
    onPromote: () => void,
    onRemove: () => void,
  ) {
    const look = { hideLabel: true, class: "quiet small square" } as const;
    this.#promote = button(t("Make this the main line"), onPromote, { ...look, icon: "up" });
    this.#remove = button(t("Delete from here"), onRemove, { ...look, icon: "trash", key: t("Delete") });
    this.element = h("div", { class: "annotations" }, this.#group, this.#promote, this.#remove, this.#comment);
  }

  show(node: TreeNode): void {
    this.#node = node;
    if (document.activeElement !== this.#comment) this.#comment.value = node.comments.join(" ");
    this.#group.hidden = node.parent === null;
    for (const [nag, sign] of this.#signs) sign.setAttribute("aria-pressed", String(node.nags.includes(nag)));
    this.#remove.disabled = node.parent === null;
    this.#promote.disabled = isMainLine(node);
  }

  #sign(nag: number): HTMLButtonElement {
    const press = () => {
      const node = this.#node;
      if (!node) return;
      const others = node.nags.filter((other) => other > 6);
      node.nags = node.nags.includes(nag) ? others : [nag, ...others];
      this.onChange();
    };
    const label = NAMES[nag];
    return h(
      "button",
      { type: "button", class: "sign", title: label, "aria-label": label, onClick: press },
      NAG_SIGNS[nag]!,
    );
  }

  #write(): void {
    if (!this.#node) return;
    const text = this.#comment.value.trim();
    this.#node.comments = text ? [text] : [];
    this.onChange();
  }
}

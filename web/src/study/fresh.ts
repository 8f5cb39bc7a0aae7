import { rules } from "../engine/rules.ts";
import { GameTree } from "../game/tree.ts";
import { VARIANTS, VARIANT_NAMES } from "../pieces/names.ts";
import { button, h } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

/** Buttons for an empty game of each kind; Chess960 begins with an array drawn by lot. */
export function freshGames(onPick: (tree: GameTree) => void): HTMLElement {
  return h(
    "div",
    { class: "row", role: "group", "aria-label": t("An empty game") },
    ...VARIANTS.map((variant) =>
      button(
        VARIANT_NAMES[variant],
        () =>
          onPick(
            variant === "chess960"
              ? new GameTree(variant, rules().chess960(Math.floor(Math.random() * 960)))
              : GameTree.fresh(variant),
          ),
        { class: "small" },
      ),
    ),
  );
}

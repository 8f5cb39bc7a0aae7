import type { Side } from "../board/geometry.ts";
import { h, setText } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

/** The bar beside the board: White's share of the point. */
export class EvalBar {
  #white = h("div", { class: "evalbar-white", style: "height:50%" });
  #text = h("span", { class: "evalbar-text" });
  readonly element = h(
    "div",
    {
      class: "evalbar",
      role: "meter",
      "aria-label": t("Evaluation"),
      "aria-valuemin": "0",
      "aria-valuemax": "100",
      "aria-valuenow": "50",
    },
    this.#white,
    this.#text,
  );

  /** `share` is White's expected points of a hundred. */
  draw(share: number, text: string, side: Side): void {
    const shown = Math.min(98, Math.max(2, share));
    this.element.classList.toggle("turned", side === "black");
    this.#white.style.height = `${shown}%`;
    this.element.classList.toggle("black-ahead", share < 50);
    setText(
      this.#text,
      text.replace(/^[+−]/, "").replace(/^\d+\.\d+$/, (pawns) => Number(pawns).toFixed(1)),
    );
    this.element.setAttribute("aria-valuenow", String(Math.round(share)));
    this.element.setAttribute(
      "aria-valuetext",
      text
        ? t("{score}, White is expected to score {points} %", { score: text, points: Math.round(share) })
        : t("not evaluated"),
    );
  }
}

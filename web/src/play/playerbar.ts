import type { Color } from "rukh-engine";
import { fill, h, setText } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

/** The line above or below the board: who plays, the count, the clock. */
export class PlayerBar {
  #dot = h("span", { class: "side-dot" });
  #name = h("span", { class: "player-name" });
  #detail = h("span", { class: "player-detail muted small" });
  #material = h("span", { class: "material-place" });
  #count = h("span");
  #clock = h("time", { class: "clock", hidden: true });
  readonly element = h(
    "div",
    { class: "player-bar" },
    this.#dot,
    h("div", { class: "grow player-who" }, this.#name, this.#detail, this.#material),
    this.#count,
    this.#clock,
  );

  draw(player: {
    side: Color;
    name: string;
    detail: string;
    thinking: boolean;
    turn: boolean;
    /** What this side has more than the other. */
    material: HTMLElement;
    /** The count, where this side counts. */
    count: HTMLElement | null;
  }): void {
    this.#dot.className = `side-dot ${player.side}`;
    this.element.classList.toggle("turn", player.turn);
    this.element.dataset.side = player.side;
    setText(this.#name, player.name);
    setText(this.#detail, player.thinking ? t("is thinking …") : player.detail);
    fill(this.#material, player.material);
    fill(this.#count, player.count);
  }

  clock(text: string | null, running: boolean, low: boolean): void {
    this.#clock.hidden = text === null;
    if (text === null) return;
    setText(this.#clock, text);
    this.#clock.classList.toggle("running", running);
    this.#clock.classList.toggle("low", low);
  }
}

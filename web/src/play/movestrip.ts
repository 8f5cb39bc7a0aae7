import { moveText } from "../game/movetext.ts";
import { button, fill, h } from "../ui/dom.ts";
import type { PlayGame } from "./game.ts";
import { t } from "../messages/messages.ts";

/** The moves of a game in two columns, with buttons to walk through them. */
export class MoveStrip {
  #list = h("ol", { class: "move-pairs", "aria-label": t("Moves") });
  #drawn = "";
  #shown = 0;
  #length = 0;
  readonly element: HTMLElement;

  constructor(private readonly onPick: (ply: number) => void) {
    this.element = h(
      "div",
      { class: "card flush move-card" },
      this.#list,
      h(
        "div",
        { class: "walk" },
        button(t("To the start"), () => onPick(0), { icon: "first", hideLabel: true, class: "quiet" }),
        button(t("Back"), () => onPick(this.#shown - 1), { icon: "prev", hideLabel: true, class: "quiet" }),
        button(t("Forward"), () => onPick(this.#shown + 1), { icon: "next", hideLabel: true, class: "quiet" }),
        button(t("To the end"), () => onPick(this.#length), { icon: "last", hideLabel: true, class: "quiet" }),
      ),
    );
  }

  draw(game: PlayGame, shown: number): void {
    this.#shown = shown;
    this.#length = game.ply;
    const key = `${game.record.start}|${game.record.moves.join(" ")}|${game.record.ending?.result ?? ""}`;
    if (key !== this.#drawn) this.#build(game);
    this.#drawn = key;
    for (const item of this.#list.querySelectorAll<HTMLElement>("button[data-ply]")) {
      const current = Number(item.dataset.ply) === shown;
      if (current) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
      // After the list has been laid out: it may not even be in the document yet.
      if (current) requestAnimationFrame(() => this.#scrollTo(item));
    }
  }

  /** Two columns on a large screen, one long line on a phone. */
  #scrollTo(item: HTMLElement): void {
    this.#list.scrollTop = item.offsetTop - this.#list.clientHeight / 2;
    this.#list.scrollLeft = item.offsetLeft - this.#list.clientWidth / 2;
  }

  #build(game: PlayGame): void {
    const start = game.stateAt(0);
    const offset = start.turn === "black" ? 1 : 0;
    const rows: HTMLElement[] = [];
    for (let index = 0; index < game.ply + offset; index += 2) {
      const cell = (ply: number) => {
        if (ply < 0) return h("span", { class: "move-gap" }, "…");
        if (ply >= game.ply) return h("span");
        const before = game.stateAt(ply);
        const move = before.moves.find((candidate) => candidate.uci === game.record.moves[ply])!;
        return h(
          "button",
          { type: "button", class: "move", dataset: { ply: ply + 1 }, onClick: () => this.onPick(ply + 1) },
          moveText(move, game.record.variant),
        );
      };
      rows.push(
        h(
          "li",
          null,
          h("span", { class: "move-number" }, start.fullmove + index / 2),
          cell(index - offset),
          cell(index + 1 - offset),
        ),
      );
    }
    if (rows.length === 0) rows.push(h("li", { class: "move-empty muted" }, t("No moves yet.")));
    fill(this.#list, ...rows);
  }
}

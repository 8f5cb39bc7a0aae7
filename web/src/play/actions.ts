import { button, fill, h } from "../ui/dom.ts";
import type { PlayGame, PlayRecord } from "./game.ts";
import { said, t } from "../messages/messages.ts";

/** What the buttons beside the board do. */
export interface PlayActions {
  newGame(): void;
  takeBack(): void;
  hint(): void;
  draw(): void;
  resign(): void;
  count(): void;
  flip(): void;
  analyse(): void;
  review(): void;
  /** Three things about the game that is over. */
  sumUp(): void;
  rematch(): void;
  pause(): void;
}

/** The buttons beside the board; made anew only when what they offer has changed, so that the focus stays where it is. */
export class ActionBar {
  readonly element = h("div", { class: "play-actions" });
  #offered = "";

  constructor(private readonly actions: PlayActions) {}

  /** `mayClaim`: a draw can be had without being asked for; `busy`: the engine is thinking. */
  draw(game: PlayGame, mayClaim: boolean, busy: boolean, paused: boolean): void {
    const { actions } = this;
    const { mayCount } = game.state;
    const count = game.humanToMove ? mayCount : null;
    const offered = [
      game.over,
      mayClaim,
      count,
      game.canTakeBack,
      game.humanToMove && !busy,
      game.watched,
      paused,
    ].join();
    if (offered === this.#offered) return;
    this.#offered = offered;
    const takeBack = button(t("Take back"), () => actions.takeBack(), { icon: "undo", key: "u" });
    const hint = button(t("Hint"), () => actions.hint(), { icon: "bulb", key: "h" });
    takeBack.disabled = !game.canTakeBack;
    hint.disabled = !game.humanToMove || busy;
    const claim = { icon: "half", class: mayClaim ? "primary" : "" } as const;
    fill(
      this.element,
      button(t("New game"), () => actions.newGame(), { icon: "plus", class: game.over ? "primary" : "" }),
      game.watched &&
        !game.over &&
        button(paused ? t("Resume") : t("Pause"), () => actions.pause(), { icon: paused ? "play" : "pause", key: "p" }),
      !game.watched && takeBack,
      !game.watched && hint,
      !game.over && !game.watched && button(mayClaim ? t("Claim draw") : t("Offer draw"), () => actions.draw(), claim),
      !game.over && !game.watched && button(t("Resign"), () => actions.resign(), { icon: "flag" }),
      count &&
        button(count === "start" ? t("Start counting") : t("Stop counting"), () => actions.count(), {
          class: "primary",
          key: "c",
        }),
      button(t("Flip"), () => actions.flip(), { icon: "flip", key: "f" }),
      button(t("Analyse"), () => actions.analyse(), { icon: "analyse" }),
    );
  }
}

/** How the game ended, and what to do next. */
export function resultCard({ ending, human, watch }: PlayRecord, actions: PlayActions): HTMLElement | null {
  if (!ending) return null;
  const won = ending.result === (human === "white" ? "1-0" : "0-1");
  const drawn = ending.result === "1/2-1/2";
  const winner = ending.result === "1-0" ? t("White won") : t("Black won");
  const title = drawn ? t("A draw") : watch ? winner : won ? t("You won") : t("Rukh won");
  return h(
    "div",
    { class: `result-card ${drawn || watch ? "drawn" : won ? "won" : "lost"}` },
    h("strong", null, ending.result.replace("1/2-1/2", "½–½").replace("-", "–")),
    h(
      "div",
      { class: "grow" },
      h("p", { class: "result-title" }, title),
      h("p", { class: "small" }, said(ending.text)),
    ),
    h(
      "div",
      { class: "row" },
      !watch && button(t("Three things"), () => actions.sumUp(), { class: "primary", icon: "bulb" }),
      button(t("Review"), () => actions.review(), { class: watch ? "primary" : "", icon: "review" }),
      button(t("Rematch"), () => actions.rematch()),
    ),
  );
}

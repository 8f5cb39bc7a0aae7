import type { LegalMove } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { parseSquare } from "../board/geometry.ts";
import { GOOD_ENOUGH, judgeMove } from "../coach/judge.ts";
import { rules } from "../engine/rules.ts";
import { engineService } from "../engine/service.ts";
import { moveText } from "../game/movetext.ts";
import type { TreeNode } from "../game/tree.ts";
import { sideName } from "../pieces/names.ts";
import { button, fill, h } from "../ui/dom.ts";
import { announce } from "../ui/notice.ts";
import type { Found } from "./review.ts";
import { betterLine } from "./review.ts";
import type { ReviewHost } from "./reviewcard.ts";
import { parts, t } from "../messages/messages.ts";

/** A place where a better move was missed. */
export interface Place {
  readonly found: Found;
  readonly played: TreeNode;
}

/** "Learn from your mistakes": one position after another, until a good move is found. */
export class Lesson {
  readonly element = h("div", { class: "stack lesson-card" });
  #at = -1;
  #state: "ask" | "busy" | "done" = "ask";
  #text = h("p", { class: "lesson-text", role: "status" });
  #buttons = h("div", { class: "row" });
  #serial = 0;

  constructor(
    private readonly host: ReviewHost,
    private readonly places: readonly Place[],
    private readonly onEnd: () => void,
  ) {
    this.element.append(h("h2", null, t("Learn from your mistakes")), this.#text, this.#buttons);
    this.#next();
  }

  /** A move on the board while a question is open. Always taken: the board goes back if it was wrong. */
  answer(move: LegalMove): boolean {
    const place = this.places[this.#at];
    if (!place || this.#state !== "ask" || this.host.node() !== place.found.node) return false;
    if (move.uci === place.found.pv[0]) this.#right(move);
    else if (move.uci === place.played.uci) this.#wrong(t("That is what was played. Look for something better."));
    else void this.#judge(place, move);
    return true;
  }

  #next(): void {
    this.#at += 1;
    this.#serial += 1;
    const place = this.places[this.#at];
    if (!place) {
      this.#say(t("That was the last one. Well done."));
      fill(
        this.#buttons,
        button(t("Back to the review"), () => this.onEnd(), { class: "primary" }),
      );
      return;
    }
    this.#state = "ask";
    this.host.go(place.found.node);
    this.host.board.arrows = [
      {
        from: parseSquare(place.played.uci.slice(0, 2))!,
        to: parseSquare(place.played.uci.slice(2, 4))!,
        tone: "threat",
        opacity: 0.5,
      },
    ];
    const { turn } = this.host.tree().state(place.found.node);
    this.#say(
      `${t("{at} of {n}", { at: this.#at + 1, n: this.places.length })}. `,
      ...parts<Node>("{move} was played. Find a better move for {side}.", {
        move: moveText(place.played, this.host.tree().variant),
        side: sideName(turn),
      }),
    );
    this.#drawButtons();
  }

  #drawButtons(): void {
    const last = this.#at + 1 >= this.places.length;
    fill(
      this.#buttons,
      this.#state === "done"
        ? button(last ? t("Finish") : t("Next"), () => this.#next(), { class: "primary" })
        : button(t("Show the move"), () => this.#show()),
      this.#state === "done" ? null : button(t("Skip"), () => this.#next(), { class: "quiet" }),
      button(t("End"), () => this.onEnd(), { class: "quiet" }),
    );
  }

  #show(): void {
    const place = this.places[this.#at]!;
    const best = betterLine(this.host.tree(), place.found);
    this.#state = "done";
    const move = best ? moveText(best, this.host.tree().variant) : t("unknown");
    this.#say(...parts<Node>("The engine’s move is {move}.", { move }));
    if (best) this.host.go(best);
    this.host.changed();
    this.#drawButtons();
  }

  #right(move: LegalMove): void {
    this.#state = "done";
    const { found } = this.places[this.#at]!;
    const tree = this.host.tree();
    this.#say(
      ...parts<Node>(move.uci === found.pv[0] ? "{move} – the engine’s move." : "{move} – just as good.", {
        move: moveText(move, tree.variant),
      }),
    );
    const node = tree.play(found.node, move);
    this.host.changed();
    this.host.go(node);
    this.#drawButtons();
  }

  #wrong(text: string): void {
    this.#state = "ask";
    this.#say(text);
    this.host.go(this.places[this.#at]!.found.node);
    this.#drawButtons();
  }

  async #judge(place: Place, move: LegalMove): Promise<void> {
    const serial = this.#serial;
    const tree = this.host.tree();
    this.#state = "busy";
    this.#say(...parts<Node>("The engine is checking {move} …", { move: moveText(move, tree.variant) }));
    const spec = tree.spec(place.found.node);
    const judged = await judgeMove(engineService, spec, move.uci, settings.reviewNodes);
    if (!judged || serial !== this.#serial) return;
    const white = rules().chances(tree.variant, place.found.score).expectation;
    const best = tree.state(place.found.node).turn === "white" ? white : 100 - white;
    if (best - judged.points <= GOOD_ENOUGH) this.#right(move);
    else {
      const lost = Math.round(best - judged.points);
      this.#wrong(t("{move} gives away {lost} %. Try again.", { move: move.san, lost }));
    }
  }

  #say(...parts: (Node | string)[]): void {
    fill(this.#text, ...parts);
    announce(this.#text.textContent ?? "");
  }
}

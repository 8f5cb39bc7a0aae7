import type { BoardState, Color, LegalMove, PositionSpec, Uci } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { effect } from "../app/store.ts";
import { type MoveEvent, type RukhBoard, createBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import type { Arrow, Mark, Tone } from "../board/layers.ts";
import { rules } from "../engine/rules.ts";
import { moveNumber } from "../game/notation.ts";
import { moveText } from "../game/movetext.ts";
import { moveSound, playSound } from "../game/sound.ts";
import { fill, h } from "../ui/dom.ts";
import { announce, notice } from "../ui/notice.ts";
import { reason, t } from "../messages/messages.ts";

/** What stands on the board. */
export interface Shown {
  readonly state: BoardState;
  /** The side at the bottom. */
  readonly side: Color;
  /** Moves may be made. */
  readonly live: boolean;
  readonly arrows?: readonly Arrow[];
  readonly marks?: readonly Mark[];
}

/** A board with a panel beside it, on which something is to be solved. */
export class Desk {
  readonly element = h("div", { class: "table desk" });
  readonly board: RukhBoard = createBoard(t("Board"));
  readonly panel = h("div", { class: "panel" });
  /** What is to be solved, in words, and what can be done. */
  readonly card: HTMLElement;
  readonly buttons = h("div", { class: "row" });
  #text = h("div", { class: "stack desk-text" });
  readonly #end: () => void;

  constructor(label: string, onMove: (move: LegalMove) => Promise<void>) {
    this.card = h("section", { class: "card stack", "aria-label": label }, this.#text, this.buttons);
    this.element.append(
      h("div", { class: "board-column" }, h("div", { class: "board-frame" }, this.board)),
      this.panel,
    );
    this.board.addEventListener("move", (event) => {
      const { move } = (event as CustomEvent<MoveEvent>).detail;
      playSound(moveSound(move));
      void safely(() => onMove(move));
    });
    this.#end = effect(() =>
      this.board.setLook({
        westernPieces: settings.westernMakruk,
        thai: settings.makrukNotation === "thai",
        coordinates: settings.coordinates,
      }),
    );
  }

  show({ state, side, live, arrows = [], marks = [] }: Shown): void {
    const { board } = this;
    board.variant = state.variant;
    board.orientation = side;
    board.setFen(state.fen);
    board.lastMove = state.last ? [parseSquare(state.last.from)!, parseSquare(state.last.to)!] : [];
    board.check = state.check ? parseSquare(state.check) : null;
    board.mode = live ? "play" : "view";
    board.moves = live ? state.moves : [];
    board.arrows = arrows;
    board.marks = marks;
  }

  /** Puts words on the card, and says them to a screen reader. */
  say(...content: (HTMLElement | null)[]): void {
    fill(this.#text, ...content);
    announce(content.map((part) => part?.textContent ?? "").join(" "));
  }

  leave(): void {
    this.#end();
  }
}

/** Does something, and tells what went wrong with it; not to somebody who has left, and taken the engine along. */
export async function safely(work: () => Promise<void>, left: () => boolean = () => false): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!left()) notice(reason(error), "warn");
  }
}

/** An arrow of a move. */
export const arrowOf = (uci: Uci, tone: Tone): Arrow => ({
  from: parseSquare(uci.slice(0, 2))!,
  to: parseSquare(uci.slice(2, 4))!,
  tone,
});

/** A line of moves as buttons; each shows the position behind it. */
export function lineButtons(
  spec: PositionSpec & { variant: BoardState["variant"]; fen: string },
  moves: readonly Uci[],
  onPick: (moves: readonly Uci[]) => void,
): HTMLElement {
  const before = spec.moves ?? [];
  const start = rules().state(spec);
  const line = rules().line(spec, moves).moves;
  return h(
    "span",
    { class: "desk-line" },
    ...line.map((move, i) =>
      h(
        "button",
        { type: "button", class: "move", onClick: () => onPick([...before, ...moves.slice(0, i + 1)]) },
        `${moveNumber(i, start, i === 0)} `,
        moveText(move, spec.variant),
      ),
    ),
  );
}

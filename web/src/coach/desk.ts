import type { BoardState, Color, LegalMove, PositionSpec, Uci } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { effect } from "../app/store.ts";
import { type MoveEvent, type RukhBoard, createBoard } from "../board/board.ts";
import { parseSquare } from "../board/geometry.ts";
import type { Arrow, Mark, Tone } from "../board/layers.ts";
import { rules } from "../engine/rules.ts";
import { moveNumber } from "../game/notation.ts";
import { moveText } from "../game/movetext.ts";
import { h } from "../ui/dom.ts";
import { t } from "../messages/messages.ts";

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
  /** What stands under the board on a small screen and above the panel on a large one. */
  readonly #end: () => void;

  constructor(onMove: (move: LegalMove) => void) {
    this.element.append(
      h("div", { class: "board-column" }, h("div", { class: "board-frame" }, this.board)),
      this.panel,
    );
    this.board.addEventListener("move", (event) => onMove((event as CustomEvent<MoveEvent>).detail.move));
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

  leave(): void {
    this.#end();
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

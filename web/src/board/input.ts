import type { Tone } from "./layers.ts";
import type { RukhBoard } from "./board.ts";
import { type Square, cellOf, squareAt } from "./geometry.ts";
import type { PieceLayer } from "./piecelayer.ts";

// A pointer must travel this far before a press becomes a drag.
const DRAG_PIXELS = 5;

interface Drag {
  from: Square;
  startX: number;
  startY: number;
  pointer: number;
  moving: boolean;
  /** Whether the piece was already selected before this press, so that a plain click lets it go. */
  wasSelected: boolean;
}

/** Pointer and keyboard of one board. */
export class BoardInput {
  #drag: Drag | null = null;
  #drawFrom: Square | null = null;
  /** The board has the focus by a press on it: then the keys are the section's, which steps through the game with them. */
  #pressed = false;

  constructor(
    private readonly board: RukhBoard,
    private readonly grid: HTMLElement,
    private readonly pieces: PieceLayer,
  ) {
    grid.addEventListener("pointerdown", (event) => this.#down(event));
    grid.addEventListener("pointermove", (event) => this.#move(event));
    grid.addEventListener("pointerup", (event) => this.#up(event));
    grid.addEventListener("pointercancel", () => this.cancel());
    grid.addEventListener("contextmenu", (event) => {
      if (board.mode !== "view") event.preventDefault();
    });
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("focusin", (event) => {
      this.#pressed = !(event.target as Element).matches(":focus-visible");
      const at = [...grid.querySelectorAll("[role=gridcell]")].indexOf(event.target as Element);
      if (at >= 0) board.focusSquare(squareAt(at % 8, at >> 3, board.orientation), false);
    });
  }

  /** The square whose piece is in the hand. */
  get dragged(): Square | null {
    return this.#drag?.from ?? null;
  }

  /** Ends a drag without a move. */
  cancel(): void {
    if (this.#drag) this.pieces.drop(this.#drag.from, null);
    this.#drag = null;
  }

  #down(event: PointerEvent): void {
    const { board } = this;
    const square = board.squareAtPoint(event.clientX, event.clientY);
    this.#pressed = true;
    if (square === null || board.mode === "view") return;
    if (event.button === 2) {
      this.#drawFrom = square;
      return;
    }
    if (event.button !== 0 || this.#drag) return;
    const mine = board.mode === "edit" ? board.placement.has(square) : board.mode === "play" && board.mayLift(square);
    if (!board.drawnStays || (!mine && board.selected === null)) board.clearDrawn();
    if (mine) {
      const wasSelected = board.selected === square;
      // A press on a piece that the selected one can take is a move, not a new selection.
      if (
        board.mode === "play" &&
        board.selected !== null &&
        !wasSelected &&
        board.tryMove(board.selected, square, false)
      )
        return;
      this.#drag = {
        from: square,
        startX: event.clientX,
        startY: event.clientY,
        pointer: event.pointerId,
        moving: false,
        wasSelected,
      };
      this.grid.setPointerCapture(event.pointerId);
      if (board.mode === "play" && !wasSelected) board.select(square);
      return;
    }
    board.touch(square);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    if (!drag.moving && Math.hypot(event.clientX - drag.startX, event.clientY - drag.startY) < DRAG_PIXELS) return;
    drag.moving = true;
    const box = this.board.getBoundingClientRect();
    this.pieces.lift(
      drag.from,
      ((event.clientX - box.left) / box.width) * 800,
      ((event.clientY - box.top) / box.height) * 800,
    );
  }

  #up(event: PointerEvent): void {
    const { board } = this;
    const square = board.squareAtPoint(event.clientX, event.clientY);
    if (event.button === 2) {
      if (this.#drawFrom !== null && square !== null) board.toggleDrawn(this.#drawFrom, square, drawingTone(event));
      this.#drawFrom = null;
      return;
    }
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    this.#drag = null;
    if (!drag.moving) {
      if (board.mode === "edit") board.touch(drag.from);
      else if (drag.wasSelected) board.select(null);
      return;
    }
    if (board.mode === "edit") {
      this.pieces.drop(drag.from, null);
      if (square !== drag.from)
        board.dispatchEvent(new CustomEvent("carry", { detail: { from: drag.from, to: square } }));
      return;
    }
    // Put the piece down first: the listener of the move shows the next position at once.
    const fits = square !== null && square !== drag.from;
    this.pieces.drop(drag.from, fits ? square : null);
    if (!fits || !board.tryMove(drag.from, square, true)) this.pieces.drop(drag.from, null);
  }

  #key(event: KeyboardEvent): void {
    const { board } = this;
    if (event.ctrlKey || event.altKey || event.metaKey || (this.#pressed && event.key !== "Escape")) return;
    const { column, row } = cellOf(board.focusedSquare, board.orientation);
    const step: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const by = step[event.key];
    if (by) {
      const [x, y] = [column + by[0], row + by[1]];
      if (x >= 0 && x < 8 && y >= 0 && y < 8) board.focusSquare(squareAt(x, y, board.orientation));
    } else if (event.key === "Enter" || event.key === " ") {
      board.touch(board.focusedSquare);
    } else if (event.key === "Escape" && board.selected !== null) {
      board.select(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Green; red with Shift or Control, blue with Alt or Meta, yellow with both, as elsewhere. */
function drawingTone({ shiftKey, ctrlKey, altKey, metaKey }: PointerEvent): Tone {
  const blue = altKey || metaKey;
  if (shiftKey || ctrlKey) return blue ? "warn" : "threat";
  return blue ? "second" : "user";
}

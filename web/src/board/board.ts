import type { LegalMove } from "rukh-engine";
import { type Variant, kindName, pieceName } from "../pieces/names.ts";
import { type Piece, type PieceSet, installSprite, pieceSetOf, pieceSvg } from "../pieces/sprite.ts";
import { type Side, type Square, cellOf, parseSquare, squareAt, squareName } from "./geometry.ts";
import { BoardInput } from "./input.ts";
import {
  type Arrow,
  type Mark,
  type Overlay,
  type Tone,
  drawArrows,
  drawCoordinates,
  drawMarks,
  drawOverlay,
  drawOverlayTexts,
  drawSquares,
  drawTargets,
} from "./layers.ts";
import { PieceLayer } from "./piecelayer.ts";
import { type Placement, readPlacement } from "./placement.ts";
import { t } from "../messages/messages.ts";

/** What a person may do with a board. */
export type BoardMode = "view" | "play" | "squares" | "edit";

/** A move made on the board. */
export interface MoveEvent {
  readonly move: LegalMove;
  readonly dragged: boolean;
}

const THAI_FONT = '15px "Noto Sans Thai"';

const LAYERS = [
  "squares",
  "highlights",
  "overlay",
  "below",
  "coordinates",
  "targets",
  "pieces",
  "texts",
  "arrows",
  "drawn",
  "above",
] as const;
type LayerName = (typeof LAYERS)[number];

/**
 * `<rukh-board>`: an SVG board under an ARIA grid of 64 cells.
 *
 * Modes: `view` shows only; `play` lets a person make one of `moves` by drag, click-click or keyboard (event `move`, detail
 * `MoveEvent`); `squares` reports touched squares (event `square`, detail the square's number); `edit` reports drags of
 * pieces (event `carry`, detail `{from, to}`) and touched squares. Right-button drags draw arrows in every mode but `view`.
 */
export class RukhBoard extends HTMLElement {
  #svg!: SVGSVGElement;
  #grid!: HTMLDivElement;
  #layers!: Record<LayerName, SVGGElement>;
  #cells: HTMLDivElement[] = [];
  #pieces!: PieceLayer;
  #input!: BoardInput;
  #placement: Placement = new Map();
  #side: Side = "white";
  #variant: Variant = "chess";
  #mode: BoardMode = "view";
  #moves: readonly LegalMove[] = [];
  #selected: Square | null = null;
  #lastMove: readonly Square[] = [];
  #check: Square | null = null;
  #overlay: Overlay = new Map();
  #marks: readonly Mark[] = [];
  #arrows: readonly Arrow[] = [];
  #drawnArrows: Arrow[] = [];
  #drawnMarks: Mark[] = [];
  #premover: Side | null = null;
  #westernPieces = false;
  #thai = false;
  #coordinates = true;
  #focus: Square = 4;

  connectedCallback(): void {
    if (this.#svg) return;
    installSprite();
    this.classList.add("rukh-board");
    const groups = LAYERS.map((name) => `<g class="layer-${name}"></g>`).join("");
    this.innerHTML = `<svg viewBox="0 0 800 800" aria-hidden="true" focusable="false">${groups}</svg><div class="board-grid" role="grid"></div>`;
    this.#svg = this.querySelector("svg")!;
    this.#grid = this.querySelector<HTMLDivElement>(".board-grid")!;
    this.#layers = Object.fromEntries(
      LAYERS.map((name) => [name, this.#svg.querySelector<SVGGElement>(`.layer-${name}`)!]),
    ) as Record<LayerName, SVGGElement>;
    this.#pieces = new PieceLayer(this.#layers.pieces);
    for (let row = 0; row < 8; row += 1) {
      const line = document.createElement("div");
      line.setAttribute("role", "row");
      for (let column = 0; column < 8; column += 1) {
        const cell = document.createElement("div");
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = -1;
        line.append(cell);
        this.#cells.push(cell);
      }
      this.#grid.append(line);
    }
    this.#grid.setAttribute("aria-label", this.getAttribute("label") ?? t("Board"));
    this.#input = new BoardInput(this, this.#grid, this.#pieces);
    this.#draw();
  }

  disconnectedCallback(): void {
    this.#input?.cancel();
  }

  /* -------------------------------------------------------------------------------------------------- what is shown */

  /** Shows a FEN (its board field is enough). Pieces slide unless `animate` is false. */
  setFen(fen: string, animate = true): void {
    this.setPlacement(readPlacement(fen), animate);
  }

  setPlacement(placement: Placement, animate = true): void {
    // Whoever holds a piece while the other side moves goes on holding it.
    const held = this.#premover ? (this.#input.dragged ?? this.#selected) : null;
    const before = held === null ? undefined : this.#placement.get(held);
    const now = held === null ? undefined : placement.get(held);
    const keeps = before && now && before.kind === now.kind && before.white === now.white;
    if (!keeps) this.#input?.cancel();
    this.#placement = placement;
    this.#selected = keeps ? held : null;
    if (!this.#svg) return;
    this.#pieces.show(placement, this.#side, this.pieceSet, animate);
    this.#drawHints();
  }

  get placement(): Placement {
    return this.#placement;
  }

  /** What may be played: straight from the engine's answer. */
  set moves(moves: readonly LegalMove[]) {
    this.#moves = moves;
    if (this.#svg) this.#drawHints();
  }
  get moves(): readonly LegalMove[] {
    return this.#moves;
  }

  /** The side that may move in advance: event `premove`, detail `{from, to}` in names of squares, or null for none. */
  set premover(side: Side | null) {
    this.#premover = side;
  }

  set mode(mode: BoardMode) {
    this.#mode = mode;
    this.dataset.mode = mode;
    if (this.#svg) this.#drawHints();
  }
  get mode(): BoardMode {
    return this.#mode;
  }

  set orientation(side: Side) {
    if (side === this.#side) return;
    this.#side = side;
    if (this.#svg) this.#draw();
  }
  get orientation(): Side {
    return this.#side;
  }

  set variant(variant: Variant) {
    if (variant === this.#variant) return;
    this.#variant = variant;
    if (this.#svg) this.#draw();
  }
  get variant(): Variant {
    return this.#variant;
  }

  /** Western pieces for Makruk, Thai letters beside the board, letters at all. */
  setLook(look: { westernPieces?: boolean; thai?: boolean; coordinates?: boolean }): void {
    this.#westernPieces = look.westernPieces ?? this.#westernPieces;
    // The letters may be those of a font that is not here yet; what was drawn before is not always drawn anew.
    if (look.thai && !this.#thai) void document.fonts?.load(THAI_FONT, "ก").then(() => this.#svg && this.#draw());
    this.#thai = look.thai ?? this.#thai;
    this.#coordinates = look.coordinates ?? this.#coordinates;
    if (this.#svg) this.#draw();
  }

  get look(): { westernPieces: boolean; thai: boolean; coordinates: boolean } {
    return { westernPieces: this.#westernPieces, thai: this.#thai, coordinates: this.#coordinates };
  }

  get pieceSet(): PieceSet {
    return pieceSetOf(this.#variant, this.#westernPieces);
  }

  /** The squares of the last move. */
  set lastMove(squares: readonly Square[]) {
    this.#lastMove = squares;
    if (this.#svg) this.#drawHints();
  }

  /** The square of a king in check. */
  set check(square: Square | null) {
    this.#check = square;
    if (this.#svg) this.#drawHints();
  }

  set overlay(overlay: Overlay) {
    this.#overlay = overlay;
    if (this.#svg) this.#drawOverlays();
  }

  set marks(marks: readonly Mark[]) {
    this.#marks = marks;
    if (this.#svg) this.#drawOverlays();
  }

  set arrows(arrows: readonly Arrow[]) {
    this.#arrows = arrows;
    if (this.#svg) this.#layers.arrows.innerHTML = drawArrows(arrows, this.#side);
  }

  /** Whether what is drawn belongs to the position: then it goes by a press on nothing only, not by playing on. */
  drawnStays = false;

  /** Arrows and circles drawn by hand. */
  get drawn(): { arrows: readonly Arrow[]; marks: readonly Mark[] } {
    return { arrows: this.#drawnArrows, marks: this.#drawnMarks };
  }
  setDrawn(arrows: readonly Arrow[], marks: readonly Mark[]): void {
    this.#drawnArrows = [...arrows];
    this.#drawnMarks = [...marks];
    if (this.#svg) this.#drawOverlays();
  }

  /* ------------------------------------------------------------------------------------------- what the input does */

  get selected(): Square | null {
    return this.#selected;
  }

  /** Moves a piece standing on `square` may make. */
  movesFrom(square: Square): LegalMove[] {
    const name = squareName(square);
    return this.#moves.filter((move) => move.from === name);
  }

  /** Whether a piece on `square` can be taken into the hand. */
  mayLift(square: Square): boolean {
    return this.movesFrom(square).length > 0 || this.#isPremovers(square);
  }

  #isPremovers(square: Square): boolean {
    const piece = this.#placement.get(square);
    return this.#premover !== null && piece?.white === (this.#premover === "white");
  }

  /** Selects a square in `play` mode, or makes the move from the selected one. Returns whether a move was made. */
  touch(square: Square, dragged = false): boolean {
    if (this.#mode === "squares" || this.#mode === "edit") {
      this.dispatchEvent(new CustomEvent<Square>("square", { detail: square }));
      return false;
    }
    if (this.#mode !== "play") return false;
    const from = this.#selected;
    if (from !== null && from !== square && this.tryMove(from, square, dragged)) return true;
    this.select(from === square || !this.mayLift(square) ? null : square);
    if (this.#premover && this.#selected === null) this.dispatchEvent(new CustomEvent("premove", { detail: null }));
    return false;
  }

  select(square: Square | null): void {
    this.#selected = square;
    this.#drawHints();
  }

  /** Makes the move if there is one; asks which piece a pawn becomes if there are several. */
  tryMove(from: Square, to: Square, dragged: boolean): boolean {
    const target = squareName(to);
    if (this.#isPremovers(from)) {
      // A click on another piece of one's own chooses that one; dragged there it means to take back what is taken.
      if (!dragged && this.#isPremovers(to)) return false;
      this.select(null);
      this.#pieces.show(this.#placement, this.#side, this.pieceSet, false);
      this.dispatchEvent(new CustomEvent("premove", { detail: { from: squareName(from), to: target } }));
      return true;
    }
    const fitting = this.movesFrom(from).filter((move) => move.targets.includes(target));
    if (fitting.length === 0) return false;
    this.select(null);
    if (fitting.length === 1) this.#emit(fitting[0]!, dragged);
    else this.#askPromotion(fitting, to, dragged);
    return true;
  }

  #emit(move: LegalMove, dragged: boolean): void {
    this.dispatchEvent(new CustomEvent<MoveEvent>("move", { detail: { move, dragged } }));
  }

  /** Draws an arrow or a circle; the same again takes it away, another colour repaints it. */
  toggleDrawn(from: Square, to: Square, tone: Tone = "user"): void {
    const [old, kept] = split(this.#drawnMarks, (mark) => from === to && mark.square === from);
    const [oldArrow, keptArrows] = split(this.#drawnArrows, (arrow) => arrow.from === from && arrow.to === to);
    this.#drawnMarks = kept;
    this.#drawnArrows = keptArrows;
    if (from === to && old?.tone !== tone) kept.push({ square: from, kind: "circle", tone });
    if (from !== to && oldArrow?.tone !== tone) keptArrows.push({ from, to, tone });
    this.#drawOverlays();
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  clearDrawn(): void {
    if (this.#drawnArrows.length + this.#drawnMarks.length === 0) return;
    this.setDrawn([], []);
    this.dispatchEvent(new CustomEvent("drawn"));
  }

  /** Moves the keyboard's square and gives it the focus. */
  focusSquare(square: Square, grab = true): void {
    this.#focus = square;
    this.#tabStops();
    if (grab) this.cellOf(square).focus({ preventScroll: true });
  }
  get focusedSquare(): Square {
    return this.#focus;
  }

  cellOf(square: Square): HTMLDivElement {
    const { column, row } = cellOf(square, this.#side);
    return this.#cells[row * 8 + column]!;
  }

  /** The square under a point of the window, or null. */
  squareAtPoint(x: number, y: number): Square | null {
    const box = this.getBoundingClientRect();
    const column = Math.floor(((x - box.left) / box.width) * 8);
    const row = Math.floor(((y - box.top) / box.height) * 8);
    return column >= 0 && column < 8 && row >= 0 && row < 8 ? squareAt(column, row, this.#side) : null;
  }

  #askPromotion(choices: readonly LegalMove[], to: Square, dragged: boolean): void {
    const { column, row } = cellOf(to, this.#side);
    const box = document.createElement("div");
    box.className = "promotion";
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", t("Promote to"));
    box.style.left = `${column * 12.5}%`;
    box.style[row < 4 ? "top" : "bottom"] = "0";
    const close = () => {
      box.remove();
      this.#pieces.show(this.#placement, this.#side, this.pieceSet, false);
      this.focusSquare(to, true);
    };
    for (const move of choices) {
      const piece: Piece = {
        kind: move.promotion ?? "q",
        white: move.piece === move.piece.toUpperCase(),
        promoted: false,
      };
      const button = document.createElement("button");
      button.type = "button";
      button.innerHTML = pieceSvg(piece, this.pieceSet);
      button.setAttribute("aria-label", kindName(piece, this.#variant));
      button.addEventListener("click", () => {
        close();
        this.#emit(move, dragged);
      });
      box.append(button);
    }
    box.addEventListener("keydown", (event) => {
      const buttons = [...box.querySelectorAll("button")];
      const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
      if (event.key === "Escape") close();
      else if (event.key === "ArrowDown" || event.key === "ArrowRight") buttons[(at + 1) % buttons.length]!.focus();
      else if (event.key === "ArrowUp" || event.key === "ArrowLeft")
        buttons[(at + buttons.length - 1) % buttons.length]!.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.append(box);
    // A press anywhere else gives it up; the press that opened it is not over yet, and would take the focus away again.
    requestAnimationFrame(() => {
      box.querySelector("button")?.focus();
      document.addEventListener(
        "pointerdown",
        (event) => {
          if (box.isConnected && !box.contains(event.target as Node)) close();
        },
        { once: true, capture: true },
      );
    });
  }

  /* ------------------------------------------------------------------------------------------------------- drawing */

  #draw(): void {
    const plain = this.#variant === "makruk";
    this.classList.toggle("plain", plain);
    this.#layers.squares.innerHTML = drawSquares(plain ? "plain" : "chequered");
    this.#layers.coordinates.innerHTML = this.#coordinates ? drawCoordinates(this.#side, this.#thai && plain) : "";
    this.#pieces.show(this.#placement, this.#side, this.pieceSet, false);
    this.#layers.arrows.innerHTML = drawArrows(this.#arrows, this.#side);
    this.#drawOverlays();
    this.#drawHints();
  }

  #drawOverlays(): void {
    this.#layers.overlay.innerHTML = drawOverlay(this.#overlay, this.#side);
    this.#layers.texts.innerHTML = drawOverlayTexts(this.#overlay, this.#side);
    this.#layers.below.innerHTML = drawMarks(this.#marks, this.#side, false);
    this.#layers.above.innerHTML = drawMarks(this.#marks, this.#side, true);
    this.#layers.drawn.innerHTML =
      drawMarks(this.#drawnMarks, this.#side, true) + drawArrows(this.#drawnArrows, this.#side);
    this.#labels();
  }

  /** Last move, check, selection and targets; and what a screen reader hears. */
  #drawHints(): void {
    let out = "";
    const rect = (square: Square, name: string) => {
      const { column, row } = cellOf(square, this.#side);
      out += `<rect class="${name}" x="${column * 100}" y="${row * 100}" width="100" height="100"/>`;
    };
    for (const square of this.#lastMove) rect(square, "hl-last");
    if (this.#selected !== null) rect(this.#selected, "hl-selected");
    if (this.#check !== null) rect(this.#check, "hl-check");
    this.#layers.highlights.innerHTML = out;
    const targets: { square: Square; takes: boolean }[] = [];
    if (this.#selected !== null) {
      for (const move of this.movesFrom(this.#selected)) {
        const square = parseSquare(move.targets.at(-1) ?? move.to);
        if (square !== null && !targets.some((target) => target.square === square))
          targets.push({ square, takes: this.#placement.has(square) || move.capture !== null });
      }
    }
    this.#layers.targets.innerHTML = drawTargets(targets, this.#side);
    this.#labels();
    this.#tabStops();
  }

  #labels(): void {
    const reachable = new Set(
      this.#selected === null ? [] : this.movesFrom(this.#selected).flatMap((move) => move.targets),
    );
    for (let square = 0; square < 64; square += 1) {
      const cell = this.cellOf(square);
      const name = squareName(square);
      const piece = this.#placement.get(square);
      const shown = this.#overlay.get(square);
      const words: (string | undefined)[] = [name, piece ? pieceName(piece, this.#variant) : t("empty")];
      if (square === this.#selected) words.push(t("selected"));
      if (square === this.#check) words.push(t("in check"));
      if (reachable.has(name)) words.push(t("can go here"));
      if (shown?.spoken) words.push(shown.spoken);
      else words.push(...[shown?.text, shown?.note].filter((word) => word !== undefined && word !== ""));
      cell.setAttribute("aria-label", words.join(", "));
      cell.dataset.square = name;
      cell.setAttribute("aria-selected", String(square === this.#selected));
    }
  }

  #tabStops(): void {
    const usable = this.#mode !== "view";
    for (const cell of this.#cells) cell.tabIndex = -1;
    if (usable) this.cellOf(this.#focus).tabIndex = 0;
  }
}

customElements.define("rukh-board", RukhBoard);

/** A board, ready to be put on the page. */
export function createBoard(label: string): RukhBoard {
  const board = document.createElement("rukh-board") as RukhBoard;
  board.setAttribute("label", label);
  return board;
}

/** The first that fits, and all others. */
function split<T>(list: readonly T[], fits: (item: T) => boolean): [T | undefined, T[]] {
  return [list.find(fits), list.filter((item) => !fits(item))];
}

import { type Piece, type PieceSet, symbolId } from "../pieces/sprite.ts";
import { type Side, type Square, cornerOf, fileOf, rankOf } from "./geometry.ts";
import type { Placement } from "./placement.ts";

const SVG = "http://www.w3.org/2000/svg";

interface Shown {
  piece: Piece;
  square: Square;
  element: SVGUseElement;
}

const same = (a: Piece, b: Piece): boolean => a.kind === b.kind && a.white === b.white && a.promoted === b.promoted;
const distance = (a: Square, b: Square): number =>
  Math.max(Math.abs(fileOf(a) - fileOf(b)), Math.abs(rankOf(a) - rankOf(b)));

/** The pieces of a board: keeps their elements, so that those that moved can slide. */
export class PieceLayer {
  #shown = new Map<Square, Shown>();
  #side: Side = "white";
  #set: PieceSet | null = null;
  #dropped: Square | null = null;

  constructor(private readonly group: SVGGElement) {}

  /** Shows a placement. A piece that a person has just dropped on its square does not slide there again. */
  show(placement: Placement, side: Side, set: PieceSet, animate: boolean): void {
    if (set !== this.#set) this.#clear();
    const slide = animate && side === this.#side;
    this.#side = side;
    this.#set = set;
    const free: Shown[] = [];
    for (const [square, shown] of this.#shown) {
      const piece = placement.get(square);
      if (piece && same(piece, shown.piece)) this.#place(shown, square, false);
      else {
        free.push(shown);
        this.#shown.delete(square);
      }
    }
    for (const [square, piece] of placement) {
      if (this.#shown.has(square)) continue;
      let best = -1;
      free.forEach((other, i) => {
        if (
          same(other.piece, piece) &&
          (best < 0 || distance(other.square, square) < distance(free[best]!.square, square))
        )
          best = i;
      });
      // A pawn that became something else slides as well.
      if (best < 0)
        best = free.findIndex(
          (other) =>
            other.piece.kind === "p" &&
            other.piece.white === piece.white &&
            distance(other.square, square) === 1 &&
            other.square !== square,
        );
      const shown = best >= 0 ? free.splice(best, 1)[0]! : this.#create(piece);
      shown.piece = piece;
      shown.element.setAttribute("href", `#${symbolId(piece, set)}`);
      this.#place(shown, square, slide && best >= 0 && this.#dropped !== square);
      this.#shown.set(square, shown);
    }
    for (const gone of free) gone.element.remove();
    this.#dropped = null;
  }

  /** Lets the piece on a square hang from a point in drawing units. */
  lift(square: Square, x: number, y: number): boolean {
    const shown = this.#shown.get(square);
    if (!shown) return false;
    if (!shown.element.classList.contains("lifted")) this.group.append(shown.element);
    shown.element.classList.add("lifted");
    shown.element.style.transform = `translate(${x - 50}px, ${y - 50}px)`;
    return true;
  }

  /** Puts a lifted piece back; `kept` says that it stays where it was dropped until the next position comes. */
  drop(square: Square, kept: Square | null): void {
    const shown = this.#shown.get(square);
    if (!shown) return;
    shown.element.classList.remove("lifted");
    this.#dropped = kept;
    if (kept === null) this.#place(shown, square, false);
  }

  #create(piece: Piece): Shown {
    const element = document.createElementNS(SVG, "use");
    element.setAttribute("class", piece.white ? "pw" : "pk");
    element.setAttribute("width", "100");
    element.setAttribute("height", "100");
    this.group.append(element);
    return { piece, square: 0, element };
  }

  #place(shown: Shown, square: Square, slide: boolean): void {
    const { x, y } = cornerOf(square, this.#side);
    shown.square = square;
    shown.element.classList.toggle("sliding", slide);
    if (slide) this.group.append(shown.element);
    shown.element.style.transform = `translate(${x}px, ${y}px)`;
  }

  #clear(): void {
    this.group.replaceChildren();
    this.#shown.clear();
  }
}

import { settings } from "../app/settings.ts";
import { effect } from "../app/store.ts";
import type { Variant } from "./names.ts";
import { MAKRUK, WESTERN } from "./shapes.ts";

/** Which drawings a board uses. */
export type PieceSet = "western" | "makruk";

export const pieceSetOf = (variant: Variant, westernMakruk: boolean): PieceSet =>
  variant === "makruk" && !westernMakruk ? "makruk" : "western";

/** A piece as the page sees it: a FEN letter, and whether it is a turned-over Bia. */
export interface Piece {
  /** FEN letter in lower case. */
  readonly kind: string;
  readonly white: boolean;
  readonly promoted: boolean;
}

// Makruk pieces drawn with the western set: the Met as a queen, the Thon as a bishop.
const WESTERN_FOR: Readonly<Record<string, string>> = { m: "q", s: "b" };

/** The id of the symbol that draws `piece`. */
export function symbolId(piece: Piece, set: PieceSet): string {
  if (set === "makruk") return `mk-${piece.promoted ? "b" : piece.kind}`;
  return `we-${WESTERN_FOR[piece.kind] ?? piece.kind}`;
}

/** Puts the drawings into the document once; boards refer to them with `<use>`. */
export function installSprite(): void {
  if (document.getElementById("piece-sprite")) return;
  const symbols = (set: Readonly<Record<string, string>>, prefix: string) =>
    Object.entries(set)
      // The drawings reach from 4.5 to 90.5: so they stand in the middle of their square.
      .map(([kind, art]) => `<symbol id="${prefix}-${kind}" viewBox="0 -2.5 100 100">${art}</symbol>`)
      .join("");
  const holder = document.createElement("div");
  holder.innerHTML = `<svg id="piece-sprite" width="0" height="0" style="position:absolute" aria-hidden="true">${symbols(WESTERN, "we")}${symbols(MAKRUK, "mk")}</svg>`;
  document.body.prepend(holder.firstElementChild!);
  effect(() => void drawWestern(settings.pieces));
}

/** The western sets. All but the first are loaded when somebody chooses them. */
const SETS: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  facet: async () => (await import("./facet.ts")).FACET,
  pebble: async () => (await import("./pebble.ts")).PEBBLE,
};

/** The drawings of a western set. */
export const artOf = async (name: string) => (await SETS[name]?.()) ?? WESTERN;

/** Every board refers to the same drawings: whoever changes them changes all boards. */
async function drawWestern(name: string): Promise<void> {
  const art = await artOf(name);
  if (settings.pieces !== name) return;
  for (const [kind, drawing] of Object.entries(art)) {
    const symbol = document.getElementById(`we-${kind}`);
    if (symbol && symbol.innerHTML !== drawing) symbol.innerHTML = drawing;
  }
}

/** A single piece as SVG markup, for lists, buttons and palettes. */
export function pieceSvg(piece: Piece, set: PieceSet): string {
  return `<svg class="piece-icon ${piece.white ? "pw" : "pk"}" viewBox="0 0 100 100" aria-hidden="true"><use href="#${symbolId(piece, set)}"/></svg>`;
}

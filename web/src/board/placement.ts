import type { Piece } from "../pieces/sprite.ts";
import type { Square } from "./geometry.ts";

/** Which piece stands where. */
export type Placement = ReadonlyMap<Square, Piece>;

/**
 * Reads the board field of a FEN for drawing. It is no judge of positions: that is the engine's work, and what it cannot
 * read it leaves out.
 */
export function readPlacement(fen: string): Map<Square, Piece> {
  const placement = new Map<Square, Piece>();
  let rank = 7;
  let file = 0;
  for (const char of fen.split(" ")[0] ?? "") {
    if (char === "/") {
      rank -= 1;
      file = 0;
    } else if (char >= "1" && char <= "8") {
      file += Number(char);
    } else if (char === "~") {
      const square = rank * 8 + file - 1;
      const piece = placement.get(square);
      if (piece) placement.set(square, { ...piece, promoted: true });
    } else if (rank >= 0 && file < 8) {
      placement.set(rank * 8 + file, { kind: char.toLowerCase(), white: char !== char.toLowerCase(), promoted: false });
      file += 1;
    }
  }
  return placement;
}

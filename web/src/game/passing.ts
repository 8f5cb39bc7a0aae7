import { rules } from "../engine/rules.ts";
import type { Variant } from "../pieces/names.ts";

/** The position with the other side to move, and a move more; null where the rules do not allow it. */
export function passed(variant: Variant, fen: string): string | null {
  const [board, turn, castling, enPassant, halfmoves, fullmoves] = fen.split(" ");
  const [next, number] = turn === "w" ? ["b", fullmoves] : ["w", Number(fullmoves) + 1];
  const fields = [board, next, castling, variant === "makruk" ? enPassant : "-", Number(halfmoves) + 1, number];
  const check = rules().checkFen(variant, fields.join(" "));
  return check.ok ? check.fen : null;
}

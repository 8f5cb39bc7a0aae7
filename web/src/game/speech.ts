import type { BoardState } from "rukh-engine";
import { squareName } from "../board/geometry.ts";
import { type Variant, kindName, kindsOf, toMove } from "../pieces/names.ts";
import { t } from "../messages/messages.ts";

/** A position in words, strongest pieces first: what a person without the board needs to know. */
export function spokenPosition(state: BoardState, variant: Variant): string {
  const side = (white: boolean) => {
    const words = kindsOf(variant).flatMap((kind) => {
      const squares = state.squares.flatMap((letter, square) => {
        const plain = letter?.replace("~", "");
        return plain && plain.toLowerCase() === kind && (plain !== plain.toLowerCase()) === white
          ? [squareName(square) + (letter!.includes("~") ? ` (${t("Bia-ngai")})` : "")]
          : [];
      });
      return squares.length ? [`${kindName({ kind, promoted: false }, variant)} ${squares.join(", ")}`] : [];
    });
    return `${white ? t("White") : t("Black")}: ${words.join("; ")}.`;
  };
  return `${side(true)} ${side(false)} ${toMove(state.turn)}.`;
}

import type { BoardState } from "rukh-engine";
import { rules } from "../../engine/rules.ts";

/** An ending against a bare Khun. */
export interface Ending {
  readonly id: string;
  /** The attacker's pieces, in FEN letters. */
  readonly pieces: readonly string[];
}

/** From the one that everybody must know to those that the count makes hard. */
export const ENDINGS: readonly Ending[] = [
  { id: "RR", pieces: ["R", "R"] },
  { id: "R", pieces: ["R"] },
  { id: "RS", pieces: ["R", "S"] },
  { id: "RN", pieces: ["R", "N"] },
  { id: "RM", pieces: ["R", "M"] },
  { id: "SS", pieces: ["S", "S"] },
  { id: "NS", pieces: ["N", "S"] },
  { id: "SM", pieces: ["S", "M"] },
  { id: "NM", pieces: ["N", "M"] },
];

/** How far from mate a lesson begins: nearer at first. After the last stage an ending is known. */
export const STAGES: readonly { readonly least: number; readonly most: number }[] = [
  { least: 2, most: 4 },
  { least: 4, most: 8 },
  { least: 6, most: 100 },
];

/** A random position with the count just begun and the bare Khun to move; null where the dice fell badly. */
export function deal({ pieces }: Ending, random: () => number): BoardState | null {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const squares: (string | null)[] = new Array(64).fill(null);
  for (const letter of ["K", "k", ...pieces]) {
    const free = squares.flatMap((occupied, square) => (occupied ? [] : [square]));
    squares[pick(free)] = letter;
  }
  const setup = rules().checkSetup({ variant: "makruk", squares, turn: "white" });
  if (!setup.ok) return null;
  // The count begins behind a move of the attacker: a quiet step of his Khun.
  const steps = rules()
    .state({ variant: "makruk", fen: setup.fen })
    .moves.filter((move) => move.piece === "K" && !move.capture && !move.mate);
  if (steps.length === 0) return null;
  const state = rules().state({ variant: "makruk", fen: setup.fen, moves: [pick(steps).uci] });
  return state.count && !state.ended ? state : null;
}

import type { Uci } from "rukh-engine";
import type { Variant } from "../../pieces/names.ts";

/** A position in which one move wins, and no other does. docs/formats/puzzles.md */
export interface Puzzle {
  /** `chess:` and the position's code. */
  readonly id: string;
  readonly variant: Variant;
  readonly fen: string;
  /** The solver's move, the answer, … ; the last is the solver's. */
  readonly moves: readonly Uci[];
  readonly themes: readonly string[];
  readonly difficulty: number;
  readonly source: string;
}

/** A puzzle with what became of it. */
export interface KeptPuzzle extends Puzzle {
  /** When it was solved without a mistake or a hint; null: not yet. */
  readonly solved: number | null;
  readonly tries: number;
  /** When it was tried last. */
  readonly last: number;
}

/** How good a solver is (Glicko). */
export interface PuzzlePlayer {
  readonly id: "me";
  readonly rating: number;
  readonly deviation: number;
  readonly solved: number;
  readonly failed: number;
}

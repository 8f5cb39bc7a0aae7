import type { PuzzlePlayer } from "./puzzle.ts";

// Glicko (Glickman 1999), one puzzle at a time; docs/formats/puzzles.md says which numbers.
const Q = Math.LN10 / 400;
const START = { rating: 1500, deviation: 200 };
/** How far a puzzle's difficulty may be off: a search is no person. */
const PUZZLE_DEVIATION = 100;
/** The rating never becomes so certain that it stands still. */
const LEAST_DEVIATION = 60;

export const NEW_PLAYER: PuzzlePlayer = { id: "me", ...START, solved: 0, failed: 0 };

/** A puzzle's difficulty on the scale of ratings. */
export const ratingOf = (difficulty: number): number => 500 + 3 * difficulty;

const weight = (deviation: number): number => 1 / Math.sqrt(1 + (3 * Q * Q * deviation * deviation) / Math.PI ** 2);

/** How likely the player solves a puzzle of this rating, from 0 to 1. */
export const chance = (rating: number, puzzle: number): number =>
  1 / (1 + 10 ** ((-weight(PUZZLE_DEVIATION) * (rating - puzzle)) / 400));

/** The player after a puzzle. */
export function rated(player: PuzzlePlayer, difficulty: number, solved: boolean): PuzzlePlayer {
  const g = weight(PUZZLE_DEVIATION);
  const expected = chance(player.rating, ratingOf(difficulty));
  const information = Q * Q * g * g * expected * (1 - expected);
  const variance = 1 / (1 / player.deviation ** 2 + information);
  return {
    id: "me",
    rating: player.rating + Q * variance * g * ((solved ? 1 : 0) - expected),
    deviation: Math.max(LEAST_DEVIATION, Math.sqrt(variance)),
    solved: player.solved + (solved ? 1 : 0),
    failed: player.failed + (solved ? 0 : 1),
  };
}

import type { KeptPuzzle } from "./puzzle.ts";
import { ratingOf } from "./rating.ts";

/** Puzzles are a little easier than the player is good: about two of three are solved. */
const EASIER = 100;
/** Chosen at random among so many that fit best, so that one does not know which comes. */
const AMONG = 12;
/** What was missed comes again, but not at once. */
const REST_MS = 86_400_000;

/** What may be asked now: not solved yet, and not missed a moment ago. */
export function open(puzzles: Iterable<KeptPuzzle>, theme: string, now: number): KeptPuzzle[] {
  const found: KeptPuzzle[] = [];
  for (const puzzle of puzzles)
    if (
      puzzle.solved === null &&
      (theme === "" || puzzle.themes.includes(theme)) &&
      (puzzle.tries === 0 || puzzle.last + REST_MS <= now)
    )
      found.push(puzzle);
  return found;
}

/** The next puzzle for a player of this rating; `random` gives numbers from 0 to 1. */
export function choose(puzzles: readonly KeptPuzzle[], rating: number, random: () => number): KeptPuzzle | null {
  const far = ({ difficulty }: KeptPuzzle) => Math.abs(ratingOf(difficulty) - (rating - EASIER));
  const nearest = [...puzzles].sort((a, b) => far(a) - far(b) || (a.id < b.id ? -1 : 1)).slice(0, AMONG);
  return nearest[Math.floor(random() * nearest.length)] ?? null;
}

/** The themes with how many puzzles have them, the most frequent first. */
export function themesOf(puzzles: Iterable<KeptPuzzle>): [string, number][] {
  const counts = new Map<string, number>();
  for (const { themes } of puzzles) for (const theme of themes) counts.set(theme, (counts.get(theme) ?? 0) + 1);
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

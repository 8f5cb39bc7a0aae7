import type { TrainingDb } from "../training.ts";
import type { KeptPuzzle, Puzzle, PuzzlePlayer } from "./puzzle.ts";
import { NEW_PLAYER } from "./rating.ts";

/** The puzzles of this browser and how good their solver is. */
export class PuzzleStore {
  constructor(private readonly db: TrainingDb) {}

  async all(): Promise<{ puzzles: Map<string, KeptPuzzle>; player: PuzzlePlayer }> {
    const [puzzles, player] = await Promise.all([this.db.getAll("puzzles"), this.db.get("players", "me")]);
    return { puzzles: new Map(puzzles.map((puzzle) => [puzzle.id, puzzle])), player: player ?? NEW_PLAYER };
  }

  /** Puzzles of a file, all or none. What is known of one already stays. */
  async add(puzzles: readonly Puzzle[]): Promise<KeptPuzzle[]> {
    const tx = this.db.transaction("puzzles", "readwrite", { durability: "strict" });
    const known = new Map((await tx.store.getAll()).map((puzzle) => [puzzle.id, puzzle]));
    const kept = puzzles.map((puzzle): KeptPuzzle => {
      const { solved, tries, last } = known.get(puzzle.id) ?? { solved: null, tries: 0, last: 0 };
      return { ...puzzle, solved, tries, last };
    });
    for (const puzzle of kept) void tx.store.put(puzzle);
    await tx.done;
    return kept;
  }

  /** A puzzle that was tried, and what that says of the player. */
  async put(puzzle: KeptPuzzle, player: PuzzlePlayer): Promise<void> {
    const tx = this.db.transaction(["puzzles", "players"], "readwrite", { durability: "strict" });
    void tx.objectStore("puzzles").put(puzzle);
    void tx.objectStore("players").put(player);
    await tx.done;
  }
}

import type { DBSchema, IDBPDatabase } from "idb";
import type { Day } from "./cards/agenda.ts";
import type { Card } from "./cards/card.ts";
import type { KeptPuzzle, PuzzlePlayer } from "./puzzles/puzzle.ts";

/** What is trained, beside the games in the page's database. */
export interface Training extends DBSchema {
  cards: { key: string; value: Card };
  /** Days on which cards were answered. */
  days: { key: string; value: Day };
  /** Games whose review was looked through for cards: which writing of them. */
  harvested: { key: string; value: { id: string; rev: number; names: string } };
  puzzles: { key: string; value: KeptPuzzle };
  /** How good the solver of puzzles is; one record. */
  players: { key: string; value: PuzzlePlayer };
}
export const TRAINING = ["cards", "days", "harvested", "puzzles", "players"] as const;

/** The page's database, as far as training needs it. */
export type TrainingDb = Pick<IDBPDatabase<Training>, "get" | "getAll" | "put" | "transaction" | "count">;

/** The library's connection: there is one database, and whoever opens it brings all of it up to date. */
export async function trainingDb(): Promise<TrainingDb> {
  const { library } = await import("../library/db.ts");
  return (await library()).db as unknown as TrainingDb;
}

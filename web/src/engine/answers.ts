/** What `rukh serve` answers under `/api/`, and `rukh db --json` prints; a test of rukh-api compares the two. */
import type { Variant } from "../pieces/names.ts";

/** What the server says of itself. */
export interface ServerStatus {
  name: string;
  version: string;
  threads: number;
  database: boolean;
  /** The variants that it has games of. */
  databases: readonly Variant[];
  /** Other engines that it was told of, by name. */
  engines: readonly string[];
  /** Whether it has the page. */
  page: boolean;
  /** Whether it fetches the games of users of Lichess and chess.com. */
  users: boolean;
}

/** How far the fetching of a user's games is. */
export interface Fetched {
  games: number;
  done: boolean;
}

/** What an answer lacks because parts of the database could not be read. */
export interface Missing {
  segments: number;
  games: number;
}

/** Games and how they ended; `null` where no game says it. */
export interface Figures {
  games: number;
  white: number;
  draws: number;
  black: number;
  meanRating: number | null;
  firstYear: number | null;
  lastYear: number | null;
}

export interface ExploredMove extends Figures {
  uci: string;
  san: string;
  opening?: string;
  bestGame: string;
  latestGame: string;
}

/** What a database knows of a position. */
export interface Explored extends Figures {
  fen: string;
  code: string | null;
  missing: Missing | null;
  eco?: string;
  opening?: string;
  moves: ExploredMove[];
  /** Rating and year are 0 where unknown. */
  examples: { id: string; white: string; black: string; result: string; rating: number; year: number }[];
}

export interface DatabaseGames {
  games: { id: string; pgn: string }[];
  missing: Missing | null;
}

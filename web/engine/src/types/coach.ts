/** The coach: why a move was bad, and a player's games together. */

import type { Color, Evaluation, Square, Uci, Variant } from "./positions.js";

/** A move with what the engine says of it, for the side that makes it, and the line that it begins. */
export interface CoachChoice {
  score: Evaluation;
  line: readonly Uci[];
}

/** Something that is known of a mistake. */
export interface Fact {
  kind:
    | "allowsMate"
    | "missesMate"
    | "allowsPerpetual"
    | "missesPerpetual"
    | "table"
    | "countTooShort"
    | "countLongEnough"
    | "against"
    | "missed"
    | "allows"
    | "misses"
    | "loses"
    | "forgoes"
    | "term"
    | "refutation"
    | "keeps";
  /** Of `against` and `missed`: the motif. */
  theme: string | null;
  /** Of these, `allows` and `misses`: the place in the line of its choice (0: the move itself) and the move. */
  ply: number | null;
  from: Square | null;
  to: Square | null;
  /** The piece that acts, then those it acts on. */
  squares: Square[];
  /** The sentence in English, and the same with holes. */
  text: string;
  template: string;
  values: Record<string, string>;
}

/** A search of a position without clocks, as it is kept: by variant, code and, if only one was searched, move. */
export interface CoachSearch {
  key: string;
  /** Those of the position, as it was wanted: what a pawn is shown for depends on them in Makruk. */
  men: number;
  nodes: number;
  depth: number;
  /** For the side to move. */
  score: Evaluation;
  /** In UCI notation, with blanks. */
  line: string;
}

/** A search that is wanted. */
export interface CoachWanted {
  key: string;
  variant: Variant;
  fen: string;
  men: number;
  nodes: number;
  /** The only move to search. */
  only: Uci | null;
}

/** Moves and games of one kind. */
export interface Tally {
  moves: number;
  games: number;
  accuracy: number;
  /** Half the width of the 95 % interval. */
  margin: number;
  /** Points of a hundred in the games; `null` where no result is known. */
  score: number | null;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
}

export interface TallyRow extends Tally {
  name: string;
}

export interface CoachResults {
  won: number;
  drawn: number;
  lost: number;
}

export interface HeldGames extends CoachResults {
  games: number;
}

/** A mistake, however often it was made. */
export interface CoachMistake {
  variant: Variant;
  code: string;
  fen: string;
  played: Uci;
  san: string;
  best: Uci[];
  judgement: "inaccuracy" | "mistake" | "blunder";
  /** Points of a hundred. */
  before: number;
  after: number;
  theme: string | null;
  facts: Fact[];
  /** Its games, by their place among those reviewed, and half-moves before it in each. */
  games: number[];
  plies: number[];
}

/** A position met several times and answered differently. */
export interface CoachMeeting {
  variant: Variant;
  code: string;
  fen: string;
  times: number;
  best: Uci | null;
  moves: { move: Uci; san: string; times: number; points: number; loss: number }[];
}

/** What `rukh coach --json` prints. */
export interface Insights {
  player: string;
  games: number;
  total: Tally;
  results: CoachResults;
  variant: TallyRow[];
  phase: TallyRow[];
  colour: TallyRow[];
  opening: TallyRow[];
  rating: TallyRow[];
  clock: TallyRow[];
  weekday: TallyRow[];
  conversion: HeldGames;
  defence: HeldGames;
  costs: { theme: string; missed: boolean; times: number; points: number }[];
  mistakes: CoachMistake[];
  met: CoachMeeting[];
  reviewed: { colour: Color; opponent: string; opening: string | null; losses: number[] }[];
}

/** A position of the tree of one's own openings. */
export interface OpeningNode {
  /** Variant and code. */
  key: string;
  fen: string;
  ply: number;
  games: number;
  /** The player's. */
  points: number;
  /** Points of a hundred that the engine expects for the player, and its move. */
  expected: number | null;
  best: string | null;
  moves: { uci: Uci; san: string; to: string; games: number; points: number }[];
}

export interface CoachReport {
  insights: Insights;
  /** The place of each reviewed game among those asked about. */
  places: number[];
  /** The openings with White and with Black. */
  white: OpeningNode[];
  black: OpeningNode[];
}

/** What masters play in a position, by variant and code. */
export interface MastersMoves {
  key: string;
  moves: readonly { uci: Uci; games: number }[];
}

/** Where one's openings part from what masters play. */
export interface RepertoireGap {
  /** `unusual`: one's own move, which masters hardly make. `unmet`: a frequent move of theirs that one has never met. */
  kind: "unusual" | "unmet";
  /** The player's. */
  side: Color;
  variant: Variant;
  /** Where the two part, half-moves from the start, and the player's games and points there. */
  fen: string;
  ply: number;
  games: number;
  points: number;
  /** The move. */
  uci: Uci;
  san: string;
  /** Masters' games there, and with the move. */
  masters: number;
  with: number;
  /** The position in which the player has to know a move: variant and code, FEN. */
  key: string;
  ask: string;
  /** What masters play in it, and all their games there. */
  answers: { uci: Uci; san: string; games: number }[];
  answered: number;
  /** Points of a hundred that the engine expects for the player. */
  expected: number | null;
  /** In a sentence or two. */
  text: string;
}

/** Answers to the questions of the Learn pages: how the engine sees a position. */

import type { Hex64, PieceLetter, Score, Square, Uci } from "./positions.js";

/** Named sets of a position. */
export interface Bitboards {
  occupied: Hex64;
  white: Hex64;
  black: Hex64;
  own: Hex64;
  enemy: Hex64;
  /** By letter of the variant, both colours together: `P`, `N`, … */
  kinds: Record<string, Hex64>;
  /** By FEN letter: `P`, `p`, … */
  pieces: Record<string, Hex64>;
  /** Own pieces that may not leave their line. */
  pinned: Hex64;
  checkers: Hex64;
  /** Squares the enemy attacks. */
  attacked: Hex64;
  /** Squares the side to move attacks. */
  attacks: Hex64;
  /** Rooks that may castle; pawn that can be taken en passant (its target square); Bia-ngai. */
  castling: Hex64;
  enPassant: Hex64;
  promoted: Hex64;
}

/** What one piece attacks, where it may go, and why it may not go elsewhere. */
export interface PieceMoves {
  square: Square;
  piece: PieceLetter;
  attacks: Hex64;
  pseudoLegal: Hex64;
  legal: Hex64;
  pinned: boolean;
  /** One for each pseudo-legal target that is not legal. */
  illegal: {
    to: Square;
    reason: "pinned" | "in check" | "king attacked" | "en passant opens a line";
    by: Square;
    text: string;
  }[];
}

/** A slider look-up as the core does it, step by step. */
export interface SliderLookup {
  square: Square;
  kind: "rook" | "bishop";
  method: "magic" | "pext";
  /** Squares whose occupation matters. */
  mask: Hex64;
  /** occupied & mask */
  blockers: Hex64;
  /** Magic only: the multiplier and the product. */
  magic: Hex64;
  product: Hex64;
  shift: number;
  index: number;
  /** Where this square's part of the shared table begins. */
  offset: number;
  /** Entries in the shared table. */
  tableLength: number;
  attacks: Hex64;
}

export interface ZobristTerm {
  /** `piece`, `castling`, `en passant`, `side`, `count`. */
  kind: "piece" | "castling" | "en passant" | "side" | "count";
  /** `P e4`, `white kingside`, `e file`, `white to move`, `count 12 of 64`. */
  label: string;
  square?: Square;
  piece?: PieceLetter;
  value: Hex64;
}

export interface Zobrist {
  key: Hex64;
  /** Their XOR is the key. */
  terms: ZobristTerm[];
}

/** Keys cut short, on real positions near the one asked about. */
export interface Collisions {
  /** Different positions that were looked at. */
  positions: number;
  /** For 8 to 64 bits: how many pairs of them share that many low bits of their keys. */
  pairs: { bits: number; count: number }[];
  /** Pairs that share the number of bits asked for: up to four, those nearest to the start first. */
  examples: { fen: string; key: Hex64; line: string[] }[][];
}

export interface EvaluationTerm {
  name: string;
  /** Middle game and end game, in hundredths of a pawn. */
  white: { mg: number; eg: number };
  black: { mg: number; eg: number };
  total: { mg: number; eg: number };
}

export interface EvaluationTrace {
  /** Classical value from White's side, centipawns of the evaluation. */
  classical: number;
  terms: EvaluationTerm[];
  phase: number;
  phaseMax: number;
  scale: number;
  scaleMax: number;
  /** A rule for this ending that decided instead of the terms. */
  special: string | null;
  /** The network's value from White's side in its own unit, and normalised (100: an even chance to win). */
  network: { value: number; cp: number; bucket: number; buckets: number } | null;
  /** Network value of each piece (but kings): value with it minus value without it, for its owner; `null` where taking it
   *  away makes no legal position. */
  pieces: {
    square: Square;
    piece: PieceLetter;
    network: number | null;
    classical: number | null;
    /** What goes from each of `terms` with the piece, at the phase of this position, for its owner. */
    terms: number[] | null;
  }[];
}

/** What a piece would be worth on every square: value with it there minus value without it, for its owner. */
export interface Placements {
  piece: PieceLetter;
  /** a1 first; `null` where something stands or the position would not be legal. */
  squares: { network: number | null; classical: number | null }[];
}

export interface Perft {
  nodes: number;
  /** With `divide`. */
  moves?: { uci: Uci; san: string; nodes: number }[];
}

/** One piece walked over a mailbox, a board with guard squares around it, and what the bitboards say at once. */
export interface MailboxWalk {
  square: Square;
  piece: PieceLetter;
  /** Cells in a row. */
  width: number;
  /** From below a1 on: `#` is a guard, `.` an empty square. */
  cells: string[];
  /** Every cell that is read, by number. */
  steps: { from: number; to: number; found: "empty" | "own" | "enemy" | "guard" }[];
  attacks: Hex64;
}

export interface PositionCode {
  /** 13 characters, a long code 14 to 35. */
  text: string;
  /** Signed 64-bit integer, decimal; of a long code a larger number. */
  raw: string;
  /** Empty for a long code. */
  bits: Hex64 | "";
  format: "direct" | "indexed" | "record" | "long";
  /** Direct and long codes: which part ranked it. */
  part: "exact" | "learned" | null;
  /** Bits the position needs of the 63. */
  fields: { name: string; from: number; to: number; value: string; text: string }[];
}

/** What each part of a position costs in the learned code: a likelihood of f 65536ths costs 16 − log2 f bits. */
export interface CodePrice {
  /** The position has few men and an exact code instead. */
  exact: boolean;
  /** Codes there are to share; about 2^63. */
  codes: number;
  /** Side to move and castling rights, or the limit of Makruk's count. */
  header: number;
  /** a1 first; 65536: certain, and not coded. */
  squares: number[];
}

export interface TableProbe {
  /** Moves the attacker needs to mate, `null` when nobody can force it. */
  mateIn: number | null;
  /** With the count. */
  verdict: "win" | "loss" | "draw";
  /** Plies to mate, with the count. */
  plies: number | null;
  moves: { uci: Uci; san: string; verdict: "win" | "loss" | "draw"; plies: number | null; mateIn: number | null }[];
  /** Positions of this material: how many are won with the attacker to move, of how many, and the longest win. */
  material: { name: string; won: number; total: number; longest: number } | null;
}

export interface HashEntry {
  slot: number;
  empty: boolean;
  /** The 16 bits kept of the key. */
  key16: string;
  matches: boolean;
  move: Uci | null;
  value: number;
  eval: number | null;
  depth: number;
  bound: "none" | "upper" | "lower" | "exact";
  pv: boolean;
  age: number;
  word: Hex64;
}

export interface HashProbe {
  key: Hex64;
  clusters: number;
  entriesPerCluster: number;
  /** (key × clusters) >> 64 */
  cluster: number;
  /** The low 16 bits of the key, that tell entries apart. */
  key16: string;
  age: number;
  entries: HashEntry[];
  hit: number | null;
}

export interface HashMap {
  clusters: number;
  /** Cells in order; each covers `clustersPerCell` clusters. */
  cells: number;
  clustersPerCell: number;
  /** Entries in use of a cell, permille; of this search alone; mean depth of them. */
  used: number[];
  fresh: number[];
  depth: number[];
}

/** What a traced search leaves out: `true` switches the part off. */
export interface TraceSwitches {
  ordering?: boolean;
  table?: boolean;
  nullMove?: boolean;
  reductions?: boolean;
  pruning?: boolean;
  /** Extensions: singular and others. */
  extensions?: boolean;
}

export type StopReason =
  | "searched"
  | "cutoff"
  | "table"
  | "null move"
  | "reverse futility"
  | "razoring"
  | "probcut"
  | "stand pat"
  | "mate distance"
  | "draw"
  | "repetition"
  | "checkmate"
  | "stalemate"
  | "depth limit"
  | "end-game table"
  | "multicut"
  | "stopped";

export interface TraceNode {
  id: number;
  parent: number;
  ply: number;
  /** The move that leads here; `0000` for a null move, `null` at the root and for another look at the parent's position. */
  uci: Uci | null;
  depth: number;
  alpha: number;
  beta: number;
  value: number;
  /** Nodes below and here. */
  nodes: number;
  kind: "pv" | "cut" | "all";
  /** `verification`: the same position without its best move, or after a null move that cut; `again`: deeper or wider. */
  stage: "main" | "quiescence" | "null move" | "probcut" | "verification" | "reduced" | "again";
  reason: StopReason;
  /** Which move of its parent, from 1; 0 where it is none. */
  order: number;
  /** Moves left out at this node, by reason. */
  pruned: { reason: "late move" | "futility" | "exchange" | "history"; uci: Uci }[];
}

/** A move and when the search tries it. A move of the table has no score; others are compared within their stage. */
export interface OrderedMove {
  uci: Uci;
  san: string;
  stage: "table" | "good capture" | "quiet" | "bad capture" | "evasion";
  score: number | null;
}

/** The moves of a position in the order of the search, after a search of the depth asked for (0: none). */
export interface Ordering {
  nodes: number;
  moves: OrderedMove[];
}

export interface Trace {
  /** The tree of the last iteration in the order in which its nodes began. Cut off (`truncated`) at `limit`, default 20,000. */
  nodes: TraceNode[];
  truncated: boolean;
  /** Nodes of the whole search, by iteration. */
  iterations: { depth: number; nodes: number; score: number; best: Uci }[];
  total: number;
  bestMove: Uci | null;
  score: Score;
  pv: Uci[];
}

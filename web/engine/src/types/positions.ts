/** Positions and moves, games as text, chances and strength. */

export type Variant = "chess" | "chess960" | "makruk";
export type Color = "white" | "black";
/** `a1` … `h8`. */
export type Square = string;
/** A FEN letter, upper case for White. Chess `PNBRQK`, Makruk `PNSRMK`; a Bia-ngai (promoted Bia) is `M~` or `m~`. */
export type PieceLetter = string;
/** 64 bits as 16 hexadecimal digits; bit 0 is a1, bit 63 is h8. */
export type Hex64 = string;
/** A move in UCI notation, `e2e4`, `e7e8q`; Chess960 castles as king takes rook, `e1h1`. */
export type Uci = string;

/** A position: a start and the moves played from it. No `fen` (or `startpos`) is the start position of the variant. */
export interface PositionSpec {
  variant?: Variant;
  fen?: string;
  moves?: readonly Uci[];
  /** Makruk between people: who counts board's honour. Engines count by themselves (`automatic`, the default). */
  honour?: "automatic" | "unclaimed" | Color;
  /** With `unclaimed`: after how many moves the side then to move began (or ended) its count, in the order of the game. */
  counting?: readonly number[];
}

/* ------------------------------------------------------------------------------------------------ positions and moves */

export interface LegalMove {
  uci: Uci;
  san: string;
  /** Thai notation; Makruk only. */
  thai?: string;
  piece: PieceLetter;
  from: Square;
  /** Where the piece arrives; castling: the king's square after it. */
  to: Square;
  /** Every square on which a person may drop the piece to mean this move (castling: also the rook's). */
  targets: Square[];
  /** Lower-case letter of what a pawn becomes. */
  promotion: string | null;
  capture: PieceLetter | null;
  /** Where the captured piece stands when that is not `to` (en passant). */
  captureSquare: Square | null;
  castle: "king" | "queen" | null;
  check: boolean;
  mate: boolean;
}

export type OutcomeReason =
  | "checkmate"
  | "stalemate"
  | "insufficient material"
  | "threefold repetition"
  | "fivefold repetition"
  | "fifty-move rule"
  | "seventy-five-move rule"
  | "count"
  | "mate by the counting side";

export interface Outcome {
  winner: Color | null;
  result: "1-0" | "0-1" | "1/2-1/2";
  reason: OutcomeReason;
  /** A sentence: `White wins by checkmate`. */
  text: string;
}

/** A running count of Makruk. */
export interface MakrukCount {
  plies: number;
  limit: number;
  /** The number spoken last. */
  spoken: number;
  /** The number at which the game is drawn. */
  last: number;
  /** Plies left before the draw. */
  remaining: number;
  /** Who counts: the bare or weaker side, or who claimed it; `null` when both have the same. */
  side: Color | null;
  /** `pieces`: the side has a bare Khun and counts against the opponent's pieces; `board`: up to 64 with pieces left. */
  honour: "board" | "pieces";
}

export interface BoardState {
  variant: Variant;
  fen: string;
  turn: Color;
  fullmove: number;
  halfmove: number;
  /** a1, b1, … h8. */
  squares: (PieceLetter | null)[];
  /** The king's square when it is in check. */
  check: Square | null;
  checkers: Square[];
  moves: LegalMove[];
  last: { uci: Uci; san: string; from: Square; to: Square } | null;
  /** How the game has ended, with draws that may be claimed. */
  outcome: Outcome | null;
  /** How it has ended without any claim. */
  ended: Outcome | null;
  count: MakrukCount | null;
  /** Makruk between people: what the side to move may do about its count of board's honour. */
  mayCount: "start" | "stop" | null;
  /** How often the position has been on the board. */
  repetitions: number;
  /** The part of the game, by the moves since the start and the pieces that are left. */
  phase: "opening" | "middle" | "ending";
  key: Hex64;
}

export interface LineMove {
  uci: Uci;
  san: string;
  thai?: string;
  from: Square;
  to: Square;
  /** The position after the move. */
  fen: string;
}

export interface Line {
  moves: LineMove[];
  /** Why the line stops before its end: the first move that cannot be played. */
  error: string | null;
}

export interface Opening {
  eco: string;
  name: string;
  /** How many moves of the game the name covers, in plies. */
  ply: number;
}

/** The position editor's board. */
export interface Setup {
  variant: Variant;
  /** 64 letters, a1 first. */
  squares: readonly (PieceLetter | null)[];
  turn: Color;
  /** As in FEN: `KQkq`, `-`, or rook files for Chess960. Default: every right the board allows is dropped. */
  castling?: string;
  /** `-` or a square. */
  enPassant?: string;
  halfmove?: number;
  fullmove?: number;
  /** Makruk: `plies` and `limit` of a running count. */
  count?: { plies: number; limit: number };
}

export interface FenCheck {
  ok: boolean;
  /** The position as this engine writes it; empty when it is not legal. */
  fen: string;
  /** What is wrong, in words; empty when nothing is. */
  reason: string;
  /** Which field of the FEN, from 0; -1 for the whole. */
  field: number;
}

/** Rights that the editor may offer: those whose king and rook stand where they must. */
export interface SetupCheck extends FenCheck {
  /** `KQkq` letters (Chess960: rook files) that could be set on this board. */
  castlingPossible: string[];
  /** Squares that could be an en-passant target. */
  enPassantPossible: Square[];
}

/* ---------------------------------------------------------------------------------------------------------------- PGN */

export interface PgnNode {
  /** Index in `PgnGame.nodes`; 0 is the start. */
  id: number;
  parent: number;
  /** The first is the main continuation. */
  children: number[];
  /** Empty for the start; `0000` for a null move. */
  uci: Uci;
  san: string;
  /** Makruk: the move in Thai notation. */
  thai?: string;
  /** The position after the move. */
  fen: string;
  /** Comments before the move (at the start of a variation) and after it, commands such as `[%clk]` left out. */
  before: string[];
  comments: string[];
  nags: number[];
  /** Milliseconds on the clock, from `[%clk]`. */
  clock: number | null;
  /** From White's side, from `[%eval]`. */
  eval: Evaluation | null;
  /** `[%cal]` and `[%csl]`: arrows `{color, from, to}` and circles `{color, from}`. */
  shapes: Shape[];
}

export interface Shape {
  color: "green" | "red" | "blue" | "yellow";
  from: Square;
  to?: Square;
}

/** Centipawns, or moves to mate (negative: the other side mates). */
export type Evaluation = { cp: number } | { mate: number };

export interface PgnGame {
  tags: [name: string, value: string][];
  variant: Variant;
  /** The position before the first move. */
  start: string;
  result: "1-0" | "0-1" | "1/2-1/2" | "*";
  nodes: PgnNode[];
}

/** A game to be written. Only what is here is written: SAN is made from `uci`. */
export interface PgnOutput {
  tags?: readonly (readonly [string, string])[];
  variant?: Variant;
  start?: string;
  result?: string;
  nodes: readonly {
    parent: number;
    uci: Uci;
    before?: readonly string[];
    comments?: readonly string[];
    nags?: readonly number[];
    clock?: number | null;
    eval?: Evaluation | null;
    shapes?: readonly Shape[];
  }[];
}

export interface PgnError {
  /** Which game of the text, from 1. */
  game: number;
  line: number;
  reason: string;
}

export interface PgnFile {
  /** The good games. */
  games: PgnGame[];
  /** The bad ones. */
  errors: PgnError[];
  /** What was odd about good ones, such as a variation or a game that was cut at a bad move; the rest of the game is a comment. */
  notes: PgnError[];
}

/** What a list of games needs to know of one. */
export interface IndexedGame extends Omit<PgnGame, "nodes"> {
  /** Moves of both sides in the main line. */
  plies: number;
  opening: { eco: string; name: string } | null;
  /** The lower halves of the keys of all its positions, variations included: eight hexadecimal digits each. */
  keys: string;
}

/** The answer to `indexPgn`. */
export interface PgnIndex extends Omit<PgnFile, "games"> {
  games: IndexedGame[];
}

/* ---------------------------------------------------------------------------------------------- chances and strength */

/** How the engine behaves towards its opponent here. */
export interface Manners {
  /** It agrees to a draw that is offered. */
  agrees: boolean;
  /** It claims a draw that the rules give, and takes the standing offer of an opponent who counts. */
  claims: boolean;
  /** Makruk, the engine to move: it begins or ends its count. */
  count: "start" | "stop" | null;
}

export interface Chances {
  /** Permille; they add up to 1000. */
  win: number;
  draw: number;
  loss: number;
  /** Expected points of a hundred: wins and half the draws. */
  expectation: number;
}

export type Judgement = "inaccuracy" | "mistake" | "blunder" | null;

export interface MoveReview {
  /** Expected points (of 100) of the mover before and after the move. */
  before: number;
  after: number;
  /** What the move gave away, 0 or more. */
  loss: number;
  /** 0 … 100. */
  accuracy: number;
  judgement: Judgement;
}

export interface GameReview {
  moves: MoveReview[];
  /** `null` for a side without moves. */
  white: { accuracy: number | null; inaccuracies: number; mistakes: number; blunders: number };
  black: { accuracy: number | null; inaccuracies: number; mistakes: number; blunders: number };
}

export interface Level {
  /** 1 is a beginner; the last is full strength. */
  level: number;
  /** Value of `UCI_Elo`; `null` for full strength. */
  elo: number | null;
  name: string;
}

export interface Score {
  /** Normalised centipawns for the side to move: 100 is an even chance to win. Absent when a mate is seen. */
  cp?: number;
  /** Moves to mate; negative when the side to move is mated. */
  mate?: number;
  bound: "exact" | "lower" | "upper";
}

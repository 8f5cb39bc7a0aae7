/**
 * The whole contract between Rukh and JavaScript. Rust answers every question here; nothing below knows a rule.
 *
 * Two doors, one language:
 *  - `createEngine()`: an engine in a worker (or a server's, over a socket). Everything is a promise.
 *  - `createRules()`: the same module on the caller's thread, for answers a board needs at once. Everything is synchronous.
 *
 * Both take the same question objects (`Question`), and answer with the same answer objects (`Answer<Q>`).
 * Squares are text (`e4`); bitboards and keys are hexadecimal text of 16 digits (`BigInt('0x' + text)`).
 */

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
  /** What was odd about good ones, such as a variation that was cut at a bad move. */
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

/* ------------------------------------------------------------------------------------------------------------- engine */

export interface Score {
  /** Normalised centipawns for the side to move: 100 is an even chance to win. Absent when a mate is seen. */
  cp?: number;
  /** Moves to mate; negative when the side to move is mated. */
  mate?: number;
  bound: "exact" | "lower" | "upper";
}

export interface Info {
  depth: number;
  seldepth: number;
  /** Which line, from 1. */
  multipv: number;
  /** For the side to move of the searched position (`turn`). */
  score: Score;
  wdl: { win: number; draw: number; loss: number };
  turn: Color;
  nodes: number;
  nps: number;
  /** Permille. */
  hashfull: number;
  tbhits: number;
  /** Milliseconds. */
  time: number;
  pv: Uci[];
  /** The same line in SAN. */
  san: string[];
}

export interface GoOptions {
  depth?: number;
  nodes?: number;
  /** Milliseconds. */
  movetime?: number;
  wtime?: number;
  btime?: number;
  winc?: number;
  binc?: number;
  movestogo?: number;
  /** Stop when a mate in so many moves is found. */
  mate?: number;
  /** Until `stop()`. Without any limit this is what `go` does. */
  infinite?: boolean;
  searchmoves?: readonly Uci[];
  multipv?: number;
}

export interface GoResult {
  /** `null` when the game is over. */
  bestMove: Uci | null;
  san: string | null;
  ponder: Uci | null;
  score: Score;
  depth: number;
  nodes: number;
  /** The last report of each line, best first. */
  lines: Info[];
}

export interface EngineOptions {
  /** `wasm` (default): in a worker of this page. `native`: `rukh serve` over a WebSocket. */
  backend?: "wasm" | "native";
  variant?: Variant;
  /** Transposition table in MiB; default 16 in the browser. */
  hash?: number;
  /**
   * Search threads. In a browser more than one needs a page that is cross-origin isolated, and another WebAssembly file, which is
   * loaded then; elsewhere the engine has one (`Engine.threads` is false then).
   */
  threads?: number;
  /**
   * A network to play with, as the bytes of its file (`rukh train` makes one). Bytes that are no network for this engine reject
   * `ready` and whatever was asked. Not with `native`: the server has its own.
   */
  network?: Uint8Array | ArrayBuffer;
  /** Where the WebAssembly file is; default: beside this module. */
  wasmUrl?: string | URL;
  /** Where the one with threads is; default: beside this module. */
  threadsUrl?: string | URL;
  /** Native: the server's socket; default `/engine` of the page's own host. */
  url?: string | URL;
  /** Native: another engine that the server was told of (`rukh serve --engine`), by its name; default: Rukh. */
  engine?: string;
  /** `learn` loads the larger module with search traces, position codes and fast perft. */
  module?: "play" | "learn";
  /** `false`: do without shared memory even where the page may share (the search then runs in slices). */
  sharedMemory?: boolean;
  /**
   * The engine was lost: a server that went away. Running searches reject. `rested`: it only closed a session that asked
   * nothing for long, and a new engine can be had.
   */
  onLost?: (reason: Error, rested?: boolean) => void;
  /** The worker died and was restarted; its table is empty, the position is set again. A running `go` is repeated. */
  onRestart?: (reason: Error) => void;
}

export interface Engine {
  readonly kind: "wasm" | "native";
  /** Resolves with the engine when it can answer, and rejects when it cannot be started. Nobody has to wait for it. */
  readonly ready: Promise<Engine>;
  /** Whether the engine can have more than one thread; then the option `Threads` changes how many. */
  readonly threads: boolean;
  /** Name and version. */
  readonly name: string;
  /** The levels that another engine has, in Elo; null for one that has none, and for Rukh, whose levels are those of `levels`. */
  readonly elo: { least: number; most: number } | null;

  /**
   * Sets the position: a FEN, or `startpos`; moves are played from it. A position of another variant changes to it. Nobody has to
   * wait for it, nor for `makeMove`: a `go` behind them comes in order, and rejects if one of them does.
   */
  setPosition(fen: string, moves?: readonly Uci[], variant?: Variant): Promise<void>;
  makeMove(uci: Uci): Promise<void>;
  /** Searches. One search at a time: a second call stops the first, waits for it and starts then. */
  go(options?: GoOptions, onInfo?: (info: Info) => void): Promise<GoResult>;
  /** Ends the running search; its promise then resolves. Resolves when the engine is idle. */
  stop(): Promise<void>;
  /** The answer of the last search, or the best move so far. */
  getBestMove(): Uci | null;
  /** The last report of the first line. */
  getInfo(): Info | null;

  /** Forgets table and histories and sets the start position. */
  newGame(): Promise<void>;
  /** An option by its UCI name: `Hash`, `UCI_Elo`, `UCI_LimitStrength`, `Skill Level`, `Clear Hash`, … */
  setOption(name: string, value: string | number | boolean): Promise<void>;
  /** Asks this engine about itself or about a position. Waits for a running search (it does not stop it). */
  ask<Q extends Question>(question: Q): Promise<Answer<Q>>;
  /** Ends worker or connection. Later calls reject. */
  terminate(): void;
}

export type CreateEngine = (options?: EngineOptions) => Engine;

/* -------------------------------------------------------------------------------------------------------------- rules */

export interface RulesOptions {
  wasmUrl?: string | URL;
  module?: "play" | "learn";
}

/** Synchronous answers. Methods throw `RukhError` with a sentence for a person when the question makes no sense. */
export interface Rules {
  /** Everything a board shows. */
  state(position: PositionSpec): BoardState;
  /** A move as a person types it (SAN, long algebraic, UCI; Thai in Makruk). */
  move(position: PositionSpec, text: string): LegalMove;
  /** Plays moves (UCI or SAN) and writes them; stops at the first that is not legal. */
  line(position: PositionSpec, moves: readonly string[]): Line;
  checkFen(variant: Variant, fen: string): FenCheck;
  checkSetup(setup: Setup): SetupCheck;
  /** The FEN of Chess960 start position 0 … 959 (518 is chess). */
  chess960(number: number): string;
  /** The name of the opening, the deepest one on the way. `null` outside chess or the book. */
  opening(position: PositionSpec): Opening | null;
  parsePgn(text: string): PgnFile;
  writePgn(game: PgnOutput): string;
  /** Winning chances of a score from one side's view, as the engine normalises it. */
  chances(variant: Variant, score: Evaluation): Chances;
  /** Judges a game by its evaluations: one more than moves, all from White's side, the start first; `null` is unknown. */
  review(variant: Variant, first: Color, evaluations: readonly (Evaluation | null)[]): GameReview;
  levels(): Level[];
  /** What the engine does about draws and its count, given its opinion of its own game in centipawns. */
  manners(position: PositionSpec, opinion: number): Manners;
  /** Any question. */
  ask<Q extends Question>(question: Q): Answer<Q>;
}

export type CreateRules = (options?: RulesOptions) => Promise<Rules>;

/* ---------------------------------------------------------------------------------------- questions of the Learn pages */

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

/* ------------------------------------------------------------------------------------------------- the coach */

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
    | "table"
    | "countTooShort"
    | "countLongEnough"
    | "against"
    | "missed"
    | "loses"
    | "forgoes"
    | "term"
    | "refutation"
    | "keeps";
  /** Of `against` and `missed`: the motif, its place in the line of its choice (0: the move itself) and its move. */
  theme: string | null;
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

/** Questions without and with a memory of their own: all can be put to rules and to engines, but `hash…` only means something to an engine. */
export type Question =
  | ({ ask: "state" } & PositionSpec)
  | ({ ask: "move"; text: string } & PositionSpec)
  | ({ ask: "line"; line: readonly string[] } & PositionSpec)
  | { ask: "checkFen"; variant: Variant; fen: string }
  | { ask: "checkSetup"; setup: Setup }
  | { ask: "chess960"; number: number }
  | ({ ask: "opening" } & PositionSpec)
  | { ask: "parsePgn"; text: string }
  | { ask: "indexPgn"; text: string }
  | { ask: "writePgn"; game: PgnOutput }
  | { ask: "chances"; variant: Variant; score: Evaluation }
  | { ask: "review"; variant: Variant; first: Color; evaluations: readonly (Evaluation | null)[] }
  | { ask: "levels" }
  | ({ ask: "manners"; opinion: number } & PositionSpec)
  | ({ ask: "bitboards" } & PositionSpec)
  | ({ ask: "pieceMoves"; square: Square } & PositionSpec)
  | ({ ask: "slider"; square: Square; kind: "rook" | "bishop"; occupied?: Hex64 } & PositionSpec)
  | ({ ask: "zobrist" } & PositionSpec)
  | ({ ask: "tables" } & PositionSpec)
  | ({ ask: "hashProbe" } & PositionSpec)
  | { ask: "hashMap"; cells?: number }
  /** Module `learn` only: */
  | ({ ask: "evaluation" } & PositionSpec)
  | ({ ask: "placements"; square: Square } & PositionSpec)
  | ({ ask: "perft"; depth: number; divide?: boolean } & PositionSpec)
  | ({ ask: "encode" } & PositionSpec)
  | { ask: "decode"; variant: Variant; code: string }
  | ({ ask: "codePrice" } & PositionSpec)
  | ({ ask: "collisions"; bits?: number; positions?: number } & PositionSpec)
  | ({ ask: "explain"; played: CoachChoice; best: CoachChoice } & PositionSpec)
  | { ask: "coachStep"; pgn: string; player: string; nodes?: number; searches: readonly CoachSearch[] }
  | { ask: "repertoire"; side: Color; nodes: readonly OpeningNode[]; masters: readonly MastersMoves[] }
  | {
      ask: "insights";
      player: string;
      nodes?: number;
      games: readonly string[];
      searches: readonly CoachSearch[];
    }
  | ({ ask: "ordering"; depth?: number } & PositionSpec)
  | ({ ask: "trace"; depth: number; nodes?: number; limit?: number; off?: TraceSwitches } & PositionSpec);

interface Answers {
  state: BoardState;
  move: LegalMove;
  line: Line;
  checkFen: FenCheck;
  checkSetup: SetupCheck;
  chess960: { fen: string };
  opening: { opening: Opening | null };
  parsePgn: PgnFile;
  indexPgn: PgnIndex;
  writePgn: { text: string };
  chances: Chances;
  review: GameReview;
  levels: { levels: Level[] };
  manners: Manners;
  bitboards: Bitboards;
  pieceMoves: PieceMoves;
  slider: SliderLookup;
  zobrist: Zobrist;
  evaluation: EvaluationTrace;
  placements: Placements;
  perft: Perft;
  tables: { probe: TableProbe | null };
  hashProbe: HashProbe;
  hashMap: HashMap;
  encode: PositionCode;
  decode: { fen: string; code: PositionCode };
  codePrice: CodePrice;
  collisions: Collisions;
  trace: Trace;
  ordering: Ordering;
  explain: { facts: Fact[] };
  coachStep: { wanted: CoachWanted[] };
  insights: CoachReport;
  repertoire: { wanted: { key: string; variant: Variant; fen: string }[]; gaps: RepertoireGap[] };
}

export type Answer<Q extends Question> = Answers[Q["ask"]];

/* ---------------------------------------------------------------------------- messages, the same for worker and socket */

/** The answer to `hello`; `elo` where another engine plays than Rukh. */
export interface Greeting {
  name: string;
  kind: "wasm" | "native";
  threads: number;
  hash: number;
  elo?: { least: number; most: number } | null;
}

/** From the page. `id` is repeated in the answer. See docs/formats/engine-socket.md. */
export type EngineRequest = { id: number } & (
  | { do: "hello"; variant?: Variant; hash?: number; threads?: number; engine?: string }
  | { do: "position"; fen: string; moves: readonly Uci[]; variant?: Variant }
  | { do: "makeMove"; uci: Uci }
  | ({ do: "go" } & GoOptions)
  | { do: "stop" }
  | { do: "newGame" }
  | { do: "option"; name: string; value: string }
  | { do: "ask"; question: Question }
);

/** To the page. `info` may come many times before the `done` of a `go`. */
export type EngineMessage =
  { id: number; info: Info } | { id: number; done: unknown } | { id: number; error: string; again?: boolean };

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

import type {
  CoachChoice,
  CoachReport,
  CoachSearch,
  CoachWanted,
  Fact,
  MastersMoves,
  OpeningNode,
  RepertoireGap,
} from "./types/coach.js";
import type {
  Bitboards,
  CodePrice,
  Collisions,
  EvaluationTrace,
  HashMap,
  HashProbe,
  MailboxWalk,
  Ordering,
  Perft,
  PieceMoves,
  Placements,
  PositionCode,
  SliderLookup,
  TableProbe,
  Trace,
  TraceSwitches,
  Zobrist,
} from "./types/learn.js";
import type {
  BoardState,
  Chances,
  Color,
  Evaluation,
  FenCheck,
  GameReview,
  Hex64,
  LegalMove,
  Level,
  Line,
  Manners,
  Opening,
  PgnFile,
  PgnIndex,
  PgnOutput,
  PositionSpec,
  Score,
  Setup,
  SetupCheck,
  Square,
  Uci,
  Variant,
} from "./types/positions.js";

export type * from "./types/coach.js";
export type * from "./types/learn.js";
export type * from "./types/positions.js";

/* ------------------------------------------------------------------------------------------------------------- engine */

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
  /**
   * Plays with another network from the next search on, and forgets what was searched with the one before; like every option, it
   * ends a search that runs. Bytes that are no network are refused, and nothing changes. The value `<embedded>` goes back.
   */
  setOption(name: "EvalFile", value: Uint8Array | ArrayBuffer): Promise<void>;
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

/**
 * Synchronous answers. Methods throw `RukhError` with a sentence for a person when the question makes no sense. A position may be a FEN
 * instead of an object.
 */
export interface Rules {
  /** Everything a board shows. */
  state(position: PositionSpec | string): BoardState;
  /** A move as a person types it (SAN, long algebraic, UCI; Thai in Makruk). */
  move(position: PositionSpec | string, text: string): LegalMove;
  /** Plays moves (UCI or SAN) and writes them; stops at the first that is not legal. */
  line(position: PositionSpec | string, moves: readonly string[]): Line;
  checkFen(variant: Variant, fen: string): FenCheck;
  checkSetup(setup: Setup): SetupCheck;
  /** The FEN of Chess960 start position 0 … 959 (518 is chess). */
  chess960(number: number): string;
  /** The name of the opening, the deepest one on the way. `null` outside chess or the book. */
  opening(position: PositionSpec | string): Opening | null;
  parsePgn(text: string): PgnFile;
  writePgn(game: PgnOutput): string;
  /** Winning chances of a score from one side's view, as the engine normalises it. */
  chances(variant: Variant, score: Evaluation): Chances;
  /** Judges a game by its evaluations: one more than moves, all from White's side, the start first; `null` is unknown. */
  review(variant: Variant, first: Color, evaluations: readonly (Evaluation | null)[]): GameReview;
  levels(): Level[];
  /** What the engine does about draws and its count, given its opinion of its own game in centipawns. */
  manners(position: PositionSpec | string, opinion: number): Manners;
  /** Any question. */
  ask<Q extends Question>(question: Q): Answer<Q>;
}

export type CreateRules = (options?: RulesOptions) => Promise<Rules>;

/* ---------------------------------------------------------------------------------------------------------- questions */

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
  /** `0x88` counts on a square-by-square board; it does not divide, and knows no Chess960. */
  | ({ ask: "perft"; depth: number; divide?: boolean; board?: "bitboard" | "0x88" } & PositionSpec)
  | ({ ask: "mailbox"; square: Square } & PositionSpec)
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
  mailbox: MailboxWalk;
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

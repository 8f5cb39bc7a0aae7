import type { BoardState, LegalMove } from "rukh-engine";
import { batch, computed, signal } from "../../app/store.ts";
import { rules } from "../../engine/rules.ts";
import { VARIANTS, type Variant } from "../../pieces/names.ts";
import { choose, open, themesOf } from "./choose.ts";
import type { PuzzleStore } from "./db.ts";
import type { KeptPuzzle, PuzzlePlayer } from "./puzzle.ts";
import { NEW_PLAYER, rated } from "./rating.ts";

/** What is to be done: a move, wait for the answer, or it is over. */
export type Phase = "ask" | "reply" | "solved" | "shown";

// The answer of the other side is to be seen.
const REPLY_AFTER_MS = 450;

/** One puzzle after the other, as hard as the player is good. No document. */
export class PuzzlesController {
  readonly #puzzles = signal<ReadonlyMap<string, KeptPuzzle>>(new Map());
  readonly player = signal<PuzzlePlayer>(NEW_PLAYER);
  /** What the last puzzle has changed of the rating. */
  readonly change = signal<number | null>(null);
  readonly theme = signal("");
  /** The games that there are puzzles of. */
  readonly variants = computed((): readonly Variant[] => {
    const found = new Set([...this.#puzzles.value.values()].map(({ variant }) => variant));
    return VARIANTS.filter((variant) => found.has(variant));
  });
  readonly #wanted = signal<Variant>("chess");
  /** The game whose puzzles are asked: the one that was chosen, if there are any of it. */
  readonly variant = computed((): Variant => {
    const [found, wanted] = [this.variants.value, this.#wanted.value];
    return found.includes(wanted) ? wanted : (found[0] ?? wanted);
  });
  readonly #own = computed(() =>
    [...this.#puzzles.value.values()].filter(({ variant }) => variant === this.variant.value),
  );
  readonly puzzle = signal<KeptPuzzle | null>(null);
  /** How many moves of the solution are on the board. */
  readonly ply = signal(0);
  readonly phase = signal<Phase>("ask");
  /** 0: none; 1: which piece; 2: which move. */
  readonly hint = signal<0 | 1 | 2>(0);
  /** The last move that was not the solution. */
  readonly wrong = signal<LegalMove | null>(null);
  readonly themes = computed(() => themesOf(this.#own.value));
  readonly total = computed(() => this.#puzzles.value.size);
  readonly left = computed(() => {
    this.puzzle.value;
    return open(this.#own.value, this.theme.value, this.clock()).length;
  });
  /** It was missed, or helped with: it counts once. */
  #counted = false;
  #serial = 0;

  constructor(
    private readonly store: PuzzleStore,
    private readonly clock: () => number = Date.now,
    private readonly random: () => number = Math.random,
    private readonly after: (ms: number) => Promise<void> = (ms) => new Promise((done) => setTimeout(done, ms)),
  ) {}

  async load(): Promise<void> {
    const { puzzles, player } = await this.store.all();
    batch(() => {
      this.#puzzles.value = puzzles;
      this.player.value = player;
      this.next();
    });
  }

  /** Whether a puzzle is here. */
  has(id: string): boolean {
    return this.#puzzles.value.has(id);
  }

  /** Puzzles of a file. */
  take(puzzles: Iterable<KeptPuzzle>): void {
    const all = new Map(this.#puzzles.peek());
    for (const puzzle of puzzles) all.set(puzzle.id, puzzle);
    batch(() => {
      this.#puzzles.value = all;
      if (!this.puzzle.peek()) this.next();
    });
  }

  setVariant(variant: Variant): void {
    batch(() => {
      this.#wanted.value = variant;
      this.theme.value = "";
      this.next();
    });
  }

  setTheme(theme: string): void {
    batch(() => {
      this.theme.value = theme;
      this.next();
    });
  }

  /** The next puzzle. */
  next(): void {
    this.#serial += 1;
    this.#counted = false;
    const before = this.puzzle.peek()?.id;
    const may = open(this.#own.peek(), this.theme.peek(), this.clock());
    const others = may.filter(({ id }) => id !== before);
    batch(() => {
      this.puzzle.value = choose(others.length ? others : may, this.player.peek().rating, this.random);
      this.ply.value = 0;
      this.phase.value = "ask";
      this.hint.value = 0;
      this.wrong.value = null;
      this.change.value = null;
    });
  }

  /** The position on the board. */
  get state(): BoardState | null {
    const puzzle = this.puzzle.value;
    if (!puzzle) return null;
    const { variant, fen, moves } = puzzle;
    return rules().state({ variant, fen, moves: moves.slice(0, this.ply.value) });
  }

  /** The side that solves. */
  get side(): BoardState["turn"] {
    const puzzle = this.puzzle.value!;
    return rules().state({ variant: puzzle.variant, fen: puzzle.fen }).turn;
  }

  /** The move that is looked for. */
  get wanted(): string {
    return this.puzzle.value?.moves[this.ply.value] ?? "";
  }

  async answer(move: LegalMove): Promise<void> {
    const puzzle = this.puzzle.peek();
    if (!puzzle || this.phase.peek() !== "ask") return;
    const last = this.ply.peek() === puzzle.moves.length - 1;
    // One move wins; but where there is a mate, any mate is one.
    if (move.uci !== this.wanted && !(last && move.mate)) {
      this.wrong.value = move;
      return this.#count(puzzle, false);
    }
    batch(() => {
      this.wrong.value = null;
      this.hint.value = 0;
      this.ply.value += 1;
      this.phase.value = last ? "solved" : "reply";
    });
    if (last) return this.#count(puzzle, true);
    const serial = this.#serial;
    await this.after(REPLY_AFTER_MS);
    if (serial !== this.#serial) return;
    batch(() => {
      this.ply.value += 1;
      this.phase.value = "ask";
    });
  }

  /** First which piece, then which move. Whoever was helped is not rated, and meets the puzzle again. */
  async help(): Promise<void> {
    const puzzle = this.puzzle.peek();
    if (!puzzle || this.phase.peek() !== "ask") return;
    this.hint.value = this.hint.peek() === 0 ? 1 : 2;
    await this.#count(puzzle, null);
  }

  /** Gives it up and shows the whole solution. */
  async show(): Promise<void> {
    const puzzle = this.puzzle.peek();
    if (!puzzle || this.phase.peek() !== "ask") return;
    batch(() => {
      this.ply.value = puzzle.moves.length;
      this.phase.value = "shown";
    });
    await this.#count(puzzle, false);
  }

  /** `null`: with help, so that it says nothing about the player. */
  async #count(puzzle: KeptPuzzle, solved: boolean | null): Promise<void> {
    if (this.#counted) return;
    this.#counted = true;
    const now = this.clock();
    const before = this.player.peek();
    const player = solved === null ? before : rated(before, puzzle.difficulty, solved);
    const tried = { ...puzzle, tries: puzzle.tries + 1, last: now, solved: solved ? now : null };
    batch(() => {
      this.player.value = player;
      this.change.value = solved === null ? null : Math.round(player.rating) - Math.round(before.rating);
      this.#puzzles.value = new Map(this.#puzzles.peek()).set(tried.id, tried);
    });
    await this.store.put(tried, player);
  }
}

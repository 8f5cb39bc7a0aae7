import type { Color, Evaluation, LegalMove, Level, Square, Uci } from "rukh-engine";
import { settings } from "../app/settings.ts";
import { batch, computed, signal } from "../app/store.ts";
import { rules } from "../engine/rules.ts";
import type { Searcher } from "../engine/service.ts";
import { spokenMove } from "../game/notation.ts";
import { type Sound, moveSound } from "../game/sound.ts";
import { VARIANT_NAMES } from "../pieces/names.ts";
import { Clocks } from "./clock.ts";
import { type Ending, PlayGame, type PlayRecord, opponent } from "./game.ts";
import type { Hint } from "./hints.ts";
import { countSpoken } from "./honours.ts";
import { levelText } from "./levels.ts";
import { firstGame, playFrom } from "./starts.ts";
import { reason, said, t } from "../messages/messages.ts";

// A move that comes at once is hard to follow.
const LEAST_THINKING_MS = 350;
const LEAST_WATCHING_MS = 800;
// The answer of the engine is seen before a move that was made in advance follows.
const PREMOVE_AFTER_MS = 100;
// Full strength without a clock: a fixed effort, so that a slow machine plays as well as a fast one.
const FULL_NODES = 600_000;
// A worker that dies is replaced; a game must not stand still because of it.
const MOST_ATTEMPTS = 3;
const HINT_NODES = 150_000;
// Shorter games are not worth a place in the library.
const LEAST_KEPT = 4;

/** How a controller reaches the person at the board. */
export interface Voice {
  announce(text: string): void;
  notice(text: string, tone?: "plain" | "warn"): void;
  sound(sound: Sound): void;
}

/** Keeps a finished game in the library; answers under which name. */
export type KeepGame = (pgn: string, kept: PlayRecord["kept"]) => Promise<PlayRecord["kept"]>;

/** A move in advance: played when it is the person's turn, if it can be. */
export interface Premove {
  readonly from: Square;
  readonly to: Square;
}

/** A game against the engine: whose move it is, what the engine does about it, clocks, offers and endings. No document. */
export class PlayController {
  readonly levels: readonly Level[] = rules().levels();
  /** How many moves of the game the board shows. */
  readonly shown = signal(0);
  readonly flipped = signal(false);
  /** The engine thinks about its move. */
  readonly busy = signal(false);
  readonly hint = signal<Hint | null>(null);
  readonly premove = signal<Premove | null>(null);
  /** A game of two engines stands still. */
  readonly paused = signal(false);
  /** Counts the ticks of the clocks. */
  readonly tick = signal(0);
  readonly #changes = signal(0);
  readonly variant = computed(() => this.game.record.variant);
  /** The side at the bottom of the board. */
  readonly orientation = computed<Color>(() => {
    const { human } = this.game.record;
    return this.flipped.value ? opponent(human) : human;
  });
  #game: PlayGame;
  #clocks!: Clocks;
  /** What the engine thought last, as White and as Black. */
  #scores: Record<Color, number> = { white: 0, black: 0 };

  constructor(
    private readonly engine: Searcher,
    private readonly voice: Voice,
    private readonly keepGame: KeepGame = async (_, kept) => kept,
  ) {
    const restored = playFrom() ?? PlayGame.restore();
    this.#game = restored ?? new PlayGame(firstGame());
    this.#begin(restored === null);
  }

  /** The game; whoever asks in an effect hears of its changes. */
  get game(): PlayGame {
    this.#changes.value;
    return this.#game;
  }

  /** Who plays against the person. */
  get engineName(): string {
    return this.engine.guest?.value?.name ?? "Rukh";
  }

  /** The engine's level for a side, in words. */
  levelText(color: Color): string {
    return levelText(this.level(color), this.engine.guest?.value);
  }

  /** The engine's level for a side. */
  level(color: Color): Level {
    return this.levels[this.game.levelOf(color)] ?? this.levels.at(-1)!;
  }

  /** The person may make a move in advance on the board as it is shown. */
  get mayPremove(): boolean {
    const { game } = this;
    return !game.over && !game.watched && !game.humanToMove && this.shown.value === game.ply;
  }

  get pgn(): string {
    return this.#game.pgn((level) => this.levels[level]?.name ?? "", this.engineName);
  }

  /** The person may move on the board as it is shown. */
  get live(): boolean {
    return this.game.humanToMove && this.shown.value === this.game.ply;
  }

  /** A draw can be had without asking: by the rules, or by a standing offer. */
  get mayClaim(): boolean {
    const { game } = this;
    if (game.over || game.watched) return false;
    return game.state.outcome !== null || this.#standingOffer() === opponent(game.record.human);
  }

  /** Milliseconds left, and whose clock runs. */
  clock(color: Color): { left: number; running: boolean } {
    this.tick.value;
    return { left: this.#clocks.of(color), running: this.#clocks.running === color };
  }

  /** Time that was used before the page is closed is used. */
  pause(): void {
    this.#clocks.run(null);
    this.#game.store();
  }

  leave(): void {
    this.pause();
    void this.engine.stop();
  }

  show(ply: number): void {
    this.shown.value = Math.max(0, Math.min(ply, this.#game.ply));
  }

  flip(): void {
    this.flipped.value = !this.flipped.value;
  }

  start(record: PlayRecord): void {
    void this.engine.newGame();
    this.#game = new PlayGame(record);
    this.#game.store();
    batch(() => this.#begin(false));
    const who = record.watch
      ? t("Rukh plays against itself.")
      : record.human === "white"
        ? t("You play White.")
        : t("You play Black.");
    this.voice.announce(`${t("New {variant} game.", { variant: VARIANT_NAMES[record.variant] })} ${who}`);
  }

  rematch(): void {
    const { record } = this.#game;
    const start = record.variant === "chess960" ? rules().chess960(Math.floor(Math.random() * 960)) : record.start;
    this.start({
      ...record,
      start,
      moves: [],
      spent: [],
      counting: [],
      ending: null,
      kept: undefined,
      human: opponent(record.human),
      ...(record.watch ? { watch: [record.watch[1], record.watch[0]] } : {}),
      clocks: [record.control?.initial ?? 0, record.control?.initial ?? 0],
    });
  }

  /** A move of the person. */
  human(move: LegalMove): void {
    if (this.#game.humanToMove && this.shown.peek() === this.#game.ply) batch(() => this.#makeMove(move));
  }

  /** A move in advance, or none; one that cannot be played when the time comes is forgotten. */
  setPremove(premove: Premove | null): void {
    if (premove === null || this.mayPremove) this.premove.value = premove;
  }

  /** Two engines: lets them rest, or go on. */
  togglePause(): void {
    const paused = !this.paused.peek();
    this.paused.value = paused;
    if (!paused) return this.#next();
    this.#clocks.run(null);
    void this.engine.stop();
  }

  takeBack(): void {
    if (!this.#game.canTakeBack) return;
    void this.engine.stop();
    this.#clocks.run(null);
    this.#game.takeBack();
    batch(() => {
      this.hint.value = null;
      this.premove.value = null;
      this.busy.value = false;
      this.shown.value = this.#game.ply;
      this.#changed();
    });
    this.voice.announce(t("Taken back"));
    this.#next();
  }

  /** Help in steps: the first press asks a question, the second names a piece, the third the move. */
  async findHint(): Promise<void> {
    const game = this.#game;
    if (!game.humanToMove || this.busy.peek()) return;
    const ply = game.ply;
    this.show(ply);
    const before = this.hint.peek();
    // Loaded when somebody asks.
    const hints = await import("./hints.ts");
    const found = before ? ({ ...before, step: before.step === 1 ? 2 : 3 } as const) : await this.#ask(game, hints);
    if (!found || this.#game !== game || game.ply !== ply) return;
    const { variant, human } = game.record;
    const text = hints.hintText(found, variant, human);
    this.hint.value = { ...found, text };
    this.voice.announce(found.step < 3 ? text : t("Hint: {move}", { move: spokenMove(found.move, variant) }));
  }

  /** The best move and what there is to see in the position. */
  async #ask(game: PlayGame, hints: typeof import("./hints.ts")): Promise<Omit<Hint, "text"> | null> {
    const { variant, start, moves } = game.record;
    const { state } = game;
    const look = async (start: string, moves: readonly Uci[], nodes: number) => {
      let score: Evaluation = { cp: 0 };
      const job = { variant, start, moves, elo: null, go: { nodes } };
      const result = await this.engine.run(job, ({ multipv, score: { cp = 0, mate } }) => {
        if (multipv === 1) score = mate === undefined ? { cp } : { mate };
      });
      return result && { best: result.bestMove, score };
    };
    const own = await look(start, moves, HINT_NODES);
    const move = state.moves.find(({ uci }) => uci === own?.best);
    if (!own || !move) return null;
    const other = state.check ? null : hints.passed(variant, state.fen);
    const theirs = other === null ? null : await look(other, [], HINT_NODES / 3);
    return { step: 1, question: hints.questionOf(state, move, own.score, theirs?.score ?? null), move };
  }

  resign(): void {
    const { human } = this.#game.record;
    if (this.#game.over || this.#game.watched) return;
    const [result, winner] = human === "white" ? (["0-1", "Black"] as const) : (["1-0", "White"] as const);
    this.#end({ result, text: `${winner} wins by resignation` });
  }

  /** Claims a draw, takes the engine's standing offer, or asks for one. */
  offerDraw(): void {
    const { state } = this.#game;
    if (state.outcome) this.#end({ result: "1/2-1/2", text: `Draw by ${state.outcome.reason}` });
    else if (this.#standingOffer() === opponent(this.#game.record.human))
      this.#end({ result: "1/2-1/2", text: "Draw: the counting side’s offer was accepted" });
    else if (this.#game.manners(this.#opinion()).agrees) this.#end({ result: "1/2-1/2", text: "Draw by agreement" });
    else this.voice.notice(t("Rukh declines the draw."));
  }

  /** Makruk: the person starts or stops counting. */
  toggleCount(): void {
    const game = this.#game;
    if (!game.humanToMove || !game.state.mayCount) return;
    const starts = game.state.mayCount === "start";
    game.toggleCount();
    this.voice.announce(starts ? t("You start counting.") : t("You stop counting."));
    this.#changed();
  }

  #changed(): void {
    this.#changes.value += 1;
  }

  /** Takes the game to the board and gives the move to whom it belongs. */
  #begin(fresh: boolean): void {
    const { record } = this.#game;
    this.#clocks?.run(null);
    this.#clocks = new Clocks(
      record.clocks,
      () => (this.tick.value += 1),
      (loser) => this.#flag(loser),
    );
    this.flipped.value = false;
    this.hint.value = null;
    this.premove.value = null;
    this.paused.value = false;
    this.#scores = { white: 0, black: 0 };
    this.shown.value = this.#game.ply;
    this.#changed();
    if (fresh && record.moves.length === 0 && record.human === "white" && !record.watch) return;
    this.#next();
  }

  /** The engine's turn, or the person's. */
  #next(): void {
    const game = this.#game;
    // The clocks start with the first move, as over the board with the button.
    if (game.record.control && !game.over && game.ply > 0) this.#clocks.run(game.state.turn);
    if (game.over || this.paused.peek()) return;
    if (!game.humanToMove) void this.#engineMove();
    else if (this.premove.peek()) setTimeout(() => this.#playPremove(game, game.ply), PREMOVE_AFTER_MS);
  }

  #playPremove(game: PlayGame, ply: number): void {
    const wish = this.premove.peek();
    this.premove.value = null;
    if (!wish || this.#game !== game || game.ply !== ply || !game.humanToMove) return;
    const fitting = game.state.moves.filter(({ from, targets }) => from === wish.from && targets.includes(wish.to));
    const move = fitting.find(({ promotion }) => promotion === "q") ?? fitting[0];
    if (!move) return;
    this.shown.value = ply;
    this.human(move);
  }

  async #engineMove(attempt = 1): Promise<void> {
    const game = this.#game;
    const { record, ply } = game;
    const { control } = record;
    const { turn } = game.state;
    const level = this.level(turn);
    this.busy.value = true;
    this.#engineCounts();
    const began = performance.now();
    const clock = () => ({
      wtime: this.#clocks.of("white"),
      btime: this.#clocks.of("black"),
      winc: control!.increment,
      binc: control!.increment,
    });
    try {
      const known = record.book ? await this.#fromBook(game) : null;
      if (this.#game !== game || game.over || game.ply !== ply || this.paused.peek()) return;
      const job = {
        variant: record.variant,
        start: record.start,
        moves: record.moves,
        elo: level.elo,
        go: control ? clock() : { nodes: FULL_NODES },
      };
      const result = known
        ? { bestMove: known }
        : await this.engine.run(job, ({ multipv, score }) => {
            if (multipv === 1)
              this.#scores[turn] = score.mate !== undefined ? Math.sign(score.mate) * 10_000 : (score.cp ?? 0);
          });
      if (!result?.bestMove) return;
      if (settings.animation)
        await pause((game.watched ? LEAST_WATCHING_MS : LEAST_THINKING_MS) - (performance.now() - began));
      if (this.#game !== game || game.over || game.ply !== ply || this.paused.peek()) return;
      if (this.#standingOffer() === opponent(turn) && game.manners(this.#opinion()).claims) {
        this.#end({ result: "1/2-1/2", text: "Draw: Rukh accepted the counting side’s offer" });
        return;
      }
      const move = game.state.moves.find((candidate) => candidate.uci === result.bestMove);
      if (!move) throw new Error(t("the engine answered {move}", { move: result.bestMove }));
      batch(() => this.#makeMove(move));
    } catch (error) {
      this.voice.notice(t("The engine could not move: {why}", { why: reason(error) }), "warn");
      if (attempt < MOST_ATTEMPTS && this.#game === game && game.ply === ply)
        setTimeout(() => void this.#engineMove(attempt + 1), 500);
    } finally {
      if (this.#game === game) this.busy.value = false;
    }
  }

  /** A move from Rukh's book; another engine has its own. */
  async #fromBook({ record, state, ply }: PlayGame): Promise<Uci | null> {
    if (this.engine.guest?.peek()) return null;
    // Loaded when a game wants it.
    const { BOOK_DEPTH, bookMove } = await import("./book.ts");
    return ply < BOOK_DEPTH ? ((await bookMove(record.variant, state))?.uci ?? null) : null;
  }

  #makeMove(move: LegalMove): void {
    const game = this.#game;
    const { record } = game;
    const mover = game.state.turn;
    if (record.control && game.ply > 0) {
      this.#clocks.run(null);
      this.#clocks.add(mover, record.control.increment);
    }
    record.spent.push(record.control ? Math.round(this.#clocks.of(mover)) : 0);
    game.play(move);
    this.hint.value = null;
    this.shown.value = game.ply;
    this.#changed();
    this.voice.sound(moveSound(move));
    const count = game.state.count ? ` ${countSpoken(game.state.count)}` : "";
    const who = mover === record.human && !game.watched ? t("You") : this.engineName;
    this.voice.announce(`${who}: ${spokenMove(move, record.variant)}.${count}`);
    if (game.over) this.#finished();
    else if (this.#engineClaims()) this.#end({ result: "1/2-1/2", text: `Draw by ${game.state.outcome!.reason}` });
    else this.#next();
  }

  /** Makruk: the engine counts board's honour when it is worse, and stops when it wants to win. */
  #engineCounts(): void {
    const { count } = this.#game.manners(this.#opinion());
    if (!count) return;
    this.#game.toggleCount();
    this.#changed();
    const text =
      count === "start"
        ? t("Rukh starts counting: it offers a draw for as long as it counts.")
        : t("Rukh stops counting.");
    this.voice.notice(text);
    this.voice.announce(text);
  }

  /** A draw that must be claimed: the engine does so when it is not better. */
  #engineClaims(): boolean {
    return this.#game.state.outcome !== null && this.#game.manners(this.#opinion()).claims;
  }

  /** What the engine thinks of its side: of the one to move where it plays both. */
  #opinion(): number {
    const { record, state, watched } = this.#game;
    return this.#scores[watched ? state.turn : opponent(record.human)];
  }

  /** Makruk: whoever counts board's honour offers a draw as long as he counts. */
  #standingOffer(): Color | null {
    const { count } = this.#game.state;
    return count?.honour === "board" ? count.side : null;
  }

  #flag(loser: Color): void {
    const [result, winner] = loser === "white" ? (["0-1", "Black"] as const) : (["1-0", "White"] as const);
    this.#end({ result, text: `${winner} wins on time` });
  }

  #end(ending: Ending): void {
    void this.engine.stop();
    this.#game.end(ending);
    this.#finished();
  }

  #finished(): void {
    this.#clocks.run(null);
    batch(() => {
      this.busy.value = false;
      this.#changed();
    });
    this.voice.sound("end");
    this.voice.announce(`${t("The game is over.")} ${said(this.#game.record.ending?.text ?? "")}`);
    void this.#keep();
  }

  /** A finished game goes into the library by itself; one that was taken back and ended anew takes its own place. */
  async #keep(): Promise<void> {
    const game = this.#game;
    if (game.ply < LEAST_KEPT) return;
    try {
      game.record.kept = await this.keepGame(this.pgn, game.record.kept);
      if (this.#game === game) game.store();
    } catch (error) {
      this.voice.notice(t("The game could not be saved in the library: {why}", { why: reason(error) }), "warn");
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

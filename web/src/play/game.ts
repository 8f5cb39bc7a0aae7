import type { BoardState, Color, LegalMove, Manners, Outcome, PositionSpec, Uci } from "rukh-engine";
import { load, save } from "../app/settings.ts";
import { rules } from "../engine/rules.ts";
import type { Variant } from "../pieces/names.ts";

/** How a game ended: by the rules, or by people and clocks. */
export interface Ending {
  result: "1-0" | "0-1" | "1/2-1/2";
  text: string;
}

/** A time control in milliseconds. */
export interface Control {
  initial: number;
  increment: number;
}

/** Everything a game against the engine is; plain data, so that it survives a reload. */
export interface PlayRecord {
  variant: Variant;
  start: string;
  moves: Uci[];
  human: Color;
  /** Index in the engine's list of levels. */
  level: number;
  /** Nobody plays: the engine's levels for White and Black. */
  watch?: [number, number] | undefined;
  /** The engine plays its first moves from its book. */
  book?: boolean | undefined;
  /** The game in the library, and which writing of it. */
  kept?: { id: string; rev: number } | undefined;
  control: Control | null;
  /** Milliseconds left: White, Black. */
  clocks: [number, number];
  /** Clock of the mover after each move. */
  spent: number[];
  /** Makruk: plies at which counting was started or stopped, in turn. */
  counting: number[];
  ending: Ending | null;
}

const KEY = "rukh.game";

/** The other side. */
export const opponent = (color: Color): Color => (color === "white" ? "black" : "white");

const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.map((each) => (Number.isFinite(each) ? (each as number) : 0)) : [];
const level = (value: unknown): number => (Number.isInteger(value) && (value as number) >= 0 ? (value as number) : 2);

/** A record as it was stored, whatever has become of it since: moves and position the rules judge, anything else is made to fit. */
function readRecord(stored: unknown): PlayRecord {
  const record = stored as Partial<PlayRecord>;
  const { variant, start, moves, watch, kept, ending } = record;
  if (variant === undefined || typeof start !== "string" || !Array.isArray(moves)) throw new TypeError("no game");
  const { initial, increment } = record.control ?? {};
  const control = Number.isFinite(initial) && Number.isFinite(increment) ? record.control! : null;
  const [white = control?.initial ?? 0, black = white] = numbers(record.clocks);
  const over = ["1-0", "0-1", "1/2-1/2"].includes(ending?.result ?? "") && typeof ending?.text === "string";
  return {
    variant,
    start,
    moves,
    human: record.human === "black" ? "black" : "white",
    level: level(record.level),
    watch: Array.isArray(watch) && watch.length === 2 ? [level(watch[0]), level(watch[1])] : undefined,
    book: record.book === true,
    kept: typeof kept?.id === "string" && typeof kept.rev === "number" ? kept : undefined,
    control,
    clocks: [white, black],
    spent: numbers(record.spent),
    counting: numbers(record.counting),
    ending: over ? ending! : null,
  };
}

/** A game against the engine. It asks the rules about everything. */
export class PlayGame {
  #states: BoardState[] = [];

  constructor(readonly record: PlayRecord) {
    this.#states = [this.#stateAt(0)];
    for (let ply = 1; ply <= record.moves.length; ply += 1) this.#states.push(this.#stateAt(ply));
  }

  /** The game that was on the board at the last visit. */
  static restore(): PlayGame | null {
    try {
      return new PlayGame(readRecord(load(KEY)));
    } catch {
      return null;
    }
  }

  store(): void {
    save(KEY, this.record);
  }

  get state(): BoardState {
    return this.#states.at(-1)!;
  }
  get ply(): number {
    return this.record.moves.length;
  }
  get over(): boolean {
    return this.record.ending !== null;
  }
  get humanToMove(): boolean {
    return !this.over && !this.watched && this.state.turn === this.record.human;
  }
  /** The engine plays both sides. */
  get watched(): boolean {
    return this.record.watch !== undefined;
  }
  /** The engine's level for a side. */
  levelOf(color: Color): number {
    return this.record.watch?.[color === "white" ? 0 : 1] ?? this.record.level;
  }
  stateAt(ply: number): BoardState {
    return this.#states[Math.max(0, Math.min(ply, this.ply))]!;
  }

  /** What the engine does here about draws and its count, given its opinion in centipawns. */
  manners(opinion: number): Manners {
    return rules().manners(this.#spec(this.ply), opinion);
  }

  #stateAt(ply: number): BoardState {
    return rules().state(this.#spec(ply));
  }

  #spec(ply: number): PositionSpec {
    const { variant, start, moves, counting } = this.record;
    const spec = { variant, fen: start, moves: moves.slice(0, ply) };
    if (variant !== "makruk") return spec;
    return { ...spec, honour: "unclaimed", counting: counting.filter((at) => at <= ply) };
  }

  /** Plays a legal move; the rules may end the game. */
  play(move: LegalMove): void {
    this.record.moves.push(move.uci);
    this.#states.push(this.#stateAt(this.ply));
    const { ended } = this.state;
    if (ended) this.end(endingOf(ended));
    this.store();
  }

  /** Takes moves back until it is the human's turn again. */
  takeBack(): void {
    const { record } = this;
    if (record.ending) record.ending = null;
    do {
      record.moves.pop();
      record.spent.pop();
      this.#states.pop();
    } while (this.ply > 0 && this.state.turn !== record.human);
    record.counting = record.counting.filter((at) => at < this.ply);
    this.#restoreClocks();
    this.#states[this.#states.length - 1] = this.#stateAt(this.ply);
    this.store();
  }

  /** Both clocks as they were after the last move that is left. */
  #restoreClocks(): void {
    const { record } = this;
    const first = this.#states[0]!.turn === "white" ? 0 : 1;
    for (const side of [0, 1] as const) {
      const last = record.spent.filter((_, i) => (i + first) % 2 === side).at(-1);
      if (record.control) record.clocks[side] = last ?? record.control.initial;
    }
  }

  /** Whether there is a move of the human's to take back. */
  get canTakeBack(): boolean {
    const first = this.#states[0]!.turn === this.record.human ? 1 : 2;
    return !this.watched && this.ply >= first;
  }

  /** Makruk: the side to move starts or stops its count. */
  toggleCount(): void {
    this.record.counting.push(this.ply);
    this.#states[this.#states.length - 1] = this.#stateAt(this.ply);
    this.store();
  }

  end(ending: Ending): void {
    this.record.ending = ending;
    this.store();
  }

  /** The game as PGN. */
  pgn(levelName: (level: number) => string, engine = "Rukh"): string {
    const { variant, start, moves, human, ending, control, spent } = this.record;
    const name = (side: Color) =>
      side === human && !this.watched ? "You" : `${engine} (${levelName(this.levelOf(side))})`;
    const day = new Date();
    const date = `${day.getFullYear()}.${String(day.getMonth() + 1).padStart(2, "0")}.${String(day.getDate()).padStart(2, "0")}`;
    const tags: [string, string][] = [
      ["Event", this.watched ? `${engine} against ${engine}` : `Game against ${engine}`],
      ["Site", "?"],
      ["Date", date],
      ["Round", "-"],
      ["White", name("white")],
      ["Black", name("black")],
      ["Result", ending?.result ?? "*"],
    ];
    if (control) tags.push(["TimeControl", `${control.initial / 1000}+${control.increment / 1000}`]);
    const nodes = [
      { parent: -1, uci: "" },
      ...moves.map((uci, i) => ({
        parent: i,
        uci,
        clock: control ? (spent[i] ?? null) : null,
        ...(i === moves.length - 1 && ending ? { comments: [ending.text] } : {}),
      })),
    ];
    return rules().writePgn({ tags, variant, start, result: ending?.result ?? "*", nodes });
  }
}

/** The rules' word in the words of the page. */
export function endingOf(outcome: Outcome): Ending {
  return { result: outcome.result, text: outcome.text.charAt(0).toUpperCase() + outcome.text.slice(1) };
}

import type { BoardState, LegalMove, TableProbe, Uci } from "rukh-engine";
import { batch, computed, signal } from "../../app/store.ts";
import { rules } from "../../engine/rules.ts";
import { bestOf, movesLeft } from "../../game/bare.ts";
import { t } from "../../messages/messages.ts";
import { type Ending, STAGES, deal } from "./endings.ts";

/** What the tables say of a position. */
export type Prober = (position: { fen: string; moves: readonly Uci[] }) => Promise<TableProbe | null>;

/** Stages that were mastered, by ending. */
export type Progress = Readonly<Record<string, number>>;

/** `slipped`: the last move gave the win away; `drawn`: the game says so too. */
export type Phase = "dealing" | "play" | "thinking" | "slipped" | "drawn" | "won";

/** Moves that are needed and moves that the count leaves. */
export interface Race {
  readonly needs: number | null;
  readonly left: number;
}

// The longest a person waits for a position that fits; then a nearer or farther mate will do.
const TRIES = 400;
// The Khun's step is to be seen.
const REPLY_AFTER_MS = 400;

/** Mating a bare Khun within the count, against the longest defence. No document. */
export class LessonController {
  readonly ending = signal<Ending | null>(null);
  readonly progress = signal<Progress>({});
  readonly phase = signal<Phase>("dealing");
  readonly race = signal<Race | null>(null);
  readonly hint = signal<Uci | null>(null);
  readonly #fen = signal("");
  readonly #moves = signal<readonly Uci[]>([]);
  readonly state = computed<BoardState | null>(() =>
    this.#fen.value ? rules().state({ variant: "makruk", fen: this.#fen.value, moves: this.#moves.value }) : null,
  );
  readonly stage = computed(() => Math.min(this.progress.value[this.ending.value?.id ?? ""] ?? 0, STAGES.length - 1));
  /** Somebody took back, or was helped: then the stage is not mastered yet. */
  #helped = false;
  #serial = 0;

  constructor(
    private readonly probe: Prober,
    progress: Progress,
    private readonly keep: (progress: Progress) => void,
    private readonly random: () => number = Math.random,
    private readonly after: (ms: number) => Promise<void> = (ms) => new Promise((done) => setTimeout(done, ms)),
  ) {
    this.progress.value = progress;
  }

  /** Whether the last stage of an ending was mastered. */
  knows = ({ id }: Ending): boolean => (this.progress.value[id] ?? 0) >= STAGES.length;

  /** A new position of an ending. */
  async start(ending: Ending): Promise<void> {
    const serial = (this.#serial += 1);
    batch(() => {
      this.ending.value = ending;
      this.phase.value = "dealing";
      this.race.value = null;
      this.hint.value = null;
    });
    this.#helped = false;
    const { least, most } = STAGES[this.stage.peek()]!;
    let nearest: { fen: string; far: number } | null = null;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const state = deal(ending, this.random);
      if (!state) continue;
      const probe = await this.probe({ fen: state.fen, moves: [] });
      if (serial !== this.#serial) return;
      const mate = probe?.mateIn;
      if (!probe || probe.verdict === "draw" || mate === null || mate === undefined) continue;
      const far = mate < least ? least - mate : mate > most ? mate - most : 0;
      if (!nearest || far < nearest.far) nearest = { fen: state.fen, far };
      if (far === 0) break;
    }
    if (!nearest) throw new Error(t("No position found; try again."));
    batch(() => {
      this.#fen.value = nearest.fen;
      this.#moves.value = [];
    });
    await this.#defend(serial);
  }

  /** A move of the attacker. */
  async play(move: LegalMove): Promise<void> {
    if (this.phase.peek() !== "play") return;
    const serial = (this.#serial += 1);
    batch(() => {
      this.#moves.value = [...this.#moves.peek(), move.uci];
      this.phase.value = "thinking";
      this.hint.value = null;
    });
    const state = this.state.peek()!;
    if (state.ended) return this.#over(state);
    const probe = await this.#ask(serial);
    if (!probe) return;
    if (probe.verdict === "draw") {
      batch(() => {
        this.race.value = raceOf(probe, state);
        this.phase.value = "slipped";
      });
      return;
    }
    await this.#defend(serial);
  }

  /** The last move of the attacker is taken back, with the answer if there was one. */
  async takeBack(): Promise<void> {
    const moves = this.#moves.peek();
    // The first move is the Khun's.
    if (moves.length < 2 || this.phase.peek() === "dealing") return;
    const serial = (this.#serial += 1);
    this.#helped = true;
    batch(() => {
      this.#moves.value = moves.slice(0, moves.length % 2 === 0 ? -1 : -2);
      this.hint.value = null;
    });
    await this.#turn(serial);
  }

  /** The quickest move. */
  async help(): Promise<void> {
    if (this.phase.peek() !== "play") return;
    const serial = this.#serial;
    const probe = await this.#ask(serial);
    if (!probe) return;
    this.#helped = true;
    this.hint.value = bestOf(probe);
  }

  leave(): void {
    this.#serial += 1;
  }

  async #ask(serial: number): Promise<TableProbe | null> {
    const probe = await this.probe({ fen: this.#fen.peek(), moves: this.#moves.peek() });
    return serial === this.#serial ? probe : null;
  }

  /** The bare Khun answers with the longest defence. */
  async #defend(serial: number): Promise<void> {
    const probe = await this.#ask(serial);
    const reply = probe && bestOf(probe);
    await this.after(REPLY_AFTER_MS);
    if (serial !== this.#serial || !reply) return;
    this.#moves.value = [...this.#moves.peek(), reply];
    const state = this.state.peek()!;
    if (state.ended) this.#over(state);
    else await this.#turn(serial);
  }

  /** The attacker is to move. */
  async #turn(serial: number): Promise<void> {
    const probe = await this.#ask(serial);
    if (!probe) return;
    batch(() => {
      this.race.value = raceOf(probe, this.state.peek()!);
      this.phase.value = "play";
    });
  }

  #over(state: BoardState): void {
    const won = state.ended?.winner === "white";
    const id = this.ending.peek()!.id;
    batch(() => {
      this.phase.value = won ? "won" : "drawn";
      this.race.value = null;
      if (!won || this.#helped) return;
      const known = this.progress.peek();
      this.progress.value = { ...known, [id]: Math.min((known[id] ?? 0) + 1, STAGES.length) };
    });
    this.keep(this.progress.peek());
  }
}

function raceOf(probe: TableProbe, state: BoardState): Race {
  return { needs: probe.mateIn, left: state.count ? movesLeft(state.count) : 0 };
}

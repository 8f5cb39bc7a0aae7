import type { BoardState, LegalMove, Uci } from "rukh-engine";
import { settings } from "../../app/settings.ts";
import { batch, computed, signal } from "../../app/store.ts";
import { rules } from "../../engine/rules.ts";
import type { Searcher } from "../../engine/service.ts";
import { GOOD_ENOUGH, judgeMove } from "../judge.ts";
import { type Day, agenda, counted, dayOf, nextCard, streak } from "./agenda.ts";
import { type Card, finder, type Grade } from "./card.ts";
import type { CardStore } from "./db.ts";
import type { Scheduler } from "./schedule.ts";

/** What is on the board, and what was said about it. */
export type Phase =
  | { readonly is: "ask"; readonly hint: boolean }
  | { readonly is: "looking"; readonly move: LegalMove }
  /** `best`: the review's own move. */
  | { readonly is: "right"; readonly move: LegalMove; readonly best: boolean }
  /** The move, what it gives away and what punishes it; null: the answer was asked for. */
  | { readonly is: "wrong"; readonly missed: Missed | null };

/** A move that was not good enough. */
export interface Missed {
  readonly move: LegalMove;
  /** Points of a hundred. */
  readonly loss: number;
  readonly line: readonly Uci[];
  readonly why: string;
  /** It is what was played in the game. */
  readonly played: boolean;
}

/** One card after the other: asks, judges, and says when each comes back. No document. */
export class CardsController {
  readonly #cards = signal<ReadonlyMap<string, Card>>(new Map());
  readonly #days = signal<ReadonlyMap<string, Day>>(new Map());
  /** Read anew with every question: what is due depends on it. */
  readonly #now = signal(0);
  readonly card = signal<Card | null>(null);
  readonly phase = signal<Phase>({ is: "ask", hint: false });
  /** When the card comes back, after its answer. */
  readonly returns = signal<number | null>(null);
  readonly #agenda = computed(() =>
    agenda(this.#cards.value.values(), this.#days.value.get(dayOf(this.#now.value)), this.#now.value),
  );
  readonly due = computed(() => this.#agenda.value.due.length);
  readonly total = computed(() => [...this.#cards.value.values()].filter(({ gone }) => !gone).length);
  readonly streak = computed(() => streak(this.#days.value, this.#now.value));
  readonly today = computed(() => this.#days.value.get(dayOf(this.#now.value)) ?? null);
  /** When the next card is due, where none is. */
  readonly next = computed(() => this.#agenda.value.later[0]?.schedule.due ?? null);
  #serial = 0;

  constructor(
    private readonly store: CardStore,
    private readonly scheduler: Scheduler,
    private readonly engine: Searcher,
    private readonly clock: () => number = Date.now,
  ) {}

  /** Reads what is kept and asks for the first card. */
  async load(): Promise<void> {
    const { cards, days } = await this.store.all();
    batch(() => {
      this.#cards.value = cards;
      this.#days.value = days;
      this.#now.value = this.clock();
      if (!this.card.peek()) this.ask();
    });
  }

  /** Cards that came from elsewhere: reviews, a file. */
  take(cards: Iterable<Card>, days: Iterable<Day> = []): void {
    const all = new Map(this.#cards.peek());
    for (const card of cards) all.set(card.id, card);
    const known = new Map(this.#days.peek());
    for (const day of days) known.set(day.id, day);
    batch(() => {
      this.#cards.value = all;
      this.#days.value = known;
      this.#now.value = this.clock();
      if (!this.card.peek()) this.ask();
    });
  }

  /** Everything, for a file. */
  get everything(): { cards: Iterable<Card>; days: Iterable<Day> } {
    return { cards: this.#cards.peek().values(), days: this.#days.peek().values() };
  }

  finder(): (card: Card) => Card | undefined {
    return finder(this.#cards.peek());
  }

  findDay(id: string): Day | undefined {
    return this.#days.peek().get(id);
  }

  /** The position that the card asks about. */
  get state(): BoardState | null {
    const card = this.card.value;
    return card && rules().state({ variant: card.variant, fen: card.fen });
  }

  /** The next card. */
  ask(): void {
    this.#serial += 1;
    batch(() => {
      this.#now.value = this.clock();
      this.card.value = nextCard(this.#agenda.value, this.#now.value);
      this.phase.value = { is: "ask", hint: false };
      this.returns.value = null;
    });
  }

  /** Which piece it is; a card that needed it is known less well. */
  hint(): void {
    if (this.phase.peek().is === "ask") this.phase.value = { is: "ask", hint: true };
  }

  /** The move is not known. */
  async show(): Promise<void> {
    if (this.phase.peek().is === "ask") await this.#wrong(null);
  }

  /** A move on the board. */
  async answer(move: LegalMove): Promise<void> {
    const card = this.card.peek();
    const phase = this.phase.peek();
    if (!card || phase.is !== "ask") return;
    if (card.good.includes(move.uci)) return this.#right(card, move, phase.hint);
    const known = card.mistakes.find(({ uci }) => uci === move.uci);
    if (known) return this.#wrong({ move, loss: known.loss, line: known.line, why: known.why, played: true });
    const serial = (this.#serial += 1);
    this.phase.value = { is: "looking", move };
    try {
      // The same care as the review's: both are compared.
      const judged = await judgeMove(this.engine, card, move.uci, settings.reviewNodes);
      if (serial !== this.#serial) return;
      if (!judged) {
        this.phase.value = phase;
        return;
      }
      const loss = card.points - judged.points;
      if (loss > GOOD_ENOUGH) return this.#wrong({ move, loss, line: judged.line, why: "", played: false });
      // Next time nobody needs to look.
      await this.#right({ ...card, good: [...card.good, move.uci] }, move, phase.hint);
    } catch (error) {
      if (serial === this.#serial) this.phase.value = phase;
      throw error;
    }
  }

  /** Takes the card out for good. */
  async remove(): Promise<void> {
    const card = this.card.peek();
    if (!card) return;
    await this.store.put({ ...card, gone: true });
    this.take([{ ...card, gone: true }]);
    this.ask();
  }

  leave(): void {
    this.#serial += 1;
    void this.engine.stop();
  }

  async #right(card: Card, move: LegalMove, hinted: boolean): Promise<void> {
    this.phase.value = { is: "right", move, best: move.uci === card.good[0] };
    await this.#grade(card, hinted ? "hard" : "good");
  }

  async #wrong(missed: Missed | null): Promise<void> {
    this.phase.value = { is: "wrong", missed };
    await this.#grade(this.card.peek()!, "again");
  }

  async #grade(card: Card, grade: Grade): Promise<void> {
    const now = this.clock();
    const schedule = this.scheduler.next(card.schedule, grade, now);
    const graded = { ...card, schedule };
    const id = dayOf(now);
    const day = counted(this.#days.peek().get(id), id, grade !== "again", card.schedule.state === 0);
    this.returns.value = schedule.due;
    this.take([graded], [day]);
    await this.store.put(graded, day);
  }
}

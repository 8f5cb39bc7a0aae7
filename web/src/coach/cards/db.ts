import type { TrainingDb } from "../training.ts";
import type { Day } from "./agenda.ts";
import { type Card, type Draft, finder, merge } from "./card.ts";

/** The cards of this browser. Every change is on the disk when its promise resolves, whole or not at all. */
export class CardStore {
  constructor(private readonly db: TrainingDb) {}

  async all(): Promise<{ cards: Map<string, Card>; days: Map<string, Day> }> {
    const [cards, days] = await Promise.all([this.db.getAll("cards"), this.db.getAll("days")]);
    const byId = <T extends { id: string }>(list: T[]) => new Map(list.map((item) => [item.id, item]));
    return { cards: byId(cards), days: byId(days) };
  }

  /** A card and the day on which it was answered, together. */
  async put(card: Card, day?: Day): Promise<void> {
    const tx = this.db.transaction(["cards", "days"], "readwrite", { durability: "strict" });
    void tx.objectStore("cards").put(card);
    if (day) void tx.objectStore("days").put(day);
    await tx.done;
  }

  /** Puts many cards and days, all or none. */
  async putAll(cards: readonly Card[], days: readonly Day[]): Promise<void> {
    const tx = this.db.transaction(["cards", "days"], "readwrite", { durability: "strict" });
    for (const card of cards) void tx.objectStore("cards").put(card);
    for (const day of days) void tx.objectStore("days").put(day);
    await tx.done;
  }

  /** Which writing of which game was looked through, for which names. */
  async harvested(): Promise<Map<string, string>> {
    const done = await this.db.getAll("harvested");
    return new Map(done.map(({ id, rev, names }) => [id, `${rev} ${names}`]));
  }

  /** What games have brought, and that they have: a page that is closed in between looks again and finds the same. */
  async harvest(
    drafts: readonly Draft[],
    games: readonly { id: string; rev: number; names: string }[],
    now: number,
  ): Promise<Card[]> {
    const tx = this.db.transaction(["cards", "harvested"], "readwrite");
    const store = tx.objectStore("cards");
    const made = new Map<string, Card>();
    const kept = drafts.length ? new Map((await store.getAll()).map((card) => [card.id, card])) : made;
    const find = finder(kept);
    for (const draft of drafts) {
      const own = find(draft);
      const card = merge((own && made.get(own.id)) ?? own ?? made.get(draft.id), draft, now);
      made.set(card.id, card);
      void store.put(card);
    }
    for (const game of games) void tx.objectStore("harvested").put(game);
    await tx.done;
    return [...made.values()];
  }
}

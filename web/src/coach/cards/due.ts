import { type ReadonlySignal, signal } from "../../app/store.ts";
import { trainingDb } from "../training.ts";
import { agenda, dayOf } from "./agenda.ts";
import { CardStore } from "./db.ts";

const count = signal(0);
let asked = false;

/** How many cards are due. */
export function dueCount(): ReadonlySignal<number> {
  if (!asked) {
    asked = true;
    void read().catch(() => (asked = false));
  }
  return count;
}

/** Whoever answers cards knows better. */
export function setDue(due: number): void {
  asked = true;
  count.value = due;
}

async function read(): Promise<void> {
  const { cards, days } = await new CardStore(await trainingDb()).all();
  const now = Date.now();
  count.value = agenda(cards.values(), days.get(dayOf(now)), now).due.length;
}

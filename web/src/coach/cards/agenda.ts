import { type Card, cost } from "./card.ts";

/** What was done on one day. */
export interface Day {
  /** `2026-11-16`, of this place. */
  readonly id: string;
  readonly answered: number;
  readonly right: number;
  /** Cards that were seen for the first time. */
  readonly fresh: number;
}

/** New cards a day: a library of mistakes must not bury anybody. */
export const FRESH_A_DAY = 10;
// A card that was just missed comes once more in the same sitting.
const SAME_SITTING_MS = 20 * 60_000;

/** The name of the day of a moment, where the person is. */
export function dayOf(now: number): string {
  const at = new Date(now);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The day before a day. */
function before(day: string): string {
  const [year, month, date] = day.split("-").map(Number) as [number, number, number];
  // Noon: whatever the clocks do in spring and autumn, a day is gone.
  return dayOf(new Date(year, month - 1, date - 1, 12).getTime());
}

/** Days in a row with at least one answer; today counts when something was done, and does not break it when not yet. */
export function streak(days: ReadonlyMap<string, Day>, now: number): number {
  const did = (day: string) => (days.get(day)?.answered ?? 0) > 0;
  let day = dayOf(now);
  if (!did(day)) day = before(day);
  let count = 0;
  for (; did(day); day = before(day)) count += 1;
  return count;
}

/** What is to be done now: known cards that are due (the longest overdue first), then new ones (the most costly first). */
export function agenda(cards: Iterable<Card>, today: Day | undefined, now: number): { due: Card[]; later: Card[] } {
  const waiting: Card[] = [];
  const fresh: Card[] = [];
  const later: Card[] = [];
  for (const card of cards) {
    if (card.gone) continue;
    const { state, due } = card.schedule;
    if (state === 0) fresh.push(card);
    else if (due <= now) waiting.push(card);
    else later.push(card);
  }
  waiting.sort((a, b) => a.schedule.due - b.schedule.due);
  fresh.sort((a, b) => cost(b) - cost(a) || (a.id < b.id ? -1 : 1));
  later.sort((a, b) => a.schedule.due - b.schedule.due);
  return { due: [...waiting, ...fresh.slice(0, Math.max(0, FRESH_A_DAY - (today?.fresh ?? 0)))], later };
}

/** The card that is asked for next; null when all is done for now. */
export function nextCard({ due, later }: { due: readonly Card[]; later: readonly Card[] }, now: number): Card | null {
  if (due[0]) return due[0];
  const soon = later[0];
  return soon && soon.schedule.state !== 2 && soon.schedule.due <= now + SAME_SITTING_MS ? soon : null;
}

/** A day with one more answer. */
export function counted(day: Day | undefined, id: string, right: boolean, fresh: boolean): Day {
  return {
    id,
    answered: (day?.answered ?? 0) + 1,
    right: (day?.right ?? 0) + (right ? 1 : 0),
    fresh: (day?.fresh ?? 0) + (fresh ? 1 : 0),
  };
}

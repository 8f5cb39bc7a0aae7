import { load, save } from "../app/settings.ts";
import { type Lineage, readLineage } from "../library/lineage.ts";

/** What is on the board of a tab. It is written at once at every change: whatever happens to the tab, the next one finds it. */
export interface Slot {
  /** The game in the library, and which writing of it this is; 0: it was never there. */
  readonly id: string;
  readonly rev: number;
  /** The library does not have it as it is here. */
  readonly dirty: boolean;
  readonly pgn: string;
  readonly path: readonly string[];
  readonly review?: unknown;
  readonly at: number;
  /** The states that it comes from. */
  readonly lineage: Lineage;
}

const PREFIX = "rukh.study.";
/** Where the page kept its only game before it had a library. */
const OLD_KEY = "rukh.study";
const TAB_KEY = "rukh.tab";
const PARKED = "~";

const fresh = (): string => Math.random().toString(36).slice(2, 10);
let name = "";

/** This tab's name: the same after a reload, another one in a copy of the tab. */
function tab(): string {
  if (name) return name;
  const store = globalThis.sessionStorage as Storage | undefined;
  name = store?.getItem(TAB_KEY) ?? fresh();
  store?.setItem(TAB_KEY, name);
  hold();
  return name;
}

const lockOf = (tab: string): string => `rukh.tab.${tab}`;

/** Shows the other tabs that this one lives. */
function hold(): void {
  void globalThis.navigator?.locks?.request(lockOf(name), { ifAvailable: true }, (lock) => {
    // As long as the tab lives.
    if (lock) return new Promise(() => undefined);
    name = fresh();
    sessionStorage.setItem(TAB_KEY, name);
    hold();
    return undefined;
  });
}

function check(slot: Slot | null): Slot | null {
  if (!slot || typeof slot.pgn !== "string") return null;
  return {
    id: typeof slot.id === "string" ? slot.id : "",
    rev: Number(slot.rev) || 0,
    dirty: slot.dirty === true,
    pgn: slot.pgn,
    path: Array.isArray(slot.path) ? slot.path : [],
    review: slot.review,
    at: Number(slot.at) || 0,
    lineage: readLineage(slot.lineage),
  };
}

function others(): { tab: string; slot: Slot }[] {
  const found: { tab: string; slot: Slot }[] = [];
  for (let i = 0; i < (globalThis.localStorage?.length ?? 0); i += 1) {
    const key = localStorage.key(i) ?? "";
    const slot = key.startsWith(PREFIX) ? check(load<Slot>(key)) : null;
    if (slot) found.push({ tab: key.slice(PREFIX.length), slot });
  }
  return found.sort((a, b) => b.slot.at - a.slot.at);
}

/** What was on the board of this tab, or else in the tab that was used last. */
export function readSlot(): Slot | null {
  const own = check(load<Slot>(PREFIX + tab()));
  if (own) return own;
  const old = check(load<Slot>(OLD_KEY));
  if (old) return { ...old, dirty: true };
  const last = others()[0]?.slot;
  // Its own tab, or whoever finds it orphaned, takes care of it.
  return last ? { ...last, dirty: false } : null;
}

export function writeSlot(slot: Slot): void {
  save(PREFIX + tab(), slot);
  save(OLD_KEY, null);
}

/** Keeps a game that left the board before the library had it. Returns the function that forgets it. */
export function parkSlot(slot: Slot): () => void {
  const key = `${PREFIX}${tab()}${PARKED}${slot.id}`;
  save(key, slot);
  return () => save(key, null);
}

/** The slots as they are now, of other tabs and of this one's earlier life. */
export function leftBehind(): { tab: string; slot: Slot }[] {
  const own = tab();
  return others().filter((other) => other.tab !== own);
}

/** What dead tabs left behind, of all that was found at the start. `done` says that a slot has been taken care of. */
export async function orphans(found: ReturnType<typeof leftBehind>): Promise<{ slot: Slot; done: () => void }[]> {
  const alive = new Set((await globalThis.navigator?.locks?.query())?.held?.map((lock) => lock.name) ?? []);
  const own = tab();
  const dead = found.filter(
    (other) => other.tab.startsWith(own + PARKED) || !alive.has(lockOf(other.tab.split(PARKED)[0]!)),
  );
  // The newest stays: it is what the next tab shows.
  return dead
    .filter(({ slot }, i) => slot.dirty || i > 0)
    .map(({ tab, slot }) => ({ slot, done: () => save(PREFIX + tab, null) }));
}

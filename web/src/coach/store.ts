import type { CoachSearch } from "rukh-engine";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** A game that was reviewed as one player's, in the writing `rev` of it. */
export interface Reviewed {
  /** The game's id and the player's name in small letters. */
  readonly key: string;
  readonly id: string;
  readonly rev: number;
  readonly nodes: number;
  /** What is wrong with it, where it could not be reviewed. */
  readonly problem?: string;
}

interface Schema extends DBSchema {
  searches: { key: string; value: CoachSearch };
  reviewed: { key: string; value: Reviewed };
}

/** Names are the same whatever their letters' case. */
export const sameName = (name: string): string => name.trim().toLowerCase();

/** What the coach has found, in IndexedDB: searches by position code, each on the disk before the next begins. */
export class CoachStore {
  private constructor(private readonly db: IDBPDatabase<Schema>) {}

  static async open(name = "rukh-coach"): Promise<CoachStore> {
    const db = await openDB<Schema>(name, 1, {
      upgrade(db) {
        for (const store of ["searches", "reviewed"] as const) db.createObjectStore(store, { keyPath: "key" });
      },
      blocking: (_old, _new, event) => (event.target as IDBDatabase).close(),
    });
    return new CoachStore(db);
  }

  close(): void {
    this.db.close();
  }

  /** The searches that are kept under these keys. */
  async searches(keys: readonly string[]): Promise<Map<string, CoachSearch>> {
    const { store } = this.db.transaction("searches");
    const found = await Promise.all(keys.map((key) => store.get(key)));
    return new Map(found.filter((search) => search !== undefined).map((search) => [search.key, search]));
  }

  allSearches(): Promise<CoachSearch[]> {
    return this.db.getAll("searches");
  }

  /** Keeps a search; of two under one key the one with more nodes stays. */
  async keep(search: CoachSearch): Promise<void> {
    const tx = this.db.transaction("searches", "readwrite", { durability: "strict" });
    const old = await tx.store.get(search.key);
    if (!old || old.nodes <= search.nodes) void tx.store.put(search);
    await tx.done;
  }

  async finish(game: Reviewed): Promise<void> {
    await this.db.put("reviewed", game);
  }

  /** The games that were reviewed as this player's, by their ids. */
  async reviewed(player: string): Promise<Map<string, Reviewed>> {
    const all = await this.db.getAll("reviewed");
    const own = all.filter(({ key, id }) => key === reviewKey(id, player));
    return new Map(own.map((game) => [game.id, game]));
  }
}

export const reviewKey = (id: string, player: string): string => `${id} ${sameName(player)}`;

let opened: Promise<CoachStore> | null = null;

/** The page's own, opened once. */
export function coachStore(): Promise<CoachStore> {
  opened ??= CoachStore.open().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { rules } from "../engine/rules.ts";
import { type Lineage, judge, readLineage } from "./lineage.ts";
import { EVERY, LISTING, type Listing, type Read, addPiece, noteSince, pack, readListing } from "./listing.ts";
import { type Row, readKeys, readRows, rowOf } from "./rows.ts";
import { TRAINING, type Training } from "../coach/training.ts";
import { t } from "../messages/messages.ts";

/** A game as it is kept: its text, and where its reader was. */
export interface Kept {
  readonly id: string;
  readonly pgn: string;
  readonly path: readonly string[];
  /** What a review found, finished or not. */
  readonly review?: unknown;
  /** The states that it comes from. */
  readonly lineage?: Lineage | undefined;
}

/** What becomes of a game that is written. */
export interface Saved {
  readonly id: string;
  readonly rev: number;
  /** Somebody else had written it meanwhile: this became another game. */
  readonly copied: boolean;
}

/** A game to be added. */
export interface Added {
  readonly row: Row;
  readonly pgn: string;
  readonly keys: Uint32Array;
}

interface Schema extends DBSchema, Listing, Training {
  rows: { key: string; value: Row };
  texts: { key: string; value: Kept };
  keys: { key: string; value: { id: string; keys: Uint32Array } };
}
const GAMES = ["rows", "texts", "keys"] as const;
const STORES = [...GAMES, ...LISTING] as const;
/** 1: games; 2: the list of them; 3: cards and puzzles. */
const VERSION = 3;
const CHANNEL = "rukh.library";
// Whoever opens the list sees it first.
const PACK_AFTER_MS = 2000;
// So many games are read into memory at once when all are written out.
const EXPORT_STEP = 500;

/** The games of this browser. Every change is on the disk when its promise resolves, whole or not at all. */
export class Library {
  #channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
  #listeners = new Set<(ids: readonly string[]) => void>();
  private constructor(readonly db: IDBPDatabase<Schema>) {
    this.#channel?.addEventListener("message", ({ data }) => this.#tell(data as string[]));
  }

  static async open(name = "rukh"): Promise<Library> {
    const db = await openDB<Schema>(name, VERSION, {
      upgrade(db, before, _after, tx) {
        // What is there stays as it is.
        for (const store of [...STORES, ...TRAINING])
          if (!db.objectStoreNames.contains(store)) db.createObjectStore(store, { keyPath: "id" });
        // Games that were kept before there was a list.
        if (before === 1) noteSince(tx, [EVERY]);
      },
      // A newer page in another tab must not wait for this one.
      blocking: (_old, _new, event) => (event.target as IDBDatabase).close(),
    });
    return new Library(db);
  }

  close(): void {
    this.#channel?.close();
    this.db.close();
  }

  /** Hears of changes, in this tab and in others. Returns the function that ends it. */
  listen(hear: (ids: readonly string[]) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** All rows. */
  async rows(): Promise<Row[]> {
    const read = (await readListing(this.db, (ids) => this.some(ids))) ?? (await this.#readEvery());
    setTimeout(() => void pack(this.db, read).catch(() => false), PACK_AFTER_MS);
    return read.rows;
  }

  /** The rows of some games; those that are gone are left out. */
  async some(ids: readonly string[]): Promise<Row[]> {
    if (ids.length === 0) return [];
    const { store } = this.db.transaction("rows");
    const rows = await Promise.all(ids.map((id) => store.get(id)));
    return readRows(rows);
  }

  async #readEvery(): Promise<Read> {
    const tx = this.db.transaction(["rows", "since", "pieces"]);
    const [rows, since, pieces] = await Promise.all([
      tx.objectStore("rows").getAll(),
      tx.objectStore("since").getAll(),
      tx.objectStore("pieces").getAllKeys(),
    ]);
    return { rows: readRows(rows), since, pieces: new Map(pieces.map((id) => [id, []])) };
  }

  /** Which games came with which text; what was thrown away may come again. */
  async sources(): Promise<Map<string, string>> {
    const rows = (await this.rows()).filter(({ source, trashed }) => source && !trashed);
    return new Map(rows.map(({ source, id }) => [source!, id]));
  }

  async row(id: string): Promise<Row | undefined> {
    return readRows([await this.db.get("rows", id)])[0];
  }

  /** A game with its row, as both were at one moment. */
  async get(id: string): Promise<(Kept & { row: Row }) | null> {
    const tx = this.db.transaction(["rows", "texts"]);
    const [stored, text] = await Promise.all([tx.objectStore("rows").get(id), tx.objectStore("texts").get(id)]);
    const [row] = readRows([stored]);
    if (!row || typeof text?.pgn !== "string") return null;
    return { ...text, path: Array.isArray(text.path) ? text.path : [], row };
  }

  /** The keys of all positions of all games: what a search by position looks through. */
  async keys(): Promise<{ id: string; keys: Uint32Array }[]> {
    return (await this.db.getAll("keys")).filter(({ keys }) => keys instanceof Uint32Array);
  }

  /**
   * Writes a game over the writing `rev` of it, or over an older state of the same work. Where somebody else's writing is found the
   * game becomes another one, so that neither is lost; a game that was thrown away comes back.
   */
  async save(kept: Kept, rev: number, lineage: Lineage = []): Promise<Saved> {
    const game = rules().ask({ ask: "indexPgn", text: kept.pgn }).games[0];
    if (!game) throw new Error(t("The game could not be saved: it cannot be read back."));
    const tx = this.#writing();
    const rows = tx.objectStore("rows");
    const [old] = readRows([await rows.get(kept.id)]);
    const text = old && old.rev !== rev ? await tx.objectStore("texts").get(kept.id) : undefined;
    const there = { rev: old?.rev ?? 0, lineage: readLineage(text?.lineage), same: text?.pgn === kept.pgn };
    const fate = judge(old ? there : null, rev, lineage);
    if (fate === "there") {
      // Only the answer was lost.
      await tx.done;
      return { id: kept.id, rev: old!.rev, copied: false };
    }
    const copied = fate === "copy";
    const id = copied ? crypto.randomUUID() : kept.id;
    const about = { id, rev: copied ? 1 : (old?.rev ?? rev) + 1, changed: Date.now() };
    // The file that it came from is known again, whatever was done to the game since.
    const source = !copied && old?.source ? { source: old.source } : {};
    const row = rowOf(game, old ? { ...about, ...source, folder: old.folder, labels: old.labels } : about);
    void rows.put(row);
    void tx.objectStore("texts").put({ ...kept, id, lineage });
    void tx.objectStore("keys").put({ id, keys: readKeys(game.keys) });
    noteSince(tx, [id]);
    await tx.done;
    this.#changed([id]);
    return { id, rev: row.rev, copied };
  }

  /** Adds games, all of them or none. */
  async add(games: readonly Added[]): Promise<void> {
    const tx = this.#writing();
    for (const { row, pgn, keys } of games) {
      void tx.objectStore("rows").put(row);
      void tx.objectStore("texts").put({ id: row.id, pgn, path: [] });
      void tx.objectStore("keys").put({ id: row.id, keys });
    }
    const rows = games.map(({ row }) => row);
    addPiece(tx, rows);
    await tx.done;
    this.#changed(rows.map(({ id }) => id));
  }

  /** Changes rows: folder, labels, trash. What somebody else has written meanwhile stays. Returns the rows as they were. */
  async change(ids: readonly string[], change: (row: Row) => Partial<Row>): Promise<Row[]> {
    const tx = this.#writing();
    const rows = tx.objectStore("rows");
    const before: Row[] = [];
    for (const id of ids) {
      const [row] = readRows([await rows.get(id)]);
      if (!row) continue;
      before.push(row);
      void rows.put({ ...row, ...change(row), id, rev: row.rev });
    }
    noteSince(tx, ids);
    await tx.done;
    this.#changed(ids);
    return before;
  }

  /** Deletes for good what is in the trash; anything else stays. */
  async purge(ids: readonly string[]): Promise<void> {
    const tx = this.#writing();
    for (const id of ids) {
      if (!(await tx.objectStore("rows").get(id))?.trashed) continue;
      for (const store of GAMES) void tx.objectStore(store).delete(id);
    }
    noteSince(tx, ids);
    await tx.done;
    this.#changed(ids);
  }

  /** The texts of games, a few at a time. */
  async *texts(ids: readonly string[]): AsyncGenerator<{ row: Row; pgn: string }> {
    for (let at = 0; at < ids.length; at += EXPORT_STEP) {
      const games = await Promise.all(ids.slice(at, at + EXPORT_STEP).map((id) => this.get(id)));
      for (const game of games) if (game) yield { row: game.row, pgn: game.pgn };
    }
  }

  #writing() {
    return this.db.transaction(STORES, "readwrite", { durability: "strict" });
  }

  #changed(ids: readonly string[]): void {
    this.#tell(ids);
    this.#channel?.postMessage(ids);
  }

  #tell(ids: readonly string[]): void {
    for (const hear of this.#listeners) hear(ids);
  }
}

let opened: Promise<Library> | null = null;

/** The page's library, opened once. */
export function library(): Promise<Library> {
  opened ??= Library.open().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

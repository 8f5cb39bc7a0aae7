import type { DBSchema, IDBPDatabase, IDBPTransaction } from "idb";
import { type Row, readRows } from "./rows.ts";

/**
 * The list of games as few large records: a browser needs a hundred times longer for a hundred thousand small ones. A piece has the
 * rows of many games as JSON; `since` names the games that were written after their piece. Both change with the rows, in the same
 * transaction, and whoever opens the list packs it anew when much was written.
 */
export interface Listing extends DBSchema {
  pieces: { key: string; value: { id: string; rows: string } };
  /** `mark` is another one with every writing. */
  since: { key: string; value: { id: string; mark: number } };
}
export const LISTING = ["pieces", "since"] as const;

/** Stands for every game: none is in a piece yet. */
export const EVERY = "*";
/** So many games written since make it worth while to pack. */
const WORTH = 300;
const PIECE = 1000;

type Writing = IDBPTransaction<Listing, (typeof LISTING)[number][], "readwrite">;
type Store = Pick<IDBPDatabase<Listing>, "transaction">;
type Since = Listing["since"]["value"];

/** New games, which no piece has yet. */
export function addPiece(tx: unknown, rows: readonly Row[]): void {
  if (rows.length > 0) void (tx as Writing).objectStore("pieces").put({ id: rows[0]!.id, rows: JSON.stringify(rows) });
}

/** Games that are written or deleted. */
export function noteSince(tx: unknown, ids: readonly string[]): void {
  for (const id of ids) void (tx as Writing).objectStore("since").put({ id, mark: Math.random() });
}

/** What was read: all rows, and what packing needs to know. */
export interface Read {
  readonly rows: Row[];
  readonly since: readonly Since[];
  readonly pieces: ReadonlyMap<string, readonly Row[]>;
}

/** Reads the list; null where it must be read game by game. */
export async function readListing(db: unknown, get: (ids: readonly string[]) => Promise<Row[]>): Promise<Read | null> {
  const tx = (db as Store).transaction(LISTING);
  const [records, since] = await Promise.all([
    tx.objectStore("pieces").getAll(),
    tx.objectStore("since").getAll(),
    tx.done,
  ]);
  const changed = new Set(since.map(({ id }) => id));
  if (changed.has(EVERY)) return null;
  const pieces = new Map<string, readonly Row[]>();
  try {
    for (const { id, rows } of records) pieces.set(id, readRows(JSON.parse(rows) as unknown[]));
  } catch {
    return null;
  }
  const rows: Row[] = [];
  for (const piece of pieces.values()) for (const row of piece) if (!changed.has(row.id)) rows.push(row);
  for (const row of await get([...changed])) rows.push(row);
  return { rows, since, pieces };
}

/** Packs what was read, if it is worth it and nobody has written meanwhile. */
export async function pack(db: unknown, { rows, since, pieces }: Read): Promise<boolean> {
  const changed = new Set(since.map(({ id }) => id));
  if (changed.size < WORTH && !changed.has(EVERY)) return false;
  const tx = (db as Store).transaction(LISTING, "readwrite");
  const now = await tx.objectStore("since").getAll();
  if (now.length !== since.length || now.some(({ mark }, i) => mark !== since[i]!.mark)) {
    await tx.done;
    return false;
  }
  const kept = new Set<string>();
  const store = tx.objectStore("pieces");
  for (const [id, piece] of pieces) {
    const stays = !changed.has(EVERY) && piece.every((row) => !changed.has(row.id));
    if (stays) for (const row of piece) kept.add(row.id);
    else void store.delete(id);
  }
  const loose = rows.filter(({ id }) => !kept.has(id));
  for (let at = 0; at < loose.length; at += PIECE) addPiece(tx, loose.slice(at, at + PIECE));
  void tx.objectStore("since").clear();
  await tx.done;
  return true;
}

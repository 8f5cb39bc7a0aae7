import type { IndexedGame } from "rukh-engine";
import { VARIANTS, type Variant } from "../pieces/names.ts";

/** What the list knows of a game: small, so that a hundred thousand fit into memory. */
export interface Row {
  readonly id: string;
  /** Counts the writings; whoever writes over a newer one is told. */
  readonly rev: number;
  readonly variant: Variant;
  readonly white: string;
  readonly black: string;
  readonly result: IndexedGame["result"];
  /** `1858.??.??` */
  readonly date: string;
  readonly event: string;
  readonly eco: string;
  readonly opening: string;
  readonly plies: number;
  readonly folder: string;
  readonly labels: readonly string[];
  /** When it was written last, and when it was thrown away (0: never), in milliseconds. */
  readonly changed: number;
  readonly trashed: number;
  /** The fingerprint of the text that it came with; games kept by older pages have none. */
  readonly source?: string;
}

const TEXTS = ["white", "black", "date", "event", "eco", "opening", "folder"] as const;
const NUMBERS = ["rev", "plies", "changed", "trashed"] as const;
const RESULTS: readonly unknown[] = ["1-0", "0-1", "1/2-1/2", "*"];

/** Rows as they were stored. One that has been damaged keeps what makes sense: it must not take the whole list with it. */
export function readRows(stored: readonly unknown[]): Row[] {
  const rows: Row[] = [];
  for (const each of stored) {
    const row = each as Row | null;
    if (typeof row?.id === "string") rows.push(sound(row) ? row : repaired(row));
  }
  return rows;
}

function sound(row: Row): boolean {
  for (const name of TEXTS) if (typeof row[name] !== "string") return false;
  for (const name of NUMBERS) if (!Number.isFinite(row[name])) return false;
  return (
    VARIANTS.includes(row.variant) &&
    RESULTS.includes(row.result) &&
    Array.isArray(row.labels) &&
    row.labels.every(isText)
  );
}

const isText = (value: unknown): boolean => typeof value === "string";

function repaired(row: Row): Row {
  const texts = TEXTS.map((name) => [name, isText(row[name]) ? row[name] : ""]);
  const figures = NUMBERS.map((name) => [name, Number.isFinite(row[name]) ? row[name] : 0]);
  return {
    ...row,
    ...(Object.fromEntries([...texts, ...figures]) as Pick<Row, (typeof TEXTS)[number] | (typeof NUMBERS)[number]>),
    variant: VARIANTS.includes(row.variant) ? row.variant : "chess",
    result: RESULTS.includes(row.result) ? row.result : "*",
    labels: Array.isArray(row.labels) ? row.labels.filter(isText) : [],
  };
}

/** What somebody looks for. Empty means anything. */
export interface Query {
  readonly words: string;
  readonly result: Row["result"] | "";
  readonly from: string;
  readonly to: string;
  readonly folder: string | null;
  readonly trash: boolean;
}

export const EVERYTHING: Query = { words: "", result: "", from: "", to: "", folder: null, trash: false };

// Tags with which a file remembers where a game was kept.
export const FOLDER_TAG = "RukhFolder";
export const LABELS_TAG = "RukhLabels";

const known = (value: string): string => (/^[?.\s]*$/.test(value) ? "" : value);

/** The row of a game. */
export function rowOf(
  game: IndexedGame,
  about: Pick<Row, "id" | "rev" | "changed"> & Partial<Pick<Row, "folder" | "labels" | "trashed" | "source">>,
): Row {
  const tag = (name: string) => known(game.tags.find(([key]) => key === name)?.[1] ?? "");
  const labels = tag(LABELS_TAG)
    .split(",")
    .map((label) => label.trim());
  return {
    id: about.id,
    rev: about.rev,
    variant: game.variant,
    white: tag("White"),
    black: tag("Black"),
    result: game.result,
    date: tag("Date") || tag("UTCDate"),
    event: tag("Event"),
    eco: game.opening?.eco ?? tag("ECO"),
    opening: game.opening?.name ?? tag("Opening"),
    plies: game.plies,
    folder: about.folder ?? tag(FOLDER_TAG),
    labels: about.labels ?? labels.filter(Boolean),
    changed: about.changed,
    trashed: about.trashed ?? 0,
    ...(about.source ? { source: about.source } : {}),
  };
}

/** Letters without marks, small: Håkon is found as hakon. */
export const plain = (text: string): string =>
  // Most names have none.
  (/^[\x20-\x7e\n]*$/.test(text) ? text : text.normalize("NFD").replace(/\p{M}/gu, "")).toLowerCase();

const texts = new WeakMap<readonly Row[], readonly string[]>();

/** What the words of a query are looked for in, row by row. Made once for each list. */
export function textsOf(rows: readonly Row[]): readonly string[] {
  let made = texts.get(rows);
  if (!made) {
    made = rows.map(({ white, black, event, eco, opening, date, labels, folder, variant }) =>
      plain(`${white}\n${black}\n${event}\n${eco}\n${opening}\n${date}\n${folder}\n${variant}\n${labels.join("\n")}`),
    );
    texts.set(rows, made);
  }
  return made;
}

/** The rows that fit, in the order given. `at` holds the games that reached a position, where one is asked for. */
export function filterRows(rows: readonly Row[], query: Query, at: ReadonlySet<string> | null = null): Row[] {
  const words = plain(query.words).split(/\s+/).filter(Boolean);
  const { result, from, to, folder, trash } = query;
  const searched = words.length > 0 ? textsOf(rows) : [];
  return rows.filter((row, i) => {
    if (row.trashed > 0 !== trash) return false;
    if (folder !== null && row.folder !== folder) return false;
    if (result && row.result !== result) return false;
    if (from && !(row.date >= from)) return false;
    // `2024` as an end means all of that year.
    if (to && !(row.date && row.date.slice(0, to.length) <= to)) return false;
    if (at && !at.has(row.id)) return false;
    return words.every((word) => searched[i]!.includes(word));
  });
}

/** The newest first. */
export const newestFirst = (a: Row, b: Row): number => b.changed - a.changed || (a.id < b.id ? -1 : 1);

/** `Morphy – Anderssen`. */
export const playersOf = (row: Pick<Row, "white" | "black">): string =>
  row.white || row.black ? `${row.white || "?"} – ${row.black || "?"}` : "";

/** Keys of positions as they come from the engine: eight hexadecimal digits each. */
export function readKeys(hex: string): Uint32Array {
  const keys = new Uint32Array(hex.length / 8);
  for (let i = 0; i < keys.length; i += 1) keys[i] = Number.parseInt(hex.slice(8 * i, 8 * i + 8), 16);
  return keys;
}

/** The key of a position, for the same search: the lower half of the engine's. */
export const positionKey = (state: { key: string }): number => Number.parseInt(state.key.slice(-8), 16);

/** Who wrote a state of a game, and which of its changes it was: a tab counts the changes that it makes to a game. */
export type Stamp = readonly [writer: string, changes: number];

/** The states that a text comes from, the oldest first; the last one is the text itself. */
export type Lineage = readonly Stamp[];

// A game whose tabs were all killed before they knew what the library had has as many ancestors as tabs.
const MOST_ANCESTORS = 24;

export const grown = (lineage: Lineage, stamp: Stamp): Lineage => [...lineage.slice(-MOST_ANCESTORS), stamp];

/** Checks what was stored. */
export function readLineage(value: unknown): Lineage {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (stamp): stamp is Stamp => Array.isArray(stamp) && typeof stamp[0] === "string" && typeof stamp[1] === "number",
  );
}

/**
 * What is to become of a text that was made over the writing `rev`. A tab may be killed when the library has written its text and
 * it does not know that yet: whoever finds its next text must see that what the library has is an older state of the same work
 * (`write`), or the newer one (`there`). What somebody else has written is not touched (`copy`).
 */
export function judge(
  old: { rev: number; by?: Stamp | undefined; same: boolean } | null,
  rev: number,
  lineage: Lineage,
): "write" | "there" | "copy" {
  if (!old || old.rev === rev) return "write";
  if (old.same) return "there";
  const { by } = old;
  if (!by) return "copy";
  if (lineage.some(([writer, changes]) => writer === by[0] && by[1] <= changes)) return "write";
  return lineage.at(-1)?.[0] === by[0] ? "there" : "copy";
}

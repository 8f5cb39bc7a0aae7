/** Who wrote a state of a game, and which of its changes it was: a tab counts the changes that it makes to a game. */
export type Stamp = readonly [writer: string, changes: number];

/** The states that a text comes from, the oldest first; the last one is the text itself. */
export type Lineage = readonly Stamp[];

// So many tabs one after the other may be killed before one of them has brought everything into the library.
const MOST_ANCESTORS = 500;

export const grown = (lineage: Lineage, stamp: Stamp): Lineage => [...lineage.slice(-MOST_ANCESTORS), stamp];

/** Checks what was stored. */
export function readLineage(value: unknown): Lineage {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (stamp): stamp is Stamp => Array.isArray(stamp) && typeof stamp[0] === "string" && typeof stamp[1] === "number",
  );
}

/** Whether a state is one of those that a text comes from. */
export const comesFrom = (lineage: Lineage, [writer, changes]: Stamp): boolean =>
  lineage.some(([other, later]) => other === writer && changes <= later);

/**
 * What is to become of a text that was made over the writing `rev`. A tab may be killed when the library has written its text and
 * it does not know that yet, and the next one as well: whoever finds what they left must see whether the library has an older state
 * of the same work (`write`), or one that comes from this (`there`). What somebody else has written is not touched (`copy`).
 */
export function judge(
  old: { rev: number; lineage: Lineage; same: boolean } | null,
  rev: number,
  lineage: Lineage,
): "write" | "there" | "copy" {
  if (!old || old.rev === rev) return "write";
  const [theirs, ours] = [old.lineage.at(-1), lineage.at(-1)];
  if (old.same || (ours && comesFrom(old.lineage, ours))) return "there";
  return theirs && comesFrom(lineage, theirs) ? "write" : "copy";
}

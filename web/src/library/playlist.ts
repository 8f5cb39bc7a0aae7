import { signal } from "../app/store.ts";

/** The games that somebody goes through, in the order of the list they were opened from. */
export const playlist = signal<readonly string[]>([]);

/** Where a game stands in it, and its neighbours; null when it is not from the list. */
export function neighbours(
  ids: readonly string[],
  id: string,
): { at: number; count: number; previous: string | null; next: string | null } | null {
  const at = ids.indexOf(id);
  if (at < 0) return null;
  return { at, count: ids.length, previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null };
}

import type { Uci } from "rukh-engine";
import type { Explored } from "../engine/answers.ts";
import { hasGames } from "../engine/server.ts";
import type { Variant } from "../pieces/names.ts";

/** What the database behind `rukh serve` has of a position; without one, or where it cannot be read, why not. */
export async function explored(variant: Variant, fen: string, signal?: AbortSignal): Promise<Explored | string> {
  if (!(await hasGames(variant))) return "";
  try {
    const query = new URLSearchParams({ fen, variant });
    const response = await fetch(`./api/explore?${query}`, { signal: signal ?? null });
    if (!response.headers.get("content-type")?.includes("json")) return "";
    const answer: unknown = await response.json();
    if (!response.ok) return String((answer as { error?: string }).error ?? "");
    return answer as Explored;
  } catch {
    return "";
  }
}

/** In how many games of the database a move was played. */
export async function timesPlayed(variant: Variant, fen: string, move: Uci): Promise<number> {
  const answer = await explored(variant, fen);
  return typeof answer === "string" ? 0 : (answer.moves.find(({ uci }) => uci === move)?.games ?? 0);
}

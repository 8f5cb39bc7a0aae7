import { load, save } from "../app/settings.ts";

const KEY = "rukh.handover";

/** Leaves a PGN for the analysis board, which takes it when it opens. */
export function handOver(pgn: string): void {
  save(KEY, pgn);
}

export function takeOver(): string | null {
  const pgn = load<unknown>(KEY);
  if (pgn !== null) save(KEY, null);
  return typeof pgn === "string" ? pgn : null;
}

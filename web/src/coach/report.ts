import type { CoachReport, Engine } from "rukh-engine";
import { settings } from "../app/settings.ts";
import type { Library } from "../library/db.ts";
import type { Row } from "../library/rows.ts";
import { gamesOf } from "./queue.ts";
import type { CoachStore } from "./store.ts";

/** The report of the games that are reviewed, with the rows of those games. */
export interface Report extends CoachReport {
  readonly rows: readonly Row[];
}

/** What all games of a player that the queue has reviewed say together. */
export async function makeReport(
  engine: () => Promise<Engine>,
  library: Pick<Library, "texts">,
  store: Pick<CoachStore, "reviewed" | "allSearches">,
  all: readonly Row[],
  player: string,
): Promise<Report> {
  const done = await store.reviewed(player);
  const rows = gamesOf(all, player).filter(({ id }) => done.has(id) && !done.get(id)!.problem);
  const games: string[] = [];
  for await (const { pgn } of library.texts(rows.map(({ id }) => id))) games.push(pgn);
  const searches = await store.allSearches();
  const nodes = Math.min(settings.reviewNodes, ...rows.map(({ id }) => done.get(id)!.nodes));
  const report = await (await engine()).ask({ ask: "insights", player, nodes, games, searches });
  return { ...report, rows: report.places.map((place) => rows[place]!) };
}

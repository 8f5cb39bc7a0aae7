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
  const wanted = gamesOf(all, player).filter(({ id }) => done.has(id) && !done.get(id)!.problem);
  // A game may have gone meanwhile: those that are read are the ones that places are told of.
  const rows: Row[] = [];
  const games: string[] = [];
  let nodes = settings.reviewNodes;
  for await (const { row, pgn } of library.texts(wanted.map(({ id }) => id))) {
    rows.push(row);
    games.push(pgn);
    nodes = Math.min(nodes, done.get(row.id)!.nodes);
  }
  const searches = await store.allSearches();
  const report = await (await engine()).ask({ ask: "insights", player, nodes, games, searches });
  return { ...report, rows: report.places.map((place) => rows[place]!) };
}

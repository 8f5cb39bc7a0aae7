import { rules } from "../engine/rules.ts";
import { GameTree } from "../game/tree.ts";
import { epdAsPgn } from "../game/positions.ts";
import { said, t } from "../messages/messages.ts";
import type { Added, Library } from "./db.ts";
import { readKeys, rowOf } from "./rows.ts";
import { GameSplitter } from "./split.ts";
import { pieces } from "./unpack.ts";

const BATCH = 500;
// Between two pictures there is time for so much.
const SLICE_MS = 12;
const MOST_PROBLEMS = 100;

export interface Progress {
  readonly games: number;
  /** 0 … 1 */
  readonly share: number;
}

export interface Imported {
  games: number;
  /** Games that could not be read, and what is wrong with the first of them. */
  refused: number;
  problems: string[];
}

const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Brings all games of a file into the library. What was read before somebody stopped it stays. */
export async function importFile(
  library: Pick<Library, "add">,
  file: Blob,
  folder: string,
  onProgress: (progress: Progress) => void,
  stopped: () => boolean,
): Promise<Imported> {
  const done: Imported = { games: 0, refused: 0, problems: [] };
  const splitter = new GameSplitter();
  const began = Date.now();
  let batch: Added[] = [];
  let read = 0;
  let number = 0;
  let slice = performance.now();

  const flush = async () => {
    await library.add(batch);
    done.games += batch.length;
    batch = [];
  };
  const add = (pgn: string): void => {
    const { games, errors } = rules().ask({ ask: "indexPgn", text: pgn });
    for (const error of errors) {
      done.refused += 1;
      if (done.problems.length < MOST_PROBLEMS)
        done.problems.push(t("Game {number}: {why}", { number, why: said(error.reason) }));
    }
    if (games.length > 1) {
      // Games without tags, one behind the other: each gets a text of its own.
      for (const game of rules().parsePgn(pgn).games) add(GameTree.fromPgn(game).toPgn());
      return;
    }
    const [game] = games;
    if (!game) return;
    // Later games of a file stand below the earlier ones.
    const about = { id: crypto.randomUUID(), rev: 1, changed: began - number / 1000 };
    const row = rowOf(game, about);
    batch.push({ row: row.folder ? row : { ...row, folder }, pgn, keys: readKeys(game.keys) });
  };
  const take = async (games: readonly string[]) => {
    for (const pgn of games) {
      number += 1;
      add(number === 1 ? epdAsPgn(pgn) : pgn);
      if (batch.length >= BATCH) await flush();
      if (performance.now() - slice < SLICE_MS) continue;
      onProgress({ games: done.games + batch.length, share: file.size ? read / file.size : 1 });
      await breathe();
      slice = performance.now();
      if (stopped()) return;
    }
  };
  for await (const piece of pieces(file, (bytes) => (read = bytes))) {
    await take(splitter.push(piece));
    if (stopped()) break;
  }
  if (!stopped()) await take(splitter.end());
  await flush();
  return done;
}

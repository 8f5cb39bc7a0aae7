import type { PgnError } from "rukh-engine";
import { rules } from "../engine/rules.ts";
import { GameTree } from "../game/tree.ts";
import { epdAsPgn } from "../game/positions.ts";
import { reason, said, t } from "../messages/messages.ts";
import type { Added, Library } from "./db.ts";
import { fingerprint } from "./doubles.ts";
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
  /** The games that were there already, by their place in the file: they are not stored a second time. */
  known: Set<number>;
  /** Games that could not be read, and what is wrong with the first of them. */
  refused: number;
  problems: string[];
  /** Variations that were cut where a move could not be played, and why the first one was. */
  cut: number;
  firstCut: string;
  /** Games that end early for the same reason, with the rest as a comment. */
  short: number;
  firstShort: string;
  /** Why the file could not be read to its end. */
  broken: string;
}

/** What the reader says of a game that it did not read to its end. */
const SHORT = /; the game was cut there/;

const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Brings all games of a file into the library. What was read before somebody stopped it stays. */
export async function importFile(
  library: Pick<Library, "add" | "sources">,
  file: Blob,
  folder: string,
  onProgress: (progress: Progress) => void,
  stopped: () => boolean,
  /** Only these, whether they are there or not. */
  only?: ReadonlySet<number>,
): Promise<Imported> {
  const done: Imported = {
    games: 0,
    known: new Set(),
    refused: 0,
    problems: [],
    cut: 0,
    firstCut: "",
    short: 0,
    firstShort: "",
    broken: "",
  };
  const sources = only ? null : await library.sources();
  const splitter = new GameSplitter();
  const began = Date.now();
  let batch: Added[] = [];
  let read = 0;
  let number = 0;
  let place = 0;
  let slice = performance.now();

  const flush = async () => {
    await library.add(batch);
    done.games += batch.length;
    batch = [];
  };
  const note = (notes: readonly PgnError[]): void => {
    for (const { reason } of notes) {
      const why = t("Game {number}: {why}", { number, why: said(reason) });
      if (SHORT.test(reason)) {
        done.short += 1;
        done.firstShort ||= why;
      } else {
        done.cut += 1;
        done.firstCut ||= why;
      }
    }
  };
  const add = (pgn: string): void => {
    const { games, errors, notes } = rules().ask({ ask: "indexPgn", text: pgn });
    for (const error of errors) {
      done.refused += 1;
      if (done.problems.length < MOST_PROBLEMS)
        done.problems.push(t("Game {number}: {why}", { number, why: said(error.reason) }));
    }
    if (games.length > 1) {
      note(notes);
      // Games without tags, one behind the other: each gets a text of its own.
      for (const game of rules().parsePgn(pgn).games) add(GameTree.fromPgn(game).toPgn());
      return;
    }
    const [game] = games;
    if (!game) return;
    place += 1;
    if (only && !only.has(place)) return;
    const source = fingerprint(pgn);
    if (sources?.has(source)) {
      done.known.add(place);
      return;
    }
    note(notes);
    // Later games of a file stand below the earlier ones.
    const about = { id: crypto.randomUUID(), rev: 1, changed: began - number / 1000, source };
    sources?.set(source, about.id);
    const row = rowOf(game, about);
    batch.push({ row: row.folder ? row : { ...row, folder }, pgn, keys: readKeys(game.keys) });
  };
  const take = async (games: readonly string[]) => {
    for (const pgn of games) {
      number += 1;
      add(number === 1 ? epdAsPgn(pgn) : pgn);
      if (batch.length >= BATCH) await flush();
      if (performance.now() - slice < SLICE_MS) continue;
      onProgress({ games: done.games + done.known.size + batch.length, share: file.size ? read / file.size : 1 });
      await breathe();
      slice = performance.now();
      if (stopped()) return;
    }
  };
  const text = pieces(file, (bytes) => (read = bytes));
  while (!stopped()) {
    const next = await text.next().catch((error: unknown) => {
      done.broken = reason(error);
    });
    // Half a game is none.
    if (!next) break;
    await take(next.done ? splitter.end() : splitter.push(next.value));
    if (next.done) break;
  }
  await text.return(undefined);
  await flush();
  return done;
}

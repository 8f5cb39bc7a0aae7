import type { CoachMistake, Color } from "rukh-engine";
import { rules } from "../../engine/rules.ts";
import { GameTree } from "../../game/tree.ts";
import type { Kept } from "../../library/db.ts";
import type { Row } from "../../library/rows.ts";
import { readFinished } from "../../study/keptreview.ts";
import { sameName } from "../store.ts";
import type { Card, Draft } from "./card.ts";
import { type Coder, type Sentence, type Why, draftsOf, draftsOfReport } from "./collect.ts";
import type { CardStore } from "./db.ts";

/** What is needed of the library. */
export interface Games {
  rows(): Promise<Row[]>;
  get(id: string): Promise<(Kept & { row: Row }) | null>;
}

/** Games that are written down together. */
const STEP = 100;
/** How games of this page call the person at the board. */
export const HERE = "you";

/** Names between semicolons, as one writes them in games: there a comma is part of a name ("Menchik, Vera"). */
export const splitNames = (text: string): string[] => [...new Set(text.split(";").map(sameName).filter(Boolean))];

/** Looks through the reviews of games that were written since the last time, and makes cards of the person's mistakes. */
export async function harvest(
  games: Games,
  store: CardStore,
  names: readonly string[],
  code: Coder,
  hear: (cards: readonly Card[], done: number, total: number) => void,
  cancelled: () => boolean,
  why?: Why,
): Promise<void> {
  const own = new Set([HERE, ...names.map(sameName)]);
  const asked = [...own].sort().join();
  const done = await store.harvested();
  const todo = (await games.rows()).filter(
    ({ id, rev, trashed, white, black }) =>
      !trashed && (own.has(sameName(white)) || own.has(sameName(black))) && done.get(id) !== `${rev} ${asked}`,
  );
  for (let at = 0; at < todo.length && !cancelled(); at += STEP) {
    const drafts: Draft[] = [];
    const looked: { id: string; rev: number; names: string }[] = [];
    for (const { id } of todo.slice(at, at + STEP)) {
      const game = await games.get(id);
      if (!game) continue;
      looked.push({ id, rev: game.row.rev, names: asked });
      if (game.review) drafts.push(...(await draftsOfGame(game, own, code, why)));
    }
    hear(await store.harvest(drafts, looked, Date.now()), Math.min(at + STEP, todo.length), todo.length);
  }
}

async function draftsOfGame(
  game: Kept & { row: Row },
  own: ReadonlySet<string>,
  code: Coder,
  why?: Why,
): Promise<Draft[]> {
  const parsed = rules().parsePgn(game.pgn).games[0];
  if (!parsed) return [];
  const tree = GameTree.fromPgn(parsed);
  const review = readFinished(tree, game.review);
  const mine = (side: Color) => own.has(sameName(game.row[side]));
  return review ? draftsOf(tree, review, mine, game.id, code, why) : [];
}

/** What the background review says of a player's games. */
export interface Report {
  readonly mistakes: readonly CoachMistake[];
  readonly ids: readonly string[];
  /** Cards of what the player's openings lack. */
  readonly gaps?: readonly Draft[];
}

/** The same from the background review, where it has finished games since the last time. */
export async function harvestReport(
  player: string,
  reviewed: number,
  store: CardStore,
  report: () => Promise<Report>,
  say: Sentence,
  /** Whether there is a database of masters' games now. */
  masters = false,
): Promise<Card[]> {
  // Beside the marks of games, under a name that no game has.
  const mark = { id: `report ${sameName(player)}`, rev: reviewed, names: masters ? "masters" : "" };
  if (reviewed === 0 || (await store.harvested()).get(mark.id) === `${reviewed} ${mark.names}`) return [];
  const { mistakes, ids, gaps = [] } = await report();
  return store.harvest([...draftsOfReport(mistakes, ids, say), ...gaps], [mark], Date.now());
}

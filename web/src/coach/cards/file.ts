import type { Uci } from "rukh-engine";
import { rules } from "../../engine/rules.ts";
import { t } from "../../messages/messages.ts";
import { VARIANTS } from "../../pieces/names.ts";
import type { Day } from "./agenda.ts";
import { type Card, type Mistake, type OpeningGap, type Schedule, joinMistakes } from "./card.ts";
import type { Coder } from "./collect.ts";

// docs/formats/cards.md
const FORMAT = "rukh-cards";
const VERSION = 2;
// The first version had no gaps.
const OLDEST = 1;
export const MOST_BYTES = 64 << 20;
const MOST_CARDS = 100_000;
const MOST_TEXT = 2000;
const MOST_LIST = 1000;
const STEP = 100;

/** Cards as a file. */
export function writeCards(cards: Iterable<Card>, days: Iterable<Day>): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, cards: [...cards], days: [...days] }, null, 1)}\n`;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads one value after the other; what does not fit ends the reading with the place and what was expected. */
class Reader {
  constructor(private readonly place: string) {}

  wrong(field: string): Error {
    return new Error(t("{place}: {field} is missing or wrong.", { place: this.place, field }));
  }

  object(value: unknown, field: string): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw this.wrong(field);
    return value as Fields;
  }

  list(value: unknown, field: string, most = MOST_LIST): readonly unknown[] {
    if (!Array.isArray(value) || value.length > most) throw this.wrong(field);
    return value;
  }

  text(value: unknown, field: string): string {
    if (typeof value !== "string" || value.length > MOST_TEXT) throw this.wrong(field);
    return value;
  }

  number(value: unknown, field: string, least: number, most: number): number {
    if (typeof value !== "number" || !(value >= least && value <= most)) throw this.wrong(field);
    return value;
  }

  whole(value: unknown, field: string, most = 1e6): number {
    const number = this.number(value, field, 0, most);
    if (!Number.isInteger(number)) throw this.wrong(field);
    return number;
  }
}

const LATEST = 8.64e15;

function readSchedule(reader: Reader, value: unknown): Schedule {
  const fields = reader.object(value, "schedule");
  const state = reader.whole(fields.state, "schedule.state", 3) as Schedule["state"];
  return {
    due: reader.number(fields.due, "schedule.due", 0, LATEST),
    // FSRS divides by these once a card has been answered.
    stability: reader.number(fields.stability, "schedule.stability", state === 0 ? 0 : 0.001, 36_500),
    difficulty: reader.number(fields.difficulty, "schedule.difficulty", state === 0 ? 0 : 1, 10),
    interval: reader.number(fields.interval, "schedule.interval", 0, 36_500),
    step: reader.whole(fields.step, "schedule.step", 100),
    reps: reader.whole(fields.reps, "schedule.reps"),
    lapses: reader.whole(fields.lapses, "schedule.lapses"),
    state,
    last: state === 0 ? null : reader.number(fields.last, "schedule.last", 0, LATEST),
  };
}

function readGap(reader: Reader, value: unknown): OpeningGap {
  const fields = reader.object(value, "gap");
  const kind = (["unusual", "unmet"] as const).find((name) => name === fields.kind);
  if (!kind) throw reader.wrong("gap.kind");
  return { kind, why: reader.text(fields.why, "gap.why") };
}

async function readCard(reader: Reader, value: unknown, code: Coder): Promise<Card> {
  const fields = reader.object(value, "card");
  const variant = VARIANTS.find((name) => name === fields.variant);
  if (!variant) throw reader.wrong("variant");
  const check = rules().checkFen(variant, reader.text(fields.fen, "fen"));
  if (!check.ok) throw new Error(`${reader.wrong("fen").message} ${check.reason}`);
  const { fen } = check;
  // The position says who the card is: an older version may have written another code for it.
  reader.text(fields.id, "id");
  const id = `${variant}:${await code({ variant, fen })}`;
  const legal = new Set(
    rules()
      .state({ variant, fen })
      .moves.map(({ uci }) => uci),
  );
  const move = (value: unknown, field: string): Uci => {
    const uci = reader.text(value, field);
    if (!legal.has(uci)) throw reader.wrong(field);
    return uci;
  };
  const line = (value: unknown, field: string, before: readonly Uci[]): Uci[] => {
    const moves = reader.list(value, field, 100).map((each) => reader.text(each, field));
    if (rules().line({ variant, fen, moves: before }, moves).error) throw reader.wrong(field);
    return moves;
  };
  const good = reader.list(fields.good, "good").map((each) => move(each, "good"));
  if (good.length === 0) throw reader.wrong("good");
  const mistakes = reader.list(fields.mistakes, "mistakes").map((each): Mistake => {
    const mistake = reader.object(each, "mistakes");
    const uci = move(mistake.uci, "mistakes.uci");
    return {
      uci,
      loss: reader.number(mistake.loss, "mistakes.loss", 0, 100),
      line: line(mistake.line, "mistakes.line", [uci]),
      games: reader.list(mistake.games, "mistakes.games", 100_000).map((game) => reader.text(game, "mistakes.games")),
      why: reader.text(mistake.why, "mistakes.why"),
    };
  });
  if (typeof fields.gone !== "boolean") throw reader.wrong("gone");
  const gap = fields.gap === undefined ? undefined : readGap(reader, fields.gap);
  return {
    id,
    variant,
    fen,
    good,
    line: line(fields.line, "line", []),
    points: reader.number(fields.points, "points", 0, 100),
    mistakes,
    ...(gap && { gap }),
    made: reader.number(fields.made, "made", 0, LATEST),
    schedule: readSchedule(reader, fields.schedule),
    gone: fields.gone,
  };
}

function readDay(reader: Reader, value: unknown): Day {
  const fields = reader.object(value, "day");
  const id = reader.text(fields.id, "id");
  if (!/^\d{4}-\d\d-\d\d$/.test(id)) throw reader.wrong("id");
  const answered = reader.whole(fields.answered, "answered");
  const right = reader.whole(fields.right, "right", answered);
  return { id, answered, right, fresh: reader.whole(fields.fresh, "fresh", answered) };
}

/** Reads a file of cards, all of it or nothing: whatever is wrong with it is an error for a person. */
export async function readCards(text: string, code: Coder): Promise<{ cards: Card[]; days: Day[] }> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error(t("This is not a card file: it is not JSON."));
  }
  const file = (typeof parsed === "object" ? parsed : null) as Fields | null;
  if (file?.format !== FORMAT) throw new Error(t("This is not a card file."));
  if (!(Number(file.version) >= OLDEST && Number(file.version) <= VERSION))
    throw new Error(t("These cards were saved by a newer version of the page."));
  const head = new Reader(t("File"));
  const cards = new Map<string, Card>();
  for (const [i, value] of head.list(file.cards, "cards", MOST_CARDS).entries()) {
    const card = await readCard(new Reader(t("Card {n}", { n: i + 1 })), value, code);
    // Two versions may have given one position two names.
    cards.set(card.id, joinCards(cards.get(card.id), card));
    // A large file must not hold up the page.
    if (i % STEP === STEP - 1) await new Promise((resolve) => setTimeout(resolve));
  }
  const days = head
    .list(file.days, "days", MOST_CARDS)
    .map((day, i) => readDay(new Reader(t("Day {n}", { n: i + 1 })), day));
  return { cards: [...cards.values()], days };
}

/** A card of a file beside one's own: who answered last knows better when it is due; what was found counts from both. */
export function joinCards(own: Card | undefined, other: Card): Card {
  if (!own) return other;
  const newer = (other.schedule.last ?? -1) > (own.schedule.last ?? -1) ? other : own;
  return {
    ...newer,
    id: own.id,
    ...((newer.gap ?? own.gap ?? other.gap) && { gap: newer.gap ?? own.gap ?? other.gap }),
    good: [...new Set([...newer.good, ...own.good, ...other.good])],
    mistakes: joinMistakes(other.mistakes, own.mistakes),
    made: Math.min(own.made, other.made),
  };
}

/** The same day of two files: the one on which more was done. */
export const joinDays = (own: Day | undefined, other: Day): Day =>
  own && own.answered >= other.answered ? own : other;

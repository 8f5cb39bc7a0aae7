import { load } from "../app/settings.ts";
import type thaiCards from "./th-cards.ts";
import type thaiCoach from "./th-coach.ts";
import type thaiLearn from "./th-learn.ts";
import { type Files, LANGUAGES, type Language, type Part } from "./languages.ts";
import type thai from "./th.ts";

/** A message, or its forms where it counts something: `{ one: "{n} game", other: "{n} games" }`. */
export type Message = string | ({ readonly other: string } & { readonly [form in Intl.LDMLPluralRule]?: string });
export type Messages = Readonly<Record<string, Message>>;

/** A message of the page, by its English words. What no file of messages has is an error of the compiler. */
export type Key = keyof typeof thai | keyof typeof thaiLearn | keyof typeof thaiCoach | keyof typeof thaiCards;

type Value = string | number;

/** What was chosen, else what the browser asks for, else English. */
export function chooseLanguage(chosen: unknown, wanted: readonly string[]): Language {
  const names = ["en", ...Object.keys(LANGUAGES)] as Language[];
  const known = (tag: unknown) => names.find((name) => typeof tag === "string" && tag.split("-")[0] === name);
  return known(chosen) ?? wanted.map(known).find((language) => language !== undefined) ?? "en";
}

/** The page's language. Another one needs the page anew: its words are everywhere. */
export const language: Language = chooseLanguage(
  load<{ language?: unknown }>("rukh.settings")?.language,
  globalThis.document ? navigator.languages : [],
);

const own = new Map<string, Message>();

/** Adds the forms of English messages that count something. The first screen has none, so that nobody waits for them there. */
export async function addForms(): Promise<void> {
  try {
    for (const [key, message] of Object.entries((await import("./en.ts")).default))
      if (!own.has(key)) own.set(key, message);
  } catch {
    // Without them one game is "1 games".
  }
}

/** Adds the page's messages of a part in its own language; English has them in the source. */
export async function addMessages(part: Part): Promise<void> {
  if (language === "en") return;
  try {
    const files: Files = LANGUAGES[language];
    for (const [key, message] of Object.entries((await files[part]?.())?.default ?? {})) own.set(key, message);
  } catch {
    // Without its messages the page speaks English.
  }
}

// Whatever is imported after this module may ask for messages at once.
await addMessages("page");

const forms = new Intl.PluralRules(language);
const figures = new Intl.NumberFormat(language);

/** A number as people of this language write it. */
export const figure = (value: number): string => figures.format(value);

function find(key: string, values: Readonly<Record<string, unknown>>): string {
  const message = own.get(key) ?? key;
  if (typeof message === "string") return message;
  return message[forms.select(Number(values.n))] ?? message.other;
}

const HOLE = /\{(\w+)\}/;

/** A message with its values; `n` is what is counted. Numbers are written as in this language, texts as they are. */
export function t(key: Key, values: Readonly<Record<string, Value>> = {}): string {
  return parts(key, values).join("");
}

/** The same with elements in it. */
export function parts<T = never>(key: Key, values: Readonly<Record<string, Value | T>>): (T | string)[] {
  return find(key, values)
    .split(HOLE)
    .map((part, i) => {
      const value = i % 2 ? (values[part] ?? `{${part}}`) : part;
      return typeof value === "number" ? figure(value) : value;
    });
}

let patterns: { readonly key: Key; readonly form: RegExp; readonly names: readonly string[] }[] | null = null;

/** How many letters a message has of its own. */
const letters = (key: string): number => key.replace(/\{\w+\}|\P{L}/gu, "").length;

/** What the engine says, in the page's language where that knows it. The engine speaks English: its words go into files. */
export function said(text: string): string {
  if (language === "en" || !text) return text;
  if (own.has(text)) return t(text as Key);
  // What begins with words of its own is tried first, then what has most of them: little but holes would take any sentence.
  const weight = (key: string) => letters(key) + (key.startsWith("{") ? 0 : 1000);
  patterns ??= [...own.keys()]
    .sort((a, b) => weight(b) - weight(a))
    .flatMap((key) => {
      const pieces = key.split(HOLE);
      if (pieces.length < 2 || (letters(key) < 8 && !/\p{L}{2}/u.test(pieces[0]! + pieces.at(-1)!))) return [];
      const form = pieces.map((piece, i) => (i % 2 ? "(.+?)" : piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))).join("");
      return [{ key: key as Key, form: new RegExp(`^${form}$`, "su"), names: pieces.filter((_, i) => i % 2) }];
    });
  for (const { key, form, names } of patterns) {
    const found = form.exec(text);
    if (found) return t(key, Object.fromEntries(names.map((name, i) => [name, said(found[i + 1]!)])));
  }
  return text;
}

/** What went wrong, for a person. */
export const reason = (error: unknown): string => said(error instanceof Error ? error.message : String(error));

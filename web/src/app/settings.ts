import type { Language } from "../messages/languages.ts";
import { type Signal, signal } from "./store.ts";

/** What the page remembers between visits. One object, one key, every value checked when it is read. */
export interface Settings {
  language: "system" | Language;
  theme: "system" | "light" | "dark";
  boardTheme: "sand" | "slate" | "moss" | "plum" | "graphite";
  pieces: "classic" | "facet" | "pebble";
  sound: boolean;
  coordinates: boolean;
  animation: boolean;
  westernMakruk: boolean;
  redMakruk: boolean;
  makrukNotation: "english" | "thai";
  figurines: boolean;
  engine: "browser" | "computer";
  /** On this computer: another engine than Rukh, by its name. */
  guest: string;
  lines: number;
  hash: number;
  /** Of the engine on this computer; 0 takes all that the server gives. */
  threads: number;
  /** Of the engine in this browser; 0 is half of the cores. */
  browserThreads: number;
  engineOn: boolean;
  arrows: boolean;
  evalBar: boolean;
  reviewNodes: number;
}

const DEFAULTS: Settings = {
  language: "system",
  theme: "system",
  boardTheme: "sand",
  pieces: "classic",
  sound: true,
  coordinates: true,
  animation: true,
  westernMakruk: false,
  redMakruk: false,
  makrukNotation: "english",
  figurines: true,
  engine: "browser",
  guest: "",
  lines: 2,
  hash: 32,
  threads: 0,
  browserThreads: 0,
  engineOn: true,
  arrows: true,
  evalBar: true,
  reviewNodes: 60_000,
};

/** What the browser says this machine can do at once. */
export const CORES = globalThis.navigator?.hardwareConcurrency || 1;

const KEY = "rukh.settings";

/** Reads something from storage; anything unreadable counts as absent. */
export function load<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

/** Writes something to storage; a full or forbidden storage is not an error for the person at the board. */
export function save(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows may refuse.
  }
}

function cells(): { [K in keyof Settings]: Signal<Settings[K]> } {
  const stored = load<Record<string, unknown>>(KEY) ?? {};
  const made = Object.entries(DEFAULTS).map(([name, value]) => [
    name,
    signal(typeof stored[name] === typeof value ? stored[name] : value),
  ]);
  return Object.fromEntries(made) as { [K in keyof Settings]: Signal<Settings[K]> };
}

const CELLS = cells();

/** The settings as they are now; whoever reads one in an effect hears of its changes. Change them with `set`. */
export const settings: Readonly<Settings> = Object.defineProperties(
  {} as Settings,
  Object.fromEntries(
    Object.entries(CELLS).map(([name, cell]) => [
      name,
      { enumerable: true, get: () => (cell as Signal<unknown>).value },
    ]),
  ),
);

export function set<K extends keyof Settings>(name: K, value: Settings[K]): void {
  if (CELLS[name].peek() === value) return;
  const all = Object.fromEntries(Object.entries(CELLS).map(([key, cell]) => [key, cell.peek()]));
  // Kept before anybody hears of it.
  save(KEY, { ...all, [name]: value });
  CELLS[name].value = value;
}

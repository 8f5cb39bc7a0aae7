/** What the page remembers between visits. One object, one key, every value checked when it is read. */
export interface Settings {
  theme: "system" | "light" | "dark";
  boardTheme: "sand" | "slate" | "moss";
  sound: boolean;
  coordinates: boolean;
  animation: boolean;
  westernMakruk: boolean;
  redMakruk: boolean;
  makrukNotation: "english" | "thai";
  figurines: boolean;
  engine: "browser" | "computer";
  lines: number;
  hash: number;
  /** Of the engine on this computer; 0 takes all that the server gives. */
  threads: number;
  /** Of the engine in this browser. */
  browserThreads: number;
  engineOn: boolean;
  arrows: boolean;
  evalBar: boolean;
  reviewNodes: number;
}

const DEFAULTS: Settings = {
  theme: "system",
  boardTheme: "sand",
  sound: true,
  coordinates: true,
  animation: true,
  westernMakruk: false,
  redMakruk: false,
  makrukNotation: "english",
  figurines: true,
  engine: "browser",
  lines: 2,
  hash: 32,
  threads: 0,
  browserThreads: 1,
  engineOn: true,
  arrows: true,
  evalBar: true,
  reviewNodes: 60_000,
};

/** What the browser says this machine can do at once. */
export const CORES = navigator.hardwareConcurrency || 1;

const KEY = "rukh.settings";
const listeners = new Set<(changed: keyof Settings) => void>();

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

function read(): Settings {
  const stored = load<Record<string, unknown>>(KEY) ?? {};
  const settings: Record<string, unknown> = { ...DEFAULTS };
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (typeof stored[name] === typeof value) settings[name] = stored[name];
  }
  return settings as unknown as Settings;
}

/** The settings as they are now. Change them with `set`. */
export const settings: Readonly<Settings> = read();

export function set<K extends keyof Settings>(name: K, value: Settings[K]): void {
  if (settings[name] === value) return;
  (settings as Settings)[name] = value;
  save(KEY, settings);
  for (const listener of listeners) listener(name);
}

/** Calls back on every change until the returned function is called. */
export function onSetting(listener: (changed: keyof Settings) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Addresses: `#/analyse?fen=…&moves=…`. The hash works on every static host and offline. */
export interface Route {
  /** `['learn', 'bitboards']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** A screen of the page. */
export interface View {
  readonly element: HTMLElement;
  /** The address changed, but it is still this view's. */
  update?(route: Route): void;
  /** Called when the view leaves the page; it must let go of engine, timers and listeners. */
  leave?(): void;
  /** A key no input field wanted. Returns whether it was used. */
  key?(event: KeyboardEvent): boolean;
}

export function parseHash(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path: path.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes an address. */
export function href(path: string, query: Record<string, string> = {}): string {
  // Commas and slashes need no code there, and people read addresses.
  const text = new URLSearchParams(query).toString().replace(/%2[CF]/g, decodeURIComponent);
  return `#/${path}${text ? `?${text}` : ""}`;
}

export function navigate(path: string, query: Record<string, string> = {}): void {
  location.hash = href(path, query);
}

/** The address that is shown; the browser's own is another one between a click on a link and its `hashchange`. */
let shown: string | null = null;

/** What the address asks for; it is shown from now on. */
export function currentRoute(): Route {
  shown = location.hash;
  return parseHash(shown);
}

/**
 * Changes the address without a new entry in the history and without telling the router. Where somebody has just asked for
 * another one it stays: the section would not be left.
 */
export function replaceAddress(path: string, query: Record<string, string> = {}): void {
  if (shown !== null && location.hash !== shown) return;
  history.replaceState(null, "", href(path, query));
  shown = location.hash;
}

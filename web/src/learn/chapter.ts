import type { Engine, Rules } from "rukh-engine";

/** What a chapter gets from the page. */
export interface ChapterContext {
  /** Synchronous answers of the engine. */
  readonly rules: Rules;
  /** An engine in a worker, of the `learn` module (traces, codes, live table); made on first use, ended with the chapter. */
  engine(): Promise<Engine>;
  /** The address: `#/learn/<id>?…`. */
  readonly query: URLSearchParams;
  /** Keeps the state of the widget in the address, so that it can be shared. */
  setQuery(query: Record<string, string>): void;
  /** Called when the reader leaves the chapter. */
  onLeave(callback: () => void): void;
}

/** Makes the elements of a chapter, in order. */
export type Chapter = (context: ChapterContext) => HTMLElement[] | Promise<HTMLElement[]>;

/** A line of the table of contents. */
export interface ChapterEntry {
  /** Part of the address. */
  readonly id: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** A set of squares that stands for it in the table of contents. */
  readonly picture: bigint;
  load(): Promise<{ default: Chapter }>;
}

import { RukhError } from "rukh-engine";
import type { Engine } from "rukh-engine";
import { savesData } from "../app/offline.ts";
import type { Variant } from "../pieces/names.ts";

/** The program's own network for Makruk. (A build names the file by its content.) The module has a smaller one, which fits the first load. */
const ADDRESS = new URL("../../../crates/eval/src/nnue/makruk.nnue", import.meta.url);

/** Milliseconds until a file that could not be loaded is asked for again. */
const RETRY = 60_000;
/** Milliseconds that searches wait for it which somebody compares with each other. */
const PATIENCE = 2000;

/** Where the network is loaded from, and kept when an engine has taken it. */
export interface Source {
  load(): Promise<Uint8Array>;
  /** For use without a connection, by the service worker. */
  keep(bytes: Uint8Array): void;
}

const source: Source = {
  async load() {
    if (savesData()) throw new Error("saveData");
    const response = await fetch(ADDRESS);
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return new Uint8Array(await response.arrayBuffer());
  },
  keep: (bytes) =>
    void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage({ keep: ADDRESS.href, bytes })),
};

/**
 * A larger network for Makruk, fetched in the background when an engine of this browser first plays or analyses it, and used from the
 * next search on. Without it everything goes on with the module's own.
 */
export class LargerNetwork {
  #loading: Promise<void> | null = null;
  #bytes: Uint8Array | null = null;
  #proved = false;
  #begun = 0;
  #again = 0;
  #taken = new WeakSet<Engine>();

  constructor(private readonly source: Source) {}

  /** Between two searches: has an engine take it, if it is there. With `patient`, waits a moment for it when it is not. */
  async give(engine: Engine, variant: Variant, patient = false): Promise<void> {
    if (variant !== "makruk" || engine.kind === "native" || this.#taken.has(engine)) return;
    this.#fetch();
    const left = this.#begun + PATIENCE - Date.now();
    if (patient && !this.#bytes && left > 0) {
      await Promise.race([this.#loading, new Promise((resolve) => setTimeout(resolve, left))]);
    }
    if (!this.#bytes) return;
    this.#taken.add(engine);
    try {
      await engine.setOption("EvalFile", this.#bytes);
      if (!this.#proved) this.source.keep(this.#bytes);
      this.#proved = true;
    } catch (error) {
      this.#taken.delete(engine);
      // An engine that was ended meanwhile says nothing about the bytes.
      if (error instanceof RukhError) this.#without(error);
    }
  }

  #fetch(): void {
    if (this.#bytes || this.#loading || Date.now() < this.#again) return;
    this.#begun = Date.now();
    this.#loading = this.source
      .load()
      .then(
        (bytes) => void (this.#bytes = bytes),
        (error: unknown) => this.#without(error),
      )
      .finally(() => (this.#loading = null));
  }

  #without(error: unknown): void {
    this.#bytes = null;
    this.#again = Date.now() + RETRY;
    console.info("makruk.nnue:", error);
  }
}

export const largerNetwork = new LargerNetwork(source);

import { createEngine } from "rukh-engine";
import "rukh-engine/threads";
import type { Engine, GoOptions, GoResult, Info, Uci } from "rukh-engine";
import { CORES, set, settings } from "../app/settings.ts";
import { type ReadonlySignal, signal, watch } from "../app/store.ts";
import type { Variant } from "../pieces/names.ts";
import { notice } from "../ui/notice.ts";
import { server } from "./server.ts";
import { reason, t } from "../messages/messages.ts";

/** What to search. */
export interface Job {
  variant: Variant;
  /** Where the game began, and its moves: the engine sees repetitions. */
  start: string;
  moves: readonly Uci[];
  /** Playing strength; null is full. */
  elo: number | null;
  go: GoOptions;
  /** Somebody waits for many of these: on two cores it takes both. */
  everyCore?: boolean;
}

/** What a controller asks of the engine. */
export interface Searcher {
  /** Another engine than Rukh. */
  readonly guest?: ReadonlySignal<Pick<Engine, "name" | "elo"> | null>;
  /** `null` when a newer job or `stop` came first. */
  run(job: Job, onInfo: (info: Info) => void): Promise<GoResult | null>;
  stop(): Promise<void>;
  newGame(): Promise<void>;
}

/**
 * The page's one engine: in this browser, or on this computer behind `rukh serve`. The newest job wins; a server that
 * goes away is replaced by the browser's engine, with a quiet word.
 */
class EngineService implements Searcher {
  #engine: Promise<Engine> | null = null;
  #serial = 0;
  #options = new Map<string, string>();
  #queue: Promise<unknown> = Promise.resolve();
  /** Whether the engine is one with threads. */
  #wide = false;
  /** Another engine than Rukh, once it has said what it is. */
  readonly guest = signal<Pick<Engine, "name" | "elo"> | null>(null);
  /** Somebody waits for a search: what is done in the background must not be in the way. */
  readonly busy = signal(false);

  constructor() {
    watch(
      () => `${settings.engine === "computer" ? settings.guest : settings.browserThreads} ${settings.engine}`,
      () => this.reset(),
    );
  }

  /** Lets go of the engine; the next job makes a new one. */
  reset(): void {
    this.#serial += 1;
    this.busy.value = false;
    this.#drop();
  }

  #drop(): void {
    const old = this.#engine;
    this.#engine = null;
    this.guest.value = null;
    this.#options.clear();
    void old?.then(
      (engine) => engine.terminate(),
      () => undefined,
    );
  }

  /**
   * The engine itself, for questions about its memory. Threads are another module: it is loaded for whoever wants full strength,
   * and not for a game against one of the levels.
   */
  get(wide = false, everyCore = false): Promise<Engine> {
    const threads = wide && settings.engine === "browser" && mayHaveThreads() && browserThreads(everyCore) > 1;
    if (threads && !this.#wide) this.#drop();
    if (!this.#engine) {
      this.#wide = threads;
      const made = this.#create();
      this.#engine = made;
      // What failed may be tried again.
      made.catch(() => {
        if (this.#engine === made) this.#engine = null;
      });
    }
    return this.#engine;
  }

  /**
   * Runs a job after the one before it has stopped; `null` when a newer job or `stop` came first. A search that is cut short
   * by `stop` still resolves with what it found, if `keep` says so.
   */
  async run(job: Job, onInfo: (info: Info) => void): Promise<GoResult | null> {
    const serial = ++this.#serial;
    const before = this.#queue;
    const turn = (async () => {
      await (await this.#present())?.stop();
      await before.catch(() => undefined);
      if (serial !== this.#serial) return null;
      return this.#search(job, serial, onInfo);
    })();
    this.#queue = turn;
    return turn;
  }

  async #search(job: Job, serial: number, onInfo: (info: Info) => void): Promise<GoResult | null> {
    const engine = await this.get(job.elo === null, job.everyCore);
    await this.#option(engine, "Hash", settings.hash);
    if (engine.kind === "native") await this.#option(engine, "Threads", await threads());
    // A level is what it is by its nodes: threads would make it another.
    else if (engine.threads)
      await this.#option(engine, "Threads", job.elo === null ? browserThreads(job.everyCore) : 1);
    // Another engine without levels plays as well as it can; the page says so.
    const elo = this.guest.peek() && !this.guest.peek()!.elo ? null : job.elo;
    await this.#option(engine, "UCI_LimitStrength", elo !== null);
    if (elo !== null) await this.#option(engine, "UCI_Elo", elo);
    if (job.variant === "makruk") await withLargerNetwork(engine, job.everyCore);
    await engine.setPosition(job.start, job.moves, job.variant);
    if (serial !== this.#serial) return null;
    this.busy.value = true;
    try {
      const result = await engine.go(job.go, (info) => {
        if (serial === this.#serial) onInfo(info);
      });
      return serial === this.#serial ? result : null;
    } finally {
      if (serial === this.#serial) this.busy.value = false;
    }
  }

  /** Ends what is running; its `run` answers null. */
  async stop(): Promise<void> {
    this.#serial += 1;
    this.busy.value = false;
    await (await this.#present())?.stop();
  }

  /** Ends the search early but lets its `run` answer with the best move so far. */
  async moveNow(): Promise<void> {
    await (await this.#present())?.stop();
  }

  /** Forgets what was learnt from the last game. */
  async newGame(): Promise<void> {
    await this.stop();
    await (await this.#present())?.newGame();
  }

  /** The engine, where there is one: the one that could not be made is told to whoever wanted it. */
  async #present(): Promise<Engine | null> {
    return this.#engine && this.#engine.catch(() => null);
  }

  async #option(engine: Engine, name: string, value: string | number | boolean): Promise<void> {
    const text = String(value);
    if (this.#options.get(name) === text) return;
    await engine.setOption(name, value);
    this.#options.set(name, text);
  }

  async #create(): Promise<Engine> {
    if (settings.engine === "computer") {
      const guest = settings.guest;
      try {
        const made = await createEngine({
          backend: "native",
          ...(guest ? { engine: guest } : {}),
          hash: settings.hash,
          threads: await threads(),
          onLost: (_, rested) => {
            // It was not asked for long and made room for others: the next job opens a new session.
            if (rested) this.reset();
            else
              this.#fallBack(
                t(
                  "The connection to the engine on this computer was lost. The page continues with the one in your browser.",
                ),
              );
          },
        }).ready;
        if (guest) this.guest.value = { name: made.name, elo: made.elo };
        return made;
      } catch (error) {
        // Another engine that does not start is no reason to leave the computer.
        if (guest && (await server())) {
          notice(t("{why} The page continues with Rukh.", { why: sentence(error) }), "warn", 10);
          set("guest", "");
          return this.#create();
        }
        this.#fallBack(
          t(
            "No engine is running on this computer (start it with “rukh serve”). The page uses the one in your browser.",
          ),
        );
      }
    }
    return createEngine({
      hash: settings.hash,
      threads: this.#wide ? browserThreads(true) : 1,
      onRestart: () => {
        this.#options.clear();
        notice(t("The engine had to be restarted. The game continues."));
      },
      // It died twice: the next job makes another.
      onLost: () => this.#drop(),
    }).ready;
  }

  #fallBack(text: string): void {
    notice(text, "warn", 10);
    set("engine", "browser");
  }
}

/** What went wrong, as a sentence. */
const sentence = (error: unknown): string => `${reason(error).replace(/[.\s]+$/, "")}.`;

/** Not part of the first load; what cannot be loaded changes nothing. */
async function withLargerNetwork(engine: Engine, patient?: boolean): Promise<void> {
  const { largerNetwork } = (await import("./network.ts").catch(() => null)) ?? {};
  await largerNetwork?.give(engine, "makruk", patient);
}

/** Threads for the engine on this computer. */
async function threads(): Promise<number> {
  const most = (await server())?.threads ?? 1;
  return settings.threads > 0 ? Math.min(settings.threads, most) : most;
}

/** Threads for the engine in this browser; more than one are to be had where the page may share memory. */
export const browserThreads = (everyCore = false): number =>
  Math.max(1, Math.min(settings.browserThreads || Math.max(Math.floor(CORES / 2), everyCore ? 2 : 1), CORES));

const mayHaveThreads = (): boolean => (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;

export const engineService = new EngineService();

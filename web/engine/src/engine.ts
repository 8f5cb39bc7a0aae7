/** The engine behind either link: order of requests, one search at a time, restarts. */

import { RukhError } from "./instance.js";
import { socketLink, workerLink, type Link } from "./links.js";
import type {
  Answer,
  Engine,
  EngineMessage,
  EngineOptions,
  GoOptions,
  GoResult,
  Greeting,
  Info,
  Question,
  Uci,
  Variant,
} from "./types.js";
import type { WorkerRequest } from "./worker.js";

type WithoutId<T> = T extends { id: number } ? Omit<T, "id"> : never;
type Request = WithoutId<WorkerRequest>;

interface Pending {
  request: Request;
  resolve(value: unknown): void;
  reject(reason: Error): void;
  onInfo?: (info: Info) => void;
  /** How often the request has been sent again after a crash. */
  repeats: number;
}

/** A search, from the call of `go` to its answer. */
interface Search {
  /** Whether the request is on its way. */
  posted: boolean;
  /** Whether it is to end. */
  cancelled: boolean;
  done: Promise<GoResult>;
}

type Bytes = Uint8Array | ArrayBuffer;
const isBytes = (value: unknown): value is Bytes => value instanceof Uint8Array || value instanceof ArrayBuffer;
const networkRequest = (bytes: Bytes): Request => ({ do: "network", bytes: new Uint8Array(bytes) });
const optionRequest = (name: string, value: string | Bytes): Request =>
  isBytes(value) ? networkRequest(value) : { do: "option", name, value };

/** The same request may bring a fresh worker down once; twice is its own fault. */
const MAX_REPEATS = 1;

class Client implements Engine {
  readonly kind: "wasm" | "native";
  readonly ready: Promise<Engine>;
  name = "Rukh";
  elo: Engine["elo"] = null;
  private link: Link | null = null;
  private pending = new Map<number, Pending>();
  private nextId = 1;
  private search: Search | null = null;
  private closed: Error | null = null;
  private terminated = false;
  private restarting: Promise<void> | null = null;
  private best: Uci | null = null;
  private info: Info | null = null;

  // What a fresh worker has to be told.
  private variant: Variant | undefined;
  private position: { fen: string; moves: Uci[] } = { fen: "startpos", moves: [] };
  private set = new Map<string, string | Bytes>();
  /** The last change of the position, while it is under way. */
  private change: Promise<void> | null = null;

  constructor(private readonly options: EngineOptions) {
    this.kind = options.backend ?? "wasm";
    this.variant = options.variant;
    this.ready = this.open().then(
      () => this,
      (why: Error) => {
        this.closed ??= why;
        this.link?.close();
        throw this.closed;
      },
    );
    // Whoever does not wait for it hears of the failure from what he asks for.
    this.ready.catch(() => {});
  }

  get threads(): boolean {
    return this.link?.threads ?? false;
  }

  private async open(): Promise<void> {
    const { network } = this.options;
    if (network !== undefined) this.mayHave(network);
    const listener = { message: (message: EngineMessage) => this.hear(message), lost: (why: Error) => this.lost(why) };
    const link = await (this.kind === "native" ? socketLink : workerLink)(this.options, listener);
    if (this.closed) {
      link.close();
      throw this.closed;
    }
    this.link = link;
    const { hash, threads, engine } = this.options;
    const hello = { do: "hello", variant: this.variant, hash, threads, engine } as const;
    const answer = (await this.post(hello)) as Partial<Greeting>;
    this.name = answer.name ?? this.name;
    this.elo = answer.elo ?? null;
    if (network) await this.post(networkRequest(network));
  }

  /** Refuses a network that is none, or for an engine that has its own. */
  private mayHave(network: unknown): void {
    if (this.kind === "native") throw new RukhError("a network cannot be given to a server's engine");
    if (!isBytes(network))
      throw new RukhError("network: expected the bytes of a network, as Uint8Array or ArrayBuffer");
  }

  private post(request: Request, repeats = 0, onInfo?: (info: Info) => void): Promise<unknown> {
    if (this.closed) return Promise.reject(this.closed);
    return new Promise((resolve, reject) => {
      const id = this.nextId++;
      this.pending.set(id, { request, resolve, reject, onInfo, repeats });
      this.link?.send({ id, ...request } as WorkerRequest);
    });
  }

  /** A request of the user's: waits for the start, or a restart that is under way. */
  private async request(request: Request): Promise<unknown> {
    await this.ready;
    while (this.restarting) await this.restarting;
    return this.post(request);
  }

  /** When the last change of the position is over, well or not. */
  private settled(): Promise<void> | undefined {
    return this.change?.catch(() => {});
  }

  /** A change of the position. Nobody has to wait for it: if it is refused, a search that was asked for behind it is, too. */
  private changing(change: Promise<void>): Promise<void> {
    this.change = change;
    const over = (): void => {
      if (this.change === change) this.change = null;
    };
    change.then(over, over);
    return change;
  }

  private hear(message: EngineMessage): void {
    const pending = this.pending.get(message.id);
    if ("info" in message) {
      if (message.info.multipv === 1) {
        this.info = message.info;
        this.best = message.info.pv[0] ?? this.best;
      }
      pending?.onInfo?.(message.info);
      return;
    }
    this.pending.delete(message.id);
    if ("error" in message) {
      if (message.id === 0) this.lost(new Error(message.error), message.again);
      else pending?.reject(new RukhError(message.error));
    } else {
      pending?.resolve(message.done);
    }
  }

  private lost(reason: Error, rested = false): void {
    if (this.closed) return;
    if (this.kind === "native") {
      this.fail(reason);
      this.options.onLost?.(reason, rested);
      return;
    }
    // It died again before it was up: `restart` hears of it from what it waits for.
    if (this.restarting) return this.fail(reason);
    const again = [...this.pending.values()];
    this.pending.clear();
    this.restarting = this.restart(reason, again)
      .catch((why: Error) => {
        this.fail(why);
        again.forEach((pending) => pending.reject(why));
        if (!this.terminated) this.options.onLost?.(why);
      })
      .finally(() => {
        this.restarting = null;
      });
  }

  private async restart(reason: Error, again: Pending[]): Promise<void> {
    await this.open();
    for (const [name, value] of this.set) await this.post(optionRequest(name, value));
    await this.post({ do: "position", ...this.position, variant: this.variant });
    this.options.onRestart?.(reason);
    for (const { request, resolve, reject, onInfo, repeats } of again) {
      if (request.do === "stop") resolve({});
      else if (repeats >= MAX_REPEATS) reject(new RukhError(`the engine failed twice: ${reason.message}`));
      else this.post(request, repeats + 1, onInfo).then(resolve, reject);
    }
    if (this.search?.posted && this.search.cancelled) this.signal();
  }

  private fail(reason: Error): void {
    this.closed = reason;
    this.pending.forEach((pending) => pending.reject(reason));
    this.pending.clear();
  }

  /** Ends a search that runs or waits to: what follows would be refused. Acts at once, resolves when it has ended. */
  private async idle(): Promise<void> {
    const search = this.search;
    if (!search) return;
    if (!search.cancelled) {
      search.cancelled = true;
      if (search.posted) this.signal();
    }
    await search.done.catch(() => {});
  }

  /** Tells the engine to stop. */
  private signal(): void {
    this.link?.raise(true);
    this.post({ do: "stop" }).catch(() => {});
  }

  setPosition(fen: string, moves: readonly Uci[] = [], variant?: Variant): Promise<void> {
    const before = this.settled();
    const set = async (): Promise<void> => {
      await this.idle();
      await before;
      await this.request({ do: "position", fen, moves, variant });
      this.variant = variant ?? this.variant;
      this.position = { fen, moves: [...moves] };
    };
    return this.changing(set());
  }

  makeMove(uci: Uci): Promise<void> {
    const before = this.change;
    const make = async (): Promise<void> => {
      await this.idle();
      // If that was refused, this would be a move on the board before it.
      await before;
      await this.request({ do: "makeMove", uci });
      this.position.moves.push(uci);
    };
    return this.changing(make());
  }

  go(options: GoOptions = {}, onInfo?: (info: Info) => void): Promise<GoResult> {
    const before = this.idle();
    const change = this.change;
    const search: Search = { posted: false, cancelled: false, done: Promise.resolve() as never };
    search.done = (async () => {
      try {
        await before;
        await change;
        await this.ready;
        while (this.restarting) await this.restarting;
        this.best = null;
        this.info = null;
        this.link?.raise(false);
        const answer = this.post({ do: "go", ...options }, 0, onInfo);
        search.posted = true;
        if (search.cancelled) this.signal();
        const result = (await answer) as GoResult;
        this.best = result.bestMove;
        return result;
      } finally {
        if (this.search === search) this.search = null;
      }
    })();
    this.search = search;
    return search.done;
  }

  stop(): Promise<void> {
    return this.idle();
  }

  getBestMove(): Uci | null {
    return this.best;
  }

  getInfo(): Info | null {
    return this.info;
  }

  async newGame(): Promise<void> {
    const before = this.settled();
    await this.idle();
    await before;
    await this.request({ do: "newGame" });
    this.position = { fen: "startpos", moves: [] };
    this.best = null;
    this.info = null;
  }

  async setOption(name: string, value: string | number | boolean | Bytes): Promise<void> {
    const evaluation = name.toLowerCase() === "evalfile";
    if (isBytes(value)) {
      this.mayHave(value);
      if (!evaluation) throw new RukhError(`the option ${name} takes no bytes`);
    }
    const before = this.settled();
    await this.idle();
    await before;
    const kept = isBytes(value) ? value : String(value);
    await this.request(optionRequest(name, kept));
    if (name.toLowerCase() !== "clear hash") this.set.set(evaluation ? "EvalFile" : name, kept);
    if (/^uci_(variant|chess960)$/i.test(name)) this.position = { fen: "startpos", moves: [] };
  }

  async ask<Q extends Question>(question: Q): Promise<Answer<Q>> {
    await this.settled();
    return (await this.request({ do: "ask", question })) as Answer<Q>;
  }

  terminate(): void {
    this.terminated = true;
    if (this.closed) return;
    this.fail(new Error("the engine was terminated"));
    this.link?.close();
  }
}

/** Starts an engine. It can be used at once: what it is told before it is ready waits. */
export function createEngine(options: EngineOptions = {}): Engine {
  return new Client(options);
}

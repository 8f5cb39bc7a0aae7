/**
 * The engine's worker, for browsers and for Node. The first message brings the compiled module; the others are requests. A worker
 * whose first message brings a thread's work does that and nothing else.
 *
 * A search blocks the worker. With shared memory the page raises a flag that the search looks at. Without it the search sleeps
 * now and then, in the middle, while the worker hears `stop`; where the browser cannot do that either, it runs in slices.
 */

import { CrashError, Instance, Word, canBreathe } from "./instance.js";
import type { ThreadStart } from "./threads.js";
import type { EngineRequest } from "./types.js";

export interface WorkerStart {
  module: WebAssembly.Module;
  /** One number of shared memory, 1 to stop; `null` where pages may not share. */
  flag: SharedArrayBuffer | null;
  /** The memory that threads share, for a module that has them. */
  memory: WebAssembly.Memory | null;
  /** For a worker that is one thread of another's engine. */
  thread?: ThreadStart;
}

/** What a worker is asked: as any engine, and to play with a network. */
export type WorkerRequest = EngineRequest | { id: number; do: "network"; bytes: Uint8Array };

/** What a worker says about threads, beside its answers. */
export type ThreadMessage = { spawn: ThreadStart } | { started: true } | { ended: number };

interface Port {
  post(message: unknown): void;
  listen(handler: (message: unknown) => void): void;
}

/** Milliseconds of a slice: short enough to stop in time, long enough to waste little. */
const SLICE = 24;
/** A slice asks at least so often before it ends: on a busy machine time passes without work, and a slice must get somewhere. */
const LEAST_POLLS = 16;
/** A stop is obeyed once there is a first line, or after so many milliseconds: a search has something to say. */
const PATIENCE = 30;

/** Lets messages in. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      resolve();
    };
    channel.port2.postMessage(0);
  });
}

class Engine {
  private readonly instance: Instance;
  private readonly flag: Int32Array | null;
  private queue: Promise<void> = Promise.resolve();
  private current = 0;
  private asked = false;
  private paused = false;
  private reported = false;
  private started = 0;
  private sliceEnd = 0;
  private polls = 0;
  /** Threads that are on their way, who waits for them, and memory of those that have ended. */
  private expected = 0;
  private arrived: () => void = () => {};
  private readonly blocks: number[] = [];

  constructor(
    private readonly port: Port,
    start: WorkerStart,
  ) {
    this.flag = start.flag && new Int32Array(start.flag);
    const hooks = {
      stopped: () => this.stopped(),
      breathe: () => this.breathe(),
      report: (json: string) => this.report(json),
      spawn: (work: number) => this.spawn(work),
    };
    this.instance = new Instance(start.module, hooks, start.memory ?? undefined);
  }

  private stopped(): Word {
    const wanted = this.asked || (this.flag !== null && Atomics.load(this.flag, 0) !== 0);
    if (wanted && (this.reported || performance.now() - this.started > PATIENCE)) return Word.Stop;
    if (this.paused) return Word.Stop;
    if (this.flag !== null || ++this.polls < (canBreathe ? 1 : LEAST_POLLS) || performance.now() < this.sliceEnd) {
      return Word.GoOn;
    }
    if (canBreathe) return Word.Breathe;
    this.paused = true;
    return Word.Stop;
  }

  private async breathe(): Promise<void> {
    await turn();
    this.sliceEnd = performance.now() + SLICE;
  }

  private report(json: string): void {
    this.reported = true;
    this.port.post({ id: this.current, info: JSON.parse(json) as unknown });
  }

  private spawn(work: number): boolean {
    this.expected += 1;
    this.port.post({ spawn: this.instance.layOut(work, this.blocks.pop()) } satisfies ThreadMessage);
    return true;
  }

  private async search(request: EngineRequest): Promise<unknown> {
    this.reported = false;
    this.started = performance.now();
    let resume = false;
    for (;;) {
      this.paused = false;
      this.polls = 0;
      this.sliceEnd = performance.now() + SLICE;
      const ask = { ...request, resume };
      const breathes = this.flag === null && canBreathe;
      const answer = breathes ? await this.instance.callAsync(ask) : this.instance.call(ask);
      if (!this.paused || this.asked) return answer;
      await turn();
      resume = true;
    }
  }

  private answer(request: WorkerRequest): unknown {
    if (request.do === "go") return this.search(request);
    return request.do === "network" ? this.instance.network(request.bytes) : this.instance.call(request);
  }

  private async handle(request: WorkerRequest): Promise<void> {
    this.current = request.id;
    try {
      const done = await this.answer(request);
      // A search would wait for ever for a thread that is not there.
      while (this.expected > 0) await new Promise<void>((resolve) => (this.arrived = resolve));
      this.port.post({ id: request.id, done });
    } catch (error) {
      if (error instanceof CrashError) this.port.post({ crashed: error.message });
      else this.port.post({ id: request.id, error: (error as Error).message });
    }
  }

  hear(message: WorkerRequest | ThreadMessage): void {
    if ("started" in message) {
      this.expected -= 1;
      this.arrived();
    } else if ("ended" in message) {
      this.blocks.push(message.ended);
    } else if ("do" in message && message.do === "stop") {
      // Overtakes what waits; answered when the search has ended.
      this.asked = true;
      this.queue = this.queue.then(() => this.port.post({ id: message.id, done: {} }));
    } else if ("do" in message) {
      if (message.do === "go") this.asked = false;
      this.queue = this.queue.then(() => this.handle(message));
    }
  }
}

/** One thread of another worker's engine. */
function thread(port: Port, { module, memory, thread }: WorkerStart): void {
  try {
    const instance = new Instance(module, {}, memory!);
    port.post({ started: true } satisfies ThreadMessage);
    instance.runThread(thread!);
    port.post({ ended: thread!.block } satisfies ThreadMessage);
  } catch (error) {
    port.post({ crashed: (error as Error).message });
  }
}

function run(port: Port): void {
  let engine: Engine | null = null;
  port.listen((message) => {
    if (engine) engine.hear(message as WorkerRequest | ThreadMessage);
    else if ((message as WorkerStart).thread) thread(port, message as WorkerStart);
    else engine = new Engine(port, message as WorkerStart);
  });
}

interface Scope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}
declare const self: Scope | undefined;
declare const WorkerGlobalScope: unknown;

if (typeof WorkerGlobalScope !== "undefined" && typeof self !== "undefined") {
  // At once: a handler that is set later would miss the first message.
  run({
    post: (message) => self.postMessage(message),
    listen: (handler) => {
      self.onmessage = (event) => handler(event.data);
    },
  });
} else {
  // Not awaited at the top: bundlers make classic scripts of workers. Node keeps messages until somebody listens.
  const name = "node:worker_threads";
  const threads = import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<{
    parentPort: { postMessage(message: unknown): void; on(event: "message", handler: (m: unknown) => void): void };
  }>;
  void threads.then(({ parentPort: port }) =>
    run({ post: (message) => port.postMessage(message), listen: (handler) => port.on("message", handler) }),
  );
}

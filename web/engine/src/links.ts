/** How requests reach an engine: a worker of this page, or a server's socket. */

import { isNode, loadModule } from "./module.js";
import { sharedMemory, type ThreadStart } from "./threads.js";
import type { EngineMessage, EngineOptions } from "./types.js";
import type { ThreadMessage, WorkerRequest, WorkerStart } from "./worker.js";

export interface Link {
  /** Whether the engine at the other end can have more than one thread. */
  readonly threads: boolean;
  send(request: WorkerRequest): void;
  /** Tells the running search to end, faster than a message where that is possible. */
  raise(stop: boolean): void;
  close(): void;
}

export interface Listener {
  message(message: EngineMessage): void;
  /** The link is gone. */
  lost(reason: Error): void;
}

interface Worker_ {
  postMessage(message: unknown): void;
  terminate(): void;
}

function browserWorker(heard: (message: unknown) => void, failed: (reason: Error) => void): Worker_ {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = (event) => heard(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    failed(new Error(event.message || "the worker could not be started"));
  };
  return worker;
}

interface NodeWorker {
  postMessage(message: unknown): void;
  terminate(): Promise<number>;
  on(event: string, handler: (value: never) => void): void;
  unref(): void;
}

async function nodeWorker(heard: (message: unknown) => void, failed: (reason: Error) => void): Promise<Worker_> {
  const name = "node:worker_threads";
  const { Worker } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
    Worker: new (url: URL) => NodeWorker;
  };
  // Not the literal form, so that bundlers do not take it for a second browser worker.
  const file = "./worker.js";
  const worker = new Worker(new URL(/* webpackIgnore: true */ file, import.meta.url));
  worker.on("message", heard as (value: never) => void);
  worker.on("error", failed as (value: never) => void);
  let wanted = false;
  worker.on("exit", () => wanted || failed(new Error("the worker has ended")));
  return {
    postMessage: (message) => worker.postMessage(message),
    terminate: () => {
      wanted = true;
      void worker.terminate();
    },
  };
}

/** Whether a page may share memory with its workers. */
function mayShare(): boolean {
  if (typeof SharedArrayBuffer === "undefined") return false;
  return isNode || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

/** The module, with the memory that its threads share where there are to be any. */
async function program(options: EngineOptions, share: boolean): Promise<Pick<WorkerStart, "module" | "memory">> {
  if (share && (options.threads ?? 1) > 1 && options.module !== "learn") {
    try {
      return { module: await loadModule({ wasmUrl: options.threadsUrl, module: "threads" }), memory: sharedMemory() };
    } catch {
      // Not there, or not so much memory: one thread is better than none.
    }
  }
  return { module: await loadModule(options), memory: null };
}

/** One engine in the browser or in Node: its worker, and the workers of its threads. */
class WorkerLink implements Link {
  private readonly workers: Worker_[] = [];
  private readonly flag: SharedArrayBuffer | null;
  private open = true;

  constructor(
    private readonly start: Pick<WorkerStart, "module" | "memory">,
    private readonly listener: Listener,
    share: boolean,
  ) {
    this.flag = share ? new SharedArrayBuffer(4) : null;
  }

  get threads(): boolean {
    return this.start.memory !== null;
  }

  /** Starts a worker: the first is the engine's, the others are its threads. */
  async add(thread?: ThreadStart): Promise<void> {
    const lost = (reason: Error): void => this.lost(reason);
    const heard = (message: unknown): void => this.heard(worker, message as EngineMessage);
    const worker: Worker_ = isNode ? await nodeWorker(heard, lost) : browserWorker(heard, lost);
    if (!this.open) return worker.terminate();
    this.workers.push(worker);
    worker.postMessage({ ...this.start, flag: this.flag, thread } satisfies WorkerStart);
  }

  private heard(worker: Worker_, message: EngineMessage | ThreadMessage | { crashed: string }): void {
    if ("crashed" in message) this.lost(new Error(message.crashed));
    else if (!this.open) return;
    else if ("spawn" in message) this.add(message.spawn).catch((reason: Error) => this.lost(reason));
    else if ("started" in message) this.workers[0]?.postMessage(message);
    else if ("ended" in message) {
      this.workers.splice(this.workers.indexOf(worker), 1);
      worker.terminate();
      this.workers[0]?.postMessage(message);
    } else this.listener.message(message);
  }

  private lost(reason: Error): void {
    if (!this.open) return;
    this.close();
    this.listener.lost(reason);
  }

  send(request: WorkerRequest): void {
    this.workers[0]?.postMessage(request);
  }

  raise(stop: boolean): void {
    if (this.flag) Atomics.store(new Int32Array(this.flag), 0, stop ? 1 : 0);
  }

  close(): void {
    this.open = false;
    for (const worker of this.workers) worker.terminate();
  }
}

export async function workerLink(options: EngineOptions, listener: Listener): Promise<Link> {
  const share = options.sharedMemory !== false && mayShare();
  const link = new WorkerLink(await program(options, share), listener, share);
  await link.add();
  return link;
}

export function socketLink(options: EngineOptions, listener: Listener): Promise<Link> {
  const base = typeof location === "undefined" ? "http://127.0.0.1/" : location.href;
  const url = new URL(options.url ?? "/engine", base);
  url.protocol = url.protocol === "https:" || url.protocol === "wss:" ? "wss:" : "ws:";
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    let state: "opening" | "open" | "closed" = "opening";
    const lost = (reason: Error): void => {
      const before = state;
      state = "closed";
      if (before === "opening") reject(reason);
      else if (before === "open") listener.lost(reason);
    };
    socket.onopen = () => {
      state = "open";
      resolve({
        threads: true,
        send: (request) => socket.send(JSON.stringify(request)),
        raise: () => {},
        close: () => {
          state = "closed";
          socket.close();
        },
      });
    };
    socket.onmessage = (event) => {
      try {
        listener.message(JSON.parse(String(event.data)) as EngineMessage);
      } catch {
        lost(new Error("the server sent something that is no message"));
        socket.close();
      }
    };
    socket.onerror = () => lost(new Error(`no engine answers at ${url.href}`));
    socket.onclose = () => lost(new Error("the server has closed the connection"));
  });
}

/**
 * The engine's worker, for browsers and for Node. The first message brings the compiled module; the others are requests.
 *
 * A search blocks the worker. With shared memory the page raises a flag that the search looks at; without it the search runs in
 * slices and the worker hears `stop` between two of them.
 */

import { CrashError, Instance } from './instance.js';
import type { EngineRequest } from './types.js';

export interface WorkerStart {
  module: WebAssembly.Module;
  /** One number of shared memory, 1 to stop; `null` where pages may not share. */
  flag: SharedArrayBuffer | null;
}

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

function run(port: Port): void {
  let instance: Instance | null = null;
  let flag: Int32Array | null = null;
  let current = 0;
  let asked = false;
  let paused = false;
  let reported = false;
  let started = 0;
  let sliceEnd = 0;
  let polls = 0;

  const stopped = (): boolean => {
    const wanted = asked || (flag !== null && Atomics.load(flag, 0) !== 0);
    if (wanted && (reported || performance.now() - started > PATIENCE)) return true;
    if (flag === null && ++polls >= LEAST_POLLS && performance.now() >= sliceEnd) paused = true;
    return paused;
  };

  const report = (json: string): void => {
    reported = true;
    port.post({ id: current, info: JSON.parse(json) as unknown });
  };

  /** Lets messages in. */
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve();
      };
      channel.port2.postMessage(0);
    });

  async function search(request: EngineRequest): Promise<unknown> {
    reported = false;
    started = performance.now();
    let resume = false;
    for (;;) {
      paused = false;
      polls = 0;
      sliceEnd = performance.now() + SLICE;
      const answer = instance!.call({ ...request, resume });
      if (!paused || asked) return answer;
      await turn();
      resume = true;
    }
  }

  async function handle(request: EngineRequest): Promise<void> {
    current = request.id;
    try {
      const done = request.do === 'go' ? await search(request) : instance!.call(request);
      port.post({ id: request.id, done });
    } catch (error) {
      if (error instanceof CrashError) port.post({ crashed: error.message });
      else port.post({ id: request.id, error: (error as Error).message });
    }
  }

  let queue: Promise<void> = Promise.resolve();
  port.listen((message) => {
    if (instance === null) {
      const start = message as WorkerStart;
      flag = start.flag && new Int32Array(start.flag);
      instance = new Instance(start.module, { stopped, report });
      return;
    }
    const request = message as EngineRequest;
    if (request.do === 'stop') {
      // Overtakes what waits; answered when the search has ended.
      asked = true;
      queue = queue.then(() => port.post({ id: request.id, done: {} }));
      return;
    }
    if (request.do === 'go') asked = false;
    queue = queue.then(() => handle(request));
  });
}

interface Scope {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
}
declare const self: Scope | undefined;
declare const WorkerGlobalScope: unknown;

if (typeof WorkerGlobalScope !== 'undefined' && typeof self !== 'undefined') {
  // At once: a handler that is set later would miss the first message.
  run({
    post: (message) => self.postMessage(message),
    listen: (handler) => {
      self.onmessage = (event) => handler(event.data);
    },
  });
} else {
  const name = 'node:worker_threads';
  const { parentPort } = (await import(/* @vite-ignore */ name)) as {
    parentPort: { postMessage(message: unknown): void; on(event: 'message', handler: (m: unknown) => void): void };
  };
  run({ post: (message) => parentPort.postMessage(message), listen: (handler) => parentPort.on('message', handler) });
}

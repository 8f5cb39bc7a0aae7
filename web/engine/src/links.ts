/** How requests reach an engine: a worker of this page, or a server's socket. */

import { isNode, loadModule } from './module.js';
import type { EngineMessage, EngineOptions, EngineRequest } from './types.js';

export interface Link {
  send(request: EngineRequest): void;
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
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = (event) => heard(event.data);
  worker.onerror = (event) => {
    event.preventDefault();
    failed(new Error(event.message || 'the worker could not be started'));
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
  const name = 'node:worker_threads';
  const { Worker } = (await import(/* @vite-ignore */ name)) as { Worker: new (url: URL) => NodeWorker };
  // Not the literal form, so that bundlers do not take it for a second browser worker.
  const file = './worker.js';
  const worker = new Worker(new URL(file, import.meta.url));
  worker.on('message', heard as (value: never) => void);
  worker.on('error', failed as (value: never) => void);
  worker.on('exit', () => failed(new Error('the worker has ended')));
  return { postMessage: (message) => worker.postMessage(message), terminate: () => void worker.terminate() };
}

/** Whether a page may share memory with its workers. */
function mayShare(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return isNode || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

export async function workerLink(options: EngineOptions, listener: Listener): Promise<Link> {
  const module = await loadModule(options);
  const flag = options.sharedMemory !== false && mayShare() ? new SharedArrayBuffer(4) : null;
  let open = true;
  const lost = (reason: Error): void => {
    if (!open) return;
    open = false;
    worker.terminate();
    listener.lost(reason);
  };
  const heard = (message: unknown): void => {
    const crash = (message as { crashed?: string }).crashed;
    if (crash !== undefined) lost(new Error(crash));
    else if (open) listener.message(message as EngineMessage);
  };
  const worker = isNode ? await nodeWorker(heard, lost) : browserWorker(heard, lost);
  worker.postMessage({ module, flag });
  return {
    send: (request) => worker.postMessage(request),
    raise: (stop) => {
      if (flag) Atomics.store(new Int32Array(flag), 0, stop ? 1 : 0);
    },
    close: () => {
      open = false;
      worker.terminate();
    },
  };
}

export function socketLink(options: EngineOptions, listener: Listener): Promise<Link> {
  const base = typeof location === 'undefined' ? 'http://127.0.0.1/' : location.href;
  const url = new URL(options.url ?? '/engine', base);
  url.protocol = url.protocol === 'https:' || url.protocol === 'wss:' ? 'wss:' : 'ws:';
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    let state: 'opening' | 'open' | 'closed' = 'opening';
    const lost = (reason: Error): void => {
      const before = state;
      state = 'closed';
      if (before === 'opening') reject(reason);
      else if (before === 'open') listener.lost(reason);
    };
    socket.onopen = () => {
      state = 'open';
      resolve({
        send: (request) => socket.send(JSON.stringify(request)),
        raise: () => {},
        close: () => {
          state = 'closed';
          socket.close();
        },
      });
    };
    socket.onmessage = (event) => {
      try {
        listener.message(JSON.parse(String(event.data)) as EngineMessage);
      } catch {
        lost(new Error('the server sent something that is no message'));
        socket.close();
      }
    };
    socket.onerror = () => lost(new Error(`no engine answers at ${url.href}`));
    socket.onclose = () => lost(new Error('the server has closed the connection'));
  });
}

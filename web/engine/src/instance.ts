/** One instance of the WebAssembly module: JSON in, JSON out. */

import { addKernel } from "./relaxed.js";
import { layOut, runThread, type ThreadExports, type ThreadStart } from "./threads.js";

/** What the engine refused, in its own words. */
export class RukhError extends Error {
  override readonly name = "RukhError" as const;
}

/** The module itself failed (a bug): this instance must not be used again. */
export class CrashError extends Error {
  override readonly name = "CrashError" as const;
}

/** What a running search is to do. */
export enum Word {
  GoOn = 0,
  Stop = 1,
  /** Let messages in, then ask again. Only in `callAsync`. */
  Breathe = 2,
}

export interface Hooks {
  /** What the running search is to do. */
  stopped?: () => Word;
  /** Lets messages in. */
  breathe?: () => Promise<void>;
  /** A report of the running search. */
  report?: (json: string) => void;
  /** Starts a thread; false when it cannot. */
  spawn?: (work: number) => boolean;
}

interface Exports extends ThreadExports {
  memory: WebAssembly.Memory;
  __indirect_function_table: WebAssembly.Table;
  alloc(length: number): number;
  call(pointer: number, length: number): number;
  network(pointer: number, length: number): number;
  answer(): number;
}

/** The newer part of WebAssembly that lets a running module wait for a promise. */
interface Switching {
  Suspending?: new (call: () => Promise<void>) => () => void;
  promising?: (call: Exports["call"]) => (...words: Parameters<Exports["call"]>) => Promise<number>;
}
const { Suspending, promising } = WebAssembly as Switching;

/** Whether a search can let messages in without being ended. */
export const canBreathe = Suspending !== undefined && promising !== undefined;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Instance {
  private readonly exports: Exports;
  private readonly memory: WebAssembly.Memory;
  private panic = "";
  private dead = false;
  /** The place of the network's kernel in the module's table, 0 for none. */
  private readonly kernel: number;

  /** `memory` for a module with threads. */
  constructor(module: WebAssembly.Module, hooks: Hooks = {}, memory?: WebAssembly.Memory) {
    const read = (pointer: number, length: number): string => this.text(pointer, length);
    const breathe = hooks.breathe ?? (() => Promise.resolve());
    const instance = new WebAssembly.Instance(module, {
      rukh: {
        // Every worker's clock begins when it does.
        now: () => performance.timeOrigin + performance.now(),
        stopped: () => hooks.stopped?.() ?? Word.GoOn,
        breathe: Suspending ? (new Suspending(breathe) as () => void) : () => {},
        kernel: () => this.kernel,
        report: (pointer: number, length: number) => hooks.report?.(read(pointer, length)),
        panicked: (pointer: number, length: number) => {
          this.panic = read(pointer, length);
        },
        spawn: (work: number) => (hooks.spawn?.(work >>> 0) ? 1 : 0),
      },
      ...(memory && { env: { memory } }),
    });
    this.exports = instance.exports as unknown as Exports;
    this.memory = memory ?? this.exports.memory;
    // In every thread, before it runs anything: the first one tells the others the place.
    this.kernel = addKernel(this.exports.__indirect_function_table, this.memory);
  }

  private text(pointer: number, length: number): string {
    const bytes = new Uint8Array(this.memory.buffer, pointer >>> 0, length);
    // Shared bytes must be copied before they are read as text.
    return decoder.decode(this.memory.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
  }

  private write(request: object | Uint8Array): [pointer: number, length: number] {
    if (this.dead) throw new CrashError("this instance has failed before");
    const bytes = request instanceof Uint8Array ? request : encoder.encode(JSON.stringify(request));
    return this.guarded(() => {
      const pointer = this.exports.alloc(bytes.length);
      new Uint8Array(this.memory.buffer).set(bytes, pointer >>> 0);
      return [pointer, bytes.length];
    });
  }

  private read(length: number): unknown {
    const text = this.guarded(() => this.text(this.exports.answer(), length));
    const answer = JSON.parse(text) as { done?: unknown; error?: string };
    if (answer.error !== undefined) throw new RukhError(answer.error);
    return answer.done;
  }

  private crash(error: unknown): CrashError {
    this.dead = true;
    return new CrashError(this.panic || String(error));
  }

  private guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.crash(error);
    }
  }

  /** The value of `done`, as JSON text is; throws `RukhError` when refused, `CrashError` when the module failed. */
  call(request: object): unknown {
    const words = this.write(request);
    return this.read(this.guarded(() => this.exports.call(...words)));
  }

  /** Plays with a network, given as the bytes of its file. */
  network(bytes: Uint8Array): unknown {
    const words = this.write(bytes);
    return this.read(this.guarded(() => this.exports.network(...words)));
  }

  /** The same for a search that lets messages in; only where `canBreathe`. */
  async callAsync(request: object): Promise<unknown> {
    const words = this.write(request);
    const length = await promising!(this.exports.call)(...words).catch((error: unknown) => {
      throw this.crash(error);
    });
    return this.read(length);
  }

  /** Where a new thread of this module begins, in `block` where there is one to use again. */
  layOut(work: number, block?: number): ThreadStart {
    return layOut(this.exports, work, block);
  }

  /** Does the work of a thread. */
  runThread(start: ThreadStart): void {
    this.guarded(() => runThread(this.exports, start));
  }

  /** Bytes of WebAssembly memory in use. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }
}

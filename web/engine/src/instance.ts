/** One instance of the WebAssembly module: JSON in, JSON out. */

/** What the engine refused, in its own words. */
export class RukhError extends Error {
  override readonly name = 'RukhError' as const;
}

/** The module itself failed (a bug): this instance must not be used again. */
export class CrashError extends Error {
  override readonly name = 'CrashError' as const;
}

export interface Hooks {
  /** Whether the running search is to end. */
  stopped?: () => boolean;
  /** A report of the running search. */
  report?: (json: string) => void;
}

interface Exports {
  memory: WebAssembly.Memory;
  alloc(length: number): number;
  call(pointer: number, length: number): number;
  answer(): number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Instance {
  private exports: Exports;
  private panic = '';
  private dead = false;

  constructor(module: WebAssembly.Module, hooks: Hooks = {}) {
    const read = (pointer: number, length: number): string => this.text(pointer, length);
    const instance = new WebAssembly.Instance(module, {
      rukh: {
        now: () => performance.now(),
        stopped: () => (hooks.stopped?.() ? 1 : 0),
        report: (pointer: number, length: number) => hooks.report?.(read(pointer, length)),
        panicked: (pointer: number, length: number) => {
          this.panic = read(pointer, length);
        },
      },
    });
    this.exports = instance.exports as unknown as Exports;
  }

  private text(pointer: number, length: number): string {
    return decoder.decode(new Uint8Array(this.exports.memory.buffer, pointer >>> 0, length));
  }

  /** The value of `done`, as JSON text is; throws `RukhError` when refused, `CrashError` when the module failed. */
  call(request: object): unknown {
    if (this.dead) throw new CrashError('this instance has failed before');
    const bytes = encoder.encode(JSON.stringify(request));
    let answer: { done?: unknown; error?: string };
    try {
      const pointer = this.exports.alloc(bytes.length);
      new Uint8Array(this.exports.memory.buffer).set(bytes, pointer >>> 0);
      const length = this.exports.call(pointer, bytes.length);
      answer = JSON.parse(this.text(this.exports.answer(), length)) as typeof answer;
    } catch (error) {
      this.dead = true;
      throw new CrashError(this.panic || String(error));
    }
    if (answer.error !== undefined) throw new RukhError(answer.error);
    return answer.done;
  }

  /** Bytes of WebAssembly memory in use. */
  get memory(): number {
    return this.exports.memory.buffer.byteLength;
  }
}

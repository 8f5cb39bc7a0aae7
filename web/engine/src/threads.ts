/**
 * Threads of the build with shared memory. A thread is another worker with another instance of the same module on the same
 * memory; it has a stack and thread-local values of its own, both in that memory.
 */

/** Pages of 64 KiB; the module was linked for these two numbers (`crates/wasm/build.rs`). */
const INITIAL = 512;
const MAXIMUM = 16384;
/** As much as the first thread has. */
const STACK = 8 << 20;

/** Where a new thread begins. All are addresses in the shared memory. */
export interface ThreadStart {
  /** What it is to do. */
  work: number;
  /** Its block of memory. */
  block: number;
  /** The upper end of its stack. */
  stack: number;
  /** Its thread-local values. */
  locals: number;
}

/** What a thread needs from the module. */
export interface ThreadExports {
  alloc(length: number): number;
  thread(work: number): void;
  __stack_pointer: WebAssembly.Global;
  __wasm_init_tls(address: number): void;
  __tls_size: WebAssembly.Global;
  __tls_align: WebAssembly.Global;
}

/** The memory that all threads of one engine share. */
export function sharedMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: INITIAL, maximum: MAXIMUM, shared: true });
}

/** Lays out a thread in `block`, or in new memory. */
export function layOut(exports: ThreadExports, work: number, block?: number): ThreadStart {
  const align = Math.max(16, Number(exports.__tls_align.value));
  block ??= exports.alloc(STACK + Number(exports.__tls_size.value) + 2 * align) >>> 0;
  const locals = Math.ceil((block + STACK + 16) / align) * align;
  return { work, block, stack: (block + STACK) & ~15, locals };
}

/** Does a thread's work in this worker; returns when it has ended. */
export function runThread(exports: ThreadExports, start: ThreadStart): void {
  exports.__stack_pointer.value = start.stack;
  exports.__wasm_init_tls(start.locals);
  exports.thread(start.work);
}

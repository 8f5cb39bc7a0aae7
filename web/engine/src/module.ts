/** Finding and compiling the module, once for each file. */

const isNode = typeof process !== "undefined" && !!(process as { versions?: { node?: string } }).versions?.node;
declare const process: unknown;

const compiled = new Map<string, Promise<WebAssembly.Module>>();

export interface ModuleOptions {
  wasmUrl?: string | URL;
  module?: "play" | "learn" | "threads";
}

/** The address of the module; the literal forms are what bundlers look for. */
function address(options: ModuleOptions): URL {
  if (options.wasmUrl !== undefined) {
    const base = typeof location === "undefined" ? import.meta.url : location.href;
    return new URL(options.wasmUrl, base);
  }
  if (options.module === "learn") return new URL("./rukh-learn.wasm", import.meta.url);
  if (options.module === "threads") return new URL("./rukh-threads.wasm", import.meta.url);
  return new URL("./rukh.wasm", import.meta.url);
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  if (isNode && url.protocol === "file:") {
    // A name that bundlers for browsers cannot follow.
    const fs = "node:fs/promises";
    const { readFile } = (await import(/* @vite-ignore */ fs)) as { readFile(url: URL): Promise<BufferSource> };
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  // Streaming needs the right type, which simple file servers do not send.
  if (response.headers.get("content-type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** The compiled module; rules and engines of one page share it. */
export function loadModule(options: ModuleOptions): Promise<WebAssembly.Module> {
  const url = address(options);
  let module = compiled.get(url.href);
  if (!module) {
    module = compile(url);
    compiled.set(url.href, module);
    // A failed download may be tried again.
    module.catch(() => compiled.delete(url.href));
  }
  return module;
}

export { isNode };

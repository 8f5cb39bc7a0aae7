/** Finding and compiling the module, once for each file. */

const isNode = typeof process !== "undefined" && !!(process as { versions?: { node?: string } }).versions?.node;
declare const process: unknown;

const compiled = new Map<string, Promise<WebAssembly.Module>>();

export interface ModuleOptions {
  wasmUrl?: string | URL;
  module?: "play" | "learn" | "threads";
}

const registered = new Map<string, URL>();

/**
 * Where a bundler has put one of the other modules. `rukh-engine/learn` and `rukh-engine/threads` say so; what a page does not import is
 * not emitted.
 */
export function register(module: "learn" | "threads", url: URL): void {
  registered.set(module, url);
}

/** The address of the module; the literal form is what bundlers look for. */
function address(options: ModuleOptions): URL {
  if (options.wasmUrl !== undefined) {
    const base = typeof location === "undefined" ? import.meta.url : location.href;
    return new URL(options.wasmUrl, base);
  }
  if (options.module === "learn" || options.module === "threads") {
    // Not the literal form: without a bundler (Node, or files as they are) they lie beside this one.
    const file = `./rukh-${options.module}.wasm`;
    return registered.get(options.module) ?? new URL(/* webpackIgnore: true */ file, import.meta.url);
  }
  return new URL("./rukh.wasm", import.meta.url);
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  if (isNode && url.protocol === "file:") {
    // A name that bundlers for browsers cannot follow.
    const fs = "node:fs/promises";
    const { readFile } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ fs)) as {
      readFile(url: URL): Promise<BufferSource>;
    };
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
    const { module: name, wasmUrl } = options;
    const bundled = name && name !== "play" && wasmUrl === undefined && !isNode && !registered.has(name);
    module = compile(url).catch((why: Error) => {
      throw bundled ? new Error(`${why.message} (with a bundler, add: import "rukh-engine/${name}")`) : why;
    });
    compiled.set(url.href, module);
    // A failed download may be tried again.
    module.catch(() => compiled.delete(url.href));
  }
  return module;
}

export { isNode };

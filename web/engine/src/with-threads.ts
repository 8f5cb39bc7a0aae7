/** `import "rukh-engine/threads"`: has a bundler emit the module whose threads share memory, for `{ threads: 4 }`. */

import { register } from "./module.js";

/** Where the module is. */
export const threadsUrl = new URL("./rukh-threads.wasm", import.meta.url);
register("threads", threadsUrl);

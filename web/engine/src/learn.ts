/** `import "rukh-engine/learn"`: has a bundler emit the larger module, for position codes and `{ module: "learn" }`. */

import { register } from "./module.js";

/** Where the module is. */
export const learnUrl = new URL("./rukh-learn.wasm", import.meta.url);
register("learn", learnUrl);

export { decode, encode } from "./codes.js";

/** Rukh for JavaScript: see README.md. */
export * from "./types.js";
export { createEngine } from "./engine.js";
export { RukhError } from "./instance.js";
export * from "./moves.js";
export { createRules } from "./rules.js";
export { choose, decode, encode, rank, unrank } from "./codes.js";

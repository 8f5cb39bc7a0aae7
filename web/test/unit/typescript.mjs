// Lets Node import the page's TypeScript: `node --import ./test/unit/typescript.mjs`. The build's own compiler strips the types.
import { register } from "node:module";

register("./strip.mjs", import.meta.url);

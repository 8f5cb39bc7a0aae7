// Prints the node count of a module's bench as `rukh bench` does: `<n> nodes <m> nps`. `node bench.mjs [file.wasm]`
import { readFile } from "node:fs/promises";
import { Instance } from "../dist/instance.js";

const module = await WebAssembly.compile(
  await readFile(process.argv[2] ?? new URL("../dist/rukh.wasm", import.meta.url)),
);
const { nodes, time } = new Instance(module).call({ do: "bench" });
console.log(`${nodes} nodes ${Math.round((nodes * 1000) / time)} nps`);

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createRules } from "../dist/index.js";
import { Instance } from "../dist/instance.js";

const load = async (name) => WebAssembly.compile(await readFile(new URL(`../dist/${name}`, import.meta.url)));
const learn = await createRules({ module: "learn" });

test("the network in vector code equals its plain reference", async () => {
  const { positions } = new Instance(await load("rukh-learn.wasm")).call({ do: "selftest" });
  assert.ok(positions > 3000, `${positions}`);
});

test("both modules search the same nodes", async () => {
  const [play, other] = await Promise.all(["rukh.wasm", "rukh-learn.wasm"].map(load));
  const bench = (module) => new Instance(module).call({ do: "bench", depth: 6 }).nodes;
  assert.equal(bench(play), bench(other));
});

test("position codes are the documented ones", async () => {
  const page = await readFile(new URL("../../../docs/formats/position-code.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (\w+) \| `([^`]+)` \| (\S+) \| `(\S+)` \|$/gm)];
  assert.ok(rows.length >= 10);
  for (const [, name, fen, number, shown] of rows) {
    const variant = name.toLowerCase();
    // Behind a dot stand the clocks.
    const [text] = shown.split(".");
    const code = learn.ask({ ask: "encode", variant, fen });
    assert.equal(code.raw, number.replace("−", "-"));
    assert.equal(code.text, text);
    assert.equal(learn.ask({ ask: "decode", variant, code: text }).code.raw, code.raw);
  }
});

test("perft", () => {
  assert.equal(learn.ask({ ask: "perft", depth: 5 }).nodes, 4_865_609);
  assert.equal(learn.ask({ ask: "perft", depth: 4, variant: "makruk" }).nodes, 273_026);
});

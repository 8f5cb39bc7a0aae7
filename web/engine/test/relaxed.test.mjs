// The kernel of hosts with relaxed SIMD. Node 20 has it behind a flag (and its first compiler gets it wrong), later ones always: what this
// process cannot run is run by another.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Instance } from "../dist/instance.js";
import { addKernel, kernelBytes } from "../dist/relaxed.js";

const load = async (name) => WebAssembly.compile(await readFile(new URL(`../dist/${name}`, import.meta.url)));
const bench = async (name) => new Instance(await load(name)).call({ do: "bench", depth: 7 }).nodes;
const newTable = () => new WebAssembly.Table({ element: "anyfunc", initial: 3 });

/** The bench in another host, which is one that refuses the kernel or has these flags. */
function benchElsewhere(...flags) {
  const script = `
    import { readFile } from "node:fs/promises";
    if (${flags.length === 0}) WebAssembly.validate = () => false;
    const { Instance } = await import("${new URL("../dist/instance.js", import.meta.url)}");
    const module = await WebAssembly.compile(await readFile(new URL("${new URL("../dist/rukh.wasm", import.meta.url)}")));
    console.log(new Instance(module).call({ do: "bench", depth: 7 }).nodes);
  `;
  const words = [...flags, "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.ok(Number(stdout) > 10_000, stderr);
  return Number(stdout);
}

if (!WebAssembly.validate(kernelBytes(false))) {
  const FLAG = "--experimental-wasm-relaxed-simd";

  test("the kernel, in a Node that is told to have it", { timeout: 120_000 }, () => {
    const words = [FLAG, "--no-liftoff", "--test-reporter=tap", fileURLToPath(import.meta.url)];
    const env = { ...process.env };
    // (Else the other would report to this one's parent.)
    delete env.NODE_TEST_CONTEXT;
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /^# pass 3$/m);
  });

  test("a host without it, or that gets it wrong, goes on as before", async () => {
    assert.equal(addKernel(newTable(), new WebAssembly.Memory({ initial: 1 })), 0);
    assert.equal(benchElsewhere(FLAG), await bench("rukh.wasm"));
  });
} else {
  test("the kernel's sums are those of plain arithmetic", () => {
    const [FIRST, WEIGHTS, SUMS, NEURONS] = [64, 4096, 16384, 16];
    let seed = 1;
    const random = (limit) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return ((seed >>> 8) % (2 * limit + 1)) - limit;
    };
    const fill = (list, limit) => list.forEach((_, at) => (list[at] = random(limit)));
    for (const shared of [false, true]) {
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared });
      const table = newTable();
      const place = addKernel(table, memory);
      assert.equal(place, 3);
      for (const count of [32, 64, 96, 256, 512]) {
        const first = new Int16Array(memory.buffer, FIRST, count);
        const weights = new Int8Array(memory.buffer, WEIGHTS, NEURONS * count);
        const sums = new Int32Array(memory.buffer, SUMS, NEURONS);
        for (const limit of [40, 300, 32_767]) {
          fill(first, limit);
          fill(weights, 127);
          fill(sums, 1_000_000);
          // The ends of the ranges.
          first.set([0, 1, 254, 255, 256, 32_767, -32_768, -1, 255, 255, 255, 255, 255, 255, 255, 255]);
          weights.fill(127, NEURONS * 8, NEURONS * 12).fill(-127, NEURONS * 12, NEURONS * 16);
          const expected = [...sums].map((sum, neuron) =>
            first.reduce((total, number, at) => {
              const v = Math.min(Math.max(number, 0), 255);
              return total + ((v * v) >> 9) * weights[(at - (at % 4)) * NEURONS + neuron * 4 + (at % 4)];
            }, sum),
          );
          table.get(place)(FIRST, WEIGHTS, SUMS, FIRST + 2 * count);
          assert.deepEqual([...sums], expected);
        }
      }
    }
  });

  test("the network with the kernel equals its plain reference", async () => {
    const { positions } = new Instance(await load("rukh-learn.wasm")).call({ do: "selftest" });
    assert.ok(positions > 3000, `${positions}`);
  });

  test("with and without it the modules search the same nodes", async () => {
    const plain = benchElsewhere();
    assert.deepEqual(await Promise.all(["rukh.wasm", "rukh-learn.wasm"].map(bench)), [plain, plain]);
  });
}

// Makruk's larger network: fetched once, given between searches, and everything as before where there is none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RukhError } from "rukh-engine";
import { LargerNetwork } from "../../src/engine/network.ts";

const BYTES = new Uint8Array([1, 2, 3]);

/** An engine that notes what it is told; `answer` may refuse. */
const engine = (kind = "wasm", answer = () => undefined) => {
  const told = [];
  return {
    kind,
    told,
    setOption: async (name, value) => {
      told.push([name, value]);
      answer();
    },
  };
};

/** A source whose answers the test gives. */
function source() {
  const asked = [];
  const kept = [];
  return {
    asked,
    kept,
    load: () => new Promise((resolve, reject) => asked.push({ resolve, reject })),
    keep: (bytes) => kept.push(bytes),
  };
}
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A test with the console and the clock in its hands. */
const quietly = (name, body) =>
  test(name, async (t) => {
    const said = t.mock.method(console, "info", () => undefined).mock;
    t.mock.timers.enable({ apis: ["Date"], now: 1e12 });
    await body({ said, later: (ms) => t.mock.timers.tick(ms) });
  });

quietly("nobody who plays chess, or has a native engine, fetches it", async () => {
  const from = source();
  const network = new LargerNetwork(from);
  await network.give(engine(), "chess", true);
  await network.give(engine(), "chess960");
  await network.give(engine("native"), "makruk", true);
  assert.equal(from.asked.length, 0);
});

quietly("it is fetched once, and every engine has it from the search after that on, once", async ({ said }) => {
  const from = source();
  const network = new LargerNetwork(from);
  const [one, two] = [engine(), engine()];
  await network.give(one, "makruk");
  await network.give(two, "makruk");
  await network.give(one, "makruk");
  assert.deepEqual([one.told, two.told, from.asked.length], [[], [], 1]);
  from.asked[0].resolve(BYTES);
  await turn();
  assert.deepEqual(one.told, [], "not while it searches");
  await network.give(one, "chess");
  assert.deepEqual(one.told, []);
  for (const each of [one, one, two]) await network.give(each, "makruk");
  assert.deepEqual([one.told, two.told], [[["EvalFile", BYTES]], [["EvalFile", BYTES]]]);
  assert.deepEqual([from.asked.length, from.kept, said.callCount()], [1, [BYTES], 0]);
});

quietly("what cannot be loaded is asked for again later, and only the console hears of it", async ({ said, later }) => {
  const from = source();
  const network = new LargerNetwork(from);
  const one = engine();
  await network.give(one, "makruk");
  from.asked[0].reject(new Error("404 Not Found"));
  await turn();
  await network.give(one, "makruk", true);
  assert.deepEqual([from.asked.length, said.callCount(), one.told, from.kept], [1, 1, [], []]);
  assert.match(String(said.calls[0].arguments[1]), /404/);
  later(61_000);
  await network.give(one, "makruk");
  assert.equal(from.asked.length, 2);
  // A slow one is not asked for twice.
  later(61_000);
  await network.give(one, "makruk");
  assert.equal(from.asked.length, 2);
  from.asked[1].resolve(BYTES);
  await turn();
  await network.give(one, "makruk");
  assert.equal(one.told.length, 1);
});

quietly("bytes that the engine refuses are not kept, nor given to another", async ({ said }) => {
  const from = source();
  const network = new LargerNetwork(from);
  const refuses = engine("wasm", () => {
    throw new RukhError("not a Rukh network");
  });
  await network.give(refuses, "makruk");
  from.asked[0].resolve(BYTES);
  await turn();
  await network.give(refuses, "makruk");
  const other = engine();
  await network.give(other, "makruk");
  assert.deepEqual([refuses.told.length, other.told, from.kept, said.callCount()], [1, [], [], 1]);
});

quietly("an engine that ends meanwhile says nothing about the bytes", async ({ said }) => {
  const from = source();
  const network = new LargerNetwork(from);
  const ended = engine("wasm", () => {
    throw new Error("the engine was terminated");
  });
  await network.give(ended, "makruk");
  from.asked[0].resolve(BYTES);
  await turn();
  await network.give(ended, "makruk");
  const next = engine();
  await network.give(next, "makruk");
  assert.deepEqual([next.told.length, from.kept.length, said.callCount()], [1, 1, 0]);
});

quietly("whoever compares searches waits a moment for it, once", async ({ later }) => {
  const from = source();
  const network = new LargerNetwork(from);
  const one = engine();
  const waiting = network.give(one, "makruk", true);
  from.asked[0].resolve(BYTES);
  await waiting;
  assert.equal(one.told.length, 1);

  const slow = new LargerNetwork(source());
  await slow.give(one, "makruk");
  later(2000);
  // Would wait for ever.
  await slow.give(one, "makruk", true);
});

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { endless, timedStop } from "./endless.mjs";
import { workers } from "./workers.mjs";

const { createEngine } = await import("../dist/index.js");

const built = existsSync(new URL("../dist/rukh-threads.wasm", import.meta.url));
const skip = built ? false : "the module with threads is not built";
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

test("a second thread searches too", { skip }, async () => {
  const engine = await createEngine({ threads: 2 }).ready;
  assert.equal(engine.threads, true);
  // How many nodes there are in a second is for benchmarks: a machine may be busy, or have one processor. But one thread
  // searches the same nodes every time; a second one that works, unless it never got its turn, changes that.
  const nodes = [];
  for (const threads of [1, 1, 2, 2, 2, 2, 2, 2]) {
    await engine.setOption("Threads", threads);
    await engine.newGame();
    await engine.setPosition(KIWIPETE);
    nodes.push((await engine.go({ depth: 13 })).nodes);
    if (threads === 2 && nodes.at(-1) !== nodes[0]) break;
  }
  assert.ok(nodes[0] === nodes[1] && nodes.at(-1) !== nodes[0], `${nodes}`);
  engine.terminate();
});

test("one thread of the module with threads searches what the other module searches", { skip }, async () => {
  const nodes = [];
  for (const threads of [1, 2]) {
    const engine = await createEngine({ threads }).ready;
    await engine.setOption("Threads", 1);
    await engine.setPosition(KIWIPETE);
    nodes.push((await engine.go({ depth: 11 })).nodes);
    engine.terminate();
  }
  assert.equal(nodes[0], nodes[1]);
});

test("threads stop in time, come and go, and play Makruk", { skip }, async () => {
  const engine = await createEngine({ threads: 3, variant: "makruk" }).ready;
  const times = [];
  // All four, and then until one is in time: on a busy machine the others measure who else was working.
  for (let i = 0; i < 4 || Math.min(...times) >= 50; i++) {
    assert.ok(i < 40, `stop took ${times.map((time) => time.toFixed(1))} ms`);
    await engine.setOption("Threads", [3, 1, 2, 4][i % 4]);
    const { time, bestMove, depth } = await timedStop(engine, await endless(engine));
    assert.ok(bestMove && depth > 0);
    times.push(time);
  }
  await engine.newGame();
  await engine.setOption("Hash", 64);
  await engine.setPosition("startpos", ["e2e4"], "chess");
  assert.ok((await engine.go({ depth: 10 })).bestMove);
  engine.terminate();
});

test("a thread that dies takes the engine with it, and the engine is started again", { skip }, async () => {
  let [restarts, restarted] = [0, null];
  const restart = new Promise((resolve) => (restarted = resolve));
  const engine = await createEngine({ threads: 2, onRestart: () => restarted(restarts++) }).ready;
  await engine.setPosition(KIWIPETE);
  const search = await endless(engine);
  await workers.at(-1).terminate();
  await restart;
  assert.ok((await timedStop(engine, search)).bestMove);
  assert.equal(restarts, 1);
  engine.terminate();
});

test("where memory is not shared, or the file is missing, there is one thread", async () => {
  for (const options of [{ sharedMemory: false }, { threadsUrl: new URL("../dist/nothing.wasm", import.meta.url) }]) {
    const engine = await createEngine({ threads: 2, ...options }).ready;
    assert.equal(engine.threads, false);
    assert.ok((await engine.go({ depth: 6 })).bestMove);
    engine.terminate();
  }
});

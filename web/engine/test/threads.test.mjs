import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { workers } from './workers.mjs';

const { createEngine } = await import('../dist/index.js');

const built = existsSync(new URL('../dist/rukh-threads.wasm', import.meta.url));
const skip = built ? false : 'the module with threads is not built';
const KIWIPETE = 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1';
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('two threads search more nodes than one in the same time', { skip }, async () => {
  const engine = await createEngine({ threads: 2 });
  assert.equal(engine.threads, true);
  await engine.setPosition(KIWIPETE);
  const ratios = [];
  // In turn, and the best counts: on a busy machine the others measure who else was working.
  for (let round = 0; round < 4 && !(ratios.at(-1) > 1.3); round++) {
    const nodes = [];
    for (const threads of [1, 2]) {
      await engine.setOption('Threads', threads);
      nodes.push((await engine.go({ movetime: 700 })).nodes);
    }
    ratios.push(nodes[1] / nodes[0]);
  }
  assert.ok(Math.max(...ratios) > 1.15, `${ratios.map((ratio) => ratio.toFixed(2))}`);
  engine.terminate();
});

test('one thread of the module with threads searches what the other module searches', { skip }, async () => {
  const nodes = [];
  for (const threads of [1, 2]) {
    const engine = await createEngine({ threads });
    await engine.setOption('Threads', 1);
    await engine.setPosition(KIWIPETE);
    nodes.push((await engine.go({ depth: 11 })).nodes);
    engine.terminate();
  }
  assert.equal(nodes[0], nodes[1]);
});

test('threads stop in time, come and go, and play Makruk', { skip }, async () => {
  const engine = await createEngine({ threads: 3, variant: 'makruk' });
  const times = [];
  for (const threads of [3, 1, 2, 4]) {
    await engine.setOption('Threads', threads);
    const search = engine.go({ infinite: true });
    await pause(150);
    const start = performance.now();
    await engine.stop();
    times.push(performance.now() - start);
    const { bestMove, depth } = await search;
    assert.ok(bestMove && depth > 0);
  }
  assert.ok(Math.min(...times) < 50, `stop took ${times.map((time) => time.toFixed(1))} ms`);
  await engine.newGame();
  await engine.setOption('Hash', 64);
  await engine.setPosition('startpos', ['e2e4'], 'chess');
  assert.ok((await engine.go({ depth: 10 })).bestMove);
  engine.terminate();
});

test('a thread that dies takes the engine with it, and the engine is started again', { skip }, async () => {
  let restarts = 0;
  const engine = await createEngine({ threads: 2, onRestart: () => restarts++ });
  await engine.setPosition(KIWIPETE);
  const search = engine.go({ depth: 13 });
  await workers.at(-1).terminate();
  assert.ok((await search).bestMove);
  assert.equal(restarts, 1);
  engine.terminate();
});

test('where memory is not shared, or the file is missing, there is one thread', async () => {
  for (const options of [{ sharedMemory: false }, { threadsUrl: new URL('../dist/nothing.wasm', import.meta.url) }]) {
    const engine = await createEngine({ threads: 2, ...options });
    assert.equal(engine.threads, false);
    assert.ok((await engine.go({ depth: 6 })).bestMove);
    engine.terminate();
  }
});

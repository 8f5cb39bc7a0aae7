// Threads and stopping, with shared memory and without.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { clickMove, LATE, myTurn, start } from "./harness.mjs";

const built = existsSync(new URL("../engine/dist/rukh-threads.wasm", import.meta.url));
const KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
let tables;
before(async () => (tables = { shared: await start(), plain: await start({}, { isolated: false }) }));
after(() => Promise.all(Object.values(tables).map((table) => table.stop())));

/** The names of the modules that a page has asked for. */
const modules = (page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => /\/(rukh|rukh-learn|rukh-threads)-.{8}\.wasm/.exec(name)?.[1])
      .filter(Boolean),
  );

test(
  "half of the cores by default: another module, but not for a game against a level",
  { skip: !built && "the module with threads is not built" },
  async () => {
    const page = await tables.shared.open("#/play", {
      init: `Object.defineProperty(navigator, "hardwareConcurrency", { value: 4 })`,
    });
    await clickMove(page, "e2e4");
    await myTurn(page, 2);
    assert.deepEqual(new Set(await modules(page)), new Set(["rukh"]));
    await page.evaluate((fen) => (location.hash = `#/analyse?fen=${encodeURIComponent(fen)}`), KIWIPETE);
    await page.waitForFunction(() => /2 threads/.test(document.querySelector(".engine-head")?.textContent));
    await page.waitForFunction(() => /depth 1\d/.test(document.querySelector(".figures").textContent));
    assert.ok((await modules(page)).includes("rukh-threads"));
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByLabel("Threads in this browser").fill("1");
    await page.getByLabel("Threads in this browser").press("Tab");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !/threads/.test(document.querySelector(".engine-head").textContent));
    await page.waitForFunction(() => /depth/.test(document.querySelector(".figures").textContent));
    await page.done();
  },
);

/**
 * Talks to the package without the page: nodes to one depth with one thread and with two, and the best of many stops, since
 * others use the machine too. How many nodes there are in a second is for benchmarks: a machine may have one processor.
 */
const measure = (page) =>
  page.evaluate(async (fen) => {
    const { createEngine } = await import("/engine-dist/index.js");
    const engine = await createEngine({ threads: 2 }).ready;
    await engine.setPosition(fen);
    const nodes = [];
    for (const threads of engine.threads ? [1, 1, 2, 2, 2, 2, 2, 2] : []) {
      await engine.setOption("Threads", threads);
      await engine.newGame();
      await engine.setPosition(fen);
      nodes.push((await engine.go({ depth: 13 })).nodes);
      // One thread searches the same nodes every time; a second one that works changes that.
      if (threads === 2 && nodes.at(-1) !== nodes[0]) break;
    }
    const stops = [];
    for (let round = 0; round < 40 && !(stops.at(-1) < 50); round++) {
      let search;
      await new Promise((resolve) => (search = engine.go({ infinite: true }, resolve)));
      const start = performance.now();
      await engine.stop();
      stops.push(performance.now() - start);
      if (!(await search).bestMove) throw new Error("no move");
    }
    const shared = engine.threads;
    engine.terminate();
    return { shared, nodes, stop: Math.min(...stops), isolated: crossOriginIsolated };
  }, KIWIPETE);

test(
  "isolated: a second thread searches too, and both stop within 50 ms",
  { skip: (!built && "the module with threads is not built") || (LATE > 0 && "everything is late") },
  async () => {
    const page = await tables.shared.open("#/learn");
    const { shared, nodes, stop, isolated } = await measure(page);
    assert.ok(isolated && shared);
    assert.ok(nodes[0] === nodes[1] && nodes.at(-1) !== nodes[0], `${nodes}`);
    assert.ok(stop < 50, `${stop} ms`);
    await page.done();
  },
);

/** The nodes of a search to a fixed depth. */
const nodesTo = (page, depth) =>
  page.evaluate(
    async ([fen, depth]) => {
      const { createEngine } = await import("/engine-dist/index.js");
      const engine = await createEngine().ready;
      await engine.setPosition(fen);
      const { nodes } = await engine.go({ depth });
      engine.terminate();
      return nodes;
    },
    [KIWIPETE, depth],
  );

test(
  "not isolated: the plain module, stopped within 50 ms, and no node searched twice",
  { skip: LATE > 0 && "everything is late" },
  async () => {
    // Without a service worker: it would isolate the page at the next visit.
    const page = await tables.plain.open("#/learn", { serviceWorkers: "block" });
    const { shared, stop, isolated } = await measure(page);
    assert.ok(!isolated && !shared);
    assert.ok(stop < 50, `${stop} ms`);
    const other = await tables.shared.open("#/learn");
    // The search sleeps in the middle, hears messages and goes on.
    assert.equal(await nodesTo(page, 14), await nodesTo(other, 14));
    await page.done();
    await other.done();
  },
);

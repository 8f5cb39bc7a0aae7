// Makruk's larger network: who fetches it, when it is used, and that it is there offline.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { createEngine } from "rukh-engine";
import { soon, start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const SETTINGS = `localStorage.setItem("rukh.settings", '{"browserThreads":1,"engineOn":true,"lines":2}');`;
const MAKRUK = "rnsmksnr/8/pppppppp/8/8/PPPPPPPP/8/RNSKMSNR w - - 0 1";
const DEPTH = 7;

/** Notes all that the page says to its engine, and all that it hears. */
function overhear() {
  window.rukhTalk = [];
  window.Worker = class extends Worker {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => data.info && window.rukhTalk.push(data));
    }
    postMessage(message, ...more) {
      if (message.do) window.rukhTalk.push(message.do === "network" ? { do: "network" } : message);
      super.postMessage(message, ...more);
    }
  };
}

/** Shows a position of Makruk after moves; when the search of it has come so deep, all that was said until then. */
async function analyse(page, moves) {
  await page.evaluate((to) => (location.hash = to), `#/analyse?variant=makruk&fen=${MAKRUK}&moves=${moves}`);
  const asked = (talk) => talk.findLastIndex((message) => message.do === "position");
  let talk = [];
  await soon(
    async () => {
      talk = await page.evaluate(() => window.rukhTalk);
      const now = talk[asked(talk)];
      return (
        now?.variant === "makruk" &&
        now.moves.join() === moves &&
        talk.slice(asked(talk)).some(({ info }) => info?.depth > DEPTH)
      );
    },
    (deep) => deep,
  );
  return talk;
}

/** Nodes of every report of the last search, until it goes deeper than the test looks. */
const nodesOf = (infos) => infos.filter(({ depth }) => depth <= DEPTH).map(({ depth, nodes }) => `${depth}: ${nodes}`);
const heard = (talk) => {
  const from = talk.findLastIndex((message) => message.do === "go");
  return nodesOf(talk.slice(from + 1).flatMap(({ id, info }) => (info && id === talk[from].id ? [info] : [])));
};

/** The same words to the same module under Node, with a network or without. */
async function repeated(talk, network) {
  const engine = createEngine({ hash: talk.find((message) => message.do === "hello").hash, network });
  const infos = [];
  for (const { do: what, name, value } of talk) if (what === "option") await engine.setOption(name, value);
  const { fen, moves, variant } = talk.findLast((message) => message.do === "position");
  await engine.setPosition(fen, moves, variant);
  const { multipv } = talk.findLast((message) => message.do === "go");
  await engine.go({ multipv, depth: DEPTH }, (info) => infos.push(info));
  engine.terminate();
  return nodesOf(infos);
}

test("Makruk's larger network is fetched for Makruk alone, used from the next search on, and kept", async () => {
  const page = await table.open("#/analyse", { init: `${SETTINGS}(${overhear})()` });
  const fetched = [];
  page.on("response", async (response) => {
    if (!response.url().endsWith(".nnue")) return;
    await response.finished();
    fetched.push(response.status());
  });
  const kept = () =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return all.flat().filter(({ url }) => url.endsWith(".nnue")).length;
    });
  await page.waitForFunction(() => window.rukhTalk.some(({ info }) => info));
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  assert.deepEqual([fetched, await kept()], [[], 0]);

  const network = await readFile(new URL("../../crates/eval/src/nnue/makruk.nnue", import.meta.url));
  const first = await analyse(page, "d3d4");
  await soon(() => fetched.length, 1);
  assert.equal(fetched[0], 200);
  // The search that runs ends with what it began with.
  assert.ok(!first.some((message) => message.do === "network"));

  const next = await analyse(page, "d3d4,d6d5");
  assert.equal(next.filter((message) => message.do === "network").length, 1);
  assert.deepEqual(heard(next), await repeated(next, network));
  assert.notDeepEqual(heard(next), await repeated(next));
  const last = await analyse(page, "d3d4,d6d5,e3e4");
  assert.equal(last.filter((message) => message.do === "network").length, 1, "once");

  await soon(kept, 1);
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  await analyse(page, "d3d4");
  await soon(
    async () => (await analyse(page, "d3d4,d6d5")).concat(await analyse(page, "d3d4")).some((m) => m.do === "network"),
    true,
  );
  // The question whether `rukh serve` is there goes to the network.
  page.errors.splice(0, Infinity, ...page.errors.filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED")));
  await page.done();
});

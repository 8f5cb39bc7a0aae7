import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";

import { delay, endless, timedStop } from "./endless.mjs";
import { fate, workers } from "./workers.mjs";

const {
  createEngine,
  Flag,
  moveCaptured,
  moveFrom,
  moveIsCapture,
  movePromotion,
  moveTo,
  Piece,
  RukhError,
  square,
  squareName,
} = await import("../dist/index.js");
const { Instance } = await import("../dist/instance.js");

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

for (const sharedMemory of [true, false]) {
  const how = sharedMemory ? "with shared memory" : "in slices";

  test(`a search reports, and stop is heard, ${how}`, async () => {
    const engine = await createEngine({ sharedMemory }).ready;
    const depths = [];
    const answer = await engine.go({ depth: 9 }, (info) => depths.push(info.depth));
    assert.deepEqual(
      depths,
      [...new Set(depths)].sort((a, b) => a - b),
    );
    assert.ok(depths.includes(9));
    assert.equal(engine.getBestMove(), answer.bestMove);
    assert.equal(engine.getInfo().san[0], answer.san);

    const times = [];
    // The best of many, less what the machine adds now: on a busy one the others measure who else was working.
    while (times.length < 3 || Math.min(...times) >= 50) {
      assert.ok(times.length < 40, `stop took ${times.map((t) => t.toFixed(1))} ms`);
      const search = await endless(engine);
      const slow = 3 * (await delay());
      const { time, bestMove, depth } = await timedStop(engine, search);
      assert.ok(bestMove && depth > 0);
      times.push(time - slow);
    }
    engine.terminate();
  });

  test(`limits are kept ${how}`, async () => {
    const engine = await createEngine({ sharedMemory }).ready;
    assert.ok(Math.abs((await engine.go({ nodes: 60_000 })).nodes - 60_000) < 100);
    const start = performance.now();
    await engine.go({ movetime: 300 });
    assert.ok(performance.now() - start > 200);
    // What is no limit would be a search without end.
    for (const limits of [{ depth: -3 }, { nodes: NaN }, { movetime: "100" }]) {
      await assert.rejects(engine.go(limits), { name: "RukhError", message: /must be a number/ });
    }
    await engine.setPosition("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert.equal((await engine.go({ depth: 3 })).bestMove, null);
    engine.terminate();
  });
}

for (const sharedMemory of [true, false]) {
  const how = sharedMemory ? "with shared memory" : "in slices";

  test(`a stop does not wait for Makruk's tables, ${how}`, async () => {
    const times = [];
    // The best of many: on a busy machine the stop may be late, or come when the tables are made.
    while (!(Math.min(...times) < 50)) {
      assert.ok(times.length < 20, `stop took ${times.map((t) => t.toFixed(1))} ms`);
      // Each has its own tables to make.
      const engine = await createEngine({ sharedMemory }).ready;
      await engine.setOption("UCI_Variant", "makruk");
      await engine.setPosition("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1");
      const search = engine.go({ infinite: true });
      await pause(100);
      const start = performance.now();
      await engine.stop();
      const time = performance.now() - start;
      const stopped = await search;
      assert.ok(stopped.bestMove);
      times.push(stopped.score.mate === undefined ? time : Infinity);
      // What was made is kept, and a search that is given the time has all of them.
      const reports = [];
      const { score } = await engine.go({ depth: 1 }, (info) => reports.push(info));
      assert.equal(score.mate, -13);
      assert.ok(reports.length <= 4, `${reports.length} reports of depth 1`);
      engine.terminate();
    }
  });
}

test("an engine can be used before it is ready, in order, and says in go what was refused", async () => {
  const engine = createEngine();
  assert.equal(typeof engine.then, "undefined");
  engine.setPosition("startpos", ["e2e4"]);
  engine.makeMove("e7e5");
  const found = engine.go({ depth: 4 });
  assert.equal(await engine.ready, engine);
  assert.ok((await found).bestMove);
  assert.equal(engine.getBestMove(), (await found).bestMove);

  // Nobody waits for the refused ones: no unhandled rejection, and nothing is played on the board before.
  engine.setPosition("8/8/8/8/8/8/8/8 w - - 0 1");
  engine.makeMove("g1f3");
  await assert.rejects(engine.go({ depth: 1 }), RukhError);
  engine.makeMove("e7e6");
  engine.setPosition("startpos");
  engine.makeMove("d2d4");
  assert.match((await engine.go({ depth: 2 })).bestMove, /^[a-h][78]/);
  engine.terminate();
  await assert.rejects(engine.go());
});

test("an engine that is ended before it is ready, or cannot be started, rejects", async () => {
  const early = createEngine();
  early.terminate();
  await assert.rejects(early.go({ depth: 1 }), /terminated/);
  await assert.rejects(early.ready, /terminated/);
  const lost = createEngine({ wasmUrl: new URL("nowhere.wasm", import.meta.url) });
  lost.setPosition("startpos");
  await assert.rejects(lost.go({ depth: 1 }), /nowhere/);
});

test("squares and moves are numbers", () => {
  assert.deepEqual([square("a1"), square("h8"), square(4, 3), squareName(28)], [0, 63, 28, "e4"]);
  assert.deepEqual([moveFrom("e7e8q"), moveTo("e7e8q"), movePromotion("e7e8q")], [52, 60, "q"]);
  // e5xd6 en passant: from 36, to 43, white pawn, black pawn taken.
  const taken = 36 | (43 << 6) | (Piece.Pawn << 12) | ((Piece.Pawn + 8) << 16) | (Flag.EnPassant << 24);
  assert.deepEqual([moveFrom(taken), moveTo(taken), moveCaptured(taken)], [36, 43, 9]);
  assert.ok(moveIsCapture(taken) && movePromotion(taken) === null);
  for (const bad of [() => square("i9"), () => square(8, 0), () => squareName(64), () => moveFrom("e2")]) {
    assert.throws(bad, RukhError);
  }
});

test("slices go on where they were: as deep as without, for not many more nodes", async () => {
  const depth = 14;
  const nodes = [];
  // (Slices get shorter the busier the machine is: at a load of 17 they needed 1.4 to 4.6 times the nodes, so the best of some
  // counts. Browsers that can put a search to sleep need no slices; Node 20 cannot.)
  for (const sharedMemory of [true, false, false, false, false]) {
    const engine = await createEngine({ sharedMemory }).ready;
    await engine.setPosition("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    const result = await engine.go({ depth });
    assert.equal(result.depth, depth);
    nodes.push(result.nodes);
    engine.terminate();
    if (!sharedMemory && result.nodes < 8 * nodes[0]) return;
  }
  assert.fail(`nodes without slices, and with them: ${nodes}`);
});

test("a second go ends the first", async () => {
  const engine = await createEngine().ready;
  const first = engine.go({ infinite: true });
  const second = engine.go({ depth: 4 });
  assert.ok((await first).bestMove);
  assert.equal((await second).depth, 4);
  engine.terminate();
  await assert.rejects(engine.go({ depth: 1 }), /terminated/);
});

test("refusals reject and change nothing", async () => {
  const engine = await createEngine().ready;
  await engine.makeMove("e2e4");
  await assert.rejects(engine.makeMove("e2e4"), { name: "RukhError", message: /^`e2e4` is not a legal move/ });
  await assert.rejects(engine.setPosition("nonsense"), { name: "RukhError", message: /^bad FEN: it has 1 field/ });
  await assert.rejects(engine.setOption("Hash", "lots"), { name: "RukhError" });
  // There is neither a book nor a table to learn in here: what would have no effect is refused.
  for (const name of ["OwnBook", "BookFile", "BestBookMove", "BookDepth", "Learn", "LearnFile"])
    await assert.rejects(engine.setOption(name, name === "BookDepth" ? 9 : true), /is not offered/);
  const { bestMove } = await engine.go({ depth: 3 });
  assert.match(bestMove, /[78]/, "Black is to move");
  engine.terminate();
});

test("levels play weaker, Makruk and Chess960 are played", async () => {
  const engine = await createEngine({ variant: "makruk" }).ready;
  await engine.setOption("UCI_LimitStrength", true);
  await engine.setOption("UCI_Elo", 800);
  const weak = await engine.go({ wtime: 60_000, btime: 60_000 });
  assert.ok(weak.bestMove && weak.nodes < 20_000);
  await engine.setOption("UCI_LimitStrength", false);
  await engine.setPosition("bqnbrknr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKNR w HEhe - 0 1", [], "chess960");
  assert.ok((await engine.go({ depth: 6 })).bestMove);
  const probe = await engine.ask({
    ask: "hashProbe",
    variant: "chess960",
    fen: "bqnbrknr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKNR w HEhe - 0 1",
  });
  assert.notEqual(probe.hit, null);
  engine.terminate();
});

test("a worker that dies is started again, and the search with it", async () => {
  let [restarts, restarted] = [0, null];
  const restart = new Promise((resolve) => (restarted = resolve));
  const engine = await createEngine({ onRestart: () => restarted(restarts++) }).ready;
  await engine.setPosition("startpos", ["e2e4"]);
  await engine.makeMove("e7e5");
  const search = await endless(engine);
  await workers.at(-1).terminate();
  await restart;
  assert.ok((await timedStop(engine, search)).bestMove);
  assert.equal(restarts, 1);
  await engine.makeMove("g1f3");
  await assert.rejects(engine.makeMove("e7e5"), { message: "`e7e5` is not a legal move in this position" });
  engine.terminate();
});

test("an engine that cannot be started again says so to everybody who waits", async () => {
  const lost = [];
  const engine = await createEngine({ onLost: (why) => lost.push(why.message) }).ready;
  const search = await endless(engine);
  fate.doomed = true;
  try {
    await workers.at(-1).terminate();
    await assert.rejects(search.done, /the worker has ended/);
    await assert.rejects(engine.setPosition("startpos"), /the worker has ended/);
    await assert.rejects(createEngine().ready, /the worker has ended/);
  } finally {
    fate.doomed = false;
  }
  assert.deepEqual(lost, ["the worker has ended"]);
});

/** A server in one object: the module itself behind the socket's messages. */
class FakeSocket {
  static last = null;
  constructor(url) {
    FakeSocket.last = this;
    this.url = String(url);
    setTimeout(() => this.onopen());
  }
  send(text) {
    const request = JSON.parse(text);
    const { id } = request;
    const say = (message) => setTimeout(() => this.onmessage({ data: JSON.stringify({ id, ...message }) }));
    if (request.do === "stop") return say({ done: {} });
    if (request.do === "hold") return undefined;
    this.report = (json) => say({ info: JSON.parse(json) });
    try {
      say({ done: FakeSocket.instance.call(request) });
    } catch (error) {
      say({ error: error.message });
    }
    return undefined;
  }
  close() {}
}

test("a server is spoken to in the same words, and its loss is told", async () => {
  const module = await WebAssembly.compile(await readFile(new URL("../dist/rukh.wasm", import.meta.url)));
  FakeSocket.instance = new Instance(module, { report: (json) => FakeSocket.last.report(json) });
  globalThis.WebSocket = FakeSocket;
  let lost = null;
  const engine = await createEngine({
    backend: "native",
    url: "http://127.0.0.1:1/engine",
    onLost: (why) => (lost = why),
  }).ready;
  assert.equal(engine.kind, "native");
  assert.equal(FakeSocket.last.url, "ws://127.0.0.1:1/engine");
  await engine.setPosition("startpos", ["d2d4"], "chess");
  let infos = 0;
  const result = await engine.go({ depth: 5 }, () => infos++);
  assert.ok(result.bestMove && infos >= 5);
  assert.equal((await engine.ask({ ask: "state", moves: ["e2e4"] })).turn, "black");
  await assert.rejects(engine.makeMove("a1a8"), { name: "RukhError" });
  FakeSocket.last.send = () => {};
  const never = engine.go({ infinite: true });
  setTimeout(() => FakeSocket.last.onclose());
  await assert.rejects(never, /closed the connection/);
  assert.match(lost.message, /closed the connection/);
  delete globalThis.WebSocket;
});

test("a network may come later, between searches, with threads too, and survives a restart", async () => {
  const bytes = await readFile(new URL("../../../crates/eval/src/nnue/makruk.nnue", import.meta.url));
  for (const threads of [1, 2]) {
    const nodes = async (engine, moves = ["d3d4"]) => {
      await engine.setOption("Threads", 1);
      await engine.setPosition("startpos", moves, "makruk");
      return (await engine.go({ depth: 8 })).nodes;
    };
    const made = (options = {}) => createEngine({ variant: "makruk", threads, ...options });
    const [fresh, own] = [made({ network: bytes }), made()];
    await Promise.all([fresh.ready, own.ready]);
    let again;
    const restarted = new Promise((resolve) => (again = resolve));
    const engine = await made({ onRestart: () => again() }).ready;
    const [large, small] = [await nodes(fresh), await nodes(own)];
    assert.notEqual(large, small);
    assert.equal(await nodes(engine), small);
    const refused = (value, words) => assert.rejects(engine.setOption("EvalFile", value), words);
    await refused(new Uint8Array(), /not a Rukh network/);
    await refused(bytes.subarray(1), RukhError);
    await assert.rejects(engine.setOption("Hash", bytes), /takes no bytes/);
    await engine.setOption("Clear Hash", true);
    // What runs is ended, and what comes next is a search by the new network that knows nothing of the old one's.
    if (threads > 1) await engine.setOption("Threads", threads);
    const running = engine.go({ infinite: true });
    await engine.setOption("EvalFile", bytes);
    assert.ok((await running).bestMove);
    assert.equal(await nodes(engine), large);
    // Chess keeps its own, Makruk has it still when it is played again.
    await engine.setPosition("startpos", [], "chess");
    const { nodes: chess } = await engine.go({ depth: 8 });
    await own.setPosition("startpos", [], "chess");
    assert.equal((await own.go({ depth: 8 })).nodes, chess);
    assert.equal(await nodes(engine), large);
    // (With threads the last worker that was made is one of theirs.)
    if (threads === 1) {
      await workers.at(-1).terminate();
      await restarted;
      assert.equal(await nodes(engine), large, "after a restart");
    }
    await engine.setOption("evalfile", "<embedded>");
    assert.equal(await nodes(engine), small);
    for (const each of [fresh, own, engine]) each.terminate();
  }
});

test("a network from bytes is played with, checked, and refused in words", async () => {
  const file = (name) => readFile(new URL(`../../../crates/eval/src/nnue/${name}`, import.meta.url));
  const nodes = async (options) => {
    const engine = createEngine(options);
    const { nodes } = await engine.go({ depth: 7 });
    engine.terminate();
    return nodes;
  };
  const [large, page] = await Promise.all([file("makruk.nnue"), file("makruk-page.nnue")]);
  const own = await nodes({ variant: "makruk" });
  assert.equal(await nodes({ variant: "makruk", network: page }), own);
  assert.notEqual(await nodes({ variant: "makruk", network: new Uint8Array(large).buffer }), own);
  // The other game keeps its own.
  assert.equal(await nodes({ network: large }), await nodes({}));
  const refused = async (network, words, more = {}) => {
    const engine = createEngine({ network, ...more });
    const said = (error) => error instanceof RukhError && words.test(error.message);
    await assert.rejects(engine.go({ depth: 1 }), said);
    await assert.rejects(engine.ready, said);
  };
  await refused(new Uint8Array(), /not a Rukh network/);
  await refused(new TextEncoder().encode("something else, of some length"), /not a Rukh network/);
  await refused(page.subarray(0, page.length - 1), /bytes/);
  await refused("crates/eval/chess.nnue", /expected the bytes of a network/);
  await refused(page, /server's engine/, { backend: "native" });
});

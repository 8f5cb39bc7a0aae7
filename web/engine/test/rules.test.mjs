import assert from "node:assert/strict";
import { test } from "node:test";
import { createRules } from "../dist/index.js";

const rules = await createRules();

test("a board has all it shows", () => {
  const state = rules.state({ moves: ["e2e4", "c7c5"] });
  assert.equal(state.squares.length, 64);
  assert.equal(state.squares[28], "P");
  assert.equal(state.moves.length, 30);
  assert.equal(state.last.san, "c5");
  assert.equal(state.outcome, null);
});

test("a string is a FEN, not the starting position", () => {
  const mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
  assert.equal(rules.state(mated).moves.length, 0);
  assert.throws(() => rules.move(mated, "e4"), { name: "RukhError" });
  assert.deepEqual(rules.state("startpos"), rules.state({}));
  assert.throws(() => rules.state("not a position"), { name: "RukhError" });
});

test("Makruk has its own", () => {
  const state = rules.state({ variant: "makruk", fen: "8/3k4/6M~1/2K1S3/8/8/8/8 b - 88 8 1" });
  assert.deepEqual(state.count, {
    plies: 8,
    limit: 88,
    spoken: 4,
    last: 44,
    remaining: 81,
    side: "black",
    honour: "pieces",
  });
  assert.equal(state.squares[46], "M~");
  assert.ok(state.moves.every((move) => /[\u0e00-\u0e7f]/.test(move.thai)));
});

test("what makes no sense is refused in words", () => {
  assert.throws(() => rules.move({}, "Ke2"), { name: "RukhError", message: /not a legal move/ });
  assert.throws(() => rules.state({ fen: "nonsense" }), { name: "RukhError" });
  assert.throws(() => rules.ask({ ask: "perft", depth: 3 }), /module `learn`/);
  assert.equal(rules.checkFen("chess", "8/8/8/8/8/8/8/8 w - - 0 1").reason, "White has no king");
});

test("PGN goes in and out", () => {
  const text = '[White "A"]\n\n1. e4 (1. d4 d5) e5 {[%clk 0:01:02]} 2. Nf3 *\n\n[White "B"]\n\n1. e5 *\n';
  const file = rules.parsePgn(text);
  assert.equal(file.games.length, 1);
  assert.equal(file.errors[0].line, 7);
  const again = rules.parsePgn(rules.writePgn(file.games[0])).games[0];
  assert.deepEqual(again.nodes, file.games[0].nodes);
  assert.ok(again.nodes.some((node) => node.clock === 62_000));
});

test("openings, starts, chances and levels", () => {
  assert.match(rules.opening({ moves: ["e2e4", "c7c5"] }).name, /Sicilian/);
  assert.match(rules.chess960(518), /^rnbqkbnr/);
  const even = rules.chances("chess", { cp: 100 });
  assert.ok(Math.abs(even.win - 500) < 10);
  const levels = rules.levels();
  assert.ok(levels.length > 8 && levels.at(-1).elo === null);
  const review = rules.review("chess", "white", [{ cp: 0 }, { cp: -600 }, null, { mate: -1 }]);
  assert.equal(review.moves[0].judgement, "blunder");
});

test("a thousand boards leave memory as it was", () => {
  const grown = [];
  // A leak grows every time. Once, the collector of garbage may just not have run.
  for (let round = 0; round < 5; round++) {
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 1000; i++) rules.state({ moves: ["d2d4", "d7d5", "c2c4", "e7e6"] });
    grown.push(process.memoryUsage().rss - before);
  }
  assert.ok(Math.min(...grown) < 10e6, `${grown} bytes more`);
});

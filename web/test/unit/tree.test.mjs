// The move tree: what it keeps of a game, and what becomes of it when somebody plays, promotes and removes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { GameTree, endOf, isMainLine } from "../../src/game/tree.ts";

const rules = await loadRules();
const read = (pgn) => GameTree.fromPgn(rules.parsePgn(pgn).games[0]);
const sans = (nodes) => nodes.map((node) => node.san).join(" ");

test("a PGN with variations, words and signs comes back as it was", () => {
  const text =
    "1. e4 {[%clk 0:10:00] best by test} e5 $6 (1... c5 $1 2. Nf3 (2. c3)) 2. Nf3 {[%csl Rd4][%cal Ge4e5]} Nc6 1/2-1/2";
  const tree = read(`[White "A"]\n[Result "1/2-1/2"]\n\n${text}`);
  assert.equal(sans(tree.mainLine()), " e4 e5 Nf3 Nc6");
  assert.equal(tree.tag("White"), "A");
  assert.deepEqual(tree.root.children[0].comments, ["best by test"]);
  assert.equal(tree.root.children[0].clock, 600_000);
  assert.equal(tree.mainLine()[3].shapes.length, 2);
  assert.equal(read(tree.toPgn()).toPgn(), tree.toPgn());
});

test("a known move is found again, a new one becomes a variation", () => {
  const tree = read("1. e4 e5 *");
  const e4 = tree.root.children[0];
  assert.equal(tree.play(tree.root, rules.move({}, "e4")), e4);
  const d4 = tree.play(tree.root, rules.move({}, "d4"));
  assert.deepEqual(tree.root.children, [e4, d4]);
  assert.equal(tree.play(tree.root, rules.move({}, "d4")), d4);
  assert.deepEqual(tree.path(d4), ["d2d4"]);
});

test("a variation is promoted up to the root, and removed with all that follows", () => {
  const tree = read("1. e4 e5 (1... c5 2. Nf3 d6 (2... e6)) 2. Nc3 *");
  const e6 = tree.root.children[0].children[1].children[0].children[1];
  assert.equal(e6.san, "e6");
  assert.equal(isMainLine(e6), false);
  tree.promote(e6);
  assert.equal(isMainLine(e6), true);
  assert.equal(sans(tree.mainLine()), " e4 c5 Nf3 e6");
  tree.remove(tree.root.children[0].children[0]);
  assert.equal(sans(tree.mainLine()), " e4 e5 Nc3");
  assert.equal(endOf(tree.root).san, "Nc3");
});

test("a line that cannot be played ends where it can", () => {
  const tree = GameTree.fresh("chess");
  assert.equal(tree.playLine(tree.root, ["e2e4", "e7e5", "e4e5", "a7a6"]).san, "e5");
  assert.equal(tree.mainLine().length, 3);
});

test("long games are written without running out of stack", () => {
  const moves = Array.from({ length: 800 }, (_, i) => ["g1f3", "g8f6", "f3g1", "f6g8"][i % 4]);
  const tree = GameTree.fresh("chess");
  for (let i = 0; i < 5; i += 1) tree.playLine(endOf(tree.root), moves);
  assert.equal(endOf(tree.root).ply, 4000);
  assert.equal(read(tree.toPgn()).mainLine().length, 4001);
});

test("a Makruk game starts as Makruk and remembers Thai notation", () => {
  const tree = GameTree.fresh("makruk");
  const move = tree.state(tree.root).moves[0];
  assert.equal(tree.play(tree.root, move).thai, move.thai);
  assert.match(tree.toPgn(), /\[Variant "Makruk"\]/);
});

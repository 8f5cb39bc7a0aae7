// How long each move took, as clocks and other programs tell it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { GameTree } from "../../src/game/tree.ts";
import { moveTimes } from "../../src/study/timegraph.ts";

const rules = await loadRules();
const times = (pgn) => moveTimes(GameTree.fromPgn(rules.parsePgn(pgn).games[0]));

test("the clock before, the increment, the clock after; or the time itself; or nothing", () => {
  const clocks = "1. e4 {[%clk 0:10:01]} e5 {[%clk 0:09:50]} 2. Nf3 {[%clk 0:09:56]} Nc6 *";
  assert.deepEqual(times(`[TimeControl "600+5"]\n\n${clocks}`), [4000, 15_000, 10_000, null]);
  assert.deepEqual(times(clocks), [null, null, 5000, null]);
  assert.deepEqual(times("1. e4 {[%emt 0:00:03]} e5 {[%emt 1:02:03]} *"), [3000, 3_723_000]);
});

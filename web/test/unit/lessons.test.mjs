// Lessons from Makruk's tables without a browser: positions that are won within the count, and the longest defence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRules } from "rukh-engine";
import "rukh-engine/learn";
import { loadRules } from "../../src/engine/rules.ts";
import { bestOf } from "../../src/game/bare.ts";
import { LessonController } from "../../src/coach/lessons/controller.ts";
import { ENDINGS, STAGES, deal } from "../../src/coach/lessons/endings.ts";

await loadRules();
const tables = await createRules({ module: "learn" });
const probe = async (position) => tables.ask({ ask: "tables", variant: "makruk", ...position }).probe;

/** The same numbers every time. */
function dice(seed = 7) {
  let state = seed;
  return () => ((state = (state * 1103515245 + 12345) % 2147483648), state / 2147483648);
}

function lesson(progress = {}) {
  const kept = [];
  const play = new LessonController(probe, progress, (now) => kept.push(now), dice(), async () => {}); // prettier-ignore
  const best = async () => {
    const { fen } = play.state.value;
    const uci = bestOf(await probe({ fen, moves: [] }));
    return play.state.value.moves.find((move) => move.uci === uci);
  };
  return { play, kept, best };
}

test("every ending can be dealt, with the count just begun", () => {
  const random = dice();
  for (const ending of ENDINGS) {
    let state = null;
    for (let i = 0; i < 200 && !state; i += 1) state = deal(ending, random);
    assert.equal(state.turn, "black", ending.id);
    assert.equal(state.count.side, "black", ending.id);
  }
});

test("with the best moves the bare Khun is mated within the count, and the stage is mastered", async () => {
  const { play, kept, best } = lesson();
  const rua = ENDINGS.find(({ id }) => id === "R");
  await play.start(rua);
  assert.equal(play.phase.value, "play");
  const { needs } = play.race.value;
  assert.ok(needs <= STAGES[0].most && needs <= play.race.value.left);
  let moves = 0;
  for (; play.phase.value === "play"; moves += 1) await play.play(await best());
  assert.deepEqual([play.phase.value, moves], ["won", needs], "the defence is the longest");
  assert.deepEqual(kept, [{ R: 1 }]);
});

test("a move that gives the win away is told of and may be taken back; then nothing is mastered", async () => {
  const { play, kept, best } = lesson({ RR: 2 });
  await play.start(ENDINGS[0]);
  const before = play.state.value.fen;
  // A move after which the tables see no win.
  let bad = null;
  for (const move of play.state.value.moves)
    if ((await probe({ fen: before, moves: [move.uci] }))?.verdict === "draw") bad = move;
  await play.play(bad);
  assert.equal(play.phase.value, "slipped");
  assert.ok(play.race.value.needs === null || play.race.value.needs > play.race.value.left);
  await play.takeBack();
  assert.deepEqual([play.phase.value, play.state.value.fen], ["play", before]);
  while (play.phase.value === "play") await play.play(await best());
  assert.equal(play.phase.value, "won");
  assert.deepEqual(kept.at(-1), { RR: 2 });
  await play.start(ENDINGS[0]);
  await play.help();
  assert.equal(play.hint.value, (await best()).uci);
});

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Clocks } from "../../src/play/clock.ts";

/** Clocks on a time that the test moves. */
function table(left) {
  mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  const flags = [];
  const clocks = new Clocks(left, () => undefined, (loser) => flags.push(loser), () => now); // prettier-ignore
  const wait = (ms) => {
    now += ms;
    mock.timers.tick(ms);
  };
  return { clocks, flags, wait };
}

test("one clock runs at a time, and keeps what it has used", (t) => {
  t.after(() => mock.timers.reset());
  const { clocks, flags, wait } = table([60_000, 60_000]);
  clocks.run("white");
  wait(1500);
  assert.deepEqual([clocks.of("white"), clocks.of("black")], [58_500, 60_000]);
  clocks.run("black");
  clocks.add("white", 2000);
  wait(500);
  assert.deepEqual([clocks.of("white"), clocks.of("black")], [60_500, 59_500]);
  clocks.run(null);
  wait(90_000);
  assert.deepEqual([clocks.of("white"), clocks.of("black")], [60_500, 59_500]);
  assert.deepEqual(flags, []);
});

test("a flag falls once, at the time and not at the tick", (t) => {
  t.after(() => mock.timers.reset());
  const { clocks, flags, wait } = table([250, 1000]);
  clocks.run("white");
  wait(200);
  assert.equal(clocks.of("white"), 50);
  wait(5000);
  assert.deepEqual(flags, ["white"]);
  assert.equal(clocks.of("white"), 0);
  assert.equal(clocks.running, null);
  wait(5000);
  assert.deepEqual(flags, ["white"]);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { choose, decode, encode, rank, unrank } from "../dist/index.js";

const data = new URL("../../../crates/code/tests/data/", import.meta.url);
const names = { chess: "chess", Chess960: "chess960", Makruk: "makruk" };

test("codes are those of the test vectors", async () => {
  for (const file of ["vectors.tsv", "long.tsv"]) {
    const rows = readFileSync(new URL(file, data), "utf8").trim().split("\n").slice(1);
    for (const row of rows) {
      const [name, fen, raw, extended] = row.split("\t");
      const [text] = extended.split(".");
      const code = await encode({ variant: names[name], fen });
      assert.deepEqual([code.text, code.raw], [text, raw], row);
      const back = await decode(text, names[name]);
      assert.equal((await encode({ variant: names[name], fen: back })).text, text);
    }
  }
});

test("a FEN is a position, and what encode gives decode takes", async () => {
  const fen = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1";
  assert.deepEqual(await encode(fen), await encode({ fen }));
  assert.equal(await decode(await encode(fen)), fen);
  assert.deepEqual(await encode("startpos"), await encode({}));
  assert.deepEqual(await encode("startpos", "makruk"), await encode({ variant: "makruk" }));
  assert.notDeepEqual(await encode("startpos", "makruk"), await encode("startpos"));
});

test("bad codes are refused in words", async () => {
  await assert.rejects(decode("fdc_yeyowhwg0"), /check character/);
  await assert.rejects(decode("abc"), /13 characters/);
  await assert.rejects(decode("1152921504606846976"), /needs a sign/);
  await assert.rejects(decode(undefined), /no `code`/);
  for (const number of ["-4352707067001205567", -4352707067001205567n])
    assert.match(await decode(number), /^rnbqkbnr\//);
  assert.equal(await decode(5n), await decode("5"));
  assert.equal(await decode("0000000000038", "chess960"), "8/8/8/8/8/8/8/K2k4 b - - 0 1", "digits, and yet a text");
});

test("combinations there and back", () => {
  assert.equal(choose(48, 8), 377348994n);
  const free = 0x00ffffffffffff00n;
  for (const number of [0n, 12345n, 377348993n]) assert.equal(rank(unrank(number, 8, free), free), number);
  assert.equal(unrank(377348994n, 8, free), null);
  assert.equal(rank(1n, free), null);
});

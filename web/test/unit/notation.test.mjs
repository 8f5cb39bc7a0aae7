// Labels: what moves, scores, numbers, clocks and counts are called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { clockText, moveNumber, scoreText, shortNumber, spokenMove } from "../../src/game/notation.ts";
import { NAG_SIGNS } from "../../src/game/signs.ts";
import { spokenPosition } from "../../src/game/speech.ts";
import { kindName } from "../../src/pieces/names.ts";
import { countSpoken, countTexts, honourName } from "../../src/play/honours.ts";

const rules = await loadRules();

test("move numbers, also of games that Black begins", () => {
  const white = { fullmove: 1, turn: "white" };
  assert.deepEqual([0, 1, 2, 3].map((ply) => moveNumber(ply, white, false)), ["1.", "", "2.", ""]); // prettier-ignore
  assert.equal(moveNumber(1, white, true), "1…");
  const black = { fullmove: 40, turn: "black" };
  assert.deepEqual([0, 1, 2].map((ply) => moveNumber(ply, black, true)), ["40…", "41.", "41…"]); // prettier-ignore
});

test("scores from White’s side", () => {
  assert.equal(scoreText({ cp: 125 }), "+1.25");
  assert.equal(scoreText({ cp: -7 }), "−0.07");
  assert.equal(scoreText({ cp: 0 }), "0.00");
  assert.equal(scoreText({ mate: -3 }), "#−3");
  assert.equal(scoreText({ mate: 0 }), "#");
});

test("large numbers and clocks", () => {
  assert.deepEqual([999, 12_345, 1_234_567, 2.5e9].map(shortNumber), ["999", "12 k", "1.2 M", "2.5 G"]);
  assert.deepEqual([0, 9_949, 10_000, 65_000, 3_909_000, -5].map(clockText), [
    "0:00.0",
    "0:09.9",
    "0:10",
    "1:05",
    "1:05:09",
    "0:00.0",
  ]);
});

test("moves in words", () => {
  const say = (fen, text, variant = "chess") => spokenMove(rules.move({ fen, variant }, text), variant);
  assert.equal(say(undefined, "Nf3"), "knight g1 to f3");
  assert.equal(say("7k/P7/6K1/8/8/8/8/8 w - - 0 1", "a8=Q#"), "pawn a7 to a8, becomes queen, checkmate");
  assert.equal(say("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "Rxa8+"), "rook a1 takes rook on a8, check");
  assert.equal(say("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O-O"), "castles long");
  const bia = "4k3/8/8/6P1/8/8/8/4K3 w - - 0 1";
  assert.match(say(bia, "g5g6", "makruk"), /^Bia g5 to g6, becomes Bia-ngai/);
});

test("positions in words", () => {
  const state = rules.state({ fen: "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1" });
  assert.equal(spokenPosition(state, "chess"), "White: king e1; pawn e2. Black: king e8. Black to move.");
});

test("Makruk: names and counts in both scripts", () => {
  assert.equal(kindName({ kind: "s", promoted: false }, "makruk", "both"), "Khon โคน");
  assert.equal(kindName({ kind: "m", promoted: true }, "makruk"), "Bia-ngai");
  const count = { honour: "pieces", side: "black", spoken: 5, last: 44 };
  assert.deepEqual(countTexts(count), ["5 / 44", "๕ / ๔๔"]);
  assert.equal(countSpoken(count), "Count 5 of 44.");
  assert.match(honourName(count), /^Pieces’ honour/);
});

test("signs", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((nag) => NAG_SIGNS[nag]).join(" "), "! ? !! ?? !? ?!");
});

// A damaged database: the explorer says what its figures lack.
import assert from "node:assert/strict";
import { test } from "node:test";
import { addForms } from "../../src/messages/messages.ts";
import { missingText } from "../../src/study/missing.ts";

await addForms();

test("a whole answer has no notice", () => {
  assert.equal(missingText(null), null);
  assert.equal(missingText(undefined), null);
});

test("what is missing is counted, and the way out is named", () => {
  const text = missingText({ segments: 1, games: 1631 });
  assert.match(text, /damaged: 1,631 games are not counted/);
  assert.match(text, /rukh db verify/);
  assert.match(missingText({ segments: 1, games: 1 }), /1 game is not counted/);
  assert.match(missingText({ segments: 2, games: 0 }), /some games are not counted/);
});

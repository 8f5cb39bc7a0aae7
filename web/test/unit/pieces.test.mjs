import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { MAKRUK, WESTERN } from "../../src/pieces/shapes.ts";

// The Python package draws boards with the same pieces. RUKH_WRITE_PIECES=1 writes its file anew.
test("notebooks show the pieces of the page", () => {
  const file = new URL("../../../crates/svg/src/pieces.txt", import.meta.url);
  const lines = (set, prefix) => Object.entries(set).map(([kind, art]) => `${prefix}-${kind} ${art}\n`);
  const text = [...lines(WESTERN, "we"), ...lines(MAKRUK, "mk")].join("");
  if (process.env.RUKH_WRITE_PIECES) writeFileSync(file, text);
  assert.equal(readFileSync(file, "utf8"), text, "shapes.ts has changed: run this test with RUKH_WRITE_PIECES=1");
});

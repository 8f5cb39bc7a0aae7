// Each chapter's main interaction, on the real engine.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const fact = (page, name) => page.locator(".facts div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) }).first().locator("dd").innerText();
const click = (page, board, square) => page.getByRole("grid", { name: board, exact: true }).locator(`[data-square="${square}"]`).click();
const type = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel(label, { exact: true }).press("Enter");
};

test("bitboards: sets, clicks, expressions and a look-up, kept in the address", async () => {
  const page = await table.open("#/learn/bitboards?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1");
  await page.getByRole("button", { name: "occ", exact: true }).click();
  assert.equal(await fact(page, "Hexadecimal"), "0xffff 0000 0000 ffff");
  await click(page, "Squares of the set", "e4");
  assert.equal(await fact(page, "Squares"), "33");
  await type(page, "Expression", "(P << 8) & ~occ");
  assert.equal(await fact(page, "Hexadecimal"), "0x0000 0000 00ff 0000");
  await page.getByRole("button", { name: "Shift west" }).first().click();
  assert.equal(await fact(page, "Squares"), "7");
  await type(page, "Expression", "rook(e4, occ) & fileE");
  assert.equal(await fact(page, "Squares"), "5");
  await type(page, "Expression", "alert(1)");
  assert.match(await page.locator("#expression-error").innerText(), /no function/);
  const steps = page.locator(".stepper").first();
  while (await steps.getByRole("button", { name: "Next step" }).isEnabled()) await steps.getByRole("button", { name: "Next step" }).click();
  assert.match(await steps.locator(".step-line").innerText(), /That entry is the answer: 12 squares/);
  assert.match(page.url(), /e=rook/);
  await page.reload();
  assert.equal(await page.getByLabel("Expression", { exact: true }).inputValue(), "rook(e4, occ) & fileE");
  await page.done();
});

test("moves: a pinned piece says why it may not move, in both games", async () => {
  const page = await table.open("#/learn/moves");
  const words = page.locator(".widget [role=status]").first();
  await click(page, "Click a piece", "c3");
  assert.match(await words.innerText(), /Knight on c3 is pinned[\s\S]*7 pseudo-legal targets and 0 legal/);
  await page.getByRole("button", { name: "Why not d5?" }).click();
  assert.match(await page.locator(".reasons").innerText(), /shields its king on e1 from B on a5/);
  await page.getByRole("radio", { name: "Makruk" }).check();
  await click(page, "Click a piece", "d5");
  assert.match(await words.innerText(), /Khon on d5 is pinned[\s\S]*1 legal: d6/);
  await page.done();
});

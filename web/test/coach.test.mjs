// The coach: games of the library reviewed in the background, what they say together, and why moves were bad.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Small searches: what is tested is what becomes of them. */
const settings = (more) =>
  `if (location.protocol !== "about:" && !sessionStorage.seeded) { sessionStorage.seeded = 1; localStorage.setItem("rukh.settings", '${JSON.stringify({ engineOn: false, reviewNodes: 300, ...more })}'); }`;

// The same position in the second and third, by another order of moves, and answered differently.
const GAMES = [
  ["Ann", "Bob", "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"],
  ["Cid", "Ann", "1. e4 e5 2. Nf3 Qh4 3. Nxh4 Nf6 4. d3 1-0"],
  ["Dan", "ann", "1. Nf3 e5 2. e4 Nc6 3. Bb5 a6 4. Ba4 Nf6 1/2-1/2"],
]
  .map(
    ([white, black, moves], i) =>
      `[White "${white}"]\n[Black "${black}"]\n[Date "2024.02.2${i + 1}"]\n[WhiteElo "1500"]\n[Result "${moves.split(" ").at(-1)}"]\n\n${moves}\n`,
  )
  .join("\n");

/** A page with the games in its library. */
async function withGames(more = {}, games = GAMES) {
  const page = await table.open("#/library", { init: settings(more) });
  const file = { name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(games) };
  await page.getByLabel("Files to bring in").setInputFiles(file);
  await page.locator(".notice", { hasText: "in the library now" }).waitFor();
  return page;
}

/** What is kept of a store of the coach. */
const kept = (page, store) =>
  page.evaluate(
    (name) =>
      new Promise((resolve, reject) => {
        const asked = indexedDB.open("rukh-coach");
        asked.onerror = () => reject(asked.error);
        asked.onsuccess = () => {
          const all = asked.result.transaction(name).objectStore(name).getAll();
          all.onsuccess = () => {
            asked.result.close();
            resolve(all.result);
          };
        };
      }),
    store,
  );

const status = (page, words) => page.locator(".insights [role=status]", { hasText: words }).waitFor();
const show = (page, hash) => page.evaluate((to) => (location.hash = to), hash);

test("a library reviewed in the background: killed, gone on, joined by position", async () => {
  const page = await withGames();
  await show(page, "#/coach");
  assert.equal(await page.getByLabel("Player").inputValue(), "Ann");
  await page.getByRole("button", { name: "Review my games" }).click();
  // Gone in the middle, and on another section when it comes back.
  await page.waitForFunction(() => /[1-9]\d* positions searched/.test(document.querySelector(".insights").innerText));
  await page.goto("about:blank");
  await page.goto(`${table.address}#/learn`);
  const before = (await kept(page, "searches")).length;
  assert.ok(before > 0);
  await show(page, "#/coach");
  await status(page, "All 3 games are reviewed.");
  const searches = await kept(page, "searches");
  assert.ok(searches.length >= before);
  assert.equal(new Set(searches.map(({ key }) => key)).size, searches.length);
  assert.equal((await kept(page, "reviewed")).length, 3);

  const body = page.locator(".insights-body");
  await body.getByRole("heading", { name: "Most costly mistakes" }).waitFor();
  assert.match(await page.locator(".figures").innerText(), /3[\s\S]*1 · 1 · 1/);
  await page.getByText("You met this position 2 times and played 2 different moves, scoring ½.").waitFor();
  const mistake = body.locator(".find", { hasText: "2… h4" }).first();
  assert.ok((await mistake.locator("p").count()) > 2, "it has reasons");

  // The tree of the openings with Black: by either order of moves to one position.
  await body.getByRole("radio", { name: "Black" }).check();
  const way = async (...moves) => {
    for (const move of moves) await body.locator(".tree-moves button", { hasText: move }).click();
    const found = await body.locator(".tree-moves tbody").innerText();
    await body.getByRole("button", { name: "Start" }).click();
    return found;
  };
  const there = await way("e4", "e5", "f3");
  assert.match(there, /c6[\s\S]*h4/);
  assert.equal(await way("f3", "e5", "e4"), there);

  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide at ${width}`);
    const found = await page.evaluate(async (source) => {
      if (!window.axe) (0, eval)(source);
      return (await window.axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
    }, axe);
    assert.deepEqual(found, []);
  }

  // A game of the library that is added is reviewed too; a position that is known is not searched again.
  const known = new Map(searches.map((search) => [search.key, search.depth]));
  await show(page, "#/library");
  const again = GAMES.split("\n\n[").at(-1);
  const buffer = Buffer.from(`[${again.replace("Dan", "Eve")}`);
  await page.getByLabel("Files to bring in").setInputFiles({ name: "eve.pgn", mimeType: "text/plain", buffer });
  await page.waitForFunction(() => location.hash.includes("folder=eve"));
  await show(page, "#/coach");
  await status(page, "All 4 games are reviewed.");
  assert.equal((await kept(page, "searches")).length, known.size);

  // A mistake leads to its game, behind the move.
  await page.locator(".find", { hasText: "2… h4" }).getByRole("link").first().click();
  await page.locator('.tree .move[aria-current="true"]', { hasText: "h4" }).waitFor();
  await page.done();
});

test("the review waits while the engine works for somebody, and can be paused", async () => {
  const page = await withGames({ reviewNodes: 400_000 });
  await show(page, "#/coach");
  await page.getByRole("button", { name: "Review my games" }).click();
  await page.waitForFunction(() => /[1-9]\d* positions searched/.test(document.querySelector(".insights").innerText));
  // Somebody plays, thinks long about nothing, and comes back.
  await show(page, "#/analyse");
  await page.locator(".table rukh-board").waitFor();
  await page.keyboard.press("e");
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 2);
  const searched = (await kept(page, "searches")).length;
  await page.waitForTimeout(1500);
  assert.ok((await kept(page, "searches")).length <= searched + 1);
  await page.keyboard.press("e");
  await show(page, "#/coach");
  await page.getByRole("button", { name: "Pause" }).click();
  await status(page, "Paused");
  await page.reload();
  await page.getByRole("button", { name: "Review my games" }).waitFor();
  await page.done();
});

test("a mistake of a reviewed game says why, in words and on the board", async () => {
  const page = await table.open("#/review", { init: settings() });
  await page.getByRole("button", { name: "Import / export" }).click();
  await page.getByLabel("FEN or PGN to load").fill("1. e4 e5 2. Nf3 f6 3. Nxe5 fxe5 4. Qh5+ Ke7 5. Qxe5+ Kf7 1-0");
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.locator(".judged-list").waitFor();
  await page.getByRole("button", { name: "Next mistake" }).click();
  await page.locator(".reasons p").first().waitFor();
  assert.match(await page.locator(".reasons").innerText(), /It is answered by|Better was/);
  await page.waitForSelector(".table .layer-arrows > *", { state: "attached" });
  await page.done();
});

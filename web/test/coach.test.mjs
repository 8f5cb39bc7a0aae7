// The coach: games of the library reviewed in the background, what they say together, and why moves were bad.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { load, soon, start, told } from "./harness.mjs";

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
  await page.getByLabel("Files to import").setInputFiles(file);
  await told(page, "in the library now");
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
  await soon(() => page.getByLabel("Player").inputValue(), "Ann");
  await page.getByRole("button", { name: "Review my games" }).click();
  // Gone in the middle, and on another section when it comes back.
  await page.waitForFunction(() => /[1-9]\d* positions searched/.test(document.querySelector(".insights").innerText));
  await page.goto("about:blank");
  await page.goto(`${table.address}#/learn`);
  const before = (await kept(page, "searches")).length;
  assert.ok(before > 0);
  await show(page, "#/coach");
  await status(page, "All 3 games have been reviewed.");
  const searches = await kept(page, "searches");
  assert.ok(searches.length >= before);
  assert.equal(new Set(searches.map(({ key }) => key)).size, searches.length);
  await soon(
    () => kept(page, "reviewed"),
    ({ length }) => length === 3,
  );

  const body = page.locator(".insights-body");
  await body.getByRole("heading", { name: "Costliest mistakes" }).waitFor();
  await soon(() => page.locator(".figures").innerText(), /3[\s\S]*1 · 1 · 1/);
  await page.getByText("You reached this position 2 times and played 2 different moves, scoring ½.").waitFor();
  const mistake = body.locator(".find", { hasText: "2… h4" }).first();
  await soon(
    () => mistake.locator("p").count(),
    (count) => count > 2,
    "it has reasons",
  );

  // Numbers on hover, and the same in a table for whoever cannot see the plot.
  const plot = body.locator(".plot-card", { has: page.getByRole("heading", { name: "Accuracy by colour" }) });
  const white = await plot.locator(".plot-row", { hasText: "White" }).getAttribute("title");
  const [, accuracy, moves] =
    /^White: accuracy ([\d.]+) ± [\d.]+ in (\d+) moves of 1 games?, score 100 %$/.exec(white) ?? [];
  assert.ok(accuracy, white);
  await plot.locator("summary").click();
  const told = await plot
    .getByRole("row", { name: /^White/ })
    .getByRole("cell")
    .allInnerTexts();
  assert.deepEqual([told[0], told[2], told[3]], [accuracy, moves, "1"]);
  await soon(() => plot.locator(".plot").getAttribute("aria-hidden"), "true");

  // The tree of the openings with Black: by either order of moves to one position.
  await body.getByRole("radio", { name: "Black" }).check();
  const way = async (...moves) => {
    for (const move of moves) await body.locator(".tree-moves button", { hasText: move }).click();
    const rows = body.locator(".tree-moves tbody");
    await soon(() => rows.innerText(), /c6[\s\S]*h4/);
    const found = await rows.innerText();
    await body.getByRole("button", { name: "Start" }).click();
    return found;
  };
  const there = await way("e4", "e5", "f3");
  assert.equal(await way("f3", "e5", "e4"), there);

  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${wide} px too wide at ${width}`);
    const gap = await page.evaluate(() => {
      const bottoms = [...document.querySelectorAll(".plots > *")].map((card) => card.getBoundingClientRect().bottom);
      return document.querySelector(".plots").nextElementSibling.getBoundingClientRect().top - Math.max(...bottoms);
    });
    assert.ok(gap >= 12, `${gap} px below the plots at ${width}`);
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
  await page.getByLabel("Files to import").setInputFiles({ name: "eve.pgn", mimeType: "text/plain", buffer });
  await page.waitForFunction(() => location.hash.includes("folder=eve"));
  await show(page, "#/coach");
  await status(page, "All 4 games have been reviewed.");
  assert.equal((await kept(page, "searches")).length, known.size);

  // A mistake leads to its game, behind the move.
  await page.locator(".find", { hasText: "2… h4" }).getByRole("link").first().click();
  await page.locator('.tree .move[aria-current="true"]', { hasText: "h4" }).waitFor();
  await page.done();
});

test("chess, Chess960 and Makruk of one player: a tree of openings for each, accuracy by game", async () => {
  const of = (moves, ...tags) =>
    ['[White "Ann"]', '[Black "Bob"]', ...tags, '[Result "1-0"]'].join("\n") + `\n\n${moves} 1-0\n`;
  const start960 = [
    '[Variant "Chess960"]',
    '[SetUp "1"]',
    '[FEN "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1"]',
  ];
  const games = [
    of("1. e4 e5 2. Nf3 Nc6"),
    of("1. e4 e5 2. Bc4 Nf6"),
    of("1. e4 d5 2. exd5 Qxd5"),
    of("1. e4 e5 2. f4 g5 3. Ne3", ...start960, '[Round "1"]'),
    of("1. e4 e5 2. d4 d5", ...start960, '[Round "2"]'),
    of("1. e4 d5 2. exd5 exd5", '[Variant "Makruk"]', '[Round "3"]'),
    of("1. e4 d5 2. d4 dxe4", '[Variant "Makruk"]', '[Round "4"]'),
  ];
  const page = await withGames({ reviewNodes: 200 }, games.join("\n"));
  await show(page, "#/coach");
  await page.getByRole("button", { name: "Review my games" }).click();
  await status(page, "All 7 games have been reviewed.");
  const body = page.locator(".insights-body");
  await body.getByRole("heading", { name: "Accuracy by game" }).waitFor();
  const game = body.locator(".tree-starts select");
  await soon(
    async () => (await game.locator("option").allInnerTexts()).sort(),
    ["Chess (3)", "Chess960 (2)", "Makruk (2)"],
  );
  const moves = () => body.locator(".tree-moves tbody th").allInnerTexts();
  for (const [name, reply] of [
    ["Makruk (2)", "d5"],
    ["Chess960 (2)", "e5"],
    ["Chess (3)", "e5"],
  ]) {
    await game.selectOption({ label: name });
    await soon(moves, ({ length }) => length === 1, name);
    await body.locator(".tree-moves button", { hasText: "e4" }).click();
    await soon(moves, ([first]) => first?.startsWith(reply), name);
  }
  await page.done();
});

test("who is written with a comma, as names are in games, gets cards of the background review", async () => {
  const games = [1, 2].map(
    (i) => `[White "Foe ${i}"]\n[Black "Menchik, Vera"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 Qh4 3. Nxh4 Nf6 4. d3 1-0\n`,
  );
  const page = await withGames({}, games.join("\n"));
  await show(page, "#/coach");
  await soon(() => page.getByLabel("Player").inputValue(), "Menchik, Vera");
  await page.getByRole("button", { name: "Review my games" }).click();
  await status(page, "All 2 games have been reviewed.");
  await show(page, "#/coach/cards");
  await page.locator('.desk[data-phase="ask"]').waitFor();
  await page.done();
});

test("a paused review stays where it is, over a reload too, and goes on from there", async () => {
  const page = await withGames({ reviewNodes: 20_000 });
  await show(page, "#/coach");
  await page.getByRole("button", { name: "Review my games" }).click();
  await page.waitForFunction(() => /[1-9]\d* positions searched/.test(document.querySelector(".insights").innerText));
  await page.getByRole("button", { name: "Pause" }).click();
  await status(page, "Paused");
  // The search that was under way may still have been written.
  await page.reload();
  await page.getByRole("button", { name: "Review my games" }).waitFor();
  const before = await kept(page, "searches");
  await page.waitForTimeout(1000);
  assert.deepEqual(await kept(page, "searches"), before, "nothing goes on by itself");
  await page.getByRole("button", { name: "Review my games" }).click();
  await status(page, "All 3 games have been reviewed.");
  const all = new Map((await kept(page, "searches")).map((search) => [search.key, search]));
  assert.ok(all.size > before.length);
  // What was found is not searched again, except deeper where a mark would appear.
  for (const search of before) {
    const now = all.get(search.key);
    if (now.nodes === search.nodes) assert.deepEqual(now, search);
    else assert.ok(now.nodes > search.nodes);
  }
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
  // A queen given away, which no number of threads and no book can see otherwise.
  await load(page, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Qg5 5. Nxg5 Nf6 6. d3 1-0");
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.locator(".judged-list").waitFor();
  await page.getByRole("button", { name: "Next mistake" }).click();
  await page.locator(".reasons p").first().waitFor();
  await soon(() => page.locator(".reasons").innerText(), /It is answered by|Better was/);
  // A number and its move are never apart, in a narrow window neither.
  await page.setViewportSize({ width: 390, height: 844 });
  const apart = await page
    .locator(".reasons .numbered")
    .evaluateAll((all) => all.filter((at) => at.getClientRects().length > 1).length);
  assert.equal(apart, 0);
  await page.locator(".reasons .numbered .figurine").first().waitFor();
  await page.waitForSelector(".table .layer-arrows > *", { state: "attached" });
  await page.done();
});

// Cards: from the review of a game to the board and back, files in and out, a database of before there were cards.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { clickMove, PATIENCE, requestsElsewhere, soon, start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

/** A reviewed game as the second version of the database had it. */
const GAME = {
  pgn: '[White "You"]\n[Black "Other"]\n[Result "*"]\n\n1. e4 e5 2. Qh5 Nf6 3. Qxf7+ Kxf7 *\n',
  review: {
    moves: ["e2e4", "e7e5", "d1h5", "g8f6", "h5f7", "e8f7"],
    found: [20, 20, 20, -20, 100, -800, -800].map((cp, i) => ({
      score: { cp },
      pv: { 3: ["b8c6", "f1c4"], 4: ["h5e5", "f8e7"], 5: ["e8f7"] }[i] ?? [],
    })),
    verdicts: [null, null, null, "mistake", "blunder", null],
  },
};

/** A page in a fresh profile whose database is of version 2 and has one game. */
async function withOldDatabase() {
  const context = await table.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  context.setDefaultTimeout(PATIENCE);
  const elsewhere = requestsElsewhere(context, table.address);
  const page = await context.newPage();
  const errors = [];
  // A file of the same place, so that nothing of the page runs yet.
  await page.goto(`${table.address}icon.svg`);
  await page.evaluate(async ({ pgn, review }) => {
    const db = await new Promise((resolve, reject) => {
      const asked = indexedDB.open("rukh", 2);
      asked.onupgradeneeded = () => {
        for (const name of ["rows", "texts", "keys", "pieces", "since"])
          asked.result.createObjectStore(name, { keyPath: "id" });
      };
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    });
    const about = { result: "*", date: "", event: "", eco: "C20", opening: "", plies: 6, folder: "", labels: [] };
    const row = { id: "g1", rev: 2, variant: "chess", white: "You", black: "Other", changed: 5, trashed: 0, ...about };
    const tx = db.transaction(["rows", "texts", "keys", "since"], "readwrite");
    tx.objectStore("rows").put(row);
    tx.objectStore("texts").put({ id: "g1", pgn, path: [], review });
    tx.objectStore("keys").put({ id: "g1", keys: new Uint32Array([1]) });
    tx.objectStore("since").put({ id: "g1", mark: 1 });
    await new Promise((resolve) => (tx.oncomplete = resolve));
    db.close();
  }, GAME);
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`${table.address}#/coach/cards`);
  await page.reload();
  await page.locator(".desk").waitFor();
  return { page, context, errors, elsewhere };
}

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No sideways scrolling from a phone to a large screen, and nothing serious for axe. */
async function fits(page) {
  for (const width of [390, 768, 1024, 1440, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await soon(
      () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      (wide) => wide <= 0,
      `too wide at ${width}`,
    );
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  const found = await page.evaluate(async (source) => {
    (0, eval)(source);
    const { violations } = await window.axe.run(document);
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
  }, axe);
  assert.deepEqual(found, []);
}

const phase = (page, name) => page.locator(`.desk[data-phase="${name}"]`).waitFor();
const figures = async (page) => (await page.locator(".desk-figures strong").allInnerTexts()).join();

test("a mistake of a reviewed game comes back until its better move is known", async () => {
  const { page, context, errors, elsewhere } = await withOldDatabase();
  await phase(page, "ask");
  await soon(() => figures(page), "1,0,0,1");
  await soon(() => page.locator(".subtabs .badge").innerText(), "1");
  await clickMove(page, "h5f7");
  await phase(page, "wrong");
  const said = await page.locator(".desk-text").innerText();
  assert.match(said, /was played in the game: it gives away \d+ %/);
  assert.match(said, /It is answered by/);
  assert.match(said, /queen/, "and why");
  await fits(page);
  await page.locator(".desk-line .move").first().click();
  await page.locator('rukh-board [data-square="f7"][aria-label*="black king"]').waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await phase(page, "ask");
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".desk-text").getByText("Look at the queen.").waitFor();
  await clickMove(page, "h5e5");
  await phase(page, "right");
  await soon(() => page.locator(".desk-text").innerText(), /It will come back in \d+/);
  await soon(() => figures(page), "0,2,1,1");
  // It is there after a reload, and so is the game.
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".desk-figures strong + span"));
  await soon(() => figures(page), /^0,2,1,1$/);

  // A file takes it to another browser.
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  const text = await readFile(await (await downloading).path(), "utf8");
  const other = await table.open("#/coach/cards");
  await other.locator(".desk-text").getByText("There are no cards yet.").waitFor();
  const give = (content) =>
    other
      .getByLabel("Card file")
      .setInputFiles({ name: "cards.json", mimeType: "application/json", buffer: Buffer.from(content) });
  await give(text.replace('"h5e5"', '"a1a8"'));
  await other.getByText("Card 1: good is missing or wrong.").waitFor();
  await soon(() => figures(other), "0,0,0,0");
  await give(text);
  await other.getByText("1 card was imported.").waitFor();
  await soon(() => figures(other), "0,2,1,1");
  await other.done();

  await page.getByRole("link", { name: "Library" }).click();
  await page.locator(".library-row").getByText("You – Other").waitFor();
  await context.close();
  assert.deepEqual([errors, elsewhere], [[], []]);
});

test("puzzles of a file are solved on the board, and the page remembers", async () => {
  const head = "code,variant,fen,moves,themes,difficulty,depth,nodes,points,second,source";
  const row =
    'bbbbbbbbbbbbb,chess,3r2k1/5ppp/8/8/8/8/4RPPP/4R1K1 w - - 0 1,e2e8 d8e8 e1e8,backRankMate clubNight,230,3,400,100.0,55.0,"Club game"';
  const page = await table.open("#/coach/cards");
  // The page's own are there from the first visit on; while they come, nobody is told that there are none.
  let come;
  const asked = new Promise((resolve) => (come = resolve));
  await page.route(/shipped/, (route) => asked.then(() => route.continue()));
  await page.evaluate(() => (location.hash = "#/coach/puzzles"));
  await phase(page, "reading");
  await soon(() => page.locator(".desk-text").innerText(), /^Loading/);
  come();
  await phase(page, "ask");
  await soon(
    () => figures(page),
    (all) => Number(all.split(",").at(-1)) > 100,
  );
  const give = (text) =>
    page
      .getByLabel("Puzzle file")
      .setInputFiles({ name: "puzzles.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await give(`${head}\n${row.replace("e1e8", "e1a8")}\n`);
  await page.getByText("Line 2: moves is missing or wrong").waitFor();
  await give(`${head}\n${row}\n`);
  await page.getByText("1 puzzle was imported.").waitFor();
  await page.getByLabel("Theme").selectOption("clubNight");
  await clickMove(page, "e2e7");
  await page.locator(".desk-text").getByText("does not win").waitFor();
  await fits(page);
  await clickMove(page, "e2e8");
  await page.locator(".desk-text").getByText("Good. And now?").waitFor();
  await clickMove(page, "e1e8");
  await phase(page, "solved");
  await soon(() => page.locator(".desk-text").innerText(), /back-rank mate.*Club game/s);
  // What is there already is not offered; what is missing is.
  const more = page.getByRole("button", { name: "Add the built-in puzzles" });
  await more.waitFor({ state: "hidden" });
  await page.reload();
  await phase(page, "ask");
  await page.getByRole("button", { name: "Open a file" }).waitFor();
  assert.equal(await more.isVisible(), false);
  await page.evaluate(async () => {
    const db = await new Promise((resolve) => {
      const opening = indexedDB.open("rukh");
      opening.onsuccess = () => resolve(opening.result);
    });
    const store = db.transaction("puzzles", "readwrite").objectStore("puzzles");
    await new Promise(
      (resolve) =>
        (store.openKeyCursor().onsuccess = ({ target: { result } }) => {
          store.delete(result.primaryKey).onsuccess = resolve;
        }),
    );
    db.close();
  });
  await page.reload();
  await more.click();
  await more.waitFor({ state: "hidden" });
  await page.getByLabel("Theme").selectOption("clubNight");
  await page.locator(".desk-text").getByText("Missed puzzles come back after a day.").waitFor();
  await soon(() => figures(page), /,0,1,0$/);
  await page.done();
});

test("lessons deal a Makruk ending that is won within the count, and answer", async () => {
  const page = await table.open("#/coach/lessons");
  await phase(page, "play");
  const said = () => page.locator(".desk-text").innerText();
  await fits(page);
  await soon(() => said(), /You need (one move|\d+ moves) and have \d+\./);
  // Thai figures are drawn with the letters that came: as wide as when they are drawn anew.
  await page.evaluate(() => document.fonts.ready);
  const [first, anew] = await page.evaluate(() => {
    const figures = document.querySelector(".count-thai");
    const width = () => figures.getBoundingClientRect().width;
    return [width(), ((figures.style.fontWeight = 561), width())];
  });
  assert.ok(Math.abs(first - anew) < 0.5, `${first} px, anew ${anew} px`);
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".layer-arrows path").first().waitFor();
  await page.getByRole("button", { name: /^Rua ☆☆☆/ }).click();
  await page.locator('.desk-endings [aria-pressed="true"]', { hasText: /^Rua ☆/ }).waitFor();
  await phase(page, "play");
  await soon(() => page.locator("rukh-board .layer-pieces > *").count(), 3);
  await page.done();
});

test("whoever leaves a lesson while it is made hears nothing of it", async () => {
  const page = await table.open("#/play");
  // In the page itself: on a fast machine it is soon made.
  await page.evaluate(async () => {
    location.hash = "#/coach/lessons";
    while (!/Generating the tablebases/.test(document.querySelector(".desk")?.innerText ?? ""))
      await new Promise((resolve) => setTimeout(resolve));
    location.hash = "#/play";
  });
  await page.locator(".play rukh-board").waitFor();
  await page.waitForTimeout(500);
  assert.deepEqual(await page.locator(".notice").allInnerTexts(), []);
  await page.done();
});

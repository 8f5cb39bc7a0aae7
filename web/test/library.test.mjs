// The library: nothing is lost, many games are quick, several tabs agree.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { clickMove, load, LONG, PATIENCE, soon, start, told } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const quiet = `localStorage.setItem("rukh.settings", '{"engineOn":false}')`;

/** The titles of the rows in sight. */
const titles = (page) => page.locator(".library-title").allInnerTexts();
const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.ready);
/** Waits until the library has what is on the board. */
const kept = (page) =>
  page.waitForFunction(() =>
    Object.entries(localStorage)
      .filter(([key]) => key.startsWith("rukh.study."))
      .every(([, text]) => !JSON.parse(text).dirty),
  );

/** Many different games as one text. */
function manyGames(count, from = 0) {
  const openings = [
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
    "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4",
    "1. c4 e5 2. g3 Nf6",
    "1. e4 c5 2. Nf3 d6",
  ];
  const results = ["1-0", "0-1", "1/2-1/2"];
  let text = "";
  for (let i = from; i < from + count; i += 1)
    text += `[Event "Round ${i % 90}"]\n[White "Player ${i % 997}"]\n[Black "Rival ${i % 1009}"]\n[Date "${1900 + (i % 125)}.01.01"]\n[Result "${results[i % 3]}"]\n\n${openings[i % 4]} ${results[i % 3]}\n\n`;
  return text;
}

/** A Zstandard frame of one block that is not compressed. */
function zstd(text) {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(12);
  head.writeUInt32LE(0xfd2fb528, 0);
  head[4] = 0xa0;
  head.writeUInt32LE(bytes.length, 5);
  head.writeUIntLE(1 | (bytes.length << 3), 9, 3);
  return Buffer.concat([head, bytes]);
}

/** Waits until no game is outside the packed list. */
const packed = (page) =>
  page.waitForFunction(async () => {
    const db = await new Promise((resolve) => {
      const opening = indexedDB.open("rukh");
      opening.onsuccess = () => resolve(opening.result);
    });
    const count = await new Promise((resolve) => {
      const counting = db.transaction("since").objectStore("since").count();
      counting.onsuccess = () => resolve(counting.result);
    });
    db.close();
    return count === 0;
  });

test("games are kept whatever is opened next, found again, thrown away and brought back", async () => {
  const page = await table.open("#/analyse", {
    // The only game of the page before it had a library.
    init: `${quiet}; if (!localStorage.seeded) { localStorage.seeded = 1; localStorage.setItem("rukh.study", JSON.stringify({ pgn: '[White "Old"]\\n[Black "Slot"]\\n\\n1. g4 {kept} *', path: ["g2g4"] })); }`,
  });
  await soon(() => page.locator(".tree").innerText(), /kept/);
  await load(page, '[White "Morphy"]\n[Black "Anderssen"]\n[Date "1858.12.??"]\n\n1. e4 e5 {my words} 2. f4 1-0');
  await page.keyboard.press("ArrowDown");
  await clickMove(page, "e5f4");
  // A link, a pasted game and a game from elsewhere come to the board.
  await page.evaluate(() => (location.hash = "#/analyse?moves=d2d4"));
  await soon(() => page.locator(".tree").innerText(), /d4/);
  await load(page, '[White "Second"]\n[Black "One"]\n\n1. c4 *');
  await kept(page);
  await page.getByRole("link", { name: "Library" }).click();
  await page.locator(".library-row").first().waitFor();
  await soon(async () => (await titles(page)).sort(), ["Morphy – Anderssen", "Old – Slot", "Second – One"]);
  await page.getByLabel("Search games").fill("morphy king");
  await page.waitForFunction(() => document.querySelectorAll(".library-row").length === 1);
  await page.getByLabel("Select Morphy – Anderssen").check();
  await page.getByRole("button", { name: "Move to trash" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".library-row").length === 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(".library-row").waitFor();
  await page.getByLabel("Select Morphy – Anderssen").check();
  await page.getByRole("button", { name: "Folder …" }).click();
  await page.getByLabel("Folder", { exact: true }).fill("Gambits");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: /Gambits/ }).click();
  await page.locator(".library-open").click();
  await page.waitForFunction(() => /my words/.test(document.querySelector(".tree")?.textContent ?? ""));
  await soon(() => page.locator(".tree").innerText(), /exf4/, "the move that was added is there");
  await soon(() => page.locator(".game-steps").innerText(), /Game 1 of 1/);
  await page.getByRole("link", { name: "Library" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export all as PGN" }).click();
  const pgn = (await (await (await download).createReadStream()).toArray()).join("");
  for (const part of ['[RukhFolder "Gambits"]', "exf4", "{kept}", '[White "Second"]'])
    assert.ok(pgn.includes(part), part);
  await page.done();
});

test("the packed list is what the games are, after writing, throwing away and packing", async () => {
  const page = await table.open("#/library", { init: quiet });
  await page.getByRole("heading", { name: "No games yet" }).waitFor();
  const buffer = Buffer.from(manyGames(700));
  await page.getByLabel("Files to import").setInputFiles({ name: "many.pgn", mimeType: "text/plain", buffer });
  await page.getByRole("link", { name: "many 700" }).waitFor();
  await page.getByLabel("Select all").check();
  await page.getByRole("button", { name: "Labels …" }).click();
  await page.getByLabel("Labels", { exact: true }).fill("blitz");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".tag-chip").first().waitFor();
  await page.getByLabel("Select Player 3 – Rival 3").check();
  await page.getByRole("button", { name: "Move to trash" }).click();
  await page.getByText("699 games", { exact: true }).waitFor();
  // Once from the marks beside the pieces, then from the pieces alone.
  for (const where of ["marks", "pieces"]) {
    await page.reload();
    await page.getByRole("link", { name: "many 699" }).waitFor();
    await soon(() => page.locator(".tag-chip").first().innerText(), "blitz", where);
    await soon(() => page.getByRole("link", { name: /Trash/ }).innerText(), /1/, where);
    await packed(page);
  }
  await page.done();
});

test("damaged games are named, and take no other with them", async () => {
  const page = await table.open("#/library", { init: quiet });
  const game = (white) => `[White "${white}"]\n[Black "Zoe"]\n\n1. e4 e5 1-0\n\n`;
  const buffer = Buffer.from(["Ann", "Bob", "Cid"].map(game).join(""));
  await page.getByLabel("Files to import").setInputFiles({ name: "three.pgn", mimeType: "text/plain", buffer });
  await page.locator(".library-row").nth(2).waitFor();
  await page.evaluate(async () => {
    const answer = (asked) => new Promise((resolve) => (asked.onsuccess = () => resolve(asked.result)));
    const db = await answer(indexedDB.open("rukh"));
    const tx = db.transaction(["rows", "texts", "keys", "pieces", "since"], "readwrite");
    const [ann, bob] = (await answer(tx.objectStore("rows").getAll())).sort((a, b) => (a.white < b.white ? -1 : 1));
    tx.objectStore("rows").put({ ...ann, white: 5, labels: "x", date: {} });
    tx.objectStore("texts").put({ id: bob.id, pgn: "", path: 7, lineage: 7, review: { found: 1 } });
    tx.objectStore("keys").put({ id: bob.id, keys: "x" });
    tx.objectStore("pieces").put({ id: "junk", rows: "{" });
    for (const { id } of [ann, bob]) tx.objectStore("since").put({ id, mark: 0 });
    await new Promise((resolve) => (tx.oncomplete = resolve));
    db.close();
  });
  await page.reload();
  await ready(page);
  await soon(async () => (await titles(page)).sort(), ["? – Zoe", "Bob – Zoe", "Cid – Zoe"]);
  await page.getByText("Bob – Zoe").click();
  await told(page, "This game cannot be read: its text is damaged.");
  await page.evaluate(() => (location.hash = "#/library"));
  await page.getByText("? – Zoe").click();
  await soon(() => page.locator(".study-status").innerText(), /Ann – Zoe/);
  await page.evaluate(() => (location.hash = "#/coach"));
  await soon(() => page.locator("main select").first().innerText(), /Zoe \(\d\)/);
  await page.done();
});

test("files with many games, packed or not, are read into a list with previous and next", async () => {
  const page = await table.open("#/library", { init: quiet });
  await page.getByText("0 games", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "No games yet" }).waitFor();
  const files = page.getByLabel("Files to import");
  const text = `${manyGames(40)}[Event "bad"]\n\n1. Ke5 *\n`;
  await files.setInputFiles({ name: "club.pgn.gz", mimeType: "application/gzip", buffer: gzipSync(text) });
  await told(page, "1 of 41 games could not be read. Game 41");
  await page.getByRole("link", { name: "club 40" }).waitFor();
  await files.setInputFiles({ name: "more.pgn.zst", mimeType: "application/zstd", buffer: zstd(manyGames(30, 40)) });
  await page.getByRole("link", { name: "more 30" }).waitFor();
  // The same again: nothing is stored twice, unless somebody wants it.
  const twice = { name: "twice.pgn", mimeType: "text/plain", buffer: Buffer.from(manyGames(3)) };
  await files.setInputFiles(twice);
  const known = page.locator(".notice", { hasText: "3 games were already there." });
  await known.waitFor();
  await page.getByText("70 games", { exact: true }).waitFor();
  await known.getByRole("button", { name: "Import the duplicates too" }).click();
  await page.getByRole("link", { name: "twice 3" }).waitFor();
  await page.getByRole("link", { name: "club 40" }).click();
  await page.getByText("40 games", { exact: true }).waitFor();
  await page.locator(".library-open").first().click();
  await page.waitForFunction(() => /Game 1 of 40/.test(document.querySelector(".game-steps")?.textContent ?? ""));
  await page.getByRole("button", { name: "Next game" }).click();
  await page.waitForFunction(() =>
    /Player 1 – Rival 1/.test(document.querySelector(".study-status")?.textContent ?? ""),
  );
  // By position: the Spanish of this list.
  await page.getByRole("link", { name: "Game 2 of 40" }).click();
  await page
    .getByLabel("Position", { exact: true })
    .fill("r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R_b_KQkq_-_3_3");
  await page.getByLabel("Position", { exact: true }).press("Enter");
  await page.getByText("10 games", { exact: true }).waitFor();
  await page.done();
});

test("games come in by folder and by paste", async () => {
  const page = await table.open("#/library", { init: quiet });
  await page.getByRole("heading", { name: "No games yet" }).waitFor();
  const folder = mkdtempSync(join(tmpdir(), "rukh-folder-"));
  mkdirSync(join(folder, "older"));
  writeFileSync(join(folder, "new.pgn"), manyGames(2));
  writeFileSync(join(folder, "older", "old.pgn.gz"), gzipSync(manyGames(3, 10)));
  writeFileSync(join(folder, "notes.txt"), "no games");
  const chooser = page.getByLabel("Folder to import");
  await chooser.setInputFiles(folder);
  await told(page, "5 games are in the library now.");
  await page.getByRole("link", { name: "old 3" }).waitFor();
  await page.getByRole("link", { name: "new 2" }).waitFor();
  for (const name of ["new.pgn", "older"]) rmSync(join(folder, name), { recursive: true });
  await chooser.setInputFiles(folder);
  await told(page, "There are no PGN files in this folder.");
  rmSync(folder, { recursive: true });
  await page.evaluate(
    (text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    },
    manyGames(4, 50),
  );
  await page.getByRole("link", { name: "Pasted 4" }).waitFor();
  await page.done();
});

test("files are taken wherever they are dropped, in old letters too", async () => {
  const page = await table.open("#/play", { init: quiet });
  const drop = async (selector, name, bytes) => {
    const dataTransfer = await page.evaluateHandle(
      ([name, bytes]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(bytes)], name));
        return data;
      },
      [name, [...bytes]],
    );
    await page.dispatchEvent(selector, "drop", { dataTransfer });
  };
  await drop("main", "club.pgn", Buffer.from(manyGames(3)));
  await page.getByRole("link", { name: "club 3" }).waitFor();
  // One game on the board's own section is opened there.
  await page.evaluate(() => (location.hash = "#/analyse"));
  await page.locator(".table.study").waitFor();
  await drop(".table", "one.pgn", Buffer.from('[White "Müller"]\n[Black "Jörg"]\n\n1. e4 *\n', "latin1"));
  await page.locator(".study-status", { hasText: "Müller – Jörg" }).waitFor();
  await drop(".table", "wide.pgn", Buffer.from('\ufeff[White "Široká"]\n[Black "B"]\n\n1. d4 *\n', "utf16le"));
  await page.locator(".study-status", { hasText: "Široká – B" }).waitFor();
  // Of a file that breaks off, what stands before the break is kept.
  await page.evaluate(() => (location.hash = "#/library"));
  await page.locator(".library-row").first().waitFor();
  const whole = gzipSync(manyGames(900, 100));
  await drop("main", "cut.pgn.gz", whole.subarray(0, whole.length / 2));
  await told(page, "cut.pgn.gz is damaged or incomplete");
  await soon(async () => Number((await page.locator(".folder", { hasText: "cut" }).innerText()).split("\n")[1]), (n) => n > 100 && n < 900); // prettier-ignore
  await page.done();
});

test("everything is exported whatever is looked for, and the list comes back after an empty one", async () => {
  const page = await table.open("#/library", { init: quiet });
  const games = { name: "club.pgn", mimeType: "text/plain", buffer: Buffer.from(manyGames(8)) };
  await page.getByLabel("Files to import").setInputFiles(games);
  await page.getByRole("link", { name: "club 8" }).waitFor();
  const field = page.getByLabel("Position", { exact: true });
  await field.fill("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1");
  await field.press("Enter");
  await page.getByText("2 games", { exact: true }).waitFor();
  const words = page.getByLabel("Search games");
  await words.fill("Player 5");
  await page.getByText("1 game", { exact: true }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export all as PGN" }).click(),
  ]);
  const pgn = Buffer.concat(await (await download.createReadStream()).toArray()).toString();
  assert.equal(pgn.match(/^\[Event /gm).length, 8);
  await page.getByText("1 game", { exact: true }).waitFor();
  await words.evaluate((input) => {
    for (const text of ["nobody", ""]) {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
  });
  await soon(() => page.locator(".library-row").count(), 2);
  await field.fill("nowhere");
  await field.press("Enter");
  await told(page, "This is neither a FEN nor a position code");
  await page.done();
});

test("two tabs with the same game: both see changes, and neither loses any", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await load(page, '[White "Shared"]\n[Black "Game"]\n\n1. e4 *');
  await kept(page);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await ready(other);
  await other.waitForFunction(() => /e4/.test(document.querySelector(".tree")?.textContent ?? ""));
  await other.keyboard.press("ArrowDown");
  await clickMove(other, "e7e5");
  // The tab that has changed nothing follows.
  await page.waitForFunction(() => /e5/.test(document.querySelector(".tree")?.textContent ?? ""));
  // Both change it at the same moment: one becomes a game of its own, or a variation if it has heard of the other in time.
  await page.keyboard.press("ArrowDown");
  const type = (tab, move) =>
    tab.evaluate((text) => {
      const field = document.querySelector(".typed");
      field.value = text;
      field.form.requestSubmit();
    }, move);
  await Promise.all([type(page, "Nf3"), type(other, "Nc3")]);
  await kept(page);
  await page.goto(table.address + "#/library");
  await page.locator(".library-row").first().waitFor();
  const texts = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const asked = indexedDB.open("rukh");
        asked.onsuccess = () => {
          const all = asked.result.transaction("texts").objectStore("texts").getAll();
          all.onsuccess = () => resolve(all.result.map(({ pgn }) => pgn).join("\n"));
        };
      }),
  );
  assert.match(texts, /Nf3/);
  assert.match(texts, /Nc3/);
  await page.done();
});

test(`a tab that is killed while it writes loses nothing, ${LONG ? 100 : 4} times`, async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const context = page.context();
  await load(page, '[White "Killed"]\n[Black "Tab"]\n\n1. e4 *');
  await kept(page);
  const times = LONG ? 100 : 4;
  let current = page;
  for (let i = 0; i < times; i += 1) {
    await current.keyboard.press("ArrowDown");
    await current.evaluate((text) => {
      const field = document.querySelector(".comment-field");
      field.value = text;
      field.dispatchEvent(new Event("change"));
    }, `word number ${i}.`);
    // Now or a moment later, in the middle of writing.
    if (i % 3) await new Promise((resolve) => setTimeout(resolve, (7 * i) % 40));
    const session = await context.newCDPSession(current);
    const gone = current.waitForEvent("crash");
    session.send("Page.crash").catch(() => undefined);
    await gone;
    current = await context.newPage();
    await current.goto(`${table.address}#/analyse`);
    await ready(current);
    await current.waitForFunction(
      (text) => document.querySelector(".tree")?.textContent.includes(text),
      `word number ${i}.`,
      { timeout: PATIENCE },
    );
  }
  await kept(current);
  await current.goto(`${table.address}#/library`);
  await current.locator(".library-row").first().waitFor();
  // On a very busy machine a killed tab may still leave a copy: too much, but nothing is lost.
  const found = await titles(current);
  if (found.length > 1) console.log(`# ${found.length - 1} surplus copies`);
  assert.ok(found.length <= 1 + times && found.every((title) => title === "Killed – Tab"), found.join());
  await context.close();
});

test("a hundred thousand games are listed and filtered within 100 ms", { skip: !LONG && "long" }, async () => {
  const page = await table.open("#/library", { init: quiet });
  await page.getByText("0 games", { exact: true }).waitFor();
  // Straight into the data base: reading so many games from a file takes minutes, and is tested with fewer.
  await page.evaluate(async () => {
    const db = await new Promise(
      (resolve) => (indexedDB.open("rukh").onsuccess = ({ target }) => resolve(target.result)),
    );
    const openings = ["Sicilian Defense", "Ruy Lopez", "English Opening", "Nimzo-Indian Defense"];
    const results = ["1-0", "0-1", "1/2-1/2"];
    for (let from = 0; from < 100_000; from += 5000) {
      // As a library of before the list was packed has them.
      const tx = db.transaction(["rows", "since"], "readwrite");
      tx.objectStore("since").put({ id: "*", mark: from });
      for (let i = from; i < from + 5000; i += 1)
        tx.objectStore("rows").put({
          id: crypto.randomUUID(),
          rev: 1,
          variant: "chess",
          white: `Player ${i % 997}`,
          black: `Rival ${i % 1009}`,
          result: results[i % 3],
          date: `${1900 + (i % 125)}.01.01`,
          event: `Round ${i % 90}`,
          eco: "B20",
          opening: openings[i % 4],
          plies: 80,
          folder: "big",
          labels: [],
          changed: 1e12 - i,
          trashed: 0,
        });
      await new Promise((resolve) => (tx.oncomplete = resolve));
    }
    db.close();
  });
  const list = () => page.getByRole("link", { name: "big 100,000" }).waitFor({ timeout: 600_000 });
  const opening = async () => {
    const began = performance.now();
    await page.reload();
    await list();
    return Math.round(performance.now() - began);
  };
  // Nobody has told the page of these games.
  console.log("# opened game by game", await opening());
  await packed(page);
  console.log("# opened packed", await opening(), await opening());
  await page.waitForTimeout(2000);
  // What the page's thread works, not what the clock says: others use the machine too.
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const worked = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
  };
  const measure = async () => {
    const times = {};
    for (const words of ["player 42", "sicilian", "rival 7 1990", ""]) {
      const before = await worked();
      const wall = await page.evaluate((text) => {
        const at = performance.now();
        const field = document.querySelector("input[type=search]");
        field.value = text;
        field.dispatchEvent(new Event("input"));
        document.body.getBoundingClientRect();
        return performance.now() - at;
      }, words);
      times[words || "all"] = { worked: Math.round((await worked()) - before), wall: Math.round(wall) };
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    return times;
  };
  console.log("# first", JSON.stringify(await measure()));
  const best = {};
  for (let i = 0; i < 10; i += 1)
    for (const [words, { worked, wall }] of Object.entries(await measure()))
      best[words] = {
        worked: Math.min(worked, best[words]?.worked ?? worked),
        wall: Math.min(wall, best[words]?.wall ?? wall),
      };
  console.log("# best", JSON.stringify(best));
  assert.ok(
    Object.values(best).every(({ worked }) => worked < 100),
    JSON.stringify(best),
  );
  const opened = await page.evaluate(async () => {
    location.hash = "#/analyse";
    while (!document.querySelector(".study")) await new Promise((resolve) => setTimeout(resolve, 10));
    const at = performance.now();
    location.hash = "#/library";
    while (!document.querySelector(".library-row")) await new Promise((resolve) => setTimeout(resolve, 1));
    return performance.now() - at;
  });
  console.log(`# list opened after ${Math.round(opened)} ms`);
  // With the Coach open: its own work, and what a game that is written meanwhile costs.
  const work = async (act) => {
    const before = await worked();
    await act();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
    return Math.round((await worked()) - before);
  };
  const coach = await work(async () => {
    await page.evaluate(() => (location.hash = "#/coach/insights"));
    await page.getByLabel("Player").waitFor({ timeout: 600_000 });
  });
  const changed = await work(() =>
    page.evaluate(() => {
      const channel = new BroadcastChannel("rukh.library");
      for (let i = 0; i < 10; i += 1) channel.postMessage([]);
      channel.close();
    }),
  );
  const review = (player) =>
    work(async () => {
      await page.getByLabel("Player").selectOption(player);
      const act = page.getByRole("button", { name: "Review my games" });
      if (await act.isVisible()) await act.click();
      await page
        .locator(".insights [role=status]", { hasText: /games have been reviewed/ })
        .waitFor({ timeout: 600_000 });
    });
  // The first one loads the engine, too.
  const queued = [await review("Player 0"), await review("Player 1"), await review("Player 10")];
  console.log(
    `# the Coach: opened with ${coach} ms of work, ten changes of the library ${changed} ms, reviews of 101 games ${queued}`,
  );
  assert.ok(coach < 1500 && changed < 1500 && queued[2] < 1500, JSON.stringify({ coach, changed, queued }));
  await page.done();
});

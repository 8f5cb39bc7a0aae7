// Analyse, Review and Explore.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createRules, encode } from "rukh-engine";
import { click, clickMove, LATE, load, LONG, soon, start, told } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const GAME = `[Event "Opera"]
[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 {[%clk 0:10:00][%eval 0.3]} e5 2. Nf3 d6 3. d4 Bg4?! {a doubtful pin} 4. dxe5 Bxf3 (4... Nc6 $2 5. exd6 (5. Bb5 a6) 5... Bxd6) 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
`;

const quiet = `localStorage.setItem("rukh.settings", '{"engineOn":false}')`;

test("a pasted PGN with variations is shown, walked through and written again", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await load(page, GAME);
  const tree = page.locator(".tree");
  await page.waitForSelector(".variation");
  await soon(() => page.locator(".tree > .variation").count(), 1);
  await soon(() => page.locator(".variation .variation").count(), 1);
  await soon(() => tree.innerText(), /a doubtful pin/);
  await soon(() => page.locator(".study-status").innerText(), /Morphy – Duke and Count/);
  await page.keyboard.press("ArrowDown");
  await soon(() => page.locator(".study-status").innerText(), /checkmate/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await soon(() => page.url(), /moves=e2e4$/);
  // A sign by keyboard keeps the focus; a variation becomes the main line and goes away.
  await page.getByRole("button", { name: "Good" }).press("Enter");
  await soon(() => page.evaluate(() => document.activeElement.getAttribute("aria-pressed")), "true");
  await page.locator(".tree > .variation .move").first().click();
  await page.getByRole("button", { name: "Make this the main line" }).click();
  await soon(() => page.locator(".variation .move[aria-current]").count(), 0);
  await soon(() => page.getByRole("button", { name: "Make this the main line" }).isDisabled(), true);
  await page.locator(".tree > .variation .move").first().click();
  await page.getByRole("button", { name: "Make this the main line" }).click();
  await page.getByRole("button", { name: "Import / export" }).click();
  const out = await page
    .getByLabel("PGN of the game")
    .inputValue()
    .then((text) => text.replace(/\s+/g, " "));
  for (const part of [
    "[%clk 0:10:00]",
    "[%eval 0.30]",
    "Bg4 $6",
    "{a doubtful pin}",
    "(4... Nc6 $2 5. exd6 (5. Bb5 a6) 5... Bxd6)",
    "17. Rd8# 1-0",
  ])
    assert.ok(out.includes(part), `${part} in ${out}`);
  await page.keyboard.press("Escape");
  await page.done();
});

test("moves by drag, click, keyboard and typing; a wrong one is named", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const box = await page.locator(".table rukh-board").boundingBox();
  const at = (file, rank) => [box.x + (box.width * (file + 0.5)) / 8, box.y + (box.height * (7.5 - rank)) / 8];
  await page.mouse.move(...at(4, 1));
  await page.mouse.down();
  await page.mouse.move(...at(4, 2), { steps: 3 });
  await page.mouse.move(...at(4, 3), { steps: 3 });
  await page.mouse.up();
  await clickMove(page, "e7e5");
  await page.keyboard.press("m");
  await page.keyboard.type("Nf3");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Ke4");
  await page.keyboard.press("Enter");
  await soon(() => page.locator(".typed-form .error").innerText(), /not a legal move/);
  await soon(() => page.url(), /moves=e2e4,e7e5,g1f3$/);
  // Right drag draws an arrow, right click a circle.
  await page.mouse.move(...at(0, 0));
  await page.mouse.down({ button: "right" });
  await page.mouse.move(...at(0, 3));
  await page.mouse.up({ button: "right" });
  await soon(() => page.locator(".layer-drawn path").count(), 1);
  await page.done();
});

test("arrows keep their colours, and what was removed or replaced comes back", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await load(page, "1. e4 {[%csl Rd4][%cal Be4e5]} e5 2. Nf3 *");
  await page.keyboard.press("ArrowRight");
  const box = await page.locator(".table rukh-board").boundingBox();
  const at = (file, rank) => [box.x + (box.width * (file + 0.5)) / 8, box.y + (box.height * (7.5 - rank)) / 8];
  // A yellow one and a red one are added: the others are as they were in the file.
  for (const [file, ...keys] of [
    [0, "Shift", "Alt"],
    [1, "Control"],
  ]) {
    for (const key of keys) await page.keyboard.down(key);
    await page.mouse.move(...at(file, 0));
    await page.mouse.down({ button: "right" });
    await page.mouse.move(...at(file, 3));
    await page.mouse.up({ button: "right" });
    for (const key of keys) await page.keyboard.up(key);
  }
  const pgn = async () => {
    await page.getByRole("button", { name: "Import / export" }).click();
    const text = await page.getByLabel("PGN of the game").inputValue();
    await page.keyboard.press("Escape");
    return text;
  };
  const drawn = await pgn();
  for (const part of ["Rd4", "Be4e5", "Ya1a4", "Rb1b4"]) assert.ok(drawn.includes(part), `${part} in ${drawn}`);
  // Playing on keeps them; a click on nothing takes them away, and Undo brings them back.
  await clickMove(page, "e7e5");
  await page.getByRole("button", { name: "Back", exact: true }).click();
  await soon(() => pgn(), drawn);
  await click(page, "d5");
  await soon(pgn, (text) => !/%c[sa]l/.test(text));
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(() => pgn(), drawn);
  await page.keyboard.press("Delete");
  await soon(() => page.locator(".tree .move").count(), 0);
  await load(page, "1. d4 *");
  await page.getByRole("button", { name: "Undo" }).click();
  await soon(() => pgn(), drawn);
  await soon(() => page.getByRole("button", { name: "Undo" }).isDisabled(), true);
  await page.done();
});

test("the editor leaves the arrows of a move alone", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await load(page, "1. e4 {[%csl Rd4][%cal Be4e5]} *");
  await page.keyboard.press("ArrowRight");
  await page.getByRole("button", { name: "Edit position" }).click();
  await soon(() => page.locator(".layer-drawn path").count(), 0);
  await click(page, "d5");
  await page.locator('.table rukh-board [data-square="h2"]').click({ button: "right" });
  await page.getByRole("button", { name: "Cancel" }).click();
  await soon(() => page.locator(".layer-drawn path").count(), 1);
  await page.getByRole("button", { name: "Import / export" }).click();
  await soon(() => page.getByLabel("PGN of the game").inputValue(), /\[%csl Rd4\] \[%cal Be4e5\]/);
  await page.done();
});

test("arrows look like what their colours are called", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await table.open("#/analyse", { init: quiet, colorScheme });
    await load(page, "1. e4 {[%cal Ra2a4,Gb2b4,Bc2c4,Yd2d4]} *");
    await page.keyboard.press("ArrowRight");
    const fills = await page
      .locator(".layer-drawn path")
      .evaluateAll((paths) => paths.map((path) => getComputedStyle(path).fill.match(/\d+/g).map(Number)));
    const name = ([r, g, b]) => (r > 1.5 * g ? "red" : g > 1.2 * r && g > b ? "green" : b > r ? "blue" : "yellow");
    assert.deepEqual(fills.map(name), ["red", "green", "blue", "yellow"], JSON.stringify(fills));
    await page.done();
  }
});

test("phones and tablets have the move in sight under the engine’s lines", async () => {
  const page = await table.open("#/analyse", { hasTouch: true });
  await load(page, GAME);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowLeft");
  await page.locator(".lines .pv-move").first().waitFor();
  for (const [width, height] of [
    [390, 844],
    [768, 1024],
    [844, 390],
  ]) {
    await page.setViewportSize({ width, height });
    await page.waitForFunction(() => {
      const move = document.querySelector('.tree [aria-current="true"]').getBoundingClientRect();
      const keys = document.querySelector(".walk");
      const end = getComputedStyle(keys).position === "fixed" ? keys.getBoundingClientRect().top : innerHeight;
      return move.bottom <= Math.min(end, document.querySelector(".tree").getBoundingClientRect().bottom + 1);
    });
    // A number and its move stand in one row.
    const apart = await page
      .locator(".lines .tree-number")
      .evaluateAll((numbers) => numbers.filter((one) => one.nextElementSibling?.offsetTop > one.offsetTop + 10).length);
    assert.equal(apart, 0);
  }
  await page.done();
});

test("engine lines come with arrows, figures and a bar; a click plays; the switch is remembered", async () => {
  const page = await table.open("#/analyse?moves=e2e4,e7e5,g1f3,b8c6");
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 4);
  await soon(() => page.locator(".lines li").count(), 2);
  await page.keyboard.press("+");
  await page.waitForFunction(() => document.querySelectorAll(".lines li .line-score").length === 3);
  await page.waitForFunction(() => document.querySelectorAll(".layer-arrows path").length === 3);
  await soon(() => page.locator(".figures").innerText(), /depth \d+\/\d+[^]*nodes[^]*\/s[^]*hash/);
  await soon(() => page.locator(".evalbar").getAttribute("aria-valuetext"), /White is expected to score \d+ %/);
  // A line is whole when somebody wants it so; what is under the pointer covers no other line.
  const height = () => page.locator(".lines li:first-child").evaluate((row) => row.offsetHeight);
  const one = await height();
  await page.locator(".lines li:first-child .pv-move").first().hover();
  assert.equal(await height(), one);
  await page.locator(".lines li:nth-child(2) .pv-move").first().hover();
  const more = page.getByRole("button", { name: "Whole line" }).first();
  await more.click();
  await soon(height, (now) => now > one + 15);
  await more.click();
  await soon(height, one);
  await page.locator(".lines li:first-child .pv-move").nth(1).hover();
  await page.locator(".preview:visible").waitFor();
  await page.locator(".lines li:first-child .pv-move").nth(1).click();
  await soon(() => page.locator(".tree .move").count(), 6);
  await page.keyboard.press("x");
  await page.waitForSelector('.layer-arrows path[style*="threat"]');
  await page.keyboard.press("x");
  await page.keyboard.press("e");
  await soon(() => page.locator(".lines").innerText(), /engine is off/);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  await soon(() => page.locator(".lines").innerText(), /engine is off/);
  await soon(() => page.locator(".tree .move").count(), 6);
  await page.done();
});

test("an engine that could not be loaded is named, and tried again", async () => {
  const page = await table.open("#/library", { serviceWorkers: "block" });
  await page.route("**/worker-*.js", (route) => route.abort());
  await page.evaluate(() => (location.hash = "#/analyse"));
  await page.locator(".engine-card", { hasText: "the worker could not be started" }).waitFor();
  await page.unroute("**/worker-*.js");
  await page.keyboard.press("m");
  await page.keyboard.type("e4");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".lines .tree-number")?.textContent === "1…");
  // What was not loaded stands on the console.
  page.errors.splice(0);
  await page.done();
});

test("a hidden page lets the engine rest, a shown one goes on", async () => {
  const page = await table.open("#/analyse");
  const nodes = () => page.evaluate(() => document.querySelector(".figures").textContent);
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 2);
  const show = (hidden) =>
    page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await show(true);
  // What was on its way may still arrive; then the figures stand still.
  let before;
  for (let i = 0; before !== (await nodes()); i += 1) {
    assert.ok(i < 60, "the engine goes on");
    before = await nodes();
    await page.waitForTimeout(600);
  }
  await show(false);
  await page.waitForFunction((text) => document.querySelector(".figures").textContent !== text, before);
  await page.done();
});

test("links: by code for the position, with the line for the game; codes are taken where positions are", async () => {
  const page = await table.open("#/analyse?moves=e2e4,e7e5,g1f3", {
    init: quiet,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const status = page.locator(".study-status");
  const shown = async (pattern) => {
    await page.waitForFunction((text) => document.querySelector(".study-status").innerText.match(text), pattern);
  };
  await soon(() => status.innerText(), /King's Knight Opening/);
  await page.getByRole("button", { name: "Import / export" }).click();
  // The whole game as pictures: one for the start and one for each move.
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Game (animated GIF)" }).click();
  const gif = Buffer.concat(await (await (await download).createReadStream()).toArray());
  const frames = await page.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: "image/gif" });
    await decoder.tracks.ready;
    await decoder.completed;
    return decoder.tracks.selectedTrack.frameCount;
  }, gif.toString("base64"));
  assert.equal(frames, 4);
  assert.ok(gif.length < 100_000, `${gif.length} bytes`);
  await page.keyboard.press("Escape");
  await page.keyboard.press("ArrowLeft");
  await soon(() => page.url(), /moves=e2e4,e7e5$/);
  // The code under the board, and the link that is made of it.
  const line = page.locator(".code-line");
  const code = (await encode({ moves: ["e2e4", "e7e5"] })).text;
  await page.waitForFunction((text) => document.querySelector(".code-line code").textContent === text, code);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await line.getByRole("button").click();
  await page.waitForFunction((text) => navigator.clipboard.readText().then((now) => now === text), code);
  await page.keyboard.press("l");
  await page.waitForFunction(() => navigator.clipboard.readText().then((now) => now.includes("#/p/")));
  await soon(() => copied(), `${table.address}#/p/${code}`);
  await page.keyboard.press("ArrowUp");
  await page.goto(`${table.address}#/p/${code}`);
  await shown("Open Game|King's Pawn Game");
  await soon(() => page.url(), /fen=rnbqkbnr/);
  // Import: a code of a position of the openings by its number, a link of Makruk, and one with a slip.
  await load(page, "5");
  await shown("to move");
  await load(page, `${table.address}#/p/makruk/${await makrukCode()}`);
  await page.locator(".table rukh-board.plain").waitFor();
  await page.evaluate((path) => (location.hash = path), `#/p/${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`);
  await told(page, "The link does not contain a position");
  // Position and line in one address, and one that is not legal.
  const go = (query) => page.evaluate((text) => (location.hash = `#/analyse?${text}`), query);
  await go("variant=makruk&fen=8/3k4/8/2K1S1P1/8/8/8/8+w+-+-+0+1&moves=g5g6m");
  await shown("4 / 44");
  await soon(() => page.locator(".table rukh-board [data-square=g6]").getAttribute("aria-label"), /Bia-ngai/);
  await go("fen=8/8/8/8/8/8/8/8+w+-+-+0+1");
  await told(page, "no king");
  await page.done();
});

const makrukCode = async () => (await encode({ variant: "makruk" })).text;

test("the position editor says what is wrong and gives a legal position", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await page.getByRole("button", { name: "Edit position" }).click();
  await page.getByRole("button", { name: "Clear board" }).click();
  await soon(() => page.locator(".editor .error").innerText(), /king/);
  await soon(() => page.getByRole("button", { name: "Use this position" }).isDisabled(), true);
  for (const [piece, square] of [
    ["White king", "e1"],
    ["Black king", "e8"],
    ["White rook", "h1"],
  ]) {
    await page
      .locator(".tool")
      .and(page.getByLabel(piece, { exact: true }))
      .click();
    await page.locator(`.table rukh-board [data-square="${square}"]`).click();
  }
  await page.getByLabel("White O-O", { exact: true }).check();
  await soon(() => page.getByLabel("FEN", { exact: true }).inputValue(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
  await page.getByRole("button", { name: "Use this position" }).click();
  await clickMove(page, "e1g1");
  await soon(() => page.locator(".tree").innerText(), /O-O/);
  // A bad FEN is named beside the field.
  await page.getByRole("button", { name: "Edit position" }).click();
  await page.getByLabel("FEN", { exact: true }).fill("4k3/8/8/8/8/8/8/4K2X w K - 0 1");
  await page.getByLabel("FEN", { exact: true }).press("Enter");
  await soon(() => page.locator(".editor .error").innerText(), /X/);
  await page.done();
});

test("a broken PGN keeps the good games and says what is wrong with the bad one", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await load(
    page,
    `[Event "good"]\n[White "A"]\n[Black "B"]\n\n1. e4 e5 *\n\n[Event "bad"]\n\n1. Ke5 *\n\n[Event "good too"]\n[White "C"]\n[Black "D"]\n\n1. d4 *\n`,
  );
  await told(page, "1 of 3 games could not be read. Game 2: move 1. Ke5");
  await page.getByText("2 games", { exact: true }).waitFor();
  await page.locator(".library-open").nth(1).click();
  await page.waitForFunction(() => /d4/.test(document.querySelector(".tree")?.textContent ?? ""));
  // A bad move in a variation costs the rest of that variation alone.
  await load(page, "1. e4 e5 (1... c5 2. Ke5) 2. Nf3 $14 *");
  await told(page, "the variation was cut there");
  await soon(() => page.locator(".tree").innerText(), /c5[^]*f3\s*\+\/=/);
  // So it does among many games; whoever opens the game is told again.
  await load(page, '[Event "cut"]\n\n1. c4 e5 (1... c5 2. Ke5) 2. Nf3 *\n\n[Event "whole"]\n\n1. f4 *\n');
  await told(page, "A variation ends early");
  await page.locator(".library-open").first().click();
  await told(page, "move 2. Ke5: illegal move; the variation was cut there");
  // A bad move of the game itself ends it there; the rest is a comment, also when the game is written again.
  await load(page, "1. f4 e5 2. Ke5 {why not} Nf6 1-0");
  await told(page, "move 2. Ke5: illegal move; the game was cut there");
  await soon(() => page.locator(".tree").innerText(), /f4[^]*e5[^]*2\. Ke5 \(why not\) Nf6/);
  await page.getByRole("button", { name: "Import / export" }).click();
  await soon(() => page.getByLabel("PGN of the game").inputValue(), /1\. f4 e5 \{2\. Ke5 \(why not\) Nf6\} 1-0/);
  await page.keyboard.press("Escape");
  await load(page, '[Event "short"]\n\n1. g4 e5 2. Ke5 Nf6 1-0\n\n[Event "whole"]\n\n1. h4 *\n');
  await told(page, "A game ends early");
  await page.done();
});

test("an EPD keeps its remarks; links and the starting position are understood", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const board = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R";
  await load(page, `${board} b KQkq - bm Nf6; id "Italian";`);
  await page.locator(".tree .comment", { hasText: "bm Nf6" }).waitFor();
  await load(page, `${table.address}#/review?moves=e2e4,e7e5`);
  await page.waitForFunction(() => document.querySelectorAll(".tree .move").length === 2);
  await load(page, `https://example.org/analysis/${board}_b_KQkq_-_3_3`);
  await page.waitForFunction((fen) => new URLSearchParams(location.hash.split("?")[1]).get("fen") === fen, `${board} b KQkq - 3 3`); // prettier-ignore
  await load(page, "startpos");
  await page.waitForFunction(() => location.hash === "#/analyse");
  await page.done();
});

test("after a press on the board the arrow keys step through the game; by keyboard they walk on it", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  await clickMove(page, "e2e4");
  await clickMove(page, "e7e5");
  await page.keyboard.press("ArrowLeft");
  await soon(() => page.url(), /moves=e2e4$/);
  await page.keyboard.press("ArrowRight");
  await soon(() => page.url(), /moves=e2e4,e7e5$/);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate(() => document.activeElement.dataset.square);
  await soon(() => focused(), "e5");
  await page.keyboard.press("ArrowLeft");
  await soon(() => focused(), "d5");
  await soon(() => page.url(), /moves=e2e4,e7e5$/);
  await page.done();
});

test("hostile texts are text, or are refused in words", async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const paste = (text) =>
    page.evaluate((value) => {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }, text);
  await paste('[White "<img src=x onerror=alert(1)>"]\n\n1. e4 {<b onclick=alert(2)>} *');
  await soon(() => page.locator(".tree").innerText(), /<b onclick=alert\(2\)>/);
  await soon(() => page.locator("main img, .tree b").count(), 0);
  const refused = [
    [`1. e4 ${"(1. d4 ".repeat(300)}${")".repeat(300)} *`, /nested deeper/],
    ["x".repeat((2 << 20) + 1), /The game could not be read|no game in this file/],
    ["\u0000[[((", /not PGN/],
    ["8/8/8/8/8/8/8/8 w - - 0 1", /no king/],
  ];
  for (const [text, reason] of refused) {
    await paste(text);
    await told(page, reason);
  }
  await page.done();
});

test("a review runs to its end: graph, accuracy, better lines, lesson, annotated PGN", async () => {
  const page = await table.open("#/review", { init: `localStorage.setItem("rukh.settings", '{"reviewNodes":8000}')` });
  await load(page, GAME);
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.waitForSelector(".accuracies");
  const accuracy = await page.locator(".accuracy strong").allInnerTexts();
  assert.equal(accuracy.length, 2);
  assert.ok(parseFloat(accuracy[0]) > parseFloat(accuracy[1]), `White played better: ${accuracy}`);
  await soon(
    () => page.locator(".graph-line").getAttribute("d"),
    (d) => d.split("L").length >= 30,
  );
  await soon(
    () => page.locator(".judged-list li").count(),
    (count) => count >= 2,
  );
  // No move is called worse than itself.
  const judged = await page.locator(".judged-list li").evaluateAll((items) =>
    items.map((item) => {
      const plain = (selector) => item.querySelector(`${selector} .san`)?.innerHTML ?? null;
      return [plain(".move"), plain(".better")];
    }),
  );
  for (const [played, better] of judged) assert.notEqual(played, better);
  // The author’s sign of 3…Bg4 stands as it was; the engine’s signs are beside it, told apart.
  const pin = page.locator(".tree > .move", { hasText: "g4" }).first();
  await soon(() => pin.locator(".nag:not(.engine)").innerText(), "?!");
  await soon(() => page.locator(".tree .nag.engine").first().getAttribute("title"), /^The engine: /);
  await soon(() => page.locator(".tree .comment.engine").first().innerText(), /Better was/);
  // One button for every mistake; the review is still there after a reload.
  await page.keyboard.press("ArrowUp");
  await page.getByRole("button", { name: "Next mistake" }).click();
  await soon(() => page.locator('.tree .move[aria-current="true"] .nag').last().innerText(), /\?/);
  // Beside the words about it the moves of the game keep their place, in a low window too.
  for (const size of [
    { width: 1366, height: 768 },
    { width: 1440, height: 900 },
  ]) {
    await page.setViewportSize(size);
    await page.locator(".reasons .reason").first().waitFor();
    const [rows, inside] = await page.evaluate(() => {
      const [tree, list] = [document.querySelector(".tree"), document.querySelector(".judged-list")];
      const item = list.querySelector("[aria-current]").getBoundingClientRect();
      const box = list.getBoundingClientRect();
      const seen = Math.min(innerHeight, tree.getBoundingClientRect().bottom) - tree.getBoundingClientRect().top;
      return [
        seen / tree.querySelector(".move").offsetHeight,
        item.top >= box.top - 1 && item.bottom <= box.bottom + 1,
      ];
    });
    assert.ok(rows >= 5, `${rows} rows of moves at ${size.height} pixels`);
    assert.ok(inside, "the list shows where one is");
  }
  // On a phone held upright and beside a narrow panel the move on the board is in sight, too; names stand in the bars.
  for (const size of [
    { width: 390, height: 844 },
    { width: 1024, height: 768 },
  ]) {
    await page.setViewportSize(size);
    await page.waitForFunction(() => {
      const move = document.querySelector('.tree [aria-current="true"]').getBoundingClientRect();
      const keys = document.querySelector(".walk");
      const end = getComputedStyle(keys).position === "fixed" ? keys.getBoundingClientRect().top : innerHeight;
      const tree = document.querySelector(".tree").getBoundingClientRect();
      return move.top >= tree.top - 1 && move.bottom <= Math.min(end, tree.bottom + 1);
    });
    await soon(() => page.locator(".study-status .names:visible").count(), 0);
    await page.locator(".accuracy strong").first().waitFor();
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  // The wheel over the board steps through the moves.
  const here = () => page.evaluate(() => location.hash.split(",").length);
  const at = await here();
  await page.locator(".table rukh-board").hover();
  await page.mouse.wheel(0, -100);
  await page.waitForFunction((at) => location.hash.split(",").length === at - 1, at);
  // Whatever else a section shows, the list has the move that is on the board in sight.
  await page.keyboard.press("ArrowDown");
  for (const section of ["Explore", "Analyse", "Review"]) {
    await page.getByRole("link", { name: section }).click();
    await page.waitForFunction(() => {
      const box = document.querySelector(".tree").getBoundingClientRect();
      const move = document.querySelector('.tree [aria-current="true"]').getBoundingClientRect();
      return move.top >= box.top - 1 && move.bottom <= Math.min(innerHeight, box.bottom) + 1;
    });
  }
  await page.reload();
  await page.waitForSelector(".accuracies");
  await soon(() => page.locator(".player-bar").first().innerText(), /Duke and Count/);
  await page.locator(".judged-list .better").first().click();
  await soon(() => page.url(), /review\?moves=/);
  await soon(() => page.locator('.variation .move[aria-current="true"]').count(), 1);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Annotated PGN" }).click();
  const stream = await (await download).createReadStream();
  const pgn = (await stream.toArray()).join("");
  assert.match(pgn, /\$[246]/);
  assert.match(pgn, /Rukh:\s+(\S+\s+)?\w+( win)?\.\s+Better\s+was/);
  assert.match(pgn, /\[%eval/);
  // Learn from the mistakes of Black: the best move is accepted.
  await page.getByRole("button", { name: /Learn: Black/ }).click();
  await soon(() => page.locator(".lesson-text").innerText(), /1 of \d.*Find a better move for Black/);
  await soon(() => page.locator(".tree:visible, .lines:visible").count(), 0, "the answer is hidden");
  await page.getByRole("button", { name: "Show the move" }).click();
  await soon(() => page.locator(".lesson-text").innerText(), /engine’s move is/);
  await page.getByRole("button", { name: "End", exact: true }).click();
  await page.waitForSelector(".accuracies");
  await page.done();
});

test("a dead worker is replaced and the analysis goes on", async () => {
  // Keep every worker the page makes, so that the test can end one.
  const init = `window.workers = []; const Old = Worker; window.Worker = class extends Old { constructor(...words) { super(...words); window.workers.push(this); } };`;
  const page = await table.open("#/analyse", { init });
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 2);
  await page.evaluate(() =>
    window.workers[0].dispatchEvent(new ErrorEvent("error", { message: "killed by the test" })),
  );
  await told(page, "restarted");
  await clickMove(page, "e2e4");
  await page.waitForFunction(
    () =>
      document.querySelector(".lines .tree-number")?.textContent === "1…" && !document.querySelector(".lines.stale"),
  );
  await page.done();
});

test("without a server “this computer” falls back to the browser with a notice", async () => {
  const page = await table.open("#/analyse", {
    init: `localStorage.setItem("rukh.settings", '{"engine":"computer"}')`,
  });
  await told(page, "uses the one in your browser");
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 2);
  // The refused socket is on the console, as it should be.
  page.errors.splice(0);
  await page.done();
});

/** For tests that measure the engine itself. */
const HERE = {
  skip: (process.env.RUKH_ADDRESS && "needs the test server") || (LATE > 0 && "everything is late"),
};

test("the engine stops within 50 ms", HERE, async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const times = await page.evaluate(async () => {
    const { createEngine } = await import("/engine-dist/index.js");
    const engine = await createEngine().ready;
    const times = [];
    // The best counts: the others measure who else was working.
    for (let i = 0; i < 40 && !(times.at(-1) < 50); i += 1) {
      await engine.setPosition("startpos");
      let search;
      await new Promise((resolve) => (search = engine.go({ infinite: true }, resolve)));
      const asked = performance.now();
      await engine.stop();
      await search;
      times.push(performance.now() - asked);
    }
    engine.terminate();
    return times;
  });
  assert.ok(times.at(-1) < 50, `${times.map((time) => time.toFixed(1))} ms`);
  await page.done();
});

test("a stop does not wait for Makruk’s tables", HERE, async () => {
  const page = await table.open("#/analyse", { init: quiet });
  const times = await page.evaluate(async () => {
    const { createEngine } = await import("/engine-dist/index.js");
    const times = [];
    // The best of many: on a busy machine the stop may be late, or come when the tables are made.
    for (let i = 0; i < 20 && !(times.at(-1) < 50); i += 1) {
      const engine = await createEngine().ready;
      await engine.setOption("UCI_Variant", "makruk");
      await engine.setPosition("8/8/8/8/1R6/8/8/K1k5 b - 32 6 1");
      const search = engine.go({ infinite: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
      const asked = performance.now();
      await engine.stop();
      const { score } = await search;
      times.push(score.mate === undefined ? performance.now() - asked : 1e9);
      const later = await engine.go({ depth: 1 });
      if (later.score.mate !== -13) throw new Error("what was made of the tables is lost");
      engine.terminate();
    }
    return times;
  });
  assert.ok(times.at(-1) < 50, `${times.map((time) => time.toFixed(1))} ms`);
  await page.done();
});

/** A game of `plies` moves chosen by a fixed rule, in UCI. */
async function someGame(plies) {
  const rules = await createRules();
  const moves = [];
  for (let seed = 1; moves.length < plies; seed = (seed * 48271) % 0x7fffffff) {
    const { moves: legal, ended } = rules.state({ moves });
    assert.ok(!ended, "the rule gives a game that does not end early");
    moves.push(legal[seed % legal.length].uci);
  }
  return moves;
}

test("1,000 positions in a row do not grow the memory", { skip: !LONG && "long" }, async () => {
  const moves = await someGame(120);
  const page = await table.open(`#/analyse?moves=${moves.join(",")}`);
  const use = () =>
    page.evaluate(() => {
      globalThis.gc?.();
      return performance.memory.usedJSHeapSize;
    });
  // Up and down the game: each step is a new position to search.
  const walk = async (steps) => {
    for (let i = 0; i < steps; i += 1) {
      await page.keyboard.press(Math.floor(i / moves.length) % 2 ? "ArrowRight" : "ArrowLeft");
      await page.waitForFunction(() => !document.querySelector(".lines.stale"));
    }
  };
  await walk(2 * moves.length);
  const before = await use();
  await walk(1000);
  const grown = (await use()) - before;
  assert.ok(grown < 4 << 20, `${(grown / 1048576).toFixed(1)} MiB more`);
  await page.done();
});

// Each chapter's main interaction, on the real engine.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { soon, start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const fact = (page, name) =>
  page
    .locator(".facts div", { has: page.locator("dt", { hasText: new RegExp(`^${name}$`) }) })
    .first()
    .locator("dd")
    .innerText();
const click = (page, board, square) =>
  page.getByRole("grid", { name: board, exact: true }).locator(`[data-square="${square}"]`).click();
const type = async (page, label, text) => {
  await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel(label, { exact: true }).press("Enter");
};

test("the sources that chapters open have the lines they point at", async () => {
  const { readFileSync, readdirSync } = await import("node:fs");
  const folder = new URL("../learn/", import.meta.url);
  let count = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".ts"))) {
    for (const [, path, line, loaded] of readFileSync(new URL(name, folder), "utf8").matchAll(
      /source\(\s*"([^"]+)",\s*"([^"]+)",\s*\(\) => import\("\.\.\/\.\.\/([^"?]+)\?raw"\),?\s*\)/g,
    )) {
      assert.equal(path, loaded);
      assert.ok(
        readFileSync(new URL(`../../${path}`, import.meta.url), "utf8").includes(line),
        `${name}: “${line}” is not in ${path}`,
      );
      count += 1;
    }
  }
  assert.ok(count >= 15, `${count} sources`);
});

test("bitboards: sets, clicks, expressions and a look-up, kept in the address", async () => {
  const page = await table.open("#/learn/bitboards?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1");
  await page.getByRole("button", { name: "occ", exact: true }).click();
  await soon(() => fact(page, "Hexadecimal"), "0xffff 0000 0000 ffff");
  await click(page, "Squares of the set", "e4");
  await soon(() => fact(page, "Squares"), "33");
  await type(page, "Expression", "(P << 8) & ~occ");
  await soon(() => fact(page, "Hexadecimal"), "0x0000 0000 00ff 0000");
  await page.getByRole("button", { name: "Shift west" }).first().click();
  await soon(() => fact(page, "Squares"), "7");
  await type(page, "Expression", "rook(e4, occ) & fileE");
  await soon(() => fact(page, "Squares"), "5");
  await type(page, "Expression", "alert(1)");
  await soon(() => page.locator("#expression-error").innerText(), /no function/);
  const steps = page.locator(".stepper").first();
  while (await steps.getByRole("button", { name: "Next step" }).isEnabled())
    await steps.getByRole("button", { name: "Next step" }).click();
  await soon(() => steps.locator(".step-line").innerText(), /That entry is the answer: 12 squares/);
  await soon(() => page.url(), /e=rook/);
  await page.reload();
  await soon(() => page.getByLabel("Expression", { exact: true }).inputValue(), "rook(e4, occ) & fileE");
  await page.done();
});

test("bitboards: a walk over guard squares, and a race that both boards count alike", async () => {
  const page = await table.open("#/learn/bitboards?fen=4k3/8/8/8/8/8/8/R3K3+w+Q+-+0+1");
  const walk = page.locator(".widget", { has: page.locator(".mailbox") });
  await walk.scrollIntoViewIfNeeded();
  await walk.getByRole("button", { name: "King on e1" }).click();
  await walk.getByText("King on e1, cell 25. A step is a number that is added: one row up is +10.").waitFor();
  await walk.getByRole("button", { name: "Rook on a1" }).click();
  const next = walk.getByRole("button", { name: "Next step" });
  await walk.getByText("Rook on a1, cell 21.").waitFor();
  const said = [];
  while (await next.isEnabled()) {
    await next.click();
    said.push(await walk.locator(".step-line").innerText());
  }
  assert.match(said.join("\n"), /guard 20\. Off the board/);
  assert.match(said.join("\n"), /25 \(e1\) has a piece of its own side/);
  // Seven squares up, four to the king, and the two guards.
  assert.match(said.at(-1), /14 cells were read.* to find 11 squares/);
  await soon(() => walk.locator(".seen").count(), 11);

  const race = page.locator(".widget", { has: page.getByRole("button", { name: "Start the race" }) });
  await race.getByRole("button", { name: "Start the race" }).click();
  await race.getByText("times as fast").waitFor();
  const leaves = await race.locator("tbody td:nth-child(2)").allInnerTexts();
  assert.equal(leaves.length, 2);
  assert.equal(leaves[0], leaves[1]);
  await page.getByRole("radio", { name: "Chess960" }).check();
  await race.getByText("knows chess and Makruk, not Chess960").waitFor();
  await soon(() => race.getByRole("button", { name: "Start the race" }).isDisabled(), true);
  await page.done();
});

test("moves: a pinned piece says why it may not move, in both games", async () => {
  const page = await table.open("#/learn/moves");
  const words = page.locator(".widget [role=status]").first();
  await click(page, "Click a piece", "c3");
  await soon(() => words.innerText(), /Knight on c3 is pinned[\s\S]*7 pseudo-legal targets and 0 legal/);
  await page.getByRole("button", { name: "Why not d5?" }).click();
  await soon(() => page.locator(".whys").innerText(), /shields its king on e1 from B on a5/);
  await page.getByRole("radio", { name: "Makruk" }).check();
  await click(page, "Click a piece", "d5");
  await soon(() => words.innerText(), /Khon on d5 is pinned[\s\S]*1 legal: d6/);
  await page.done();
});

test("zobrist: moves toggle terms, orders meet in one key, short keys collide", async () => {
  const page = await table.open("#/learn/zobrist");
  await click(page, "Play a move", "g1");
  await click(page, "Play a move", "f3");
  const terms = page.getByRole("region", { name: "Terms that the last move toggled" });
  await soon(() => terms.innerText(), /N g1\s+out[\s\S]*white to move\s+out[\s\S]*N f3\s+in/);
  await soon(() => page.locator("summary").innerText(), /All 36 terms; their XOR is the engine's key/);
  const verdict = page.locator(".orders + .verdict");
  await soon(() => verdict.innerText(), /Same position, same key/);
  await type(page, "Second order", "d4 d5 Nc3");
  await soon(() => verdict.innerText(), /Different keys/);
  await page.getByLabel("Bits of the key that are kept").fill("20");
  await page.locator(".collision rukh-board").nth(1).waitFor();
  const low = await page.locator(".cut-key strong").allInnerTexts();
  assert.equal(low.length, 2);
  assert.equal(low[0], low[1]);
  const pairs = Number((await fact(page, "Colliding")).replace(/\D/g, ""));
  assert.ok(pairs > 300 && pairs < 600, `${pairs} pairs where chance gives 429`);
  await page.done();
});

test("evaluation: terms by square, and every piece taken away", async () => {
  const page = await table.open("#/learn/evaluation");
  const every = page.getByRole("region", { name: "Worth of each piece in pawns" });
  await every.getByText("white queen d1").waitFor();
  const worth = async (name) =>
    (await every.locator("tr", { hasText: name }).locator("td").allInnerTexts()).map((text) =>
      Number(text.replace("−", "-")),
    );
  for (const value of await worth("white queen d1")) assert.ok(value > 5 && value < 15, `a queen is worth ${value}`);
  await page.getByRole("button", { name: /^Material/ }).click();
  await soon(
    () => worth("white queen d1"),
    ({ length }) => length === 3,
  );
  await soon(() => page.url(), /term=Material/);
  await click(page, "Choose a piece", "d4");
  await page.getByText(/The white knight is worth .* on d4: number \d+ of \d+ squares/).waitFor();
  await page.getByRole("radio", { name: "Makruk" }).check();
  await every.getByText(/Rua/).first().waitFor();
  await page.done();
});

test("perft: the known number, divide, and another program's mistake", async () => {
  const page = await table.open("#/learn/perft?depth=3");
  const total = page.locator(".verdict").first();
  await total.getByText("8,902 leaves at depth 3: the known number.").waitFor();
  await page.getByRole("button", { name: "Count below e4" }).click();
  await total.getByText("600 leaves at depth 2.").waitFor();
  await soon(() => page.url(), /moves=e2e4/);
  await page.getByLabel("Another program’s divide").fill("a7a6: 30\nb7b6: 31\ne7e9: 1");
  await soon(() => page.locator(".tall").innerText(), /a7a6\s+30\s+same[\s\S]*b7b6\s+30\s+31/);
  await page.done();
});

test("counting: won in 12 of 13, drawn one move later, and a count that is claimed", async () => {
  const page = await table.open("#/learn/counting");
  const verdict = page.locator(".verdict").first();
  await verdict.getByText("Won in 12 of 13").waitFor();
  await page.getByRole("button", { name: "Rua: one too many" }).click();
  await verdict.getByText("Drawn by the count: mate needs 14 moves, the attacker has 13.").waitFor();
  await page.getByRole("button", { name: "Deal a position" }).click();
  const won = page.getByRole("button", { name: "Won", exact: true });
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button")].some((each) => each.textContent === "Won" && !each.disabled),
  );
  await won.click();
  await soon(
    () => page.locator(".widget", { hasText: "Guess first" }).locator(".verdict").innerText(),
    /^(Right|No)\. (Won in \d+ of \d+|Drawn)/,
  );
  await page.getByLabel("Rua เรือ").fill("2");
  await page.getByLabel("Rua เรือ").press("Enter");
  await soon(() => fact(page, "Attacker has"), "4 moves");
  await page.getByRole("button", { name: "Begin to count" }).click();
  await click(page, "A game between people", "d3");
  await click(page, "A game between people", "d1");
  const claim = page.locator(".widget", { hasText: "Claiming" });
  await soon(() => claim.innerText(), /1 \/ 64[\s\S]*White/);
  await page.done();
});

test("search: the stepper goes both ways, the real tree opens node by node, parts can be switched off", async () => {
  const page = await table.open("#/learn/search?depth=6&race=4&mode=without");
  const steps = page.locator(".stepper").first();
  const line = steps.locator(".step-line");
  const next = steps.getByRole("button", { name: "Next step" });
  let cuts = 0;
  while (await next.isEnabled()) {
    await next.click();
    if (/cutoff/.test(await line.innerText())) cuts += 1;
  }
  await soon(() => line.innerText(), /the root is worth 7\. 8 of 12 leaves/);
  assert.ok(cuts > 0);
  await steps.getByRole("button", { name: "Previous step" }).click();
  await soon(
    () => line.innerText(),
    (text) => !/Done/.test(text),
  );
  // Minimax beside it: everything is looked at, and the value is the same.
  const both = await page.getByRole("region", { name: "Both on this tree" }).locator("tbody tr").allInnerTexts();
  assert.deepEqual(
    both.map((row) => row.split(/\t/).slice(1).join()),
    ["22 of 22,12 of 12,7", "17 of 22,8 of 12,7"],
  );
  await page.getByRole("radio", { name: "Minimax" }).check();
  await soon(
    () => line.innerText(),
    (text) => !/Window/.test(text),
  );
  // The recorded tree: the root's first move has a window and an end of its own.
  const moves = page.getByRole("region", { name: "Moves in the order they were tried" });
  await moves.locator("tbody button").first().click();
  await page.locator(".path [aria-current=true]").waitFor();
  await soon(() => fact(page, "Window"), /…/);
  await soon(() => page.locator(".path button.quiet").count(), 2);
  await page.locator(".icicle").press("ArrowUp");
  await soon(() => page.locator(".path button.quiet").count(), 1);
  const race = page.getByRole("region", { name: "Nodes with parts switched off" });
  await race.getByText("Plain alpha-beta").waitFor();
  const nodes = (await race.locator("tbody td:nth-child(2)").allInnerTexts()).map((text) =>
    Number(text.replace(/\D/g, "")),
  );
  assert.equal(nodes.length, 8);
  assert.ok(nodes[7] > 5 * nodes[0], `${nodes[7]} nodes without anything, ${nodes[0]} with everything`);
  await page.done();
});

test("ordering: stages in their order, and what a search changes in it", async () => {
  const page = await table.open("#/learn/ordering?depth=5");
  const captures = page.getByRole("region", { name: "Good captures" });
  await page.getByRole("region", { name: "Table move" }).waitFor();
  await captures.waitFor();
  const stages = await page.locator(".order h3").allInnerTexts();
  assert.match(stages.join(), /^Table move \(1\),Good captures \(\d+\),Quiet moves \(\d+\)/i);
  const turns = (await page.locator(".order tbody tr th").allInnerTexts()).map(Number);
  assert.deepEqual(
    turns,
    [...turns].sort((a, b) => a - b),
    "nobody is tried twice or out of turn",
  );
  assert.equal(turns.length, 48, "all legal moves");
  // Before any search the table knows nothing.
  await page.getByLabel("Depth").fill("0");
  await page.getByLabel("Depth").press("Enter");
  await page.waitForFunction(() => /^Good captures/.test(document.querySelector(".order h3")?.textContent ?? ""));
  await page.getByRole("radio", { name: "Makruk" }).check();
  await page.waitForFunction(() => /game=makruk/.test(location.hash));
  await page.getByRole("region", { name: "Quiet moves" }).waitFor();
  await page.done();
});

test("quiescence: the engine's own tree says who stood pat and what was left out", async () => {
  const page = await table.open("#/learn/quiescence");
  const nodes = page.getByRole("region", { name: "Nodes of quiescence" });
  await nodes.waitFor();
  await soon(() => nodes.innerText(), /stood pat: doing nothing reached/);
  await nodes.getByRole("button").first().click();
  await page.locator(".facts dt", { hasText: "What happened" }).waitFor();
  await page.getByRole("button", { name: "Many captures" }).click();
  await page.waitForFunction(() => /Captures tried/.test(document.querySelector(".lesson")?.textContent ?? ""));
  await page.locator("[role=status]", { hasText: /Depth 1: [\d,]+ of [\d,]+ nodes are quiescence/ }).waitFor();
  await page.done();
});

test("table: a search fills it, and a probe finds the position", async () => {
  const page = await table.open("#/learn/table?mb=1");
  await page.getByRole("button", { name: "Search this position" }).click();
  const canvas = page.locator("canvas.heat");
  await page.waitForFunction(() =>
    /: [1-9]\d* % in use/.test(document.querySelector("canvas.heat").getAttribute("aria-label")),
  );
  // A fast machine may have come to the end by itself: then the button is hidden, and the click does nothing.
  await page.getByRole("button", { name: "Stop", includeHidden: true }).dispatchEvent("click");
  const steps = page.locator(".stepper");
  await steps.getByText("1 of 5").waitFor();
  for (let i = 0; i < 4; i += 1) await steps.getByRole("button", { name: "Next step" }).click();
  await soon(() => steps.locator(".step-line").innerText(), /The entry unpacked: at depth \d+ the score was/);
  await soon(() => page.locator(".word-view .bit").count(), 64);
  await soon(() => page.locator(".fields").innerText(), /depth[\s\S]*bits 48–55/);
  const children = page.getByRole("region", { name: "Positions one move on that are in the table" });
  // Replies are moves as players write them.
  await soon(
    () => children.locator("tbody td:last-child").allInnerTexts(),
    (all) => all.length > 0 && all.every((reply) => reply === "–" || !/^[a-h][1-8][a-h][1-8]/.test(reply)),
  );
  await children.locator("button").first().click();
  await page.waitForFunction(() => /moves=/.test(location.hash));
  await canvas.waitFor();
  await page.done();
});

test("code: both ways, bit by bit, in both games", async () => {
  const page = await table.open("#/learn/code");
  const text = page.locator(".code-text");
  const codes = /^[0-9a-z_~-]{13}$/;
  await page.waitForFunction(() => document.querySelectorAll(".bit").length === 64);
  const start = await text.innerText();
  assert.match(start, codes);
  await click(page, "The position", "e2");
  await click(page, "The position", "e4");
  await page.waitForFunction((old) => document.querySelector(".code-text").textContent !== old, start);
  const second = await text.innerText();
  await type(page, "Code: 13 characters, or a number", start);
  await page.waitForFunction((old) => document.querySelector(".code-text").textContent !== old, second);
  await soon(
    () => page.getByLabel("Position (FEN)").inputValue(),
    /^rnbqkbnr\/pppppppp\/8\/8\/8\/8\/PPPPPPPP\/RNBQKBNR w KQkq/,
  );
  await page.getByRole("button", { name: "Bit 0: " }).click();
  await page.locator(".error:not(:empty)").waitFor();
  await page.getByRole("button", { name: "Too strange" }).click();
  await page.getByText("long: more than 64 bits, without a table").waitFor();
  await soon(
    () => text.innerText(),
    ({ length }) => length > 13,
  );
  await soon(() => page.locator(".bit").count(), 0);
  await page.getByText(/too many, so this position has no direct code/).waitFor();
  await page.getByRole("radio", { name: "Makruk" }).check();
  await page.waitForFunction(() => document.querySelectorAll(".bit").length === 64);
  const makruk = await text.innerText();
  await page.goto(`${table.address}#/learn/code?game=makruk&code=${makruk}`);
  await page.reload();
  await page.waitForFunction((code) => document.querySelector(".code-text")?.textContent === code, makruk);
  await page.done();
});

test("every chapter fits 360 pixels and has no serious findings of axe", async () => {
  const { readFileSync } = await import("node:fs");
  const { createRequire } = await import("node:module");
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const page = await table.open("#/learn", { viewport: { width: 360, height: 740 }, bypassCSP: true });
  await page.locator(".contents a").first().waitFor();
  const links = await page.locator(".contents a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.equal(links.length, 11);
  for (const link of links) {
    const old = await page.title();
    await page.goto(table.address + link);
    await soon(
      () => page.title(),
      (title) => title !== old,
    );
    await page.locator(".lesson .widget").first().waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 360, `${link} is ${wide} pixels wide`);
    await page.evaluate(axe);
    const found = await page.evaluate(async () =>
      (await window.axe.run(".learn", { resultTypes: ["violations"] })).violations
        .filter((each) => ["serious", "critical"].includes(each.impact))
        .map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`),
    );
    assert.deepEqual(found, [], link);
  }
  await page.done();
});

// The page behind `rukh serve`: the real headers, the native engine, a database. `RUKH_BINARY` names the program.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createServer } from "node:http";
import { load, soon, start, told } from "./harness.mjs";

const binary = process.env.RUKH_BINARY;
const options = { skip: !binary && "RUKH_BINARY is not set" };
const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const GAMES = [
  "1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0",
  "1. e4 c5 2. Nf3 d6 0-1",
  "1. e4 e5 2. Nf3 Nf6 1/2-1/2",
  "1. d4 d5 1-0",
]
  .map(
    (moves, i) =>
      `[Event "Test"]\n[White "White ${i}"]\n[Black "Black ${i}"]\n[Date "202${i}.01.01"]\n[Result "${moves.split(" ").at(-1)}"]\n\n${moves}\n`,
  )
  .join("\n");

const MAKRUK = ["1. e4 d5 2. exd5 exd5 1-0", "1. e4 e5 0-1", "1. Sf2 d5 1/2-1/2"]
  .map(
    (moves, i) =>
      `[White "Khao ${i}"]\n[Black "Dam ${i}"]\n[Variant "Makruk"]\n[Result "${moves.split(" ").at(-1)}"]\n\n${moves}\n`,
  )
  .join("\n");

/** Masters who answer 1. b3 in two ways, and play 2. Bb2 after both. */
const MASTERS = Array.from({ length: 50 }, (_, i) => `[White "Master ${i}"]\n[Black "Other ${i}"]\n[Result "1-0"]\n\n1. b3 ${i % 2 ? "e5" : "d5"} 2. Bb2 1-0\n`).join("\n"); // prettier-ignore
/** No table of openings knows this, but these games do. */
const HABIT = Array.from({ length: 10 }, (_, i) => `[White "Old ${i}"]\n[Black "Habit ${i}"]\n[Result "1-0"]\n\n1. a3 a6 2. h3 h6 3. d3 1-0\n`).join("\n"); // prettier-ignore
/** Ann has met one of them, and plays something else. */
const ANN = [1, 2]
  .map((i) => `[White "Ann"]\n[Black "Bob ${i}"]\n[Result "0-1"]\n\n1. b3 e5 2. h4 d5 0-1\n`)
  .join("\n");

/** As Lichess answers: Ann has three games, nobody else any. */
const services = createServer((request, answer) => {
  const game = (i) =>
    `[Event "Rated"]\n[Site "https://lichess.org/${i}"]\n[White "Ann"]\n[Black "Foe ${i}"]\n[Result "1-0"]\n[UTCDate "2024.01.0${i}"]\n[UTCTime "10:00:00"]\n\n1. e4 { [%clk 0:03:00] } e5 1-0\n\n\n`;
  const month = "/pub/player/bob/games/2024/01";
  const pages = {
    "/api/games/user/ann": [1, 2, 3].map(game).join(""),
    "/pub/player/bob/games/archives": JSON.stringify({ archives: [`http://${request.headers.host}${month}`] }),
    [`${month}/pgn`]: [4, 5].map((i) => game(i).replace('White "Ann"', 'White "Bob"')).join(""),
  };
  const found = pages[request.url.split("?")[0]];
  answer.writeHead(found ? 200 : 404).end(found ?? "");
});

let folder;
let server;
let table;
/** What a test that fails has left open would keep this file from ending. */
const opened = [];

before(async () => {
  if (!binary) return;
  folder = mkdtempSync(join(tmpdir(), "rukh-page-"));
  const databases = [
    ["chess", `${GAMES}\n${MASTERS}\n${HABIT}`],
    ["makruk", MAKRUK],
  ].flatMap(([variant, games]) => {
    const [file, database] = [join(folder, `${variant}.pgn`), join(folder, variant)];
    writeFileSync(file, games);
    execFileSync(binary, ["db", "import", "--variant", variant, "--db", database, file], { stdio: "ignore" });
    return ["--db", database];
  });
  await new Promise((resolve) => services.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${services.address().port}`;
  const users = ["--lichess", address, "--chesscom", address];
  const most = ["serve", "--port", "0", "--no-learn", "--threads", "1", "--page", DIST];
  server = spawn(binary, [...most, ...users, ...databases], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, XDG_CACHE_HOME: folder },
  });
  const page = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", () => reject(new Error("rukh serve ended")));
  });
  process.env.RUKH_ADDRESS = page.endsWith("/") ? page : `${page}/`;
  table = await start();
});
after(async () => {
  await Promise.all([table, ...opened].map((one) => one?.stop()));
  server?.kill();
  services.close();
  services.closeAllConnections();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("statistics of the own games, and a game from them", options, async () => {
  const page = await table.open("#/explore?moves=e2e4", {
    init: `localStorage.setItem("rukh.settings", '{"engineOn":false}')`,
  });
  const rows = page.locator(".explore-table tbody tr");
  await rows.first().waitFor();
  await soon(() => rows.count(), 2);
  await soon(() => rows.first().innerText(), /e5\s+67 %\s+2/);
  await rows.first().getByRole("button").click();
  await page.waitForFunction(() => location.hash.includes("e2e4,e7e5"));
  await page.locator(".examples button").first().click();
  await page.waitForFunction(() => /White \d/.test(document.querySelector(".study-status").textContent));
  await page.done();
});

test("a review takes for book what the database has often", options, async () => {
  const page = await table.open("#/review", {
    init: `localStorage.setItem("rukh.settings", '{"engineOn":false,"reviewNodes":300}')`,
  });
  await load(page, "1. a3 a6 2. h3 h6 3. d3 d6 4. Qd2 Qd7 *");
  await page.getByRole("button", { name: "Review this game" }).click();
  await page.getByText("Book: the first 3 moves.").waitFor();
  await page.done();
});

test("Makruk has statistics of its own, and its games open", options, async () => {
  const page = await table.open("#/explore?variant=makruk", {
    init: `localStorage.setItem("rukh.settings", '{"engineOn":false}')`,
  });
  const rows = page.locator(".explore-table tbody tr");
  await rows.first().waitFor();
  await soon(() => rows.first().innerText(), /e4\s+67 %\s+2/);
  await rows.first().hover();
  await page.waitForSelector(".layer-arrows > *", { state: "attached" });
  await page.getByRole("button", { name: /Khao 0 – Dam 0/ }).click();
  await page.waitForFunction(() => document.querySelectorAll(".tree .move").length === 4);
  await soon(() => page.locator(".rukh-board.plain").count(), 1);
  await page.done();
});

test("what one's openings lack against the database is shown, and becomes cards", options, async () => {
  const init = `localStorage.setItem("rukh.settings", '{"engineOn":false,"reviewNodes":2000}')`;
  const page = await table.open("#/library", { init });
  const file = { name: "games.pgn", mimeType: "text/plain", buffer: Buffer.from(ANN) };
  await page.getByLabel("Files to import").setInputFiles(file);
  await told(page, "in the library now");
  await page.evaluate(() => (location.hash = "#/coach/insights"));
  await page.getByRole("button", { name: "Review my games" }).click();
  const gaps = page.locator(".insights-gaps");
  await gaps.getByRole("heading", { name: "Gaps in your repertoire" }).waitFor({ timeout: 240_000 });
  const said = await gaps.innerText();
  assert.match(said, /You played 2\. h4 in 2 games\. Masters play 2\. Bb2 \(100 %\), and your move in 0 of 25 games\./);
  assert.match(said, /Masters play 1… d5 in 50 % of their games, and you have not met it in 2\. They answer 2\. Bb2/);
  await page.evaluate(() => (location.hash = "#/coach/cards"));
  await page.locator(".desk-title", { hasText: "What do masters play for White?" }).waitFor({ timeout: 240_000 });
  await page.getByRole("button", { name: "Show the move" }).click();
  await page.getByText("Masters play").first().waitFor();
  await page.done();
});

test(
  "the games of a user of Lichess or chess.com come by name, and only the new ones the next time",
  options,
  async () => {
    const page = await table.open("#/library");
    const ask = async (name) => {
      await page.getByRole("button", { name: "Games of a user" }).click();
      await page.getByLabel("User", { exact: true }).fill(name);
      await page.getByRole("button", { name: "Download" }).click();
    };
    await ask("nobody");
    await page.locator("dialog", { hasText: "there is no user nobody with public games" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await ask("Ann");
    await page.getByRole("link", { name: "Ann (Lichess) 3" }).waitFor();
    await ask("Ann");
    await told(page, "3 games were already there.");
    await page.getByText("3 games", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Games of a user" }).click();
    await page.getByLabel("Where").selectOption("chesscom");
    await page.getByLabel("User", { exact: true }).fill("Bob");
    await page.getByRole("button", { name: "Download" }).click();
    await page.getByRole("link", { name: "Bob (chess.com) 2" }).waitFor();
    // The console names the refusal.
    page.errors.length = 0;
    await page.done();
  },
);

test("the native engine answers; when the server goes away the browser’s goes on", options, async () => {
  const page = await table.open("#/analyse", {
    init: `localStorage.setItem("rukh.settings", '{"engine":"computer"}')`,
  });
  await page.waitForFunction(() => document.querySelectorAll(".lines .pv-move").length > 2);
  await soon(() => page.locator(".where").getAttribute("aria-label"), "Engine on this computer");
  // What the page needs without its server is kept by then.
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  server.kill();
  await told(page, "was lost");
  await page.keyboard.press("m");
  await page.keyboard.type("e4");
  await page.keyboard.press("Enter");
  await page.waitForFunction(
    () =>
      document.querySelector(".lines .tree-number")?.textContent === "1…" && !document.querySelector(".lines.stale"),
  );
  await soon(() => page.locator(".where").getAttribute("aria-label"), "Engine in this browser");
  // What the closed socket leaves on the console is no fault of the page.
  page.errors.splice(0);
  await page.done();
});

/** A server that was told of another engine, as the page sees it: `answer` takes a request and sends messages. */
async function openWithGuest(path, settings, answer) {
  const status = { name: "rukh", version: "0", threads: 2, database: false, databases: [], page: true };
  const own = await start({ "/api/status": () => ({ ...status, engines: ["Fish"] }) });
  opened.push(own);
  const context = await own.browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  await context.addInitScript(`localStorage.setItem("rukh.settings", '${JSON.stringify(settings)}')`);
  await context.route(
    (url) => url.pathname === "/",
    (route) =>
      route.request().method() === "HEAD" ? route.fulfill({ headers: { server: "rukh 0" } }) : route.continue(),
  );
  await context.routeWebSocket(/\/engine$/, (socket) =>
    socket.onMessage((text) => {
      const { id, ...request } = JSON.parse(text);
      answer(request, (message) => socket.send(JSON.stringify({ id, ...message })));
    }),
  );
  const page = await context.newPage();
  await page.goto(own.address + path);
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  return page;
}

const FISH = { name: "Fish 1.0", kind: "native", threads: 1, hash: 16, elo: { least: 1320, most: 3190 } };
const LINE = {
  ...{ depth: 9, seldepth: 12, multipv: 1, score: { cp: 31, bound: "exact" }, wdl: { win: 100, draw: 850, loss: 50 } },
  ...{
    turn: "white",
    nodes: 1000,
    nps: 1000,
    hashfull: 0,
    tbhits: 0,
    time: 9,
    pv: ["e2e4", "e7e5"],
    san: ["e4", "e5"],
  },
};

test("another engine of the server is chosen by its button, analyses, and says what is wrong with it", async () => {
  let crash = false;
  let running = () => {};
  const hellos = [];
  const page = await openWithGuest("#/analyse", { engine: "computer" }, (request, send) => {
    if (request.do === "hello") {
      hellos.push(request.engine ?? "Rukh");
      send({ done: request.engine ? FISH : { ...FISH, name: "Rukh" } });
    } else if (request.do === "go" && crash) send({ error: "Fish crashed (exit status: 3)" });
    else if (request.do === "go") {
      send({ info: LINE });
      running = () => send({ done: { ...LINE, bestMove: "e2e4", san: "e4", ponder: null, lines: [LINE] } });
    } else {
      // A search that is stopped is answered before the word that stopped it.
      if (request.do === "stop") running();
      send({ done: {} });
    }
  });
  await page.locator(".lines .pv-move").first().waitFor();
  await page.getByRole("button", { name: "Engine on this computer" }).click();
  await page.getByRole("button", { name: "Engine on this computer: Fish" }).waitFor();
  await page.waitForFunction(() => /e4/.test(document.querySelector(".lines")?.textContent ?? ""));
  assert.ok(hellos.includes("Fish"), String(hellos));
  crash = true;
  await page.keyboard.press("ArrowRight");
  await page.locator(".typed").fill("d4");
  await page.keyboard.press("Enter");
  await page.getByText("Fish crashed (exit status: 3)").waitFor();
});

test("a game against another engine of the server", async () => {
  const elos = [];
  const settings = { engine: "computer", guest: "Fish", animation: false };
  const page = await openWithGuest("#/play", settings, (request, send) => {
    if (request.do === "option" && request.name === "UCI_Elo") elos.push(request.value);
    if (request.do === "hello") send({ done: FISH });
    else if (request.do !== "go") send({ done: {} });
    else send({ done: { ...LINE, bestMove: "e7e5", san: "e5", ponder: null, lines: [LINE] } });
  });
  await page.locator(".player-name", { hasText: "Fish 1.0" }).waitFor();
  await page.locator(".player-detail", { hasText: "about 1320 Elo" }).waitFor();
  for (const square of ["e2", "e4"]) await page.locator(`.play [data-square="${square}"]`).click();
  await page.waitForFunction(() => document.querySelectorAll(".move-pairs [data-ply]").length === 2);
  assert.equal(elos.length, 1);
});

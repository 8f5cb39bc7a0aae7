// What the browser tests share: one Chromium, pages that fail on console errors, and hands that know the board.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const BROWSERS = [
  process.env.RUKH_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const executablePath = BROWSERS.find((path) => path && existsSync(path));
const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--mute-audio",
  "--js-flags=--expose-gc",
];

/** Milliseconds that anything may take on a busy machine; only a test that fails waits so long. */
export const PATIENCE = 120_000;

export const LONG = process.env.RUKH_LONG === "1";

/**
 * `RUKH_LATE=300`: what comes to a page by itself (answers of workers and servers, a dialog that closed, a new address) comes so
 * many milliseconds late, so that a test which does not wait for what it looks at fails at once and not once in a hundred runs.
 * Tests of how quickly the engine stops are left out then.
 */
export const LATE = Number(process.env.RUKH_LATE ?? 0);

function delay(milliseconds) {
  const known = new WeakSet();
  const hold = (target, name, copy) =>
    target.addEventListener(
      name,
      (event) => {
        if (known.has(event)) return;
        event.stopImmediatePropagation();
        const later = copy(event);
        known.add(later);
        const at = event.target;
        setTimeout(() => at.dispatchEvent(later), milliseconds);
      },
      { capture: true },
    );
  hold(window, "close", () => new Event("close"));
  hold(window, "hashchange", ({ oldURL, newURL }) => new HashChangeEvent("hashchange", { oldURL, newURL }));
  window.Worker = class extends Worker {
    constructor(...words) {
      super(...words);
      hold(this, "message", ({ data, ports }) => new MessageEvent("message", { data, ports: [...ports] }));
    }
  };
  const { fetch } = window;
  window.fetch = async (...words) => {
    const answer = await fetch(...words);
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return answer;
  };
}

/** Keeps the text of every notice: they go by themselves after seconds, and an older one may say the same. */
function keepNotices() {
  window.rukhNotices = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.classList?.contains("notice")) window.rukhNotices.push(node.firstElementChild.textContent);
  }).observe(document, { childList: true, subtree: true });
}

/** Waits until the page has told `text`, or something that fits a pattern, in a notice; each notice is an answer once. */
export async function told(page, text) {
  await page.waitForFunction(
    ([words, pattern]) => {
      const fits = (notice) => (pattern ? new RegExp(pattern).test(notice) : notice.includes(words));
      const at = window.rukhNotices.findIndex(fits);
      return at >= 0 && window.rukhNotices.splice(0, at + 1);
    },
    text instanceof RegExp ? ["", text.source] : [text, ""],
  );
}

/** The addresses that pages and workers of a context ask, other than its own server's; the list grows. */
export function requestsElsewhere(context, address) {
  const own = new URL(address).host;
  const elsewhere = [];
  const look = (url) => {
    const { protocol, host } = new URL(url);
    if (/^(https?|wss?):$/.test(protocol) && host !== own) elsewhere.push(url);
  };
  context.on("request", (request) => look(request.url()));
  context.on("page", (page) => page.on("websocket", (socket) => look(socket.url())));
  return elsewhere;
}

/** Starts server and browser; `RUKH_ADDRESS` names a running `rukh serve` instead. */
export async function start(routes, { isolated = true } = {}) {
  if (!executablePath) throw new Error("Chromium is not installed (apt-get install --no-install-recommends chromium)");
  const server =
    process.env.RUKH_ADDRESS && !routes && isolated
      ? { address: process.env.RUKH_ADDRESS, close: async () => {} }
      : await serve(0, routes, isolated);
  const browser = await chromium.launch({ executablePath, args: FLAGS, timeout: PATIENCE });
  return {
    address: server.address,
    browser,
    /**
     * A page in a fresh profile. Errors on its console, and requests to anybody but the page's own server, fail the test when it
     * is closed with `done`.
     */
    async open(path = "", options = {}) {
      const { init, ...rest } = options;
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        ...rest,
      });
      context.setDefaultTimeout(PATIENCE);
      if (LATE) await context.addInitScript(delay, LATE);
      await context.addInitScript(keepNotices);
      if (init) await context.addInitScript(init);
      const elsewhere = requestsElsewhere(context, server.address);
      const page = await context.newPage();
      const errors = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      page.on("pageerror", (error) => errors.push(error.message));
      await page.goto(server.address + path);
      await page.waitForFunction(() => document.documentElement.dataset.ready);
      return Object.assign(page, {
        errors,
        async done() {
          await context.close();
          assert.deepEqual(errors, []);
          assert.deepEqual(elsewhere, [], "the page asks nobody but its own server");
        },
      });
    },
    async stop() {
      await browser.close();
      await server.close();
    },
  };
}

/**
 * Waits until what is read is as it should be: a value, a text that fits a pattern, or whatever `expected` says yes to. A page acts
 * a moment after a click.
 */
export async function soon(read, expected, message) {
  for (const until = Date.now() + PATIENCE; ;) {
    const value = await read();
    try {
      if (expected instanceof RegExp) assert.match(value, expected, message);
      else if (typeof expected === "function") assert.ok(expected(value), message ?? `${value}`);
      else assert.deepEqual(value, expected, message);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Clicks the square called `name` of the (first) board. */
export async function click(page, name, board = ".table rukh-board") {
  await page.locator(`${board} [data-square="${name}"]`).click();
}

/** Makes a move by two clicks. */
export async function clickMove(page, uci) {
  await click(page, uci.slice(0, 2));
  await click(page, uci.slice(2, 4));
}

/** Brings a text to the board by the window for imports, and waits until that has gone. */
export async function load(page, text) {
  await page.getByRole("button", { name: "Import / export" }).click();
  const field = page.getByLabel("FEN or PGN to load");
  await field.fill(text);
  await page.getByRole("button", { name: "Load", exact: true }).click();
  await field.waitFor({ state: "hidden" });
}

/** The number of half-moves in the move list of Play. */
export const moveCount = (page) => page.locator(".move-pairs [data-ply]").count();

/** Waits until it is the human's turn again or the game is over. */
export async function myTurn(page, moves) {
  await page.waitForFunction(
    (least) =>
      document.querySelectorAll(".move-pairs [data-ply]").length >= least || document.querySelector(".result-card"),
    moves,
  );
}

/** Starts a game in Play by a stored record: sides, level and position as the test needs them. */
export function gameInit(record) {
  const full = {
    variant: "chess",
    moves: [],
    human: "white",
    level: 0,
    control: null,
    clocks: [0, 0],
    spent: [],
    counting: [],
    ending: null,
    ...record,
  };
  return `if (!sessionStorage.seeded) { sessionStorage.seeded = 1; localStorage.setItem("rukh.game", ${JSON.stringify(JSON.stringify(full))}); }`;
}

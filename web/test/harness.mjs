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
    /** A page in a fresh profile. Errors on its console fail the test when it is closed with `done`. */
    async open(path = "", options = {}) {
      const { init, ...rest } = options;
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: "reduce",
        ...rest,
      });
      context.setDefaultTimeout(PATIENCE);
      if (init) await context.addInitScript(init);
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
        },
      });
    },
    async stop() {
      await browser.close();
      await server.close();
    },
  };
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

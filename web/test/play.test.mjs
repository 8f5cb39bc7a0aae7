// Games against the engine, as people play them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createEngine, createRules } from "rukh-engine";
import { clickMove, gameInit, moveCount, myTurn, soon, start } from "./harness.mjs";

let table;
before(async () => (table = await start()));
after(() => table.stop());

const result = (page) => page.locator(".result-card");

test("a whole game by clicks, from the first move to mate", async () => {
  // The human is played by the same engine at full strength, in this process; the page's is a beginner.
  const [rules, strong] = await Promise.all([createRules(), createEngine()]);
  const page = await table.open("#/play", {
    init: `localStorage.setItem("rukh.settings", '{"animation":false}'); ${gameInit({ start: rules.state({}).fen })}`,
  });
  const moves = [];
  while (!(await result(page).count())) {
    assert.ok(moves.length < 200, "a beginner is mated within a hundred moves");
    await strong.setPosition("startpos", moves);
    const { bestMove } = await strong.go({ nodes: 20_000 });
    await clickMove(page, bestMove);
    if (bestMove.length === 5)
      await page.getByRole("dialog", { name: "Promote to" }).getByRole("button", { name: "queen" }).click();
    await myTurn(page, moves.length + 2);
    moves.splice(0, moves.length, ...(await page.evaluate(() => JSON.parse(localStorage.getItem("rukh.game")).moves)));
  }
  strong.terminate();
  await soon(() => result(page).innerText(), /1–0[\s\S]*You won[\s\S]*checkmate/);
  assert.equal(rules.state({ moves }).outcome.reason, "checkmate");
  await soon(() => moveCount(page), moves.length);
  // It is in the library by itself, once, and opened from there.
  await page.waitForFunction(() => JSON.parse(localStorage.getItem("rukh.game")).kept);
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page.waitForFunction(() => /You – Rukh/.test(document.querySelector(".study-status")?.textContent));
  await page.getByRole("link", { name: "Library" }).click();
  await page.getByText("1 game", { exact: true }).waitFor();
  await page.done();
});

test("a pawn promotes to what one chooses", async () => {
  const page = await table.open("#/play", { init: gameInit({ start: "7k/P7/5K2/8/8/8/8/8 w - - 0 1" }) });
  await clickMove(page, "a7a8");
  await page.locator(".promotion button:focus").waitFor();
  await page.keyboard.press("Escape");
  await soon(() => moveCount(page), 0);
  await clickMove(page, "a7a8");
  await page.getByRole("dialog", { name: "Promote to" }).getByRole("button", { name: "rook" }).click();
  await myTurn(page, 2);
  await soon(() => page.locator(".table rukh-board [data-square=a8]").getAttribute("aria-label"), /white rook/);
  await page.done();
});

test("a game by keyboard alone", async () => {
  const page = await table.open("#/play");
  // Tab reaches the board; arrows walk on it, Enter takes and puts.
  await page.locator('.table rukh-board [tabindex="0"]').focus();
  const walk = async (from, to) => {
    const [x, y] = [to.charCodeAt(0) - from.charCodeAt(0), Number(to[1]) - Number(from[1])];
    for (let i = 0; i < Math.abs(x); i += 1) await page.keyboard.press(x > 0 ? "ArrowRight" : "ArrowLeft");
    for (let i = 0; i < Math.abs(y); i += 1) await page.keyboard.press(y > 0 ? "ArrowUp" : "ArrowDown");
  };
  await walk("e1", "e2");
  await page.keyboard.press("Enter");
  await walk("e2", "e4");
  await soon(() => page.evaluate(() => document.activeElement.getAttribute("aria-label")), /e4, empty, can go here/);
  await page.keyboard.press("Enter");
  await myTurn(page, 2);
  await soon(() => page.locator("#announcer").innerText(), /Rukh: /);
  await walk("e4", "g1");
  await page.keyboard.press("Enter");
  await walk("g1", "f3");
  await page.keyboard.press("Enter");
  await myTurn(page, 4);
  await soon(() => moveCount(page), 4);
  // Resign by keyboard: the dialog takes the focus.
  await page.getByRole("button", { name: "Resign" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Resign" }).press("Enter");
  await soon(() => result(page).innerText(), /0–1[\s\S]*resignation/);
  await page.done();
});

test("take-back, hint, and a reload in mid-game", async () => {
  const page = await table.open("#/play");
  await clickMove(page, "d2d4");
  await myTurn(page, 2);
  await clickMove(page, "c2c4");
  await myTurn(page, 4);
  await page.keyboard.press("u");
  await soon(() => moveCount(page), 2);
  await soon(() => page.locator(".table rukh-board [data-square=c2]").getAttribute("aria-label"), /white pawn/);
  // A question first, then a piece, then the move.
  await page.keyboard.press("h");
  await page.locator(".hint-text:not([hidden])", { hasText: "?" }).waitFor();
  await page.keyboard.press("h");
  await page.locator(".hint-text", { hasText: "Look at the" }).waitFor();
  await soon(() => page.locator(".layer-arrows path").count(), 0);
  await page.keyboard.press("h");
  await page.waitForSelector(".layer-arrows path");
  await clickMove(page, "c2c4");
  await myTurn(page, 4);
  const list = await page.locator(".move-pairs").innerText();
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  await soon(() => page.locator(".move-pairs").innerText(), list);
  await clickMove(page, "b1c3");
  await myTurn(page, 6);
  await page.done();
});

test("a game that is not finished is left only after a question", async () => {
  const page = await table.open("#/play");
  await clickMove(page, "d2d4");
  await myTurn(page, 2);
  const again = async (answer) => {
    await page.keyboard.press("n");
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    await page.getByRole("dialog", { name: "Leave this game?" }).getByRole("button", { name: answer }).click();
  };
  await again("Cancel");
  await soon(() => moveCount(page), 2);
  await again("Start");
  // The new game begins when the question has gone, a moment after the click.
  await page.waitForFunction(() => !document.querySelector(".move-pairs [data-ply]"));
  // Nor does a position of the analysis board take its place unasked.
  await clickMove(page, "c2c4");
  await myTurn(page, 2);
  await page.evaluate(() => (location.hash = "#/analyse?moves=d2d4"));
  const from = async (answer) => {
    await page.getByRole("button", { name: "Play from here" }).click();
    await page.getByRole("dialog", { name: "Leave this game?" }).getByRole("button", { name: answer }).click();
  };
  await from("Cancel");
  await soon(() => page.url(), /analyse/);
  await from("Start");
  await page.waitForFunction(() => location.hash === "#/play");
  await page.locator(".table.play").waitFor();
  await soon(() => moveCount(page), 0);
  await page.keyboard.press("n");
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  // A move in advance, or right after the answer where that is quicker than the clicks.
  await clickMove(page, "e2e4");
  await clickMove(page, "g1f3");
  await myTurn(page, 4);
  await soon(() => page.locator(".table rukh-board [data-square=f3]").getAttribute("aria-label"), /white knight/);
  // A draw that is agreed ends it, so it is offered after a question.
  await page.getByRole("button", { name: "Offer draw" }).click();
  const asked = page.getByRole("dialog", { name: "Offer a draw?" });
  await asked.getByRole("button", { name: "Cancel" }).click();
  await asked.waitFor({ state: "hidden" });
  assert.equal(await page.locator(".result-card").count(), 0);
  // Two engines.
  await page.keyboard.press("n");
  await page.getByRole("radio", { name: "Watch" }).check();
  await page.getByLabel("Strength of Black").press("End");
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.getByRole("dialog", { name: "Leave this game?" }).getByRole("button", { name: "Start" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await myTurn(page, 2);
  await page.keyboard.press("p");
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await soon(() => page.getByRole("button", { name: "Resign" }).count(), 0);
  const rested = await moveCount(page);
  await page.getByRole("button", { name: "Resume" }).click();
  await myTurn(page, rested + 1);
  await page.done();
});

test("Rukh opens from its book where one wants it: loaded when it is needed, and there offline", async () => {
  const page = await table.open("#/play");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  const rules = await createRules();
  const index = (square) => square.charCodeAt(0) - 97 + (Number(square[1]) - 1) * 8;
  const books = [];
  page.on("request", (request) => /\.bin$/.test(request.url()) && books.push(request.url()));
  const game = async (variant, move, leaves) => {
    await page.keyboard.press("n");
    await page.getByRole("radio", { name: variant, exact: true }).check();
    await page.getByRole("checkbox", { name: "Opening book" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
    if (leaves)
      await page.getByRole("dialog", { name: "Leave this game?" }).getByRole("button", { name: "Start" }).click();
    await soon(() => moveCount(page), 0);
    await clickMove(page, move);
    await myTurn(page, 2);
    const answer = () => page.evaluate(() => JSON.parse(localStorage.getItem("rukh.game")).moves[1]);
    await soon(answer, Boolean);
    return answer();
  };
  // The weakest level would play anything; the book of the program knows these answers.
  for (const [variant, name, move] of [
    ["Chess", "book", "e2e4"],
    ["Makruk", "makruk", "e3e4"],
  ]) {
    const answer = await game(variant, move, variant === "Makruk");
    const { key } = rules.state({ variant: variant.toLowerCase(), moves: [move] });
    const bits = (index(answer.slice(0, 2)) << 6) | index(answer.slice(2, 4));
    const record = Buffer.from(key + bits.toString(16).padStart(4, "0"), "hex");
    const at = readFileSync(new URL(`../../crates/store/data/${name}.bin`, import.meta.url)).indexOf(record);
    assert.ok(at >= 0 && at % 16 === 0, `${answer} is not in the book`);
  }
  assert.equal(books.length, 2, String(books));
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForFunction(() => document.documentElement.dataset.ready);
  await game("Chess", "d2d4", true);
  await soon(() => page.evaluate((url) => fetch(url).then(({ ok }) => ok), books[0]), true);
  await page.done();
});

test("a reload while the engine thinks lets it move afterwards", async () => {
  const page = await table.open("#/play", {
    init: gameInit({ start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", moves: ["e2e4"], spent: [0] }),
  });
  await myTurn(page, 2);
  await soon(() => moveCount(page), 2);
  await page.done();
});

test("clocks run, and a flag falls", async () => {
  const page = await table.open("#/play", {
    init: gameInit({
      start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
      control: { initial: 1500, increment: 0 },
      clocks: [1500, 60000],
    }),
  });
  await clickMove(page, "e2e4");
  await myTurn(page, 2);
  await result(page).waitFor();
  await soon(() => result(page).innerText(), /Black wins on time/);
  await page.done();
});

test("Chess960: castling by king takes rook", async () => {
  const page = await table.open("#/play", {
    init: gameInit({ variant: "chess960", start: "4k3/8/8/8/8/8/8/1RK4R w HB - 0 1" }),
  });
  await clickMove(page, "c1h1");
  await myTurn(page, 2);
  await soon(() => page.locator(".move-pairs").innerText(), /O-O/);
  await page.done();
});

test("Makruk: a promotion turns the Bia over, and the bare Khun is counted", async () => {
  const page = await table.open("#/play", {
    init: gameInit({ variant: "makruk", start: "8/3k4/8/2K1S1P1/8/8/8/8 w - - 0 1" }),
  });
  await soon(() => page.locator(".rukh-board.plain").count(), 1);
  await clickMove(page, "g5g6");
  await myTurn(page, 2);
  await soon(() => page.locator(".table rukh-board [data-square=g6]").getAttribute("aria-label"), /white Bia-ngai/);
  await soon(() => page.locator('.layer-pieces use[href="#mk-b"]').count(), 1);
  // Black has only the Khun: its first number is 5 of 44, on its own bar.
  await soon(() => page.locator('.player-bar[data-side="black"] .count').innerText(), /^5 \/ 44/);
  await soon(() => page.locator('.player-bar[data-side="black"] .count-thai').innerText(), /๕ \/ ๔๔/);
  await soon(() => page.locator("#announcer").innerText(), /Count 5 of 44/);
  await page.done();
});

test("Makruk: board’s honour is claimed, counted and stopped by button; the count draws", async () => {
  const page = await table.open("#/play", {
    init: gameInit({ variant: "makruk", start: "4k3/2rrn3/8/8/8/8/4M3/R3K3 w - - 0 40" }),
  });
  await page.getByRole("button", { name: "Start counting" }).click();
  await clickMove(page, "a1a2");
  await myTurn(page, 2);
  await soon(() => page.locator('.player-bar[data-side="white"] .count').innerText(), /^1 \/ 64/);
  await page.getByRole("button", { name: "Stop counting" }).click();
  await soon(() => page.locator(".player-bar .count:visible").count(), 0);
  await page.done();

  // Whoever counts offers a draw; an engine that is worse takes it.
  const offered = await table.open("#/play", {
    init: gameInit({ variant: "makruk", start: "4k3/4m3/8/8/8/8/2N5/R3K2R w - - 0 40" }),
  });
  await offered.getByRole("button", { name: "Start counting" }).click();
  await clickMove(offered, "a1a2");
  await result(offered).waitFor();
  await soon(() => result(offered).innerText(), /½–½[\s\S]*counting side’s offer/);
  await offered.done();

  const drawn = await table.open("#/play", {
    init: gameInit({ variant: "makruk", human: "black", start: "7k/8/8/8/8/8/R7/4K3 b - 32 32 90" }),
  });
  await clickMove(drawn, "h8g8");
  await soon(() => result(drawn).innerText(), /½–½[\s\S]*count/);
  await drawn.done();
});

test("a finished game is summed up in three things, and its review is kept", async () => {
  const game = gameInit({
    start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    moves: ["f2f3", "e7e5", "g2g4"],
    human: "black",
    spent: [0, 0, 0],
  });
  const page = await table.open("#/play", {
    init: `${game} localStorage.setItem("rukh.settings", JSON.stringify({ reviewNodes: 5000 }));`,
  });
  await clickMove(page, "d8h4");
  await page.getByRole("button", { name: "Three things" }).click();
  await page.locator(".summary-card li").nth(2).waitFor();
  await soon(() => page.locator(".summary-card li").count(), 3);
  await page.getByRole("link", { name: "The whole review" }).click();
  await page.locator(".review-card .accuracies").waitFor();
  await page.done();
});

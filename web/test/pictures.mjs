// Pictures of the main screens for docs/ and the README. `npm run pictures`; the browser tests call it, too.
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clickMove, gameInit, myTurn, start } from "./harness.mjs";

const LIMIT = 180_000;
const WIDE = { width: 1200, height: 750 };
const GAME = `[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
`;
/** Two games of one player, for the coach. */
const GAMES = [
  [
    "Kieseritzky",
    "1851.06.21",
    "1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4 Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4 Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8 22. Qf6+ Nxf6 23. Be7# 1-0",
  ],
  [
    "Dufresne",
    "1852.??.??",
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. b4 Bxb4 5. c3 Ba5 6. d4 exd4 7. O-O d3 8. Qb3 Qf6 9. e5 Qg6 10. Re1 Nge7 11. Ba3 b5 12. Qxb5 Rb8 13. Qa4 Bb6 14. Nbd2 Bb7 15. Ne4 Qf5 16. Bxd3 Qh5 17. Nf6+ gxf6 18. exf6 Rg8 19. Rad1 Qxf3 20. Rxe7+ Nxe7 21. Qxd7+ Kxd7 22. Bf5+ Ke8 23. Bd7+ Kf8 24. Bxe7# 1-0",
  ],
].map(
  ([black, date, moves]) => `[White "Anderssen"]\n[Black "${black}"]\n[Date "${date}"]\n[Result "1-0"]\n\n${moves}\n`,
);

/** Takes all pictures into `folder`. */
export async function takePictures(folder) {
  mkdirSync(folder, { recursive: true });
  const table = await start();
  const shoot = async (page, name) => {
    const path = `${folder}/page-${name}.png`;
    await page.evaluate(() => document.activeElement?.blur());
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > LIMIT) throw new Error(`${name} has ${size} bytes`);
    await page.done();
  };

  const moves = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6".split(" ");
  const play = await table.open("#/play", {
    viewport: WIDE,
    init: gameInit({
      start: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
      moves,
      level: 4,
      control: { initial: 600000, increment: 5000 },
      clocks: [541200, 573800],
      spent: moves.map(() => 0),
    }),
  });
  await shoot(play, "play");

  const analyse = await table.open("#/analyse?moves=" + moves.slice(0, 9).join(","), {
    viewport: WIDE,
    colorScheme: "dark",
  });
  await analyse.keyboard.press("+");
  await analyse.waitForFunction(
    () => /depth (1[4-9]|[2-9]\d)/.test(document.querySelector(".figures").textContent),
    null,
    { timeout: 60_000 },
  );
  await analyse.waitForFunction(() => document.querySelector(".code-line code").textContent);
  await shoot(analyse, "analyse");

  const review = await table.open("#/review", {
    viewport: WIDE,
    init: `localStorage.setItem("rukh.settings", '{"reviewNodes":20000}')`,
  });
  await review.getByRole("button", { name: "Import / export" }).click();
  await review.getByLabel("FEN or PGN to load").fill(GAME);
  await review.getByRole("button", { name: "Load", exact: true }).click();
  await review.getByRole("button", { name: "Review this game" }).click();
  await review.waitForSelector(".accuracies", { timeout: 90_000 });
  await review.locator(".judged-list .move").nth(2).click();
  await review.waitForTimeout(800);
  await review.evaluate(() => (document.querySelector(".panel").scrollTop = 0));
  await shoot(review, "review");

  const coach = await table.open("#/library", {
    viewport: WIDE,
    init: `localStorage.setItem("rukh.settings", '{"reviewNodes":3000,"engineOn":false}')`,
  });
  const buffer = Buffer.from(GAMES.join("\n"));
  await coach.getByLabel("Files to import").setInputFiles({ name: "games.pgn", mimeType: "text/plain", buffer });
  await coach.locator(".notice", { hasText: "in the library now" }).waitFor();
  await coach.evaluate(() => (location.hash = "#/coach"));
  await coach.getByRole("button", { name: "Review my games" }).click();
  // The words beside the button go by quickly; what is wanted is what they lead to.
  const done = coach.locator(".insights [role=status]", { hasText: "All 2 games have been reviewed." });
  await done.waitFor({ timeout: 300_000 });
  const found = coach.getByRole("heading", { name: "Costliest mistakes" });
  await found.waitFor();
  await coach.locator(".notice").first().waitFor({ state: "hidden" });
  await shoot(coach, "coach");

  const makruk = await table.open("#/play", {
    viewport: { width: 390, height: 800 },
    init: gameInit({ variant: "makruk", level: 3, start: "8/3k4/8/2K1S1P1/8/3N4/8/8 w - - 0 1" }),
  });
  await clickMove(makruk, "g5g6");
  await myTurn(makruk, 2);
  await shoot(makruk, "makruk");

  const learn = await table.open("#/learn/search?depth=9", { viewport: WIDE });
  await learn.locator(".path button").first().waitFor({ timeout: 60_000 });
  await learn.evaluate(() => {
    document.querySelector(".icicle").closest(".widget").scrollIntoView();
    scrollBy(0, -80);
  });
  await learn.waitForTimeout(300);
  await shoot(learn, "learn");
  await table.stop();
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await takePictures(process.argv[2] ?? fileURLToPath(new URL("../../docs", import.meta.url)));

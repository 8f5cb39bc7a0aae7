// Pictures of the main screens for docs/ and the README. `npm run pictures`; the browser tests call it, too.
import { mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { clickMove, gameInit, myTurn, start } from "./harness.mjs";

const LIMIT = 170_000;
const WIDE = { width: 1200, height: 750 };
const GAME = `[White "Morphy"]
[Black "Duke and Count"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0
`;
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
  await shoot(review, "review");

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

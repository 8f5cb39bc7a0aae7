// How far the review can be trusted: reviews games and asks a search ten times deeper about every mark.
//   node --import ./test/unit/typescript.mjs test/judge.mjs GAMES.pgn [GAMES [NODES [PART/PARTS]]]
// prints one line for each mark that the deeper search does not share, then the counts.
import { readFileSync } from "node:fs";
import { createEngine } from "rukh-engine";
import { loadRules } from "../src/engine/rules.ts";
import { isBad } from "../src/game/signs.ts";
import { GameTree } from "../src/game/tree.ts";
import { bestMove, reviewGame } from "../src/study/review.ts";

const [file, games = "200", effort = "60000", part = "0/1"] = process.argv.slice(2);
const nodes = Number(effort);
const [own, parts] = part.split("/").map(Number);
const rules = await loadRules();
const engine = await createEngine({ hash: 32 });

const searcher = {
  async run({ start, moves, variant, go }) {
    await engine.setPosition(start, moves, variant);
    return engine.go(go, () => undefined);
  },
  stop: () => engine.stop(),
  newGame: () => engine.newGame(),
};

const texts = readFileSync(file, "utf8")
  .split(/\n(?=\[Event )/)
  .slice(0, Number(games))
  .filter((_, i) => i % parts === own);
const count = { games: 0, moves: 0, marks: 0, preferred: 0, contradictions: 0, praised: 0, cpuSeconds: 0 };
for (const text of texts) {
  const game = rules.parsePgn(text).games[0];
  if (!game) continue;
  const tree = GameTree.fromPgn(game);
  const began = process.cpuUsage();
  const result = await reviewGame(tree, searcher, { nodes }, () => undefined, () => false); // prettier-ignore
  const { user, system } = process.cpuUsage(began);
  count.cpuSeconds += (user + system) / 1e6;
  count.games += 1;
  count.moves += result.verdicts.length;
  for (const [i, verdict] of result.verdicts.entries()) {
    if (verdict && verdict !== "book" && !isBad(verdict)) count.praised += 1;
    if (!isBad(verdict)) continue;
    count.marks += 1;
    const played = result.line[i + 1];
    const best = bestMove(tree, result.found[i]);
    if (best?.uci === played.uci) count.contradictions += 1;
    await engine.newGame();
    await engine.setPosition(tree.start, tree.path(played.parent), tree.variant);
    const deeper = await engine.go({ nodes: nodes * 200 }, () => undefined);
    if (deeper.bestMove !== played.uci) continue;
    count.preferred += 1;
    console.log(`${tree.tag("White")} – ${tree.tag("Black")}: ${i + 1} ${played.san} ${verdict}, better ${best?.san}`);
  }
  console.error(JSON.stringify(count));
}
console.log(JSON.stringify(count));
engine.terminate();

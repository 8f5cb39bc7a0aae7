// How far the page's review can be trusted: reviews games as the page does and asks about every mark again, ten times deeper.
//   node --import ./test/unit/typescript.mjs test/judge.mjs GAMES.pgn [PROGRAM [CLAIMS [KNOWN]]]
// A line for every mark and every game, in JSON; `sum` as the only argument counts such lines from the input. PROGRAM is a UCI
// engine for the deeper searches; without one the page's own makes them too. Several of these share the games through the folder
// CLAIMS; what the lines of KNOWN have judged is not judged again.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createEngine } from "rukh-engine";
import { loadRules } from "../src/engine/rules.ts";
import { isBad } from "../src/game/signs.ts";
import { GameTree } from "../src/game/tree.ts";
import { bestMove, reviewGame } from "../src/study/review.ts";

/** As the page's settings are. */
const NODES = 60_000;
const HASH = 32;
const DEEPER = 10;

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

if (process.argv[2] === "sum") sum();
else await judge(...process.argv.slice(2));

async function judge(file, program = null, claims = null, known = null) {
  const { games: judged, marks } = known ? read(known) : { games: new Map(), marks: new Map() };
  const rules = await loadRules();
  const engine = await createEngine({ hash: HASH });
  const deep = program ? uci(program) : engine;
  /** The most nodes that each position was looked at with, by how many moves led to it. */
  let looks = new Map();
  const searcher = {
    async run({ start, moves, variant, go }) {
      if (!go.searchmoves) looks.set(moves.length, Math.max(go.nodes, looks.get(moves.length) ?? 0));
      // Praise, which no mark rests on: what the other moves are worth need not be known here.
      else if (go.searchmoves.length > 1) return { lines: [{ score: { cp: 0 }, turn: "white", pv: [] }] };
      await engine.setPosition(start, moves, variant);
      return engine.go(go, () => undefined);
    },
    stop: () => engine.stop(),
    newGame: () => engine.newGame(),
  };
  const texts = readFileSync(file, "utf8").split(/\n(?=\[Event )/);
  for (const [number, text] of texts.entries()) {
    if (judged.has(number) || (claims && !claim(join(claims, String(number))))) continue;
    const game = rules.parsePgn(text).games[0];
    if (!game) continue;
    const tree = GameTree.fromPgn(game);
    looks = new Map();
    const began = process.cpuUsage();
    const result = await reviewGame(tree, searcher, { nodes: NODES }, () => undefined, () => false); // prettier-ignore
    const { user, system } = process.cpuUsage(began);
    const plies = [];
    for (const [i, verdict] of result.verdicts.entries()) {
      if (!isBad(verdict)) continue;
      plies.push(i + 1);
      const before = tree.path(result.line[i]);
      const played = result.line[i + 1];
      const nodes = DEEPER * looks.get(before.length);
      const old = marks.get(`${number} ${i + 1}`);
      if (old?.nodes === nodes && old.san === played.san && old.verdict === verdict) {
        say(old);
        continue;
      }
      await deep.newGame();
      await deep.setPosition(tree.start, before, tree.variant);
      const { bestMove: move } = await deep.go({ nodes }, () => undefined);
      const { loss, before: was, after } = result.review.moves[i];
      const doubtful = move === played.uci;
      say({ game: number, ply: i + 1, san: played.san, verdict, better: bestMove(tree, result.found[i])?.san, was, after, loss, nodes, move, doubtful }); // prettier-ignore
    }
    say({ game: number, moves: result.verdicts.length, plies, cpu: (user + system) / 1e6 });
  }
  engine.terminate();
  if (deep !== engine) deep.terminate();
}

/** A program that speaks UCI, as far as it is needed here. */
function uci(program) {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const send = (text) => child.stdin.write(`${text}\n`);
  const until = async (word) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} has ended`);
      if (value.startsWith(word)) return value;
    }
  };
  send(`uci\nsetoption name Hash value 256`);
  return {
    newGame: async () => {
      send("ucinewgame\nisready");
      await until("readyok");
    },
    setPosition: async (start, moves, variant) => {
      send(`setoption name UCI_Variant value ${variant}`);
      send(
        `position ${start === "startpos" ? start : `fen ${start}`}${moves.length ? ` moves ${moves.join(" ")}` : ""}`,
      );
    },
    go: async ({ nodes }) => {
      send(`go nodes ${nodes}`);
      return { bestMove: (await until("bestmove ")).split(" ")[1] };
    },
    terminate: () => send("quit"),
  };
}

/** Whether the folder was not there yet: nobody else has taken what it stands for. */
function claim(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** The finished games and all marks of earlier lines, each once; the last line may have been cut. */
function read(file) {
  const [games, marks] = [new Map(), new Map()];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    let found;
    try {
      found = JSON.parse(line);
    } catch {
      continue;
    }
    if (found.moves !== undefined) games.set(found.game, found);
    else marks.set(`${found.game} ${found.ply}`, found);
  }
  return { games, marks };
}

/** Counts the marks of finished games; a share has its Wilson interval of 95 %. */
function sum() {
  const { games, marks: all } = read(0);
  const marks = [...all.values()].filter(({ game, ply }) => games.get(game)?.plies?.includes(ply) ?? games.has(game));
  const doubtful = marks.filter((mark) => mark.doubtful);
  for (const { game, ply, san, verdict, better, loss } of doubtful)
    console.log(
      `game ${game}, half-move ${ply}: ${san} ${verdict}, loses ${loss.toFixed(1)} of 100 points, better ${better}`,
    );
  const of = (name) => `${marks.filter(({ verdict }) => verdict === name).length} ${name}`;
  const kinds = [...new Set(marks.map(({ verdict }) => verdict))].map(of).join(", ");
  const moves = [...games.values()].reduce((total, game) => total + game.moves, 0);
  console.log(`${games.size} games, ${moves} half-moves, ${marks.length} marks (${kinds})`);
  const [n, z] = [marks.length, 1.96];
  const p = doubtful.length / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const percent = (share) => (100 * share).toFixed(2);
  console.log(
    `${doubtful.length} of them a search ${DEEPER} times deeper would play: ${percent(p)} % [${percent(middle - half)}, ${percent(middle + half)}]`,
  );
}

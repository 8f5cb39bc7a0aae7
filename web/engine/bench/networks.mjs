// A match of this module against itself, with and without another network, at equal time a move.
//
//   node web/engine/bench/networks.mjs NETWORK.nnue OPENINGS.epd [--variant makruk] [--games 40] [--movetime 100] [--skip 0]
//
// Every opening is played twice, with sides exchanged; one engine thinks at a time, so both have the same share of a busy machine.
// A game is won where both engines say 10 pawns for three moves each, and drawn after 300 half-moves or by the rules.

import { readFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { createEngine, createRules } from "../dist/index.js";

const words = process.argv.slice(2);
const option = (name, value) => (words.includes(name) ? words[words.indexOf(name) + 1] : value);
const [file, openings] = words;
const variant = option("--variant", "makruk");
const games = Number(option("--games", 40));
const movetime = Number(option("--movetime", 100));
const skip = Number(option("--skip", 0));
const WON = 1000;
const AGREED = 6;
const LONGEST = 300;

const network = await readFile(file);
const fens = (await readFile(openings, "utf8")).split("\n").filter(Boolean).slice(skip);
const rules = await createRules();
const engines = await Promise.all([createEngine({ variant, network }), createEngine({ variant })].map((e) => e.ready));
const spent = [
  { nodes: 0, ms: 0 },
  { nodes: 0, ms: 0 },
];

/** Points of the engine with the other network, which has White where `first`. */
async function play(fen, first) {
  const moves = [];
  await Promise.all(engines.map((engine) => engine.newGame()));
  let [sign, agreed] = [0, 0];
  for (;;) {
    const { ended, turn } = rules.state({ variant, fen, moves });
    if (ended) return ended.winner === null ? 0.5 : (ended.winner === "white") === first ? 1 : 0;
    if (moves.length >= LONGEST) return 0.5;
    const index = (turn === "white") === first ? 0 : 1;
    await engines[index].setPosition(fen, moves, variant);
    const before = performance.now();
    const { bestMove, score, nodes } = await engines[index].go({ movetime });
    spent[index].ms += performance.now() - before;
    spent[index].nodes += nodes;
    const own = score.mate !== undefined ? Math.sign(score.mate) * 10_000 : score.cp;
    const white = turn === "white" ? own : -own;
    const now = Math.abs(white) >= WON ? Math.sign(white) : 0;
    agreed = now !== 0 && now === sign ? agreed + 1 : now !== 0 ? 1 : 0;
    sign = now;
    if (agreed >= AGREED) return sign > 0 === first ? 1 : 0;
    moves.push(bestMove);
  }
}

/** Elo of a share of the points. */
const elo = (share) => -400 * Math.log10(1 / Math.min(Math.max(share, 0.001), 0.999) - 1);
const pairs = [];
const tally = { wins: 0, draws: 0, losses: 0 };
for (let i = 0; i < games / 2; i += 1) {
  let points = 0;
  for (const first of [true, false]) {
    const point = await play(fens[i % fens.length], first);
    points += point;
    tally[point === 1 ? "wins" : point === 0.5 ? "draws" : "losses"] += 1;
  }
  pairs.push(points / 2);
  const mean = pairs.reduce((sum, each) => sum + each) / pairs.length;
  const variance = pairs.reduce((sum, each) => sum + (each - mean) ** 2, 0) / Math.max(pairs.length - 1, 1);
  const margin = 1.96 * Math.sqrt(variance / pairs.length);
  const speed = spent.map(({ nodes, ms }) => Math.round((nodes / ms) * 1000));
  console.log(
    `${pairs.length * 2} games: +${tally.wins} =${tally.draws} -${tally.losses}, ${(mean * 100).toFixed(1)} %, ` +
      `${elo(mean).toFixed(0)} [${elo(mean - margin).toFixed(0)}, ${elo(mean + margin).toFixed(0)}] Elo; ` +
      `nodes a second ${speed.join(" and ")}; load ${loadavg()[0].toFixed(1)}`,
  );
}
for (const engine of engines) engine.terminate();

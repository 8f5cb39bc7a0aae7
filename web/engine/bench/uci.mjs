// The npm package as a UCI engine, so that `rukh match` can play it against others:
//
//   rukh match --engine 'cmd=node args="web/engine/bench/uci.mjs [NETWORK.nnue]" name=module' --engine … --tc 5+0.05
//
// Just enough of UCI for that; `rukh` itself is the engine for everybody else.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createEngine } from "../dist/index.js";

const [file] = process.argv.slice(2);
const engine = createEngine(file ? { network: await readFile(file) } : {});
const say = (line) => process.stdout.write(`${line}\n`);
const LIMITS = ["depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate"];

/** `go wtime 1000 winc 10` as options; nothing known: without limits. */
const limits = (words) =>
  Object.fromEntries(
    LIMITS.flatMap((name) => (words.includes(name) ? [[name, Number(words[words.indexOf(name) + 1])]] : [])),
  );
const score = ({ cp, mate }) => (mate === undefined ? `cp ${Math.round(cp)}` : `mate ${mate}`);

const commands = {
  uci: () => say("id name Rukh in JavaScript\noption name Hash type spin default 16 min 1 max 1024\nuciok"),
  isready: async () => (await engine.ready, say("readyok")),
  ucinewgame: () => engine.newGame(),
  setoption: (words) => engine.setOption("Hash", Number(words.at(-1))),
  position(words) {
    const at = words.indexOf("moves");
    const [kind, ...fields] = at < 0 ? words : words.slice(0, at);
    return engine.setPosition(kind === "fen" ? fields.join(" ") : kind, at < 0 ? [] : words.slice(at + 1));
  },
  // Not awaited: `stop` has to be heard.
  go: (words) =>
    void engine
      .go(limits(words), (info) =>
        say(
          `info depth ${info.depth} score ${score(info.score)} nodes ${info.nodes} nps ${info.nps} time ${info.time} pv ${info.pv.join(" ")}`,
        ),
      )
      .then(({ bestMove }) => say(`bestmove ${bestMove ?? "(none)"}`)),
  stop: () => engine.stop(),
  quit: () => process.exit(0),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...words] = line.trim().split(/\s+/);
  await commands[name]?.(words);
}
process.exit(0);

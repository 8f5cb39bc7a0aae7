// Nodes per CPU second of this module, of the native portable build and of npm's `stockfish` (lite, one thread), in turn.
//
//   node web/engine/bench/speed.mjs [--native target/x86-64-v2/release/rukh] [--stockfish <folder of npm's stockfish>] [--rounds 3]
//
// Every program searches alone, one thread, from the same positions to about the same CPU time, in turn; the median of the
// rounds counts. The native build plays with the page's network, so that both do the same work. Stockfish is run as a program of
// its own and is no part of this project.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { gzipSync, brotliCompressSync, constants } from "node:zlib";
import { fileURLToPath } from "node:url";

const words = process.argv.slice(2);
const option = (name, value) => (words.includes(name) ? words[words.indexOf(name) + 1] : value);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const native = option("--native", here("../../../target/x86-64-v2/release/rukh"));
const stockfish = option("--stockfish", "");
const rounds = Number(option("--rounds", 3));

const POSITIONS = [
  ["start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"],
  ["Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"],
];
const NODES = { wasm: 3_000_000, native: 3_000_000, stockfish: 1_000_000 };

/** Runs a child of this script that searches and prints `nodes cpu-microseconds ready-milliseconds`. */
function child(args) {
  return new Promise((resolve, reject) => {
    const process_ = spawn(args[0], args.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    process_.stdout.on("data", (data) => (text += data));
    process_.on("error", reject);
    process_.on("close", () => resolve(text));
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** A UCI program: CPU time from the system's account of the process, read when the search has ended. */
function uci(args, fen, nodes, options = []) {
  return new Promise((resolve, reject) => {
    const engine = spawn(args[0], args.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
    const started = performance.now();
    const say = (line) => engine.stdin.write(`${line}\n`);
    const cpu = async () => {
      const stat = await readFile(`/proc/${engine.pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return ((Number(fields[11]) + Number(fields[12])) / 100) * 1e6;
    };
    let buffer = "";
    let before = 0;
    let ready = 0;
    let searched = 0;
    let readyCpu = 0;
    let phase = "uci";
    engine.on("error", reject);
    engine.stdout.on("data", async (data) => {
      buffer += data;
      const lines = buffer.split("\n");
      buffer = lines.pop();
      for (const line of lines) {
        if (phase === "uci" && line.startsWith("uciok")) {
          phase = "ready";
          for (const option of ["Hash value 16", ...options]) say(`setoption name ${option}`);
          say("isready");
        } else if (phase === "ready" && line.startsWith("readyok")) {
          phase = "warm";
          ready = performance.now() - started;
          readyCpu = await cpu();
          // Everything that is compiled on first use is compiled now.
          say(`position fen ${fen}`);
          say(`go nodes ${Math.round(nodes / 5)}`);
        } else if (phase === "warm" && line.startsWith("bestmove")) {
          phase = "search";
          before = await cpu();
          say("ucinewgame");
          say(`position fen ${fen}`);
          say(`go nodes ${nodes}`);
        } else if (phase === "search") {
          const found = / nodes (\d+)/.exec(line);
          if (found) searched = Number(found[1]);
          if (line.startsWith("bestmove")) {
            phase = "done";
            const used = (await cpu()) - before;
            say("quit");
            engine.kill();
            resolve({ nps: (searched / used) * 1e6, ready, readyCpu: readyCpu / 1000 });
          }
        }
      }
    });
    say("uci");
  });
}

async function wasm(fen, nodes) {
  const text = await child([process.execPath, fileURLToPath(import.meta.url), "--one", fen, String(nodes)]);
  const [searched, cpu, ready, readyCpu] = text.trim().split(" ").map(Number);
  return { nps: (searched / cpu) * 1e6, ready, readyCpu };
}

/** In a process of its own: the module without a worker, so that the process's CPU time is the search's. */
async function one(fen, nodes) {
  const start = performance.now();
  const { Instance } = await import("../dist/instance.js");
  const module = await WebAssembly.compile(await readFile(here("../dist/rukh.wasm")));
  const engine = new Instance(module);
  engine.call({ do: "hello" });
  engine.call({ do: "position", fen, moves: [] });
  const ready = performance.now() - start;
  const { user, system } = process.cpuUsage();
  engine.call({ do: "go", nodes: Math.round(nodes / 5) });
  engine.call({ do: "newGame" });
  engine.call({ do: "position", fen, moves: [] });
  const before = process.cpuUsage();
  const result = engine.call({ do: "go", nodes });
  const used = process.cpuUsage(before);
  console.log(result.nodes, used.user + used.system, ready.toFixed(1), (user + system) / 1000);
}

if (words[0] === "--one") {
  await one(words[1], Number(words[2]));
} else {
  const programs = [["wasm", (fen) => wasm(fen, NODES.wasm)]];
  if (existsSync(native))
    programs.push(["native", (fen) => uci([native], fen, NODES.native, ["EvalFile value <page>"])]);
  if (stockfish) {
    const script = `${stockfish}/bin/stockfish-19-lite-single.js`;
    programs.push(["stockfish", (fen) => uci([process.execPath, script], fen, NODES.stockfish)]);
  }
  const names = { wasm: "Rukh, WebAssembly", native: "Rukh, native portable", stockfish: "stockfish 19 lite-single" };
  const found = Object.fromEntries(programs.map(([name]) => [name, POSITIONS.map(() => [])]));
  for (let round = 0; round < rounds; round++) {
    for (const [at, [, fen]] of POSITIONS.entries()) {
      for (const [name, run] of programs) found[name][at].push(await run(fen));
    }
  }
  const shown = (value) => `${Math.round(value / 1000)}k`;
  console.log("| program | start, nodes per CPU second | Kiwipete | ready: CPU (wall) |\n| --- | --- | --- | --- |");
  for (const [name] of programs) {
    const [start, kiwi] = found[name].map((runs) => median(runs.map((run) => run.nps)));
    const all = found[name].flat();
    const ready = `${Math.round(median(all.map((run) => run.readyCpu)))} ms (${Math.round(median(all.map((run) => run.ready)))} ms)`;
    console.log(`| ${names[name]} | ${shown(start)} | ${shown(kiwi)} | ${ready} |`);
  }
  for (const other of ["native", "stockfish"].filter((name) => found[name])) {
    const ratios = POSITIONS.map((_, at) =>
      median(found.wasm[at].map((run, i) => run.nps / found[other][at][i].nps)).toFixed(2),
    );
    console.log(`\nWebAssembly to ${names[other]}, median of the rounds' ratios: ${ratios.join(" and ")}`);
  }
  for (const file of ["rukh.wasm", "rukh-learn.wasm"]) {
    const bytes = await readFile(here(`../dist/${file}`));
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } });
    const kb = (size) => `${Math.round(size / 1000)} kB`;
    console.log(
      `\n${file}: ${kb(bytes.length)}, gzip ${kb(gzipSync(bytes, { level: 9 }).length)}, brotli ${kb(brotli.length)}`,
    );
  }
}

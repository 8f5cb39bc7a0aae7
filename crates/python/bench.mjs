// The tasks of bench.py by chessops, which it installs beside this file's copy: node bench.mjs games.pgn fens.txt → rates as JSON.
import { readFileSync } from "node:fs";
import { Chess } from "chessops/chess";
import { parseFen } from "chessops/fen";
import { parsePgn, startingPosition } from "chessops/pgn";
import { parseSan } from "chessops/san";

const [games, fens] = process.argv
  .slice(2)
  .map((path) => readFileSync(path, "utf8"));

/** Units a second, by wall time and by processor time. */
function timed(work) {
  const [wall, cpu] = [performance.now(), process.cpuUsage()];
  const units = work();
  const used = process.cpuUsage(cpu);
  return [
    (units / (performance.now() - wall)) * 1e3,
    (units / (used.user + used.system)) * 1e6,
  ];
}

/** The median of five rounds, after one for the compiler. */
function rate(work) {
  work();
  const rounds = Array.from({ length: 5 }, () => timed(work));
  return [0, 1].map(
    (way) => rounds.map((round) => round[way]).sort((a, b) => a - b)[2],
  );
}

const positions = fens
  .trim()
  .split("\n")
  .map((fen) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap());

const results = {
  read: rate(() => {
    let plies = 0;
    for (const game of parsePgn(games)) {
      const position = startingPosition(game.headers).unwrap();
      for (const { san } of game.moves.mainline()) {
        position.play(parseSan(position, san));
        plies += 1;
      }
    }
    return plies;
  }),
  moves: rate(() => {
    let count = 0;
    for (const position of positions) {
      const context = position.ctx();
      for (const from of position.board[position.turn])
        for (const _ of position.dests(from, context)) count += 1;
    }
    return count > 0 ? positions.length : 0;
  }),
  fen: rate(
    () =>
      fens
        .trim()
        .split("\n")
        .map((fen) => Chess.fromSetup(parseFen(fen).unwrap()).unwrap()).length,
  ),
};
console.log(JSON.stringify(results));

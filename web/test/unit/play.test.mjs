// Games against an engine that answers what the test says, without a page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { set } from "../../src/app/settings.ts";
import { effect } from "../../src/app/store.ts";
import { bookMoves, drawn } from "../../src/play/book.ts";
import { controlOf } from "../../src/play/setup.ts";
import { loadRules } from "../../src/engine/rules.ts";
import { PlayController } from "../../src/play/controller.ts";
import { questionOf } from "../../src/play/hints.ts";
import { levelAdvice, threeThings } from "../../src/play/summary.ts";
import { GameTree } from "../../src/game/tree.ts";
import { firstGame } from "../../src/play/starts.ts";

const rules = await loadRules();
const settled = () => new Promise((resolve) => setImmediate(resolve));
const START = rules.state({}).fen;

/** A table whose engine plays the given moves, and says what it thinks of them. */
function table(answers, cp = 0, keep = undefined) {
  const said = [];
  const engine = {
    jobs: [],
    async run(job, onInfo) {
      engine.jobs.push(job);
      onInfo({ multipv: 1, score: { cp } });
      return { bestMove: answers.shift() ?? null };
    },
    stop: async () => undefined,
    newGame: async () => undefined,
  };
  const voice = { announce: (text) => said.push(text), notice: (text) => said.push(text), sound: () => undefined };
  const play = new PlayController(engine, voice, keep);
  const move = async (text) => {
    const { variant, start, moves } = play.game.record;
    play.human(rules.move({ variant, fen: start, moves: [...moves] }, text));
    await settled();
  };
  return { play, engine, said, move };
}

beforeEach(() => set("animation", false));

test("the engine answers, and those who watch hear of it", async () => {
  const { play, engine, said, move } = table(["e7e5"]);
  const seen = [];
  const end = effect(() => seen.push(`${play.game.ply} ${play.shown.value} ${play.busy.value}`));
  await move("e4");
  end();
  assert.deepEqual(play.game.record.moves, ["e2e4", "e7e5"]);
  assert.equal(seen.at(-1), "2 2 false");
  assert.ok(seen.includes("1 1 true"), seen.join());
  assert.deepEqual(said, ["You: pawn e2 to e4.", "Rukh: pawn e7 to e5."]);
  assert.equal(engine.jobs.length, 1);
});

test("nobody moves while an earlier position is shown, or twice", async () => {
  const { play, move } = table(["e7e5"]);
  await move("e4");
  play.show(0);
  assert.equal(play.live, false);
  await move("Nf3");
  assert.equal(play.game.ply, 2);
  play.show(99);
  assert.equal(play.shown.value, 2);
  await move("Nf3");
  assert.equal(play.game.ply, 3);
});

test("take-back goes to the person’s own move, hints disappear", async () => {
  const { play, move } = table(["e7e5", "g1f3"]);
  await move("e4");
  await play.findHint();
  assert.equal(play.hint.value.move.uci, "g1f3");
  play.takeBack();
  assert.equal(play.hint.value, null);
  assert.equal(play.game.ply, 0);
  play.takeBack();
  assert.equal(play.game.ply, 0);
});

test("mate ends the game; resigning and draw offers after it do nothing", async () => {
  const { play, said, move } = table(["e7e5", "d8h4"]);
  await move("f3");
  await move("g4");
  assert.deepEqual(play.game.record.ending, { result: "0-1", text: "Black wins by checkmate" });
  assert.match(said.at(-1), /The game is over\. Black wins by checkmate/);
  play.resign();
  assert.equal(play.game.record.ending.text, "Black wins by checkmate");
});

test("a draw is taken when the engine is not better and the game is old enough", async () => {
  const young = table(["e7e5"]);
  await young.move("e4");
  young.play.offerDraw();
  assert.equal(young.said.at(-1), "Rukh declines the draw.");
  const old = table(["e8e7"], 0);
  old.play.start({ ...firstGame(), start: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40" });
  await old.move("Kd2");
  old.play.offerDraw();
  assert.equal(old.play.game.record.ending.text, "Draw by agreement");
  const better = table(["e8e7"], 80);
  better.play.start({ ...firstGame(), start: "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40" });
  await better.move("Kd2");
  better.play.offerDraw();
  assert.equal(better.play.game.over, false);
});

test("a rematch changes sides and lets the engine begin", async () => {
  const { play, engine, move } = table(["e7e5", "d2d4"]);
  await move("e4");
  play.resign();
  play.rematch();
  await settled();
  assert.equal(play.game.record.human, "black");
  assert.equal(play.orientation.value, "black");
  assert.deepEqual(play.game.record.moves, ["d2d4"]);
  assert.equal(engine.jobs.at(-1).start, START);
});

test("clocks: the increment is added, and what was left is kept with the move", async () => {
  const { play, move } = table(["e7e5"]);
  play.start({ ...firstGame(), control: { initial: 60_000, increment: 2000 }, clocks: [60_000, 60_000] });
  await move("e4");
  // The clocks start with the first move: White has used nothing, Black has got his increment.
  assert.equal(play.game.record.spent[0], 60_000);
  assert.ok(play.game.record.spent[1] > 60_000 && play.game.record.spent[1] <= 62_000);
  assert.equal(play.clock("white").running, true);
  play.leave();
  assert.equal(play.clock("white").running, false);
});

test("Makruk: the engine takes the standing offer of whoever counts", async () => {
  const { play, move } = table(["e8d8"], -300);
  play.start({ ...firstGame(), variant: "makruk", start: "4k3/4m3/8/8/8/8/2N5/R3K2R w - - 0 40" });
  play.toggleCount();
  await move("a1a2");
  assert.match(play.game.record.ending.text, /counting side’s offer/);
});

test("a clock of one's own", () => {
  assert.equal(controlOf({ control: "none", minutes: 1, increment: 1 }), null);
  assert.deepEqual(controlOf({ control: "180+2", minutes: 1, increment: 1 }), { initial: 180_000, increment: 2000 });
  assert.deepEqual(controlOf({ control: "own", minutes: 7, increment: 0 }), { initial: 420_000, increment: 0 });
});

test("a move in advance is played when it can be, and forgotten when not", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { play, engine, move } = table([]);
  let answer;
  engine.run = () => new Promise((resolve) => (answer = (bestMove) => resolve({ bestMove })));
  await move("e4");
  assert.equal(play.mayPremove, true);
  play.setPremove({ from: "g1", to: "f3" });
  answer("e7e5");
  await settled();
  t.mock.timers.tick(200);
  assert.deepEqual(play.game.record.moves, ["e2e4", "e7e5", "g1f3"]);
  assert.equal(play.premove.value, null);
  // The knight is pinned to nothing, but a square is taken by its own man: not a move.
  play.setPremove({ from: "f1", to: "g2" });
  answer("b8c6");
  await settled();
  t.mock.timers.tick(200);
  assert.equal(play.game.ply, 4);
  assert.equal(play.premove.value, null);
  play.setPremove({ from: "d2", to: "d4" });
  assert.equal(play.premove.value, null, "it is the person's own turn");
});

test("two engines play each other at their levels, rest and go on; the game is kept once", async () => {
  const kept = [];
  const { play, engine } = table(["a2a3", "f2f3", "e7e5", "g2g4", "d8h4"], 0, async (pgn, before) => {
    kept.push(pgn);
    return { id: "a", rev: (before?.rev ?? 0) + 1 };
  });
  play.start({ ...firstGame(), watch: [0, 3], clocks: [0, 0] });
  assert.equal(play.game.canTakeBack || play.live || play.mayPremove, false);
  play.togglePause();
  await settled();
  assert.equal(play.game.ply, 0);
  play.resign();
  assert.equal(play.game.over, false);
  engine.jobs.length = 0;
  play.togglePause();
  for (let i = 0; i < 40 && !play.game.over; i += 1) await settled();
  // The first answer came while they were to rest.
  const elos = [0, 3, 0, 3].map((level) => play.levels[level].elo);
  assert.deepEqual(
    engine.jobs.map(({ elo }) => elo),
    elos,
  );
  await settled();
  assert.equal(play.game.record.ending.result, "0-1");
  assert.equal(kept.length, 1);
  assert.match(kept[0], /Rukh against Rukh/);
  assert.deepEqual(play.game.record.kept, { id: "a", rev: 1 });
});

test("a hint is a question first, then a piece, then its move", async () => {
  const { play, engine, said, move } = table(["e7e5", "g1f3"]);
  await move("e4");
  await play.findHint();
  assert.deepEqual([play.hint.value.step, said.at(-1)], [1, "Which of your pieces could be better placed?"]);
  assert.equal(engine.jobs.length, 3, "the move, the engine's answer, and what it would do if one passed");
  await play.findHint();
  assert.deepEqual([play.hint.value.step, said.at(-1)], [2, "Look at the knight on g1."]);
  await play.findHint();
  assert.equal(play.hint.value.step, 3);
  assert.match(said.at(-1), /knight g1 to f3/);
  assert.equal(engine.jobs.length, 3, "nothing is searched twice");
});

test("what a hint asks has a fact behind it", () => {
  const state = (fen) => rules.state({ fen });
  const best = (position, uci) => position.moves.find((move) => move.uci === uci);
  const ask = (fen, uci, score, theirs = { cp: 0 }) => questionOf(state(fen), best(state(fen), uci), score, theirs);
  // The knight on c6 is attacked twice.
  const quiet = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
  assert.equal(ask(quiet, "a7a6", { cp: -20 }, { cp: 40 }), "improve");
  assert.equal(ask(quiet, "a7a6", { cp: -20 }, { cp: 400 }), "threat");
  assert.equal(ask("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "e1e2", { cp: 0 }, null), "check");
  assert.equal(ask("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "e1e8", { mate: 1 }), "mate");
  assert.equal(ask("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", { cp: 300 }, { cp: 200 }), "take");
  assert.equal(ask("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", { cp: 500 }, { cp: -500 }), "checking");
});

/** A review by hand: `scores` from White's side, in centipawns, one more than moves. */
function reviewed(moves, scores, verdicts) {
  const tree = GameTree.fromPgn(rules.parsePgn(`${moves} *`).games[0]);
  const line = tree.mainLine();
  const found = line.map((node, i) => ({ node, score: { cp: scores[i] }, pv: [] }));
  const review = rules.review("chess", "white", scores.map((cp) => ({ cp }))); // prettier-ignore
  return [tree, { line, found, review, verdicts }];
}

test("a game is summed up in three things", () => {
  const moves = "1. e4 e5 2. Qh5 Nf6 3. Qxf7+ Kxf7";
  const verdicts = [null, null, "inaccuracy", "mistake", "blunder", null];
  const [tree, result] = reviewed(moves, [20, 20, 20, -60, 120, -700, -700], verdicts);
  const white = threeThings(tree, result, "white");
  assert.deepEqual(white.map(({ is, at }) => [is, at]), [["mistake", 4], ["mistake", 2], ["phase", undefined]]); // prettier-ignore
  assert.deepEqual([white[2].phase, white[2].moves], ["opening", 3]);
  const [quiet, clean] = reviewed("1. e4 e5 2. Nf3 Nc6", [20, 20, 20, 20, 20], ["book", "book", null, "great"]);
  assert.deepEqual(threeThings(quiet, clean, "black").map(({ is }) => is), ["clean", "good", "opening"]); // prettier-ignore
  // Black errs, White gives it back, twice: the larger one is the mistake, the other the chance.
  const back = reviewed("1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. d3 d6 5. O-O Be7", [0, 0, 0, 0, 300, 0, 0, 0, 500, 0, 0], [null, null, null, "blunder", "blunder", null, null, "blunder", "blunder", null]); // prettier-ignore
  assert.deepEqual(threeThings(...back, "white").map(({ is, at }) => [is, at]).slice(0, 2), [["mistake", 8], ["chance", 3]]); // prettier-ignore
});

test("five games against a level say whether another one fits better", () => {
  const row = (result, i, more = {}) => ({ white: "You", black: "Rukh (Learner)", result, trashed: 0, changed: i, ...more }); // prettier-ignore
  const rows = (...results) => results.map((result, i) => row(result, i));
  assert.equal(levelAdvice(rows("1-0", "1-0", "1-0", "1-0"), "Learner"), 0);
  assert.equal(levelAdvice(rows("1-0", "1-0", "1/2-1/2", "1-0", "1/2-1/2"), "Learner"), 1);
  assert.equal(levelAdvice(rows("0-1", "0-1", "0-1", "1-0", "0-1"), "Learner"), -1);
  assert.equal(levelAdvice(rows("1-0", "1-0", "1-0", "1-0", "1-0"), "Master"), 0);
  const lately = [...rows("1-0", "1-0", "1-0", "1-0", "1-0"), ...[5, 6, 7, 8, 9].map((i) => row("0-1", i))];
  assert.equal(levelAdvice(lately, "Learner"), -1);
  const asBlack = [0, 1, 2, 3, 4].map((i) => row("0-1", i, { white: "Rukh (Learner)", black: "You" }));
  assert.equal(levelAdvice(asBlack, "Learner"), 1);
});

/** A book of the program, as the page loads it. */
function shipped(name) {
  const { buffer, byteOffset, byteLength } = readFileSync(
    new URL(`../../../crates/store/data/${name}.bin`, import.meta.url),
  );
  return new DataView(buffer, byteOffset, byteLength);
}

test("every move of the program’s books is found again, from the first position on", () => {
  for (const [variant, name] of [
    ["chess", "book"],
    ["makruk", "makruk"],
  ]) {
    const book = shipped(name);
    const records = new Map();
    for (let at = 0; at < book.byteLength; at += 16) {
      const key = book.getBigUint64(at).toString(16).padStart(16, "0");
      records.set(key, (records.get(key) ?? 0) + 1);
    }
    let [positions, layer] = [0, [[]]];
    for (let depth = 0; depth < 3; depth += 1) {
      const next = [];
      for (const moves of layer) {
        const state = rules.state({ variant, moves });
        const found = bookMoves(book, state);
        assert.equal(found.length, records.get(state.key) ?? 0, `${variant} ${moves.join(" ")}`);
        positions += found.length > 0;
        next.push(...found.map(({ move }) => [...moves, move.uci]));
      }
      layer = next;
    }
    assert.ok(positions > 10, `${variant}: ${positions}`);
  }
});

test("a book’s castling and promotions are moves of the board", () => {
  const index = (square) => square.charCodeAt(0) - 97 + (Number(square[1]) - 1) * 8;
  const asked = (variant, fen, from, to, becomes) => {
    const state = rules.state({ variant, fen });
    const book = new DataView(new ArrayBuffer(16));
    book.setBigUint64(0, BigInt(`0x${state.key}`));
    book.setUint16(8, index(to) | (index(from) << 6) | (becomes << 12));
    book.setUint16(10, 1);
    return bookMoves(book, state).map(({ move }) => move.uci);
  };
  const castles = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
  assert.deepEqual(asked("chess", castles, "e1", "h1", 0), ["e1g1"]);
  assert.deepEqual(asked("chess", castles, "e1", "a1", 0), ["e1c1"]);
  assert.deepEqual(asked("chess", castles, "e1", "f1", 0), ["e1f1"]);
  assert.deepEqual(asked("chess", castles, "e1", "e3", 0), [], "no legal move");
  const pawn = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
  for (const [number, letter] of [..."nbrq"].entries())
    assert.deepEqual(asked("chess", pawn, "a7", "a8", number + 1), [`a7a8${letter}`]);
  assert.deepEqual(asked("chess", pawn, "a7", "a8", 0), []);
  const bia = rules.state({ variant: "makruk", fen: "7k/8/8/P7/8/8/8/K7 w - 0 0 1" });
  const [met] = bia.moves.filter(({ promotion }) => promotion);
  assert.deepEqual(asked("makruk", bia.fen, met.from, met.to, 4), [met.uci]);
});

test("the heavier a book’s move, the more often it is drawn; a weight of 0 never", () => {
  const found = [
    { move: "a", weight: 0 },
    { move: "b", weight: 3 },
    { move: "c", weight: 1 },
    { move: "d", weight: 0 },
  ];
  const draws = Array.from({ length: 8 }, (_, n) => drawn(found, n / 8));
  assert.deepEqual(draws, ["b", "b", "b", "b", "b", "b", "c", "c"]);
  assert.equal(drawn([{ move: "a", weight: 0 }], 0), null);
  assert.equal(drawn([], 0.5), null);
});

test("where no book can be had, the engine thinks for itself", async () => {
  const { play, engine, move } = table(["e7e5"]);
  play.start({ ...firstGame(), book: true });
  // There is no address here that a book could come from.
  await move("e4");
  while (play.game.ply < 2) await settled();
  assert.deepEqual(play.game.record.moves, ["e2e4", "e7e5"]);
  assert.equal(engine.jobs.length, 1);
});

test("a stored game that makes no sense any more is made to fit, or left", (t) => {
  const kept = new Map();
  t.after(() => delete globalThis.localStorage);
  globalThis.localStorage = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  const stored = {
    ...firstGame(),
    moves: ["e2e4"],
    control: { initial: 600_000, increment: 0 },
    clocks: [50_000, 70_000],
  };
  const opens = (key, value) => {
    kept.clear();
    kept.set(key, JSON.stringify(value));
    const { play } = table([]);
    const { record } = play.game;
    play.leave();
    return record;
  };
  const game = (change) => opens("rukh.game", { ...stored, ...change });
  // Black's clock runs.
  const seconds = (change) => game(change).clocks.map((left) => Math.ceil(left / 1000));
  assert.deepEqual(seconds({}), [50, 70]);
  assert.deepEqual(seconds({ clocks: null }), [600, 600]);
  assert.deepEqual(seconds({ clocks: ["a", 30_000] }), [0, 30]);
  assert.equal(game({ control: 5 }).control, null);
  assert.equal(game({ control: { initial: "a" } }).control, null);
  assert.equal(game({ human: "purple" }).human, "white");
  assert.deepEqual([game({ ending: {} }).ending, game({ ending: "x" }).ending], [null, null]);
  assert.deepEqual([game({ level: "x" }).level, game({ watch: ["a", 1] }).watch], [2, [2, 1]]);
  assert.deepEqual(game({ spent: "x", counting: 7 }).moves, ["e2e4"]);
  for (const change of [{ moves: ["zzzz"] }, { moves: 5 }, { variant: "shogi" }, { start: "x" }])
    assert.deepEqual(game(change), firstGame());
  for (const wish of [[], "x", {}, 5, { variant: 5, fen: {} }, { variant: "shogi", fen: START }])
    assert.deepEqual(opens("rukh.playfrom", wish).moves, []);
});

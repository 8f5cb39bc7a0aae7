// Puzzles without a browser: files, ratings, which one comes next, how it is solved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { choose, open, themesOf } from "../../src/coach/puzzles/choose.ts";
import { PuzzlesController } from "../../src/coach/puzzles/controller.ts";
import { readPuzzles } from "../../src/coach/puzzles/file.ts";
import { NEW_PLAYER, chance, rated, ratingOf } from "../../src/coach/puzzles/rating.ts";

await loadRules();
const HEAD = "code,variant,fen,moves,themes,difficulty,depth,nodes,points,second,source";
const MATE = 'aaaaaaaaaaaaa,chess,r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4,h5f7,mate,148,1,30,100.0,52.0,"A – ""B"", C"'; // prettier-ignore
/** A back-rank mate in two: Re8+ Rxe8 Rxe8#. */
const TWO = 'bbbbbbbbbbbbb,chess,3r2k1/5ppp/8/8/8/8/4RPPP/4R1K1 w - - 0 1,e2e8 d8e8 e1e8,backRankMate mate,230,3,400,100.0,55.0,"x"'; // prettier-ignore
const quiet = () => undefined;
const read = (...rows) => readPuzzles([HEAD, ...rows, ""].join("\n"), quiet);

test("a file of puzzles is read, quotation marks and all", async () => {
  const [mate, two] = await read(MATE, TWO, MATE);
  assert.deepEqual([mate.id, mate.moves, mate.difficulty], ["chess:aaaaaaaaaaaaa", ["h5f7"], 148]);
  assert.equal(mate.source, 'A – "B", C');
  assert.deepEqual(two.themes, ["backRankMate", "mate"]);
  assert.equal((await readPuzzles(`\uFEFF${HEAD}\r\n${MATE}\r\n`, quiet)).length, 1);
});

test("a file that is none is refused with its line", async () => {
  await assert.rejects(readPuzzles("hello", quiet), /not a puzzle file/);
  const cases = [
    ["short,row", /Line 3: it has too few/],
    [TWO.replace("bbbbbbbbbbbbb", "<script>"), /Line 3: code/],
    [TWO.replace(",chess,", ",shogi,"), /Line 3: variant/],
    [TWO.replace("3r2k1", "9r2k1"), /Line 3: fen/],
    [TWO.replace("d8e8 e1e8", "d8e8 e1a8"), /Line 3: moves/],
    [TWO.replace("e2e8 d8e8 e1e8", "e2e8 d8e8"), /Line 3: moves/],
    [TWO.replace("backRankMate mate", "<b>"), /Line 3: themes/],
    [TWO.replace(",230,", ",hard,"), /Line 3: difficulty/],
  ];
  for (const [row, expected] of cases) await assert.rejects(read(MATE, row), expected);
});

test("ratings follow what is solved, and become surer", () => {
  let good = NEW_PLAYER;
  let bad = NEW_PLAYER;
  for (let i = 0; i < 20; i += 1) {
    good = rated(good, 400, true);
    bad = rated(bad, 200, false);
  }
  assert.ok(good.rating > 1800 && good.rating < 2600, `${good.rating}`);
  assert.ok(bad.rating < 1000 && bad.deviation < 200 && bad.failed === 20);
  // Whoever solves as many as expected stays where he is.
  let even = { ...NEW_PLAYER, rating: ratingOf(300) };
  for (let i = 0; i < 40; i += 1) even = rated(even, 300, i % 2 === 0);
  assert.ok(Math.abs(even.rating - ratingOf(300)) < 60 && even.deviation < 100, `${even.rating}`);
  assert.ok(chance(1500, 1500) === 0.5 && chance(1900, 1500) > 0.85);
});

test("the next puzzle fits the player; solved ones do not come again, missed ones a day later", () => {
  const puzzle = (i, more = {}) => ({ id: `p${i}`, difficulty: i * 10, themes: i % 2 ? ["fork"] : ["pin", "fork"], solved: null, tries: 0, last: 0, ...more }); // prettier-ignore
  const all = Array.from({ length: 60 }, (_, i) => puzzle(i));
  const picked = Array.from({ length: 12 }, (_, i) => choose(all, 1700, () => i / 12));
  assert.ok(picked.every(({ difficulty }) => Math.abs(ratingOf(difficulty) - 1600) <= 200));
  assert.equal(new Set(picked).size, 12);
  assert.equal(choose([], 1500, () => 0), null); // prettier-ignore
  const now = 1e12;
  const some = [puzzle(1, { solved: now, tries: 1 }), puzzle(2, { tries: 1, last: now }), puzzle(4, { tries: 1, last: 0 }), puzzle(5)]; // prettier-ignore
  assert.deepEqual(open(some, "", now).map(({ id }) => id), ["p4", "p5"]); // prettier-ignore
  assert.deepEqual(open(some, "pin", now).map(({ id }) => id), ["p4"]); // prettier-ignore
  assert.deepEqual(themesOf(some)[0], ["fork", 4]);
});

async function session(...rows) {
  const puzzles = (await read(...rows)).map((puzzle) => ({ ...puzzle, solved: null, tries: 0, last: 0 }));
  const kept = [];
  const store = {
    all: async () => ({ puzzles: new Map(puzzles.map((puzzle) => [puzzle.id, puzzle])), player: NEW_PLAYER }),
    put: async (puzzle, player) => void kept.push([puzzle, player]),
  };
  const play = new PuzzlesController(store, () => 1e12, () => 0, async () => {}); // prettier-ignore
  await play.load();
  const move = (uci) => play.answer(play.state.moves.find((each) => each.uci === uci));
  return { play, move, kept };
}

test("puzzles of one game at a time: chess first, another when it is chosen or there is no other", async () => {
  const other = TWO.replace("bbbbbbbbbbbbb", "ccccccccccccc").replace(",chess,", ",chess960,");
  const { play } = await session(other, MATE);
  assert.deepEqual([play.variants.value, play.variant.value, play.left.value], [["chess", "chess960"], "chess", 1]);
  assert.equal(play.puzzle.value.id, "chess:aaaaaaaaaaaaa");
  play.setTheme("mate");
  play.setVariant("chess960");
  assert.deepEqual([play.puzzle.value.id, play.theme.value], ["chess960:ccccccccccccc", ""]);
  const { play: alone } = await session(other);
  assert.deepEqual([alone.variant.value, alone.puzzle.value.variant], ["chess960", "chess960"]);
});

test("a puzzle is played to its end, with the answers of the other side", async () => {
  const { play, move, kept } = await session(TWO);
  await move("e2e8");
  assert.deepEqual([play.phase.value, play.ply.value, kept.length], ["ask", 2, 0]);
  await move("e1e8");
  assert.equal(play.phase.value, "solved");
  assert.ok(kept[0][0].solved && kept[0][1].rating > 1500 && play.change.value > 0);
  play.next();
  assert.equal(play.puzzle.value, null);
});

test("a wrong move counts once and may be tried again; help is not rated", async () => {
  const { play, move, kept } = await session(TWO, MATE);
  const first = play.puzzle.value;
  const other = play.state.moves.find(({ uci }) => uci !== play.wanted);
  await play.answer(other);
  assert.deepEqual([play.phase.value, play.wrong.value.uci], ["ask", other.uci]);
  await play.answer(other);
  await move(play.wanted);
  assert.equal(kept.length, 1);
  assert.ok(kept[0][1].rating < 1500 && kept[0][0].solved === null);
  play.next();
  assert.notEqual(play.puzzle.value.id, first.id);
  await play.help();
  await play.help();
  assert.equal(play.hint.value, 2);
  await play.show();
  assert.equal(play.phase.value, "shown");
  assert.equal(kept.length, 2);
  assert.equal(kept[1][1].rating, kept[0][1].rating);
});

test("the page's own puzzles are sound, of chess and Makruk, from easy to hard", async () => {
  const { readFileSync } = await import("node:fs");
  const text = readFileSync(new URL("../../src/coach/puzzles/shipped.csv", import.meta.url), "utf8");
  const puzzles = await readPuzzles(text, quiet);
  assert.equal(puzzles.length, text.trimEnd().split("\n").length - 1, "none comes twice");
  const count = (variant) => puzzles.filter((puzzle) => puzzle.variant === variant).length;
  assert.ok(count("chess") >= 150 && count("makruk") >= 20, `${count("chess")} ${count("makruk")}`);
  const ratings = puzzles.map(({ difficulty }) => ratingOf(difficulty)).sort((a, b) => a - b);
  assert.ok(ratings[10] < 1100 && ratings.at(-10) > 1500, `${ratings[10]} ${ratings.at(-10)}`);
  // Only the engine's own games: nobody else's may be handed out.
  assert.ok(puzzles.every(({ source }) => /^Rukh-\w+ – Rukh-\w+$/.test(source)));
});

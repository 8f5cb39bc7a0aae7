// The review against an engine that says what the test wants: what is marked, what is looked at again, whose signs are whose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadRules } from "../../src/engine/rules.ts";
import { splitEngineWord, withEngineWord } from "../../src/game/signs.ts";
import { GameTree } from "../../src/game/tree.ts";
import { keepFinished, keepUnfinished, readFinished, readUnfinished } from "../../src/study/keptreview.ts";
import { annotate, bestMove, reviewGame } from "../../src/study/review.ts";
import { isSacrifice } from "../../src/study/sacrifice.ts";

const rules = await loadRules();
const read = (pgn) => GameTree.fromPgn(rules.parsePgn(pgn).games[0]);
const NODES = 100;
// No table of openings knows this.
const AFTER_FEN = "4k3/pp3ppp/8/8/8/8/PP3PPP/4K3 w - - 0 30";
const AFTER = `[FEN "${AFTER_FEN}"]\n\n`;

/** `say(moves so far, deep, the moves it may look at)`: centipawns for the side to move, and a line. */
function scripted(say) {
  const jobs = [];
  return {
    jobs,
    async run({ moves, go, variant, start }) {
      const state = rules.state({ variant, fen: start, moves: [...moves] });
      jobs.push({ at: moves.length, nodes: go.nodes, only: go.searchmoves });
      const [cp, ...pv] = say(moves.join(" "), go.nodes > NODES, go.searchmoves ?? null);
      const line = pv.length ? pv : [go.searchmoves?.[0] ?? state.moves[0].uci];
      return { lines: [{ score: { cp }, turn: state.turn, pv: line }] };
    },
    stop: async () => undefined,
    newGame: async () => undefined,
  };
}
const review = (tree, engine) => reviewGame(tree, engine, { nodes: NODES }, () => undefined, () => false); // prettier-ignore

test("a mark that a deeper look does not confirm disappears", async () => {
  const tree = read(`${AFTER}30. Kd2 Kd7 *`);
  // The shallow look wants f3 and sees a disaster after Kd2; the deep one plays Kd2 itself.
  const engine = scripted((moves, deep) => {
    if (moves === "") return deep ? [10, "e1d2", "e8d7"] : [10, "f2f3"];
    return moves === "e1d2" ? [600, "e8d7"] : [-600];
  });
  const result = await review(tree, engine);
  assert.equal(result.review.moves[0].judgement, null);
  assert.deepEqual(result.verdicts, [null, null]);
  // The closer look was enough: the deep one is for what is still marked.
  assert.deepEqual(engine.jobs.flatMap(({ at, nodes }) => (at === 0 && nodes > NODES ? [nodes] : [])), [NODES * 5]); // prettier-ignore
});

test("a confirmed mark rests on deep looks at both moves, and the better move is another one", async () => {
  const tree = read(`${AFTER}30. Kd2 Kd7 31. Kd3 *`);
  const engine = scripted((moves, deep, only) => {
    if (moves === "") return only ? [-500, "e1d2", "e8d7"] : [100, "f2f3", "e8e7"];
    return moves === "e1d2" ? [500, "e8d7"] : [moves.split(" ").length % 2 ? 500 : -500];
  });
  const result = await review(tree, engine);
  assert.equal(result.verdicts[0], "blunder");
  assert.equal(bestMove(tree, result.found[0]).san, "f3");
  const deep = engine.jobs.filter(({ nodes }) => nodes === NODES * 20);
  assert.deepEqual(
    deep.map(({ at, only }) => [at, only?.join()]),
    [
      [0, undefined],
      [0, "e1d2"],
    ],
  );
  annotate(tree, result);
  assert.equal(tree.root.children[0].engine.text, "Blunder. Better was f3.");
  assert.equal(tree.root.children[1].san, "f3");
});

test("before book moves no evaluation is written: it would be that of the end of the book", async () => {
  const tree = read("1. e4 e5 2. Nf3 Nc6 3. Bb5 h5 4. h4 *");
  const engine = scripted((moves) => {
    const played = moves ? moves.split(" ").length : 0;
    return [played < 6 ? 20 : played % 2 ? -90 : 90];
  });
  const result = await review(tree, engine);
  const book = result.verdicts.lastIndexOf("book") + 1;
  assert.ok(book >= 5, String(result.verdicts));
  annotate(tree, result);
  const shown = tree.mainLine().map((node) => node.eval);
  assert.deepEqual(shown.slice(0, book), Array(book).fill(null));
  assert.ok(shown.slice(book).every(Boolean), JSON.stringify(shown));
});

test("a played move that turns out better than the engine’s own is not marked", async () => {
  const tree = read(`${AFTER}30. Kd2 Kd7 *`);
  const engine = scripted((moves, deep, only) => {
    if (moves === "") return only ? [300, "e1d2", "e8d7"] : [100, "f2f3", "e8e7"];
    return moves === "e1d2" ? [deep ? -300 : 500, "e8d7"] : [0];
  });
  const result = await review(tree, engine);
  assert.deepEqual(result.verdicts, [null, null]);
  assert.equal(result.found[0].pv[0], "e1d2");
});

test("in a long game the marks nearest to none are settled first, and the plainest rest on the closer look", async () => {
  const moves = [];
  for (let i = 0; i < 40; i += 1) {
    const { moves: legal } = rules.state({ fen: AFTER_FEN, moves });
    moves.push(legal[(5 * i) % legal.length].uci);
  }
  const tree = read(`${AFTER}*`);
  tree.playLine(tree.root, moves);
  // Every fourth move of White's loses what it loses, the more the later, and Black gives it back: at every depth.
  const engine = scripted((path, _deep, only) => {
    const played = path === "" ? 0 : path.split(" ").length;
    const gives = 60 + 10 * (played - (played % 2));
    if (played % 8 > 1) return [0, moves[played]];
    const state = rules.state({ fen: AFTER_FEN, moves: moves.slice(0, played) });
    const other = state.moves.find(({ uci }) => uci !== moves[played]);
    const [best, worse] = played % 2 ? [gives, 0] : [0, -gives];
    return only ? [worse, ...only] : [best, other.uci];
  });
  const result = await review(tree, engine);
  const looks = (times) => engine.jobs.filter(({ nodes, only }) => nodes === NODES * times && only?.length === 1).map(({ at }) => at); // prettier-ignore
  const marked = result.verdicts.flatMap((verdict, at) => (verdict ? [at] : []));
  assert.ok(marked.length >= 8, String(marked));
  for (const at of marked) assert.ok(looks(5).includes(at), `${at} rests on a closer look`);
  const deep = looks(20);
  assert.ok(deep.length >= 1 && deep.length < marked.length, String(deep));
  const loss = (at) => result.review.moves[at].loss;
  const rest = marked.filter((at) => !deep.includes(at)).map(loss);
  assert.ok(Math.max(...deep.map(loss)) <= Math.min(...rest), `${deep.map(loss)} ${rest}`);
  const spent = engine.jobs.reduce((sum, { nodes }) => sum + nodes, 0);
  assert.ok(spent < NODES * tree.mainLine().length * 9, String(spent));
});

test("moves of the opening table are book moves, whatever a short search thinks", async () => {
  const tree = read("1. e4 d6 2. d4 Nf6 *");
  const white = (moves) => moves === "" || moves.split(" ").length % 2 === 0;
  const engine = scripted((moves, deep) => [white(moves) && !deep ? 400 : 0, "a2a3", "a7a6"]);
  const { verdicts } = await review(tree, engine);
  assert.deepEqual(new Set(verdicts), new Set(["book"]));
});

test("a blunder that the opening table has a name for is a blunder", async () => {
  const tree = read("1. f3 e5 2. g4 Qh4# *");
  const engine = scripted((moves, _, only) => {
    if (moves === "f2f3 e7e5 g2g4") return [1500, "d8h4"];
    return only?.includes("g2g4") ? [-1500, "g2g4", "d8h4"] : [0, "b1c3"];
  });
  const { verdicts } = await review(tree, engine);
  assert.deepEqual(verdicts, ["book", "book", "blunder", null]);
});

test("what a database has often is book, up to a blunder and no further than it is played in a row", async () => {
  const white = (moves) => moves === "" || moves.split(" ").length % 2 === 0;
  const asked = [];
  const played = (times) => async (_variant, fen, uci) => {
    asked.push(`${fen.split(" ")[5]} ${uci}`);
    return times[uci] ?? 0;
  };
  const verdicts = async (engine, times) => {
    const tree = read("1. e4 d6 2. a3 h6 3. h3 a6 4. b3 b6 *");
    const effort = { nodes: NODES, timesPlayed: played(times) };
    return (await reviewGame(tree, engine, effort, () => undefined, () => false)).verdicts; // prettier-ignore
  };
  const often = { a2a3: 12, h7h6: 11, h2h3: 10, a7a6: 9, b2b3: 50 };
  // Quiet for everybody: nothing is marked, and 3…a6 is no book move any more.
  const quiet = scripted((moves) => [white(moves) ? 20 : -20, "g1f3"]);
  assert.deepEqual(await verdicts(quiet, often), [...Array(5).fill("book"), null, null, null]);
  assert.deepEqual(asked, ["2 a2a3", "2 h7h6", "3 h2h3", "3 a7a6"]);
  // A trap that everybody falls into: from 2…h6 on White is winning, at every depth.
  const trap = scripted((moves, _, only) => {
    if (only?.includes("h7h6")) return [-400, "h7h6", "h2h3"];
    const won = moves.split(" ").length > 3;
    return [(white(moves) ? 1 : -1) * (won ? 400 : 20), moves.split(" ").length === 3 ? "g8f6" : "g1f3"];
  });
  assert.deepEqual((await verdicts(trap, often)).slice(0, 5), ["book", "book", "book", "blunder", null]);
  // Without a database there is the table.
  assert.deepEqual((await verdicts(quiet, {})).slice(0, 3), ["book", "book", null]);
});

test("the only move and the missed win are called so", async () => {
  const only = read(`${AFTER}30. Kd2 Kd7 *`);
  const praised = await review(
    only,
    scripted((moves, _deep, searched) => {
      if (moves === "") return searched && !searched.includes("e1d2") ? [-400, "f2f3"] : [0, "e1d2"];
      return moves === "e1d2" ? [0, "e8d7"] : [0];
    }),
  );
  assert.equal(praised.verdicts[0], "great");
  const missed = read(`${AFTER}30. Kd2 Kd7 *`);
  const thrown = await review(
    missed,
    scripted((moves, _deep, searched) => {
      if (moves === "") return searched ? [0, "e1d2", "e8d7"] : [900, "f2f3"];
      return [0, "e8d7"];
    }),
  );
  assert.equal(thrown.verdicts[0], "missedWin");
});

test("a sacrifice gives material that does not come back at once", () => {
  const legal = read("1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 *");
  const from = legal.mainLine().at(-2);
  assert.equal(isSacrifice(legal, from, ["f3e5", "g4d1", "c4f7", "e8e7", "c3d5"]), true);
  assert.equal(isSacrifice(legal, from, ["h2h3", "g4f3", "d1f3"]), false);
});

test("a person’s signs and words stay, the engine’s are its own, through a file and back", async () => {
  const tree = read(`${AFTER}30. Kd2 $3 {my best idea} Kd7 $4 31. Kd3 *`);
  const engine = scripted((moves, _deep, only) => {
    if (moves === "") return only ? [-500, "e1d2", "e8d7"] : [100, "f2f3", "e8e7"];
    return moves === "e1d2" ? [500, "e8d7"] : [moves.split(" ").length % 2 ? 500 : -500];
  });
  for (let again = 0; again < 2; again += 1) annotate(tree, await review(tree, engine));
  const check = ({ root }) => {
    const [kd2] = root.children;
    assert.deepEqual(kd2.nags, [3]);
    assert.deepEqual(kd2.comments, ["my best idea"]);
    assert.deepEqual(kd2.engine, { verdict: "blunder", text: "Blunder. Better was f3." });
    assert.deepEqual(kd2.children[0].nags, [4]);
    assert.equal(kd2.children[0].engine, null);
    assert.equal(root.children.length, 2);
  };
  check(tree);
  const text = tree.toPgn().replace(/\s+/g, " ");
  assert.ok(text.includes("Kd2 $3 {[%eval -5.00]my best idea Rukh: ?? Blunder. Better was f3.}") || /my best idea.*Rukh: \?\? Blunder\. Better was f3\./.test(text), text); // prettier-ignore
  check(read(tree.toPgn()));
});

test("the engine’s sign is written where nobody else gave one, and taken back from there", () => {
  const word = { verdict: "mistake", text: "Mistake. Better was Nf3." };
  const alone = withEngineWord([14], ["hm"], word);
  assert.deepEqual(alone, { nags: [2, 14], comments: ["hm", "Rukh: Mistake. Better was Nf3."] });
  assert.deepEqual(splitEngineWord(alone.nags, alone.comments), { nags: [14], comments: ["hm"], engine: word });
  const beside = withEngineWord([2], [], word);
  assert.deepEqual(beside, { nags: [2], comments: ["Rukh: ? Mistake. Better was Nf3."] });
  assert.deepEqual(splitEngineWord(beside.nags, beside.comments), { nags: [2], comments: [], engine: word });
  // What reviews wrote before they signed; and what people write.
  assert.equal(splitEngineWord([4], ["Blunder. Better was Kd1."]).engine.verdict, "blunder");
  assert.equal(splitEngineWord([4], ["Blunder. I was tired."]).engine, null);
});

test("a review is kept with its game, and an unfinished one goes on where it was", async () => {
  const tree = read("1. e4 e5 2. Nf3 Nc6 *");
  const scores = (i) => ({ score: { cp: 10 * i }, pv: ["e2e4"] });
  const line = tree.mainLine();
  const found = line.map((node, i) => ({ node, ...scores(i) }));
  const kept = JSON.parse(JSON.stringify(keepUnfinished(tree, found.slice(0, 3), false)));
  assert.equal(readFinished(tree, kept), null);
  const begun = readUnfinished(tree, kept);
  assert.deepEqual([begun.found.length, begun.stopped, begun.found[2].node], [3, false, line[2]]);
  // Another move was played: what was found before it still counts.
  assert.equal(readUnfinished(read("1. e4 c5 *"), kept).found.length, 2);
  const verdicts = [null, "book", null, "blunder"];
  const whole = JSON.parse(JSON.stringify(keepFinished(tree, { line, found, review: null, verdicts })));
  assert.deepEqual(readFinished(tree, whole).verdicts, verdicts);
  assert.equal(readFinished(read("1. e4 e5 2. Nf3 d6 *"), whole), null);
  for (const bad of [null, 7, {}, { moves: [], found: [null] }, { ...whole, verdicts: ["nonsense"] }])
    assert.equal(readFinished(tree, bad), null);
});
